/* Lookups in a module that was read, and reports about its instructions. */
#include "base/text.h"
#include "spirv/reader.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void spirv_module_free(spirv_module *module) {
    free(module->words);
    free(module->defs);
    arena_free(&module->memory);
    *module = (spirv_module){0};
}

const spirv_constant *spirv_constant_at(const spirv_module *m, spirv_id id) {
    const spirv_def *def = &m->defs[id];
    if (def->kind == SPIRV_ID_CONSTANT)
        return &m->constants[def->index];
    if (def->kind == SPIRV_ID_VARIABLE)
        return &m->addresses[def->index];
    return NULL;
}

bool spirv_constant_number(const spirv_module *m, spirv_id id, uint64_t *bits) {
    const spirv_constant *c = spirv_constant_at(m, id);
    const spirv_type *type = c ? spirv_type_at(m, c->type) : NULL;
    if (!type || type->kind != SPIRV_INT || (c->kind != SPIRV_SCALAR && c->kind != SPIRV_NULL))
        return false;
    *bits = c->kind == SPIRV_SCALAR ? c->bits : 0;
    return true;
}

const spirv_decoration *spirv_decorated(const spirv_module *m, spirv_id id, uint32_t member,
                                        uint32_t decoration) {
    const spirv_def *def = &m->defs[id];
    for (uint32_t i = 0; i < def->decoration_count; i++) {
        const spirv_decoration *d = &m->decorations[def->decorations + i];
        if (d->decoration == decoration && d->member == member)
            return d;
    }
    return NULL;
}

bool spirv_has_attribute(const spirv_module *m, spirv_id id, uint32_t attribute) {
    const spirv_def *def = &m->defs[id];
    for (uint32_t i = 0; i < def->decoration_count; i++) {
        const spirv_decoration *d = &m->decorations[def->decorations + i];
        if (d->decoration == SPIRV_Dec_FuncParamAttr && d->operands[0] == attribute)
            return true;
    }
    return false;
}

const char *spirv_linkage_name(const spirv_module *m, spirv_id id, bool *imported) {
    const spirv_decoration *d = spirv_decorated(m, id, UINT32_MAX, SPIRV_Dec_LinkageAttributes);
    const char *name = d ? (const char *)d->operands : m->defs[id].name;
    *imported = d && d->operands[spirv_string_words(name)] == SPIRV_Linkage_Import;
    return name;
}

const char *spirv_string(const spirv_module *m, uint32_t word) {
    return (const char *)&m->words[word];
}

bool spirv_is_text(const char *text) {
    return text_is_utf8(text, strlen(text));
}

/* ---- Reports ---- */

/* The function that contains an instruction, by its source name; "" if unknown. */
static const char *function_of(const spirv_module *m, const spirv_insn *insn) {
    static const char twin[] = "__clang_ocl_kern_imp_"; /* clang's second copy of a kernel */
    uint32_t low = 0, high = m->functions ? m->function_count : 0;
    bool ours = insn >= m->insns && insn < m->insns + m->insn_count;
    while (ours && low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->functions[middle].insn <= (uint32_t)(insn - m->insns))
            low = middle + 1;
        else
            high = middle;
    }
    const char *name = ours && low ? m->functions[low - 1].name : NULL;
    if (!name)
        return ""; /* or it is still being read */
    return strncmp(name, twin, sizeof twin - 1) == 0 ? name + sizeof twin - 1 : name;
}

static void report(const spirv_module *m, const spirv_insn *insn, diag_code code, wave_diags *diags,
                   const char *format, va_list args) {
    if (!diags)
        return;
    buf text = {0};
    if (insn) {
        const char *function = function_of(m, insn);
        buf_printf(&text, "%s at word %u", spirv_op_name(insn->op), insn->word);
        if (*function)
            buf_printf(&text, " in %s", function);
        buf_text(&text, ": ");
    }
    buf_vprintf(&text, format, args);
    buf_char(&text, '\0');
    diag_place place = DIAG_NOWHERE;
    if (insn)
        place.offset = (int64_t)insn->word * 4;
    if (insn && m->places && m->places[insn->place].line) {
        place.file = m->places[insn->place].file;
        place.line = m->places[insn->place].line;
        place.column = m->places[insn->place].column;
    }
    if (text.failed)
        diag_report(diags, DIAG_E_MEMORY, &place, "out of memory");
    else
        diag_report(diags, code, &place, "%s", (const char *)text.data);
    buf_free(&text);
}

void spirv_report(const spirv_module *m, const spirv_insn *insn, diag_code code, wave_diags *diags,
                  const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(m, insn, code, diags, format, args);
    va_end(args);
}

bool spirv_fail(const spirv_reader *r, const spirv_insn *insn, diag_code code, const char *format,
                ...) {
    va_list args;
    va_start(args, format);
    report(r->m, insn, code, r->diags, format, args);
    va_end(args);
    return false;
}

void spirv_warn(const spirv_reader *r, const spirv_insn *insn, const char *format, ...) {
    va_list args;
    if (r->options->no_warnings)
        return;
    va_start(args, format);
    report(r->m, insn, DIAG_W_SPIRV, r->diags, format, args);
    va_end(args);
}

bool spirv_no_memory(const spirv_reader *r) {
    return spirv_fail(r, NULL, DIAG_E_MEMORY, "out of memory");
}

void *spirv_room(const spirv_reader *r, size_t count, size_t size) {
    void *room = count < SIZE_MAX / 2 / size ? arena_alloc(&r->m->memory, count * size + 1) : NULL;
    if (!room)
        spirv_no_memory(r);
    return room;
}
