// Everything that Metal 3.0 has and wavec's kernels may use.
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

typedef uint mem_u32 __attribute__((may_alias));
typedef ushort mem_u16 __attribute__((may_alias));
typedef float mem_f32 __attribute__((may_alias));
typedef uint4 mem_u32x4 __attribute__((may_alias));

struct all_args {
    uint r[3];
};

constant uint table[4] = {1u, 2u, 4u, 8u};

static inline uint add_float(threadgroup atomic_uint *at, float value) {
    uint old = atomic_load_explicit(at, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(at, &old, as_type<uint>(as_type<float>(old) + value),
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
    return old;
}

static inline uint saturate_to_uint(float x) {
    return x >= 4294967296.0f ? 0xFFFFFFFFu : x > 0.0f ? uint(x) : 0u;
}

static void part(thread uint &total, thread const uint *first, device uchar *mem) {
    total += *first + uint(mem[0]);
}

[[max_total_threads_per_threadgroup(64)]] kernel void all(
    device uchar *mem [[buffer(0)]], constant all_args &args [[buffer(1)]], device atomic_uint *status [[buffer(2)]],
    constant ulong &mem_size [[buffer(3)]], uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 group_id [[threadgroup_position_in_grid]], uint3 group_size [[threads_per_threadgroup]],
    uint3 grid_size [[threadgroups_per_grid]], uint lane [[thread_index_in_simdgroup]],
    uint wave [[simdgroup_index_in_threadgroup]], uint width [[threads_per_simdgroup]]) {
    threadgroup uint4 local_words[64];
    threadgroup uchar *local = (threadgroup uchar *)local_words;
    uint value = *(device mem_u32 *)(mem + args.r[0]);
    float number = *(device const mem_f32 *)(mem + ulong(args.r[1]));
    half low = as_type<half2>(value).x;
    [[maybe_unused]] bool odd = (value & 1u) != 0u;
    do {
        value = simd_shuffle(value, ushort(lane ^ 1u)) + simd_shuffle_xor(value, 2) + simd_broadcast_first(value);
        value = simd_prefix_exclusive_sum(value) + simd_min(value) + simd_and(value);
        if (value > 100u)
            break;
    } while (simd_any(value < 10u));
    uint votes = uint(simd_vote::vote_t(simd_ballot(odd)));
    for (uint k = 0u; k < 4u; k++)
        votes += table[k];
    uint total = add_float((threadgroup atomic_uint *)(local + 4u * lane), number);
    part(total, &votes, mem);
    number = precise::divide(1.0f, number) + fast::sin(number) + floor(number) + float(fma(low, low, low)) + 0x1p-3f;
    *(threadgroup mem_u16 *)(local + 2u * lane) = ushort(value);
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    if (ulong(args.r[2]) + 16ul <= mem_size)
        *(device mem_u32x4 *)(mem + args.r[2]) =
            uint4(value + wave, votes, as_type<uint>(number), saturate_to_uint(number)) + uint4(thread_id, width);
    total = mulhi(total, 3u) + popcount(total) + clz(total) + reverse_bits(total) + min(total, 3u);
    uint none = 0u;
    if (total == group_id.x + group_size.y + grid_size.z)
        atomic_compare_exchange_weak_explicit(status, &none, 1u, memory_order_relaxed, memory_order_relaxed);
    atomic_fetch_max_explicit((device atomic_int *)mem, int(total), memory_order_relaxed);
    atomic_fetch_add_explicit((device atomic_float *)mem, 1.0f, memory_order_relaxed);
}
