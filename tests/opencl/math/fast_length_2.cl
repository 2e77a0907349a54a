//@ test    fast_length of 2 components
// Written by generate.py.
//@ grid    1
//@ group   16
//@ buffer  a f32 32 = 55 40 -45 -28 -11 -3 42 -72
//@ + -41 -60 1 19 -82 -32 37 81
//@ + 64 28 -22 -19 12 94 -59 83
//@ + 73 84 -5 -57 -54 0 -76 52
//@ buffer  out f32 16
//@ args    a out
//@ expect  out ulp 8192 = 68.0073547 53 11.4017544 83.3546677 72.6704865 19.0262985 88.022728 89.0505447
//@ + 69.8569946 29.0688839 94.7628632 101.833199 111.287918 57.2188797 54 92.0869141

kernel void test_fast_length(global const float *a, global float *out) {
    size_t i = get_global_id(0);
    out[i] = fast_length(vload2(i, a));
}
