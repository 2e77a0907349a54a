//@ sample the last threadgroup sums what all have stored: each must release its store to the device
//@ grid 8 1 1
//@ group 1
//@ seeds 16
//@ expect 512 36
//@ wrong 1 2 3 4
//@ right 5 6
#include <metal_stdlib>
using namespace metal;
typedef uint32_t mem_u32 __attribute__((may_alias));
kernel void last(device uchar *mem [[buffer(0)]], uint3 group [[threadgroup_position_in_grid]]) {
    device mem_u32 *words = (device mem_u32 *)mem;
    words[group.x + 1] = group.x + 1;
#if FORM == 2
    atomic_thread_fence(mem_flags::mem_device, memory_order_release, thread_scope_threadgroup);
#elif FORM == 3
    atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_release, thread_scope_device);
#elif FORM == 4
    atomic_thread_fence(mem_flags::mem_device, memory_order_relaxed, thread_scope_device);
#elif FORM == 5
    atomic_thread_fence(mem_flags::mem_device, memory_order_release, thread_scope_device);
#elif FORM == 6
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst);
#endif
    if (atomic_fetch_add_explicit((device atomic_uint *)mem, 1u, memory_order_relaxed) != 7)
        return;
    atomic_thread_fence(mem_flags::mem_device, memory_order_acquire, thread_scope_device);
    uint32_t sum = 0;
    for (int k = 1; k <= 8; k++)
        sum += words[k];
    words[128] = sum;
}
