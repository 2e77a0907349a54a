/* Constants as C++ text. Every literal reads back as the same bits. Decimals are the shortest that
 * round-trip. Values without a decimal form (infinities, NaNs) and f32 subnormals, which are
 * usually integers in disguise, are written as their bits. */
#include "base/plain_math.h"
#include "emit/c_printer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Integers ---- */

enum { DECIMAL_UP_TO = 65536 };

void c_u32(buf *out, uint32_t value) {
    if (value <= DECIMAL_UP_TO) {
        buf_decimal(out, value);
    } else {
        buf_text(out, "0x");
        buf_hex(out, value, 8);
    }
    buf_char(out, 'u');
}

static void put_u64(c_printer *p, uint64_t value) {
    buf *out = p->out;
    if (value <= DECIMAL_UP_TO) {
        buf_decimal(out, value);
    } else {
        buf_text(out, "0x");
        buf_hex(out, value, 16);
    }
    buf_text(out, p->t->wide ? p->t->wide : "ull");
}

/* ---- Floats ---- */

/* `digits` with the decimal point `places` from the right. */
static void put_fixed(buf *out, uint64_t digits, unsigned places) {
    char text[BUF_DIGITS];
    size_t count = (size_t)(buf_digits(text, digits) - text);
    size_t whole = count > places ? count - places : 0; /* digits before the point */
    buf_bytes(out, whole ? text : "0", whole ? whole : 1);
    buf_char(out, '.');
    buf_fill(out, '0', whole ? 0 : places - count);
    buf_bytes(out, text + whole, count - whole);
    if (!places)
        buf_char(out, '0');
}

/* The fewest decimal places that read back as fraction * 2^-shift, in exact integer arithmetic. The
 * decimal must be closer than half the distance to the next float; below a power of two that
 * distance is halved. False when nine places are not enough. */
static bool put_short(buf *out, uint32_t fraction, unsigned shift) {
    uint64_t scale = 1;
    unsigned room = fraction == 1u << 23 ? 4 : 2;
    for (unsigned places = 0; places <= 9; places++, scale *= 10) {
        uint64_t wanted = fraction * scale;
        uint64_t digits = shift ? (wanted + ((uint64_t)1 << (shift - 1))) >> shift : wanted;
        uint64_t got = digits << shift;
        uint64_t error = got > wanted ? got - wanted : wanted - got;
        if (digits && error * room < scale) {
            put_fixed(out, digits, places);
            return true;
        }
    }
    return false;
}

/* A number of at most seven digits times a power of ten, such as 1e-5, if it reads back as the
 * float: it must be clearly closer than half the distance to the next float; below a power of two
 * that distance is halved. */
static bool put_scientific(buf *out, float value, uint32_t magnitude) {
    const uint32_t most = 10000000;
    double scale = 1;
    int power = 0;
    while (power < 22 && (double)value * scale < (double)most / 10.0) {
        scale *= 10; /* exact up to 1e22 */
        power++;
    }
    uint32_t digits = (uint32_t)((double)value * scale + 0.5);
    double error = fabs((double)digits / scale - (double)value);
    double room =
        (magnitude & 0x7FFFFF ? 0.499 : 0.249) * plain_power((int)(magnitude >> 23) - 150);
    if (digits > most || error >= room)
        return false;
    unsigned places = 0;
    for (; digits % 10 == 0; digits /= 10)
        power--;
    for (uint32_t rest = digits; rest >= 10; rest /= 10)
        places++;
    if (places)
        put_fixed(out, digits, places);
    else
        buf_decimal(out, digits);
    buf_text(out, "e-");
    buf_decimal(out, (unsigned)power - places);
    return true;
}

/* Enough digits for the type, independent of the locale's decimal point. */
static void put_long(buf *out, double magnitude, int digits) {
    char text[64];
    int n = snprintf(text, sizeof text, "%.*e", digits - 1, magnitude);
    const char *e = memchr(text, 'e', (size_t)n);
    buf_char(out, text[0]);
    buf_char(out, '.');
    for (const char *c = text + 1; c < e; c++)
        if (*c >= '0' && *c <= '9')
            buf_char(out, *c);
    buf_text(out, e);
}

