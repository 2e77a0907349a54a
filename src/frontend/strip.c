/* wave_strip: the same kernels without the information that only people and debuggers use. */
#include "frontend/frontend.h"

#include <string.h>

/* The arguments without their names; false when out of memory. */
static bool strip_names(fe_container *file, arena *memory) {
    fe_kernel_extras *kernels = arena_alloc(memory, file->record_count * sizeof *kernels);
    if (!kernels)
        return false;
    for (size_t i = 0; i < file->record_count; i++) {
        kernels[i] = file->extras.kernels[i];
        uint32_t count = kernels[i].argument_count;
        wave_argument *list = count ? arena_alloc(memory, count * sizeof *list) : NULL;
        if (count && !list)
            return false;
        for (uint32_t k = 0; k < count; k++) {
            list[k] = kernels[i].arguments[k];
            list[k].name = "";
        }
        kernels[i].arguments = list;
    }
    file->extras.kernels = kernels;
    return true;
}

static wave_status write_stripped(fe_container *file, arena *memory, wave_blob *out) {
    const uint32_t ignorable =
        1u << FE_SECTION_LINE | 1u << FE_SECTION_TEXT | 1u << FE_SECTION_REGS;
    buf bytes = {0};
    if (file->extras.kernels && !strip_names(file, memory))
        return WAVE_ERROR_MEMORY;
    file->extras.sections &= ~ignorable;
    /* What remains of a valid file fits: its kernels share neither code nor names. */
    if (fe_write_container(file->records, file->record_count, file->extended, file->stripped, false,
                           &file->extras, &bytes))
        return buf_take(&bytes, out);
    buf_free(&bytes);
    return WAVE_ERROR_LIMIT;
}

wave_status wave_strip(const void *data, size_t size, const wave_load_options *options,
                       wave_blob *out, wave_diags *diags) {
    wave_module *module;
    if (!out)
        return WAVE_ERROR_USAGE;
    *out = (wave_blob){0};
    wave_status status = fe_module_load(data, size, options, &module, diags);
    if (status != WAVE_OK)
        return status;
    wave_module_destroy(module);
    arena memory = {0};
    fe_container file;
    status = fe_read_container(data, size, options, &memory, &file, NULL)
                 ? write_stripped(&file, &memory, out)
                 : WAVE_ERROR_MEMORY;
    arena_free(&memory);
    return status;
}
