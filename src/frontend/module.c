/* Modules: the public interface of the reader. Combines the container, the kernels and their names.
 * The decoded code is malloc memory of each kernel, everything else is in the module's arena. */
#include "frontend/inspect.h"

#include <stdlib.h>
#include <string.h>

/* A kernel that declares 0 registers gets the launcher's default, from here on as if declared. */
static void fill_info(wave_kernel_info *info, const fe_record *record, const char *name,
                      const wave_load_options *options) {
    info->name = name;
    info->registers = record->registers ? record->registers : options->registers;
    info->local_memory = record->local_memory;
    for (unsigned i = 0; i < 3; i++)
        info->workgroup[i] = record->workgroup[i];
    info->code_offset = record->code_offset;
    info->code_size = record->code_size;
}

/* False when the line is unknown. */
static bool find_source(const fe_extras *extras, const fe_kernel_extras *kernel, int64_t offset,
                        wave_diags *diags, const char **file, uint32_t *line, uint32_t *column) {
    wave_source_place place;
    if (offset < 0 || offset > UINT32_MAX ||
        !fe_extras_source(extras, kernel, (uint32_t)offset, &place) || !place.line)
        return false;
    *file = *place.file ? arena_text(&diags->memory, place.file, strlen(place.file)) : NULL;
    *line = place.line;
    *column = place.column;
    return true;
}

void fe_locate(const fe_extras *extras, const fe_kernel_extras *kernel, wave_diags *diags,
               size_t first) {
    for (size_t k = first; diags && kernel->line_count && k < diags->count; k++) {
        wave_diag *d = &diags->list[k];
        if (!d->kernel || d->line)
            continue;
        find_source(extras, kernel, d->offset, diags, &d->file, &d->line, &d->column);
        for (size_t i = 0; i < d->related_count; i++) {
            wave_related *r = (wave_related *)&d->related[i];
            find_source(extras, kernel, r->offset, diags, &r->file, &r->line, &r->column);
        }
    }
}

/* Loads every kernel, even after errors in others: users want all diagnostics. */
static bool load_kernels(wave_module *module, const fe_container *container,
                         const wave_load_options *options, wave_diags *diags) {
    bool ok = true;
    for (size_t i = 0; i < container->record_count; i++) {
        const fe_record *record = &container->records[i];
        char *name = arena_text(&module->memory, record->name, record->name_length);
        if (!name) {
            diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "out of memory for kernel %zu", i);
            return false;
        }
        if (!record->code)
            continue; /* reported by the container */
        fe_kernel *kernel = &module->kernels[i];
        if (container->extras.kernels)
            kernel->extras = container->extras.kernels[i];
        fe_context context = {.record = record,
                              .name = name,
                              .index = (unsigned)i,
                              .alone = container->record_count == 1,
                              .options = *options,
                              .extended = container->extended,
                              .extras = &kernel->extras,
                              .diags = diags};
        fill_info(&kernel->info, record, name, options);
        kernel->info.arguments = kernel->extras.argument_count;
        kernel->info.private_memory = kernel->extras.private_memory;
        size_t before = diags->count;
        ok = fe_load_kernel(&context, kernel) && fe_check_lines(&context, kernel) && ok;
        fe_locate(&container->extras, &kernel->extras, diags, before);
        if (!kernel->info.local_memory && fe_local_memory(&kernel->info))
            kernel->info.local_memory = options->local_memory;
    }
    return ok;
}

static wave_status load(wave_module *module, const wave_load_options *options, wave_diags *diags) {
    fe_container container;
    bool ok =
        fe_read_container(module->data, module->size, options, &module->memory, &container, diags);
    if (container.record_count == 0)
        return WAVE_ERROR_INPUT;
    module->code_offset = container.code_offset;
    module->extended = container.extended;
    module->stripped = container.stripped;
    module->mode = options->mode;
    module->reinterpreted = options->fix_upstream_cvt;
    module->extras = container.extras;
    module->kernel_count = container.record_count;
    module->kernels =
        arena_alloc(&module->memory, container.record_count * sizeof *module->kernels);
    if (!module->kernels)
        return WAVE_ERROR_MEMORY;
    ok = load_kernels(module, &container, options, diags) && ok;
    return ok ? WAVE_OK : WAVE_ERROR_INPUT;
}

