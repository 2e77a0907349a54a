// fsin, fcos, fexp2, flog2 on f32 bits, reproducible on any target. The steps use exact-semantics
// f32 and u32 operations only and there is no loop: apart from one branch for large arguments of
// sin and cos, everything is straight-line code with selects, ready to be emitted as IR. The
// constants come from tests/tools/fit_math.py.
#include "base/exact_math.h"

#include "base/scalar_bits.h"

// An instruction where every processor has it; elsewhere the caller's function.
#if defined(__aarch64__) || defined(__FMA__) || defined(__FP_FAST_FMAF)
#define FUSED(a, b, c) ((void)fused, fmaf(a, b, c))
#else
#define FUSED(a, b, c) fused(a, b, c)
#endif

// An unevaluated sum hi + lo with |lo| at most about half an ulp of hi.
typedef struct {
    float hi, lo;
} pair;

// |x| = quadrant * pi/2 + rest, |rest| slightly above pi/4 at most; only the quadrant modulo 4
// matters.
typedef struct {
    uint32_t quadrant;
    pair rest;
} reduced;

#define PIO2_HI      0x1.921fb6p+0f
#define PIO2_MID     -0x1.777a5cp-25f
#define PIO2_LO      -0x1.ee59dap-50f
#define TWO_OVER_PI  0x1.45f306p-1f
#define LARGE_ARG    0x47000000u /* 2^15: from here on the product with 2/pi is done in integers */
#define LOG2E_HI     0x1.715476p+0f
#define LOG2E_LO     0x1.4ae0c0p-26f
#define LN2_HI       0x1.62e430p-1f
#define LN2_LO       -0x1.05c610p-29f
#define SQRT_HALF    0x3F3504F3u /* bits of sqrt(1/2) rounded down */
#define MANTISSA     0x007FFFFFu
#define IMPLICIT_BIT 0x00800000u

static uint32_t mul_hi(uint32_t a, uint32_t b) {
    return (uint32_t)(((uint64_t)a * b) >> 32);
}

// Dekker's Fast2Sum: a + b for |a| >= |b| or a = 0, with the rounding error kept.
static pair fast_two_sum(float a, float b) {
    float sum = a + b;
    pair r = {sum, b - (sum - a)};
    return r;
}

// Knuth's TwoSum: a + b for any order of magnitudes, with the rounding error kept.
static pair two_sum(float a, float b) {
    float sum = a + b;
    float b_part = sum - a;
    float a_part = sum - b_part;
    pair r = {sum, (a - a_part) + (b - b_part)};
    return r;
}

// Cody-Waite reduction for ax < 2^15: subtract quadrant * pi/2 with pi/2 in three parts. The first
// subtraction is exact: both terms are multiples of 2^-24 and the result is below 1. The second
// part is multiplied and subtracted with its rounding errors kept, so nothing is lost next to a
// multiple of pi/2.
static reduced reduce_small(sc_fused *fused, float ax) {
    reduced r;
    r.quadrant = (uint32_t)FUSED(ax, TWO_OVER_PI, 0.5f);
    float n = (float)r.quadrant;
    float first = FUSED(-n, PIO2_HI, ax);
    float product = -n * PIO2_MID;
    float product_error = FUSED(-n, PIO2_MID, -product);
    pair sum = two_sum(first, product);
    float low = sum.lo + FUSED(-n, PIO2_LO, product_error);
    r.rest = fast_two_sum(sum.hi, low);
    return r;
}

// Word i of w0 .. w4, as a select chain: a back end has no table to index.
static uint32_t pick(uint32_t i, uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3, uint32_t w4) {
    uint32_t w = i == 0 ? w0 : w1;
    w = i == 2 ? w2 : w;
    w = i == 3 ? w3 : w;
    w = i == 4 ? w4 : w;
    return w;
}

// (hi:lo) << shift, upper word; shift 0..31. The extra >> 1 keeps shift 0 in range.
static uint32_t funnel(uint32_t hi, uint32_t lo, uint32_t shift) {
    return (hi << shift) | ((lo >> 1) >> (31u - shift));
}

