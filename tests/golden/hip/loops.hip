// WAVE kernels for gfx942, 64 lanes to a wave, compiled from loops.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t mem_u32 __attribute__((may_alias));

// loops
//   mem: the arena, which device addresses are offsets into
//   args: the first 9 registers
//   workgroup: any size up to 1024 threads
struct loops_args {
    uint32_t r[9];
};

extern "C" __global__ void __launch_bounds__(1024) loops(uint8_t *mem, loops_args args) {
    uint32_t u0 = args.r[0] + (threadIdx.x << 2);
    uint32_t u1 = args.r[8];
    while (true) {
        uint32_t u2 = *(mem_u32 *)(mem + u0);
        if (u2 == 0u) return;
        u0 += args.r[1];
        if ((u2 & 1u) == 0u) continue;
        while (true) {
            u2 >>= 1;
            u1 += u2;
            if (u2 <= args.r[2]) break;
        }
        if (u1 > args.r[1]) break;
    }
    *(mem_u32 *)(mem + args.r[0]) = u1;
}
