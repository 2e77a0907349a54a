//@ sample a function that recurses endlessly
//@ error stack
//@ args 3
#include <hip/hip_runtime.h>
struct deep_args {
    uint32_t r[1];
};
static __device__ __attribute__((noinline)) uint32_t deep(volatile uint8_t *mem, uint32_t n) {
    volatile uint32_t room[64];
    room[n & 63] = n;
    return deep(mem, n + 1) + room[mem[0] & 63];
}
extern "C" __global__ void deepest(uint8_t *mem, deep_args args) {
    mem[0] = uint8_t(deep(mem, args.r[0]));
}
