/* Models of matrix units in integer arithmetic. A finite number is significand * 2^(exponent -
 * fraction bits). A sum consists of terms shifted to a common last bit; it fits in 64 bits, because
 * there are at most 17 terms of at most 24 + 11 bits. */
#include "base/mma_model.h"

#include "base/scalar.h"

enum { LEAST_EXPONENT = -126, F32_FRACTION = 23, NVIDIA_NAN = 0x7FFFFFFF };

typedef struct number {
    uint64_t significand;
    int exponent;
    bool negative;
} number;

typedef struct format {
    unsigned fraction, bias;
    uint32_t infinity;
} format;

static const format f16 = {10, 15, 0x7C00}, bf16_format = {7, 127, 0x7F80},
                    f32 = {F32_FRACTION, 127, 0x7F800000};

/* A subnormal has the smallest exponent of its format and no leading 1. */
static number split(const format *f, uint32_t bits) {
    const uint32_t magnitude = bits & (f->infinity | ((1u << f->fraction) - 1));
    const uint32_t field = magnitude >> f->fraction, rest = magnitude & ((1u << f->fraction) - 1);
    return (number){.significand = field ? rest | 1u << f->fraction : rest,
                    .exponent = (int)(field ? field : 1) - (int)f->bias,
                    .negative = magnitude != bits};
}

static bool is_finite(const format *f, uint32_t bits) {
    return (bits & f->infinity) != f->infinity;
}

/* Zeros do not take part in the alignment of terms. */
static int weight(const number *n) {
    return n->significand ? n->exponent : LEAST_EXPONENT;
}

static number product(const number *a, const number *b) {
    return (number){.significand = a->significand * b->significand,
                    .exponent = a->exponent + b->exponent,
                    .negative = a->negative != b->negative};
}

/* ---- Shifts ---- */

/* Zeros may have any exponent; everything else stays below 64 bits. */
static uint64_t shifted(uint64_t magnitude, int left) {
    if (magnitude == 0 || left <= -64)
        return 0;
    return left >= 0 ? magnitude << left : magnitude >> -left;
}

static int64_t toward_zero(const number *n, int left) {
    const int64_t magnitude = (int64_t)shifted(n->significand, left);
    return n->negative ? -magnitude : magnitude;
}

/* A left shift, or a right shift that rounds toward minus infinity. */
static int64_t floored(int64_t value, int left) {
    if (value >= 0)
        return (int64_t)shifted((uint64_t)value, left);
    const uint64_t magnitude = (uint64_t)-value, kept = shifted(magnitude, left);
    const bool whole = left >= 0 || (left > -64 && kept << -left == magnitude);
    return -(int64_t)kept - !whole;
}

/* ---- Back to f32 ---- */

static unsigned highest_bit(uint64_t value) {
    unsigned bit = 0;
    while (value >>= 1)
        bit++;
    return bit;
}

/* sum * 2^last, toward zero or to nearest even. */
static uint32_t rounded(int64_t sum, int last, bool nearest) {
    const uint64_t magnitude = (uint64_t)(sum < 0 ? -sum : sum);
    const uint32_t sign = sum < 0 ? SC_F32_SIGN : 0;
    if (magnitude == 0)
        return 0;
    int exponent = (int)highest_bit(magnitude) + last;
    if (exponent > 127)
        return sign | SC_F32_INF;
    if (exponent < LEAST_EXPONENT)
        exponent = LEAST_EXPONENT;
    const int left = last - (exponent - F32_FRACTION);
    uint64_t kept = shifted(magnitude, left);
    if (nearest && left < 0 && left > -64) {
        const uint64_t rest = magnitude - (kept << -left), half = (uint64_t)1 << (-left - 1);
        kept += rest > half || (rest == half && kept & 1);
    }
    /* The leading 1, if present, adds to the exponent. */
    return sign | (((uint32_t)(exponent - LEAST_EXPONENT) << F32_FRACTION) + (uint32_t)kept);
}

/* ---- Infinities and NaNs ---- */

static float value_of(const format *f, uint32_t bits) {
    return f == &f16           ? sc_f16_value(bits)
           : f == &bf16_format ? sc_f32_of(bits << 16)
                               : sc_f32_of(bits);
}

/* True when a term is infinite or NaN; *result is then the infinity or NaN of the sum. Products are
 * rounded to f32 where they may overflow. */
static bool special(const format *f, const uint16_t *a, const uint16_t *b, unsigned count,
                    uint32_t c, bool overflows, uint32_t nan, uint32_t *result) {
    bool any = !is_finite(&f32, c);
    float sum = any ? value_of(&f32, c) : 0;
    for (unsigned k = 0; k < count; k++) {
        const float p = value_of(f, a[k]) * value_of(f, b[k]);
        const bool inputs = is_finite(f, a[k]) && is_finite(f, b[k]);
        if (inputs && !(overflows && !is_finite(&f32, sc_bits_of_f32(p))))
            continue;
        any = true;
        sum += p;
    }
    *result = sum != sum ? nan : sc_bits_of_f32(sum);
    return any;
}

/* ---- NVIDIA: all terms of a group and C, aligned to the largest exponent and truncated ---- */

typedef struct terms {
    number product[MMA_MODEL_K];
    int largest;        /* weight of the products */
    bool negative_zero; /* all are -0 */
} terms;

