//@ test    fract, the second result to global memory
// Written by generate.py.
//@ grid    1
//@ group   22
//@ buffer  x f32 22 = 36.3787651 39.5366096 0.438755482 59.0427704 35.901413 0.406002045 52.2724762 55.1651993
//@ + 8.75838661 30.0280743 4.84172487 23.0353031 30.2794838 36.2949829 0.679989815 24.1959457
//@ + -0.25 -0 inf -inf nan -1e-30
//@ buffer  out f32 22
//@ buffer  second f32 22
//@ args    x out second
//@ expect  out = 0.378765106 0.53660965 0.438755482 0.0427703857 0.901412964 0.406002045 0.272476196 0.16519928
//@ + 0.758386612 0.0280742645 0.841724873 0.0353031158 0.279483795 0.29498291 0.679989815 0.19594574
//@ + 0.75 -0 0 -0 nan 0.99999994
//@ expect  second = 36 39 0 59 35 0 52 55
//@ + 8 30 4 23 30 36 0 24
//@ + -1 -0 inf -inf nan -1

kernel void test_fract(global const float *x, global float *out, global float *second) {
    size_t i = get_global_id(0);
    out[i] = fract(x[i], second + i);
}
