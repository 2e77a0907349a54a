//@ test    vload and vstore of 2, 3, 4, 8 and 16 components, unaligned for their vectors
//@ grid    1
//@ group   4
//@ buffer  in f32 68 = iota 0
//@ buffer  out2 f32 8
//@ buffer  out3 f32 12
//@ buffer  out4 f32 16
//@ buffer  out8 f32 33
//@ buffer  out16 f32 65
//@ args    in out2 out3 out4 out8 out16
//@ expect  out2 = expr i + 1
//@ expect  out3 = expr i + 2
//@ expect  out4 = expr 2 * (i + 3)
//@ expect  out8[0..1] = zero
//@ expect  out8[1..33] = expr i - 1
//@ expect  out16[0..1] = zero
//@ expect  out16[1..65] = expr i + 2

kernel void copies(global const float *in, global float *out2, global float *out3, global float *out4, global float *out8,
                   global float *out16) {
    size_t i = get_global_id(0);
    vstore2(vload2(i, in + 1), i, out2);
    vstore3(vload3(i, in + 2), i, out3);
    vstore4(2.0f * vload4(i, in + 3), i, out4);
    vstore8(vload8(i, in), i, out8 + 1);
    vstore16(vload16(i, in + 3), i, out16 + 1);
}
