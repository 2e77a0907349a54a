//@ test    a switch over adjacent values with shared cases and a default in the middle
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 5 7 7 7 100 25 -6 -7 5 7 7 23 100 169 -14 -15 5 7 7 39 100 441 -22 -23 5 7 7 55 100 841 -30
//@ + -31 5 7 7 71 100 1369 -38 -39 5 7 7 87 100 2025 -46 -47 5 7 7 103 100 2809 -54 -55 5 7 7 119 100 3721 -62
//@ + -63

kernel void dense(global int *out) {
    int i = get_global_id(0);
    int v;
    switch (i % 8) {
    case 0: v = 5; break;
    case 1:
    case 2: v = 7; break;
    default: v = -i; break;
    case 3: v = i * 2 + 1; break;
    case 4: v = 100; break;
    case 5: v = i * i; break;
    }
    out[i] = v;
}
