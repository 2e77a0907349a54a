//@ test    length of 2 components
// Written by generate.py.
//@ grid    1
//@ group   16
//@ buffer  a f32 32 = 94 85 46 43 86 64 79 -28
//@ + 59 32 -25 43 -77 40 -60 -3
//@ + 44 -22 93 68 34 -50 -85 -74
//@ + -2 -16 66 -8 -12 56 71 71
//@ buffer  out f32 16
//@ args    a out
//@ expect  out ulp 7 = 126.732002 62.9682465 107.200745 83.8152695 67.1192932 49.7393188 86.7698135 60.074955
//@ + 49.1934967 115.208504 60.4648666 112.698715 16.1245155 66.483078 57.271286 100.409164

kernel void test_length(global const float *a, global float *out) {
    size_t i = get_global_id(0);
    out[i] = length(vload2(i, a));
}
