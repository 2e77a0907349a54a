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
    uint32_t u0 = args.r[0];
    uint32_t u1 = 0u;
    float f0 = 0.0f;
    while (u1 < args.r[2]) {
        float f1 = *(mem_f32 *)(mem + u0);
        f0 += f1;
        u0 += 4u;
        u1 += 1u;
    }
    *(mem_f32 *)(mem + args.r[1]) = f0;
}
