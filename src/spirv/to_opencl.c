/* The extended instructions of OpenCL, by the table opencl.def: an IR operation, a library
 * function, or a few operations (to_opencl_direct.c), component by component. */
#include "spirv/opencl_table.h"
#include "spirv/to_ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_OPERAND = 5 };

/* OpFRem and OpFMod use the same function. */
static bool is_remainder(const spirv_insn *insn) {
    return insn->op == SPIRV_OpFRem || insn->op == SPIRV_OpFMod;
}

static uint32_t number_of(const spirv_module *m, const spirv_insn *insn) {
    return is_remainder(insn) ? SPIRV_CL_fmod : spirv_word(m, insn, 4);
}

static opencl_row row_of(const spirv_module *m, const spirv_insn *insn) {
    return opencl_row_of(number_of(m, insn));
}

static uint32_t first_word(const spirv_insn *insn) {
    return is_remainder(insn) ? 3 : FIRST_OPERAND;
}

static const char *name_of(const spirv_module *m, const spirv_insn *insn) {
    const char *name = row_of(m, insn).name;
    return name ? name : "?";
}

/* The type of the first operand determines the components and their width. */
static const spirv_type *main_type(const spirv_module *m, const spirv_insn *insn) {
    return spirv_type_of(m, spirv_word(m, insn, first_word(insn)));
}

/* ---- Functions of the library ---- */

/* The width in which the library computes. */
static unsigned library_bits(const opencl_row *r, unsigned bits) {
    return bits == 16 && !(r->types & OPENCL_F16) ? 32 : bits;
}

static bool has_width(const opencl_row *r, unsigned bits) {
    return r->types & (bits == 64 ? OPENCL_F64 : bits == 32 ? OPENCL_F32 : OPENCL_F16);
}

/* A key combines the number of the instruction, the width and the vector size. */
enum { WIDTHS = 3, VECTORS = 5, PER_NUMBER = WIDTHS * VECTORS };

unsigned to_library_key(const spirv_module *m, const spirv_insn *insn) {
    if (insn->op != SPIRV_OpExtInst && !is_remainder(insn))
        return 0;
    if (insn->op == SPIRV_OpExtInst && m->defs[spirv_word(m, insn, 3)].index != SPIRV_SET_OPENCL)
        return 0;
    const opencl_row r = row_of(m, insn);
    const spirv_type *type = r.how == OPENCL_CALL ? main_type(m, insn) : NULL;
    if (!type)
        return 0;
    unsigned bits = library_bits(&r, spirv_scalar_of(m, type)->bits);
    unsigned width = bits == 64 ? 2 : bits == 16 ? 1 : 0;
    unsigned count = type->kind == SPIRV_VECTOR ? type->count : 1;
    if (!has_width(&r, bits) || (r.shape == OPENCL_VECTOR && count >= VECTORS))
        return 0;
    return 1 + number_of(m, insn) * PER_NUMBER + width * VECTORS +
           (r.shape == OPENCL_VECTOR ? count : 0);
}

spirv_library_name to_library_name(unsigned key) {
    static const char *const suffixes[WIDTHS] = {"", "_f16", "_f64"};
    const opencl_row r = opencl_row_of((key - 1) / PER_NUMBER);
    unsigned count = (key - 1) % VECTORS;
    const char *suffix = suffixes[(key - 1) % PER_NUMBER / VECTORS];
    spirv_library_name name;
    if (count)
        snprintf(name.text, sizeof name.text, "__wave_%s_%u%s", r.function, count, suffix);
    else
        snprintf(name.text, sizeof name.text, "__wave_%s%s", r.function, suffix);
    return name;
}

spirv_library_name *to_library_calls(const spirv_module *m, size_t *count) {
    bool seen[TO_LIBRARY_KEYS] = {0};
    *count = 0;
    for (uint32_t i = 0; i < m->insn_count; i++) {
        unsigned key = to_library_key(m, &m->insns[i]);
        *count += key && !seen[key];
        seen[key] = true;
    }
    spirv_library_name *names = calloc(*count + 1, sizeof *names);
    for (unsigned key = 1, n = 0; names && key < TO_LIBRARY_KEYS; key++)
        if (seen[key])
            names[n++] = to_library_name(key);
    return names;
}

