/* Lines and operands of PTX: registers by class, immediates, labels, aligned mnemonics. They are
 * written directly into the buffer, without printf, because this is most of the output. */
#include "emit_ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

enum { INDENT = 4, MNEMONIC_WIDTH = 16 };

const uint8_t ptx_classes[IR_TYPE_COUNT] = {
    [IR_VOID] = PTX_B32,   [IR_BOOL] = PTX_PRED, [IR_U32] = PTX_B32,   [IR_F32] = PTX_F32,
    [IR_U64] = PTX_B64,    [IR_F64] = PTX_F64,   [IR_F16] = PTX_B16,   [IR_F16X2] = PTX_B32,
    [IR_TOKEN] = PTX_B32,  [IR_TILE] = PTX_B32,  [IR_A_F16] = PTX_B32, [IR_A_BF16] = PTX_B32,
    [IR_A_F32] = PTX_B32,  [IR_A_I8] = PTX_B32,  [IR_A_U8] = PTX_B32,  [IR_B_F16] = PTX_B32,
    [IR_B_BF16] = PTX_B32, [IR_B_F32] = PTX_B32, [IR_B_I8] = PTX_B32,  [IR_B_U8] = PTX_B32,
    [IR_C_F32] = PTX_F32,  [IR_C_I32] = PTX_B32,
};

ptx_operand ptx_imm(ir_type type, uint64_t bits) {
    return (ptx_operand){.type = (uint8_t)type, .bits = bits};
}

ptx_operand ptx_fixed_reg(ptx *p, ptx_fixed which) {
    p->needs[which] = true;
    return ptx_at(p->fixed[which]);
}

/* ---- Text ---- */

static char *put_hex(char *at, uint64_t value, unsigned digits) {
    while (digits < 16 && value >> (4 * digits))
        digits++;
    while (digits)
        *at++ = "0123456789ABCDEF"[value >> (4 * --digits) & 15];
    return at;
}

static char *put_text(char *at, const char *text) {
    while (*text)
        *at++ = *text++;
    return at;
}

enum { CACHED_NUMBERS = 1000000 }; /* at most six digits */

/* Register numbers are formatted once, into eight characters each, and copied from then on. */
void ptx_make_digits(ptx *p) {
    enum { AT_ONCE = 64 };
    if (p->digits_count >= CACHED_NUMBERS)
        return;
    if (p->digits_count == p->digits_capacity) {
        uint32_t first = (p->f->node_count / AT_ONCE + 1) * AT_ONCE;
        uint32_t capacity = p->digits_capacity ? p->digits_capacity * 2 : first;
        char(*bigger)[8] = realloc(p->digits, capacity * sizeof *bigger);
        p->out->failed |= !bigger;
        if (!bigger)
            return;
        p->digits = bigger;
        p->digits_capacity = capacity;
    }
    for (unsigned k = 0; k < AT_ONCE; k++) {
        char *at = p->digits[p->digits_count];
        uint32_t units = p->digits_count % 10;
        if (units) { /* the previous number with another last digit */
            memcpy(at, at - 8, 8);
            at[at[7] - 1] = (char)('0' + units);
        } else {
            at[7] = (char)(buf_digits(at, p->digits_count) - at);
        }
        p->digits_count++;
    }
}

static inline char *put_register(const ptx *p, char *at, ptx_reg r) {
    /* The length of a prefix is in its last byte, which the digits overwrite. */
    static const char prefixes[PTX_CLASS_COUNT][4] = {{'%', 'p', 0, 2},   {'%', 'h', 0, 2},
                                                      {'%', 'r', 0, 2},   {'%', 'f', 0, 2},
                                                      {'%', 'r', 'd', 3}, {'%', 'f', 'd', 3}};
    const char *prefix = prefixes[ptx_reg_class(r)];
    uint32_t number = (r & 0x0FFFFFFF) - 1;
    memcpy(at, prefix, 4);
    at += prefix[3];
    if (number >= p->digits_count)
        return buf_digits(at, number);
    const char *digits = p->digits[number];
    memcpy(at, digits, 8);
    return at + digits[7];
}

