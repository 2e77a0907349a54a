//@ test    cases that fall through
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 11 10 100 -1 9 11 10 100 -1 9 11 10 100 -1 9 11 10 100 -1 9 11 10 100 -1 9 11 10 100 -1 9 11
//@ + 10 100 -1 9 11 10 100 -1 9 11 10 100 -1 9 11 10 100 -1 9 11 10 100 -1 9 11 10 100 -1 9 11 10 100 -1

kernel void fall(global int *out) {
    int i = get_global_id(0), total = 0;
    switch (i % 5) {
    case 0: total += 1;
    case 1: total += 10; break;
    case 2: total += 100; break;
    case 3: total = -1; break;
    case 4: total = 9;
    }
    out[i] = total;
}
