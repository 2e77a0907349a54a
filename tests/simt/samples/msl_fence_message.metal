//@ sample all lanes of one SIMD-group send a message to another: a barrier and a fence on both sides
//@ group 64
//@ seeds 16
//@ checks 1
//@ wrong 1 2 3 4 5 6 7 8 9 10 11 12
//@ right 13 14 15 16 17 18
#include <metal_stdlib>
using namespace metal;
typedef uint32_t mem_u32 __attribute__((may_alias));
// Forms come in pairs: the odd one passes the message in threadgroup memory, the even one in device memory.
#define PAIR ((FORM + 1) / 2)
#define BOTH (mem_flags::mem_device | mem_flags::mem_threadgroup)
#define OTHER_MEMORY (FORM % 2 ? mem_flags::mem_device : mem_flags::mem_threadgroup)
#define SCOPE                                                                                      \
    (PAIR == 5 ? thread_scope_simdgroup : PAIR == 8 ? thread_scope_device : thread_scope_threadgroup)
static void fence() {
    atomic_thread_fence(PAIR == 6 ? OTHER_MEMORY : BOTH,
                        PAIR == 9 ? memory_order_seq_cst : memory_order_acq_rel, SCOPE);
}
kernel void message(device uchar *mem [[buffer(0)]], uint t [[thread_index_in_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]]) {
    alignas(16) threadgroup uchar local[256];
    uint32_t done = 0, first = 0;
    uchar *words = FORM % 2 ? local : mem + 1024;
    mem_u32 *word = (mem_u32 *)(words + 4 * lane);
    device atomic_uint *flag = (device atomic_uint *)(mem + 2048);
    const uint32_t before = *word; // an old value to remember
    threadgroup_barrier(BOTH);
    if (t < 32) {
        *word = 100 + lane;
        if (PAIR != 4) // else only lane 0's own stores are released
            simdgroup_barrier(BOTH);
        if (PAIR != 1 && PAIR != 2)
            fence();
        if (lane == 0)
            atomic_store_explicit(flag, 1u, memory_order_relaxed);
        CHECK(*word == 100 + lane);
    } else {
        if (lane == 0)
            while (!atomic_load_explicit(flag, memory_order_relaxed)) {
            }
        if (PAIR != 1 && PAIR != 3)
            fence();
        simdgroup_barrier(BOTH);
        CHECK(*word == 100 + lane);
    }
    REPORT(t);
}
