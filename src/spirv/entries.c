/* Entry points with their execution modes, and what is known about a kernel's arguments. */
#include "spirv/reader.h"

#include <stdlib.h>
#include <string.h>

enum { KERNEL_MODEL = 6 };

/* ---- Arguments ---- */

static bool find_arguments(const spirv_reader *r, spirv_entry *entry) {
    const spirv_module *m = r->m;
    const spirv_function *f = &m->functions[entry->function];
    spirv_argument *arguments = spirv_room(r, f->parameter_count, sizeof *arguments);
    if (!arguments)
        return false;
    spirv_source_list types = spirv_source_types(r, entry->name);
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        spirv_id id = f->parameters[i], type = m->defs[id].type;
        bool by_value = spirv_has_attribute(m, id, SPIRV_ByVal);
        const spirv_type *pointer = spirv_type_at(m, type);
        arguments[i] = (spirv_argument){
            .id = id,
            .type = type,
            .name = m->defs[id].name,
            .source_type = spirv_next_source_type(&types),
            .by_value = by_value && pointer->kind == SPIRV_POINTER ? pointer->element : 0,
            .sign_extended = spirv_has_attribute(m, id, SPIRV_Sext),
            .no_write = spirv_has_attribute(m, id, SPIRV_NoWrite) ||
                        spirv_has_attribute(m, id, SPIRV_NoReadWrite),
            .no_alias = spirv_has_attribute(m, id, SPIRV_NoAlias)};
    }
    entry->arguments = arguments;
    entry->argument_count = f->parameter_count;
    return true;
}

/* ---- Modes ---- */

/* Three numbers, literal or ids of constants. Only the operands of OpExecutionModeId are known to
 * be ids. */
static bool read_sizes(const spirv_reader *r, const spirv_insn *insn, bool ids, uint32_t out[3]) {
    const spirv_module *m = r->m;
    if (ids != (insn->op == SPIRV_OpExecutionModeId))
        return spirv_fail(r, insn, DIAG_E_SPIRV_FORM, "the sizes of this mode are %s",
                          ids ? "ids" : "literals");
    if (insn->count != 6)
        return spirv_fail(r, insn, DIAG_E_SPIRV_FORM, "three sizes are expected");
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t value = spirv_word(m, insn, 3 + i);
        if (ids && !spirv_constant_number(m, (spirv_id)value, &value))
            return spirv_fail(r, insn, DIAG_E_SPIRV_ID, "size %u is not a constant", i);
        if (value == 0 || value > UINT32_MAX)
            return spirv_fail(r, insn, DIAG_E_SPIRV_FORM, "size %u is not a valid workgroup size",
                              i);
        out[i] = (uint32_t)value;
    }
    return true;
}

/* Hints have no effect, and nothing is ever contracted. */
static bool read_mode(const spirv_reader *r, const spirv_insn *insn, spirv_entry *entry) {
    uint32_t mode = spirv_word(r->m, insn, 2), hint[3];
    switch (mode) {
    case SPIRV_Mode_LocalSize: return read_sizes(r, insn, false, entry->workgroup);
    case SPIRV_Mode_LocalSizeId: return read_sizes(r, insn, true, entry->workgroup);
    case SPIRV_Mode_LocalSizeHint: return read_sizes(r, insn, false, hint);
    case SPIRV_Mode_LocalSizeHintId: return read_sizes(r, insn, true, hint);
    case SPIRV_Mode_SubgroupSize:
    case SPIRV_Mode_SubgroupsPerWorkgroup:
    case SPIRV_Mode_SubgroupsPerWorkgroupId:
        return spirv_fail(r, insn, DIAG_E_SPIRV_FEATURE,
                          "the kernel %s requires %s; WAVE leaves it to the target", entry->name,
                          mode == SPIRV_Mode_SubgroupSize ? "a sub-group size"
                                                          : "a number of sub-groups");
    case SPIRV_Mode_ContractionOff:
    case SPIRV_Mode_VecTypeHint:
    case SPIRV_Mode_DenormPreserve:
    case SPIRV_Mode_SignedZeroInfNanPreserve:
    case SPIRV_Mode_RoundingModeRTE: return true;
    default:
        return spirv_fail(r, insn, DIAG_E_SPIRV_FEATURE, "WAVE kernels have no execution mode %u",
                          mode);
    }
}

