//@ test    fast_length of 3 components
// Written by generate.py.
//@ grid    1
//@ group   16
//@ buffer  a f32 48 = -13 94 -15 -18 52 -1 18 56
//@ + -9 56 25 47 -30 -26 -50 -80
//@ + -23 62 95 77 35 -91 -4 -56
//@ + -71 30 15 13 -73 -50 89 13
//@ + -75 44 76 97 -73 -44 -55 52
//@ + 72 -85 -55 -63 -40 60 14 -44
//@ buffer  out f32 16
//@ args    a out
//@ expect  out ulp 8192 = 96.0728912 55.0363503 59.5063019 77.2657776 63.8435593 103.79306 127.196701 106.925209
//@ + 78.52388 89.4315414 117.111061 130.847244 101.439636 122.934944 92.7038269 75.7099762

kernel void test_fast_length(global const float *a, global float *out) {
    size_t i = get_global_id(0);
    out[i] = fast_length(vload3(i, a));
}
