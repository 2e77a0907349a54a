//@ test    arguments of every scalar type and of vectors
//@ group   1
//@ buffer  out u64 12
//@ args    out -5 250 -3000 60000 -7 0xFFFFFFFE 1 -1 5 0x80000000 f32:2.25 12 -3 0x04030201 f32:1 f32:2 f32:3 f32:4
//@ expect  out = 18446744073709551611 250 18446744073709548616 60000 18446744073709551609 4294967294
//@ + 18446744069414584321 9223372036854775813 9 11997 4321 4321

kernel void arguments(global long *out, char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h, float x, int2 v, uchar4 w,
                      float4 y) {
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
    out[4] = e;
    out[5] = f;
    out[6] = g;
    out[7] = (long)h;
    out[8] = (long)(x * 4.0f);
    out[9] = v.x * 1000l + v.y;
    out[10] = w.x + w.y * 10 + w.z * 100 + w.w * 1000;
    out[11] = (long)(y.x + y.y * 10.0f + y.z * 100.0f + y.w * 1000.0f);
}
