//@ test    logb
// Written by generate.py.
//@ ftz-sensitive
//@ grid    1
//@ group   29
//@ buffer  x f32 29 = 163.508179 114.269829 746.128967 662.654968 768.553345 894.329773 314.919647 765.031982
//@ + 142.069611 836.822815 152.891159 225.751907 215.378677 362.347229 12.93857 612.241028
//@ + 333.195526 866.134399 293.848175 390.519257 308.953278 898.250732 148.525452 834.256409
//@ + 0 -inf nan 1.40129846e-45 -8
//@ buffer  out f32 29
//@ args    x out
//@ expect  out = 7 6 9 9 9 9 8 9
//@ + 7 9 7 7 7 8 3 9
//@ + 8 9 8 8 8 9 7 9
//@ + -inf inf nan -149 3

kernel void test_logb(global const float *x, global float *out) {
    size_t i = get_global_id(0);
    out[i] = logb(x[i]);
}
