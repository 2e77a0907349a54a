//@ sample float and half functions
//@ checks 17
#include <metal_stdlib>
using namespace metal;
typedef uint32_t mem_u32 __attribute__((may_alias));
kernel void floats(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]]) {
    uint32_t done = 0, first = 0;
    const float nan = as_type<float>(0x7FC00000u), a = as_type<float>(0x3F800800u);
    CHECK(as_type<uint>(1.0f) == 0x3F800000u && as_type<ushort>(half(1)) == 0x3C00);
    CHECK(as_type<half2>(0x40003C00u).x == half(1) && as_type<half2>(0x40003C00u).y == half(2));
    // (1 + 2^-12)^2 - 1 is 2^-11 + 2^-24; rounded in between it would be 2^-11
    CHECK(as_type<uint>(fma(a, a, -1.0f)) == 0x3A000400u);
    CHECK(as_type<uint>(a * a + -1.0f) == 0x3A000000u);
    // 1 + 2048 is a tie, to even; a little more is not
    CHECK(as_type<ushort>(fma(as_type<half>((ushort)0x3C00), half(1), half(2048))) == 0x6800);
    CHECK(as_type<ushort>(fma(as_type<half>((ushort)0x3C01), half(1), half(2048))) == 0x6801);
    CHECK(as_type<uint>(fma(half2(1, 2), half2(3, 4), half2(5, 6))) == 0x4B004800u); // 8, 14
    CHECK(as_type<uint>(half2(1, 2) + half2(1, 1)) == 0x42004000u);                  // 2, 3
    CHECK(as_type<ushort>(half(half(2048) + half(1)) + half(1)) == 0x6800);
    CHECK(fmin(nan, 3.0f) == 3.0f && fmin(3.0f, nan) == 3.0f && fmax(nan, 3.0f) == 3.0f);
    CHECK(fmin(-1.0f, -0.0f) == -1.0f && fmax(1.0f, -0.0f) == 1.0f && fmin(half(2), half(1)) == half(1));
    CHECK(floor(-1.5f) == -2.0f && ceil(-1.5f) == -1.0f && trunc(-1.5f) == -1.0f);
    CHECK(rint(2.5f) == 2.0f && rint(3.5f) == 4.0f && fabs(-7.0f) == 7.0f);
    CHECK(precise::sqrt(6.25f) == 2.5f && sqrt(half(4)) == half(2));
    CHECK(fabs(fast::exp2(3.0f) - 8.0f) <= 0x1p-17f && fabs(fast::log2(8.0f) - 3.0f) <= 0x1p-21f);
    CHECK(fast::sin(0.0f) == 0.0f && fast::cos(0.0f) == 1.0f);
    CHECK(isnan(nan) && !isnan(a));
    REPORT(t);
}
