/* Helper functions and types, printed at the top of a file when a kernel uses them. They handle the
 * edge cases of the ISA that C++ leaves undefined or implementation-defined. Each @word is replaced
 * by the target's spelling. */
#include "emit/c_printer.h"

#include <string.h>

#define TYPE(name, text)                                                                           \
    { name, "typedef " text ";\n", 0 }

const c_helper c_helpers[C_HELPERS] = {
    [C_MEM_U16] = TYPE("mem_u16", "uint16_t mem_u16 @alias"),
    [C_MEM_U32] = TYPE("mem_u32", "uint32_t mem_u32 @alias"),
    [C_MEM_I32] = TYPE("mem_i32", "int32_t mem_i32 @alias"),
    [C_MEM_F32] = TYPE("mem_f32", "float mem_f32 @alias"),
    [C_MEM_U64] = TYPE("mem_u64", "uint64_t mem_u64 @alias"),
    [C_MEM_I64] = TYPE("mem_i64", "int64_t mem_i64 @alias"),
    [C_MEM_F64] = TYPE("mem_f64", "double mem_f64 @alias"),
    [C_MEM_U32X2] = TYPE("mem_u32x2", "@u32x2 mem_u32x2 @alias"),
    [C_MEM_F32X2] = TYPE("mem_f32x2", "@f32x2 mem_f32x2 @alias"),
    [C_MEM_U32X4] = TYPE("mem_u32x4", "@u32x4 mem_u32x4 @alias"),
    [C_MEM_F32X4] = TYPE("mem_f32x4", "@f32x4 mem_f32x4 @alias"),

    [C_IDIV] = {"wave_idiv",
                "// Signed division: x / 0 is 0, and INT_MIN / -1 wraps.\n"
                "@function uint32_t wave_idiv(uint32_t a, uint32_t b) {\n"
                "    if (b + 1u <= 1u) // 0 or -1\n"
                "        return 0u - (a & b);\n"
                "    return (uint32_t)((int32_t)a / (int32_t)b);\n"
                "}\n",
                0},
    [C_IMOD] = {"wave_imod",
                "// Signed remainder: x % 0 is 0, and so is INT_MIN % -1.\n"
                "@function uint32_t wave_imod(uint32_t a, uint32_t b) {\n"
                "    if (b + 1u <= 1u) // 0 or -1\n"
                "        return 0u;\n"
                "    return (uint32_t)((int32_t)a % (int32_t)b);\n"
                "}\n",
                0},
    [C_UDIV] = {"wave_udiv",
                "// x / 0 is 0.\n"
                "@function uint32_t wave_udiv(uint32_t a, uint32_t b) {\n"
                "    return b ? a / b : 0u;\n"
                "}\n",
                0},
    [C_UMOD] = {"wave_umod",
                "// x % 0 is 0.\n"
                "@function uint32_t wave_umod(uint32_t a, uint32_t b) {\n"
                "    return b ? a % b : 0u;\n"
                "}\n",
                0},
    [C_IABS] = {"wave_iabs",
                "@function uint32_t wave_iabs(uint32_t a) {\n"
                "    return (int32_t)a < 0 ? 0u - a : a;\n"
                "}\n",
                0},
    [C_BITFIND] = {"wave_bitfind",
                   "// Leading zeros; all ones when there is no 1.\n"
                   "@function uint32_t wave_bitfind(uint32_t a) {\n"
                   "    return a ? (uint32_t)@clz(a) : 0xFFFFFFFFu;\n"
                   "}\n",
                   0},
    [C_BFE] = {"wave_bfe",
               "// `width` bits of a from bit `at` on; both are taken modulo 32.\n"
               "@function uint32_t wave_bfe(uint32_t a, uint32_t at, uint32_t width) {\n"
               "    return (a >> (at & 31u)) & ((1u << (width & 31u)) - 1u);\n"
               "}\n",
               0},
    [C_BFI] = {"wave_bfi",
               "// a with `width` of its bits from bit `at` on replaced by those of b.\n"
               "@function uint32_t wave_bfi(uint32_t a, uint32_t b, uint32_t at, uint32_t width) "
               "{\n"
               "    uint32_t mask = ((1u << (width & 31u)) - 1u) << (at & 31u);\n"
               "    return (a & ~mask) | ((b << (at & 31u)) & mask);\n"
               "}\n",
               0},
    [C_FMIN] = {"wave_fmin",
                "// The number when one is NaN; -0 is less than +0.\n"
                "@function float wave_fmin(float a, float b) {\n"
                "    float least = a < b || b != b ? a : b;\n"
                "    return a == b ? @asfloat(@asuint(a) | @asuint(b)) : least;\n"
                "}\n",
                0},
    [C_FMAX] = {"wave_fmax",
                "// The number when one is NaN; +0 is more than -0.\n"
                "@function float wave_fmax(float a, float b) {\n"
                "    float most = a > b || b != b ? a : b;\n"
                "    return a == b ? @asfloat(@asuint(a) & @asuint(b)) : most;\n"
                "}\n",
                0},
    [C_FSAT] = {"wave_fsat",
                "// Into [0, 1]; NaN and -0 give +0.\n"
                "@function float wave_fsat(float x) {\n"
                "    float low = x > 0.0f ? x : 0.0f;\n"
                "    return low > 1.0f ? 1.0f : low;\n"
                "}\n",
                0},
    [C_FFRACT] = {"wave_ffract",
                  "// x - floor(x), but never 1.\n"
                  "@function float wave_ffract(float x) {\n"
                  "    float rest = x - @floor(x);\n"
                  "    return rest >= 1.0f ? 0.99999994f : rest;\n"
                  "}\n",
                  0},
    [C_ORDERED] = {"wave_ordered",
                   "// Neither is NaN.\n"
                   "@function bool wave_ordered(float a, float b) {\n"
                   "    return a == a && b == b;\n"
                   "}\n",
                   0},
    [C_CVT_I32] = {"wave_cvt_i32",
                   "// Towards zero; too large becomes the nearest integer there is, NaN 0.\n"
                   "@function uint32_t wave_cvt_i32(float x) {\n"
                   "    if (x >= 2147483648.0f)\n"
                   "        return 0x7FFFFFFFu;\n"
                   "    if (x >= -2147483648.0f)\n"
                   "        return (uint32_t)(int32_t)x;\n"
                   "    return x < 0.0f ? 0x80000000u : 0u;\n"
                   "}\n",
                   0},
    [C_CVT_U32] = {"wave_cvt_u32",
                   "// Towards zero; too large becomes the nearest integer there is, NaN 0.\n"
                   "@function uint32_t wave_cvt_u32(float x) {\n"
                   "    if (x >= 4294967296.0f)\n"
                   "        return 0xFFFFFFFFu;\n"
                   "    return x > 0.0f ? (uint32_t)x : 0u;\n"
                   "}\n",
                   0},
    [C_LDIV] = {"wave_ldiv",
                "// Signed division: x / 0 is 0, and INT64_MIN / -1 wraps.\n"
                "@function uint64_t wave_ldiv(uint64_t a, uint64_t b) {\n"
                "    if (b + 1u <= 1u) // 0 or -1\n"
                "        return 0u - (a & b);\n"
                "    return (uint64_t)((int64_t)a / (int64_t)b);\n"
                "}\n",
                0},
    [C_LMOD] = {"wave_lmod",
                "// Signed remainder: x % 0 is 0, and so is INT64_MIN % -1.\n"
                "@function uint64_t wave_lmod(uint64_t a, uint64_t b) {\n"
                "    if (b + 1u <= 1u) // 0 or -1\n"
                "        return 0u;\n"
                "    return (uint64_t)((int64_t)a % (int64_t)b);\n"
                "}\n",
                0},
    [C_LUDIV] = {"wave_ludiv",
                 "// x / 0 is 0.\n"
                 "@function uint64_t wave_ludiv(uint64_t a, uint64_t b) {\n"
                 "    return b ? a / b : 0u;\n"
                 "}\n",
                 0},
    [C_LUMOD] = {"wave_lumod",
                 "// x % 0 is 0.\n"
                 "@function uint64_t wave_lumod(uint64_t a, uint64_t b) {\n"
                 "    return b ? a % b : 0u;\n"
                 "}\n",
                 0},
    [C_DORDERED] = {"wave_dordered",
                    "// Neither is NaN.\n"
                    "@function bool wave_dordered(double a, double b) {\n"
                    "    return a == a && b == b;\n"
                    "}\n",
                    0},
    [C_CVT_I32_F64] = {"wave_cvt_i32_f64",
                       "// Towards zero; too large becomes the nearest integer there is, NaN 0.\n"
                       "@function uint32_t wave_cvt_i32_f64(double x) {\n"
                       "    if (x >= 2147483648.0)\n"
                       "        return 0x7FFFFFFFu;\n"
                       "    if (x > -2147483649.0)\n"
                       "        return (uint32_t)(int32_t)x;\n"
                       "    return x < 0.0 ? 0x80000000u : 0u;\n"
                       "}\n",
                       0},
    [C_CVT_U32_F64] = {"wave_cvt_u32_f64",
                       "// Towards zero; too large becomes the nearest integer there is, NaN 0.\n"
                       "@function uint32_t wave_cvt_u32_f64(double x) {\n"
                       "    if (x >= 4294967296.0)\n"
                       "        return 0xFFFFFFFFu;\n"
                       "    return x > 0.0 ? (uint32_t)x : 0u;\n"
                       "}\n",
                       0},
    [C_CVT_I64_F64] = {"wave_cvt_i64_f64",
                       "// Towards zero; too large becomes the nearest integer there is, NaN 0.\n"
                       "@function uint64_t wave_cvt_i64_f64(double x) {\n"
                       "    if (x >= 9223372036854775808.0)\n"
                       "        return 0x7FFFFFFFFFFFFFFF@ull;\n"
                       "    if (x >= -9223372036854775808.0)\n"
                       "        return (uint64_t)(int64_t)x;\n"
                       "    return x < 0.0 ? 0x8000000000000000@ull : 0u;\n"
                       "}\n",
                       0},
    [C_CVT_U64_F64] = {"wave_cvt_u64_f64",
                       "// Towards zero; too large becomes the nearest integer there is, NaN 0.\n"
                       "@function uint64_t wave_cvt_u64_f64(double x) {\n"
                       "    if (x >= 18446744073709551616.0)\n"
                       "        return 0xFFFFFFFFFFFFFFFF@ull;\n"
                       "    return x > 0.0 ? (uint64_t)x : 0u;\n"
                       "}\n",
                       0},
    [C_CVT_I64] = {"wave_cvt_i64",
                   "// Towards zero; too large becomes the nearest integer there is, NaN 0.\n"
                   "@function uint64_t wave_cvt_i64(float x) {\n"
                   "    if (x >= 9223372036854775808.0f)\n"
                   "        return 0x7FFFFFFFFFFFFFFF@ull;\n"
                   "    if (x >= -9223372036854775808.0f)\n"
                   "        return (uint64_t)(int64_t)x;\n"
                   "    return x < 0.0f ? 0x8000000000000000@ull : 0u;\n"
                   "}\n",
                   0},
    [C_CVT_U64] = {"wave_cvt_u64",
                   "// Towards zero; too large becomes the nearest integer there is, NaN 0.\n"
                   "@function uint64_t wave_cvt_u64(float x) {\n"
                   "    if (x >= 18446744073709551616.0f)\n"
                   "        return 0xFFFFFFFFFFFFFFFF@ull;\n"
                   "    return x > 0.0f ? (uint64_t)x : 0u;\n"
                   "}\n",
                   0},
    [C_CVT_F16_F64] =
        {"wave_cvt_f16_f64",
         "// One rounding: an inexact float is made odd by a step towards x, and rounds on as x "
         "would.\n"
         "@function @half wave_cvt_f16_f64(double x) {\n"
         "    float nearest = (float)x;\n"
         "    uint32_t bits = @asuint(nearest);\n"
         "    bool below = (double)nearest < x, inexact = below || (double)nearest > x;\n"
         "    if (inexact && !(bits & 1u))\n"
         "        bits += below == (x > 0.0) ? 1u : 0xFFFFFFFFu;\n"
         "    return (@half)@asfloat(bits);\n"
         "}\n",
         0},
};

