//@ test    addresses as integers: alignment of a pointer, distance in bytes
//@ group   64
//@ buffer  x u8 72 = zero
//@ buffer  out u32 128
//@ args    x out
//@ expect  out = 0 0 1 7 2 6 3 5 4 4 5 3 6 2 7 1 8 0 9 7 10 6 11 5 12 4 13 3 14 2 15 1 16 0 17 7 18 6 19 5 20
//@ + 4 21 3 22 2 23 1 24 0 25 7 26 6 27 5 28 4 29 3 30 2 31 1 32 0 33 7 34 6 35 5 36 4 37 3 38 2 39 1 40 0 41
//@ + 7 42 6 43 5 44 4 45 3 46 2 47 1 48 0 49 7 50 6 51 5 52 4 53 3 54 2 55 1 56 0 57 7 58 6 59 5 60 4 61 3 62
//@ + 2 63 1

kernel void addresses(global uchar *x, global uint *out) {
    uint i = get_global_id(0);
    global uchar *p = x + i;
    uintptr_t address = (uintptr_t)p, base = (uintptr_t)x;
    global uchar *aligned = (global uchar *)((address + 7) & ~(uintptr_t)7);
    out[2 * i] = (uint)(address - base);
    out[2 * i + 1] = (uint)(aligned - p);
}
