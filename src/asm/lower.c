/* The expansion of sugar: instructions that fill temporaries before the written instruction.
 *
 *   iadd i, i, 1                    mov_imm t0, 1
 *                                   iadd    i, i, t0
 *
 *   device_load_u32 v, [x + i*4]    mov_imm t0, 2
 *                                   shl     t0, i, t0
 *                                   iadd    t0, x, t0
 *                                   device_load_u32 v, t0
 */
#include "asm/asm.h"
#include "asm/narrow.h"

#include <string.h>

/* A register that has a number, or is waiting for one. */
typedef struct place {
    uint32_t number;
    asm_ref ref;
} place;

static place temporary(asm_state *a, unsigned width) {
    asm_registers *r = &a->registers;
    place made = {.ref = ASM_TEMPORARY | r->temporaries};
    r->temporaries += width;
    if (r->temporaries > r->most_temporaries)
        r->most_temporaries = r->temporaries;
    return made;
}

static void set_field(asm_encoding *e, unsigned field, place from) {
    e->field[field] = from.number;
    e->ref[field] = from.ref;
}

static void emit_number(asm_state *a, place to, uint32_t value) {
    asm_encoding e = {.field[ISA_FIELD_RD] = to.number, .ref[ISA_FIELD_RD] = to.ref, .tail = value};
    asm_emit(a, ISA_MOV_IMM, &e);
}

static void emit_binary(asm_state *a, isa_op op, place to, place x, place y) {
    asm_encoding e = {0};
    set_field(&e, ISA_FIELD_RD, to);
    set_field(&e, ISA_FIELD_RS1, x);
    set_field(&e, ISA_FIELD_RS2, y);
    asm_emit(a, op, &e);
}

/* ---- Numbers ---- */

static bool is_address_field(const isa_desc *desc, unsigned field) {
    for (unsigned i = 0; i < field; i++)
        if (desc->role[i] == ISA_ROLE_R)
            return false;
    return desc->role[field] == ISA_ROLE_R && (desc->flags & (ISA_READS | ISA_WRITES));
}

/* The number of a token; `literal` is the token itself when it is a float literal. */
static bool number_of(asm_state *a, const asm_token *token, asm_value *value,
                      const asm_token **literal) {
    *value = (asm_value){.integer = token->value};
    *literal = NULL;
    switch (token->kind) {
    case ASM_INTEGER: return true;
    case ASM_FLOAT:
        value->is_float = true;
        *literal = token;
        return true;
    case ASM_DOUBLE:
        value->is_float = true;
        memcpy(&value->number, &token->value, sizeof value->number);
        return true;
    default: break;
    }
    const asm_symbol *symbol = asm_find_symbol(a, token);
    if (!symbol || symbol->kind != ASM_SYMBOL_NUMBER)
        return false;
    *value = symbol->value;
    return true;
}

static uint64_t half_bits(const asm_value *value, const asm_token *literal, bool brain) {
    uint64_t f64 = literal ? asm_float_bits(literal, 8) : asm_double_bits(value, 8);
    double number;
    memcpy(&number, &f64, sizeof number);
    return brain ? asm_narrow(number, 8, 7) : asm_narrow(number, 5, 10);
}

static uint64_t float_bits(const asm_value *value, const asm_token *literal, unsigned type) {
    switch (type) {
    case ISA_TYPE_F16: return half_bits(value, literal, false);
    case ISA_TYPE_F16X2: return half_bits(value, literal, false) * 0x10001;
    case ISA_TYPE_BF16: return half_bits(value, literal, true);
    case ISA_TYPE_BF16X2: return half_bits(value, literal, true) * 0x10001;
    default: return literal ? asm_float_bits(literal, 4) : asm_double_bits(value, 4);
    }
}

static bool is_float_type(unsigned type) {
    return type == ISA_TYPE_F32 || type == ISA_TYPE_F16 || type == ISA_TYPE_F16X2 ||
           type == ISA_TYPE_BF16 || type == ISA_TYPE_BF16X2 || type == ISA_TYPE_F64;
}

static void check_integer(asm_state *a, const asm_token *token, const isa_desc *desc,
                          int64_t value) {
    bool hexadecimal =
        token->place.length > 1 && token->place.at[0] == '0' && token->place.at[1] == 'x';
    if (value != 0 && is_float_type(desc->src_type) && token->kind == ASM_INTEGER && !hexadecimal)
        asm_warning(&a->reporter, DIAG_W_IMMEDIATE, &token->place,
                    "write a float with a point: 2.0; or the bits in hexadecimal",
                    "%s takes the integer as the bits of a float", desc->mnemonic);
}

