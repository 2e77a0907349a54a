//@ test    distance of 2 components
// Written by generate.py.
//@ grid    1
//@ group   16
//@ buffer  a f32 32 = 46 -47 -23 -64 -89 72 -69 -87
//@ + -74 60 0 -30 20 53 -21 -2
//@ + 54 -84 -87 -3 -69 -88 44 -53
//@ + 28 -1 -20 -92 -56 39 -82 -94
//@ buffer  b f32 32 = 38 28 21 18 -44 25 -17 -90
//@ + 20 13 -48 64 61 -64 -78 -68
//@ + 94 -60 24 25 -76 15 -11 52
//@ + 22 -28 -59 -78 40 -83 -60 26
//@ buffer  out f32 16
//@ args    a b out
//@ expect  out ulp 7 = 75.4254608 93.0591202 65.069191 52.0864677 105.095192 105.546196 123.975807 87.2066498
//@ + 46.6476135 114.477074 103.237587 118.5327 27.6586342 41.4366989 155.241745 122

kernel void test_distance(global const float *a, global const float *b, global float *out) {
    size_t i = get_global_id(0);
    out[i] = distance(vload2(i, a), vload2(i, b));
}
