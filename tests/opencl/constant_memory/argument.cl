//@ test    a pointer to constant memory as a kernel argument, together with a table of the program
//@ group   64
//@ buffer  weights i32 9 = 3 1 4 1 5 9 2 6 77
//@ buffer  out i32 64
//@ args    weights out
//@ expect  out = 80 87 477 1077 82 167 277 6077 80 87 477 1077 82 167 277 6077 80 87 477 1077 82 167 277 6077
//@ + 80 87 477 1077 82 167 277 6077 80 87 477 1077 82 167 277 6077 80 87 477 1077 82 167 277 6077 80 87 477
//@ + 1077 82 167 277 6077 80 87 477 1077 82 167 277 6077

constant int factor[4] = {1, 10, 100, 1000};

kernel void weighted(constant int *weights, global int *out) {
    size_t i = get_global_id(0);
    out[i] = weights[i & 7] * factor[i & 3] + weights[8];
}
