/* libFuzzer target: any bytes as a SPIR-V module. A module that the reader accepts has the
 * guarantees of spirv.h; the WBIN file made from it can be loaded. */
#include "fuzz/spirv_mutator.h"

#include "frontend/frontend.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition)
        abort();
}

static void check_types(const spirv_module *m) {
    for (uint32_t i = 0; i < m->type_count; i++) {
        const spirv_type *t = &m->types[i];
        require(m->defs[t->id].index == i && (t->align & (t->align - 1)) == 0);
        require(!t->element || t->kind == SPIRV_POINTER || spirv_type_at(m, t->element));
        for (uint32_t k = 0; t->kind == SPIRV_STRUCT && k < t->count; k++)
            require(t->members[k].offset < t->size && spirv_type_at(m, t->members[k].type));
    }
    for (uint32_t i = 0; i < m->constant_count; i++) {
        const spirv_constant *c = &m->constants[i];
        require(spirv_constant_at(m, c->id) == c);
        for (uint32_t k = 0; c->kind == SPIRV_COMPOSITE && k < c->count; k++)
            require(spirv_constant_at(m, c->elements[k]) != NULL);
    }
}

/* Every operand that is an id exists; targets are blocks. */
static void check_function(const spirv_module *m, const spirv_function *f) {
    for (uint32_t b = 0; b < f->block_count; b++) {
        const spirv_block *block = &f->blocks[b];
        require(block->count > 0 && block->first + block->count <= m->insn_count);
        for (uint32_t i = 0; i < block->target_count; i++)
            require(block->targets[i] > 0 && block->targets[i] < f->block_count);
        for (uint32_t i = 0; i < block->count; i++) {
            const spirv_insn *insn = &m->insns[block->first + i];
            spirv_cursor cursor = spirv_operands(m, insn);
            spirv_operand operand;
            while (spirv_next(m, insn, &cursor, &operand)) {
                require(operand.words > 0 && operand.index + operand.words <= insn->count);
                if (strchr("IJFGBLbifNVpReCvHKcm", operand.letter))
                    require(spirv_type_of(m, spirv_word(m, insn, operand.index)) != NULL);
            }
        }
    }
}

static void check_module(const spirv_module *m) {
    check_types(m);
    for (uint32_t i = 0; i < m->function_count; i++)
        check_function(m, &m->functions[i]);
    require(m->entry_count > 0);
}

static void convert(const uint8_t *data, size_t size, bool optimise) {
    const wave_spirv_options options = {.no_optimise = !optimise, .debug = true};
    wave_diags *diags = wave_diags_create(20);
    wave_blob file = {0};
    require(diags != NULL);
    wave_status status = wave_from_spirv(data, size, &options, &file, diags);
    require((status == WAVE_OK) == (wave_diags_total(diags, WAVE_ERROR) == 0));
    for (size_t i = 0; i < wave_diags_count(diags); i++)
        require(strcmp(wave_diags_at(diags, i)->code, "E_IR") != 0);
    wave_module *module = NULL;
    if (status == WAVE_OK)
        require(fe_module_load(file.data, file.size, NULL, &module, diags) == WAVE_OK);
    wave_module_destroy(module);
    wave_blob_free(&file);
    wave_diags_destroy(diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wave_diags *diags = wave_diags_create(20);
    spirv_module m;
    require(diags != NULL);
    bool ok = spirv_read(data, size, NULL, &m, diags);
    require(ok == (wave_diags_total(diags, WAVE_ERROR) == 0));
    if (ok)
        check_module(&m);
    spirv_module_free(&m);
    wave_diags_destroy(diags);
    if (ok) {
        convert(data, size, false);
        convert(data, size, true);
    }
    return 0;
}
