/* wave_assemble: runs the parser, resolves calls, checks what needs the whole file, writes it. */
#include "asm/asm.h"
#include "asm/dump.h"
#include "frontend/frontend.h"

#include <stdlib.h>
#include <string.h>

static const size_t LARGEST_SOURCE = (size_t)1 << 30;
/* What may be spent on "did you mean" in one run, whatever the source. */
static const uint64_t SUGGESTION_CELLS = 4000000;

/* ---- Calls ---- */

static void undefined_label(asm_state *a, const asm_place *place) {
    char hint[ASM_HINT_SIZE];
    asm_suggestion near = asm_suggest(&a->reporter, place->at, place->length);
    if (near.limit > 0)
        for (size_t i = 0; i < a->label_names.count; i++)
            asm_suggest_try(&near, a->label_names.list[i].text, a->label_names.list[i].length);
    asm_error(&a->reporter, DIAG_E_LABEL, place, asm_suggest_hint(&near, hint, NULL),
              "label '%.*s' is not defined", asm_shown(place->length), place->at);
}

static void resolve_call(asm_state *a, const asm_call *call) {
    const asm_name *name = asm_names_find(&a->label_names, call->place.at, call->place.length);
    if (!name) {
        undefined_label(a, &call->place);
        return;
    }
    const asm_label *label = &a->labels[name->value];
    if (label->kernel != call->kernel && !a->compat) {
        asm_error(&a->reporter, DIAG_E_LABEL, &call->place,
                  "a call stays in its kernel; define the function in this kernel too",
                  "label '%.*s' (line %u) is %s", asm_shown(call->place.length), call->place.at,
                  label->place.line,
                  label->kernel == ASM_NO_KERNEL ? "outside every kernel" : "in another kernel");
        return;
    }
    for (unsigned i = 0; i < 4; i++)
        a->code.data[call->at + i] = (uint8_t)(label->offset >> (8 * i));
}

/* ---- Kernels ---- */

/* Limits of the container: errors, as in every reader; but upstream writes such files. */
static void check_limits(asm_state *a, const asm_kernel *kernel) {
    if (kernel->registers > ISA_MAX_REGISTERS)
        asm_report(&a->reporter, !a->compat, DIAG_E_REGISTER_COUNT, &kernel->registers_at, NULL,
                   "%u registers are too many", kernel->registers);
    if (kernel->local_memory > ISA_MAX_LOCAL)
        asm_report(&a->reporter, !a->compat, DIAG_E_LOCAL_SIZE, &kernel->local_at, NULL,
                   "%u bytes of local memory are too many", kernel->local_memory);
    const uint32_t *size = kernel->workgroup;
    bool none = !size[0] && !size[1] && !size[2];
    bool all = size[0] && size[1] && size[2];
    uint64_t plane = (uint64_t)size[0] * size[1];
    if (!none && (!all || plane > ISA_MAX_THREADS || plane * size[2] > ISA_MAX_THREADS))
        asm_report(&a->reporter, !a->compat, DIAG_E_WORKGROUP_SIZE, &kernel->workgroup_at, NULL,
                   all ? "the workgroup has more than 1024 threads"
                       : "some but not all sizes of the workgroup are 0");
}

/* One warning a kernel, at the first register past its count. */
static void check_registers(asm_state *a) {
    uint32_t warned = ASM_NO_KERNEL;
    for (size_t i = 0; i < a->high_count; i++) {
        const asm_high *high = &a->highs[i];
        uint32_t declared = a->kernels[high->kernel].registers;
        uint32_t limit = declared ? declared : ISA_DEFAULT_REGISTERS;
        if (high->kernel == warned || high->number < limit)
            continue;
        warned = high->kernel;
        asm_warning(&a->reporter, DIAG_W_REGISTER, &high->place, NULL,
                    "register r%u does not exist: the kernel has %u registers%s", high->number,
                    limit, a->kernels[high->kernel].registers_at.at ? "" : " (the default)");
    }
}

static void check_file(asm_state *a) {
    for (size_t i = 0; i < a->call_count; i++)
        resolve_call(a, &a->calls[i]);
    for (size_t i = 0; i < a->kernel_count; i++)
        check_limits(a, &a->kernels[i]);
    check_registers(a);
    if (a->kernel_count == 0 && a->reporter.errors == 0)
        asm_error(&a->reporter, DIAG_E_NO_KERNELS, NULL, NULL, "the source has no kernel");
}

