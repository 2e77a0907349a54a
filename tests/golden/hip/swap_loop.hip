// WAVE kernels for gfx942, 64 lanes to a wave, compiled from swap_loop.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t __attribute__((ext_vector_type(2))) mem_u32x2 __attribute__((may_alias));

// swap_loop
//   mem: the arena, which device addresses are offsets into
//   args: the first 4 registers
//   workgroup: any size up to 1024 threads
struct swap_loop_args {
    uint32_t r[4];
};

extern "C" __global__ void __launch_bounds__(1024) swap_loop(uint8_t *mem, swap_loop_args args) {
    uint32_t u0 = args.r[1];
    uint32_t u1 = args.r[2];
    uint32_t u2 = 0u;
    while ((int32_t)u2 < (int32_t)args.r[3]) {
        u2 += 1u;
        uint32_t u3 = u0;
        u0 = u1;
        u1 = u3;
    }
    *(mem_u32x2 *)(mem + args.r[0]) = mem_u32x2{u0, u1};
}
