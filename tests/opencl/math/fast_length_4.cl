//@ test    fast_length of 4 components
// Written by generate.py.
//@ grid    1
//@ group   16
//@ buffer  a f32 64 = 50 85 -49 -41 -42 -39 95 -37
//@ + -80 28 -32 -48 -62 -37 -3 -8
//@ + 53 -28 16 -46 -35 -58 -11 -63
//@ + -32 86 40 -72 13 -72 -6 60
//@ + -76 57 -21 76 6 41 -24 -35
//@ + 64 -26 34 -37 -59 -10 -50 -4
//@ + 80 -98 -86 -88 67 -24 -76 4
//@ + -46 -89 -45 22 36 65 -15 18
//@ buffer  out f32 16
//@ args    a out
//@ expect  out ulp 8192 = 117.503189 116.95726 102.528046 72.7048798 77.2334137 93.1611481 123.304504 94.8103333
//@ + 123.458496 59.3127289 85.4224777 78.0832901 176.476624 104.19693 112.008926 77.910202

kernel void test_fast_length(global const float *a, global float *out) {
    size_t i = get_global_id(0);
    out[i] = fast_length(vload4(i, a));
}
