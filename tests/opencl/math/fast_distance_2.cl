//@ test    fast_distance of 2 components
// Written by generate.py.
//@ grid    1
//@ group   16
//@ buffer  a f32 32 = 30 3 41 -32 30 -15 95 55
//@ + 19 -15 -82 84 38 55 -45 -30
//@ + 69 5 -55 8 18 -82 -64 24
//@ + -99 25 -18 -4 -94 -41 37 -36
//@ buffer  b f32 32 = 99 -16 42 -59 -7 98 83 76
//@ + -33 -21 -10 -40 3 71 10 67
//@ + -42 85 22 34 69 79 -3 -97
//@ + -91 -40 32 -95 60 58 98 16
//@ buffer  out f32 16
//@ args    a b out
//@ expect  out ulp 8192 = 71.5681458 27.0185127 118.90332 24.1867733 52.3450089 143.387589 38.4837646 111.507851
//@ + 136.824707 81.2711487 168.884583 135.506454 65.4904556 103.831596 183.076492 80.1560974

kernel void test_fast_distance(global const float *a, global const float *b, global float *out) {
    size_t i = get_global_id(0);
    out[i] = fast_distance(vload2(i, a), vload2(i, b));
}
