/* Exact conversion of decimal text to f32 and f64. A fast path in double arithmetic covers common
 * numbers (Clinger, "How to Read Floating Point Numbers Accurately", 1990); everything else uses a
 * division of big integers. */
#include "asm/decimal.h"

#include <stdbool.h>
#include <string.h>

enum {
    KEPT_DIGITS = 800, /* a tie between two doubles has at most 767 significant digits */
    DECADES = 400,     /* numbers farther from 1 than this are infinity or zero in both formats */
    WORDS = 160,       /* room for 10^(KEPT_DIGITS + 1 + DECADES) and 64 more bits */
    QUOTIENT_BITS = 60 /* more than the 53 + 1 that rounding needs */
};

typedef struct decimal {
    bool negative;
    size_t count;     /* significant digits, without leading zeros */
    int64_t exponent; /* of ten, for the digits read as an integer */
    uint8_t digit[KEPT_DIGITS + 1];
} decimal;

static const char *read_exponent(const char *at, const char *end, int64_t *exponent) {
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    int64_t value = 0;
    for (; at < end; at++)
        if (*at != '_' && value < INT64_C(1000000000000))
            value = value * 10 + (*at - '0');
    *exponent += negative ? -value : value;
    return at;
}

static void read_decimal(const char *text, size_t length, decimal *d) {
    const char *at = text, *end = text + length;
    bool fraction = false, dropped = false;
    d->count = 0;
    d->exponent = 0;
    d->negative = at < end && *at == '-';
    if (d->negative)
        at++;
    while (at < end) {
        char c = *at++;
        if (c == '_')
            continue;
        if (c == '.') {
            fraction = true;
            continue;
        }
        if (c == 'e' || c == 'E') {
            at = read_exponent(at, end, &d->exponent);
            continue;
        }
        uint8_t digit = (uint8_t)(c - '0');
        bool keep = (d->count > 0 || digit != 0) && d->count < KEPT_DIGITS;
        if (keep)
            d->digit[d->count++] = digit;
        else if (d->count > 0)
            dropped |= digit != 0;
        /* A kept or leading-zero digit after the point lowers the exponent; a digit dropped before
         * the point raises it. */
        if (fraction && d->count < KEPT_DIGITS + (size_t)keep)
            d->exponent--;
        else if (!fraction && d->count > 0 && !keep)
            d->exponent++;
    }
    if (dropped) { /* represents all dropped digits: the value is above the digits kept */
        d->digit[d->count++] = 1;
        d->exponent--;
    }
}

/* ---- Big integers, least significant word first ---- */

typedef struct big {
    size_t used;
    uint32_t word[WORDS];
} big;

static void multiply_add(big *b, uint32_t factor, uint32_t addend) {
    uint64_t carry = addend;
    for (size_t i = 0; i < b->used; i++) {
        carry += (uint64_t)b->word[i] * factor;
        b->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        b->word[b->used++] = (uint32_t)carry;
}

static void multiply_power_of_ten(big *b, int64_t power) {
    for (; power >= 9; power -= 9)
        multiply_add(b, 1000000000u, 0);
    for (; power > 0; power--)
        multiply_add(b, 10, 0);
}

static int64_t bit_length(const big *b) {
    if (b->used == 0)
        return 0;
    int64_t bits = (int64_t)(b->used - 1) * 32;
    for (uint32_t top = b->word[b->used - 1]; top; top >>= 1)
        bits++;
    return bits;
}

static void shift_left(big *b, int64_t count) {
    size_t words = (size_t)(count / 32);
    unsigned bits = (unsigned)(count % 32);
    if (b->used == 0)
        return;
    memmove(b->word + words, b->word, b->used * sizeof b->word[0]);
    memset(b->word, 0, words * sizeof b->word[0]);
    b->used += words;
    if (bits == 0)
        return;
    uint32_t carry = 0;
    for (size_t i = words; i < b->used; i++) {
        uint32_t word = b->word[i];
        b->word[i] = word << bits | carry;
        carry = word >> (32 - bits);
    }
    if (carry)
        b->word[b->used++] = carry;
}

static bool less(const big *a, const big *b) {
    if (a->used != b->used)
        return a->used < b->used;
    for (size_t i = a->used; i-- > 0;)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i];
    return false;
}

