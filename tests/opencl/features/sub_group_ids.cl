//@ test    positions in sub-groups, whatever their size
// Written by generate.py.
//@ grid    1
//@ group   64
//@ widths  4 8 16 32 64
//@ buffer  out u32 64 at 256
//@ args    out
//@ expect  out = 1 1 1 1 1 1 1 1
//@ + 1 1 1 1 1 1 1 1
//@ + 1 1 1 1 1 1 1 1
//@ + 1 1 1 1 1 1 1 1
//@ + 1 1 1 1 1 1 1 1
//@ + 1 1 1 1 1 1 1 1
//@ + 1 1 1 1 1 1 1 1
//@ + 1 1 1 1 1 1 1 1

kernel void k(global uint *out) {
    uint i = get_local_id(0);
    out[i] = get_sub_group_id() * get_sub_group_size() + get_sub_group_local_id() == i && get_num_sub_groups() * get_sub_group_size() == 64;
}
