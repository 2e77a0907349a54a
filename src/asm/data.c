/* Constant memory: .constant, the data lines that follow it, and .align. */
#include "asm/asm.h"
#include "asm/narrow.h"

#include <string.h>

static bool complain(asm_state *a, const asm_place *place, const char *what) {
    asm_error(&a->reporter, DIAG_E_DATA, place, ".constant NAME, then lines like .u32 1, 2, 3",
              "%s", what);
    return false;
}

/* Appends bytes; false after an error when there are too many. */
static bool put(asm_state *a, const asm_place *place, const void *bytes, size_t count) {
    if (a->constants.size + count > FE_MAX_CONSTANT)
        return complain(a, place, "there are more than 65536 bytes of constants");
    buf_bytes(&a->constants, bytes, count);
    return true;
}

void asm_parse_constant(asm_state *a, const asm_token *directive) {
    a->has_constant = true;
    if (a->open && !asm_sugar(a, &directive->place))
        return;
    if (a->token.kind != ASM_NAME)
        return;
    asm_symbol *symbol = asm_define_symbol(a, &a->token, ASM_SYMBOL_NUMBER);
    if (symbol)
        symbol->value = (asm_value){.integer = (int64_t)a->constants.size};
    asm_advance(a);
}

/* One number of a data line as little-endian bytes. */
static bool put_number(asm_state *a, unsigned size, bool is_float) {
    asm_value value;
    asm_token first = a->token;
    uint8_t bytes[8];
    uint64_t bits;
    if (!asm_line_ends(a)) /* the next line is unaffected by the error */
        asm_advance(a);
    bool literal = first.kind == ASM_FLOAT && (a->token.kind == ASM_COMMA || asm_line_ends(a));
    if (!asm_expression_from(a, &first, &value))
        return false;
    if (value.is_float && !is_float)
        return complain(a, &first.place, "expected an integer; use .f32 or .f64 for floats");
    if (is_float)
        bits = literal ? asm_float_bits(&first, size) : asm_double_bits(&value, size);
    else
        bits = (uint64_t)value.integer;
    int64_t most = size < 8 ? (int64_t)(UINT64_C(1) << (8 * size)) - 1 : INT64_MAX;
    if (!is_float && (value.integer > most || value.integer < -(most / 2) - 1))
        return complain(a, &first.place,
                        size == 1   ? "the number does not fit in 8 bits"
                        : size == 2 ? "the number does not fit in 16 bits"
                                    : "the number does not fit in 32 bits");
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)(bits >> (8 * i));
    return put(a, &first.place, bytes, size);
}

static bool put_text(asm_state *a) {
    asm_token token = a->token;
    size_t length;
    if (token.kind != ASM_STRING)
        return token.kind == ASM_BAD ? false
                                     : complain(a, &token.place, "expected a string in quotes");
    const char *text = asm_unquote(a, &token, &length);
    asm_advance(a);
    return text && put(a, &token.place, text, length);
}

void asm_parse_data(asm_state *a, const asm_token *directive) {
    static const struct {
        const char *name;
        unsigned size;
        bool is_float;
    } types[] = {{".u8", 1, false}, {".u16", 2, false}, {".u32", 4, false},
                 {".f32", 4, true}, {".f64", 8, true},  {".ascii", 0, false}};
    size_t which = 0;
    while (!asm_token_is(directive, types[which].name))
        which++;
    if (!a->has_constant) {
        complain(a, &directive->place, "data outside .constant");
        asm_recover(a);
        return;
    }
    for (;;) {
        if (types[which].size ? !put_number(a, types[which].size, types[which].is_float)
                              : !put_text(a)) {
            asm_recover(a);
            return;
        }
        if (a->token.kind != ASM_COMMA)
            return;
        asm_advance(a);
    }
}

void asm_parse_align(asm_state *a, const asm_token *directive) {
    static const uint8_t zeros[256];
    int64_t to;
    if (!a->has_constant) {
        complain(a, &directive->place, ".align outside .constant");
        asm_recover(a);
        return;
    }
    if (!asm_integer(a, 1, 256, &to)) {
        asm_recover(a);
        return;
    }
    size_t rest = a->constants.size % (size_t)to;
    if (rest)
        put(a, &directive->place, zeros, (size_t)to - rest);
}
