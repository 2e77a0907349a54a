/* Functions that are exact or a few rounded steps, for f32 and f64 from one text: parts.inc,
 * remainder.inc, simple.inc, geometric.inc. PUBLIC names are the exported ones, LOCAL ones those of
 * helpers. */
#include "common.h"

/* The same for both types */
#define INF_REAL     AS_REAL(EXPONENT_FIELD)
#define NAN_REAL     AS_REAL(CANONICAL_NAN)
#define EXPONENT_MAX (2 * BIAS + 1)
#define LEAST_NORMAL AS_REAL((BITS)1 << FRACTION_BITS)
#define POWER(n)     AS_REAL((BITS)((n) + BIAS) << FRACTION_BITS) /* 2^n, of a normal number */

#define REAL           float
#define VEC(n)         float##n
#define BITS           uint
#define AS_BITS(x)     as_uint(x)
#define AS_REAL(x)     as_float(x)
#define R(x)           x##f
#define PUBLIC(name)   __wave_##name
#define LOCAL(name)    name##_f32
#define FRACTION_BITS  23
#define BIAS           127
#define EXPONENT_FIELD 0x7F800000u
#define CANONICAL_NAN  0x7FC00000u
#define BELOW_ONE      0x1.fffffep-1f
#define QUOTIENT_STEP  22
#define TO_UINT(q)     (uint)(q)
/* Squares of numbers below SMALL lose bits, those above LARGE overflow; ENLARGE and REDUCE bring
 * them into range. */
#define SMALL   0x1p-50f
#define ENLARGE 0x1p90f
#define LARGE   0x1p60f
#define REDUCE  0x1p-70f
#include "geometric.inc"
#include "parts.inc"
#include "remainder.inc"
#include "simple.inc"

#undef REAL
#undef VEC
#undef BITS
#undef AS_BITS
#undef AS_REAL
#undef R
#undef PUBLIC
#undef LOCAL
#undef FRACTION_BITS
#undef BIAS
#undef EXPONENT_FIELD
#undef CANONICAL_NAN
#undef BELOW_ONE
#undef QUOTIENT_STEP
#undef TO_UINT
#undef SMALL
#undef ENLARGE
#undef LARGE
#undef REDUCE

#define REAL           double
#define VEC(n)         double##n
#define BITS           ulong
#define AS_BITS(x)     as_ulong(x)
#define AS_REAL(x)     as_double(x)
#define R(x)           x
#define PUBLIC(name)   __wave_##name##_f64
#define LOCAL(name)    name##_f64
#define FRACTION_BITS  52
#define BIAS           1023
#define EXPONENT_FIELD 0x7FF0000000000000ul
#define CANONICAL_NAN  0x7FF8000000000000ul
#define BELOW_ONE      0x1.fffffffffffffp-1
#define QUOTIENT_STEP  50
#define TO_UINT(q)     (uint)(ulong)(q)
#define SMALL          0x1p-400
#define ENLARGE        0x1p700
#define LARGE          0x1p500
#define REDUCE         0x1p-600
#include "geometric.inc"
#include "parts.inc"
#include "remainder.inc"
#include "simple.inc"

/* Halves come as their bits: this function must not go through f32. */
ushort __wave_nextafter_f16(ushort x, ushort y) {
    int ax = x & 0x7FFF, ay = y & 0x7FFF;
    int from = (x & 0x8000) != 0 ? -ax : ax;
    int to = (y & 0x8000) != 0 ? -ay : ay;
    int next = (from < to) == (from > 0) ? x + 1 : x - 1;
    next = from == 0 ? (y & 0x8000) | 1 : next;
    next = from == to ? y : next;
    return (ushort)(ax > 0x7C00 || ay > 0x7C00 ? 0x7E00 : next);
}
