/* The pipeline as a library call: which kernels, which passes, which emitter. What a target is
 * called and limits itself to stands in one table. */
#ifndef COMPILE_COMPILE_H
#define COMPILE_COMPILE_H

#include "emit/emit.h"
#include "frontend/frontend.h"

#include <wave/compile.h>

/* The options made definite: which kernels under which symbols, for which architecture. */
typedef struct plan {
    const wave_module *module;
    const wave_compile_options *options;
    arena memory;
    size_t *kernels; /* indices in the module */
    size_t kernel_count;
    const char **symbols;      /* of the kernels chosen */
    emit_arguments *arguments; /* likewise: those they declare */
    const emit_arch *arch;
    uint32_t wave_width;
    const uint32_t *lines; /* of all instructions of the module, for debug; may be NULL */
    size_t line_count;
    size_t *first_lines; /* by kernel of the module; with lines only */
} plan;

/* False when an error was reported. */
bool plan_make(plan *p, const wave_module *module, const wave_compile_options *options,
               wave_diags *diags);
/* The same for one kernel that is given as IR: there is no module. */
bool plan_make_for_ir(plan *p, const char *name, const wave_compile_options *options,
                      wave_diags *diags);
/* What the emitted kernel uses: with fences of its own it is a matter of waves. */
uint32_t plan_uses(const plan *p, uint32_t uses);
/* The line of a kernel's instruction; 0: unknown. */
uint32_t plan_line(const plan *p, size_t kernel, uint32_t instruction);
void plan_free(plan *p);

/* Whether two words for the number of a failed assert are passed. */
bool plan_has_status(const plan *p, const wave_kernel_info *info);

/* describe_arguments.c: declared arguments in --reflect and --header, and functions that launch. */
void compile_arguments_json(const fe_kernel *kernel, buf *out);
void compile_launch_includes(buf *out);
void compile_arguments_header(const plan *p, size_t index, buf *out);

const emit_backend *plan_backend(wave_target target);

/* order.c: W_WAVE_ORDER for a kernel as it was built. */
void compile_warn_order(const fe_kernel *kernel, unsigned index, const ir_func *f,
                        wave_diags *diags);

#endif
