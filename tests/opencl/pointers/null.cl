//@ test    null pointers: an argument that is one, a result of a helper that may be one
//@ group   64
//@ buffer  x i32 16 = iota 0 3
//@ buffer  out i32 64
//@ args    x 0 out
//@ expect  out = 100 99 99 101 99 99 102 99 99 103 99 99 104 99 99 105 99 99 106 99 99 107 99 99 108 99 99 109
//@ + 99 99 110 99 99 111 99 99 112 99 99 113 99 99 114 99 99 115 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99
//@ + 99 99 99

global const int *find(global const int *x, int wanted) {
    for (int k = 0; k < 16; k++)
        if (x[k] == wanted)
            return x + k;
    return 0;
}

kernel void null_pointers(global const int *x, global const int *none, global int *out) {
    int i = get_global_id(0);
    global const int *p = find(x, i);
    out[i] = (p ? (int)(p - x) : -1) + (none ? 1000 : 0) + (out != 0 ? 100 : 0);
}
