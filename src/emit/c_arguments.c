/* Declared arguments in the C family: members of a typed structure, and elements of contained
 * buffers by name.
 *
 *   arg2                                     args.n
 *   bitcast arg3                             args.a
 *   load(device, 4, +4) buffer(2) arg0, %1   x[(u1 & 0x3FFFFFFFu) + 1]
 *
 * The offset is the index times the element size, modulo 2^32. The index bits that this shifts out
 * are masked off unless they are known to be 0. Accesses whose type differs from the buffer's are
 * printed as addresses, like all others. */
#include "emit/c_printer.h"

#include <string.h>

static const emit_argument *member_at(const c_printer *p, uint64_t word) {
    return p->o->arguments.count ? emit_argument_at(&p->o->arguments, (uint32_t)word) : NULL;
}

/* ---- Words ---- */

static void put_member(c_printer *p, const emit_argument *m) {
    c_use(p, C_ARGS);
    buf_char(p->out, '.');
    buf_text(p->out, m->name);
}

/* Text with $0 replaced by a member. */
static void put_in(c_printer *p, const char *text, const emit_argument *m) {
    for (const char *c = text; *c; c++) {
        if (*c == '$') {
            put_member(p, m);
            c++;
        } else {
            buf_char(p->out, *c);
        }
    }
}

/* One word of a 64-bit number. */
static void put_half(c_printer *p, const emit_argument *m, bool high) {
    const char *bits = m->is->type == WAVE_TYPE_F64 ? p->t->bitcasts[IR_U64][IR_F64] : "$0";
    buf_text(p->out, high ? "(uint32_t)(" : "(uint32_t)");
    put_in(p, bits, m);
    buf_text(p->out, high ? " >> 32)" : "");
}

static bool is_signed(const emit_argument *m) {
    return m && m->is->kind == WAVE_ARGUMENT_SCALAR &&
           (m->is->type == WAVE_TYPE_I32 || m->is->type == WAVE_TYPE_I8 ||
            m->is->type == WAVE_TYPE_I16);
}

static bool is_float(const emit_argument *m) {
    return m && m->is->kind == WAVE_ARGUMENT_SCALAR && m->is->type == WAVE_TYPE_F32;
}

void c_argument(c_printer *p, ir_value v, unsigned level) {
    uint64_t word = ir_at(p->f, v)->imm;
    const emit_argument *m = member_at(p, word);
    bool whole = m && p->t->structure == EMIT_STRUCTURE_WHOLE && emit_is_wide(m->is);
    bool cast = whole || is_signed(m), closed = cast && level > C_UNARY;
    buf_text(p->out, closed ? "(" : "");
    if (!m) {
        c_use(p, C_ARGS);
        buf_printf(p->out, ".r[%u]", (unsigned)word);
    } else if (is_float(m)) {
        put_in(p, p->t->bitcasts[IR_U32][IR_F32], m);
    } else if (whole) {
        put_half(p, m, word != m->is->first_word);
    } else {
        buf_text(p->out, cast ? "(uint32_t)" : "");
        put_member(p, m);
        if (m->is->words > 1)
            buf_printf(p->out, "[%u]", (unsigned)(word - m->is->first_word));
    }
    buf_text(p->out, closed ? ")" : "");
}

bool c_typed_argument(c_printer *p, ir_value v, ir_type type) {
    if (ir_op_of(p->f, v) != IR_ARG)
        return false;
    const emit_argument *m = member_at(p, ir_at(p->f, v)->imm);
    if (type == IR_F32 ? !is_float(m) : !is_signed(m))
        return false;
    put_member(p, m);
    return true;
}

bool c_wide_argument(c_printer *p, ir_value v, ir_type type) {
    if (ir_op_of(p->f, v) != IR_PACK64 || p->m.kind[v] != MAT_INLINE ||
        p->t->structure != EMIT_STRUCTURE_WHOLE)
        return false;
    ir_value low = ir_arg(p->f, v, 0), high = ir_arg(p->f, v, 1);
    if (ir_op_of(p->f, low) != IR_ARG || ir_op_of(p->f, high) != IR_ARG)
        return false;
    uint64_t word = ir_at(p->f, low)->imm;
    const emit_argument *m = member_at(p, word);
    wave_type is = m ? (wave_type)m->is->type : WAVE_TYPE_BYTES;
    if (!m || !emit_is_wide(m->is) || m->is->first_word != word ||
        ir_at(p->f, high)->imm != word + 1 ||
        (type == IR_F64 ? is != WAVE_TYPE_F64 : is != WAVE_TYPE_U64))
        return false;
    put_member(p, m);
    return true;
}

/* ---- Elements ---- */

typedef struct element {
    const emit_argument *buffer;
    size_t number;  /* index of the buffer in the list of members */
    ir_value index; /* 0: a constant */
    uint32_t mask;  /* applied to the index; 0: not needed */
    uint64_t added;
} element;

/* The memory type of a buffer's elements; C_HELPERS for bytes; above C_HELPERS for none. */
static unsigned element_type(const wave_argument *a) {
    switch (a->type) {
    case WAVE_TYPE_F32: return C_MEM_F32;
    case WAVE_TYPE_U32:
    case WAVE_TYPE_I32: return C_MEM_U32;
    case WAVE_TYPE_U64:
    case WAVE_TYPE_I64: return C_MEM_U64;
    case WAVE_TYPE_F64: return C_MEM_F64;
    case WAVE_TYPE_F16:
    case WAVE_TYPE_BF16:
    case WAVE_TYPE_U16:
    case WAVE_TYPE_I16: return C_MEM_U16;
    case WAVE_TYPE_U8:
    case WAVE_TYPE_I8: return C_HELPERS;
    default: return C_HELPERS + 1;
    }
}

