/* Rules of memory instructions that their rows cannot express: what pointers point to. */
#include "spirv/reader.h"

static bool fail_type(const spirv_reader *r, const spirv_insn *insn, const char *what) {
    return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "%s", what);
}

/* The pointee type of a pointer operand. */
static const spirv_type *target_of(const spirv_module *m, spirv_id pointer) {
    return spirv_type_at(m, spirv_type_of(m, pointer)->element);
}

static bool check_load(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    spirv_id pointed = target_of(m, spirv_word(m, insn, 3))->id;
    if (spirv_type_at(m, insn->type)->size == 0)
        return fail_type(r, insn, "the loaded type has no size");
    return spirv_same_type(m, pointed, insn->type) ||
           fail_type(r, insn, "the pointer does not point to the result's type");
}

static bool check_store(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    spirv_id pointed = target_of(m, spirv_word(m, insn, 1))->id;
    const spirv_type *value = spirv_type_of(m, spirv_word(m, insn, 2));
    if (value->size == 0)
        return fail_type(r, insn, "the stored type has no size");
    uint8_t storage = spirv_type_of(m, spirv_word(m, insn, 1))->storage;
    if (storage == SPIRV_UniformConstant || storage == SPIRV_Input)
        return fail_type(r, insn, "constant memory cannot be written");
    return spirv_same_type(m, pointed, value->id) ||
           fail_type(r, insn, "the pointer does not point to the value's type");
}

static bool check_copy(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    const spirv_type *to = target_of(m, spirv_word(m, insn, 1));
    const spirv_type *from = target_of(m, spirv_word(m, insn, 2));
    uint8_t storage = spirv_type_of(m, spirv_word(m, insn, 1))->storage;
    if (storage == SPIRV_UniformConstant || storage == SPIRV_Input)
        return fail_type(r, insn, "constant memory cannot be written");
    if (insn->op == SPIRV_OpCopyMemorySized)
        return true;
    return (to->size != 0 && spirv_same_type(m, to->id, from->id)) ||
           fail_type(r, insn, "the pointers point to different types");
}

static bool check_variable(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    const spirv_type *type = spirv_type_at(m, insn->type);
    const spirv_type *held = spirv_type_at(m, type->element);
    if (type->storage != SPIRV_Function)
        return fail_type(r, insn, "its type is not a pointer to the storage class Function");
    if (held->size == 0)
        return fail_type(r, insn, "its element type has no size");
    return insn->count <= 4 || spirv_same_type(m, m->defs[spirv_word(m, insn, 4)].type, held->id) ||
           fail_type(r, insn, "its initialiser has a different type");
}

/* ---- Access chains ---- */

static const spirv_type *step_into(const spirv_reader *r, const spirv_insn *insn,
                                   const spirv_type *type, spirv_id index) {
    uint64_t number;
    if (type->kind == SPIRV_ARRAY || type->kind == SPIRV_VECTOR)
        return spirv_type_at(r->m, type->element);
    if (type->kind == SPIRV_STRUCT && spirv_constant_number(r->m, index, &number) &&
        number < type->count)
        return spirv_type_at(r->m, type->members[number].type);
    spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "the index %%%u selects nothing", index);
    return NULL;
}

static bool check_chain(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    bool with_element =
        insn->op == SPIRV_OpPtrAccessChain || insn->op == SPIRV_OpInBoundsPtrAccessChain;
    const spirv_type *base = spirv_type_of(m, spirv_word(m, insn, 3));
    const spirv_type *result = spirv_type_at(m, insn->type);
    const spirv_type *type = spirv_type_at(m, base->element);
    if (with_element && type->size == 0)
        return fail_type(r, insn, "the pointer's element type has no size");
    for (uint32_t i = with_element ? 5 : 4; i < insn->count && type; i++)
        type = step_into(r, insn, type, spirv_word(m, insn, i));
    if (!type)
        return false;
    if (result->storage != base->storage)
        return fail_type(r, insn, "the storage class changes");
    return spirv_same_type(m, type->id, result->element) ||
           fail_type(r, insn, "the result points to a different type");
}