static const c_helper *helper_at(const c_target *t, unsigned k) {
    return k < C_HELPERS ? &c_helpers[k] : &t->helpers[k - C_HELPERS];
}

bool c_is_helper(const c_target *t, const char *name) {
    /* The names of all of them begin with this. */
    if (strncmp(name, "wave_", 5) != 0 && strncmp(name, "mem_", 4) != 0)
        return false;
    for (unsigned k = 0; k < C_HELPERS + t->helper_count; k++) {
        const char *helper = helper_at(t, k)->name;
        if (*helper == *name && strcmp(helper, name) == 0)
            return true;
    }
    return strcmp(name, EMIT_CONSTANTS) == 0;
}

static bool is_in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

size_t c_put_to_word(const char **text, buf *out) {
    const char *word = strchr(*text, '@');
    size_t plain = word ? (size_t)(word - *text) : strlen(*text), length = 0;
    buf_bytes(out, *text, plain);
    *text += plain;
    if (**text)
        ++*text;
    while (is_in_word((*text)[length]))
        length++;
    return length;
}

bool c_is_word(const char *at, size_t length, const char *word) {
    return *at == *word && strncmp(at, word, length) == 0 && !word[length];
}

static const char *find_word(const char *const *words, const char *word, size_t length) {
    while (words[0] && !c_is_word(word, length, words[0]))
        words += 2;
    return words[0] ? words[1] : "";
}

