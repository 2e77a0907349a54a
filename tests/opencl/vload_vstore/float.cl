//@ test    vload and vstore of float, 2 to 16 components, from odd elements
//@ group   3
//@ buffer  x f32 64 = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
//@ + 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
//@ buffer  out f32 120
//@ args    x out
//@ expect  out[0..6] = 1 2 4 5 7 8
//@ expect  out[8..17] = 1 2 3 5 6 7 9 10 11
//@ expect  out[20..32] = 1 2 3 4 6 7 8 9 11 12 13 14
//@ expect  out[36..60] = 1 2 3 4 5 6 7 8 10 11 12 13 14 15 16 17 19 20 21 22 23 24 25 26
//@ expect  out[68..116] = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
//@ + 33 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50

kernel void moved(global const float *x, global float *out) {
    size_t i = get_global_id(0);
    vstore2(vload2(i, x + 1) + (float)i, i, out + 0);
    vstore3(vload3(i, x + 1) + (float)i, i, out + 8);
    vstore4(vload4(i, x + 1) + (float)i, i, out + 20);
    vstore8(vload8(i, x + 1) + (float)i, i, out + 36);
    vstore16(vload16(i, x + 1) + (float)i, i, out + 68);
}