/* ---- Casts ---- */

static bool check_generic(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    const spirv_type *from = spirv_type_of(m, spirv_word(m, insn, 3));
    const spirv_type *to = spirv_type_at(m, insn->type);
    bool widens = insn->op == SPIRV_OpPtrCastToGeneric;
    uint8_t generic = widens ? to->storage : from->storage;
    uint8_t named = widens ? from->storage : to->storage;
    return (generic == SPIRV_Generic &&
            (named == SPIRV_CrossWorkgroup || named == SPIRV_Workgroup || named == SPIRV_Function ||
             named == SPIRV_Generic)) ||
           fail_type(r, insn, "it must cast between a named address space and the generic one");
}

/* ---- Atomics ---- */

static bool check_atomic(const spirv_reader *r, const spirv_insn *insn, uint32_t pointer,
                         spirv_id value) {
    const spirv_module *m = r->m;
    const spirv_type *type = spirv_type_at(m, value);
    uint8_t storage = spirv_type_of(m, spirv_word(m, insn, pointer))->storage;
    if (storage == SPIRV_UniformConstant || storage == SPIRV_Input)
        return fail_type(r, insn, "constant memory has no atomics");
    if (type->bits < 32 && type->kind != SPIRV_BOOL)
        return spirv_fail(r, insn, DIAG_E_SPIRV_FEATURE, "WAVE has no %u-bit atomics", type->bits);
    return type->kind == SPIRV_BOOL ||
           spirv_same_type(m, target_of(m, spirv_word(m, insn, pointer))->id, value) ||
           fail_type(r, insn, "the pointer points to a different type");
}

static bool check_event_copy(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    const spirv_type *to = target_of(m, spirv_word(m, insn, 4));
    const spirv_type *from = target_of(m, spirv_word(m, insn, 5));
    uint8_t written = spirv_type_of(m, spirv_word(m, insn, 4))->storage;
    uint8_t read = spirv_type_of(m, spirv_word(m, insn, 5))->storage;
    if (written == SPIRV_UniformConstant || written == SPIRV_Input || read == SPIRV_Input)
        return fail_type(r, insn, "it must copy between local and global memory");
    return (to->size != 0 && spirv_same_type(m, to->id, from->id)) ||
           fail_type(r, insn, "the pointers point to different types");
}

bool spirv_check_memory(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    switch (insn->op) {
    case SPIRV_OpLoad: return check_load(r, insn);
    case SPIRV_OpStore: return check_store(r, insn);
    case SPIRV_OpCopyMemory:
    case SPIRV_OpCopyMemorySized: return check_copy(r, insn);
    case SPIRV_OpVariable: return check_variable(r, insn);
    case SPIRV_OpAccessChain:
    case SPIRV_OpInBoundsAccessChain:
    case SPIRV_OpPtrAccessChain:
    case SPIRV_OpInBoundsPtrAccessChain: return check_chain(r, insn);
    case SPIRV_OpPtrCastToGeneric:
    case SPIRV_OpGenericCastToPtr:
    case SPIRV_OpGenericCastToPtrExplicit: return check_generic(r, insn);
    case SPIRV_OpAtomicStore: return check_atomic(r, insn, 1, m->defs[spirv_word(m, insn, 4)].type);
    case SPIRV_OpAtomicFlagClear: return true;
    case SPIRV_OpGroupAsyncCopy: return check_event_copy(r, insn);
    default: break;
    }
    bool atomic = insn->op >= SPIRV_OpAtomicLoad && insn->op <= SPIRV_OpAtomicXor;
    bool atomic_float = insn->op == SPIRV_OpAtomicFAddEXT || insn->op == SPIRV_OpAtomicFMinEXT ||
                        insn->op == SPIRV_OpAtomicFMaxEXT ||
                        insn->op == SPIRV_OpAtomicFlagTestAndSet;
    return !(atomic || atomic_float) || check_atomic(r, insn, 3, insn->type);
}
