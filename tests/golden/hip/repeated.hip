// WAVE kernels for gfx942, 64 lanes to a wave, compiled from repeated.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef float mem_f32 __attribute__((may_alias));

// What repeated computes in many places.
static __device__ __attribute__((noinline)) float repeated_part1(float f0, float f1, float f2) {
    float q = f0 / f2;
    return q / (q + f1 / q);
}

// repeated
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: 64 x 1 x 1 threads
struct repeated_args {
    uint32_t out;
    float x;
    float y;
};

extern "C" __global__ void __launch_bounds__(64) repeated(uint8_t *mem, repeated_args args) {
    float f0 = args.x;
    float f1 = args.y;
    float f2 = f0 + 1.0f;
    *(mem_f32 *)(mem + args.out) = repeated_part1(f0, f1, 3.0f);
    float f3 = f2 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 4u)) = repeated_part1(f2, f1, 5.0f);
    float f4 = f3 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 8u)) = repeated_part1(f3, f1, 3.0f);
    float f5 = f4 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 12u)) = repeated_part1(f4, f1, 5.0f);
    float f6 = f5 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 16u)) = repeated_part1(f5, f1, 3.0f);
    float f7 = f6 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 20u)) = repeated_part1(f6, f1, 5.0f);
    float f8 = f7 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 24u)) = repeated_part1(f7, f1, 3.0f);
    float f9 = f8 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 28u)) = repeated_part1(f8, f1, 5.0f);
    float f10 = f9 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 32u)) = repeated_part1(f9, f1, 3.0f);
    float f11 = f10 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 36u)) = repeated_part1(f10, f1, 5.0f);
    float f12 = f11 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 40u)) = repeated_part1(f11, f1, 3.0f);
    float f13 = f12 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 44u)) = repeated_part1(f12, f1, 5.0f);
    float f14 = f13 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 48u)) = repeated_part1(f13, f1, 3.0f);
    float f15 = f14 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 52u)) = repeated_part1(f14, f1, 5.0f);
    float f16 = f15 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 56u)) = repeated_part1(f15, f1, 3.0f);
    float f17 = f16 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 60u)) = repeated_part1(f16, f1, 5.0f);
    float f18 = f17 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 64u)) = repeated_part1(f17, f1, 3.0f);
    float f19 = f18 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 68u)) = repeated_part1(f18, f1, 5.0f);
    float f20 = f19 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 72u)) = repeated_part1(f19, f1, 3.0f);
    float f21 = f20 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 76u)) = repeated_part1(f20, f1, 5.0f);
    float f22 = f21 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 80u)) = repeated_part1(f21, f1, 3.0f);
    float f23 = f22 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 84u)) = repeated_part1(f22, f1, 5.0f);
    float f24 = f23 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 88u)) = repeated_part1(f23, f1, 3.0f);
    float f25 = f24 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 92u)) = repeated_part1(f24, f1, 5.0f);
    float f26 = f25 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 96u)) = repeated_part1(f25, f1, 3.0f);
    float f27 = f26 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 100u)) = repeated_part1(f26, f1, 5.0f);
    float f28 = f27 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 104u)) = repeated_part1(f27, f1, 3.0f);
    float f29 = f28 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 108u)) = repeated_part1(f28, f1, 5.0f);
    float f30 = f29 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 112u)) = repeated_part1(f29, f1, 3.0f);
    float f31 = f30 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 116u)) = repeated_part1(f30, f1, 5.0f);
    *(mem_f32 *)(mem + (args.out + 120u)) = repeated_part1(f31, f1, 3.0f);
    float q_2 = (f31 + 1.0f) / 5.0f;
    *(mem_f32 *)(mem + (args.out + 124u)) = q_2 / (q_2 + f1 / q_2);
}
