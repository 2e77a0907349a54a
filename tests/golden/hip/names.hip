// WAVE kernels for gfx942, 64 lanes to a wave, compiled from names.wave
//
// Compile with hipcc --offload-arch=gfx942 -O3 -ffp-contract=off -fno-finite-loops

#include <hip/hip_runtime.h>
#include <stdint.h>

// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t mem_u32 __attribute__((may_alias));

// threadIdx_, the kernel "threadIdx"
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   workgroup: any size up to 1024 threads
struct threadIdx__args {
    uint32_t r[2];
};

extern "C" __global__ void __launch_bounds__(1024) threadIdx_(uint8_t *mem, threadIdx__args args) {
    *(mem_u32 *)(mem + args.r[0]) = args.r[1];
}

// k_ax20b, the kernel "a b"
//   mem: the arena, which device addresses are offsets into
//   workgroup: any size up to 1024 threads
extern "C" __global__ void __launch_bounds__(1024) k_ax20b(uint8_t *) {
}