// Payne-Hanek reduction for ax >= 2^15: ax = m * 2^e with a 24-bit m. Bits of 2/pi that only add
// multiples of 4 quadrants are skipped; the next 96 are multiplied by m modulo 2^96. The top two
// bits of the product are the quadrant, the rest is the fraction of a quadrant; 64 bits of it are
// kept. No f32 comes closer than 2^-30 to a multiple of pi/2.
static reduced reduce_large(sc_fused *fused, uint32_t ax_bits) {
    uint32_t m = (ax_bits & MANTISSA) | IMPLICIT_BIT;
    uint32_t skip = (ax_bits >> 23) - 120u; // 22..134 of the bits {32 zeros, 2/pi}
    uint32_t i = skip >> 5, shift = skip & 31u;

    uint32_t t0 = pick(i, 0, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u);
    uint32_t t1 = pick(i, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u, 0xDB629599u);
    uint32_t t2 = pick(i, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u, 0xDB629599u, 0x3C439041u);
    uint32_t t3 = pick(i, 0xFC2757D1u, 0xF534DDC0u, 0xDB629599u, 0x3C439041u, 0xFE5163ABu);
    uint32_t w0 = funnel(t0, t1, shift);
    uint32_t w1 = funnel(t1, t2, shift);
    uint32_t w2 = funnel(t2, t3, shift);

    uint32_t low = m * w1 + mul_hi(m, w2);
    uint32_t carry = low < mul_hi(m, w2) ? 1u : 0u;
    uint32_t high = m * w0 + mul_hi(m, w1) + carry;

    // Round to the nearest quadrant; the remainder is a signed fraction in units of 2^-62.
    reduced r;
    r.quadrant = (high + 0x20000000u) >> 30;
    high -= r.quadrant << 30;
    uint32_t sign = high & SC_F32_SIGN;
    uint32_t flip = sign != 0 ? 0xFFFFFFFFu : 0u;
    uint32_t borrow = sign != 0 && low == 0 ? 1u : 0u;
    high = (high ^ flip) + borrow;
    low = (low ^ flip) + (flip & 1u);

    // 62 bits as three exact floats of 24, 24 and 14 bits, summed from the top.
    float a = (float)(high >> 6) * 0x1p-24f;
    float b = (float)(((high & 63u) << 18) | (low >> 14)) * 0x1p-48f;
    float c = (float)(low & 0x3FFFu) * 0x1p-62f;
    pair f = fast_two_sum(a, b);
    f.lo = f.lo + c;

    // times pi/2
    float product = f.hi * PIO2_HI;
    float error = FUSED(f.hi, PIO2_HI, -product);
    float tail = FUSED(f.lo, PIO2_HI, FUSED(f.hi, PIO2_MID, error));
    pair rest = fast_two_sum(product, tail);
    r.rest.hi = sc_f32_of(sc_bits_of_f32(rest.hi) ^ sign);
    r.rest.lo = sc_f32_of(sc_bits_of_f32(rest.lo) ^ sign);
    return r;
}

// sin(hi + lo) = hi + hi z S(z) + lo (1 - z/2), z = hi^2
static float sin_poly(sc_fused *fused, pair r) {
    float z = r.hi * r.hi;
    float s = 0x1.7c151ap-19f;
    s = FUSED(s, z, -0x1.a05926p-13f);
    s = FUSED(s, z, 0x1.111174p-7f);
    s = FUSED(s, z, -0x1.555556p-3f);
    float tail = FUSED(-0.5f * z, r.lo, r.lo);
    return r.hi + FUSED(r.hi * z, s, tail);
}

// cos(hi + lo) = 1 - z/2 + z^2 C(z) - hi lo; 1 - z/2 is rounded once and its error added back.
static float cos_poly(sc_fused *fused, pair r) {
    float z = r.hi * r.hi;
    float c = 0x1.99e42ep-16f;
    c = FUSED(c, z, -0x1.6c0c20p-10f);
    c = FUSED(c, z, 0x1.55554ap-5f);
    float half = -0.5f * r.hi;
    float top = FUSED(half, r.hi, 1.0f);
    float error = FUSED(half, r.hi, 1.0f - top);
    float tail = FUSED(z * z, c, FUSED(-r.hi, r.lo, error));
    return top + tail;
}

// sin(|x| + turn * pi/2) with the sign bit `sign` applied at the end. Infinities and NaNs go
// through the large reduction like numbers (every step is defined for them); their result is
// replaced last.
static uint32_t sin_turned(sc_fused *fused, uint32_t x, uint32_t turn, uint32_t sign) {
    uint32_t ax = x & SC_F32_MAG;
    reduced r = ax < LARGE_ARG ? reduce_small(fused, sc_f32_of(ax)) : reduce_large(fused, ax);
    uint32_t quadrant = r.quadrant + turn;
    float s = sin_poly(fused, r.rest);
    float c = cos_poly(fused, r.rest);
    uint32_t bits = sc_bits_of_f32((quadrant & 1u) != 0 ? c : s);
    bits ^= ((quadrant & 2u) << 30) ^ sign;
    return ax >= SC_F32_INF ? SC_F32_NAN : bits;
}

