//@ test    double to ulong: every rounding mode, and saturated
//@ group   16
//@ buffer  x f64 16 = 0 -0 0.5 1.5 2.5 0.75 126.5 100.25 3.999 1 2147483646.5 1073741824.5 7.5 8.5 12345678.5
//@ + 0.25
//@ buffer  wide f64 16 = 1e+30 -1e+30 inf -inf 1e-30 -1e-30 300.5 -300.5 70000.5 -70000.5 5000000000
//@ + -5000000000 128 255.5 2147483648 1e+19
//@ buffer  out u64 112
//@ args    x wide out
//@ expect  out = 0 0 0 1 2 0 126 100 3 1 2147483646 1073741824 7 8 12345678 0 0 0 0 1 2 0 126 100 3 1
//@ + 2147483646 1073741824 7 8 12345678 0 0 0 0 2 2 1 126 100 4 1 2147483646 1073741824 8 8 12345678 0 0 0 1 2
//@ + 3 1 127 101 4 1 2147483647 1073741825 8 9 12345679 1 0 0 0 1 2 0 126 100 3 1 2147483646 1073741824 7 8
//@ + 12345678 0 18446744073709551615 0 18446744073709551615 0 0 0 300 0 70000 0 5000000000 0 128 255
//@ + 2147483648 10000000000000000000 18446744073709551615 0 18446744073709551615 0 1 0 301 0 70001 0
//@ + 5000000000 0 128 256 2147483648 10000000000000000000

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void convert(global const double *x, global const double *wide, global ulong *out) {
    size_t i = get_global_id(0);
    double a = x[i];
    out[0 + i] = convert_ulong(a);
    out[16 + i] = convert_ulong_rtz(a);
    out[32 + i] = convert_ulong_rte(a);
    out[48 + i] = convert_ulong_rtp(a);
    out[64 + i] = convert_ulong_rtn(a);
    out[80 + i] = convert_ulong_sat(wide[i]);
    out[96 + i] = convert_ulong_sat_rtp(wide[i]);
}
