/* The section `line`: from the source line of each instruction to records where the line changes.
 */
#include "asm/debug_lines.h"

#include <stdlib.h>
#include <string.h>

static bool add_kernel(const uint8_t *code, uint32_t size, const buf *lines, size_t *next,
                       fe_line *out, uint32_t *count) {
    uint32_t step, last = 0;
    fe_insn insn;
    *count = 0;
    for (uint32_t at = 0; at < size; at += step) {
        uint32_t line;
        fe_decode_one(code, size, at, &insn, &step);
        if (*next + sizeof line > lines->size)
            return false;
        memcpy(&line, lines->data + *next, sizeof line);
        *next += sizeof line;
        if (line != last)
            out[(*count)++] = (fe_line){.offset = at, .line = line, .file = 1};
        last = line;
    }
    return true;
}

bool asm_debug_lines(const fe_record *records, size_t count, const buf *lines, const char *file,
                     asm_line_table *out) {
    size_t instructions = lines->size / sizeof(uint32_t), next = 0, used = 0;
    *out = (asm_line_table){.files = {"", file ? file : ""}};
    out->kernels = calloc(count + 1, sizeof *out->kernels);
    out->lines = calloc(instructions + 1, sizeof *out->lines);
    if (!out->kernels || !out->lines || lines->failed)
        return false;
    bool named = file && *file;
    for (size_t i = 0; i < count; i++) {
        fe_kernel_extras *kernel = &out->kernels[i];
        kernel->lines = out->lines + used;
        if (!add_kernel(records[i].code, records[i].code_size, lines, &next, out->lines + used,
                        &kernel->line_count))
            return false;
        for (uint32_t k = 0; k < kernel->line_count && !named; k++)
            out->lines[used + k].file = 0;
        used += kernel->line_count;
    }
    out->extras = (fe_extras){.sections = 1u << FE_SECTION_LINE,
                              .kernels = out->kernels,
                              .files = out->files,
                              .file_count = named ? 2 : 1};
    return true;
}

void asm_debug_lines_free(asm_line_table *table) {
    free(table->kernels);
    free(table->lines);
}
