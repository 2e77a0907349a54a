/* libFuzzer target: passes any bytes as a WBIN file to the container reader, the decoder, the
 * validator and the disassembler, in every mode. The disassembly of a canonical file must assemble
 * to the same bytes. */
#include "frontend/frontend.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition)
        abort();
}

/* Properties that every user of a module relies on. */
static void check_kernel(const fe_kernel *k, wave_mode mode) {
    uint32_t pc = 0;
    require(k->register_limit >= 1 && k->register_limit <= ISA_MAX_REGISTERS);
    require(k->info.argument_words <= k->register_limit);
    require(k->info.max_depth <= ISA_MAX_DEPTH);
    buf text = {0};
    for (uint32_t i = 0; i < k->info.instructions; i++) {
        const fe_insn *insn = &k->insns[i];
        require(insn->op > ISA_NONE && insn->op < ISA_OP_COUNT && insn->pc == pc);
        const isa_desc *desc = &isa_table[insn->op];
        if ((desc->flags & ISA_CONTROL) && insn->op != ISA_HALT && insn->op != ISA_RETURN)
            require(insn->partner < k->info.instructions);
        for (unsigned f = 0; f < ISA_FIELDS && mode != WAVE_MODE_LENIENT; f++) {
            unsigned count = isa_role_registers((isa_role)desc->role[f]);
            require(count == 0 || insn->field[f] + count <= k->register_limit);
        }
        text.size = 0;
        fe_insn_text(&text, insn, k->insns, 0);
        require(!text.failed && text.size > 0);
        pc += desc->words * 4u;
    }
    require(pc == k->info.code_size);
    buf_free(&text);
}

static wave_module *load(const uint8_t *data, size_t size, const wave_load_options *options,
                         size_t *warnings) {
    wave_diags *diags = wave_diags_create(20);
    wave_module *module;
    require(diags != NULL);
    wave_status status = fe_module_load(data, size, options, &module, diags);
    require(status == WAVE_OK || status == WAVE_ERROR_INPUT);
    require((status == WAVE_OK) == (module != NULL));
    require((status == WAVE_OK) == (wave_diags_total(diags, WAVE_ERROR) == 0));
    *warnings = wave_diags_total(diags, WAVE_WARNING);
    wave_blob text;
    require(wave_diags_format(diags, "input", WAVE_DIAG_JSON, &text) == WAVE_OK);
    wave_blob_free(&text);
    wave_diags_destroy(diags);
    for (size_t i = 0; module && i < module->kernel_count; i++)
        check_kernel(&module->kernels[i], options->mode);
    return module;
}

/* Each mode uses a different form of output: testing all combinations is not worth the time. */
static void disassemble(const uint8_t *data, size_t size, const wave_load_options *load_options) {
    wave_dis_options options = {.load = *load_options};
    options.json = load_options->mode == WAVE_MODE_STRICT;
    options.offsets = options.raw = options.color = load_options->mode == WAVE_MODE_LENIENT;
    wave_blob text;
    wave_status status = wave_disassemble(data, size, &options, &text, NULL);
    require(status == WAVE_OK || status == WAVE_ERROR_INPUT);
    wave_blob_free(&text);
}

static bool uses_extensions(const wave_module *module) {
    for (size_t i = 0; i < module->kernel_count; i++)
        for (uint32_t j = 0; j < module->kernels[i].info.instructions; j++) {
            const fe_insn *insn = &module->kernels[i].insns[j];
            const isa_desc *desc = &isa_table[insn->op];
            if (desc->flags & ISA_EXTENSION)
                return true;
            if (desc->role[ISA_FIELD_RS1] == ISA_ROLE_PN &&
                (insn->field[ISA_FIELD_RS1] & FE_OPERAND_NEG))
                return true;
        }
    return false;
}

/* The bytes that our writer produces for the same kernels. */
static bool is_canonical(const wave_module *module, const uint8_t *data, size_t size) {
    arena memory = {0};
    fe_container file;
    const wave_load_options strict = {.mode = WAVE_MODE_STRICT};
    require(fe_read_container(data, size, &strict, &memory, &file, NULL));
    buf out = {0};
    require(fe_write_container(file.records, file.record_count, file.extended, file.stripped, false,
                               &file.extras, &out));
    bool same = out.size == size && memcmp(out.data, data, size) == 0;
    buf_free(&out);
    arena_free(&memory);
    return same && module->extended == uses_extensions(module);
}

static void check_round_trip(const uint8_t *data, size_t size) {
    wave_blob text, again;
    const wave_dis_options with_lines = {.source = true};
    require(wave_disassemble(data, size, &with_lines, &text, NULL) == WAVE_OK);
    require(wave_assemble((const char *)text.data, text.size, NULL, &again, NULL) == WAVE_OK);
    require(again.size == size && memcmp(again.data, data, size) == 0);
    wave_blob_free(&text);
    wave_blob_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (int mode = WAVE_MODE_DEFAULT; mode <= WAVE_MODE_LENIENT; mode++) {
        wave_load_options options = {.mode = (wave_mode)mode};
        size_t warnings;
        wave_module *module = load(data, size, &options, &warnings);
        disassemble(data, size, &options);
        if (module && mode == WAVE_MODE_STRICT && is_canonical(module, data, size))
            check_round_trip(data, size);
        wave_module_destroy(module);
        options.compat = options.fix_upstream_cas = options.fix_upstream_cvt = true;
        wave_module_destroy(load(data, size, &options, &warnings));
    }
    return 0;
}
