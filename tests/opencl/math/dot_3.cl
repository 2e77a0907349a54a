//@ test    dot of 3 components
// Written by generate.py.
//@ grid    1
//@ group   16
//@ buffer  a f32 48 = 52 -24 -87 -96 -22 87 83 96
//@ + -75 49 22 -87 -36 42 -18 87
//@ + 16 -62 5 99 -95 23 -58 72
//@ + -5 -56 -63 66 43 32 -57 -99
//@ + 4 69 -99 13 -95 5 45 7
//@ + -6 -93 83 5 73 86 12 -77
//@ buffer  b f32 48 = 56 -96 -9 -99 -44 -96 70 -26
//@ + 27 -78 67 94 -51 27 -43 42
//@ + 41 23 51 36 7 -65 78 8
//@ + 95 -88 -33 9 -28 25 -90 -73
//@ + 60 3 -87 74 -70 -59 90 -37
//@ + -11 99 41 -21 9 18 80 95
//@ buffer  out f32 16
//@ args    a b out
//@ expect  out = 5999 2120 1289 -10526 3744 2884 3154 -5443
//@ + 6532 190 12597 9782 10405 -9400 3955 -4807

kernel void test_dot(global const float *a, global const float *b, global float *out) {
    size_t i = get_global_id(0);
    out[i] = dot(vload3(i, a), vload3(i, b));
}
