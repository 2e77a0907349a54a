//@ test    a message by release and acquire
// Written by generate.py.
//@ grid    2
//@ group   4
//@ buffer  out u32 2 at 256
//@ buffer  flag u32 1 = 0
//@ args    out flag
//@ expect  out = 42 1

kernel void k(global uint *out, global atomic_uint *flag) {
    if (get_group_id(0) == 0) {
        if (get_local_id(0) == 0) {
            out[0] = 42;
            atomic_store_explicit(flag, 1u, memory_order_release, memory_scope_device);
        }
    } else if (get_local_id(0) == 0) {
        uint seen = atomic_load_explicit(flag, memory_order_acquire, memory_scope_device);
        out[1] = seen == 0 || out[0] == 42;
    }
}