uint32_t sc_fsin_by(sc_fused *fused, uint32_t x) {
    return sin_turned(fused, x, 0, x & SC_F32_SIGN);
}

uint32_t sc_fcos_by(sc_fused *fused, uint32_t x) {
    return sin_turned(fused, x, 1, 0);
}

// 2^x = 2^n (1 + f (ln 2 + f E(f))), n the integer nearest x, f = x - n exactly.
uint32_t sc_fexp2_by(sc_fused *fused, uint32_t x) {
    float value = sc_f32_of(x);
    // Beyond these bounds the result is +inf or +0 for every x. A NaN becomes 160 here.
    float bounded = value < 160.0f ? value : 160.0f;
    bounded = bounded > -160.0f ? bounded : -160.0f;

    int32_t n = (int32_t)(bounded + (bounded < 0.0f ? -0.5f : 0.5f));
    float f = bounded - (float)n;
    float e = 0x1.fb3138p-17f;
    e = FUSED(e, f, 0x1.4392f8p-13f);
    e = FUSED(e, f, 0x1.5d8a18p-10f);
    e = FUSED(e, f, 0x1.3b2accp-7f);
    e = FUSED(e, f, 0x1.c6b08ep-5f);
    e = FUSED(e, f, 0x1.ebfbe0p-3f);
    float head = f * LN2_HI;
    float head_error = FUSED(f, LN2_HI, -head);
    float tail = FUSED(f * f, e, FUSED(f, LN2_LO, head_error));
    pair sum = fast_two_sum(1.0f, head);
    float p = sum.hi + (sum.lo + tail);

    // Scale by 2^n in the exponent field. Results below the normal range are first computed 2^64
    // too large; the multiplication by 2^-64 then rounds once into the subnormals.
    bool small = n < -125;
    uint32_t bits = sc_bits_of_f32(p) + ((uint32_t)(small ? n + 64 : n) << 23);
    uint32_t result = sc_bits_of_f32(sc_f32_of(bits) * (small ? 0x1p-64f : 1.0f));
    result = value >= 128.0f ? SC_F32_INF : result;
    return value != value ? SC_F32_NAN : result;
}

// log2(x) = e + log2(1 + f), x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2));
// log2(1 + f) = f (log2(e) + f L(f)).
uint32_t sc_flog2_by(sc_fused *fused, uint32_t x) {
    // A subnormal is its own mantissa as an integer, times 2^-149.
    bool subnormal = x < IMPLICIT_BIT;
    uint32_t bits = subnormal ? sc_bits_of_f32((float)x) : x;
    uint32_t offset = bits - SQRT_HALF;
    int32_t exponent = (sc_signed(offset) >> 23) - (subnormal ? 149 : 0);
    float f = sc_f32_of((offset & MANTISSA) + SQRT_HALF) - 1.0f;
    float e = (float)exponent;

    float l = 0x1.6c7718p-4f;
    l = FUSED(l, f, -0x1.44a25ap-3f);
    l = FUSED(l, f, 0x1.5c144ap-3f);
    l = FUSED(l, f, -0x1.71b29ap-3f);
    l = FUSED(l, f, 0x1.a4f4eep-3f);
    l = FUSED(l, f, -0x1.ec564ep-3f);
    l = FUSED(l, f, 0x1.277954p-2f);
    l = FUSED(l, f, -0x1.7154b8p-2f);
    l = FUSED(l, f, 0x1.ec709cp-2f);
    l = FUSED(l, f, -0x1.715476p-1f);
    float head = f * LOG2E_HI;
    float head_error = FUSED(f, LOG2E_HI, -head);
    float square = f * f;
    float square_error = FUSED(f, f, -square);
    float tail = FUSED(square, l, FUSED(square_error, l, FUSED(f, LOG2E_LO, head_error)));
    pair sum = fast_two_sum(e, head);
    float value = sum.hi + (sum.lo + tail);

    uint32_t result = sc_bits_of_f32(value);
    result = x == SC_F32_INF ? SC_F32_INF : result;
    result = x > SC_F32_INF ? SC_F32_NAN : result;
    return (x & SC_F32_MAG) == 0 ? SC_F32_INF | SC_F32_SIGN : result;
}
