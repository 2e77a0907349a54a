/* A test file made ready to run on a target: parsed, assembled, loaded, its launch at one wave
 * width, and the memory the emulator leaves. Drivers of targets compile and run `module`, then ask
 * ref_compare whether the memory they got is right. Nothing here knows a target. */
#ifndef RUNNER_REFERENCE_H
#define RUNNER_REFERENCE_H

#include "testfile/testfile.h"

#include <wave/emu.h>
#include <wave/wave.h>

typedef enum ref_status {
    REF_READY,
    REF_OTHER_TARGET, /* the test is not for this target or width, or is a known failure there */
    REF_BROKEN        /* unreadable, malformed, or the emulator fails: said on stdout */
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
    uint32_t group[3]; /* the kernel's own workgroup, or the test's */
    tf_run run;        /* grid, arguments, memory before */
    uint8_t *memory;   /* after the emulator, run.size bytes */
} ref_case;

/* `target` is one of TF_PTX, TF_HIP, …; `path` is kept. Whatever the answer, ref_close frees. */
ref_status ref_open(ref_case *c, const char *path, unsigned target, uint32_t width);
/* The same from text, which the caller keeps; `name` stands for the path. */
ref_status ref_open_text(ref_case *c, const char *name, const char *source, size_t size,
                         unsigned target, uint32_t width);
void ref_close(ref_case *c);

/* Argument words r0 …, as the kernel declares them: zeros behind those the test gives. Returns how
 * many; `words` holds TF_MAX_ARGS. */
uint32_t ref_arguments(const ref_case *c, uint32_t *words);

/* A copy of the memory before the launch; free it. Never NULL. */
uint8_t *ref_fresh_memory(const ref_case *c);

typedef enum ref_mode {
    REF_EXPECTED,     /* only what the test expects */
    REF_SAME_BUT_NAN, /* and all memory as the emulator leaves it, but NaNs may have other bits */
    REF_SAME          /* bit for bit */
} ref_mode;

/* Whether `memory` meets the test's expectations and, by `mode`, equals the emulator's (buffers of
 * free contents are first overwritten in it). Where the emulator reports an error it
 * has stopped at once, and only the expectations count. Differences are lines of text in `report`.
 */
bool ref_compare(const ref_case *c, uint8_t *memory, ref_mode mode, char *report,
                 size_t report_size);

/* Whether the status words of a launch are what the test says: zeros, or 1 and the number of the
 * assert that fails. */
bool ref_status_fits(const ref_case *c, const uint32_t status[2], char *report, size_t report_size);

/* "FAIL path: what" on stdout; always false. */
bool ref_complain(const char *path, const char *what);
void ref_print_diags(const char *path, const wave_diags *diags);

/* calloc that cannot fail: a test that is out of memory ends. */
void *ref_allocate(size_t size);

#endif
