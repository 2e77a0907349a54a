//@ test    the relational functions: 1 for scalars, -1 in vectors, false for NaN but isunordered and isnotequal
//@ grid    1
//@ group   6
//@ buffer  x f32 6 = 1 2 nan -0 inf 1e-40
//@ buffer  y f32 6 = 2 2 1 0 -inf nan
//@ buffer  out i32 84
//@ buffer  vec i32 24
//@ args    x y out vec
//@ ftz-sensitive
//@ expect  out = 0 1 0 0 1 1 1 1 0 0 1 1 0 0
//@ + 1 0 0 1 0 1 0 1 0 0 1 1 0 0
//@ + 0 1 0 0 0 0 0 0 0 1 0 0 1 0
//@ + 1 0 0 1 0 1 0 1 0 0 0 1 0 1
//@ + 0 1 1 1 0 0 1 0 1 0 0 1 0 0
//@ + 0 1 0 0 0 0 0 1 0 0 0 0 1 0
//@ expect  vec = 0 -1 -1 -1 -1 -1 0 -1 0 -1 0 -1 -1 -1 -1 -1 0 -1 -1 -1 0 0 -1 -1

kernel void relations(global const float *x, global const float *y, global int *out, global int4 *vec) {
    size_t i = get_global_id(0);
    float a = x[i], b = y[i];
    global int *o = out + 14 * i;
    o[0] = isequal(a, b);
    o[1] = isnotequal(a, b);
    o[2] = isgreater(a, b);
    o[3] = isgreaterequal(a, b);
    o[4] = isless(a, b);
    o[5] = islessequal(a, b);
    o[6] = islessgreater(a, b);
    o[7] = isfinite(a);
    o[8] = isinf(a);
    o[9] = isnan(a);
    o[10] = isnormal(a);
    o[11] = isordered(a, b);
    o[12] = isunordered(a, b);
    o[13] = signbit(a);
    vec[i] = isequal((float4)(a, b, a, 1.0f), (float4)(b, b, a + 1.0f, 1.0f)) | isless((float4)(a, a, a, a), (float4)(a, a, 1.5f, -9.0f));
}
