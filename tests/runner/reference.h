/* A test file prepared for a target: parsed, assembled, loaded, its launch at one wave width, and
 * the memory the emulator leaves. Drivers of targets compile and run `module`, then call
 * ref_compare to check the resulting memory. Nothing here depends on a target. */
#ifndef RUNNER_REFERENCE_H
#define RUNNER_REFERENCE_H

#include "testfile/testfile.h"

#include <wave/emu.h>
#include <wave/wave.h>

typedef enum ref_status {
    REF_READY,
    REF_OTHER_TARGET, /* does not apply to this target or width, or is a known failure */
    REF_BROKEN        /* unreadable, malformed, or the emulator fails: reported on stdout */
} ref_status;

typedef struct ref_case {
    const char *path;
    char *source; /* NULL when the caller keeps it */
    tf_test *test;
    wave_blob binary;
    wave_module *module;
    const wave_kernel_info *info;
    size_t kernel; /* index in the module */
    uint32_t width;
    wave_mma mma;      /* the emulator's order of sums */
    uint32_t group[3]; /* the kernel's own workgroup, or the test's */
    tf_run run;        /* grid, arguments, memory before */
    uint8_t *memory;   /* after the emulator, run.size bytes */
} ref_case;

/* `target` is one of TF_PTX, TF_HIP, …; `path` is kept. Whatever the result, ref_close frees. */
ref_status ref_open(ref_case *c, const char *path, unsigned target, uint32_t width);
/* The same, but the emulator sums products according to `mma`. */
ref_status ref_open_mma(ref_case *c, const char *path, unsigned target, uint32_t width,
                        wave_mma mma);
/* The same from text, which the caller keeps; `name` replaces the path. */
ref_status ref_open_text(ref_case *c, const char *name, const char *source, size_t size,
                         unsigned target, uint32_t width);
void ref_close(ref_case *c);

/* Argument words r0 …, as the kernel declares them; those that the test does not give are zero.
 * Returns their number; `words` holds TF_MAX_ARGS. */
uint32_t ref_arguments(const ref_case *c, uint32_t *words);

/* A copy of the memory before the launch; free it. Never NULL. */
uint8_t *ref_fresh_memory(const ref_case *c);

typedef enum ref_mode {
    REF_EXPECTED,     /* only what the test expects */
    REF_SAME_BUT_NAN, /* and all memory as the emulator leaves it, but NaNs may have other bits */
    REF_SAME          /* bit for bit */
} ref_mode;

/* Whether `memory` meets the test's expectations and, depending on `mode`, equals the emulator's
 * (buffers with undefined contents are first overwritten in it). Where the emulator reports an
 * error, it has stopped early, and only the expectations count. Writes the differences to `report`,
 * one per line. */
bool ref_compare(const ref_case *c, uint8_t *memory, ref_mode mode, char *report,
                 size_t report_size);

/* Whether the status words of a launch are as the test expects: zeros, or 1 and the number of the
 * failing assert. */
bool ref_status_fits(const ref_case *c, const uint32_t status[2], char *report, size_t report_size);

/* "FAIL path: what" on stdout; always false. */
bool ref_complain(const char *path, const char *what);
void ref_print_diags(const char *path, const wave_diags *diags);

/* calloc that cannot fail: a test that runs out of memory aborts. */
void *ref_allocate(size_t size);

#endif
