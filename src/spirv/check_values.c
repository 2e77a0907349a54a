/* Rules of single instructions that their rows cannot express: composites, vectors, calls,
 * casts. */
#include "spirv/reader.h"

static bool fail_type(const spirv_reader *r, const spirv_insn *insn, const char *what) {
    return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "%s", what);
}

/* ---- Parts of composites ---- */

spirv_id spirv_part_type(const spirv_reader *r, const spirv_insn *insn, spirv_id id,
                         uint32_t first_index) {
    const spirv_module *m = r->m;
    if (first_index >= insn->count) {
        spirv_fail(r, insn, DIAG_E_SPIRV_FORM, "it has no index");
        return 0;
    }
    for (uint32_t i = first_index; i < insn->count; i++) {
        const spirv_type *type = spirv_type_at(m, id);
        uint32_t index = spirv_word(m, insn, i);
        bool repeats = type->kind == SPIRV_VECTOR || type->kind == SPIRV_ARRAY;
        if ((!repeats && type->kind != SPIRV_STRUCT) || index >= type->count) {
            spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "there is no component %u", index);
            return 0;
        }
        id = repeats ? type->element : type->members[index].type;
    }
    return id;
}

static bool check_extract(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    spirv_id part = spirv_part_type(r, insn, m->defs[spirv_word(m, insn, 3)].type, 4);
    return part && (spirv_same_type(m, part, insn->type) ||
                    fail_type(r, insn, "the component's type differs from the result's"));
}

static bool check_insert(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    spirv_id part = spirv_part_type(r, insn, insn->type, 5);
    return part && (spirv_same_type(m, part, m->defs[spirv_word(m, insn, 3)].type) ||
                    fail_type(r, insn, "the component's type differs from the value's"));
}

/* Vectors are constructed from scalars and vectors, other composites from their parts. */
static bool check_vector_parts(const spirv_reader *r, const spirv_insn *insn,
                               const spirv_type *type) {
    const spirv_module *m = r->m;
    uint64_t count = 0;
    for (uint32_t i = 3; i < insn->count; i++) {
        const spirv_type *part = spirv_type_of(m, spirv_word(m, insn, i));
        if (!spirv_same_type(m, spirv_scalar_of(m, part)->id, type->element))
            return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "component %u has a different type",
                              i - 3);
        count += part->kind == SPIRV_VECTOR ? part->count : 1;
    }
    return count == type->count || fail_type(r, insn, "the components do not add up to the vector");
}

static bool check_construct(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    const spirv_type *type = spirv_type_at(m, insn->type);
    if (type->kind == SPIRV_VECTOR)
        return check_vector_parts(r, insn, type);
    if (type->kind != SPIRV_ARRAY && type->kind != SPIRV_STRUCT)
        return fail_type(r, insn, "the result is not a composite");
    if (insn->count - 3U != type->count)
        return fail_type(r, insn, "wrong number of components");
    for (uint32_t i = 0; i < type->count; i++) {
        spirv_id wanted = type->kind == SPIRV_ARRAY ? type->element : type->members[i].type;
        if (!spirv_same_type(m, m->defs[spirv_word(m, insn, 3 + i)].type, wanted))
            return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "component %u has a different type", i);
    }
    return true;
}

/* ---- Vectors ---- */

static bool check_shuffle(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    const spirv_type *a = spirv_type_of(m, spirv_word(m, insn, 3));
    const spirv_type *b = spirv_type_of(m, spirv_word(m, insn, 4));
    const spirv_type *result = spirv_type_at(m, insn->type);
    if (!spirv_same_type(m, a->element, b->element) ||
        !spirv_same_type(m, a->element, result->element))
        return fail_type(r, insn, "the vectors have different components");
    if (insn->count - 5U != result->count)
        return fail_type(r, insn, "the result has a different number of components");
    for (uint32_t i = 5; i < insn->count; i++) {
        uint32_t index = spirv_word(m, insn, i);
        if (index != UINT32_MAX && index >= a->count + b->count)
            return spirv_fail(r, insn, DIAG_E_SPIRV_FORM, "there is no component %u", index);
    }
    return true;
}

