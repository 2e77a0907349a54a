/* Elements as raw bits in a uint64_t; floats are converted with one rounding to nearest even. */
#include "testfile/values.h"
#include "testfile/expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
    int exponent_bits; /* 0: integer */
    int mantissa_bits;
} types[VAL_TYPES] = {
    [VAL_U8] = {"u8", 1, 0, 0},     [VAL_U16] = {"u16", 2, 0, 0},  [VAL_U32] = {"u32", 4, 0, 0},
    [VAL_I32] = {"i32", 4, 0, 0},   [VAL_U64] = {"u64", 8, 0, 0},  [VAL_F16] = {"f16", 2, 5, 10},
    [VAL_BF16] = {"bf16", 2, 8, 7}, [VAL_F32] = {"f32", 4, 8, 23}, [VAL_F64] = {"f64", 8, 11, 52},
};

bool val_type_parse(const char *name, val_type *out) {
    for (int k = 0; k < VAL_TYPES; k++)
        if (strcmp(types[k].name, name) == 0) {
            *out = (val_type)k;
            return true;
        }
    return false;
}

const char *val_type_name(val_type type) {
    return types[type].name;
}

size_t val_size(val_type type) {
    return types[type].size;
}

bool val_is_float(val_type type) {
    return types[type].exponent_bits != 0;
}

uint64_t val_load(val_type type, const uint8_t *bytes) {
    uint64_t bits = 0;
    for (size_t k = types[type].size; k-- > 0;)
        bits = bits << 8 | bytes[k];
    return bits;
}

void val_store(val_type type, uint8_t *bytes, uint64_t bits) {
    for (size_t k = 0; k < types[type].size; k++)
        bytes[k] = (uint8_t)(bits >> 8 * k);
}

static uint64_t ones(int count) {
    return ((uint64_t)1 << count) - 1;
}

uint64_t val_from_double(val_type type, double value) {
    int exponent_bits = types[type].exponent_bits, mantissa_bits = types[type].mantissa_bits;
    if (!exponent_bits)
        return (uint64_t)(int64_t)value;
    uint64_t sign = (uint64_t)(signbit(value) != 0) << (exponent_bits + mantissa_bits);
    uint64_t infinity = ones(exponent_bits) << mantissa_bits;
    if (isnan(value))
        return infinity | (uint64_t)1 << (mantissa_bits - 1);
    if (isinf(value))
        return sign | infinity;
    if (value == 0)
        return sign;
    int bias = (1 << (exponent_bits - 1)) - 1, exponent;
    double fraction = frexp(fabs(value), &exponent); /* in [0.5, 1) */
    int lowest = 1 - bias;                           /* exponent of subnormals */
    int unit = (exponent - 1 < lowest ? lowest : exponent - 1) - mantissa_bits;
    /* The value in units of its last place: an exact scaling, then one rounding. */
    double scaled = ldexp(fraction, exponent - unit);
    double whole = floor(scaled), rest = scaled - whole;
    uint64_t mantissa = (uint64_t)whole;
    if (rest > 0.5 || (rest == 0.5 && (mantissa & 1)))
        mantissa++;
    /* A carry out of the mantissa raises the exponent, up to infinity: the encoding is monotone. */
    uint64_t base = (uint64_t)(unit + mantissa_bits - lowest) << mantissa_bits;
    uint64_t bits = base + mantissa;
    return sign | (bits > infinity ? infinity : bits);
}

double val_to_double(val_type type, uint64_t bits) {
    int exponent_bits = types[type].exponent_bits, mantissa_bits = types[type].mantissa_bits;
    if (type == VAL_I32)
        return (double)(int32_t)(uint32_t)bits;
    if (!exponent_bits)
        return (double)bits;
    uint64_t mantissa = bits & ones(mantissa_bits);
    int exponent = (int)(bits >> mantissa_bits & ones(exponent_bits));
    int bias = (1 << (exponent_bits - 1)) - 1;
    double value;
    if (exponent == (int)ones(exponent_bits))
        value = mantissa ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = ldexp((double)mantissa, 1 - bias - mantissa_bits);
    else
        value = ldexp((double)(mantissa | (uint64_t)1 << mantissa_bits),
                      exponent - bias - mantissa_bits);
    return bits >> (exponent_bits + mantissa_bits) & 1 ? -value : value;
}

