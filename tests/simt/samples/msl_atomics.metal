//@ sample every atomic operation, by 64 threads on one word each; the weak exchange sometimes fails
//@ group 64
//@ expect 0 2017 1 64 0x3 0xFFFFFFFF 0 0xFFFFFFC0 2080 0xFFFFFFC1 2016
#include <metal_stdlib>
using namespace metal;
kernel void atomics(device uchar *mem [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
    device atomic_uint *word = (device atomic_uint *)mem;
    threadgroup atomic_uint seen;
    if (t == 0) {
        atomic_store_explicit(word, 1u, memory_order_relaxed);
        atomic_store_explicit(word + 1, 1000u, memory_order_relaxed);
        atomic_store_explicit(word + 3, 0xFu, memory_order_relaxed);
        atomic_store_explicit(&seen, 0u, memory_order_relaxed);
    }
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    atomic_fetch_add_explicit(word, t, memory_order_relaxed); // 1 + 0 + 1 + ... + 63 = 2017
    atomic_fetch_min_explicit(word + 1, t + 1, memory_order_relaxed);
    atomic_fetch_max_explicit(word + 2, t + 1, memory_order_relaxed);
    atomic_fetch_and_explicit(word + 3, 0x3u | (t << 8), memory_order_relaxed);
    atomic_fetch_or_explicit(word + 4, 1u << (t & 31), memory_order_relaxed);
    atomic_fetch_xor_explicit(word + 5, t, memory_order_relaxed);
    atomic_fetch_sub_explicit(word + 6, 1u, memory_order_relaxed); // -64
    uint old = atomic_load_explicit(word + 7, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(word + 7, &old, old + t + 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
    atomic_fetch_min_explicit((device atomic_int *)(word + 8), -(int)t, memory_order_relaxed); // -63
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
    atomic_fetch_add_explicit(&seen, atomic_exchange_explicit(word + 9, t, memory_order_relaxed),
                              memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0) // all numbers were stored and returned once, except the last: 2016
        atomic_fetch_add_explicit(word + 9, atomic_load_explicit(&seen, memory_order_relaxed),
                                  memory_order_relaxed);
}