static bool check_dynamic(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    bool insert = insn->op == SPIRV_OpVectorInsertDynamic;
    const spirv_type *vector =
        insert ? spirv_type_at(m, insn->type) : spirv_type_of(m, spirv_word(m, insn, 3));
    spirv_id component = insert ? m->defs[spirv_word(m, insn, 4)].type : insn->type;
    return spirv_same_type(m, vector->element, component) ||
           fail_type(r, insn, "the component has a different type");
}

static bool check_times_scalar(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    const spirv_type *vector = spirv_type_at(m, insn->type);
    return spirv_same_type(m, spirv_scalar_of(m, vector)->id,
                           m->defs[spirv_word(m, insn, 4)].type) ||
           fail_type(r, insn, "the scalar's type differs from the components'");
}

/* Results that are a pair: a structure of two members of the operands' type. */
static bool check_pair(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    const spirv_type *pair = spirv_type_at(m, insn->type);
    spirv_id operand = m->defs[spirv_word(m, insn, 3)].type;
    return (pair->kind == SPIRV_STRUCT && pair->count == 2 &&
            spirv_same_type(m, pair->members[0].type, operand) &&
            spirv_same_type(m, pair->members[1].type, operand)) ||
           fail_type(r, insn, "the result is not a pair of the operands' type");
}

/* A mask of sub-group lanes is a vector of four 32-bit words. */
static bool check_ballot(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    spirv_id id = insn->type;
    if (insn->op != SPIRV_OpGroupNonUniformBallot && insn->op != SPIRV_OpSubgroupBallotKHR)
        id = m->defs[spirv_word(m, insn, insn->op == SPIRV_OpGroupNonUniformBallotBitCount ? 5 : 4)]
                 .type;
    const spirv_type *mask = spirv_type_at(m, id);
    const spirv_type *word = spirv_scalar_of(m, mask);
    return (mask->count == 4 && word->kind == SPIRV_INT && word->bits == 32) ||
           fail_type(r, insn, "a mask of lanes is a vector of four 32-bit integers");
}

/* ---- Casts ---- */

/* Bytes of the value itself: a vector of three has three. */
static uint64_t value_bytes(const spirv_module *m, const spirv_type *t) {
    return t->kind == SPIRV_VECTOR ? (uint64_t)spirv_element_size(m, t) * t->count : t->size;
}

static bool is_plain(const spirv_module *m, const spirv_type *t) {
    const spirv_type *scalar = spirv_scalar_of(m, t);
    return scalar->kind == SPIRV_INT || scalar->kind == SPIRV_FLOAT ||
           scalar->kind == SPIRV_POINTER;
}

static bool check_bitcast(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    const spirv_type *from = spirv_type_of(m, spirv_word(m, insn, 3));
    const spirv_type *to = spirv_type_at(m, insn->type);
    if (!is_plain(m, from) || !is_plain(m, to))
        return fail_type(r, insn, "only numbers, vectors and pointers can be cast");
    if (from->kind == SPIRV_POINTER && to->kind == SPIRV_POINTER && from->storage != to->storage)
        return fail_type(r, insn, "the storage class changes");
    return value_bytes(m, from) == value_bytes(m, to) ||
           fail_type(r, insn, "operand and result have different sizes");
}

/* A conversion between equal widths is invalid, but clang emits it. */
static bool check_width_change(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    const spirv_type *from = spirv_type_of(m, spirv_word(m, insn, 3));
    if (spirv_scalar_of(m, from)->bits == spirv_scalar_of(m, spirv_type_at(m, insn->type))->bits)
        spirv_warn(r, insn, "it converts to the width that the value already has");
    return true;
}

static bool check_any(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    const spirv_type *type = spirv_type_of(m, spirv_word(m, insn, 3));
    if (spirv_scalar_of(m, type)->kind == SPIRV_INT)
        spirv_warn(r, insn, "its operand is a vector of integers, not of bools");
    return true;
}

/* ---- Functions of OpenCL ---- */

enum { FIRST_OPERAND = 5 };

static uint32_t components(const spirv_type *t) {
    return t->kind == SPIRV_VECTOR ? t->count : 1;
}

static const spirv_type *operand_type(const spirv_module *m, const spirv_insn *insn, uint32_t k) {
    return spirv_type_of(m, spirv_word(m, insn, FIRST_OPERAND + k));
}

