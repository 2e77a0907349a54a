//@ test    atomic_inc gives every work-item a unique number; atomic_xchg passes marks on
//@ group   64
//@ grid    4
//@ buffer  counter u32 1 = zero
//@ buffer  taken u32 256
//@ buffer  chain u32 2 = zero
//@ args    counter taken chain
//@ expect  counter = fill 256
//@ expect  taken = fill 1

kernel void tickets(global uint *counter, global uint *taken, global uint *chain) {
    uint n = atomic_inc(counter);
    taken[n] = get_global_id(0) / get_global_size(0) + 1;
    uint before = atomic_xchg(chain, get_global_id(0) + 1);
    atomic_add(chain + 1, before);
}
