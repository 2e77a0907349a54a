/* Running emitted HIP, MSL and SYCL on the CPU, many kernels at a time: clang++ compiles the texts
 * in units of several kernels, the objects are cached by the hash of their inputs, and every launch
 * runs in a child process, so that no kernel can end the caller.
 *
 *     simt_program programs[N] = {{.name = "vadd", .text = …, .launches = …}, …};
 *     simt_options options = simt_default_options();
 *     options.visit = my_function; // called for every launch, in the caller's process
 *     simt_run(&options, programs, N);
 *
 * Linux only. The program that links this must export its symbols (-rdynamic). */
#ifndef SIMT_SIMT_RUN_H
#define SIMT_SIMT_RUN_H

#include "simt/simt.h"

#include <wave/wave.h>

typedef enum simt_target { SIMT_HIP, SIMT_MSL, SIMT_SYCL, SIMT_TARGET_COUNT } simt_target;

enum { SIMT_MAX_UNIT = 256 };

/* SYCL: what a launcher must know besides the launch. A kernel with different parameters is an
 * error. */
typedef struct simt_contract {
    bool row;              /* the workgroup is launched as one row of x · y · z threads */
    uint32_t takes;        /* SIMT_TAKES_… */
    uint32_t local_memory; /* bytes */
} simt_contract;

simt_contract simt_sycl_contract(const wave_kernel_info *info, bool bounds, bool lockstep);

typedef struct simt_launch {
    uint32_t grid[3], group[3];
    const uint32_t *args; /* as many words as the kernel takes */
    uint32_t arg_count;
    const uint8_t *memory; /* before the launch, which uses a copy */
    uint64_t memory_size;
    uint64_t seed;       /* 0: lanes in order, 1: in reverse order, others: random; from 2 on, even
                            seeds let stores wait for fences */
    uint64_t step_limit; /* loop iterations, summed over the lanes of a workgroup; 0: the default */
} simt_launch;

typedef struct simt_program {
    const char *name; /* for reports; no quotes or backslashes */
    simt_target target;
    uint32_t width;         /* lanes of a wave */
    uint32_t gfx;           /* HIP: the chip's generation, 9 … 12 */
    simt_dot *dot;          /* how matrix units sum; NULL: one fma after the other */
    simt_contract contract; /* SYCL */
    const char *text;       /* as emitted */
    const simt_launch *launches;
    size_t launch_count;
    void *user;
} simt_program;

typedef struct simt_outcome {
    simt_error error;
    const char *message; /* "" without an error; the compiler's output for SIMT_NO_COMPILE */
    uint8_t *memory;     /* after the launch, writable; NULL when it did not run */
    uint32_t status[2];  /* the status words that the kernel left */
} simt_outcome;

/* `launch` counts within the program. A program that does not compile is visited once. */
typedef void simt_visit(void *user, const simt_program *program, size_t launch,
                        const simt_outcome *outcome);

typedef struct simt_options {
    const char *compiler; /* NULL: the one that scripts/find-clang.sh finds in the PATH */
    const char *shims;    /* the folder with hip/, metal/ and sycl/ */
    const char *folder;   /* for units and objects */
    bool keep;            /* objects stay in the folder for later runs */
    const char *optimise; /* "-O1" */
    unsigned jobs;        /* compilers at the same time */
    unsigned unit;        /* programs in one compilation, at most SIMT_MAX_UNIT */
    simt_visit *visit;
    void *user;
} simt_options;

simt_options simt_default_options(void);

/* False, with a line on stderr, when nothing could run at all: no compiler, no folder. */
bool simt_run(const simt_options *options, const simt_program *programs, size_t count);

const char *simt_error_name(simt_error error); /* "divergent-barrier" */

#endif