static bool is_int(const spirv_module *m, const spirv_type *t, unsigned bits) {
    const spirv_type *scalar = spirv_scalar_of(m, t);
    return scalar->kind == SPIRV_INT && scalar->bits == bits;
}

/* clang emits a single exponent for all components for ldexp(float4, int). */
static bool check_ldexp(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    const spirv_type *result = spirv_type_at(m, insn->type);
    const spirv_type *exponent = operand_type(m, insn, 1);
    if (!is_int(m, exponent, 32))
        return fail_type(r, insn, "the exponent is not an integer of 32 bits");
    if (components(exponent) == components(result))
        return true;
    if (exponent->kind != SPIRV_INT)
        return fail_type(r, insn, "the exponent has a different number of components");
    spirv_warn(r, insn, "it has one exponent for all components");
    return true;
}

/* Two halves make a result that is twice as wide. */
static bool check_upsample(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    const unsigned bits = spirv_scalar_of(m, operand_type(m, insn, 0))->bits;
    return (is_int(m, operand_type(m, insn, 1), bits) &&
            is_int(m, spirv_type_at(m, insn->type), 2 * bits)) ||
           fail_type(r, insn, "the result is not twice as wide as both operands");
}

static bool check_cl_shuffle(const spirv_reader *r, const spirv_insn *insn, uint32_t mask) {
    const spirv_module *m = r->m;
    const spirv_type *result = spirv_type_at(m, insn->type), *chosen = operand_type(m, insn, mask);
    for (uint32_t k = 0; k < mask; k++)
        if (!spirv_same_type(m, operand_type(m, insn, k)->element, result->element) ||
            operand_type(m, insn, k)->count != operand_type(m, insn, 0)->count)
            return fail_type(r, insn, "the vectors have different components");
    return (spirv_scalar_of(m, chosen)->kind == SPIRV_INT && chosen->count == result->count) ||
           fail_type(r, insn, "the mask does not have one integer per component of the result");
}

static bool check_cl_select(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    const spirv_type *result = spirv_type_at(m, insn->type), *choice = operand_type(m, insn, 2);
    return (is_plain(m, result) && components(choice) == components(result)) ||
           fail_type(r, insn, "the choice does not have one integer per component of the result");
}

/* The second result is stored through the pointer: an int per component, or what the first is. */
static bool check_second(const spirv_reader *r, const spirv_insn *insn, uint32_t k, bool ints) {
    const spirv_module *m = r->m;
    const spirv_type *pointer = operand_type(m, insn, k);
    const spirv_type *to = spirv_type_at(m, pointer->element);
    const spirv_type *result = spirv_type_at(m, insn->type);
    if (pointer->storage == SPIRV_UniformConstant || pointer->storage == SPIRV_Input)
        return fail_type(r, insn, "constant memory cannot be written");
    bool fits = ints ? is_int(m, to, 32) && components(to) == components(result)
                     : spirv_same_type(m, to->id, result->id);
    return fits || fail_type(r, insn, "the pointer does not point to the second result's type");
}

static bool check_extended(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    if (m->defs[spirv_word(m, insn, 3)].index != SPIRV_SET_OPENCL)
        return true;
    switch (spirv_word(m, insn, 4)) {
    case SPIRV_CL_ldexp: return check_ldexp(r, insn);
    case SPIRV_CL_pown:
    case SPIRV_CL_rootn:
        return is_int(m, operand_type(m, insn, 1), 32) ||
               fail_type(r, insn, "the exponent is not an integer of 32 bits");
    case SPIRV_CL_ilogb:
        return is_int(m, spirv_type_at(m, insn->type), 32) ||
               fail_type(r, insn, "the result is not an integer of 32 bits");
    case SPIRV_CL_nan:
        return is_int(m, operand_type(m, insn, 0),
                      spirv_scalar_of(m, spirv_type_at(m, insn->type))->bits) ||
               fail_type(r, insn, "the operand is not as wide as the result");
    case SPIRV_CL_u_upsample:
    case SPIRV_CL_s_upsample: return check_upsample(r, insn);
    case SPIRV_CL_bitselect:
        return is_plain(m, spirv_type_at(m, insn->type)) ||
               fail_type(r, insn, "only numbers and vectors of them have bits to select");
    case SPIRV_CL_shuffle: return check_cl_shuffle(r, insn, 1);
    case SPIRV_CL_shuffle2: return check_cl_shuffle(r, insn, 2);
    case SPIRV_CL_select: return check_cl_select(r, insn);
    case SPIRV_CL_fract:
    case SPIRV_CL_modf:
    case SPIRV_CL_sincos: return check_second(r, insn, 1, false);
    case SPIRV_CL_frexp:
    case SPIRV_CL_lgamma_r: return check_second(r, insn, 1, true);
    case SPIRV_CL_remquo: return check_second(r, insn, 2, true);
    default: return true;
    }
}