/* Converts a float to the type of the library's functions, and back. */
static ir_value to_library(builder *b, ir_value x, unsigned bits) {
    if (ir_type_of(to_func(b), x) != IR_F16)
        return x;
    return bits == 16 ? to_bits(b, x) : to_1(b, IR_CVT_F32_F16, IR_F32, x);
}

static ir_value from_library(builder *b, ir_value x, ir_type wanted) {
    if (wanted != IR_F16)
        return x;
    return ir_type_of(to_func(b), x) == IR_F32 ? to_1(b, IR_CVT_F16_F32, IR_F16, x)
                                               : to_from_bits(b, x, IR_F16);
}

static bool call_library(builder *b, const opencl_row *r) {
    const spirv_module *m = to_module_of(b);
    to_module *in;
    uint32_t function, count = 0, component = b->frame->component;
    unsigned key = to_library_key(m, b->insn);
    if (!key)
        return to_fail(b, DIAG_E_SPIRV_FEATURE, "%s of %s is not supported", name_of(m, b->insn),
                       spirv_scalar_of(m, main_type(m, b->insn))->bits == 64
                           ? "double"
                           : "vectors of more than 4 components");
    if (!to_find_library(b->p, key, &in, &function))
        return to_fail(b, DIAG_E_SPIRV_IMPORT, "the library has no %s of this type",
                       name_of(m, b->insn));
    unsigned bits = library_bits(r, spirv_scalar_of(m, main_type(m, b->insn))->bits);
    uint32_t operands = (uint32_t)strlen(r->operands) - 2 - (r->shape == OPENCL_PAIR);
    for (uint32_t k = 0; k < operands && k < 4; k++) {
        to_value *v = &b->operands[k];
        if (!to_read(b, to_word(b, first_word(b->insn) + k), v))
            return false;
        if (r->shape != OPENCL_VECTOR) {
            v->v[0] = v->v[component < v->count ? component : 0];
            v->count = 1;
        }
        for (uint32_t j = 0; j < v->count; j++)
            v->v[j] = to_library(b, v->v[j], bits);
        count++;
    }
    return to_call(b, in, function, b->operands, count);
}

/* The second result of a function is stored through the instruction's last operand. */
static void store_second(builder *b, ir_value x, uint32_t component) {
    const spirv_module *m = to_module_of(b);
    spirv_id id = to_word(b, b->insn->count - 1u);
    const spirv_type *type = spirv_type_at(m, to_type_of(b, id)->element);
    const to_flat *flat = type ? to_flat_in(b, type->id) : NULL;
    to_pointer p;
    if (!flat || component >= flat->count || !to_read_pointer(b, id, &p))
        return;
    const to_scalar *s = &flat->list[component];
    if (s->type == IR_U32) {
        x = to_bits(b, x);
        x = ir_type_of(to_func(b), x) == IR_U64 ? to_resize(b, x, 64, 32, false) : x;
    } else {
        x = from_library(b, x, (ir_type)s->type);
    }
    to_store_scalar(b, p, s, type->align, x);
}

/* The remainder with the divisor's sign. */
static ir_value fix_sign(builder *b, ir_value r, uint32_t component) {
    to_value *y = &b->operands[1];
    if (b->insn->op != SPIRV_OpFMod || !to_read(b, to_word(b, 4), y))
        return r;
    unsigned bits = y->flat->list[0].bits;
    ir_value divisor = y->v[component], zero = to_zero(b, ir_type_of(to_func(b), r));
    ir_value below = to_2(b, IR_BXOR, IR_BOOL, to_scalar_op(b, SPIRV_OpFOrdLessThan, bits, r, zero),
                          to_scalar_op(b, SPIRV_OpFOrdLessThan, bits, divisor, zero));
    ir_value some = to_scalar_op(b, SPIRV_OpFUnordNotEqual, bits, r, zero);
    return to_select(b, to_2(b, IR_BAND, IR_BOOL, below, some),
                     to_scalar_op(b, SPIRV_OpFAdd, bits, r, divisor), r);
}

