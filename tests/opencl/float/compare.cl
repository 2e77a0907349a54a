//@ test    comparisons of float with zeros, infinities and NaN
//@ group   64
//@ buffer  x f32 64 = 0 0 0 0 0 0 0 0 -0 -0 -0 -0 -0 -0 -0 -0 1 1 1 1 1 1 1 1 -1 -1 -1 -1 -1 -1 -1 -1 inf inf
//@ + inf inf inf inf inf inf -inf -inf -inf -inf -inf -inf -inf -inf nan nan nan nan nan nan nan nan 2 2 2 2 2
//@ + 2 2 2
//@ buffer  y f32 64 = 0 -0 1 -1 inf -inf nan 2 0 -0 1 -1 inf -inf nan 2 0 -0 1 -1 inf -inf nan 2 0 -0 1 -1 inf
//@ + -inf nan 2 0 -0 1 -1 inf -inf nan 2 0 -0 1 -1 inf -inf nan 2 0 -0 1 -1 inf -inf nan 2 0 -0 1 -1 inf -inf
//@ + nan 2
//@ buffer  out u32 64
//@ args    x y out
//@ expect  out = 102 102 11 120 11 120 72 11 102 102 11 120 11 120 72 11 120 120 230 248 139 248 200 139 11 11
//@ + 139 230 139 248 200 139 120 120 248 248 230 248 200 248 11 11 139 139 139 230 200 139 72 72 200 200 200
//@ + 200 200 200 120 120 248 248 139 248 200 230

kernel void compare(global const float *x, global const float *y, global uint *out) {
    size_t i = get_global_id(0);
    float a = x[i], b = y[i];
    out[i] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | !(a < b) << 6 |
             (a && b) << 7;
}
