/* Compiles emitted SYCL texts with Intel's run-time compiler and runs their kernels on its CPU
 * device: many texts and launches at once, in separate processes, so that a kernel that crashes or
 * hangs affects nothing else. Nothing here depends on the test format. */
#ifndef SYCLRUN_SYCLRUN_H
#define SYCLRUN_SYCLRUN_H

#include <wave/wave.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file written by wavec. */
typedef struct syclrun_text {
    const char *text;
    size_t size;
    const char *const *entries; /* its free-function kernels: "vadd_kernel" */
    size_t entry_count;
} syclrun_text;

typedef enum syclrun_outcome {
    SYCLRUN_NOT_RUN,
    SYCLRUN_DONE,         /* memory and status are those after the launch */
    SYCLRUN_NOT_COMPILED, /* message: the compiler's output about the text */
    SYCLRUN_REFUSED,      /* the run time throws; message: why */
    SYCLRUN_CRASHED,
    SYCLRUN_HUNG,
    SYCLRUN_OUT_OF_BOUNDS, /* bytes next to the memory were written */
    SYCLRUN_ONLY_COMPILED  /* compiled, but the device has no matrix units to run it */
} syclrun_outcome;

typedef struct syclrun_launch {
    size_t text;  /* index */
    size_t entry; /* index in the text's entries */
    const uint32_t *args;
    uint32_t arg_words;    /* 0: the kernel has no args parameter */
    uint32_t local_memory; /* 0: no local parameter */
    bool has_size;         /* --bounds */
    bool has_status;       /* asserts */
    bool row;              /* a workgroup is launched as one row of threads */
    bool has_shape;        /* the kernel takes the true x and y of the workgroup, last */
    bool has_matrices;     /* joint matrices: the device must have units for them */
    bool only_compile;     /* do not run it */
    uint32_t grid[3], group[3];
    uint8_t *memory; /* before and after */
    uint64_t size;

    uint32_t status[2]; /* after: 1 and the id of the first assert that failed */
    syclrun_outcome outcome;
    char *message; /* malloc'ed, or NULL */
} syclrun_launch;

/* How far the compilers may optimise a kernel; docs/inside/testing-sycl.md explains the choice. */
typedef enum syclrun_way {
    SYCLRUN_OPTIMISED,  /* with their default optimisations */
    SYCLRUN_PLAIN,      /* the CPU device's compiler does not optimise */
    SYCLRUN_KEPT_FLOW,  /* only the device's compiler optimises; branches and joins stay as in the
                           text */
    SYCLRUN_KEPT_LOOPS, /* and the exits of loops too */
    SYCLRUN_WAYS
} syclrun_way;

/* Zero-initialise, then set members as needed. */
typedef struct syclrun_options {
    size_t batch;       /* texts per compiler run; 0: 80 */
    unsigned processes; /* at once; 0: 2 */
    unsigned seconds;   /* limit for a launch; 0: 60 */
    syclrun_way way;
    /* If not NULL, called after each launch has its outcome. */
    void (*finished)(void *user, size_t launch);
    void *user;
} syclrun_options;

/* Launches of one text must be adjacent. False only when no process can be started. */
bool syclrun_all(const syclrun_text *texts, size_t text_count, syclrun_launch *launches,
                 size_t launch_count, const syclrun_options *options);

/* The name of an outcome, such as "crashed". */
const char *syclrun_outcome_name(syclrun_outcome outcome);

/* ---- source.c ---- */

/* One translation unit of texts `first` … `first + count - 1`, each in its own namespace with its
 * entries renamed (syclrun_entry_name); malloc'ed. `device`: without the host launchers, which the
 * run-time compiler does not need. */
char *syclrun_unit(const syclrun_text *texts, size_t first, size_t count, bool device);
void syclrun_entry_name(char *name, size_t size, size_t text, const char *entry);
/* The lines of a compiler's log that are about text `text` of a unit; malloc'ed, NULL: none are. */
char *syclrun_log_of(const char *log, size_t text);

/* The parameters of a kernel by the launch contract of docs/reference/sycl.md: arg_words,
 * local_memory, has_…, row. Asserts are on. */
void syclrun_contract(syclrun_launch *launch, const wave_kernel_info *info, bool bounds,
                      bool lockstep);

/* ---- hostcheck.c ---- */

/* Passes all texts, launchers included, to a host compiler that only checks them, with warnings as
 * errors. `command` is the compiler with its flags, words separated by blanks. messages[t] is its
 * output about text t, malloc'ed, or NULL. False when it fails without naming a text; then *failure
 * is its output, malloc'ed. */
bool syclrun_host_check(const syclrun_text *texts, size_t text_count, const char *command,
                        const char *scratch, char **messages, char **failure);

#ifdef __cplusplus
}
#endif

#endif
