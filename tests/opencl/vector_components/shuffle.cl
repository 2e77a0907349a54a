//@ test    shuffle and shuffle2 with masks from memory
//@ group   4
//@ buffer  x i32 16 = -20 -17 -14 -11 -8 -5 -2 1 4 7 10 13 16 19 22 25
//@ buffer  mask u32 16 = 0 7 14 5 12 3 10 1 8 15 6 13 4 11 2 9
//@ buffer  out i32 32
//@ args    x mask out
//@ expect  out = -20 1 -2 -5 -8 -11 -14 -17 -20 1 -2 -5 -8 -11 -14 -17 -20 1 22 -5 16 -11 10 -17 4 25 -2 19 -8
//@ + 13 -14 7

kernel void shuffled(global const int *x, global const uint *mask, global int *out) {
    size_t i = get_global_id(0);
    int8 a = vload8(0, x), b = vload8(1, x);
    uint4 m = vload4(i, mask);
    vstore4(shuffle(a, m), i, out);
    vstore4(shuffle2(a, b, m), i + 4, out);
}
