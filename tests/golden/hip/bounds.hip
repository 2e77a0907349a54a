// WAVE kernels for gfx942, 64 lanes to a wave, compiled from bounds.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint16_t mem_u16 __attribute__((may_alias));
typedef uint32_t mem_u32 __attribute__((may_alias));
typedef uint32_t __attribute__((ext_vector_type(2))) mem_u32x2 __attribute__((may_alias));

// bounds
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   mem_size: bytes in the arena; accesses past it do nothing
//   workgroup: any size up to 1024 threads
//   local memory: 256 bytes
struct bounds_args {
    uint32_t r[2];
};

extern "C" __global__ void __launch_bounds__(1024) bounds(uint8_t *mem, bounds_args args, uint64_t mem_size) {
    alignas(16) __shared__ uint8_t local[256];
    uint32_t u0 = (uint64_t)args.r[0] + 4 <= mem_size ? *(mem_u32 *)(mem + args.r[0]) : 0u;
    if ((uint64_t)args.r[1] + 4 <= 256u) *(mem_u32 *)(local + args.r[1]) = u0;
    uint32_t u1 = (uint64_t)args.r[0] + 4 <= mem_size ?
        __hip_atomic_fetch_add((mem_u32 *)(mem + args.r[0]), u0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) : 0u;
    mem_u32x2 x0 = (uint64_t)args.r[1] + 8 <= 256u ? *(mem_u32x2 *)(local + args.r[1]) : mem_u32x2{0u, 0u};
    if ((uint64_t)args.r[0] + 8 <= mem_size) *(mem_u32x2 *)(mem + args.r[0]) = mem_u32x2{x0.x, x0.y};
    uint32_t u2 = (uint64_t)u1 + 1 <= mem_size ? *(mem + u1) : 0u;
    if ((uint64_t)u1 + 2 <= mem_size) *(mem_u16 *)(mem + u1) = (uint16_t)u2;
}