bool to_opencl_returned(builder *b, const ir_value *v, uint32_t count) {
    const opencl_row r = row_of(to_module_of(b), b->insn);
    const to_flat *flat = to_flat_in(b, b->insn->type);
    to_frame *f = b->frame;
    uint32_t at = f->component;
    if (!flat || !count || flat->count > 16)
        return false;
    if (r.shape == OPENCL_VECTOR) {
        for (uint32_t k = 0; k < count && k < flat->count; k++)
            f->parts[k] = from_library(b, v[k], (ir_type)flat->list[k].type);
        to_write(b, f->parts, flat->count, TO_ANYWHERE);
        return false;
    }
    ir_value second = count > 1 ? v[1] : 0;
    f->parts[at] = fix_sign(b, from_library(b, v[0], (ir_type)flat->list[at].type), at);
    if (r.shape == OPENCL_PAIR && second)
        store_second(b, second, at);
    f->component = at + 1 < flat->count ? at + 1 : 0;
    if (!f->component)
        to_write(b, f->parts, flat->count, TO_ANYWHERE);
    return f->component != 0;
}

/* ---- One operation ---- */

static ir_value operation(builder *b, const opencl_row *r, unsigned bits, const ir_value *x,
                          uint32_t n) {
    ir_value y[3];
    if (bits == 64)
        return r->f64_op ? to_make(b, (ir_op)r->f64_op, IR_F64, x, n) : 0;
    if (bits == 32)
        return to_make(b, (ir_op)r->f32_op, IR_F32, x, n);
    if (r->f32_op == IR_FMA)
        return to_make(b, IR_HMA, IR_F16, x, n);
    for (uint32_t k = 0; k < n; k++)
        y[k] = to_1(b, IR_CVT_F32_F16, IR_F32, x[k]);
    return to_1(b, IR_CVT_F16_F32, IR_F16, to_make(b, (ir_op)r->f32_op, IR_F32, y, n));
}

static bool build_operation(builder *b, const opencl_row *r) {
    to_value *v = b->operands;
    uint32_t n = (uint32_t)strlen(r->operands) - 2;
    for (uint32_t k = 0; k < n; k++)
        if (!to_read(b, to_word(b, FIRST_OPERAND + k), &v[k]))
            return false;
    for (uint32_t k = 0; k < v[0].count; k++) {
        ir_value x[3] = {0};
        for (uint32_t j = 0; j < n; j++)
            x[j] = v[j].v[k];
        v[3].v[k] = operation(b, r, v[0].flat->list[k].bits, x, n);
        if (!v[3].v[k])
            return to_fail(b, DIAG_E_SPIRV_FEATURE, "%s of double is not supported",
                           name_of(to_module_of(b), b->insn));
    }
    to_write(b, v[3].v, v[0].count, TO_ANYWHERE);
    return true;
}

/* ---- The instruction ---- */

bool to_opencl(builder *b, bool *called) {
    const spirv_module *m = to_module_of(b);
    if (b->insn->op == SPIRV_OpExtInst && m->defs[to_word(b, 3)].index != SPIRV_SET_OPENCL)
        return true; /* debug information */
    const opencl_row r = row_of(m, b->insn);
    *called = r.how == OPENCL_CALL;
    switch ((opencl_how)r.how) {
    case OPENCL_OPERATION: return build_operation(b, &r);
    case OPENCL_CALL: return call_library(b, &r);
    case OPENCL_DIRECT: return to_opencl_direct(b, to_word(b, 4), r.operands);
    case OPENCL_REFUSED:
        return to_fail(b, DIAG_E_SPIRV_FEATURE,
                       "%s is not supported: a kernel has no console; write to a buffer",
                       name_of(m, b->insn));
    default: return to_fail(b, DIAG_E_SPIRV_FEATURE, "unknown OpenCL function");
    }
}
