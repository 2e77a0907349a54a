/* The emitters: one function each, from a lowered kernel to the text of a target.
 *
 * What all targets share lives in this folder: entry symbols (names.c) and the decision which value
 * is printed where (materialise.c). Each target's own text lives in its folder. */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include "base/arena.h"
#include "ir/ir.h"

typedef enum emit_target { EMIT_PTX, EMIT_HIP, EMIT_SYCL, EMIT_MSL, EMIT_TARGET_COUNT } emit_target;

typedef struct emit_options {
    unsigned arch;         /* PTX: 75 for sm_75 */
    bool fp_fast;          /* the vendor's fsin, fcos, fexp2, flog2 and float atomics */
    bool bounds;           /* check every access against the sizes of the memories */
    bool assert_trap;      /* asserts stop the kernel; otherwise they are left out */
    bool debug;            /* show the instruction each group of lines comes from */
    const char *source;    /* name of the file compiled, or NULL */
    const char *line_file; /* the file that lines are in; NULL: `source` */
    const char *command;   /* how the text was made, for its first comment, or NULL */
    const char *symbol;    /* of the kernel: see emit_symbols */

    /* For `debug`: appends the instruction at a byte offset of the kernel's code and tells its line
     * in `source` (0: unknown). NULL: no text. */
    void (*instruction)(void *context, uint32_t pc, buf *text, uint32_t *line);
    void *instruction_context;
} emit_options;

/* ---- names.c ---- */

/* The entry symbols of a file's kernels, in their order: the name itself where the target can take
 * it, with a trailing _ when it is reserved there, spelled out in hexadecimal where it is no
 * identifier; wave_kernel and wave_kernel_<i> for anonymous ones. No two are the same. False when
 * out of memory. */
bool emit_symbols(emit_target target, const char *const *names, size_t count, arena *memory,
                  const char **symbols);
bool emit_is_reserved(emit_target target, const char *name);

/* ---- emit_ptx ---- */

typedef struct emit_ptx_arch {
    unsigned number;       /* 75 for sm_75 */
    const char *version;   /* the PTX version that knows it */
    uint32_t local_memory; /* bytes of shared memory a block may have */
} emit_ptx_arch;

const emit_ptx_arch *emit_ptx_find_arch(unsigned number); /* NULL: unknown */

/* Version, target, and the comment on top. False with a diagnostic for an unknown architecture. */
bool emit_ptx_header(const emit_options *o, buf *out, wave_diags *diags);

/* One kernel that is verified and lowered (convergence, MMA, and math unless fp_fast). False with a
 * diagnostic (E_TARGET_LIMIT, E_IR, E_MEMORY); `out` then holds rubbish. */
bool emit_ptx_kernel(const ir_func *f, const emit_options *o, buf *out, wave_diags *diags);

#endif
