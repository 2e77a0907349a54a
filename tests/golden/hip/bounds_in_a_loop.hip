// WAVE kernels for gfx942, 64 lanes to a wave, compiled from bounds_in_a_loop.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t mem_u32 __attribute__((may_alias));

// bounds_in_a_loop
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   mem_size: bytes in the arena; accesses past it do nothing
//   workgroup: any size up to 1024 threads
struct bounds_in_a_loop_args {
    uint32_t r[3];
};

extern "C" __global__ void __launch_bounds__(1024)
bounds_in_a_loop(uint8_t *mem, bounds_in_a_loop_args args, uint64_t mem_size) {
    uint32_t u0 = max(uint32_t(args.r[1]), uint32_t(7u)) - 7u;
    uint32_t u1 = 0u;
    while (u1 < u0) {
        uint32_t u2 = (uint64_t)args.r[2] + 4 <= mem_size ? *(mem_u32 *)(mem + args.r[2]) : 0u;
        if ((uint64_t)args.r[0] + 4 <= mem_size) *(mem_u32 *)(mem + args.r[0]) = u2 + u1;
        uint32_t u3 = (uint64_t)args.r[2] + 4 <= mem_size ? *(mem_u32 *)(mem + args.r[2]) : 0u;
        if ((uint64_t)args.r[0] + 4 <= mem_size) *(mem_u32 *)(mem + args.r[0]) = u3 + (u1 + 1u);
        uint32_t u4 = (uint64_t)args.r[2] + 4 <= mem_size ? *(mem_u32 *)(mem + args.r[2]) : 0u;
        if ((uint64_t)args.r[0] + 4 <= mem_size) *(mem_u32 *)(mem + args.r[0]) = u4 + (u1 + 2u);
        uint32_t u5 = (uint64_t)args.r[2] + 4 <= mem_size ? *(mem_u32 *)(mem + args.r[2]) : 0u;
        if ((uint64_t)args.r[0] + 4 <= mem_size) *(mem_u32 *)(mem + args.r[0]) = u5 + (u1 + 3u);
        uint32_t u6 = (uint64_t)args.r[2] + 4 <= mem_size ? *(mem_u32 *)(mem + args.r[2]) : 0u;
        if ((uint64_t)args.r[0] + 4 <= mem_size) *(mem_u32 *)(mem + args.r[0]) = u6 + (u1 + 4u);
        uint32_t u7 = (uint64_t)args.r[2] + 4 <= mem_size ? *(mem_u32 *)(mem + args.r[2]) : 0u;
        if ((uint64_t)args.r[0] + 4 <= mem_size) *(mem_u32 *)(mem + args.r[0]) = u7 + (u1 + 5u);
        uint32_t u8 = (uint64_t)args.r[2] + 4 <= mem_size ? *(mem_u32 *)(mem + args.r[2]) : 0u;
        if ((uint64_t)args.r[0] + 4 <= mem_size) *(mem_u32 *)(mem + args.r[0]) = u8 + (u1 + 6u);
        uint32_t u9 = (uint64_t)args.r[2] + 4 <= mem_size ? *(mem_u32 *)(mem + args.r[2]) : 0u;
        if ((uint64_t)args.r[0] + 4 <= mem_size) *(mem_u32 *)(mem + args.r[0]) = u9 + (u1 + 7u);
        u1 += 8u;
    }
    while (u1 < args.r[1]) {
        uint32_t u10 = (uint64_t)args.r[2] + 4 <= mem_size ? *(mem_u32 *)(mem + args.r[2]) : 0u;
        if ((uint64_t)args.r[0] + 4 <= mem_size) *(mem_u32 *)(mem + args.r[0]) = u10 + u1;
        u1 += 1u;
    }
}
