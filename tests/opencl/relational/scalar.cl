//@ test    isequal to isunordered, isfinite to signbit on zeros, infinities, NaN and a subnormal
//@ group   64
//@ ftz-sensitive
//@ buffer  x f32 64 = 0 0 0 0 0 0 0 0 -0 -0 -0 -0 -0 -0 -0 -0 1 1 1 1 1 1 1 1 -1 -1 -1 -1 -1 -1 -1 -1 inf inf
//@ + inf inf inf inf inf inf -inf -inf -inf -inf -inf -inf -inf -inf nan nan nan nan nan nan nan nan
//@ + 9.9999461e-41 9.9999461e-41 9.9999461e-41 9.9999461e-41 9.9999461e-41 9.9999461e-41 9.9999461e-41
//@ + 9.9999461e-41
//@ buffer  y f32 64 = 0 -0 1 -1 inf -inf nan 9.9999461e-41 0 -0 1 -1 inf -inf nan 9.9999461e-41 0 -0 1 -1 inf
//@ + -inf nan 9.9999461e-41 0 -0 1 -1 inf -inf nan 9.9999461e-41 0 -0 1 -1 inf -inf nan 9.9999461e-41 0 -0 1
//@ + -1 inf -inf nan 9.9999461e-41 0 -0 1 -1 inf -inf nan 9.9999461e-41 0 -0 1 -1 inf -inf nan 9.9999461e-41
//@ buffer  out u32 64
//@ args    x y out
//@ expect  out = 681 681 754 718 754 718 770 754 8873 8873 8946 8910 8946 8910 8962 8946 4814 4814 4777 4814
//@ + 4850 4814 4866 4814 13042 13042 13042 12969 13042 13006 13058 13042 1230 1230 1230 1230 1193 1230 1282
//@ + 1230 9458 9458 9458 9458 9458 9385 9474 9458 2306 2306 2306 2306 2306 2306 2306 2306 718 718 754 718 754
//@ + 718 770 681

kernel void relational(global const float *x, global const float *y, global uint *out) {
    size_t i = get_global_id(0);
    float a = x[i], b = y[i];
    out[i] = (uint)isequal(a, b) << 0 |
             (uint)isnotequal(a, b) << 1 |
             (uint)isgreater(a, b) << 2 |
             (uint)isgreaterequal(a, b) << 3 |
             (uint)isless(a, b) << 4 |
             (uint)islessequal(a, b) << 5 |
             (uint)islessgreater(a, b) << 6 |
             (uint)isordered(a, b) << 7 |
             (uint)isunordered(a, b) << 8 |
             (uint)isfinite(a) << 9 |
             (uint)isinf(a) << 10 |
             (uint)isnan(a) << 11 |
             (uint)isnormal(a) << 12 |
             (uint)signbit(a) << 13;
}
