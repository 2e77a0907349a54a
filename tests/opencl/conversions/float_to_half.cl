//@ test    float to half in every rounding mode; half to integers, saturated
//@ group   16
//@ buffer  x f32 16 = 0 -0 1 -1 1.00039995 -1.00039995 2049 -2049 9.99999994e-09 -9.99999994e-09 70000 -70000
//@ + 1688.77063 2615.61719 -2540.70679 1034.66394
//@ buffer  out f16 80
//@ buffer  small u8 16
//@ buffer  wide u64 32
//@ args    x out small wide
//@ expect  out u16 = 0 32768 15360 48128 15360 48128 26624 59392 0 32768 31744 64512 26265 26908 59638 25611 0
//@ + 32768 15360 48128 15360 48128 26624 59392 0 32768 31744 64512 26265 26908 59638 25611 0 32768 15360 48128
//@ + 15360 48128 26624 59392 0 32768 31743 64511 26264 26907 59638 25610 0 32768 15360 48128 15361 48128 26625
//@ + 59392 1 32768 31744 64511 26265 26908 59638 25611 0 32768 15360 48128 15360 48129 26624 59393 0 32769
//@ + 31743 64512 26264 26907 59639 25610
//@ expect  small = 0 0 1 0 1 0 255 0 0 0 255 0 255 255 0 255
//@ expect  wide = 0 0 1 18446744073709551615 1 18446744073709551615 2048 18446744073709549568 0 0
//@ + 9223372036854775807 9223372036854775808 1689 2616 18446744073709549076 1035 0 0 1 18446744073709551615 1
//@ + 18446744073709551615 2048 18446744073709549568 0 0 9223372036854775807 9223372036854775808 1689 2616
//@ + 18446744073709549076 1035

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void convert(global const float *x, global half *out, global uchar *small, global long *wide) {
    size_t i = get_global_id(0);
    out[0 + i] = convert_half(x[i]);
    out[16 + i] = convert_half_rte(x[i]);
    out[32 + i] = convert_half_rtz(x[i]);
    out[48 + i] = convert_half_rtp(x[i]);
    out[64 + i] = convert_half_rtn(x[i]);
    half h = convert_half(x[i]);
    small[i] = convert_uchar_sat_rte(h);
    wide[i] = convert_long_sat_rtn(h);
    wide[16 + i] = convert_long_sat(convert_double(h));
}