void c_put_words(const char *const *words, const char *text, buf *out) {
    for (size_t length; (length = c_put_to_word(&text, out)) != 0; text += length)
        buf_text(out, find_word(words, text, length));
}

/* A function's name from its call. */
static bool put_function(const char *call, buf *out) {
    buf_bytes(out, call, strcspn(call, "("));
    return true;
}

static bool put_implied(const c_target *t, const char *word, size_t length, buf *out) {
    if (c_is_word(word, length, "asfloat"))
        return put_function(t->bitcasts[IR_F32][IR_U32], out);
    if (c_is_word(word, length, "asuint"))
        return put_function(t->bitcasts[IR_U32][IR_F32], out);
    if (c_is_word(word, length, "floor"))
        return put_function(t->forms[IR_FFLOOR].text, out);
    if (!c_is_word(word, length, "function"))
        return false;
    buf_bytes(out, t->function, strlen(t->function) - 1); /* without its blank */
    return true;
}

/* Words that the rest of the target's table implies come before its own. */
static void put_helper(const c_target *t, const char *text, buf *out) {
    const char *const implied[] = {"alias", "__attribute__((may_alias))", "half", t->types[IR_F16],
                                   "ull",   t->wide ? t->wide : "ull",    NULL};
    for (size_t length; (length = c_put_to_word(&text, out)) != 0; text += length) {
        if (put_implied(t, text, length, out))
            continue;
        const char *found = find_word(implied, text, length);
        buf_text(out, *found ? found : find_word(t->words, text, length));
    }
}