wave_status fe_module_load(const void *data, size_t size, const wave_load_options *options,
                           wave_module **module, wave_diags *diags) {
    static const wave_load_options defaults = {.mode = WAVE_MODE_DEFAULT};
    if (!module)
        return WAVE_ERROR_USAGE;
    *module = NULL;
    if (!options)
        options = &defaults;
    if ((!data && size) || options->mode < WAVE_MODE_DEFAULT || options->mode > WAVE_MODE_LENIENT ||
        options->registers > ISA_MAX_REGISTERS || options->local_memory > ISA_MAX_LOCAL)
        return WAVE_ERROR_USAGE;
    wave_module *made = calloc(1, sizeof *made);
    if (!made)
        return WAVE_ERROR_MEMORY;
    made->data = data;
    made->size = size;
    diag_scope scope;
    wave_status status = load(made, options, diag_begin(&scope, diags));
    status = diag_end(&scope, status);
    if (status == WAVE_OK)
        *module = made;
    else
        wave_module_destroy(made);
    return status;
}

void wave_module_destroy(wave_module *module) {
    if (!module)
        return;
    for (size_t i = 0; module->kernels && i < module->kernel_count; i++)
        free((void *)module->kernels[i].insns);
    arena_free(&module->memory);
    free(module->owned);
    free(module);
}

void fe_module_keep(wave_module *module, void *data) {
    module->owned = data;
}

uint32_t fe_local_memory(const wave_kernel_info *info) {
    bool used = info->uses & (WAVE_USES_LOCAL | WAVE_USES_MMA);
    return info->local_memory ? info->local_memory : used ? ISA_DEFAULT_LOCAL : 0;
}

size_t wave_module_kernel_count(const wave_module *module) {
    return module->kernel_count;
}

const wave_kernel_info *wave_module_kernel(const wave_module *module, size_t index) {
    return index < module->kernel_count ? &module->kernels[index].info : NULL;
}

long wave_module_find_kernel(const wave_module *module, const char *name) {
    for (size_t i = 0; i < module->kernel_count; i++)
        if (strcmp(module->kernels[i].info.name, name) == 0)
            return (long)i;
    return -1;
}

bool wave_module_reads_word(const wave_module *module, size_t kernel, uint32_t word) {
    return kernel < module->kernel_count && word < ISA_MAX_REGISTERS &&
           (module->kernels[kernel].reads[word / 64] >> (word % 64) & 1);
}

const wave_argument *wave_module_argument(const wave_module *module, size_t kernel, size_t index) {
    if (kernel >= module->kernel_count || index >= module->kernels[kernel].extras.argument_count)
        return NULL;
    return &module->kernels[kernel].extras.arguments[index];
}

const wave_register_name *wave_module_register(const wave_module *module, size_t kernel,
                                               size_t index) {
    if (kernel >= module->kernel_count || index >= module->kernels[kernel].extras.register_count)
        return NULL;
    return &module->kernels[kernel].extras.registers[index];
}

bool wave_module_source(const wave_module *module, size_t kernel, uint32_t offset,
                        wave_source_place *place) {
    if (kernel >= module->kernel_count)
        return false;
    return fe_extras_source(&module->extras, &module->kernels[kernel].extras, offset, place);
}

const char *wave_module_message(const wave_module *module, uint32_t id, size_t *size) {
    const fe_message *message = fe_extras_message(&module->extras, id);
    *size = message ? message->length : 0;
    return message ? message->text : NULL;
}

const void *wave_module_constants(const wave_module *module, size_t *size) {
    *size = module->extras.constant_size;
    return module->extras.constants;
}
