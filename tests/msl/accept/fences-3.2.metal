#include <metal_stdlib>
using namespace metal;
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
typedef uint32_t mem_u32 __attribute__((may_alias));
typedef uint2 mem_u32x2 __attribute__((may_alias));
struct args_t { uint r[4]; };
static inline uint wave_cas(device atomic_uint *p, uint e, uint d) {
  uint old = e;
  while (!atomic_compare_exchange_weak_explicit(p, &old, d, memory_order_relaxed, memory_order_relaxed)) { if (old != e) return old; }
  return e;
}
kernel void k(coherent(device) device uchar *mem [[buffer(0)]], constant args_t &args [[buffer(1)]], uint3 t [[thread_position_in_threadgroup]], uint lane [[thread_index_in_simdgroup]]) {
  alignas(16) threadgroup uchar local[1024];
  uint2 v = uint2(args.r[0], t.x);
  uint2 w{1u, 2u};
  coherent(device) device uchar *p = mem + t.x;
  float f = as_type<float>(*(coherent(device) device mem_u32 *)(mem + args.r[0]));
  *(device mem_u32x2 *)p = v + w + uint2(3u);
  *(threadgroup mem_u32 *)(local + t.y) = simd_shuffle(as_type<uint>(f), ushort(t.z));
  atomic_fetch_add_explicit((device atomic_uint *)p, 3u, memory_order_relaxed);
  half h = 1.0h; h = h * half(f); h = fma(h, h, h);
  f = precise::sqrt(f) + fma(f, f, f) + rint(f);
  uint e = wave_cas((device atomic_uint *)p, 3u, 4u);
  e += (uint)(simd_vote::vote_t)simd_ballot(e == 3u) + popcount(e) + clz(e);
  atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_seq_cst, thread_scope_device);
  threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
  half2 hh = as_type<half2>(e) * half2(h, h);
  *(device mem_u32*)(mem+8) = e + as_type<ushort>(h) + as_type<uint>(hh) + as_type<uint>(f) + mulhi(e, e) + simd_sum(e) + lane;
}
