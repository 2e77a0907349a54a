//@ test    shuffle and shuffle2 by masks that are not constants: only their low bits count
//@ grid    1
//@ group   4
//@ buffer  m u32 4 = 0 1 6 11
//@ buffer  one i32 16
//@ buffer  two i32 8
//@ args    m one two
//@ expect  one = 10 11 12 13 11 12 13 10 12 13 10 11 13 10 11 12
//@ expect  two = 10 23 11 22 22 11 13 20

kernel void shuffles(global const uint *m, global int4 *one, global int2 *two) {
    size_t i = get_global_id(0);
    int4 a = (int4)(10, 11, 12, 13), b = (int4)(20, 21, 22, 23);
    one[i] = shuffle(a, m[i] + (uint4)(0, 1, 2, 3));
    two[i] = shuffle2(a, b, (uint2)(m[i], 7 - m[i]) & 15);
}
