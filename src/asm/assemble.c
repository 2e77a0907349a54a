/* wave_assemble: runs the parser, resolves calls, performs the checks that need the whole file, and
 * writes the output. */
#include "asm/asm.h"
#include "asm/dump.h"
#include "frontend/frontend.h"

#include <stdlib.h>
#include <string.h>

static const size_t LARGEST_SOURCE = (size_t)1 << 30;
/* The budget for "did you mean" in one run, whatever the source. */
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

/* A label of the expansion that contains the call, of an enclosing expansion, or of the file. */
static const asm_name *find_label(asm_state *a, const asm_call *call) {
    for (uint32_t expansion = call->expansion;; expansion = a->input.parents[expansion - 1]) {
        size_t length = call->place.length;
        const char *key = asm_label_key(a, &call->place, expansion, &length);
        const asm_name *name = key ? asm_names_find(&a->label_names, key, length) : NULL;
        if (name || expansion == 0)
            return name;
    }
}

static void resolve_call(asm_state *a, const asm_call *call) {
    const asm_name *name = find_label(a, call);
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

/* Limits of the container. Exceeding them is an error, because readers reject such files. Upstream
 * writes them, so under --compat-upstream it is only a warning. */
static void check_limits(asm_state *a, const asm_kernel *kernel) {
    if (kernel->registers > ISA_MAX_REGISTERS)
        asm_report(&a->reporter, !a->compat, DIAG_E_REGISTER_COUNT, &kernel->registers_at, NULL,
                   "too many registers: %u", kernel->registers);
    if (kernel->local_memory > ISA_MAX_LOCAL)
        asm_report(&a->reporter, !a->compat, DIAG_E_LOCAL_SIZE, &kernel->local_at, NULL,
                   "too much local memory: %u bytes", kernel->local_memory);
    if (kernel->private_memory > FE_MAX_PRIVATE)
        asm_error(&a->reporter, DIAG_E_EXT_SECTION, &kernel->private_at,
                  "a lane has at most 65536 bytes of private memory",
                  "too much private memory: %u bytes", kernel->private_memory);
    if (kernel->argument_words > (kernel->registers ? kernel->registers : ISA_DEFAULT_REGISTERS))
        asm_error(&a->reporter, DIAG_E_ARGUMENT, &kernel->registers_at, "raise .registers",
                  "%u argument words do not fit in the kernel's registers", kernel->argument_words);
    const uint32_t *size = kernel->workgroup;
    bool none = !size[0] && !size[1] && !size[2];
    bool all = size[0] && size[1] && size[2];
    uint64_t plane = (uint64_t)size[0] * size[1];
    if (!none && (!all || plane > ISA_MAX_THREADS || plane * size[2] > ISA_MAX_THREADS))
        asm_report(&a->reporter, !a->compat, DIAG_E_WORKGROUP_SIZE, &kernel->workgroup_at, NULL,
                   all ? "the workgroup has more than 1024 threads"
                       : "some but not all sizes of the workgroup are 0");
}

/* One warning per kernel, at the first register beyond its count. */
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

/* ---- Sections ---- */

static int compare_messages(const void *left, const void *right) {
    const fe_message *x = left, *y = right;
    return x->id < y->id ? -1 : x->id > y->id;
}

static bool same_text(const asm_text *x, const asm_text *y) {
    return x->length == y->length && memcmp(x->text, y->text, x->length) == 0;
}

typedef struct text_ref {
    const asm_text *text;
} text_ref;

static int compare_texts(const void *left, const void *right) {
    const asm_text *x = ((const text_ref *)left)->text, *y = ((const text_ref *)right)->text;
    int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    if (order == 0 && x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return order ? order : x < y ? -1 : 1;
}

/* Texts without an id get the numbers after the largest id in the source; equal texts share a
 * number. */
static bool number_texts(asm_state *a) {
    text_ref *sorted = malloc((a->text_count ? a->text_count : 1) * sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < a->text_count; i++)
        sorted[i].text = &a->texts[i];
    if (a->text_count)
        qsort(sorted, a->text_count, sizeof *sorted, compare_texts);
    /* first[i]: the index of the first text that equals text i. */
    size_t *first = calloc(a->text_count ? a->text_count : 1, sizeof *first);
    if (!first) {
        free(sorted);
        return false;
    }
    for (size_t i = 0; i < a->text_count; i++) {
        size_t index = (size_t)(sorted[i].text - a->texts);
        bool again = i > 0 && same_text(sorted[i].text, sorted[i - 1].text);
        first[index] = again ? first[(size_t)(sorted[i - 1].text - a->texts)] : index;
    }
    int64_t next = a->largest_id + 1;
    for (size_t i = 0; i < a->text_count; i++) {
        asm_text *text = &a->texts[i];
        if (text->id < 0)
            text->id = first[i] != i && a->texts[first[i]].automatic ? a->texts[first[i]].id : -1;
        if (text->id < 0) {
            text->id = next++;
            text->automatic = true;
        }
        if (text->id > (int64_t)UINT32_MAX)
            asm_error(&a->reporter, DIAG_E_DIRECTIVE, &text->place,
                      "give some of the asserts smaller numbers", "no message id is free");
        for (unsigned k = 0; k < 4; k++)
            a->code.data[text->at + k] = (uint8_t)((uint64_t)text->id >> (8 * k));
    }
    free(first);
    free(sorted);
    return true;
}

static bool collect_messages(asm_state *a, fe_extras *extras) {
    if (a->text_count == 0)
        return true;
    fe_message *list = arena_alloc(&a->memory, a->text_count * sizeof *list);
    if (!list || !number_texts(a))
        return false;
    for (size_t i = 0; i < a->text_count; i++)
        list[i] = (fe_message){(uint32_t)a->texts[i].id, a->texts[i].length, a->texts[i].text};
    qsort(list, a->text_count, sizeof *list, compare_messages);
    uint32_t kept = 0;
    for (size_t i = 0; i < a->text_count; i++) {
        if (kept && list[kept - 1].id == list[i].id) {
            if (list[kept - 1].length != list[i].length ||
                memcmp(list[kept - 1].text, list[i].text, list[i].length) != 0)
                asm_error(&a->reporter, DIAG_E_DIRECTIVE, NULL, NULL,
                          "message id %u is used for two texts", (unsigned)list[i].id);
            continue;
        }
        list[kept++] = list[i];
    }
    extras->messages = list;
    extras->message_count = kept;
    extras->sections |= 1u << FE_SECTION_TEXT;
    return true;
}

/* The files named by records, in the order of their first use: a .loc may have been overridden. */
static bool collect_files(asm_state *a, fe_extras *extras) {
    size_t count = a->line_records.size / sizeof(fe_line), all = a->file_names.count + 1;
    fe_line *lines = (fe_line *)(void *)a->line_records.data;
    const char **files = arena_alloc(&a->memory, all * sizeof *files);
    uint16_t *numbers = arena_alloc(&a->memory, all * sizeof *numbers);
    if (!files || !numbers)
        return false;
    files[0] = "";
    extras->file_count = 1;
    for (size_t i = 0; i < count; i++) {
        uint16_t old = lines[i].file;
        if (old && old < all && !numbers[old]) {
            const asm_name *name = &a->file_names.list[old - 1];
            files[extras->file_count] = arena_text(&a->memory, name->text, name->length);
            if (!files[extras->file_count])
                return false;
            numbers[old] = (uint16_t)extras->file_count++;
        }
        lines[i].file = old < all ? numbers[old] : old;
    }
    while (all > UINT16_MAX && extras->file_count < all) /* rejected by the writer */
        files[extras->file_count++] = "";
    extras->files = files;
    extras->sections |= 1u << FE_SECTION_LINE;
    return true;
}

/* The file's contents besides its code; false when out of memory. */
static bool collect_extras(asm_state *a, fe_extras *extras) {
    fe_kernel_extras *kernels = arena_alloc(&a->memory, a->kernel_count * sizeof *kernels);
    if (!kernels || a->line_records.failed || a->constants.failed)
        return false;
    extras->kernels = kernels;
    bool names = false;
    for (size_t i = 0; i < a->kernel_count; i++) {
        const asm_kernel *kernel = &a->kernels[i];
        kernels[i] = (fe_kernel_extras){.argument_count = kernel->argument_count,
                                        .argument_words = kernel->argument_words,
                                        .line_count = kernel->line_count,
                                        .private_memory = kernel->private_memory};
        if (kernel->argument_count)
            kernels[i].arguments = a->arguments + kernel->argument_start;
        if (kernel->name_count)
            kernels[i].registers = a->register_names + kernel->name_start;
        kernels[i].register_count = asm_count_register_names(a, kernel);
        names |= kernels[i].register_count != 0;
        if (kernel->line_count)
            kernels[i].lines =
                (const fe_line *)(const void *)a->line_records.data + kernel->line_start;
    }
    if (a->argument_count)
        extras->sections |= 1u << FE_SECTION_ARGS;
    if (names)
        extras->sections |= 1u << FE_SECTION_REGS;
    if (a->has_private)
        extras->sections |= 1u << FE_SECTION_PRIV;
    if (a->has_constant)
        extras->sections |= 1u << FE_SECTION_CNST;
    extras->constants = a->constants.data;
    extras->constant_size = (uint32_t)a->constants.size;
    bool lines = a->line_records.size > 0;
    return (!lines || collect_files(a, extras)) && collect_messages(a, extras);
}

/* ---- Output ---- */

static wave_status write_file(asm_state *a, bool no_symbols, wave_blob *out) {
    fe_extras extras = {0};
    if (!collect_extras(a, &extras))
        return WAVE_ERROR_MEMORY;
    if (a->reporter.errors)
        return WAVE_ERROR_INPUT;
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
                                   a->compat && stripped, extras.sections ? &extras : NULL, &file);
    free(records);
    if (!fits) {
        buf_free(&file);
        asm_error(&a->reporter, DIAG_E_SOURCE_SIZE, NULL, "a WBIN file is smaller than 4 GiB",
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
    free(a->fixups);
    free(a->arguments);
    free(a->texts);
    free(a->register_names);
    free(a->symbols.list);
    asm_names_free(&a->symbols.names);
    asm_names_free(&a->file_names);
    buf_free(&a->constants);
    buf_free(&a->line_records);
    asm_input_free(a);
}

static wave_status out_of_memory(wave_diags *diags) {
    diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "out of memory");
    return WAVE_ERROR_MEMORY;
}

/* NAME or NAME=EXPRESSION from the command line, as a separate source. */
static void define(asm_state *a, const char *text) {
    asm_input *in = &a->input;
    size_t length = strcspn(text, "=");
    if (!asm_grow(a, (void **)&in->sources, in->source_count, &in->source_room,
                  sizeof *in->sources))
        return;
    in->sources[in->source_count] = (asm_source){.name = "-D", .text = text, .size = strlen(text)};
    a->reporter.sources = in->sources;
    asm_lexer_init(&a->lexer, text, strlen(text), (uint32_t)in->source_count, a->compat,
                   &a->reporter);
    a->lexer.no_labels = true;
    in->source_count++;
    asm_advance(a);
    asm_token name = a->token;
    asm_value value = {.integer = 1};
    asm_advance(a);
    bool good = name.kind == ASM_NAME && name.place.length == length;
    if (good && asm_is_operator(&a->token, '=')) {
        asm_advance(a);
        if (!asm_expression(a, &value))
            return;
    }
    if (!good || a->token.kind != ASM_EOF) {
        asm_error(&a->reporter, DIAG_E_SYMBOL, &name.place, NULL,
                  "malformed definition: expected NAME or NAME=NUMBER");
        return;
    }
    asm_symbol *symbol = asm_define_symbol(a, &name, ASM_SYMBOL_NUMBER);
    if (symbol)
        symbol->value = value;
}

/* The source has index 0, but the definitions of the command line are read before it. */
static bool start(asm_state *a, const char *source, size_t size) {
    asm_input *in = &a->input;
    if (!asm_grow(a, (void **)&in->sources, 0, &in->source_room, sizeof *in->sources))
        return false;
    in->sources[0] = (asm_source){.text = source, .size = size};
    in->source_count = 1;
    a->reporter.sources = in->sources;
    for (size_t i = 0; i < a->options->define_count && !a->failed; i++)
        define(a, a->options->defines[i]);
    asm_lexer_init(&a->lexer, source, size, 0, a->compat, &a->reporter);
    return !a->failed;
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
                                .warnings = chosen.warnings,
                                .suggestion_cells = SUGGESTION_CELLS,
                                .relate = asm_input_relate},
                   .options = &chosen,
                   .compat = chosen.compat_upstream,
                   .track = chosen.lines || chosen.debug,
                   .tree = tree,
                   .lines = chosen.lines ? &lines : NULL};
    a.reporter.relate_context = &a;
    if (start(&a, source ? source : "", size))
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
