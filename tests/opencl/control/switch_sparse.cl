//@ test    a switch over values far apart, and one of 64 bits
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = 1 102 0 100 0 103 0 100 0 104 0 100 0 100 0 100 0 100 0 100 0 100 0 100 0 100 0 100 0 100 0
//@ + 100 0 100 0 100 0 100 0 100 0 100 0 100 0 100 0 100 0 100 0 100 0 100 0 100 0 100 0 100 0 100 0 100

kernel void sparse(global int *out) {
    uint i = get_global_id(0);
    uint n = i * 1000003 & 0xFFFFF;
    int v = 0;
    switch (n) {
    case 0: v = 1; break;
    case 1000003: v = 2; break;
    case 805711: v = 3; break;
    case 611419: v = 4; break;
    }
    switch ((ulong)n << 40 & 1ul << 40) {
    case 1ul << 40: v += 100;
    }
    out[i] = v;
}
