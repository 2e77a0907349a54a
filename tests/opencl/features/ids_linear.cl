//@ test    linear positions
// Written by generate.py.
//@ grid    2 2
//@ group   4 2
//@ buffer  out u32 32 at 256
//@ args    out
//@ expect  out = 20400 20401 20402 20403 20400 20401 20402 20403
//@ + 20404 20405 20406 20407 20404 20405 20406 20407
//@ + 20400 20401 20402 20403 20400 20401 20402 20403
//@ + 20404 20405 20406 20407 20404 20405 20406 20407

kernel void k(global uint *out) {
    out[get_global_linear_id()] = get_local_linear_id() + 100 * get_local_size(0) + 10000 * get_local_size(1) + get_global_offset(0);
}
