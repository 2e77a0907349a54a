//@ test    an array of float3 has elements of 16 bytes, vload3 of 12
//@ group   16
//@ buffer  padded f32 64 = iota 0
//@ buffer  dense f32 48 = iota 1
//@ buffer  out f32 64
//@ buffer  tight f32 48
//@ args    padded dense out tight
//@ expect  out[0..3] = 1 3 5
//@ expect  out[4..7] = 8 10 12
//@ expect  out[8..11] = 15 17 19
//@ expect  out[12..15] = 22 24 26
//@ expect  out[16..19] = 29 31 33
//@ expect  out[20..23] = 36 38 40
//@ expect  out[24..27] = 43 45 47
//@ expect  out[28..31] = 50 52 54
//@ expect  out[32..35] = 57 59 61
//@ expect  out[36..39] = 64 66 68
//@ expect  out[40..43] = 71 73 75
//@ expect  out[44..47] = 78 80 82
//@ expect  out[48..51] = 85 87 89
//@ expect  out[52..55] = 92 94 96
//@ expect  out[56..59] = 99 101 103
//@ expect  out[60..63] = 106 108 110
//@ expect  tight = 0 2 6 16 25 36 56 72 90 120 143 168 208 238 270 320 357 396 456 500 546 616 667 720 800 858
//@ + 918 1008 1073 1140 1240 1312 1386 1496 1575 1656 1776 1862 1950 2080 2173 2268 2408 2508 2610 2760 2867
//@ + 2976

kernel void three(global const float3 *padded, global const float *dense, global float3 *out, global float *tight) {
    size_t i = get_global_id(0);
    float3 a = padded[i], b = vload3(i, dense);
    out[i] = a + b;
    vstore3(a * b, i, tight);
}
