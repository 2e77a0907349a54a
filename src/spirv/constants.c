/* Constants and specialisation constants. Folding is in fold.c. */
#include "spirv/reader.h"

static bool bad_constant(const spirv_reader *r, const spirv_insn *insn, const char *what) {
    return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "%s", what);
}

static uint64_t low_bits(uint64_t value, unsigned bits) {
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

/* ---- --spec ---- */

/* Whether an integer fits the type. SPIR-V for kernels has no signs, so both ranges count. */
static bool fits(const spirv_spec *spec, unsigned bits) {
    if (bits == 64)
        return true;
    bool negative = spec->is_signed && spec->bits >> 63;
    return negative ? ~spec->bits >> (bits - 1U) == 0 : spec->bits >> bits == 0;
}

/* The bits of a value from the command line; false: it does not fit the type. */
static bool convert(const spirv_spec *spec, const spirv_type *type, uint64_t *bits) {
    static const spirv_type integer = {.kind = SPIRV_INT, .bits = 64};
    if (type->kind != SPIRV_FLOAT) {
        *bits = low_bits(spec->bits, type->bits);
        return !spec->is_float && fits(spec, type->bits);
    }
    if (spec->is_float) {
        *bits = spirv_float_bits(spec->number, type->bits);
        return true;
    }
    const uint64_t values[3] = {spec->bits};
    return spirv_fold_number(spec->is_signed ? SPIRV_OpConvertSToF : SPIRV_OpConvertUToF, &integer,
                             type, values, bits);
}

/* The value from the command line replaces the module's. */
static bool specialise(spirv_reader *r, const spirv_insn *insn, const spirv_type *type,
                       uint64_t *bits) {
    const spirv_decoration *d = spirv_decorated(r->m, insn->result, UINT32_MAX, SPIRV_Dec_SpecId);
    for (size_t i = 0; d && i < r->options->spec_count; i++) {
        const spirv_spec *spec = &r->options->specs[i];
        if (spec->id != d->operands[0])
            continue;
        r->spec_used[i] = true;
        if (!convert(spec, type, bits))
            return spirv_fail(r, insn, DIAG_E_SPIRV_SPEC,
                              "the value for constant %u is not a %s of %u bits", spec->id,
                              type->kind == SPIRV_BOOL ? "bool" : "integer", type->bits);
    }
    return true;
}

/* ---- Kinds of constants ---- */

static bool number(spirv_reader *r, const spirv_insn *insn, const spirv_type *type,
                   spirv_constant *out) {
    if (type->kind != SPIRV_INT && type->kind != SPIRV_FLOAT)
        return bad_constant(r, insn, "its type is not a number");
    uint32_t words = type->bits == 64 ? 2 : 1;
    if (insn->count != 3 + words)
        return spirv_fail(r, insn, DIAG_E_SPIRV_FORM, "a number of %u bits is %s long", type->bits,
                          words == 2 ? "two words" : "one word");
    uint64_t bits = spirv_word(r->m, insn, 3);
    if (words == 2)
        bits |= (uint64_t)spirv_word(r->m, insn, 4) << 32;
    out->kind = SPIRV_SCALAR;
    out->bits = low_bits(bits, type->bits);
    return insn->op != SPIRV_OpSpecConstant || specialise(r, insn, type, &out->bits);
}

static bool truth(spirv_reader *r, const spirv_insn *insn, const spirv_type *type,
                  spirv_constant *out) {
    if (type->kind != SPIRV_BOOL)
        return bad_constant(r, insn, "its type is not bool");
    out->kind = SPIRV_SCALAR;
    out->bits = insn->op == SPIRV_OpConstantTrue || insn->op == SPIRV_OpSpecConstantTrue;
    bool special = insn->op == SPIRV_OpSpecConstantTrue || insn->op == SPIRV_OpSpecConstantFalse;
    return !special || specialise(r, insn, type, &out->bits);
}

/* The type of part i of a composite; 0: it has none. */
static spirv_id part_type(const spirv_type *type, uint32_t i) {
    if (type->kind == SPIRV_VECTOR || type->kind == SPIRV_ARRAY)
        return i < type->count ? type->element : 0;
    return type->kind == SPIRV_STRUCT && i < type->count ? type->members[i].type : 0;
}

static bool composite(const spirv_reader *r, const spirv_insn *insn, const spirv_type *type,
                      spirv_constant *out) {
    const spirv_module *m = r->m;
    uint32_t count = insn->count - 3U;
    if (part_type(type, 0) == 0 && type->kind != SPIRV_STRUCT)
        return bad_constant(r, insn, "its type is not a composite");
    if (count != type->count)
        return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "the type has %u components, the constant %u",
                          type->count, count);
    out->kind = SPIRV_COMPOSITE;
    out->elements = &m->words[insn->word + 3];
    out->count = count;
    for (uint32_t i = 0; i < count; i++)
        if (!spirv_same_type(m, m->defs[out->elements[i]].type, part_type(type, i)))
            return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "component %u has a different type", i);
    return true;
}

static bool without_value(const spirv_reader *r, const spirv_insn *insn, const spirv_type *type,
                          spirv_constant *out) {
    if (type->size == 0)
        return bad_constant(r, insn, "no constant can have its type");
    out->kind = insn->op == SPIRV_OpUndef ? SPIRV_UNDEF : SPIRV_NULL;
    return true;
}

static bool build(spirv_reader *r, const spirv_insn *insn, spirv_constant *out) {
    const spirv_type *type = spirv_type_at(r->m, insn->type);
    switch (insn->op) {
    case SPIRV_OpConstant:
    case SPIRV_OpSpecConstant: return number(r, insn, type, out);
    case SPIRV_OpConstantTrue:
    case SPIRV_OpConstantFalse:
    case SPIRV_OpSpecConstantTrue:
    case SPIRV_OpSpecConstantFalse: return truth(r, insn, type, out);
    case SPIRV_OpConstantComposite:
    case SPIRV_OpSpecConstantComposite: return composite(r, insn, type, out);
    case SPIRV_OpSpecConstantOp: return spirv_fold(r, insn, out);
    default: return without_value(r, insn, type, out);
    }
}

/* The index is assigned last, because folding may add other constants first. */
bool spirv_declare_constant(spirv_reader *r, const spirv_insn *insn) {
    spirv_module *m = r->m;
    spirv_constant made = {.id = insn->result, .type = insn->type};
    if (!build(r, insn, &made))
        return false;
    m->defs[insn->result].index = m->constant_count;
    m->constants[m->constant_count++] = made;
    return true;
}

spirv_constant *spirv_add_constant(spirv_reader *r, spirv_id type) {
    spirv_module *m = r->m;
    spirv_id id = m->bound++;
    m->defs[id] = (spirv_def){
        .kind = SPIRV_ID_CONSTANT, .index = m->constant_count, .type = type, .name = ""};
    spirv_constant *made = &m->constants[m->constant_count++];
    *made = (spirv_constant){.id = id, .type = type};
    return made;
}
