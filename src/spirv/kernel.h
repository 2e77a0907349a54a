/* From a module to the IR, one kernel after the other:
 *
 *     spirv_program *p = spirv_program_create(module, library, diags);
 *     for each entry point: ok = ok && spirv_build_kernel(p, entry, options, &f, &kernel, diags);
 *     spirv_program_destroy(p);
 *
 * `library` is the module with the functions __wave_… (opencl.def), or NULL. ir_node.pc of an
 * operation is an index in the module's places, so the lines of a kernel are those of the module;
 * operations of the library have 0. */
#ifndef SPIRV_KERNEL_H
#define SPIRV_KERNEL_H

#include "ir/ir.h"
#include "spirv/spirv.h"

typedef struct spirv_program spirv_program;

/* A kernel's data besides its code. */
typedef struct spirv_kernel {
    wave_argument *arguments; /* names are the module's */
    uint32_t argument_count;
} spirv_kernel;

/* Examines all functions reachable from the entry points. NULL when an error was reported. Both
 * modules must outlive the program. */
spirv_program *spirv_program_create(const spirv_module *module, const spirv_module *library,
                                    wave_diags *diags);
void spirv_program_destroy(spirv_program *p); /* NULL is allowed */
/* Constant memory of all kernels (section CNST), owned by the program. */
const uint8_t *spirv_program_constants(const spirv_program *p, uint32_t *size);

/* Creates `f`, which the caller frees even on failure. The program owns the arguments. `options`
 * may be NULL. False when an error was reported. */
bool spirv_build_kernel(spirv_program *p, uint32_t entry, const spirv_options *options, ir_func *f,
                        spirv_kernel *kernel, wave_diags *diags);

#endif
