/* See plain_math.h. A unit test compares these with libm. */
#include "base/plain_math.h"

#include "base/scalar_bits.h"

enum { BIAS = 1023, MANTISSA_BITS = 52, SPECIAL = 0x7FF };

double plain_power(int exponent) {
    return sc_f64_of((uint64_t)(exponent + BIAS) << MANTISSA_BITS);
}

/* The product is exact in double. The sum is rounded to odd: its rounding error is known (TwoSum),
 * and if it is not zero, the last bit is forced to 1. Because double has at least two more bits
 * than float, the conversion then rounds as if the sum were exact (Boldo and Melquiond, "Emulation
 * of a FMA and Correctly Rounded Sums: Proved Algorithms Using Rounding to Odd", 2008). */
float plain_fmaf(float a, float b, float c) {
    double product = (double)a * b, sum = product + c;
    double of_c = sum - product, error = (product - (sum - of_c)) + (c - of_c);
    uint64_t bits = sc_bits_of_f64(sum);
    if (error != 0.0 && error == error && !(bits & 1) && isfinite(sum))
        bits += (error > 0.0) == (sum > 0.0) ? 1 : (uint64_t)0 - 1;
    return (float)sc_f64_of(bits);
}

/* mantissa * 2^exponent, the top bit of the mantissa at bit 52. */
typedef struct parts {
    uint64_t mantissa;
    int exponent;
    bool negative;
} parts;

/* Of a finite number that is not 0. */
static parts decompose(double value) {
    uint64_t bits = sc_bits_of_f64(value);
    parts p = {bits & (((uint64_t)1 << MANTISSA_BITS) - 1),
               (int)(bits >> MANTISSA_BITS & SPECIAL) - BIAS - MANTISSA_BITS, bits >> 63};
    if (p.exponent > -BIAS - MANTISSA_BITS)
        p.mantissa |= (uint64_t)1 << MANTISSA_BITS;
    else
        p.exponent++;
    for (; !(p.mantissa >> MANTISSA_BITS); p.exponent--)
        p.mantissa <<= 1;
    return p;
}

typedef struct wide {
    uint64_t high, low;
} wide;

static wide product_of(uint64_t a, uint64_t b) {
    uint64_t a1 = a >> 32, a0 = a & UINT32_MAX, b1 = b >> 32, b0 = b & UINT32_MAX;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & UINT32_MAX);
    return (wide){a1 * b1 + (middle >> 32) + (other >> 32), a * b};
}

static wide shifted_left(wide x, int by) {
    if (by >= 64)
        return (wide){x.low << (by - 64), 0};
    return by ? (wide){x.high << by | x.low >> (64 - by), x.low << by} : x;
}

/* The lowest bit is sticky: it represents all bits that are shifted out. */
static wide shifted_right(wide x, int by) {
    if (by == 0)
        return x;
    if (by >= 128)
        return (wide){0, (x.high | x.low) != 0};
    wide lost = shifted_left(x, 128 - by);
    wide y = by >= 64 ? (wide){0, x.high >> (by - 64)}
                      : (wide){x.high >> by, x.low >> by | x.high << (64 - by)};
    y.low |= (lost.high | lost.low) != 0;
    return y;
}

static wide sum_of(wide a, wide b) {
    uint64_t low = a.low + b.low;
    return (wide){a.high + b.high + (low < a.low), low};
}

static wide difference_of(wide a, wide b) {
    return (wide){a.high - b.high - (a.low < b.low), a.low - b.low};
}

static bool less(wide a, wide b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

/* The nearest double to x * 2^exponent; x is not 0. */
static double round_wide(wide x, int exponent, bool negative) {
    enum { DROPPED = 63 - MANTISSA_BITS, HALF = 1 << (DROPPED - 1), ALL = 2 * HALF - 1 };
    while (!(x.high >> 63)) {
        int by = x.high ? 1 : 63;
        x = shifted_left(x, by);
        exponent -= by;
    }
    int top = exponent + 127, least = 1 - BIAS;
    bool small = top < least;
    if (small)
        x = shifted_right(x, least - top);
    uint64_t kept = x.high | (x.low != 0), mantissa = kept >> DROPPED, rest = kept & ALL;
    mantissa += rest > HALF || (rest == HALF && (mantissa & 1));
    uint64_t bits = small         ? mantissa
                    : top <= BIAS ? ((uint64_t)(top + BIAS - 1) << MANTISSA_BITS) + mantissa
                                  : (uint64_t)SPECIAL << MANTISSA_BITS;
    return sc_f64_of(bits | (negative ? SC_F64_SIGN : 0));
}

double plain_fma(double a, double b, double c) {
    if (!isfinite(a) || !isfinite(b) || a == 0.0 || b == 0.0)
        return a * b + c;
    if (!isfinite(c))
        return c;
    if (c == 0.0)
        return a * b;
    parts x = decompose(a), y = decompose(b), z = decompose(c);
    bool negative = x.negative != y.negative;
    /* Both have their top bit at bit 124 or 125. That leaves room for a carry above it, and below
     * it for the low bits that a subtraction of almost equal numbers moves up. */
    wide product = shifted_left(product_of(x.mantissa, y.mantissa), 20);
    wide addend = shifted_left((wide){0, z.mantissa}, 72);
    int exponent = x.exponent + y.exponent - 20, other = z.exponent - 72;
    if (exponent >= other) {
        addend = shifted_right(addend, exponent - other);
    } else {
        product = shifted_right(product, other - exponent);
        exponent = other;
    }
    if (negative == z.negative)
        return round_wide(sum_of(product, addend), exponent, negative);
    if (less(product, addend))
        return round_wide(difference_of(addend, product), exponent, z.negative);
    wide rest = difference_of(product, addend);
    return rest.high | rest.low ? round_wide(rest, exponent, negative) : 0.0;
}

double plain_fmod(double a, double b) {
    if (!isfinite(a) || b != b || b == 0.0)
        return NAN;
    if (a == 0.0 || isinf(b))
        return a;
    parts x = decompose(a), y = decompose(b);
    if (x.exponent < y.exponent)
        return a;
    for (; x.exponent > y.exponent; x.exponent--)
        x.mantissa = 2 * (x.mantissa >= y.mantissa ? x.mantissa - y.mantissa : x.mantissa);
    if (x.mantissa >= y.mantissa)
        x.mantissa -= y.mantissa;
    return x.mantissa ? round_wide((wide){0, x.mantissa}, x.exponent, x.negative)
                      : sc_f64_of(x.negative ? SC_F64_SIGN : 0);
}
