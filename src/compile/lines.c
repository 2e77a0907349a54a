/* For -g: the file and line of each instruction. They come from the module's own line table if it
 * has one, else from its disassembly if the caller names the file. */
#include "compile/compile.h"

#include <string.h>

/* Instructions are the indented lines of the disassembly, in order. */
static bool lines_of_disassembly(plan *p) {
    const wave_dis_options options = {.load.mode = WAVE_MODE_LENIENT};
    wave_blob text;
    size_t count = 0;
    for (size_t k = 0; k < p->module->kernel_count; k++)
        count += p->module->kernels[k].info.instructions;
    uint32_t *lines = arena_alloc(&p->memory, (count + 1) * sizeof *lines);
    wave_status status = wave_disassemble(p->module->data, p->module->size, &options, &text, NULL);
    if (lines && status == WAVE_OK) {
        uint32_t line = 1;
        const char *at = (const char *)text.data, *end = at + text.size;
        for (; at < end && p->line_count < count; line++) {
            if (*at == ' ')
                lines[p->line_count++] = line;
            at = memchr(at, '\n', (size_t)(end - at));
            at = at ? at + 1 : end;
        }
        p->lines = lines;
    }
    wave_blob_free(&text);
    return lines && status != WAVE_ERROR_MEMORY;
}

/* Where the lines of each kernel start. */
static bool count_lines(plan *p) {
    size_t at = 0;
    p->first_lines =
        arena_alloc(&p->memory, (p->module->kernel_count + 1) * sizeof *p->first_lines);
    for (size_t k = 0; p->first_lines && k < p->module->kernel_count; k++) {
        p->first_lines[k] = at;
        at += p->module->kernels[k].info.instructions;
    }
    return p->first_lines != NULL;
}

/* The files that the selected kernels refer to, numbered from 1 in order of first use. */
static bool number_files(plan *p) {
    const fe_extras *extras = &p->module->extras;
    p->file_numbers = arena_alloc(&p->memory, (extras->file_count + 1) * sizeof *p->file_numbers);
    p->files = arena_alloc(&p->memory, (extras->file_count + 1) * sizeof *p->files);
    if (!p->file_numbers || !p->files)
        return false;
    memset(p->file_numbers, 0, extras->file_count * sizeof *p->file_numbers);
    for (size_t k = 0; k < p->kernel_count; k++) {
        const fe_kernel_extras *kernel = &p->module->kernels[p->kernels[k]].extras;
        for (uint32_t i = 0; i < kernel->line_count; i++) {
            uint32_t file = kernel->lines[i].file;
            if (p->file_numbers[file])
                continue;
            p->files[p->file_count] = *extras->files[file] ? extras->files[file] : NULL;
            p->file_numbers[file] = ++p->file_count;
        }
    }
    return true;
}

bool plan_find_lines(plan *p) {
    if (!p->options->debug)
        return true;
    if (fe_has_section(&p->module->extras, FE_SECTION_LINE))
        return number_files(p);
    if (!p->options->listing)
        return true;
    p->files = arena_alloc(&p->memory, sizeof *p->files);
    if (!p->files)
        return false;
    p->files[p->file_count++] = p->options->listing;
    return count_lines(p) && lines_of_disassembly(p);
}

emit_line plan_line(const plan *p, size_t kernel, uint32_t instruction) {
    const fe_kernel *k = &p->module->kernels[kernel];
    if (p->file_numbers) {
        const fe_line *record =
            fe_line_at(k->extras.lines, k->extras.line_count, k->insns[instruction].pc);
        return record ? (emit_line){.file = p->file_numbers[record->file],
                                    .line = record->line,
                                    .column = record->column}
                      : (emit_line){0};
    }
    size_t at = p->lines ? p->first_lines[kernel] + instruction : 0;
    return p->lines && at < p->line_count ? (emit_line){.file = 1, .line = p->lines[at]}
                                          : (emit_line){0};
}
