//@ test    nextafter
// Written by generate.py.
//@ ftz-sensitive
//@ grid    1
//@ group   13
//@ buffer  x f32 13 = 0 0 -0 1.40129846e-45 -1.40129846e-45 1 1 -1
//@ + 3.40282347e+38 inf nan 1 1.17549435e-38
//@ buffer  y f32 13 = 1 -1 0 0 0 2 0 0
//@ + inf 0 1 nan 0
//@ buffer  out f32 13
//@ args    x y out
//@ expect  out = 1.40129846e-45 -1.40129846e-45 0 0 -0 1.00000012 0.99999994 -0.99999994
//@ + inf 3.40282347e+38 nan nan 1.17549421e-38

kernel void test_nextafter(global const float *x, global const float *y, global float *out) {
    size_t i = get_global_id(0);
    out[i] = nextafter(x[i], y[i]);
}
