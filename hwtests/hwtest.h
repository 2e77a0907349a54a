/* hwtest: every test program and example on every device of this machine, compared with the
 * emulator. This header declares what the files share: devices, tests, outcomes.
 *
 * The program that shows and writes results never loads a vendor's library. Each device is handled
 * in a child process that reports through a pipe: a device that hangs or a driver that crashes
 * costs one test, which is named. */
#ifndef HWTESTS_HWTEST_H
#define HWTESTS_HWTEST_H

#include "runner/reference.h"

#include "wave_rt.h"

#include <stdio.h>
#include <sys/types.h>
#include <time.h>

enum { HW_TEXT = 1400 };      /* size of a reason */
enum { HW_END_SECONDS = 10 }; /* time limit for a killed process to end */

typedef enum hw_verdict {
    HW_PENDING,
    HW_PASSED,
    HW_FAILED,
    HW_SKIPPED,       /* not meant for this device */
    HW_NOT_APPLICABLE /* needs a wave width that the device does not have */
} hw_verdict;

#define HW_LITMUS_BY_DEVICE UINT32_MAX

enum { HW_LEVELS = 2 }; /* -O0 and -O2 */

/* The observed outcomes of a litmus program, see litmus.c. */
enum { HW_OUTCOMES = 24 };
typedef struct hw_litmus {
    uint32_t runs, kinds;
    uint32_t forbidden, others; /* observations; others: of outcomes that are not listed */
    struct {
        char text[40];
        uint32_t times;
        bool forbidden;
    } outcomes[HW_OUTCOMES];
} hw_litmus;

typedef struct hw_outcome {
    hw_verdict verdict;
    char *reason;      /* why it did not pass; NULL: passed */
    hw_litmus *litmus; /* NULL: not counted */
    double seconds;
} hw_outcome;

typedef struct hw_test {
    const char *path;
    char *source;
    size_t size;
    tf_test *test; /* NULL: `broken` says why */
    char broken[300];
} hw_test;

typedef struct hw_device {
    wave_rt_device_info info;
    unsigned target;      /* TF_… */
    hw_outcome *outcomes; /* [test * HW_LEVELS + level] */
    unsigned passed, failed, skipped, not_applicable;
    unsigned restarts; /* restarts of the child process */
    size_t alone;      /* tests before this index are compiled one by one */
    bool begun;
    bool stuck; /* a child cannot be killed: start no more */
    double seconds;
} hw_device;

typedef struct hw_options {
    const char *tool;   /* "wave-hwtest" or "wave-hwbench", for messages */
    const char **names; /* requested devices; none: all */
    size_t name_count;
    bool levels[HW_LEVELS];
    unsigned timeout; /* seconds without progress */
    unsigned batch;   /* tests compiled together */
    unsigned litmus;  /* runs of each litmus program, or HW_LITMUS_BY_DEVICE */
    const char *tap, *junit, *reports;
    const char *commit; /* for the report; NULL: not known */
    unsigned required;  /* required vendors, see require.c */
    bool verbose;
} hw_options;

typedef struct hw_session {
    char **arguments; /* command line of this program */
    hw_options options;
    hw_test *tests;
    size_t test_count;
    hw_device *devices;
    size_t device_count;
    wave_rt_absence *absent;
    size_t absent_count;
    time_t started;
    FILE *tap;
    unsigned tap_number; /* number of its last result */
    double kept;         /* when the other files were last written */
    bool finished;       /* the final write has begun */
    bool write_failed;
} hw_session;

/* ---- devices.c ---- */

/* Fills devices and absent, using a child process. False after printing why. */
bool hw_find_devices(hw_session *s);
/* The child's side. */
_Noreturn void hw_list_devices(const hw_options *o);

/* ---- spawn.c: children run this program again ---- */

#define HW_CHILD_OPTION "--child="
enum { HW_ANSWERS = 3 }; /* the descriptor for a child's answers */

/* Starts a child of this kind with a job; its answers are read from *answers. -1: failed. */
pid_t hw_start_child(char **own, const char *kind, const void *job, size_t size, int *answers);
/* The kind of child that this process is; NULL: not a child. */
const char *hw_child_kind(char **arguments);
/* In a child: reads a job of exactly this size. */
bool hw_read_job(void *job, size_t size);

/* ---- children.c ---- */

/* False when the child is still running after that time. */
bool hw_wait_child(pid_t child, double seconds, int *status);
/* Kills the child. False when it is still running after HW_END_SECONDS. */
bool hw_end_child(pid_t child, int *status);
/* In a child, at each step of progress: from now on it may be silent for twice this long. Its
 * parent ends it earlier; this limit is for a child whose parent was killed. */
