/* Differential execution: one program, the emulator's answers at several widths, and the results of
 * every target. Compiling and running happen in the caller's process where the target allows, in
 * batches where it does not (diff_execute). */
#ifndef GEN_DIFF_H
#define GEN_DIFF_H

#include "testfile/testfile.h"

#include <wave/compile.h>
#include <wave/emu.h>

typedef enum diff_target {
    DIFF_EMU, /* the emulator under another schedule, and after asm, dis, asm */
    DIFF_PTX,
    DIFF_HIP,
    DIFF_MSL,
    DIFF_SYCL,
    DIFF_SYCL_SIMT, /* the SYCL text through clang, on the CPU harness */
    DIFF_WBIN,      /* back to WBIN through the compiler */
    DIFF_PASSES,    /* the same for the IR after each pass */
    DIFF_DEFECT,    /* the emulator with one instruction replaced by another: tests the tests */
    DIFF_TARGETS
} diff_target;

extern const char *const diff_target_name[DIFF_TARGETS];
/* -1: no such target. */
int diff_find_target(const char *name, size_t length);

/* Ways to compile a program with Intel's compilers: docs/inside/testing-sycl.md. */
typedef enum diff_way {
    DIFF_WAY_ANY, /* the first way after `optimised` that is correct */
    DIFF_WAY_OPTIMISED,
    DIFF_WAY_PLAIN,
    DIFF_WAY_KEPT_FLOW,
    DIFF_WAY_KEPT_LOOPS,
    DIFF_WAYS
} diff_way;

extern const char *const diff_way_name[DIFF_WAYS];
bool diff_find_way(const char *name, diff_way *way);

enum { DIFF_WIDTHS = 8 };

/* The emulator's answer at one width. */
typedef struct diff_answer {
    tf_run run;
    uint8_t *memory; /* after */
} diff_answer;

typedef struct diff_program {
    uint64_t seed; /* from its title; 0: none */
    char *text;    /* owned */
    size_t size;
    tf_test *test;
    wave_blob binary;
    wave_module *module;
    const wave_kernel_info *info;
    uint32_t group[3];
    diff_answer answers[DIFF_WIDTHS];
    size_t answer_count;
} diff_program;

/* The kind of a difference; a reduction preserves it. */
typedef enum diff_kind {
    DIFF_NONE,
    DIFF_INVALID,  /* the program itself does not assemble, or fails in the emulator */
    DIFF_EXPECTED, /* the emulator does not meet the expectations */
    DIFF_REFUSED,  /* the target's compiler, or the vendor's, rejects it */
    DIFF_FAILED,   /* it ends with an error */
    DIFF_MEMORY,   /* it leaves different memory */
    DIFF_CRASHED   /* the compiler or the runner crashes or hangs */
} diff_kind;

enum { DIFF_WHY = 600 };

typedef struct diff_verdict {
    diff_kind kind;
    char why[DIFF_WHY];
} diff_verdict;

/* Takes ownership of the text (malloc'ed). Assembles, loads, and emulates at each width under the
 * race and uninitialised-read checkers. Whatever the verdict, diff_close frees. */
bool diff_open(diff_program *p, char *text, size_t size, const uint32_t *widths, size_t width_count,
               diff_verdict *verdict);
void diff_close(diff_program *p);

/* Whether memory equals the emulator's; in float buffers any NaN equals any other. */
bool diff_same(const diff_program *p, const diff_answer *answer, const uint8_t *memory,
               diff_verdict *verdict);
bool diff_fail(diff_verdict *verdict, diff_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One requested execution. */
typedef struct diff_run {
    const diff_program *program;
    const diff_answer *answer;
    diff_target target;
    bool optimise;
    diff_verdict verdict;
    /* SYCL that is correct, but not in every way that was tried: which way failed and how, and
     * which is correct. malloc'ed, or NULL. */
    char *vendor;
} diff_run;

typedef struct diff_options {
    const char *defect_from, *defect_to; /* mnemonics */
    const char *folder;                  /* for the compilers' files */
    unsigned jobs;                       /* concurrent compilers */
    bool cached;                         /* compiled objects stay in the folder for reuse */
    diff_way way;
    void (*before)(const diff_run *run); /* called before a run in this process, when not NULL */
} diff_options;

/* Whether this build and machine can run the target; if not, `why` names what is missing. */
bool diff_available(diff_target target, const diff_options *o, char *why, size_t size);
/* Whether the target applies to this program and width. */
bool diff_applies(const diff_program *p, diff_target target, uint32_t width);
/* Executes all runs, grouped by target, and fills in their verdicts. */
void diff_execute(diff_run *runs, size_t count, const diff_options *o);

/* Reduces a program (reduce.h) that has this verdict at this target, level and width. Candidates
 * run in separate processes. Returns the text, malloc'ed, and the number of remaining instructions.
 */
char *diff_reduce(const diff_run *run, const diff_options *o, unsigned *instructions);

/* ---- diff_files.c ---- */

/* Returns the exit status of wave-diff for files. */
int diff_files(char *const *paths, size_t count, const bool *targets, const uint32_t *widths,
               size_t width_count, const diff_options *o);

/* ---- One file per target ---- */

void diff_run_emu(diff_run *run);
void diff_run_defect(diff_run *run, const diff_options *o);
void diff_run_ptx(diff_run *run);
void diff_run_wbin(diff_run *run);
void diff_run_passes(diff_run *run);
/* Emulates other bytes than the program's own. */
void diff_run_bytes(diff_run *run, const wave_blob *binary, uint64_t schedule);
void diff_run_simt(diff_run **runs, size_t count, const diff_options *o); /* HIP, MSL, SYCL */
void diff_run_sycl(diff_run **runs, size_t count, const diff_options *o);
bool diff_simt_available(char *why, size_t size);
bool diff_sycl_available(char *why, size_t size);

/* Also decided by the seed: one program in eight is compiled with --bounds. */
bool diff_bounds(const diff_program *p);
/* The program's text in the target's language. */
bool diff_compile(diff_run *run, const char *target, const char *arch, wave_blob *text);
/* Emulates a module of the program's text; memory holds run->size bytes and is overwritten. */
bool diff_emulate(const diff_program *p, const diff_answer *answer, const wave_module *module,
                  unsigned checks, uint64_t schedule, uint8_t *memory, diff_verdict *verdict);

#endif
