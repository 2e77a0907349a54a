//@ sample float functions, zeros of both signs, one rounding
//@ checks 15
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <stdint.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void floats(uint8_t *mem) {
    uint32_t done = 0, first = 0;
    const uint32_t t = threadIdx.x;
    const float nan = __uint_as_float(0x7FC00000u), minus_zero = __uint_as_float(0x80000000u);
    CHECK(__float_as_uint(1.0f) == 0x3F800000u && __uint_as_float(0x40490FDBu) > 3.14f);
    CHECK(__float_as_int(-2.0f) == int(0xC0000000u) && __int_as_float(0x3F000000) == 0.5f);
    CHECK(__double_as_longlong(1.0) == 0x3FF0000000000000ll &&
          __longlong_as_double(0x4000000000000000ll) == 2.0);
    CHECK(__float_as_uint(fminf(0.0f, minus_zero)) == 0x80000000u);
    CHECK(__float_as_uint(fminf(minus_zero, 0.0f)) == 0x80000000u);
    CHECK(__float_as_uint(fmaxf(0.0f, minus_zero)) == 0 && __float_as_uint(fmaxf(minus_zero, 0.0f)) == 0);
    CHECK(fminf(-1.0f, minus_zero) == -1.0f && fminf(minus_zero, -1.0f) == -1.0f);
    CHECK(fmaxf(1.0f, minus_zero) == 1.0f && fmaxf(-1.0f, minus_zero) == 0.0f);
    CHECK(fminf(nan, 3.0f) == 3.0f && fminf(3.0f, nan) == 3.0f && fmaxf(nan, 3.0f) == 3.0f);
    // (1 + 2^-12)^2 - 1 is 2^-11 + 2^-24; rounded in between it would be 2^-11
    const float a = __uint_as_float(0x3F800800u);
    CHECK(__float_as_uint(fmaf(a, a, -1.0f)) == 0x3A000400u);
    CHECK(fma(1.0, 2.0, 3.0) == 5.0 && sqrt(2.25) == 1.5 && sqrtf(6.25f) == 2.5f);
    CHECK(floorf(-1.5f) == -2.0f && ceilf(-1.5f) == -1.0f && truncf(-1.5f) == -1.0f);
    CHECK(rintf(2.5f) == 2.0f && rintf(3.5f) == 4.0f && fabsf(-7.0f) == 7.0f);
    CHECK(fabsf(exp2f(3.0f) - 8.0f) <= 0x1p-20f && fabsf(__log2f(8.0f) - 3.0f) <= 0x1p-22f);
    CHECK(__sinf(0.0f) == 0.0f && __cosf(0.0f) == 1.0f);
    REPORT(t);
}
