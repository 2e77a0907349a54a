//@ test    a block of memory moved onto itself, forward and backward
//@ group   1
//@ buffer  x u8 64 = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 0 0
//@ + 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
//@ args    x
//@ expect  x = 0 1 2 3 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 28 29 30 31 2 3 4
//@ + 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 17 18 19 20 21 22 23 27 28 29 30 31

typedef struct {
    uchar data[24];
} block;

kernel void move(global uchar *x) {
    uchar own[32];
    for (int k = 0; k < 32; k++)
        own[k] = x[k];
    __builtin_memmove(own + 3, own, 24);
    __builtin_memmove(own, own + 5, 20);
    for (int k = 0; k < 32; k++)
        x[32 + k] = own[k];
    block b = *(global block *)(x + 8);
    *(global block *)(x + 4) = b;
}
