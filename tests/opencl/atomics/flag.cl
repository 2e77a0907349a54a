//@ test    a flag in local memory: one work-item takes it, a second round finds it taken
//@ group   64
//@ buffer  out i32 64
//@ args    out
//@ expect  out = fill 1

kernel void flags(global int *out) {
    local atomic_flag flag;
    local atomic_int takers;
    if (get_local_id(0) == 0) {
        atomic_flag_clear_explicit(&flag, memory_order_relaxed, memory_scope_work_group);
        atomic_init(&takers, 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!atomic_flag_test_and_set_explicit(&flag, memory_order_acq_rel, memory_scope_work_group))
        atomic_fetch_add_explicit(&takers, 1, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = atomic_load_explicit(&takers, memory_order_relaxed, memory_scope_work_group);
}
