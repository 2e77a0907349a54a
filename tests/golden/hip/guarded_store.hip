// WAVE kernels for gfx942, 64 lanes to a wave, compiled from guarded_store.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t mem_u32 __attribute__((may_alias));

// guarded_store
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   workgroup: 128 x 1 x 1 threads
struct guarded_store_args {
    uint32_t r[2];
};

extern "C" __global__ void __launch_bounds__(128) guarded_store(uint8_t *mem, guarded_store_args args) {
    uint32_t u0 = (blockIdx.x << 7) + threadIdx.x;
    uint32_t u1 = args.r[0] + (u0 << 2);
    if (u0 < args.r[1]) {
        *(mem_u32 *)(mem + u1) = u0;
    }
}
