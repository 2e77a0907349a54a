/* The section `line` of an assembled file. */
#ifndef ASM_DEBUG_LINES_H
#define ASM_DEBUG_LINES_H

#include "frontend/frontend.h"

typedef struct asm_line_table {
    fe_extras extras;
    fe_kernel_extras *kernels;
    fe_line *lines;
    const char *files[2];
} asm_line_table;

/* `lines` is a uint32_t for each instruction of the records, in order. False: out of memory. */
bool asm_debug_lines(const fe_record *records, size_t count, const buf *lines, const char *file,
                     asm_line_table *out);
void asm_debug_lines_free(asm_line_table *table);

#endif
