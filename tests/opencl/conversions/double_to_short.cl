//@ test    double to short: every rounding mode, and saturated
//@ group   16
//@ buffer  x f64 16 = -0 -0 0.5 -1.5 2.5 0.75 -126.5 100.25 3.999 -1 32766 32766 -7.5 8.5 32766 -0.25
//@ buffer  wide f64 16 = 1e+30 -1e+30 inf -inf 1e-30 -1e-30 300.5 -300.5 70000.5 -70000.5 5000000000
//@ + -5000000000 128 255.5 2147483648 1e+19
//@ buffer  out u16 112
//@ args    x wide out
//@ expect  out = 0 0 0 65535 2 0 65410 100 3 65535 32766 32766 65529 8 32766 0 0 0 0 65535 2 0 65410 100 3
//@ + 65535 32766 32766 65529 8 32766 0 0 0 0 65534 2 1 65410 100 4 65535 32766 32766 65528 8 32766 0 0 0 1
//@ + 65535 3 1 65410 101 4 65535 32766 32766 65529 9 32766 0 0 0 0 65534 2 0 65409 100 3 65535 32766 32766
//@ + 65528 8 32766 65535 32767 32768 32767 32768 0 0 300 65236 32767 32768 32767 32768 128 255 32767 32767
//@ + 32767 32768 32767 32768 1 0 301 65236 32767 32768 32767 32768 128 256 32767 32767

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void convert(global const double *x, global const double *wide, global short *out) {
    size_t i = get_global_id(0);
    double a = x[i];
    out[0 + i] = convert_short(a);
    out[16 + i] = convert_short_rtz(a);
    out[32 + i] = convert_short_rte(a);
    out[48 + i] = convert_short_rtp(a);
    out[64 + i] = convert_short_rtn(a);
    out[80 + i] = convert_short_sat(wide[i]);
    out[96 + i] = convert_short_sat_rtp(wide[i]);
}
