//@ test    float to char: every rounding mode, and saturated
//@ group   16
//@ buffer  x f32 16 = 0 -0 0.5 1.5 2.5 -0.5 -1.5 -2.5 0.75 -0.75 126.5 -127.5 100.25 3.99900007 -3.99900007 1
//@ buffer  wide f32 16 = 1.00000002e+30 -1.00000002e+30 inf -inf 65535 300.700012 -300.700012 70000 -70000
//@ + 5e+09 -5e+09 128 255 256 2147483648.0 9.99999998e+18
//@ buffer  out u8 128
//@ args    x wide out
//@ expect  out = 0 0 0 1 2 0 255 254 0 0 126 129 100 3 253 1 0 0 0 1 2 0 255 254 0 0 126 129 100 3 253 1 0 0 0
//@ + 2 2 0 254 254 1 255 126 128 100 4 252 1 0 0 1 2 3 0 255 254 1 0 127 129 101 4 253 1 0 0 0 1 2 255 254 253
//@ + 0 255 126 128 100 3 252 1 0 0 0 1 2 0 255 254 0 0 126 129 100 3 253 1 127 128 127 128 127 127 128 127 128
//@ + 127 128 127 127 127 127 127 127 128 127 128 127 127 128 127 128 127 128 127 127 127 127 127

kernel void convert(global const float *x, global const float *wide, global char *out) {
    size_t i = get_global_id(0);
    float a = x[i];
    out[0 + i] = convert_char(a);
    out[16 + i] = convert_char_rtz(a);
    out[32 + i] = convert_char_rte(a);
    out[48 + i] = convert_char_rtp(a);
    out[64 + i] = convert_char_rtn(a);
    out[80 + i] = (char)a;
    out[96 + i] = convert_char_sat(wide[i]);
    out[112 + i] = convert_char_sat_rte(wide[i]);
}