EMIT_OUTLINE static ptx_operand new_with_digits(ptx *p, ptx_class c) {
    ptx_make_digits(p);
    return ptx_at(ptx_reg_of(c, p->count[c]++));
}

ptx_operand ptx_new(ptx *p, ptx_class c) {
    if (p->count[c] >= p->digits_count)
        return new_with_digits(p, c);
    return ptx_at(ptx_reg_of(c, p->count[c]++));
}

EMIT_OUTLINE static ptx_operand new_for_tile(ptx *p, ir_type type) {
    ptx_operand first = ptx_new(p, ptx_class_of(type));
    for (unsigned k = 1; k < ptx_registers_of(type); k++)
        ptx_new(p, ptx_class_of(type));
    return first;
}

ptx_operand ptx_new_for(ptx *p, ir_type type) {
    return ir_is_wave_tile(type) ? new_for_tile(p, type) : ptx_new(p, ptx_class_of(type));
}

ptx_operand ptx_dest(ptx *p, ir_value v) {
    ptx_reg *r = &p->reg[mat_home(&p->m, v)];
    return ptx_at(*r ? *r : (*r = ptx_new_for(p, ir_type_of(p->f, v)).reg));
}

/* `kind` is the first letter of the instruction's type. */
static char *put_integer(char *at, uint32_t value, char kind) {
    int64_t number = kind == 's' ? (int32_t)value : (int64_t)value;
    if (number > -100000 && number < (kind == 'b' ? 1024 : 100000)) {
        if (number < 0)
            *at++ = '-';
        return buf_digits(at, (uint64_t)(number < 0 ? -number : number));
    }
    return put_hex(put_text(at, "0x"), value, 8);
}

static char *put_immediate(char *at, ptx_operand o, char kind) {
    switch (o.type) {
    case IR_F32:
        return kind == 'b' ? put_hex(put_text(at, "0x"), o.bits, 8)
                           : put_hex(put_text(at, "0f"), o.bits, 8);
    case IR_F64: return put_hex(put_text(at, kind == 'b' ? "0x" : "0d"), o.bits, 16);
    case IR_U64:
        return o.bits < 1024 ? buf_digits(at, o.bits) : put_hex(put_text(at, "0x"), o.bits, 1);
    case IR_F16: return put_hex(put_text(at, "0x"), o.bits, 4);
    case IR_F16X2: return put_hex(put_text(at, "0x"), o.bits, 8);
    case IR_BOOL: return put_text(at, o.bits ? "1" : "0");
    case IR_VOID: return put_text(at, "_");
    default: return put_integer(at, (uint32_t)o.bits, kind);
    }
}

/* Constant memory belongs to the file, the others to the kernel. */
static const char *symbol_end(unsigned space) {
    return space == IR_PRIVATE ? "_private" : "_local";
}

/* A memory operand: a register or the symbol of its memory, plus an offset. */
static char *put_address(const ptx *p, char *at, ptx_operand o) {
    int64_t offset = (int64_t)o.bits;
    *at++ = '[';
    if (o.reg)
        at = put_register(p, at, o.reg);
    else if (o.type == IR_CONSTANT)
        at = put_text(at, EMIT_CONSTANTS);
    else
        at = put_text(put_text(at, p->o->symbol), symbol_end(o.type));
    if (offset) {
        *at++ = offset < 0 ? '-' : '+';
        at = buf_digits(at, (uint64_t)(offset < 0 ? -offset : offset));
    }
    *at++ = ']';
    return at;
}

/* The longest line without the symbol: wmma.mma, with 32 registers of at most 12 characters. */
enum { LONGEST = 600 };

static void parse_format(ptx_format *x, const char *format) {
    const bool whole = !strchr(" [", format[strlen(format) - 1]);
    *x = (ptx_format){.format = format, .rest = format, .end = whole ? 2 : 0, .kind = 'u'};
    if (*format == '@' || !strchr(format, ' '))
        return;
    memset(x->mnemonic, ' ', sizeof x->mnemonic);
    const char *c = format;
    for (; *c != ' '; c++) {
        if (x->length < sizeof x->mnemonic - 1)
            x->mnemonic[x->length++] = *c;
        if (*c == '.')
            x->kind = c[1];
    }
    x->length = (uint8_t)(x->length < MNEMONIC_WIDTH ? MNEMONIC_WIDTH : x->length + 1);
    x->rest = c + 1;
    for (c = x->rest; c[0] == '$' && c[1] == ',' && c[2] == ' '; c += 3)
        x->plain++;
    x->plain = (uint8_t)(c[0] == '$' && !c[1] ? x->plain + 1 : 0);
}

