//@ test    frexp, the second result to global memory
// Written by generate.py.
//@ ftz-sensitive
//@ grid    1
//@ group   19
//@ buffer  x f32 19 = -43.5859718 31.8279095 -30.2589302 -15.4649487 -20.9991379 -31.2760353 -45.6636124 -30.5752678
//@ + -4.18381786 38.8445663 -42.5261307 28.7533855 34.8954887 -21.2160034 -56.9140511 -41.5125465
//@ + 1.40129846e-45 -0 1
//@ buffer  out f32 19
//@ buffer  second i32 19
//@ args    x out second
//@ expect  out = -0.68103081 0.994622171 -0.945591569 -0.966559291 -0.656223059 -0.977376103 -0.713493943 -0.955477118
//@ + -0.522977233 0.606946349 -0.664470792 0.898543298 0.545242012 -0.663000107 -0.889282048 -0.64863354
//@ + 0.5 -0 0.5
//@ expect  second = 6 5 5 4 5 5 6 5
//@ + 3 6 6 5 6 5 6 6
//@ + -148 0 1

kernel void test_frexp(global const float *x, global float *out, global int *second) {
    size_t i = get_global_id(0);
    out[i] = frexp(x[i], second + i);
}
