//@ test    vload and vstore of 8- and 16-bit integers
//@ grid    1
//@ group   4
//@ buffer  bytes u8 20 = iota 250
//@ buffer  words u16 20 = iota 65530
//@ buffer  out8 u8 16
//@ buffer  out16 u16 12
//@ args    bytes words out8 out16
//@ expect  out8 = expr i + 251
//@ expect  out16 = expr 65530 + i + 2

kernel void copies(global const uchar *bytes, global const short *words, global uchar *out8, global short *out16) {
    size_t i = get_global_id(0);
    vstore4(vload4(i, bytes + 1), i, out8);
    vstore3(vload3(i, words + 2), i, out16);
}
