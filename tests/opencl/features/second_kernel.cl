//@ test    one kernel of several
// Written by generate.py.
//@ grid    1
//@ group   64
//@ kernel second
//@ buffer  out u32 64 at 256
//@ args    out
//@ expect  out = 2 2 2 2 2 2 2 2
//@ + 2 2 2 2 2 2 2 2
//@ + 2 2 2 2 2 2 2 2
//@ + 2 2 2 2 2 2 2 2
//@ + 2 2 2 2 2 2 2 2
//@ + 2 2 2 2 2 2 2 2
//@ + 2 2 2 2 2 2 2 2
//@ + 2 2 2 2 2 2 2 2

kernel void first(global uint *out) { out[get_global_id(0)] = 1; }
kernel void second(global uint *out) { out[get_global_id(0)] = 2; }
