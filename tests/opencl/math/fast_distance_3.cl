//@ test    fast_distance of 3 components
// Written by generate.py.
//@ grid    1
//@ group   16
//@ buffer  a f32 48 = 83 -70 -5 89 7 42 64 50
//@ + 9 38 -76 -89 89 -38 -58 11
//@ + 33 -88 -72 99 -56 61 -15 99
//@ + 64 -68 37 70 33 -72 -16 24
//@ + -45 64 12 20 -73 -11 -57 70
//@ + 80 56 78 -43 39 -6 37 -86
//@ buffer  b f32 48 = -61 -33 -38 -52 -20 7 -90 -9
//@ + 74 -74 80 -4 39 21 0 -78
//@ + 14 -51 41 45 16 -59 -50 1
//@ + -51 -61 -21 87 -7 26 82 84
//@ + -48 -70 68 -41 56 26 90 78
//@ + 61 -95 -72 -32 -40 37 61 56
//@ buffer  out f32 16
//@ args    a b out
//@ expect  out ulp 8192 = 152.295761 147.766708 177.262512 210.011902 96.6695404 98.239502 144.461075 158.836395
//@ + 128.988373 107.205414 114.947815 157.521423 199.045227 152.400787 169.888199 150.296371

kernel void test_fast_distance(global const float *a, global const float *b, global float *out) {
    size_t i = get_global_id(0);
    out[i] = fast_distance(vload3(i, a), vload3(i, b));
}
