//@ test    a scalar operand applies to every component of a vector
//@ group   16
//@ buffer  x f32 64 = iota 0 0.25
//@ buffer  out f32 64
//@ args    x out
//@ expect  out = -1 -1.5 2 2.5 -2 -2.5 3 3.5 -3 -3.5 4 4.5 -4 -4.5 5 5.5 -5 -5.5 6 6.5 -6 -6.5 7 7.5 -7 -7.5 8
//@ + 8.5 -8 -8.5 9 9.5 -9 -9.5 10 10.5 -10 -10.5 11 11.5 -11 -11.5 12 12.5 -12 -12.5 13 13.5 -13 -13.5 14 14.5
//@ + -14 -14.5 15 15.5 -15 -15.5 16 16.5 -16 -16.5 17 17.5

kernel void widen(global const float *x, global float *out) {
    size_t i = get_global_id(0);
    float4 v = vload4(i, x);
    v = 2.0f * v + 1.0f;
    v -= (float4)(i);
    v.lo *= -1.0f;
    vstore4(v, i, out);
}
