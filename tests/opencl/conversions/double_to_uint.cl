//@ test    double to uint: every rounding mode, and saturated
//@ group   16
//@ buffer  x f64 16 = 0 -0 0.5 1.5 2.5 0.75 126.5 100.25 3.999 1 2147483646.5 1073741824.5 7.5 8.5 12345678.5
//@ + 0.25
//@ buffer  wide f64 16 = 1e+30 -1e+30 inf -inf 1e-30 -1e-30 300.5 -300.5 70000.5 -70000.5 5000000000
//@ + -5000000000 128 255.5 2147483648 1e+19
//@ buffer  out u32 112
//@ args    x wide out
//@ expect  out = 0 0 0 1 2 0 126 100 3 1 2147483646 1073741824 7 8 12345678 0 0 0 0 1 2 0 126 100 3 1
//@ + 2147483646 1073741824 7 8 12345678 0 0 0 0 2 2 1 126 100 4 1 2147483646 1073741824 8 8 12345678 0 0 0 1 2
//@ + 3 1 127 101 4 1 2147483647 1073741825 8 9 12345679 1 0 0 0 1 2 0 126 100 3 1 2147483646 1073741824 7 8
//@ + 12345678 0 4294967295 0 4294967295 0 0 0 300 0 70000 0 4294967295 0 128 255 2147483648 4294967295
//@ + 4294967295 0 4294967295 0 1 0 301 0 70001 0 4294967295 0 128 256 2147483648 4294967295

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void convert(global const double *x, global const double *wide, global uint *out) {
    size_t i = get_global_id(0);
    double a = x[i];
    out[0 + i] = convert_uint(a);
    out[16 + i] = convert_uint_rtz(a);
    out[32 + i] = convert_uint_rte(a);
    out[48 + i] = convert_uint_rtp(a);
    out[64 + i] = convert_uint_rtn(a);
    out[80 + i] = convert_uint_sat(wide[i]);
    out[96 + i] = convert_uint_sat_rtp(wide[i]);
}
