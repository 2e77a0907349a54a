//@ test    a fast Walsh transform of 16 numbers per work-item, exact
//@ group   4
//@ buffer  x f32 64 = -2 2 3 -4 -1 -1 -2 1 -1 1 0 -2 -1 2 1 0 -2 -3 -1 2 0 0 3 -3 -1 -1 3 0 0 0 -3 -1 -4 2 -3
//@ + -1 0 -4 -3 -3 -2 -2 -4 1 -3 -4 3 -3 -4 3 1 -2 -1 -1 -2 -4 1 3 1 2 -1 -4 -3 -2
//@ buffer  out f32 64
//@ args    x out
//@ expect  out = -4 -2 2 -16 -2 8 4 -14 -4 2 -2 0 6 4 0 -14 -7 5 -7 -3 1 -3 -15 5 -1 3 -5 -1 -9 -13 3 15 -30
//@ + -2 -4 0 4 -24 6 2 -2 -6 12 0 4 0 -6 -18 -13 -3 5 -9 23 -11 -3 -13 -7 -1 3 -15 -11 -1 -5 -3

kernel void walsh(global const float *x, global float *out) {
    size_t i = get_global_id(0);
    float16 v = vload16(i, x);
    v = (float16)(v.even + v.odd, v.even - v.odd);
    v = (float16)(v.even + v.odd, v.even - v.odd);
    v = (float16)(v.even + v.odd, v.even - v.odd);
    v = (float16)(v.even + v.odd, v.even - v.odd);
    vstore16(v, i, out);
}
