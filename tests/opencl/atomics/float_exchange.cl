//@ test    atomic_xchg of float: every value comes back once
//@ group   64
//@ buffer  place f32 1 = zero
//@ buffer  sum u32 1 = zero
//@ args    place sum
//@ expect  sum = 2080
//@ expect  place = zero

kernel void exchange(volatile global float *place, volatile global uint *sum) {
    float before = atomic_xchg(place, (float)(get_local_id(0) + 1));
    atomic_add(sum, (uint)before);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_add(sum, (uint)atomic_xchg(place, 0.0f));
}
