//@ sample a weak exchange that is not repeated sometimes exchanges nothing
//@ group 256
//@ checks 2
//@ memory 8192
#include <metal_stdlib>
using namespace metal;
typedef uint32_t mem_u32 __attribute__((may_alias));
kernel void weak(device uchar *mem [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
    threadgroup atomic_uint exchanged;
    uint32_t done = 0, first = 0;
    uint expected = 0;
    if (t == 0)
        atomic_store_explicit(&exchanged, 0u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (atomic_compare_exchange_weak_explicit((device atomic_uint *)(mem + 4096 + 4 * t), &expected,
                                              1u, memory_order_relaxed, memory_order_relaxed))
        atomic_fetch_add_explicit(&exchanged, 1u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const uint count = atomic_load_explicit(&exchanged, memory_order_relaxed);
    CHECK(count > 0 && count < 256);
    CHECK(expected == 0);
    REPORT(t);
}
