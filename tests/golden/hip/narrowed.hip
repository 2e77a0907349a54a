// WAVE kernels for gfx942, 64 lanes to a wave, compiled from narrowed.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint16_t mem_u16 __attribute__((may_alias));
typedef float mem_f32 __attribute__((may_alias));

// To f16, rounded once more. clang would join the operation that made x with the conversion
// (v_fma_mixlo_f16, v_rcp_f16) and round once; it knows nothing about an asm's result.
static __device__ inline _Float16 wave_narrow(float x) {
    asm("" : "+v"(x));
    return (_Float16)x;
}

// narrowed
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: any size up to 1024 threads
struct narrowed_args {
    uint32_t r[3];
};

extern "C" __global__ void __launch_bounds__(1024) narrowed(uint8_t *mem, narrowed_args args) {
    float f0 = *(mem_f32 *)(mem + args.r[0]);
    float f1 = *(mem_f32 *)(mem + args.r[1]);
    *(mem_u16 *)(mem + args.r[2]) = (uint16_t)(uint32_t)__builtin_bit_cast(uint16_t, wave_narrow(f0 * f1));
}