static uint64_t with_needed(const c_target *t, uint64_t used) {
    for (uint64_t before = 0; before != used;) {
        before = used;
        for (unsigned k = 0; k < C_HELPERS + t->helper_count; k++)
            if (used >> k & 1)
                used |= helper_at(t, k)->needs;
    }
    return used;
}

static void put_constants(const c_target *t, const emit_unit *unit, buf *out) {
    if (!(unit->uses & EMIT_USES_CONSTANTS))
        return;
    buf_printf(out, "\n// Constant memory, %u bytes.\n%s " EMIT_CONSTANTS "[%u] = {",
               unit->constant_size, t->constant_array, emit_constant_words(unit));
    emit_put_constants(unit, "u", out);
    buf_text(out, "};\n");
}

void c_print_helpers(const c_target *t, const emit_unit *unit, buf *out) {
    uint64_t used = with_needed(t, unit->used);
    bool types = false;
    for (unsigned k = 0; k < C_HELPERS + t->helper_count; k++) {
        if (!(used >> k & 1))
            continue;
        bool type = k <= C_MEM_F32X4;
        if (type && !types)
            buf_text(out, "\n// Memory is untyped: what these types refer to may overlap.");
        if (!type || !types)
            buf_char(out, '\n');
        types |= type;
        put_helper(t, helper_at(t, k)->text, out);
    }
    put_constants(t, unit, out);
}
