//@ sample a product and a sum stay two operations, each rounded: fused it would be 0x3A000400
//@ expect 0 0x3A000000
//@ args 0x3F800800 0xBF800000
#include <hip/hip_runtime.h>
#include <stdint.h>
#pragma clang fp contract(off)
typedef float mem_f32 __attribute__((may_alias));
struct product_args {
    uint32_t r[2];
};
extern "C" __global__ void product(uint8_t *mem, product_args args) {
    const float a = __uint_as_float(args.r[0]), c = __uint_as_float(args.r[1]);
    *(mem_f32 *)mem = a * a + c;
}
