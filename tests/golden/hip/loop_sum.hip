// WAVE kernels for gfx942, 64 lanes to a wave, compiled from loop_sum.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef float mem_f32 __attribute__((may_alias));

// loop_sum
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: 32 x 1 x 1 threads
struct loop_sum_args {
    uint32_t r[3];
};

extern "C" __global__ void __launch_bounds__(32) loop_sum(uint8_t *mem, loop_sum_args args) {
    uint32_t u0 = max(uint32_t(args.r[2]), uint32_t(7u)) - 7u;
    uint32_t u1 = args.r[0];
    uint32_t u2 = 0u;
    float f0 = 0.0f;
    while (u2 < u0) {
        float f1 = *(mem_f32 *)(mem + u1);
        float f2 = *(mem_f32 *)(mem + (u1 + 4u));
        float f3 = *(mem_f32 *)(mem + (u1 + 8u));
        float f4 = *(mem_f32 *)(mem + (u1 + 12u));
        float f5 = *(mem_f32 *)(mem + (u1 + 16u));
        float f6 = *(mem_f32 *)(mem + (u1 + 20u));
        float f7 = f0 + f1 + f2 + f3 + f4 + f5 + f6;
        float f8 = *(mem_f32 *)(mem + (u1 + 24u));
        float f9 = *(mem_f32 *)(mem + (u1 + 28u));
        f0 = f7 + f8 + f9;
        u1 += 32u;
        u2 += 8u;
    }
    while (u2 < args.r[2]) {
        float f10 = *(mem_f32 *)(mem + u1);
        f0 += f10;
        u1 += 4u;
        u2 += 1u;
    }
    *(mem_f32 *)(mem + args.r[1]) = f0;
}
