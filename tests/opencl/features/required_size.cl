//@ test    a required size of the workgroup
// Written by generate.py.
//@ grid    1
//@ group   16 2
//@ buffer  out u32 32 at 256
//@ args    out
//@ expect  out = 1602 1602 1602 1602 1602 1602 1602 1602
//@ + 1602 1602 1602 1602 1602 1602 1602 1602
//@ + 1602 1602 1602 1602 1602 1602 1602 1602
//@ + 1602 1602 1602 1602 1602 1602 1602 1602

__attribute__((reqd_work_group_size(16, 2, 1)))
kernel void k(global uint *out) {
    out[get_global_id(0) + 16 * get_global_id(1)] = get_local_size(0) * 100 + get_local_size(1);
}
