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
    uint32_t u0 = 0u;
    while (u0 < args.r[1]) {
        uint32_t u1 = (uint64_t)args.r[2] + 4 <= mem_size ? *(mem_u32 *)(mem + args.r[2]) : 0u;
        if ((uint64_t)args.r[0] + 4 <= mem_size) *(mem_u32 *)(mem + args.r[0]) = u1 + u0;
        u0 += 1u;
    }
}