static char *put_rest(ptx *p, char *at, const ptx_format *x, const ptx_operand *operands) {
    for (const char *c = x->rest; *c; c++) {
        if (*c == '$') {
            ptx_operand o = *operands++;
            at = o.reg ? put_register(p, at, o.reg) : put_immediate(at, o, x->kind);
        } else if (*c == '&') {
            at = put_address(p, at, *operands++);
        } else {
            *at++ = *c;
        }
    }
    return at;
}

static char *put_plain(ptx *p, char *at, const ptx_format *x, const ptx_operand *operands) {
    for (unsigned k = x->plain; k; k--, operands++) {
        at = operands->reg ? put_register(p, at, operands->reg)
                           : put_immediate(at, *operands, x->kind);
        *at++ = ',';
        *at++ = ' ';
    }
    return at - 2;
}

static void put_line(ptx *p, const ptx_format *x, const ptx_operand *operands) {
    p->blank = false;
    if (p->out->capacity - p->out->size < LONGEST + p->symbol_length &&
        !buf_reserve(p->out, LONGEST + p->symbol_length))
        return;
    char *start = (char *)p->out->data + p->out->size, *at = start + INDENT;
    memcpy(start, "    ", INDENT);
    if (p->guard) {
        *at++ = '@';
        at = put_register(p, at, p->guard);
        *at++ = ' ';
        p->guard = 0;
    }
    memcpy(at, x->mnemonic, MNEMONIC_WIDTH);
    if (x->length > MNEMONIC_WIDTH)
        memcpy(at + MNEMONIC_WIDTH, x->mnemonic + MNEMONIC_WIDTH,
               sizeof x->mnemonic - MNEMONIC_WIDTH);
    at += x->length;
    at = x->plain ? put_plain(p, at, x, operands) : put_rest(p, at, x, operands);
    at[0] = ';';
    at[1] = '\n';
    p->out->size += (size_t)(at - start) + x->end;
}

void ptx_forget_formats(ptx *p) {
    for (unsigned k = 0; k < PTX_FORMATS; k++)
        p->formats[k].format = NULL;
    p->format_count = 0;
}

/* Writes a line whose format is not at its hash position: finds it by linear probing, or parses it.
 */
EMIT_OUTLINE static void put_other_line(ptx *p, const char *format, unsigned at,
                                        const ptx_operand *operands) {
    while (p->formats[at].format && p->formats[at].format != format)
        at = (at + 1) % PTX_FORMATS;
    if (!p->formats[at].format) {
        if (p->format_count == PTX_FORMATS / 2) /* unlikely: there are fewer formats */
            ptx_forget_formats(p);
        p->format_count++;
        parse_format(&p->formats[at], format);
    }
    put_line(p, &p->formats[at], operands);
}

void ptx_put_line(ptx *p, const char *format, const ptx_operand *operands) {
    /* The offset in the page is the same in every run; the page is not. */
    unsigned offset = (unsigned)(uintptr_t)format % 4096;
    unsigned at = (offset ^ offset >> 4) % PTX_FORMATS;
    const ptx_format *x = &p->formats[at];
    if (x->format == format)
        put_line(p, x, operands);
    else
        put_other_line(p, format, at, operands);
}

void ptx_put_made(ptx *p, const char *format, const ptx_operand *operands) {
    ptx_format x;
    parse_format(&x, format);
    put_line(p, &x, operands);
}

const char *ptx_join(char *text, const char *const *parts) {
    char *at = text;
    for (; *parts; parts++)
        at = put_text(at, *parts);
    *at = '\0';
    return text;
}

void ptx_end_line(ptx *p, const char *first, const char *second, const char *third) {
    buf_text(p->out, first);
    buf_text(p->out, second);
    buf_text(p->out, third);
    buf_text(p->out, ";\n");
}

