//@ test    dot of 2 components
// Written by generate.py.
//@ grid    1
//@ group   16
//@ buffer  a f32 32 = 37 -66 -22 49 -93 6 36 70
//@ + -64 31 36 -17 93 38 10 27
//@ + 73 83 62 19 82 83 36 -97
//@ + -32 3 77 30 -51 95 -35 30
//@ buffer  b f32 32 = 73 -63 -91 -92 67 31 29 26
//@ + 30 58 -17 10 -79 29 37 71
//@ + -92 34 50 48 63 -95 -60 76
//@ + -78 -12 -69 -13 38 -16 -20 -87
//@ buffer  out f32 16
//@ args    a b out
//@ expect  out = 6859 -2506 -6045 2864 -122 -782 -6245 2287
//@ + -3894 4012 -2719 -9532 2460 -5703 -3458 -1910

kernel void test_dot(global const float *a, global const float *b, global float *out) {
    size_t i = get_global_id(0);
    out[i] = dot(vload2(i, a), vload2(i, b));
}