static bool parse_integer(const char *text, uint64_t *bits) {
    bool negative = text[0] == '-';
    char *stop;
    if (text[negative] < '0' || text[negative] > '9')
        return false;
    *bits = strtoull(text + negative, &stop, 0);
    if (negative)
        *bits = 0 - *bits;
    return *stop == '\0';
}

bool val_parse(val_type type, const char *text, uint64_t *bits) {
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (!val_is_float(type) || hex) {
        if (!parse_integer(text, bits))
            return false;
        size_t width = 8 * val_size(type);
        if (width < 64)
            *bits &= ((uint64_t)1 << width) - 1;
        return true;
    }
    char *stop;
    if (type == VAL_F32) { /* straight from decimal, one rounding */
        float value = strtof(text, &stop);
        *bits = val_from_double(VAL_F32, (double)value);
    } else {
        *bits = val_from_double(type, strtod(text, &stop));
    }
    return stop != text && *stop == '\0';
}

/* ---- Generators ---- */

/* Number `index` of the SplitMix64 generator (Steele, Lea and Flood, "Fast Splittable Pseudorandom
 * Number Generators", 2014), of which the upper half is used. */
static uint32_t random_at(uint64_t seed, uint64_t index) {
    uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ z >> 31) >> 32);
}

/* Splits off the next blank-separated word; false at the end. */
static bool next_word(const char **text, char *word, size_t size) {
    const char *at = *text;
    while (*at == ' ' || *at == '\t' || *at == '\n')
        at++;
    size_t n = 0;
    while (*at && *at != ' ' && *at != '\t' && *at != '\n' && n + 1 < size)
        word[n++] = *at++;
    *text = at;
    if (n > 0) /* at the end the caller's default remains */
        word[n] = '\0';
    return n > 0;
}

typedef struct output {
    val_type type;
    const val_context *context;
    size_t count;
    uint8_t *at;
    char *error;
    size_t error_size;
} output;

static bool fail(const output *o, const char *what, const char *word) {
    snprintf(o->error, o->error_size, "%s '%s'", what, word);
    return false;
}

static void put(const output *o, size_t index, uint64_t bits) {
    val_store(o->type, o->at + index * val_size(o->type), bits);
}

static bool generate_list(const output *o, const char *text) {
    char word[128];
    size_t n = 0;
    for (; next_word(&text, word, sizeof word); n++) {
        uint64_t bits;
        if (!val_parse(o->type, word, &bits))
            return fail(o, "malformed value", word);
        if (n < o->count)
            put(o, n, bits);
    }
    if (n != o->count) {
        snprintf(o->error, o->error_size, "%zu values for %zu elements", n, o->count);
        return false;
    }
    return true;
}

static bool generate_fill(const output *o, const char *text) {
    char word[128] = "";
    uint64_t bits;
    if (!next_word(&text, word, sizeof word) || !val_parse(o->type, word, &bits))
        return fail(o, "malformed value", word);
    for (size_t k = 0; k < o->count; k++)
        put(o, k, bits);
    return true;
}

static bool parse_double(const char *text, double *value) {
    char *stop;
    *value = strtod(text, &stop);
    return stop != text && *stop == '\0';
}

