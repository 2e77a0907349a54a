//@ test    vectors of sixteen: sums of halves, a dot product by hand
//@ group   16
//@ buffer  x u16 256 = iota -100 3
//@ buffer  out i32 16
//@ args    x out
//@ expect  out = 99160 16984 8536 73816 212824 425560 712024 1072216 1506136 2013784 2595160 3250264 3979096
//@ + 4781656 5657944 6607960

kernel void sixteen(global const short *x, global int *out) {
    size_t i = get_global_id(0);
    short16 v = vload16(i, x);
    int16 w = convert_int16(v) * convert_int16(v.s0123456789abcdef);
    int8 e = w.lo + w.hi;
    int4 f = e.lo + e.hi;
    int2 g = f.lo + f.hi;
    out[i] = g.x + g.y;
}
