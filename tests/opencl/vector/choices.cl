//@ test    select and bitselect of scalars and vectors
//@ grid    1
//@ group   4
//@ buffer  c i32 4 = 0 1 -1 0x40000000
//@ buffer  scalar i32 4
//@ buffer  vector i32 8
//@ buffer  bits u32 4
//@ buffer  mixed f32 4
//@ args    c scalar vector bits mixed
// A scalar select treats any number but 0 as true, a vector select tests the sign bit.
//@ expect  scalar = 10 20 20 20
//@ expect  vector = 1 3 1 3 2 3 1 3
//@ expect  bits = 0x0F0F0F0F 0x0F0F0F0E 0xF0F0F0F0 0x4F0F0F0F
//@ expect  mixed = -1 -1 1 -1

kernel void choices(global const int *c, global int *scalar, global int2 *vector, global uint *bits, global float *mixed) {
    size_t i = get_global_id(0);
    scalar[i] = select(10, 20, c[i]);
    vector[i] = select((int2)(1, 3), (int2)(2, 4), (int2)(c[i], 1));
    bits[i] = bitselect(0x0F0F0F0Fu, 0xF0F0F0F0u, (uint)c[i]);
    mixed[i] = bitselect(-1.0f, 1.0f, as_float(c[i]));
}