void ptx_blank(ptx *p) {
    if (!p->blank)
        buf_char(p->out, '\n');
    p->blank = true;
}

/* ---- Labels ---- */

static void put_label(ptx *p, const char *kind, uint32_t number, const char *suffix) {
    buf_char(p->out, '$');
    buf_text(p->out, kind);
    buf_char(p->out, '_');
    buf_decimal(p->out, number);
    buf_text(p->out, suffix);
}

void ptx_target(ptx *p, const char *kind, uint32_t number, const char *suffix) {
    ptx_blank(p);
    put_label(p, kind, number, suffix);
    buf_text(p->out, ":\n");
    p->blank = false;
    p->dead = false;
}

void ptx_jump(ptx *p, ptx_reg predicate, bool negated, const char *kind, uint32_t number,
              const char *suffix) {
    if (predicate)
        ptx_line(p, negated ? "@!$ bra " : "@$ bra ", ptx_at(predicate));
    else
        ptx_line(p, "bra ", PTX_SINK);
    put_label(p, kind, number, suffix);
    buf_text(p->out, ";\n");
}

/* ---- Operands ---- */

bool ptx_const(const ptx *p, ir_value v, uint32_t *bits) {
    const ir_node *n = ir_at(p->f, v);
    if (n->op == IR_SPECIAL)
        return emit_special_constant(p->f, n->imm, bits);
    if (n->op != IR_CONST || ir_type_bits((ir_type)n->type) > 32)
        return false;
    *bits = (uint32_t)n->imm;
    return true;
}

ptx_operand ptx_in_reg(ptx *p, ptx_operand o) {
    if (o.reg)
        return o;
    ptx_operand r = ptx_new_for(p, (ir_type)o.type);
    ptx_move(p, (ir_type)o.type, r, o);
    return r;
}

ptx_operand ptx_use_other(ptx *p, ir_value v) {
    ir_type type = ir_type_of(p->f, v);
    uint32_t bits;
    while (ir_op_of(p->f, v) == IR_BITCAST && p->m.kind[v] == MAT_INLINE)
        v = ir_arg(p->f, v, 0); /* the same register */
    const ir_node *n = ir_at(p->f, v);
    ptx_operand o = ptx_imm(type, n->imm);
    if (ptx_const(p, v, &bits))
        o.bits = bits;
    else if (n->op != IR_CONST)
        return ptx_dest(p, v);
    /* These types have no immediates. */
    return type == IR_F16 || type == IR_F16X2 || type == IR_BOOL ? ptx_in_reg(p, o) : o;
}

ptx_operand ptx_use(ptx *p, ir_value v) {
    ptx_reg r = p->reg[mat_home(&p->m, v)];
    return r ? ptx_at(r) : ptx_use_other(p, v);
}

ptx_operand ptx_use_reg(ptx *p, ir_value v) {
    return ptx_in_reg(p, ptx_use(p, v));
}

ptx_operand ptx_condition(ptx *p, ir_value v, bool *negated) {
    *negated = false;
    while (ir_op_of(p->f, v) == IR_BNOT && p->m.kind[v] == MAT_INLINE) {
        *negated = !*negated;
        v = ir_arg(p->f, v, 0);
    }
    return ptx_use(p, v);
}

void ptx_move(ptx *p, ir_type type, ptx_operand to, ptx_operand from) {
    if (ir_is_wave_tile(type)) {
        ptx_tile_move(p, type, to, from);
        return;
    }
    switch (type) {
    case IR_BOOL: ptx_line(p, "mov.pred $, $", to, from); break;
    case IR_F16: ptx_line(p, "mov.b16 $, $", to, from); break;
    case IR_F32: ptx_line(p, "mov.f32 $, $", to, from); break;
    case IR_U64: ptx_line(p, "mov.b64 $, $", to, from); break;
    case IR_F64: ptx_line(p, "mov.f64 $, $", to, from); break;
    case IR_F16X2: ptx_line(p, "mov.b32 $, $", to, from); break;
    default: ptx_line(p, from.reg ? "mov.b32 $, $" : "mov.u32 $, $", to, from); break;
    }
}