static void multiply(const format *f, const uint16_t *a, const uint16_t *b, unsigned count,
                     terms *out) {
    out->largest = LEAST_EXPONENT;
    out->negative_zero = true;
    for (unsigned k = 0; k < count; k++) {
        const number x = split(f, a[k]), y = split(f, b[k]);
        const number p = out->product[k] = product(&x, &y);
        if (weight(&p) > out->largest)
            out->largest = weight(&p);
        out->negative_zero &= p.negative && p.significand == 0;
    }
}

static uint32_t nvidia_step(const format *f, int fraction, const uint16_t *a, const uint16_t *b,
                            unsigned count, uint32_t c) {
    terms t;
    uint32_t result;
    if (special(f, a, b, count, c, false, NVIDIA_NAN, &result))
        return result;
    multiply(f, a, b, count, &t);
    const number addend = split(&f32, c);
    const int largest = weight(&addend) > t.largest ? weight(&addend) : t.largest;
    const int last = largest - fraction;
    int64_t sum = toward_zero(&addend, addend.exponent - F32_FRACTION - last);
    for (unsigned k = 0; k < count; k++)
        sum += toward_zero(&t.product[k], t.product[k].exponent - 2 * (int)f->fraction - last);
    if (sum == 0 && t.negative_zero && c == SC_F32_SIGN)
        return c;
    return rounded(sum, last, false);
}

/* ---- AMD CDNA2: f32 additions of pairs, subnormals flushed everywhere ---- */

static uint32_t flushed(uint32_t bits) {
    return bits & SC_F32_INF ? bits : bits & SC_F32_SIGN;
}

static uint32_t flushed_sum(uint32_t a, uint32_t b) {
    return flushed(sc_fadd(a, b));
}

/* A flushed input loses its sign. */
static float flushed_input(const format *f, uint32_t bits) {
    return bits & f->infinity ? value_of(f, bits) : 0;
}

static uint32_t cdna2_step(const format *f, const uint16_t *a, const uint16_t *b, uint32_t c) {
    uint32_t p[4];
    for (unsigned k = 0; k < 4; k++)
        p[k] = flushed(sc_canon_f32(flushed_input(f, a[k]) * flushed_input(f, b[k])));
    return flushed_sum(c & SC_F32_INF ? c : 0,
                       flushed_sum(flushed_sum(p[0], p[1]), flushed_sum(p[2], p[3])));
}

/* ---- AMD CDNA3: the products of a group aligned and truncated, then added to C ---- */

enum { CDNA3_FRACTION = 24, CDNA3_SUM_FRACTION = 31 };

static uint32_t cdna3_step(const format *f, const uint16_t *a, const uint16_t *b, unsigned count,
                           uint32_t c) {
    terms t;
    uint32_t result;
    if (special(f, a, b, count, c, true, SC_F32_NAN, &result))
        return result;
    multiply(f, a, b, count, &t);
    int64_t sum = 0;
    for (unsigned k = 0; k < count; k++)
        sum += toward_zero(&t.product[k], t.product[k].exponent - 2 * (int)f->fraction -
                                              (t.largest - CDNA3_FRACTION));
    const number addend = split(&f32, c);
    const int largest = weight(&addend) > t.largest ? weight(&addend) : t.largest;
    const int wider = CDNA3_SUM_FRACTION - CDNA3_FRACTION;
    const int64_t signed_addend =
        addend.negative ? -(int64_t)addend.significand : (int64_t)addend.significand;
    sum = floored(sum, t.largest - largest + wider) +
          (floored(signed_addend, addend.exponent - F32_FRACTION - largest + CDNA3_FRACTION) *
           (1 << wider));
    if (sum == 0 && t.negative_zero && c == SC_F32_SIGN)
        return c;
    return rounded(sum, largest - CDNA3_SUM_FRACTION, true);
}

/* ---- Which unit ---- */

typedef enum family { NVIDIA, CDNA2, CDNA3 } family;

static const struct {
    const char *name;
    uint8_t family, group, fraction; /* products summed at once; fraction bits of the sum */
} units[WAVE_MMA_COUNT] = {[WAVE_MMA_EXACT] = {"exact", 0, 0, 0},
                           [WAVE_MMA_SM_75] = {"sm_75", NVIDIA, 8, 24},
                           [WAVE_MMA_SM_80] = {"sm_80", NVIDIA, 8, 24},
                           [WAVE_MMA_SM_90] = {"sm_90", NVIDIA, 16, 25},
                           [WAVE_MMA_GFX90A] = {"gfx90a", CDNA2, 4, 0},
                           [WAVE_MMA_GFX942] = {"gfx942", CDNA3, 8, CDNA3_FRACTION}};

const char *wave_mma_name(wave_mma mma) {
    return (unsigned)mma < WAVE_MMA_COUNT ? units[mma].name : NULL;
}

uint32_t mma_model_dot(wave_mma unit, bool bf16, const uint16_t a[MMA_MODEL_K],
                       const uint16_t b[MMA_MODEL_K], uint32_t c) {
    const format *f = bf16 ? &bf16_format : &f16;
    const unsigned group = units[unit].group;
    for (unsigned k = 0; k < MMA_MODEL_K; k += group)
        switch ((family)units[unit].family) {
        case NVIDIA: c = nvidia_step(f, units[unit].fraction, a + k, b + k, group, c); break;
        case CDNA2: c = cdna2_step(f, a + k, b + k, c); break;
        case CDNA3: c = cdna3_step(f, a + k, b + k, group, c); break;
        }
    return c;
}
