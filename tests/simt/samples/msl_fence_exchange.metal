//@ sample lanes of a SIMD-group see each other's stores after a barrier of that memory
//@ seeds 16
//@ checks 1
//@ wrong 1 2 3 4 5 6 7 8 9 10
//@ right 11 12 13 14 15 16
#include <metal_stdlib>
using namespace metal;
typedef uint32_t mem_u32 __attribute__((may_alias));
// Even forms go through device memory.
#define OWN_MEMORY (FORM % 2 ? mem_flags::mem_threadgroup : mem_flags::mem_device)
#define OTHER_MEMORY (FORM % 2 ? mem_flags::mem_device : mem_flags::mem_threadgroup)
kernel void exchange(device uchar *mem [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
    alignas(16) threadgroup uchar local[136];
    uint32_t done = 0, first = 0;
    uchar *words = FORM % 2 ? local : mem + 1024;
    *(mem_u32 *)(words + 4 * t) = 100 + t;
#if FORM == 3 || FORM == 4 // lanes need not meet there
    atomic_thread_fence(OWN_MEMORY, memory_order_seq_cst, thread_scope_simdgroup);
#elif FORM == 5 || FORM == 6 // orders no memory
    simdgroup_barrier(mem_flags::mem_none);
#elif FORM == 7 || FORM == 8
    simdgroup_barrier(OTHER_MEMORY);
#elif FORM == 9 || FORM == 10
    threadgroup_barrier(OTHER_MEMORY);
#elif FORM == 11 || FORM == 12
    simdgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
#elif FORM == 13 || FORM == 14
    threadgroup_barrier(OWN_MEMORY);
#elif FORM == 15 || FORM == 16
    simdgroup_barrier(OWN_MEMORY);
#endif
    CHECK(t == 31 || *(mem_u32 *)(words + 4 * t + 4) == 101 + t);
    REPORT(t);
}
