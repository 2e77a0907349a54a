/* Types, constants and global variables, in the order of the module. */
#include "spirv/reader.h"

#include <stdio.h>

static bool make_room(spirv_reader *r) {
    spirv_module *m = r->m;
    m->types = spirv_room(r, r->most_types, sizeof *m->types);
    m->constants = spirv_room(r, (size_t)r->most_constants + r->spare_ids, sizeof *m->constants);
    m->variables = spirv_room(r, r->most_variables, sizeof *m->variables);
    m->addresses = spirv_room(r, r->most_variables, sizeof *m->addresses);
    r->spec_used = spirv_room(r, r->options->spec_count, sizeof *r->spec_used);
    return m->types && m->constants && m->variables && m->addresses && r->spec_used;
}

/* ---- Variables ---- */

static bool check_storage(const spirv_reader *r, const spirv_insn *insn, uint32_t storage) {
    static const uint32_t good = 1U << SPIRV_UniformConstant | 1U << SPIRV_Input |
                                 1U << SPIRV_Workgroup | 1U << SPIRV_CrossWorkgroup |
                                 1U << SPIRV_Private;
    if (storage < 32 && good >> storage & 1)
        return true;
    return spirv_fail(r, insn, DIAG_E_SPIRV_FORM, "a global variable cannot have storage class %u",
                      storage);
}

static bool check_variable(const spirv_reader *r, const spirv_insn *insn) {
    const spirv_module *m = r->m;
    const spirv_type *type = spirv_type_at(m, insn->type);
    uint32_t storage = spirv_word(m, insn, 3);
    if (type->kind != SPIRV_POINTER || type->storage != storage)
        return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE,
                          "its type is not a pointer to storage class %u", storage);
    if (spirv_type_at(m, type->element)->size == 0)
        return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "its element type has no size");
    if (insn->count <= 4)
        return true;
    spirv_id initializer = spirv_word(m, insn, 4);
    return spirv_same_type(m, m->defs[initializer].type, type->element) ||
           spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "its initialiser %%%u has a different type",
                      initializer);
}

/* The alignment from the decoration, if it is a power of two, or from the type. For memset clang
 * creates byte arrays without a decoration and copies from them with the alignment of the
 * destination: 16 is enough. */
static uint32_t alignment(const spirv_module *m, spirv_id id, const spirv_type *held,
                          uint32_t storage) {
    const spirv_decoration *d = spirv_decorated(m, id, UINT32_MAX, SPIRV_Dec_Alignment);
    bool filler = !d && storage == SPIRV_UniformConstant && held->kind == SPIRV_ARRAY;
    uint32_t natural = filler && held->align < 16 ? 16 : held->align;
    bool good = d && d->operands[0] && (d->operands[0] & (d->operands[0] - 1)) == 0;
    return good && d->operands[0] > natural ? d->operands[0] : natural;
}

/* The OpName, or "%31": messages name every variable. NULL is reported. */
static const char *name_of(const spirv_reader *r, spirv_id id) {
    const char *name = r->m->defs[id].name;
    char *made = *name ? NULL : spirv_room(r, 12, 1);
    if (made)
        snprintf(made, 12, "%%%u", id);
    return *name ? name : made;
}

static bool declare_variable(spirv_reader *r, const spirv_insn *insn) {
    spirv_module *m = r->m;
    uint32_t storage = spirv_word(m, insn, 3), index = m->variable_count;
    if (!check_storage(r, insn, storage) || !check_variable(r, insn))
        return false;
    const spirv_type *held = spirv_type_at(m, spirv_type_at(m, insn->type)->element);
    const spirv_decoration *builtin =
        spirv_decorated(m, insn->result, UINT32_MAX, SPIRV_Dec_BuiltIn);
    m->variables[index] =
        (spirv_variable){.id = insn->result,
                         .type = insn->type,
                         .initializer = insn->count > 4 ? spirv_word(m, insn, 4) : 0,
                         .storage = (uint8_t)storage,
                         .builtin = builtin ? (int32_t)(builtin->operands[0] & INT32_MAX) : -1,
                         .align = alignment(m, insn->result, held, storage),
                         .name = name_of(r, insn->result)};
    spirv_linkage_name(m, insn->result, &m->variables[index].imported);
    m->addresses[index] = (spirv_constant){
        .id = insn->result, .type = insn->type, .kind = SPIRV_ADDRESS, .variable = insn->result};
    m->defs[insn->result].index = index;
    m->variable_count++;
    if (!m->variables[index].name)
        return false;
    if (storage == SPIRV_Input && !builtin)
        return spirv_fail(r, insn, DIAG_E_SPIRV_FORM, "an Input variable without BuiltIn");
    return true;
}

/* ---- All ---- */

static bool declare(spirv_reader *r, const spirv_insn *insn) {
    if (!insn->result)
        return true;
    switch (r->m->defs[insn->result].kind) {
    case SPIRV_ID_TYPE: return spirv_declare_type(r, insn);
    case SPIRV_ID_CONSTANT: return spirv_declare_constant(r, insn);
    case SPIRV_ID_VARIABLE: return declare_variable(r, insn);
    default: return true;
    }
}

static bool check_specs(const spirv_reader *r) {
    for (size_t i = 0; i < r->options->spec_count; i++)
        if (!r->spec_used[i])
            return spirv_fail(r, NULL, DIAG_E_SPIRV_SPEC,
                              "the module has no specialisation constant %u",
                              r->options->specs[i].id);
    return true;
}

bool spirv_declare(spirv_reader *r) {
    if (!make_room(r))
        return false;
    for (uint32_t i = 0; i < r->first_body; i++)
        if (!declare(r, &r->m->insns[i]))
            return false;
    return check_specs(r);
}
