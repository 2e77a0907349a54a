//@ test    vstore_half in every rounding mode
//@ group   8
//@ buffer  x f32 8 = 1.00039995 -1.00039995 2049 -2049 0.100000001 -0.100000001 9.99999994e-09 70000
//@ buffer  out f16 32
//@ args    x out
//@ expect  out u16 = 15360 48128 26624 59392 11878 44646 0 31744 15360 48128 26624 59392 11878 44646 0 31743
//@ + 15361 48128 26625 59392 11879 44646 1 31744 15360 48129 26624 59393 11878 44647 0 31743

kernel void rounded(global const float *x, global half *out) {
    size_t i = get_global_id(0);
    vstore_half_rte(x[i], i, out);
    vstore_half_rtz(x[i], i + 8, out);
    vstore_half_rtp(x[i], i + 16, out);
    vstore_half_rtn(x[i], i + 24, out);
}