/* The number in the form required by the field's register, pair and type. */
static bool lower_number(asm_state *a, const asm_statement *s, const asm_token *token,
                         const asm_value *value, const asm_token *literal, unsigned field,
                         asm_encoding *e) {
    const isa_desc *desc = &isa_table[s->op];
    bool pair = desc->role[field] == ISA_ROLE_R2;
    uint64_t bits = (uint64_t)value->integer;
    if (value->is_float && (desc->bytes == 1 || desc->bytes == 2)) {
        asm_error(&a->reporter, DIAG_E_OPERAND, &token->place,
                  "write its bits as a hexadecimal number",
                  "the type of this float is ambiguous in %s", desc->mnemonic);
        return false;
    }
    if (value->is_float && pair)
        bits = literal ? asm_float_bits(literal, 8) : asm_double_bits(value, 8);
    else if (value->is_float)
        bits = float_bits(value, literal, desc->src_type);
    else if (!pair && (value->integer < INT32_MIN || value->integer > (int64_t)UINT32_MAX)) {
        asm_error(&a->reporter, DIAG_E_IMMEDIATE, &token->place, NULL,
                  "%lld does not fit in 32 bits", (long long)value->integer);
        return false;
    }
    if (!value->is_float)
        check_integer(a, token, desc, value->integer);
    place t = temporary(a, pair ? 2 : 1);
    emit_number(a, t, (uint32_t)bits);
    if (pair)
        emit_number(a, (place){.ref = t.ref + 1}, (uint32_t)(bits >> 32));
    set_field(e, field, t);
    return true;
}

/* ---- Registers of addresses ---- */

static place lower_special(asm_state *a, int number) {
    place t = temporary(a, 1);
    asm_encoding e = {0};
    set_field(&e, ISA_FIELD_RD, t);
    e.field[ISA_FIELD_RS1] = (uint32_t)number;
    asm_emit(a, ISA_MOV_SR, &e);
    return t;
}

/* A register, a name of one, or a special register; only the base may be a contained buffer. */
static bool address_register(asm_state *a, const asm_token *token, bool base, int64_t offset,
                             place *to) {
    *to = (place){0};
    if (token->kind == ASM_SPECIAL) {
        int number = asm_find_special(a, token);
        if (number >= 0)
            *to = lower_special(a, number);
        return number >= 0;
    }
    if (token->kind == ASM_REGISTER) {
        if (token->value > 255 || token->half != ASM_HALF_NONE) {
            asm_error(&a->reporter, DIAG_E_REGISTER, &token->place, "registers are r0 to r255",
                      "'%.*s' is not a register in an address", asm_shown(token->place.length),
                      token->place.at);
            return false;
        }
        to->number = (uint32_t)token->value;
        asm_use_register(a, &token->place, to->number, 1);
        return true;
    }
    const asm_symbol *symbol = asm_find_symbol(a, token);
    if (symbol->contained && (!base || offset < 0)) {
        asm_error(&a->reporter, DIAG_E_CONTAINED, &token->place, NULL,
                  base ? "an offset below the start leaves the contained buffer '%.*s'"
                       : "the contained buffer '%.*s' cannot be an index",
                  asm_shown(token->place.length), token->place.at);
        return false;
    }
    if (symbol->fixed)
        to->number = symbol->number;
    else
        to->ref = (asm_ref)(symbol - a->symbols.list) + 1;
    return true;
}

/* ---- Addresses ---- */

static bool is_power(uint64_t value) {
    return value && !(value & (value - 1));
}

static uint32_t log2_of(uint64_t value) {
    uint32_t n = 0;
    while (value >>= 1)
        n++;
    return n;
}

/* index * scale, added to the base when this takes one instruction: then *base is consumed. */
static place lower_scaled(asm_state *a, place index, int64_t scale, place *base, bool *has_base) {
    place t = temporary(a, 1);
    if (is_power((uint64_t)scale)) {
        emit_number(a, t, log2_of((uint64_t)scale));
        emit_binary(a, ISA_SHL, t, index, t);
        return t;
    }
    emit_number(a, t, (uint32_t)scale);
    if (!*has_base) {
        emit_binary(a, ISA_IMUL, t, index, t);
        return t;
    }
    asm_encoding e = {0};
    set_field(&e, ISA_FIELD_RD, t);
    set_field(&e, ISA_FIELD_RS1, index);
    set_field(&e, ISA_FIELD_RS2, t);
    set_field(&e, ISA_FIELD_RS3, *base);
    asm_emit(a, ISA_IMAD, &e);
    *has_base = false;
    return t;
}

static place add(asm_state *a, place x, place y) {
    place t = y.ref & ASM_TEMPORARY ? y : x.ref & ASM_TEMPORARY ? x : temporary(a, 1);
    emit_binary(a, ISA_IADD, t, x, y);
    return t;
}

