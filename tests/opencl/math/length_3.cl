//@ test    length of 3 components
// Written by generate.py.
//@ grid    1
//@ group   16
//@ buffer  a f32 48 = -32 -26 -32 77 -62 9 -51 98
//@ + -72 -93 16 -12 16 15 46 23
//@ + 10 80 45 -13 36 -98 -56 -29
//@ + -44 69 -91 -83 -82 98 31 -5
//@ + 5 -73 -4 -29 82 98 87 9
//@ + -91 79 -16 -9 -35 -62 -44 66
//@ buffer  out f32 16
//@ args    a out
//@ expect  out ulp 9 = 52.1919518 99.2673187 131.867355 95.1262283 50.9607697 83.8391342 59.0762215 116.537544
//@ + 122.384636 152.371262 31.7962265 78.6511307 154.586548 120.842873 39.5221443 100.677704

kernel void test_length(global const float *a, global float *out) {
    size_t i = get_global_id(0);
    out[i] = length(vload3(i, a));
}