/* ---- Control ---- */

static bool check_call(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    const spirv_function *f = &m->functions[m->defs[spirv_word(m, insn, 3)].index];
    const spirv_type *type = spirv_type_at(m, f->type);
    if (!spirv_same_type(m, f->result, insn->type))
        return fail_type(r, insn, "the function returns a different type");
    if (insn->count - 4U != type->count)
        return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "the function has %u parameters, not %u",
                          type->count, insn->count - 4U);
    for (uint32_t i = 0; i < type->count; i++)
        if (!spirv_same_type(m, m->defs[spirv_word(m, insn, 4 + i)].type, type->parameters[i]))
            return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "argument %u has a different type", i);
    return true;
}

static bool check_phi(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    for (uint32_t i = 3; i < insn->count; i += 2)
        if (!spirv_same_type(m, m->defs[spirv_word(m, insn, i)].type, insn->type))
            return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "%%%u has a different type",
                              spirv_word(m, insn, i));
    return true;
}

static bool check_return(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    spirv_id wanted = r->m->functions[r->function_now].result;
    if (insn->op == SPIRV_OpReturn)
        return spirv_type_at(m, wanted)->kind == SPIRV_VOID ||
               fail_type(r, insn, "the function returns a value");
    return spirv_same_type(m, m->defs[spirv_word(m, insn, 1)].type, wanted) ||
           fail_type(r, insn, "the function returns a different type");
}

static bool check_control(const spirv_reader *r, const spirv_insn *insn) {
    switch (insn->op) {
    case SPIRV_OpFunctionCall: return check_call(r, insn);
    case SPIRV_OpPhi: return check_phi(r, insn);
    case SPIRV_OpReturn:
    case SPIRV_OpReturnValue: return check_return(r, insn);
    default: return true;
    }
}

bool spirv_check_value(const spirv_reader *r, const spirv_insn *insn) {
    switch (insn->op) {
    case SPIRV_OpCompositeExtract: return check_extract(r, insn);
    case SPIRV_OpCompositeInsert: return check_insert(r, insn);
    case SPIRV_OpCompositeConstruct: return check_construct(r, insn);
    case SPIRV_OpVectorShuffle: return check_shuffle(r, insn);
    case SPIRV_OpVectorExtractDynamic:
    case SPIRV_OpVectorInsertDynamic: return check_dynamic(r, insn);
    case SPIRV_OpVectorTimesScalar: return check_times_scalar(r, insn);
    case SPIRV_OpIAddCarry:
    case SPIRV_OpISubBorrow:
    case SPIRV_OpUMulExtended:
    case SPIRV_OpSMulExtended: return check_pair(r, insn);
    case SPIRV_OpGroupNonUniformBallot:
    case SPIRV_OpSubgroupBallotKHR:
    case SPIRV_OpGroupNonUniformInverseBallot:
    case SPIRV_OpGroupNonUniformBallotBitExtract:
    case SPIRV_OpGroupNonUniformBallotBitCount:
    case SPIRV_OpGroupNonUniformBallotFindLSB:
    case SPIRV_OpGroupNonUniformBallotFindMSB: return check_ballot(r, insn);
    case SPIRV_OpExtInst: return check_extended(r, insn);
    case SPIRV_OpBitcast: return check_bitcast(r, insn);
    case SPIRV_OpSConvert:
    case SPIRV_OpUConvert: return check_width_change(r, insn);
    case SPIRV_OpAny:
    case SPIRV_OpAll: return check_any(r, insn);
    default: return check_control(r, insn);
    }
}
