/* Shortest round-trip text of floats, and the 16-bit formats. Relies on the C library's printf and
 * strtod, which round correctly; the tools never leave the C locale. */
#include "cli/emu_float.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIGITS = 17 };

/* digits[0].digits[1]digits[2]… * 10^exponent */
typedef struct decimal {
    char digits[MAX_DIGITS + 3];
    int exponent;
} decimal;

static bool reads_back(const decimal *d, double value, bool single) {
    char text[MAX_DIGITS + 16];
    int last = (int)strlen(d->digits) - 1;
    (void)snprintf(text, sizeof text, "%se%d", d->digits, d->exponent - last);
    if (single)
        return strtof(text, NULL) == (float)value;
    return strtod(text, NULL) == value;
}

/* The next larger decimal with the same number of digits. */
static void step_up(decimal *d) {
    size_t i = strlen(d->digits);
    while (i > 0 && d->digits[i - 1] == '9')
        d->digits[--i] = '0';
    if (i > 0) {
        d->digits[i - 1]++;
        return;
    }
    d->digits[0] = '1';
    d->exponent++;
}

/* The nearest decimal of `count` digits. */
static decimal round_to(double value, int count) {
    char text[MAX_DIGITS + 16];
    decimal d = {.exponent = 0};
    (void)snprintf(text, sizeof text, "%.*e", count - 1, value);
    const char *e = strchr(text, 'e');
    size_t length = 0;
    for (const char *t = text; t < e && length < MAX_DIGITS; t++)
        if (*t >= '0' && *t <= '9')
            d.digits[length++] = *t;
    d.exponent = (int)strtol(e + 1, NULL, 10);
    return d;
}

/* True when the value is exactly halfway between `d` and the next larger decimal with the same
 * number of digits: its own digits are those of d, then a 5, then nothing. */
static bool is_tie_above(const decimal *d, double value) {
    char text[800]; /* the longest exact expansion of a double has 767 digits */
    (void)snprintf(text, sizeof text, "%.766e", value);
    size_t length = strlen(d->digits), at = 0;
    for (const char *t = text; *t != 'e'; t++) {
        if (*t < '0' || *t > '9')
            continue;
        char wanted = '0';
        if (at <= length)
            wanted = at < length ? d->digits[at] : '5';
        if (*t != wanted)
            return false;
        at++;
    }
    return true;
}

/* The fewest digits that read back as the value (Steele and White, "How to Print Floating-Point
 * Numbers Accurately", 1990), found by trying each number of digits. Just above a power of two,
 * numbers are twice as far apart as just below it: the next larger decimal may read back although
 * the nearest one, which is smaller, does not. */
static decimal shortest(double value, bool single) {
    int most = single ? 9 : MAX_DIGITS;
    for (int count = 1; count < most; count++) {
        decimal d = round_to(value, count);
        decimal up = d;
        step_up(&up);
        bool fits = reads_back(&d, value, single);
        if (!fits || is_tie_above(&d, value)) /* Rust rounds ties up */
            if (reads_back(&up, value, single))
                return up;
        if (fits)
            return d;
    }
    decimal d = round_to(value, most);
    if (is_tie_above(&d, value))
        step_up(&d);
    return d;
}

static void drop_trailing_zeros(char *digits) {
    size_t length = strlen(digits);
    while (length > 1 && digits[length - 1] == '0')
        digits[--length] = '\0';
}

static void format(double value, bool single, char out[EMU_FLOAT_TEXT]) {
    const char *sign = signbit(value) ? "-" : "";
    if (isnan(value) || isinf(value)) {
        (void)snprintf(out, EMU_FLOAT_TEXT, "%s", isnan(value) ? "NaN" : *sign ? "-inf" : "inf");
        return;
    }
    double magnitude = fabs(value);
    if (magnitude == 0) {
        (void)snprintf(out, EMU_FLOAT_TEXT, "%s0.0", sign);
        return;
    }
    decimal d = shortest(magnitude, single);
    drop_trailing_zeros(d.digits);
    int length = (int)strlen(d.digits), point = d.exponent + 1;
    /* The bounds of plain notation, rounded to the type. */
    double low = single ? (double)1e-4f : 1e-4, high = single ? (double)1e16f : 1e16;
    if (magnitude < low || magnitude >= high)
        (void)snprintf(out, EMU_FLOAT_TEXT, "%s%c%s%se%d", sign, d.digits[0], length > 1 ? "." : "",
                       d.digits + 1, d.exponent);
    else if (point <= 0)
        (void)snprintf(out, EMU_FLOAT_TEXT, "%s0.%.*s%s", sign, -point, "0000", d.digits);
    else if (point >= length)
        (void)snprintf(out, EMU_FLOAT_TEXT, "%s%s%.*s.0", sign, d.digits, point - length,
                       "0000000000000000");
    else
        (void)snprintf(out, EMU_FLOAT_TEXT, "%s%.*s.%s", sign, point, d.digits, d.digits + point);
}

void emu_f32_text(uint32_t bits, char out[EMU_FLOAT_TEXT]) {
    float value;
    memcpy(&value, &bits, sizeof value);
    format((double)value, true, out);
}

void emu_f64_text(uint64_t bits, char out[EMU_FLOAT_TEXT]) {
    double value;
    memcpy(&value, &bits, sizeof value);
    format(value, false, out);
}

void emu_f16_text(uint16_t bits, char out[EMU_FLOAT_TEXT]) {
    emu_f32_text(emu_f32_of_f16(bits), out);
}

void emu_bf16_text(uint16_t bits, char out[EMU_FLOAT_TEXT]) {
    emu_f32_text((uint32_t)bits << 16, out);
}

uint32_t emu_f32_of_f16(uint16_t bits) {
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, fraction = bits & 0x3FFu;
    uint32_t exponent = bits >> 10 & 0x1Fu;
    if (exponent == 0x1F)
        return sign | 0x7F800000u | fraction << 13;
    if (exponent == 0 && fraction == 0)
        return sign;
    if (exponent == 0) { /* subnormal: move the leading one into place */
        exponent = 1;
        for (; !(fraction & 0x400); fraction <<= 1)
            exponent--;
        fraction &= 0x3FF;
    }
    return sign | (exponent + 112) << 23 | fraction << 13;
}

uint16_t emu_f16_of_f32(uint32_t bits) {
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    uint32_t magnitude = bits & 0x7FFFFFFF;
    if (magnitude > 0x7F800000)
        return sign | 0x7E00;
    if (magnitude >= 0x477FF000) /* 65520 and above round to infinity */
        return sign | 0x7C00;
    uint32_t exponent = magnitude >> 23, shift = exponent >= 113 ? 13 : 126 - exponent;
    if (shift > 24)
        return sign; /* below half of the smallest subnormal */
    uint32_t fraction = (magnitude & 0x7FFFFF) | 0x800000, half = 1u << (shift - 1);
    uint32_t kept = fraction >> shift, lost = fraction & ((1u << shift) - 1);
    kept += lost > half || (lost == half && (kept & 1));
    uint32_t base = exponent >= 113 ? (exponent - 113) << 10 : 0;
    /* kept includes the leading one, which increments the exponent. */
    return (uint16_t)(sign | (base + kept));
}

uint16_t emu_bf16_of_f32(uint32_t bits) {
    return (bits & 0x7FFFFFFF) > 0x7F800000 ? 0x7FC0 : (uint16_t)(bits >> 16);
}
