//@ test    double to uchar: every rounding mode, and saturated
//@ group   16
//@ buffer  x f64 16 = 0 -0 0.5 1.5 2.5 0.75 126.5 100.25 3.999 1 254 254 7.5 8.5 254 0.25
//@ buffer  wide f64 16 = 1e+30 -1e+30 inf -inf 1e-30 -1e-30 300.5 -300.5 70000.5 -70000.5 5000000000
//@ + -5000000000 128 255.5 2147483648 1e+19
//@ buffer  out u8 112
//@ args    x wide out
//@ expect  out = 0 0 0 1 2 0 126 100 3 1 254 254 7 8 254 0 0 0 0 1 2 0 126 100 3 1 254 254 7 8 254 0 0 0 0 2 2
//@ + 1 126 100 4 1 254 254 8 8 254 0 0 0 1 2 3 1 127 101 4 1 254 254 8 9 254 1 0 0 0 1 2 0 126 100 3 1 254 254
//@ + 7 8 254 0 255 0 255 0 0 0 255 0 255 0 255 0 128 255 255 255 255 0 255 0 1 0 255 0 255 0 255 0 128 255 255
//@ + 255

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void convert(global const double *x, global const double *wide, global uchar *out) {
    size_t i = get_global_id(0);
    double a = x[i];
    out[0 + i] = convert_uchar(a);
    out[16 + i] = convert_uchar_rtz(a);
    out[32 + i] = convert_uchar_rte(a);
    out[48 + i] = convert_uchar_rtp(a);
    out[64 + i] = convert_uchar_rtn(a);
    out[80 + i] = convert_uchar_sat(wide[i]);
    out[96 + i] = convert_uchar_sat_rtp(wide[i]);
}
