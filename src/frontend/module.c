/* Modules: the public face of the reader. Ties the container, the kernels and their names together;
 * the decoded code is malloc memory of each kernel, everything else in the module's arena. */
#include "frontend/frontend.h"

#include <stdlib.h>
#include <string.h>

/* A kernel that declares 0 registers has the launcher's, from here on as if they were its own. */
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

/* Every kernel is looked at, also after errors in others: the user wants the whole list. */
static bool load_kernels(wave_module *module, const fe_container *container,
                         const wave_load_options *options, wave_diags *diags) {
    bool ok = true;
    for (size_t i = 0; i < container->record_count; i++) {
        const fe_record *record = &container->records[i];
        char *name = arena_text(&module->memory, record->name, record->name_length);
        if (!name) {
            diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "no memory for kernel %zu", i);
            return false;
        }
        if (!record->code)
            continue; /* reported by the container */
        fe_context context = {.record = record,
                              .name = name,
                              .index = (unsigned)i,
                              .alone = container->record_count == 1,
                              .options = *options,
                              .extended = container->extended,
                              .diags = diags};
        fe_kernel *kernel = &module->kernels[i];
        fill_info(&kernel->info, record, name, options);
        ok = fe_load_kernel(&context, kernel) && ok;
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
    module->kernel_count = container.record_count;
    module->kernels =
        arena_alloc(&module->memory, container.record_count * sizeof *module->kernels);
    if (!module->kernels)
        return WAVE_ERROR_MEMORY;
    ok = load_kernels(module, &container, options, diags) && ok;
    return ok ? WAVE_OK : WAVE_ERROR_INPUT;
}

wave_status wave_module_load(const void *data, size_t size, const wave_load_options *options,
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
    free(module);
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
