// WAVE kernels for gfx942, 64 lanes to a wave, compiled from debug.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t mem_u32 __attribute__((may_alias));

// Notes the number of an assert that failed, unless another was first.
static __device__ inline void wave_fail(uint32_t *status, uint32_t number) {
    uint32_t none = 0;
    if (__hip_atomic_compare_exchange_strong(status, &none, 1u, __ATOMIC_RELAXED,
                                             __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT))
        status[1] = number;
}
#line 5 "debug.wave"

// debug
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: any size up to 1024 threads
//   status: two words, 0; after the first assert that fails 1 and its number
#line 5 "debug.wave"
struct debug_args {
#line 5 "debug.wave"
    uint32_t r[3];
#line 5 "debug.wave"
};

#line 5 "debug.wave"
extern "C" __global__ void __launch_bounds__(1024) debug(uint8_t *mem, debug_args args, uint32_t *status) {

    // assert p1, 7
#line 6 "debug.wave"
    if ((int32_t)args.r[1] <= (int32_t)args.r[2]) {
#line 6 "debug.wave"
        wave_fail(status, 7u);
#line 6 "debug.wave"
        return;
#line 6 "debug.wave"
    }

    // device_store_u32 r0, r3
#line 8 "debug.wave"
    *(mem_u32 *)(mem + args.r[0]) = args.r[1] + args.r[2];
#line 8 "debug.wave"
}
