//@ test    if, else if, nested conditional expressions
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 10 10 10 10 10 10 10 10 20 20 20 20 20 20 20 20 50 47 40 49 50 51 50 53 40 55 50 57 50 59 40
//@ + 61 50 63 50 65 40 67 50 69 50 71 40 73 50 75 50 77 40 79 50 81 50 83 40 85 50 87 50 89 40 91 50 93

kernel void ladder(global int *out) {
    int i = get_global_id(0);
    int v;
    if (i < 8)
        v = 10;
    else if (i < 16)
        v = 20;
    else if (i & 1)
        v = 30 + i;
    else
        v = i % 3 == 0 ? 40 : 50;
    out[i] = v;
}
