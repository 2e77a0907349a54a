// WAVE kernels for gfx942, 64 lanes to a wave, compiled from if_else.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t mem_u32 __attribute__((may_alias));

// if_else
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: any size up to 1024 threads
struct if_else_args {
    uint32_t r[3];
};

extern "C" __global__ void __launch_bounds__(1024) if_else(uint8_t *mem, if_else_args args) {
    uint32_t u0 = (int32_t)args.r[1] < (int32_t)args.r[2] ? args.r[2] - args.r[1] : 0u - args.r[1] * args.r[2];
    *(mem_u32 *)(mem + args.r[0]) = __uint_as_float(args.r[1]) >= __uint_as_float(args.r[2]) ? u0 : u0 + args.r[1];
}
