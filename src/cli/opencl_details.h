/* What clang 22 leaves out of SPIR-V although its LLVM IR has it: the types of kernels' arguments
 * (a pointer there points to whatever its first use suggests, and integers have no sign), and
 * source lines, which it does not write even with -g. So clang writes LLVM IR and translates that
 * to SPIR-V in a second run, and the details are inserted into the module.
 *
 * Types become strings, in the form that other producers write:
 *
 *   define spir_kernel void @k(…) … !kernel_arg_base_type !9
 *   !9 = !{!"uint*", !"int"}             →   OpString "kernel_arg_base_type.k.uint*,int,"
 *
 * For lines, a call is inserted before each change of line, and replaced in the module:
 *
 *   %add = fadd float %x, %y, !dbg !57         call void @wave.line.3(i32 7, i32 24), !dbg !57
 *                                          →   %add = fadd float %x, %y, !dbg !57
 *
 *   %9 = OpFunctionCall %void %wave.line.3 %uint_7 %uint_24    →    OpLine %file 7 24
 */
#ifndef CLI_OPENCL_DETAILS_H
#define CLI_OPENCL_DETAILS_H

#include "cli/cli.h"

/* A source file, by its number in the LLVM IR. */
typedef struct opencl_file {
    uint32_t number;
    char *name;
} opencl_file;

typedef struct opencl_details {
    opencl_file *files;
    size_t file_count;
    char **types; /* a string for each kernel with arguments */
    size_t type_count;
} opencl_details;

/* ---- opencl_types.c ---- */

/* Finds the types in LLVM IR; false when out of memory. */
bool opencl_find_types(const char *text, size_t size, opencl_details *details);

/* ---- opencl_lines.c ---- */

/* Inserts the calls into LLVM IR. Code inlined from the prelude gets the line of its call. The
 * names of files in `folder`, which is temporary, lose this prefix. NULL when out of memory; the
 * caller frees the text. */
char *opencl_mark_lines(const char *text, size_t size, const char *folder, opencl_details *details,
                        size_t *out_size);

/* ---- opencl_splice.c ---- */

/* Inserts the details into the module; false when out of memory. A module that is not well-formed
 * is left as it is: the reader reports it. */
bool opencl_splice(wave_blob *module, const opencl_details *details);

void opencl_details_free(opencl_details *details);

#endif
