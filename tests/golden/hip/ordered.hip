// WAVE kernels for gfx942, 64 lanes to a wave, compiled from ordered.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t mem_u32 __attribute__((may_alias));

// Neither is NaN.
static __device__ inline bool wave_ordered(float a, float b) {
    return a == a && b == b;
}

// ordered
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: any size up to 1024 threads
struct ordered_args {
    uint32_t r[3];
};

extern "C" __global__ void __launch_bounds__(1024) ordered(uint8_t *mem, ordered_args args) {
    uint32_t u0 = *(mem_u32 *)(mem + args.r[0]);
    uint32_t u1 = *(mem_u32 *)(mem + args.r[1]);
    float f0 = __uint_as_float(u0);
    float f1 = __uint_as_float(u1);
    uint32_t u2 = wave_ordered(f0, f1) ? 0u + 1u : 0u;
    uint32_t u3 = f0 == f0 ? u2 + 1u : u2;
    *(mem_u32 *)(mem + args.r[2]) = !wave_ordered(f1, f0) ? u3 + 1u : u3;
}
