/* What the files of the library share. The library is OpenCL C of a narrow kind: operations that
 * have one result on every target (f32 add, subtract, multiply, divide, fma, sqrt, rounding,
 * compare, select; integers), no tables, no library calls beyond sin, cos, exp2 and log2, which are
 * operations of the IR. The tests compile the same text as C.
 *
 * Conventions: exported names start with __wave_; everything else is static. The last polynomial
 * argument is the constant term; tests/tools/fit_opencl.py prints the coefficients under the name
 * given in the comment. */
#ifndef WAVE_OPENCL_COMMON_H
#define WAVE_OPENCL_COMMON_H

#define INLINE static inline __attribute__((always_inline))

#define INF_F32    as_float(0x7F800000u)
#define NAN_F32    as_float(0x7FC00000u)
#define LEAST      0x1p-126f /* the least normal f32 */
#define ROUND      0x1.8p23f /* adding it leaves a number's nearest integer in the low bits */
#define LN2        0x1.62e43p-1f
#define LN2_LO     -0x1.05c61p-29f
#define LOG2E      0x1.715476p+0f
#define LOG2_10    0x1.a934fp+1f
#define LOG10_2    0x1.344136p-2f
#define LOG10_2_LO -0x1.ec10cp-27f
#define PI_F32     0x1.921fb6p+1f
#define PI_LO      -0x1.777a5cp-24f
#define HALF_PI    0x1.921fb6p+0f
#define HALF_PI_LO -0x1.777a5cp-25f
#define INV_PI     0x1.45f306p-2f
#define INV_PI_LO  0x1.b9391p-27f
#define SIGN_BIT   0x80000000u
#define MANTISSA   0x007FFFFFu

/* Horner's rule; the number is that of the coefficients. */
#define POLY2(x, a, b)                          fma(a, x, b)
#define POLY3(x, a, b, c)                       fma(POLY2(x, a, b), x, c)
#define POLY4(x, a, b, c, d)                    fma(POLY3(x, a, b, c), x, d)
#define POLY5(x, a, b, c, d, e)                 fma(POLY4(x, a, b, c, d), x, e)
#define POLY6(x, a, b, c, d, e, f)              fma(POLY5(x, a, b, c, d, e), x, f)
#define POLY7(x, a, b, c, d, e, f, g)           fma(POLY6(x, a, b, c, d, e, f), x, g)
#define POLY9(x, a, b, c, d, e, f, g, h, i)     fma(fma(POLY7(x, a, b, c, d, e, f, g), x, h), x, i)
#define POLY10(x, a, b, c, d, e, f, g, h, i, j) fma(POLY9(x, a, b, c, d, e, f, g, h, i), x, j)
#define POLY11(x, a, b, c, d, e, f, g, h, i, j, k)                                                 \
    fma(POLY10(x, a, b, c, d, e, f, g, h, i, j), x, k)

/* Dekker's Fast2Sum: a + b for |a| >= |b| or a = 0, the rounded sum and its error */
INLINE float2 fast_two_sum(float a, float b) {
    float sum = a + b;
    return (float2){sum, b - (sum - a)};
}

/* Knuth's TwoSum: the same for any order of magnitudes */
INLINE float2 two_sum(float a, float b) {
    float sum = a + b;
    float b_part = sum - a;
    return (float2){sum, (a - (sum - b_part)) + (b - b_part)};
}

/* The bits of |x|, the sign of y. */
INLINE float with_sign(float x, float y) {
    return as_float((as_uint(x) & ~SIGN_BIT) | (as_uint(y) & SIGN_BIT));
}

/* x, negated where flip has the sign bit set */
INLINE float flip_sign(float x, uint flip) {
    return as_float(as_uint(x) ^ (flip & SIGN_BIT));
}

/* The integer in the low bits of x + ROUND. A NaN gives some integer. */
INLINE int rounded_int(float shifted) {
    return (int)(as_uint(shifted) - as_uint(ROUND));
}

/* 2^n for n in [-126, 127] */
INLINE float power_of_two(int n) {
    return as_float((uint)(n + 127) << 23);
}

/* p 2^n for |n| <= 252 and p near 1: two steps, of which only the second can round. */
INLINE float scale(float p, int n) {
    int half_n = n >> 1;
    return p * power_of_two(half_n) * power_of_two(n - half_n);
}

#endif
