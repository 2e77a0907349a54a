//@ test    vload_half, vstore_half and their rounding modes
// 1 + 2^-11 lies half way between two halves, 2049 too; 65520 is the least number that rounds to infinity; 2^-25 is half of the
// least subnormal half.
//@ grid    1
//@ group   8
//@ buffer  in f32 8 = 1.00048828125 -1.00048828125 2049 65519 65520 2.98023223876953125e-8 5.9604644775390625e-8 -0
//@ buffer  nearest u16 8
//@ buffer  up u16 8
//@ buffer  down u16 8
//@ buffer  zero u16 8
//@ buffer  back f32 8
//@ args    in nearest up down zero back
//@ expect  nearest = 0x3C00 0xBC00 0x6800 0x7BFF 0x7C00 0x0000 0x0001 0x8000
//@ expect  up = 0x3C01 0xBC00 0x6801 0x7C00 0x7C00 0x0001 0x0001 0x8000
//@ expect  down = 0x3C00 0xBC01 0x6800 0x7BFF 0x7BFF 0x0000 0x0001 0x8000
//@ expect  zero = 0x3C00 0xBC00 0x6800 0x7BFF 0x7BFF 0x0000 0x0001 0x8000
//@ expect  back = 1 -1 2048 65504 inf 0 5.9604644775390625e-8 -0

kernel void halves(global const float *in, global half *nearest, global half *up, global half *down, global half *zero,
                   global float *back) {
    size_t i = get_global_id(0);
    vstore_half(in[i], i, nearest);
    vstore_half_rtp(in[i], i, up);
    vstore_half_rtn(in[i], i, down);
    vstore_half_rtz(in[i], i, zero);
    back[i] = vload_half(i, nearest);
}