static bool generate_iota(const output *o, const char *text) {
    char start[128] = "", step[128] = "1";
    bool is_float = val_is_float(o->type);
    double from = 0, by = 0;
    uint64_t a = 0, b = 0;
    if (!next_word(&text, start, sizeof start))
        return fail(o, "iota needs a start, not", text);
    next_word(&text, step, sizeof step);
    if (is_float ? !parse_double(start, &from) || !parse_double(step, &by)
                 : !parse_integer(start, &a) || !parse_integer(step, &b))
        return fail(o, "malformed iota", start);
    for (size_t k = 0; k < o->count; k++) {
        uint64_t index = (uint64_t)o->context->first + k;
        put(o, k, is_float ? val_from_double(o->type, from + (double)index * by) : a + index * b);
    }
    return true;
}

static bool generate_random(const output *o, const char *text) {
    char seed_word[128] = "", low[128] = "0", high[128] = "1";
    bool is_float = val_is_float(o->type);
    double from = 0, to = 1;
    uint64_t seed, a = 0, b = 0;
    if (!next_word(&text, seed_word, sizeof seed_word) || !parse_integer(seed_word, &seed))
        return fail(o, "malformed seed", seed_word);
    bool bounded = next_word(&text, low, sizeof low) && next_word(&text, high, sizeof high);
    if (is_float ? !parse_double(low, &from) || !parse_double(high, &to)
                 : bounded && (!parse_integer(low, &a) || !parse_integer(high, &b)))
        return fail(o, "malformed bound", low);
    for (size_t k = 0; k < o->count; k++) {
        uint32_t x = random_at(seed, (uint64_t)o->context->first + k);
        if (is_float)
            put(o, k, val_from_double(o->type, from + (to - from) * ((double)x / 4294967296.0)));
        else
            put(o, k, bounded && b - a + 1 ? a + x % (b - a + 1) : x);
    }
    return true;
}

static bool generate_expr(const output *o, const char *text) {
    for (size_t k = 0; k < o->count; k++) {
        const expr_variable variables[] = {{"i", o->context->first + (int64_t)k},
                                           {"W", o->context->width},
                                           {"N", o->context->total}};
        expr_value v;
        bool is_float = val_is_float(o->type);
        if (!expr_evaluate(text, strlen(text), is_float, variables, 3, &v, o->error, o->error_size))
            return false;
        put(o, k, is_float ? val_from_double(o->type, v.f) : (uint64_t)v.i);
    }
    return true;
}

bool val_generate(val_type type, const char *text, const val_context *context, size_t count,
                  uint8_t *out, char *error, size_t error_size) {
    const output o = {type, context, count, out, error, error_size};
    char word[128];
    const char *rest = text;
    if (!next_word(&rest, word, sizeof word))
        return fail(&o, "missing generator", "");
    if (strcmp(word, "zero") == 0)
        return generate_fill(&o, "0");
    if (strcmp(word, "fill") == 0)
        return generate_fill(&o, rest);
    if (strcmp(word, "iota") == 0)
        return generate_iota(&o, rest);
    if (strcmp(word, "random") == 0)
        return generate_random(&o, rest);
    if (strcmp(word, "expr") == 0)
        return generate_expr(&o, rest);
    return generate_list(&o, text);
}

/* ---- Comparison ---- */

/* Sign-magnitude bits as an integer with the same order as the values, both zeros at 0. */
static int64_t ordered(val_type type, uint64_t bits) {
    int width = types[type].exponent_bits + types[type].mantissa_bits;
    int64_t magnitude = (int64_t)(bits & ones(width));
    return bits >> width & 1 ? -magnitude : magnitude;
}

bool val_equal(val_type type, val_mode mode, double tolerance, uint64_t expected, uint64_t actual) {
    if (expected == actual)
        return true;
    if (!val_is_float(type))
        return false;
    double want = val_to_double(type, expected), have = val_to_double(type, actual);
    if (isnan(want) || isnan(have))
        return isnan(want) && isnan(have);
    switch (mode) {
    case VAL_EXACT: return false;
    case VAL_ABS: return fabs(want - have) <= tolerance;
    case VAL_ULP: {
        double distance = (double)ordered(type, expected) - (double)ordered(type, actual);
        return fabs(distance) <= tolerance;
    }
    }
    return false;
}
