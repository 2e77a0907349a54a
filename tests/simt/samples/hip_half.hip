//@ sample half precision: every operation rounds once, to half
//@ checks 13
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <stdint.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void half(uint8_t *mem) {
    uint32_t done = 0, first = 0;
    const uint32_t t = threadIdx.x;
#define HALF(bits) __builtin_bit_cast(_Float16, uint16_t(bits))
#define BITS(x)    __builtin_bit_cast(uint16_t, _Float16(x))
    const _Float16 big = HALF(0x6800); // 2048: one more is not representable
    _Float16 one = HALF(0x3C00);
    CHECK(BITS(big + one + one) == 0x6800); // rounded after each addition
    CHECK(BITS(HALF(0x7BFF) + HALF(0x7BFF) - HALF(0x7BFF)) == 0x7C00); // infinity stays
    CHECK(BITS(HALF(0x0001) * HALF(0x3800)) == 0x0000); // half of the smallest, to even
    CHECK(BITS(HALF(0x0003) * HALF(0x3800)) == 0x0002);
    // 1 * 1 + 2048 = 2049 lies between 2048 and 2050: a tie, to even
    CHECK(BITS(__builtin_fmaf16(one, one, big)) == 0x6800);
    // (1 + 2^-10) * 1 + 2048 = 2049 + 2^-10: just above the tie, 2050
    CHECK(BITS(__builtin_fmaf16(HALF(0x3C01), one, big)) == 0x6801);
    // half of 2^-10, added to 1
    CHECK(BITS(__builtin_fmaf16(HALF(0x1400), HALF(0x3800), one)) == 0x3C00); // 2^-10 / 2: tie
    CHECK(BITS(__builtin_fmaf16(HALF(0x1401), HALF(0x3800), one)) == 0x3C01); // above it
    // 65504 * 65504 - 1 * smallest: far more bits than a double has; overflows
    CHECK(BITS(__builtin_fmaf16(HALF(0x7BFF), HALF(0x7BFF), HALF(0x8001))) == 0x7C00);
    // 2^15 * 2^-15 (1) - 2^-24: nearest half to 1 - 2^-24 is 1
    CHECK(BITS(__builtin_fmaf16(HALF(0x7800), HALF(0x0200), HALF(0x8001))) == 0x3C00);
    typedef _Float16 half2 __attribute__((ext_vector_type(2)));
    const half2 pair = half2{one, big} + half2{one, one};
    CHECK(BITS(pair.x) == 0x4000 && BITS(pair.y) == 0x6800);
    CHECK(BITS(_Float16(1.00048828125f)) == 0x3C00); // tie to even
    CHECK(BITS(_Float16(1.0004884f)) == 0x3C01);
    REPORT(t);
}
