//@ test    a structure by value
// Written by generate.py.
//@ grid    1
//@ group   64
//@ buffer  out u32 64 at 256
//@ args    out 1000 f32:2.5 7 8 9
//@ expect  out = 1027 1028 1029 1027 1028 1029 1027 1028
//@ + 1029 1027 1028 1029 1027 1028 1029 1027
//@ + 1028 1029 1027 1028 1029 1027 1028 1029
//@ + 1027 1028 1029 1027 1028 1029 1027 1028
//@ + 1029 1027 1028 1029 1027 1028 1029 1027
//@ + 1028 1029 1027 1028 1029 1027 1028 1029
//@ + 1027 1028 1029 1027 1028 1029 1027 1028
//@ + 1029 1027 1028 1029 1027 1028 1029 1027

typedef struct { uint a; float b; uint c[3]; } values;
kernel void k(global uint *out, values v) {
    uint i = get_global_id(0);
    out[i] = v.a + (uint)v.b * 10 + v.c[i % 3];
}