/* ---- Output ---- */

static wave_status write_file(asm_state *a, bool no_symbols, wave_blob *out) {
    fe_record *records = calloc(a->kernel_count, sizeof *records);
    if (!records)
        return WAVE_ERROR_MEMORY;
    bool named = false;
    for (size_t i = 0; i < a->kernel_count; i++) {
        const asm_kernel *kernel = &a->kernels[i];
        records[i] = (fe_record){.name = kernel->name,
                                 .name_length = kernel->name_length,
                                 .registers = kernel->registers,
                                 .local_memory = kernel->local_memory,
                                 .code = a->code.data + kernel->code_start,
                                 .code_size = (uint32_t)kernel->code_size};
        memcpy(records[i].workgroup, kernel->workgroup, sizeof kernel->workgroup);
        named |= kernel->name != NULL;
    }
    bool stripped = no_symbols || !named;
    buf file = {0};
    bool fits = fe_write_container(records, a->kernel_count, a->extended, stripped,
                                   a->compat && stripped, NULL, &file);
    free(records);
    if (!fits) {
        buf_free(&file);
        asm_error(&a->reporter, DIAG_E_SOURCE_SIZE, NULL, "a WBIN file has less than 4 GiB",
                  "the assembled file is too large");
        return WAVE_ERROR_INPUT;
    }
    return buf_take(&file, out);
}

static void release(asm_state *a) {
    buf_free(&a->code);
    arena_free(&a->memory);
    asm_names_free(&a->label_names);
    asm_names_free(&a->kernel_names);
    free(a->kernels);
    free(a->labels);
    free(a->calls);
    free(a->highs);
}

static wave_status out_of_memory(wave_diags *diags) {
    diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "no memory for the assembled code");
    return WAVE_ERROR_MEMORY;
}

/* wave_assemble, with the statements as text in `tree` when it is not NULL. */
static wave_status run(const char *source, size_t size, const wave_asm_options *options, buf *tree,
                       wave_blob *out, wave_diags *diags) {
    wave_asm_options chosen = {0};
    if (!out)
        return WAVE_ERROR_USAGE;
    *out = (wave_blob){0};
    if (options && options->lines)
        *options->lines = (wave_blob){0};
    if (!source && size > 0)
        return WAVE_ERROR_USAGE;
    if (options)
        chosen = *options;
    if (size > LARGEST_SOURCE) {
        diag_report(diags, DIAG_E_SOURCE_SIZE, &DIAG_NOWHERE, "the source has %zu bytes", size);
        return WAVE_ERROR_INPUT;
    }
    buf lines = {0};
    asm_state a = {.reporter = {.diags = diags,
                                .source = source ? source : "",
                                .size = size,
                                .warnings = chosen.warnings,
                                .suggestion_cells = SUGGESTION_CELLS},
                   .compat = chosen.compat_upstream,
                   .tree = tree,
                   .lines = chosen.lines ? &lines : NULL};
    isa_names_init(&a.mnemonics);
    asm_lexer_init(&a.lexer, a.reporter.source, size, a.compat, &a.reporter);
    asm_parse(&a);
    if (!a.failed)
        check_file(&a);
    wave_status status = a.failed || a.code.failed ? out_of_memory(diags)
                         : a.reporter.errors > 0   ? WAVE_ERROR_INPUT
                                                   : write_file(&a, chosen.no_symbols, out);
    if (chosen.lines && status == WAVE_OK && buf_take(&lines, chosen.lines) != WAVE_OK) {
        wave_blob_free(out);
        status = out_of_memory(diags);
    }
    buf_free(&lines);
    release(&a);
    return status;
}

wave_status wave_assemble(const char *source, size_t size, const wave_asm_options *options,
                          wave_blob *out, wave_diags *diags) {
    return run(source, size, options, NULL, out, diags);
}

wave_status asm_dump_tree(const char *source, size_t size, const wave_asm_options *options,
                          wave_blob *tree, wave_blob *out, wave_diags *diags) {
    buf text = {0};
    wave_status status = run(source, size, options, &text, out, diags);
    if (buf_take(&text, tree) == WAVE_OK)
        return status;
    wave_blob_free(out);
    return WAVE_ERROR_MEMORY;
}
