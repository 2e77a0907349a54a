/* The pipeline as a library call: which kernels, which passes, which emitter. One table lists the
 * names and limits of the targets. */
#ifndef COMPILE_COMPILE_H
#define COMPILE_COMPILE_H

#include "emit/emit.h"
#include "frontend/frontend.h"
#include "ir/analyse.h"

#include <wave/compile.h>

/* The resolved options: which kernels under which symbols, for which architecture. */
typedef struct plan {
    const wave_module *module;
    const wave_compile_options *options;
    arena memory;
    size_t *kernels; /* indices in the module */
    size_t kernel_count;
    const char **symbols;      /* of the selected kernels */
    emit_arguments *arguments; /* likewise: their declared arguments */
    emit_registers *registers; /* likewise: their register names */
    const emit_arch *arch;
    uint32_t wave_width;
    /* For debug: names of the files that lines refer to, NULL for the input itself. */
    const char **files;
    uint32_t file_count;
    uint32_t *file_numbers; /* by the module's own file number; NULL: it has no lines */
    const uint32_t *lines;  /* of the disassembly, for all instructions of the module; or NULL */
    size_t line_count;
    size_t *first_lines; /* by kernel of the module; only with `lines` */
} plan;

/* False when an error was reported. */
bool plan_make(plan *p, const wave_module *module, const wave_compile_options *options,
               wave_diags *diags);
/* The same for one kernel that is given as IR, without a module. */
bool plan_make_for_ir(plan *p, const char *name, const wave_compile_options *options,
                      wave_diags *diags);
/* The target's matrix units that tiles may use under the options. None when accesses are checked
 * (bounds) or ordered (lockstep) lane by lane. */
ir_units plan_units(const plan *p, const ir_func *f);
/* Whether pointers advance in groups of iterations (ir_func). */
bool plan_advances(const plan *p);
/* The features the emitted kernel uses. Fences added by lockstep or deterministic are wave
 * operations. */
uint32_t plan_uses(const plan *p, uint32_t uses);
void plan_free(plan *p);

/* ---- lines.c ---- */

/* False when out of memory. */
bool plan_find_lines(plan *p);
/* The line of a kernel's instruction; 0: unknown. */
emit_line plan_line(const plan *p, size_t kernel, uint32_t instruction);

/* ---- describe.c ---- */

/* Whether the launch passes two words for the number of a failed assert. */
bool plan_has_status(const plan *p, const wave_kernel_info *info);

/* describe_arguments.c: declared arguments in --reflect and --header, and launch functions. */
void compile_arguments_json(const fe_kernel *kernel, buf *out);
void compile_launch_includes(buf *out);
void compile_arguments_header(const plan *p, size_t index, buf *out);

const emit_backend *plan_backend(wave_target target);

/* ---- Warnings about a kernel as built: warn.c ---- */

enum {
    COMPILE_WARN_WAVE_ORDER = 1 << 0,
    COMPILE_WARN_LOCAL_BOUNDS = 1 << 1,
    COMPILE_WARN_SUMS = 1 << 2,
    COMPILE_WARN_BALLOTS = 1 << 3 /* in waves of more than 32 lanes */
};

void compile_warn(const fe_kernel *kernel, unsigned index, const ir_func *f, unsigned warnings,
                  wave_diags *diags);

/* `wave` is shared: its first user computes it. */
void compile_warn_order(const fe_kernel *kernel, unsigned index, const ir_func *f, ir_wave *wave,
                        wave_diags *diags);
void compile_warn_local_bounds(const fe_kernel *kernel, unsigned index, const ir_func *f,
                               wave_diags *diags);

void compile_warn_sums(const fe_kernel *kernel, unsigned index, const ir_func *f, ir_wave *wave,
                       wave_diags *diags);
/* deterministic: returns false with E_ORDER at the first sum whose order cannot be fixed. `kernel`
 * may be NULL. */
bool compile_refuse_sums(const fe_kernel *kernel, unsigned index, const ir_func *f,
                         wave_diags *diags);

/* tiles.c: returns false with an error if, in every run, lanes diverge before an instruction on
 * tiles or its operands are wrong. */
bool compile_refuse_tiles(const fe_kernel *kernel, unsigned index, const ir_func *f,
                          wave_diags *diags);

/* The instruction at an offset; instructions are stored in order of their offsets. */
uint32_t compile_instruction(const fe_kernel *kernel, uint32_t pc);
/* Reports at an instruction of the kernel, which has number `index` in its module. */
void compile_report(const fe_kernel *kernel, unsigned index, uint32_t instruction, diag_code code,
                    wave_diags *diags, const char *format, ...) BUF_PRINTF(6, 7);
void compile_no_memory(const fe_kernel *kernel, wave_diags *diags);

#endif