static bool lower_address(asm_state *a, const asm_statement *s, unsigned field, asm_encoding *e) {
    const asm_address *from = &s->address;
    bool has_base = from->base.kind != ASM_EOF, has_sum = false;
    place base = {0}, index, sum = {0};
    if (has_base && !address_register(a, &from->base, true, from->offset, &base))
        return false;
    if (from->index.kind != ASM_EOF && from->scale != 0) {
        if (!address_register(a, &from->index, false, 0, &index))
            return false;
        sum = from->scale == 1 ? index : lower_scaled(a, index, from->scale, &base, &has_base);
        has_sum = true;
    }
    if (has_base)
        sum = has_sum ? add(a, base, sum) : base;
    has_sum |= has_base;
    if (from->offset != 0 || !has_sum) {
        place offset = temporary(a, 1);
        emit_number(a, offset, (uint32_t)from->offset);
        sum = has_sum ? add(a, sum, offset) : offset;
    }
    set_field(e, field, sum);
    return true;
}

bool asm_lower_source(asm_state *a, const asm_statement *s, const asm_token *token, unsigned field,
                      asm_encoding *e) {
    const isa_desc *desc = &isa_table[s->op];
    const asm_token *literal;
    asm_value value;
    if (token->kind == ASM_ADDRESS) {
        if (is_address_field(desc, field))
            return lower_address(a, s, field, e);
        asm_error(&a->reporter, DIAG_E_OPERAND, &token->place,
                  "only memory instructions and atomics have an address",
                  "%s takes no address here", desc->mnemonic);
        return false;
    }
    if (token->kind == ASM_SPECIAL) {
        int number = asm_find_special(a, token);
        if (number >= 0)
            set_field(e, field, lower_special(a, number));
        return number >= 0;
    }
    if (number_of(a, token, &value, &literal))
        return lower_number(a, s, token, &value, literal, field, e);
    asm_unknown_symbol(a, token);
    return false;
}

/* ---- Upper halves ---- */

bool asm_lower_high_source(asm_state *a, unsigned field, asm_encoding *e) {
    place from = {.number = e->field[field], .ref = e->ref[field]}, t = temporary(a, 1);
    emit_number(a, t, 16);
    emit_binary(a, ISA_SHR, t, from, t);
    set_field(e, field, t);
    return true;
}

/* The instruction writes a temporary; bfi then inserts it, with the instruction's guard. The
 * temporary must be written in every lane, otherwise it would count as an argument. It is written
 * without the guard, or, if the guard suppresses an access or a lane of a wave operation, before
 * the instruction. */
void asm_lower_high_result(asm_state *a, isa_op op, asm_encoding *e, asm_encoding *insert) {
    place to = {.number = e->field[ISA_FIELD_RD], .ref = e->ref[ISA_FIELD_RD]};
    place sixteen = temporary(a, 1), t = temporary(a, 1);
    emit_number(a, sixteen, 16);
    *insert = (asm_encoding){.guard = e->guard, .guard_ref = e->guard_ref};
    set_field(insert, ISA_FIELD_RD, to);
    set_field(insert, ISA_FIELD_RS1, to);
    set_field(insert, ISA_FIELD_RS2, t);
    set_field(insert, ISA_FIELD_RS3, sixteen);
    set_field(insert, ISA_FIELD_RS4, sixteen);
    set_field(e, ISA_FIELD_RD, t);
    if (isa_table[op].flags & ISA_PURE) {
        e->guard = 0;
        e->guard_ref = 0;
    } else if (e->guard || e->guard_ref) {
        emit_number(a, t, 0);
    }
}

/* ---- Orders ---- */

void asm_lower_order(asm_state *a, const asm_statement *s, const asm_encoding *e, bool after) {
    static const struct {
        const char *name;
        isa_op before, after;
    } orders[] = {{".acquire", ISA_NONE, ISA_FENCE_ACQUIRE},
                  {".release", ISA_FENCE_RELEASE, ISA_NONE},
                  {".acq_rel", ISA_FENCE_RELEASE, ISA_FENCE_ACQUIRE},
                  {".seq_cst", ISA_FENCE_SC, ISA_FENCE_ACQUIRE}};
    bool scoped = isa_table[s->op].tail == ISA_TAIL_SCOPE;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        isa_op fence = after ? orders[i].after : orders[i].before;
        if (!asm_token_is(&s->order, orders[i].name) || fence == ISA_NONE)
            continue;
        asm_encoding f = {.tail = scoped ? e->tail : ISA_SCOPE_WORKGROUP,
                          .guard = e->guard,
                          .guard_ref = e->guard_ref};
        a->extended |= (isa_table[fence].flags & ISA_EXTENSION) != 0;
        asm_emit(a, fence, &f);
    }
}
