// WAVE kernels for gfx942, 64 lanes to a wave, compiled from local_tile.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t mem_u32 __attribute__((may_alias));

// local_tile
//   mem: the arena, which device addresses are offsets into
//   args: the first register
//   workgroup: 16 x 16 x 1 threads
//   local memory: 1024 bytes
struct local_tile_args {
    uint32_t r[1];
};

extern "C" __global__ void __launch_bounds__(256) local_tile(uint8_t *mem, local_tile_args args) {
    alignas(16) __shared__ uint8_t local[1024];
    uint32_t u0 = (threadIdx.x << 2) + (threadIdx.y << 6);
    uint32_t u1 = args.r[0] + u0;
    uint32_t u2 = *(mem_u32 *)(mem + u1);
    *(mem_u32 *)(local + u0) = u2;
    __syncthreads();
    uint32_t u3 = *(mem_u32 *)(local + ((threadIdx.y << 2) + (threadIdx.x << 6)));
    *(mem_u32 *)(mem + u1) = u3;
}