/* A finite f32 without its sign and suffix. */
static void put_f32(buf *out, uint32_t magnitude) {
    uint32_t exponent = magnitude >> 23, fraction = (magnitude & 0x7FFFFF) | 0x800000;
    float value;
    if (magnitude == 0) {
        buf_text(out, "0.0");
        return;
    }
    if (exponent > 150 && exponent < 160) { /* integers below 2^33 */
        buf_decimal(out, (uint64_t)fraction << (exponent - 150));
        buf_text(out, ".0");
        return;
    }
    bool is_short = exponent >= 118 && exponent <= 150; /* 2^-9 and up: few places */
    if (is_short && put_short(out, fraction, 150 - exponent))
        return;
    memcpy(&value, &magnitude, sizeof value);
    if (exponent < 78 || exponent > 150 || !put_scientific(out, value, magnitude)) /* below 2^-49 */
        put_long(out, (double)value, 9);
}

static void put_f64(buf *out, uint64_t magnitude) {
    double value;
    memcpy(&value, &magnitude, sizeof value);
    if (value < 4294967296.0 && value == (double)(uint32_t)value) {
        buf_decimal(out, (uint32_t)value);
        buf_text(out, ".0");
        return;
    }
    /* A number with up to three binary places has as many decimal places. */
    double eighths = value * 8;
    if (eighths < 4294967296.0 && eighths == (double)(uint32_t)eighths) {
        uint64_t thousandths = (uint64_t)(uint32_t)eighths * 125;
        unsigned places = 3;
        for (; thousandths % 10 == 0; thousandths /= 10)
            places--;
        put_fixed(out, thousandths, places);
        return;
    }
    put_long(out, value, 17);
}

/* ---- Any constant ---- */

static uint32_t f32_of_f16(uint32_t h) {
    uint32_t exponent = h >> 10 & 31, fraction = h & 0x3FF;
    if (exponent == 0) { /* zero or subnormal: fraction * 2^-24, exact */
        float value = (float)fraction * 0x1p-24f;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    return (exponent + 112) << 23 | fraction << 13;
}

/* Splits off the sign; false for values that are better written as bits. */
static bool take_apart(ir_type type, uint64_t bits, bool *negative, uint64_t *magnitude) {
    unsigned size = ir_type_bits(type);
    uint64_t infinity = type == IR_F64   ? 0x7FF0000000000000u
                        : type == IR_F32 ? 0x7F800000u
                                         : 0x7C00u;
    *negative = bits >> (size - 1) & 1;
    *magnitude = bits & ~((uint64_t)1 << (size - 1));
    bool subnormal = type == IR_F32 && *magnitude && *magnitude < 0x800000;
    return *magnitude < infinity && !subnormal;
}

static void put_float(c_printer *p, ir_type type, uint64_t magnitude) {
    buf *out = p->out;
    switch (type) {
    case IR_F64: put_f64(out, magnitude); break;
    case IR_F32:
        put_f32(out, (uint32_t)magnitude);
        buf_char(out, 'f');
        break;
    default:
        buf_text(out, p->t->half);
        put_f32(out, f32_of_f16((uint32_t)magnitude));
        buf_text(out, "f)");
        break;
    }
}

/* The bits as an integer literal inside the target's bit cast. */
static void put_bits(c_printer *p, ir_type type, uint64_t bits) {
    ir_type from = type == IR_F64 ? IR_U64 : IR_U32;
    const char *text = p->t->bitcasts[type][from];
    for (const char *c = text; *c; c++) {
        if (*c != '$') {
            buf_char(p->out, *c);
            continue;
        }
        c++; /* the operand's number */
        if (from == IR_U64)
            put_u64(p, bits);
        else
            c_u32(p->out, (uint32_t)bits);
    }
}

void c_literal(c_printer *p, ir_type type, uint64_t bits, unsigned level) {
    bool negative;
    uint64_t magnitude;
    if (ir_is_wave_tile(type)) { /* an uninitialised tile */
        buf_printf(p->out, "%s()", p->t->types[type]);
        return;
    }
    switch (type) {
    case IR_BOOL: buf_text(p->out, bits & 1 ? "true" : "false"); break;
    case IR_U32: c_u32(p->out, (uint32_t)bits); break;
    case IR_U64: put_u64(p, bits); break;
    case IR_F32:
    case IR_F64:
    case IR_F16:
        if (!take_apart(type, bits, &negative, &magnitude)) {
            put_bits(p, type, bits);
            break;
        }
        if (negative && level > C_UNARY)
            buf_char(p->out, '(');
        if (negative)
            buf_char(p->out, '-');
        put_float(p, type, magnitude);
        if (negative && level > C_UNARY)
            buf_char(p->out, ')');
        break;
    default: put_bits(p, type, bits); break;
    }
}