/* a -= b, for b <= a. */
static void subtract(big *a, const big *b) {
    uint64_t borrow = 0;
    for (size_t i = 0; i < a->used; i++) {
        uint64_t other = (i < b->used ? b->word[i] : 0) + borrow;
        borrow = a->word[i] < other;
        a->word[i] = (uint32_t)(a->word[i] - other);
    }
    while (a->used > 0 && a->word[a->used - 1] == 0)
        a->used--;
}

/* ---- Rounding ---- */

typedef struct format {
    int precision; /* bits of the significand */
    int lowest;    /* exponent of the smallest subnormal */
    uint64_t infinity;
} format;

static const format f32_format = {24, -149, 0x7F800000u};
static const format f64_format = {53, -1074, UINT64_C(0x7FF0000000000000)};

/* quotient * 2^exponent; `more` means that the exact value is above it. */
static uint64_t round_to(const format *f, uint64_t quotient, int64_t exponent, bool more) {
    int bits = 0;
    for (uint64_t q = quotient; q; q >>= 1)
        bits++;
    int64_t unit = exponent + bits - f->precision; /* exponent of the last place kept */
    if (unit < f->lowest)
        unit = f->lowest;
    int64_t shift = unit - exponent;
    if (shift > 63)
        return 0;
    uint64_t kept = quotient >> shift;
    uint64_t rest = quotient & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    if (rest > half || (rest == half && (more || (kept & 1))))
        kept++;
    /* The hidden bit of `kept` adds the one that the biased exponent lacks; so does a carry. */
    uint64_t biased = (uint64_t)(unit - f->lowest);
    if (biased > 4096)
        return f->infinity;
    uint64_t result = (biased << (f->precision - 1)) + kept;
    return result < f->infinity ? result : f->infinity;
}

static uint64_t divide_and_round(const format *f, const decimal *d) {
    int64_t magnitude = (int64_t)d->count + d->exponent;
    if (d->count == 0 || magnitude < -DECADES)
        return 0;
    if (magnitude > DECADES)
        return f->infinity;
    big top = {0}, bottom = {.used = 1, .word = {1}};
    for (size_t i = 0; i < d->count; i++)
        multiply_add(&top, 10, d->digit[i]);
    if (d->exponent >= 0)
        multiply_power_of_ten(&top, d->exponent);
    else
        multiply_power_of_ten(&bottom, -d->exponent);
    /* Equal bit lengths: the quotient is between 1/2 and 2, and each step yields one bit of it. */
    int64_t scale = bit_length(&bottom) - bit_length(&top);
    shift_left(scale > 0 ? &top : &bottom, scale > 0 ? scale : -scale);
    uint64_t quotient = 0;
    for (int i = 0; i < QUOTIENT_BITS; i++) {
        quotient <<= 1;
        if (!less(&top, &bottom)) {
            subtract(&top, &bottom);
            quotient |= 1;
        }
        shift_left(&top, 1);
    }
    return round_to(f, quotient, -scale - (QUOTIENT_BITS - 1), top.used != 0);
}

/* ---- The fast path ---- */

/* True when the digits and the power of ten are exact doubles: then *value is rounded only once. */
static bool exact_operands(const decimal *d, double *value) {
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (d->count > 15 || d->exponent < -22 || d->exponent > 22)
        return false;
    uint64_t digits = 0;
    for (size_t i = 0; i < d->count; i++)
        digits = digits * 10 + d->digit[i];
    *value = d->exponent < 0 ? (double)digits / power[-d->exponent]
                             : (double)digits * power[d->exponent];
    return true;
}

uint64_t asm_decimal_f64(const char *text, size_t length) {
    decimal d;
    double value;
    uint64_t bits;
    read_decimal(text, length, &d);
    if (exact_operands(&d, &value))
        memcpy(&bits, &value, sizeof bits);
    else
        bits = divide_and_round(&f64_format, &d);
    return bits | (uint64_t)d.negative << 63;
}

uint32_t asm_decimal_f32(const char *text, size_t length) {
    decimal d;
    double value;
    read_decimal(text, length, &d);
    uint32_t sign = (uint32_t)d.negative << 31;
    if (exact_operands(&d, &value) && value > 1e-30 && value < 1e30) {
        uint64_t wide;
        memcpy(&wide, &value, sizeof wide);
        /* Double rounding is harmless unless the first step landed on a tie of the second. */
        if ((wide & 0x1FFFFFFFu) != 0x10000000u) {
            float narrow = (float)value;
            uint32_t bits;
            memcpy(&bits, &narrow, sizeof bits);
            return bits | sign;
        }
    }
    return (uint32_t)divide_and_round(&f32_format, &d) | sign;
}
