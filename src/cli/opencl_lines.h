/* Source lines of OpenCL C in SPIR-V. clang 22 writes no OpLine, not even with -g, but its LLVM IR
 * has the lines. So with -g clang writes LLVM IR, in which a call is inserted before each change of
 * line; clang translates that to SPIR-V; and there the calls become OpLine:
 *
 *   %add = fadd float %x, %y, !dbg !57         call void @wave.line.3(i32 7, i32 24), !dbg !57
 *                                          →   %add = fadd float %x, %y, !dbg !57
 *
 *   %9 = OpFunctionCall %void %wave.line.3 %uint_7 %uint_24    →    OpLine %file 7 24
 */
#ifndef CLI_OPENCL_LINES_H
#define CLI_OPENCL_LINES_H

#include "cli/cli.h"

/* A source file, by its number in the LLVM IR. */
typedef struct opencl_file {
    uint32_t number;
    char *name;
} opencl_file;

typedef struct opencl_lines {
    opencl_file *files;
    size_t count;
} opencl_lines;

/* Inserts the calls into LLVM IR. What is inlined from the prelude has the line of its call. Names
 * of files in `folder`, a temporary one, lose the folder. NULL when out of memory; the caller frees
 * the text. */
char *opencl_mark_lines(const char *text, size_t size, const char *folder, opencl_lines *lines,
                        size_t *out_size);

/* Replaces the calls in the module; false when out of memory. A module that is not well-formed is
 * left as it is: the reader reports it. */
bool opencl_take_lines(wave_blob *module, const opencl_lines *lines);

void opencl_lines_free(opencl_lines *lines);

#endif
