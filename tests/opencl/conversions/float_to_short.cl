//@ test    float to short: every rounding mode, and saturated
//@ group   16
//@ buffer  x f32 16 = 0 -0 0.5 1.5 2.5 -0.5 -1.5 -2.5 0.75 -0.75 126.5 -127.5 100.25 3.99900007 -3.99900007 1
//@ buffer  wide f32 16 = 1.00000002e+30 -1.00000002e+30 inf -inf 65535 300.700012 -300.700012 70000 -70000
//@ + 5e+09 -5e+09 128 255 256 2147483648.0 9.99999998e+18
//@ buffer  out u16 128
//@ args    x wide out
//@ expect  out = 0 0 0 1 2 0 65535 65534 0 0 126 65409 100 3 65533 1 0 0 0 1 2 0 65535 65534 0 0 126 65409 100
//@ + 3 65533 1 0 0 0 2 2 0 65534 65534 1 65535 126 65408 100 4 65532 1 0 0 1 2 3 0 65535 65534 1 0 127 65409
//@ + 101 4 65533 1 0 0 0 1 2 65535 65534 65533 0 65535 126 65408 100 3 65532 1 0 0 0 1 2 0 65535 65534 0 0 126
//@ + 65409 100 3 65533 1 32767 32768 32767 32768 32767 300 65236 32767 32768 32767 32768 128 255 256 32767
//@ + 32767 32767 32768 32767 32768 32767 301 65235 32767 32768 32767 32768 128 255 256 32767 32767

kernel void convert(global const float *x, global const float *wide, global short *out) {
    size_t i = get_global_id(0);
    float a = x[i];
    out[0 + i] = convert_short(a);
    out[16 + i] = convert_short_rtz(a);
    out[32 + i] = convert_short_rte(a);
    out[48 + i] = convert_short_rtp(a);
    out[64 + i] = convert_short_rtn(a);
    out[80 + i] = (short)a;
    out[96 + i] = convert_short_sat(wide[i]);
    out[112 + i] = convert_short_sat_rte(wide[i]);
}