void hw_limit_silence(unsigned timeout);
/* 1: input or end of file is available; 0: not yet; -1: an error. */
int hw_wait_input(int in, double seconds);
/* 1: an answer of this size; 0: the end of the pipe; -1: incomplete after these seconds. */
int hw_read_answer(int in, void *answer, size_t size, unsigned seconds);

/* ---- require.c ---- */

/* "cuda,hip": adds to the set. False for an unknown name. */
bool hw_parse_required(const char *list, unsigned *required);
/* Prints which required vendors did not run, and returns how many. */
unsigned hw_report_missing(const hw_session *s);

/* ---- choose.c ---- */

/* Why a test is not run on a device, in `reason`; HW_PENDING when it is to run. */
hw_verdict hw_judge(const hw_test *t, const hw_device *d, char *reason, size_t size);
/* How memory is compared on this device. */
ref_mode hw_compare_mode(const hw_device *d);

/* ---- merge.c ---- */

/* The sources of several tests as one, with kernels and labels renamed to tK_NAME by their index in
 * the list. Free it. */
char *hw_merge(const hw_test *const *tests, size_t count, size_t *size);
/* Whether the test can be merged with others: its source has no other names and no data. */
bool hw_can_merge(const hw_test *t);

/* ---- traffic.c ---- */

typedef struct hw_traffic hw_traffic;
/* `simulated`: light traffic, for software devices. */
wave_rt_status hw_traffic_start(wave_rt_device *device, bool simulated, hw_traffic **out,
                                wave_rt_error *error);
/* Queues another launch; rounds differ in length. */
wave_rt_status hw_traffic_push(const hw_traffic *t, unsigned round, wave_rt_error *error);
wave_rt_status hw_traffic_wait(const hw_traffic *t, wave_rt_error *error);
void hw_traffic_end(hw_traffic *t);

/* ---- litmus.c ---- */

bool hw_is_litmus(const hw_test *t);
unsigned hw_litmus_runs(const hw_options *o, const hw_device *d);
typedef struct hw_litmus_job {
    wave_rt_device *device;
    wave_rt_queue *queue;
    const hw_traffic *traffic;
    const ref_case *test;
    const wave_rt_module *module;
    size_t kernel;
    unsigned runs;
    void (*alive)(const void *user); /* called periodically */
    const void *user;
} hw_litmus_job;
wave_rt_status hw_repeat_litmus(const hw_litmus_job *job, hw_litmus *counts, wave_rt_error *error);
/* Whether a forbidden outcome was seen; describes it in `text`. */
bool hw_complain_litmus(const hw_litmus *counts, char *text, size_t size);

/* ---- worker.c ---- */

/* The launch of a test in an arena that holds its memory; `words` has room for TF_MAX_ARGS. */
void hw_fill_launch(const ref_case *c, const wave_rt_module *module, size_t kernel,
                    wave_rt_arena *arena, uint32_t *words, wave_rt_launch *l);

/* A child's messages: a test began, a test ended, or a step that may take long began. */
typedef struct hw_news {
    uint32_t kind;
    uint32_t test, level, verdict;
    uint32_t last; /* of the tests being compiled */
    double seconds;
    char text[HW_TEXT];
    hw_litmus litmus; /* runs is 0: not counted */
} hw_news;
enum { HW_NEWS_COMPILING = 1, HW_NEWS_BEGIN, HW_NEWS_END, HW_NEWS_FATAL };

/* A child's job. It is followed by one byte per test, its verdict so far. */
typedef struct hw_job {
    char device[32];
    uint32_t target, wave_width, level;
    uint64_t alone;
} hw_job;

/* In a child that has the tests: reads its job, runs the pending tests and exits with 0: all done,
 * 1: a new child must continue, or 2: it could not begin. */
_Noreturn void hw_work(const hw_session *s);

/* ---- watch.c ---- */

/* Runs everything on one device. */
void hw_run_device(hw_session *s, hw_device *d);

/* ---- report.c ---- */

void hw_print_table(const hw_session *s);
void hw_print_failures(const hw_session *s);
/* Writes the reports of devices that have begun. */
void hw_write_reports(hw_session *s);

/* ---- results.c ---- */

/* Whether the level of an outcome was requested. */
bool hw_is_run(const hw_session *s, size_t index);
typedef void hw_writer(FILE *out, const hw_session *s, const hw_device *d);
/* Replaces a file atomically. False after printing why that failed, the first time. */
bool hw_replace_file(hw_session *s, const char *path, hw_writer *writer, const hw_device *d);
/* False after printing why a file could not be written. */
bool hw_open_results(hw_session *s);
/* Records one result: outcomes[index] of the device. */
void hw_record(hw_session *s, const hw_device *d, size_t index);
/* Updates the files, at most once per second. */
void hw_keep_results(hw_session *s);
bool hw_close_results(hw_session *s);

void *hw_allocate(size_t size);
char *hw_copy(const char *text);
double hw_now(void);

#endif
