//@ test    float to uint: every rounding mode, and saturated
//@ group   16
//@ buffer  x f32 16 = 0 0 0.5 1.5 2.5 0.5 1.5 2.5 0.75 0.75 126.5 127.5 100.25 3.99900007 3.99900007 1
//@ buffer  wide f32 16 = 1.00000002e+30 -1.00000002e+30 inf -inf 65535 300.700012 -300.700012 70000 -70000
//@ + 5e+09 -5e+09 128 255 256 2147483648.0 9.99999998e+18
//@ buffer  out u32 128
//@ args    x wide out
//@ expect  out = 0 0 0 1 2 0 1 2 0 0 126 127 100 3 3 1 0 0 0 1 2 0 1 2 0 0 126 127 100 3 3 1 0 0 0 2 2 0 2 2 1
//@ + 1 126 128 100 4 4 1 0 0 1 2 3 1 2 3 1 1 127 128 101 4 4 1 0 0 0 1 2 0 1 2 0 0 126 127 100 3 3 1 0 0 0 1 2
//@ + 0 1 2 0 0 126 127 100 3 3 1 4294967295 0 4294967295 0 65535 300 0 70000 0 4294967295 0 128 255 256
//@ + 2147483648 4294967295 4294967295 0 4294967295 0 65535 301 0 70000 0 4294967295 0 128 255 256 2147483648
//@ + 4294967295

kernel void convert(global const float *x, global const float *wide, global uint *out) {
    size_t i = get_global_id(0);
    float a = x[i];
    out[0 + i] = convert_uint(a);
    out[16 + i] = convert_uint_rtz(a);
    out[32 + i] = convert_uint_rte(a);
    out[48 + i] = convert_uint_rtp(a);
    out[64 + i] = convert_uint_rtn(a);
    out[80 + i] = (uint)a;
    out[96 + i] = convert_uint_sat(wide[i]);
    out[112 + i] = convert_uint_sat_rte(wide[i]);
}
