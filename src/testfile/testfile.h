/* A `.wave` or `.cl` file of the test format (docs/using/test-format.md): its structured comments,
 * parsed, and for one wave width the launch they describe and the memory they expect. Nothing here
 * runs kernels, so every target's runner can share it. */
#ifndef TESTFILE_TESTFILE_H
#define TESTFILE_TESTFILE_H

#include "testfile/values.h"

#include <wave/emu.h>

enum { TF_MAX_WIDTHS = 16, TF_MAX_ARGS = 256 };
enum { TF_EMU = 1, TF_PTX = 2, TF_HIP = 4, TF_SYCL = 8, TF_MSL = 16, TF_ALL = 31 };

typedef struct tf_buffer {
    char *name;
    val_type type;
    char *count;        /* expression */
    char *at;           /* expression, or NULL: placed after the previous buffer */
    char *values;       /* generator, or NULL: uninitialised, zero */
    val_mode fast_mode; /* the comparison mode for fast floats, unless exact */
    double fast_tolerance;
} tf_buffer;

typedef struct tf_expect {
    unsigned line;
    size_t buffer;
    char *low, *high; /* expressions, or NULL: the whole buffer */
    val_type type;
    val_mode mode;
    double tolerance;
    uint32_t width; /* 0: at every width */
    bool flushed;   /* only when subnormals are flushed; replaces the buffer's other expectations */
    char *values;   /* generator, or NULL: unchanged */
} tf_expect;

typedef struct tf_event { /* a diagnostic that must be reported */
    char *code;
    int64_t pc; /* -1: anywhere */
} tf_event;

typedef struct tf_test {
    const char *path; /* the name of the file in reports, borrowed; NULL: omitted */
    char *title, *kernel;
    uint32_t widths[TF_MAX_WIDTHS];
    size_t width_count;
    char *grid[3], *group[3]; /* expressions, or NULL */
    char *args[TF_MAX_ARGS];
    size_t arg_count;
    uint32_t registers, local_memory;
    uint64_t memory;
    uint64_t max_instructions;
    unsigned checks; /* WAVE_CHECK_… */
    unsigned targets;
    unsigned todo; /* targets known to fail */
    int schedules; /* -1: the default */
    bool strict_align, poison, lenient, ftz_sensitive;
    bool bounded;    /* the expectations hold with bounds; without, the emulator reports an error */
    bool fails;      /* an assert fails on targets */
    uint32_t status; /* the number of that assert */
    bool is_opencl;  /* lines are `//@`: no buffer is at offset 0, which is NULL */
    bool race;       /* it deliberately has a race */
    bool race_hidden; /* scoped memory need not reveal the race */
    tf_buffer *buffers;
    size_t buffer_count;
    tf_expect *expects;
    size_t expect_count;
    tf_event *errors, *warnings;
    size_t error_count, warning_count;
    tf_event *allowed; /* warnings that may be reported */
    size_t allowed_count;
} tf_test;

/* A whole file, malloc'ed; NULL when it cannot be read. */
char *tf_read_file(const char *path, size_t *size);

/* NULL, with "line N: …" in `error`, when the comments are malformed. */
tf_test *tf_parse(const char *source, size_t size, char *error, size_t error_size);
void tf_destroy(tf_test *test);

/* How to load the program: leniently or not, with the launcher's registers and local memory. */
wave_load_options tf_load_options(const tf_test *test);

typedef struct tf_place {
    uint64_t address, count;
} tf_place;

/* A test at one width. */
typedef struct tf_run {
    uint32_t width, grid[3], group[3];
    bool flushed; /* subnormals are flushed: the expectations for this case are compared */
    bool fast;    /* the target's floats are approximations */
    uint32_t args[TF_MAX_ARGS];
    uint32_t arg_count;
    uint8_t *memory; /* initial contents */
    uint64_t size;
    tf_place *places; /* one per buffer */
    wave_range *initialised;
    size_t initialised_count;
} tf_run;

bool tf_instantiate(const tf_test *test, uint32_t width, tf_run *run, char *error,
                    size_t error_size);
void tf_run_free(tf_run *run);

/* Fills in the launch of the run, except its kernel and device memory, overriding `launch`. It
 * borrows from `run`. */
void tf_fill_launch(const tf_test *test, const tf_run *run, wave_launch *launch);

/* Whether some expectation differs when subnormals are flushed. */
bool tf_has_flushed(const tf_test *test);

/* Compares `memory` (run->size bytes) with the expectations. Returns false with the first few
 * differences as lines of text in `report`. */
bool tf_compare(const tf_test *test, const tf_run *run, const uint8_t *memory, char *report,
                size_t report_size);

#endif
