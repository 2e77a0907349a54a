// WAVE kernels for gfx90a, 64 lanes to a wave, compiled from divergent_vote.wave
//
// Compile with hipcc --offload-arch=gfx90a -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t mem_u32 __attribute__((may_alias));

// divergent_vote
//   mem: the arena, which device addresses are offsets into
//   args: the first register
//   workgroup: 64 x 1 x 1 threads
struct divergent_vote_args {
    uint32_t r[1];
};

extern "C" __global__ void __launch_bounds__(64) divergent_vote(uint8_t *mem, divergent_vote_args args) {
    const uint32_t lane = threadIdx.x & 63u;
    bool b0 = lane < 8u;
    bool b1 = __ballot(b0) != 0;
    uint32_t u0;
    if (b1) {
        u0 = (uint32_t)__ballot(args.r[0] != lane && b0);
    } else {
        u0 = 0u;
    }
    *(mem_u32 *)(mem + (lane << 2)) = b0 ? u0 : 0u;
}