/* ---- Entry points ---- */

static bool is_wanted(const spirv_reader *r, const char *name) {
    return !r->options->kernel || strcmp(r->options->kernel, name) == 0;
}

static bool add_entry(spirv_reader *r, const spirv_insn *insn) {
    spirv_module *m = r->m;
    const char *name = spirv_string(m, insn->word + 3);
    spirv_id function = spirv_word(m, insn, 2);
    if (spirv_word(m, insn, 1) != KERNEL_MODEL)
        return spirv_fail(r, insn, DIAG_E_SPIRV_FEATURE, "%s is not a kernel: execution model %u",
                          name, spirv_word(m, insn, 1));
    if (!is_wanted(r, name))
        return true;
    if (!*name || !spirv_is_text(name))
        return spirv_fail(r, insn, DIAG_E_SPIRV_FORM, "the kernel's name is %s",
                          *name ? "not UTF-8" : "empty");
    const spirv_function *f = &m->functions[m->defs[function].index];
    if (f->block_count == 0 || spirv_type_at(m, f->result)->kind != SPIRV_VOID)
        return spirv_fail(r, insn, DIAG_E_SPIRV_TYPE, "the kernel has no body, or returns a value");
    if (r->entry_of[m->defs[function].index])
        return spirv_fail(r, insn, DIAG_E_SPIRV_LAYOUT, "the function is already a kernel");
    spirv_entry *entry = &m->entries[m->entry_count++];
    r->entry_of[m->defs[function].index] = m->entry_count;
    *entry = (spirv_entry){.name = name, .function = m->defs[function].index};
    m->functions[entry->function].name = name;
    return find_arguments(r, entry);
}

static bool visit(spirv_reader *r, const spirv_insn *insn) {
    spirv_module *m = r->m;
    if (insn->op == SPIRV_OpEntryPoint)
        return add_entry(r, insn);
    if (insn->op != SPIRV_OpExecutionMode && insn->op != SPIRV_OpExecutionModeId)
        return true;
    if (insn->count < 3)
        return spirv_fail(r, insn, DIAG_E_SPIRV_FORM, "words are missing");
    uint32_t entry = r->entry_of[m->defs[spirv_word(m, insn, 1)].index];
    return entry == 0 || read_mode(r, insn, &m->entries[entry - 1]);
}

static bool no_kernels(const spirv_reader *r) {
    diag_place place = DIAG_NOWHERE;
    place.hint = "mark a function as __kernel; --kernel takes the name of such a function";
    if (r->options->kernel)
        diag_report(r->diags, DIAG_E_NO_KERNELS, &place, "the module has no kernel %s",
                    r->options->kernel);
    else
        diag_report(r->diags, DIAG_E_NO_KERNELS, &place, "the module has no kernels");
    return false;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool names_differ(const spirv_reader *r) {
    const spirv_module *m = r->m;
    const char **names = spirv_room(r, m->entry_count, sizeof *names);
    if (!names)
        return false;
    for (uint32_t i = 0; i < m->entry_count; i++)
        names[i] = m->entries[i].name;
    qsort(names, m->entry_count, sizeof *names, by_name);
    for (uint32_t i = 1; i < m->entry_count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return spirv_fail(r, NULL, DIAG_E_SPIRV_LAYOUT, "two kernels have the name %s",
                              names[i]);
    return true;
}

bool spirv_enter(spirv_reader *r) {
    spirv_module *m = r->m;
    size_t most = 0;
    for (uint32_t i = 0; i < r->first_body; i++)
        most += m->insns[i].op == SPIRV_OpEntryPoint;
    m->entries = spirv_room(r, most, sizeof *m->entries);
    r->entry_of = spirv_room(r, m->function_count, sizeof *r->entry_of);
    if (!m->entries || !r->entry_of || !spirv_find_source_types(r))
        return false;
    for (uint32_t i = 0; i < r->first_body; i++)
        if (!visit(r, &m->insns[i]))
            return false;
    if (m->entry_count == 0)
        return r->library || no_kernels(r);
    return names_differ(r);
}
