/* WBIN as a target: from kernels in the IR to a file of instructions.
 *
 * A unit takes kernels one after the other and finally yields the bytes of one file:
 *
 *     wbin_unit *unit = wbin_unit_create(&settings);
 *     for each kernel: ok = ok && wbin_add_kernel(unit, f, &kernel, diags);
 *     ok = ok && wbin_write(unit, out, diags);
 *     wbin_unit_destroy(unit);
 *
 * The functions may be as built or after any pass. Wave operations and fences keep their meaning
 * without convergence lowering: the code has the function's own regions, so the same lanes are
 * together. wavec and front ends use the same three calls. */
#ifndef EMIT_WBIN_EMIT_WBIN_H
#define EMIT_WBIN_EMIT_WBIN_H

#include "frontend/frontend.h"
#include "ir/ir.h"

/* Settings for all kernels of a file. All pointers are borrowed until the unit is destroyed. */
typedef struct wbin_settings {
    /* Instructions of ISA.md 2.7 and 2.8 may be used where plain ones would do, or if registers run
     * out. Those that an operation of the IR cannot do without are always used, and set the EXT
     * flag. */
    bool extensions;
    bool extended;            /* code that is kept may need the EXT flag */
    uint32_t registers;       /* maximum, not counting the arguments'; 0: all 256 */
    bool stripped;            /* no names */
    const char *const *files; /* files of the lines; the first is "" */
    uint32_t file_count;
    const fe_message *messages; /* texts of asserts, by id */
    uint32_t message_count;
    const uint8_t *constants; /* constant memory of all kernels */
    uint32_t constant_size;
} wbin_settings;

/* One kernel apart from its code. Workgroup size, private memory and argument words are the
 * function's. */
typedef struct wbin_kernel {
    const char *name;               /* NULL: anonymous */
    uint32_t registers;             /* set by a launch; the record has at least this many */
    uint32_t local_memory;          /* bytes; 0: the launcher's default */
    const wave_argument *arguments; /* for ARGS; none: nothing is declared */
    uint32_t argument_count;
    const fe_line *lines; /* by ir_node.pc: ascending offsets, each valid until the next */
    uint32_t line_count;
    /* Equivalent code that the function comes from. It is kept unless the new code is estimated to
     * be faster. NULL: there is none, or it must not be kept. */
    const fe_kernel *original;
} wbin_kernel;

typedef struct wbin_unit wbin_unit;

/* NULL when out of memory. */
wbin_unit *wbin_unit_create(const wbin_settings *settings);
void wbin_unit_destroy(wbin_unit *unit); /* NULL is allowed */

/* Compiles the function and stores its code; the function may be freed afterwards. It is modified
 * where the file cannot express it as it is. False if an error (E_REGISTERS, E_IR, E_MEMORY) was
 * reported. */
bool wbin_add_kernel(wbin_unit *unit, ir_func *f, const wbin_kernel *kernel, wave_diags *diags);

/* Writes the file. False if an error was reported. */
bool wbin_write(const wbin_unit *unit, buf *out, wave_diags *diags);

#endif