static unsigned shift_of(unsigned type) {
    switch (type) {
    case C_HELPERS: return 0;
    case C_MEM_U16: return 1;
    case C_MEM_U64:
    case C_MEM_F64: return 3;
    default: return 2;
    }
}

/* Whether a pointer of this name would hide a function that the kernel calls (c_function.c). */
static bool hides_function(const c_printer *p, const char *name) {
    static const char part[] = "_part";
    if (!p->part_count)
        return false;
    size_t length = strlen(p->o->symbol);
    return strncmp(name, p->o->symbol, length) == 0 &&
           strncmp(name + length, part, sizeof part - 1) == 0;
}

/* Whether the access is to an element of the buffer's type (for an atomic operation: of its size),
 * and to which element. */
static bool find_element(c_printer *p, ir_value v, unsigned type, element *out) {
    ir_access a = ir_access_unpack(ir_at(p->f, v)->imm);
    ir_value pointer = ir_arg(p->f, v, 0);
    uint32_t bits;
    if (p->split || ir_op_of(p->f, pointer) != IR_BUFFER ||
        ir_op_of(p->f, ir_arg(p->f, pointer, 0)) != IR_ARG)
        return false;
    const emit_argument *m = member_at(p, ir_at(p->f, ir_arg(p->f, pointer, 0))->imm);
    unsigned has = m ? element_type(m->is) : 0, shift = shift_of(has);
    uint64_t imm = ir_at(p->f, pointer)->imm, scale = imm & IR_INDEX_SHIFT;
    if (!m || hides_function(p, m->name) || m->is->kind != WAVE_ARGUMENT_BUFFER ||
        (a.bytes == 1 ? C_HELPERS : type) != has)
        return false;
    *out = (element){.buffer = m,
                     .number = (size_t)(m - p->o->arguments.at),
                     .index = ir_arg(p->f, pointer, 1),
                     .added = (uint64_t)(uint32_t)a.offset >> shift};
    bool whole = ((uint32_t)a.offset & ((1u << shift) - 1)) == 0;
    if (c_const(p, out->index, &bits)) {
        bits <<= scale;
        out->index = 0;
        out->added += bits >> shift;
        return whole && (bits & ((1u << shift) - 1)) == 0;
    }
    if (shift && !(imm & IR_INDEX_EXACT))
        out->mask = UINT32_MAX >> shift;
    return whole && scale == shift && (shift || !out->added);
}

static bool only_reads(ir_op op) {
    return op == IR_LOAD || op == IR_LOADS || op == IR_LOAD64;
}

bool c_element(c_printer *p, ir_value v, unsigned type, const char *before) {
    element e;
    if (!find_element(p, v, type, &e))
        return false;
    bool sum = e.index && e.added;
    p->buffers[e.number] |= only_reads(ir_op_of(p->f, v)) ? C_BUFFER_USED : C_BUFFER_WRITTEN;
    c_need_names(p, C_BIT(C_MEM) | C_BIT(C_ARGS));
    if (element_type(e.buffer->is) != C_HELPERS)
        c_need(p, element_type(e.buffer->is));
    buf_text(p->out, before);
    buf_text(p->out, e.buffer->name);
    buf_char(p->out, '[');
    if (e.mask) {
        buf_text(p->out, sum ? "(" : "");
        c_expression(p, e.index, C_UNARY);
        buf_printf(p->out, " & 0x%Xu%s", (unsigned)e.mask, sum ? ")" : "");
    } else if (e.index) {
        c_expression(p, e.index, sum ? C_ADD : C_ANY);
    }
    buf_text(p->out, sum ? " + " : "");
    if (e.added || !e.index)
        buf_decimal(p->out, e.added);
    buf_char(p->out, ']');
    return true;
}

bool c_element_pointer(c_printer *p, ir_value v, unsigned type) {
    static const unsigned words[] = {C_MEM_U32, C_MEM_F32};
    element e;
    for (unsigned k = 0; k < 2; k++) {
        if (!find_element(p, v, words[k], &e))
            continue;
        if (words[k] != type && type < C_HELPERS) {
            c_need(p, type);
            buf_printf(p->out, "(%s%s *)", p->t->device, c_helpers[type].name);
        }
        return c_element(p, v, words[k], "&");
    }
    return false;
}

/* "    const mem_f32 *__restrict__ x = (const mem_f32 *)(mem + args.x);" */
void c_put_buffers(c_printer *p, buf *out) {
    for (size_t k = 0; k < p->o->arguments.count; k++) {
        const emit_argument *m = &p->o->arguments.at[k];
        if (!p->buffers[k])
            continue;
        unsigned type = element_type(m->is);
        const char *name = type == C_HELPERS ? "uint8_t" : c_helpers[type].name;
        const char *constant = p->buffers[k] & C_BUFFER_WRITTEN ? "" : "const ";
        bool alone = m->is->flags & WAVE_ARGUMENT_RESTRICT;
        buf_printf(out, "    %s%s%s *%s%s = (%s%s%s *)(mem + args.%s);\n", p->t->device, constant,
                   name, alone ? p->t->restricted : "", m->name, p->t->device, constant, name,
                   m->name);
    }
}
