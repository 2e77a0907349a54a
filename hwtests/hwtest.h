/* hwtest: every test program and example on every device of this machine, compared with the
 * emulator. What the files here share: devices, tests, outcomes.
 *
 * The program that shows and writes results never loads a vendor's library. Each device is worked
 * on in a child process that reports through a pipe: a device that hangs or a driver that crashes
 * costs one test, which is named. */
#ifndef HWTESTS_HWTEST_H
#define HWTESTS_HWTEST_H

#include "runner/reference.h"

#include "wave_rt.h"

#include <stdio.h>
#include <sys/types.h>
#include <time.h>

enum { HW_TEXT = 1400 };      /* of a reason */
enum { HW_END_SECONDS = 10 }; /* that a killed process may take to end */

typedef enum hw_verdict {
    HW_PENDING,
    HW_PASSED,
    HW_FAILED,
    HW_SKIPPED,       /* not meant for this device */
    HW_NOT_APPLICABLE /* asks for a wave width the device does not have */
} hw_verdict;

#define HW_LITMUS_BY_DEVICE UINT32_MAX

enum { HW_LEVELS = 2 }; /* -O0 and -O2 */

/* What a litmus program was seen to do, see litmus.c. */
enum { HW_OUTCOMES = 24 };
typedef struct hw_litmus {
    uint32_t runs, kinds;
    uint32_t forbidden, others; /* observations; others: of kinds beyond those listed */
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
    unsigned restarts; /* of the child process */
    size_t alone;      /* tests before this one are compiled one by one */
    bool begun;
    bool stuck; /* a child cannot be ended: nothing more is started */
    double seconds;
} hw_device;

typedef struct hw_options {
    const char **names; /* devices asked for; none: all */
    size_t name_count;
    bool levels[HW_LEVELS];
    unsigned timeout; /* seconds without a sign of life */
    unsigned batch;   /* tests compiled together */
    unsigned litmus;  /* runs of each litmus program, or HW_LITMUS_BY_DEVICE */
    const char *tap, *junit, *reports;
    const char *commit; /* for the report; NULL: not known */
    unsigned required;  /* vendors, see require.c */
    bool verbose;
} hw_options;

typedef struct hw_session {
    char **arguments; /* of this program */
    hw_options options;
    hw_test *tests;
    size_t test_count;
    hw_device *devices;
    size_t device_count;
    wave_rt_absence *absent;
    size_t absent_count;
    time_t started;
    FILE *tap;
    unsigned tap_number; /* of the last result in it */
    double kept;         /* when the other files were written last */
    bool finished;       /* they are written for the last time */
    bool write_failed;
} hw_session;

/* ---- devices.c ---- */

/* Fills devices and absent, by a child process. False after printing why. */
bool hw_find_devices(hw_session *s);
/* The child's side. */
_Noreturn void hw_list_devices(const hw_options *o);

/* ---- spawn.c: children are this program, started again ---- */

#define HW_CHILD_OPTION "--child="
enum { HW_ANSWERS = 3 }; /* the descriptor a child answers through */

/* Starts a child of this kind, with a job; what it answers is read from *answers. -1: it cannot. */
pid_t hw_start_child(char **own, const char *kind, const void *job, size_t size, int *answers);
/* The kind of child that this process is; NULL: none. */
const char *hw_child_kind(char **arguments);
/* In a child: reads a job of exactly this size. */
bool hw_read_job(void *job, size_t size);

/* ---- children.c ---- */

/* False when the child is still there after that time. */
bool hw_wait_child(pid_t child, double seconds, int *status);
/* Kills it. False when it is still there after HW_END_SECONDS. */
bool hw_end_child(pid_t child, int *status);
/* In a child, at each sign of life: from now on it may be silent for twice this long. Its parent
 * ends it earlier. This is for a child whose parent was killed. */
void hw_limit_silence(unsigned timeout);
/* 1: something can be read, or the end; 0: not yet; -1: an error. */
int hw_wait_input(int in, double seconds);
/* 1: an answer of this size; 0: the end of the pipe; -1: not all of it within these seconds. */
int hw_read_answer(int in, void *answer, size_t size, unsigned seconds);

/* ---- require.c ---- */

/* "cuda,hip": adds to the set. False when it names something else. */
bool hw_parse_required(const char *list, unsigned *required);
/* Prints which required vendors did not run, and returns how many. */
unsigned hw_report_missing(const hw_session *s);

/* ---- choose.c ---- */

/* Why a test is not run on a device, in `reason`; HW_PENDING when it is run. */
hw_verdict hw_judge(const hw_test *t, const hw_device *d, char *reason, size_t size);
/* How memory is compared there. */
ref_mode hw_compare_mode(const hw_device *d);

/* ---- merge.c ---- */

/* The sources of several tests as one, their kernels and labels renamed to tK_NAME by the place in
 * the list. Free it. */
char *hw_merge(const hw_test *const *tests, size_t count, size_t *size);
/* Whether it can be merged with others: its source has no names but those, and no data. */
bool hw_can_merge(const hw_test *t);

/* ---- traffic.c ---- */

typedef struct hw_traffic hw_traffic;
/* `simulated`: only a little of it, for devices that are a program. */
wave_rt_status hw_traffic_start(wave_rt_device *device, bool simulated, hw_traffic **out,
                                wave_rt_error *error);
/* Another launch; rounds differ in length. */
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
    void (*alive)(const void *user); /* called now and then */
    const void *user;
} hw_litmus_job;
wave_rt_status hw_repeat_litmus(const hw_litmus_job *job, hw_litmus *counts, wave_rt_error *error);
/* Whether a forbidden outcome was seen, and which, in `text`. */
bool hw_complain_litmus(const hw_litmus *counts, char *text, size_t size);

/* ---- worker.c ---- */

/* The launch of a test in an arena that holds its memory; `words` has room for TF_MAX_ARGS. */
void hw_fill_launch(const ref_case *c, const wave_rt_module *module, size_t kernel,
                    wave_rt_arena *arena, uint32_t *words, wave_rt_launch *l);

/* What a child tells: a test begins, or ended, or a step that may take long began. */
typedef struct hw_news {
    uint32_t kind;
    uint32_t test, level, verdict;
    uint32_t last; /* of those being compiled */
    double seconds;
    char text[HW_TEXT];
    hw_litmus litmus; /* runs is 0: not counted */
} hw_news;
enum { HW_NEWS_COMPILING = 1, HW_NEWS_BEGIN, HW_NEWS_END, HW_NEWS_FATAL };

/* What a child works on. After it comes one byte for each test, its verdict so far. */
typedef struct hw_job {
    char device[32];
    uint32_t target, wave_width, level;
    uint64_t alone;
} hw_job;

/* In a child that has the tests: reads its job, works through the pending tests and exits: 0 all
 * done, 1 a new child must go on, 2 it could not begin. */
_Noreturn void hw_work(const hw_session *s);

/* ---- watch.c ---- */

/* Runs everything on one device. */
void hw_run_device(hw_session *s, hw_device *d);

/* ---- report.c ---- */

void hw_print_table(const hw_session *s);
void hw_print_failures(const hw_session *s);
/* Those of devices that have begun. */
void hw_write_reports(hw_session *s);

/* ---- results.c ---- */

/* Whether the level of an outcome was asked for. */
bool hw_is_run(const hw_session *s, size_t index);
typedef void hw_writer(FILE *out, const hw_session *s, const hw_device *d);
/* Replaces a file as a whole. False after printing why it could not be, the first time. */
bool hw_replace_file(hw_session *s, const char *path, hw_writer *writer, const hw_device *d);
/* False after printing why a file could not be written. */
bool hw_open_results(hw_session *s);
/* One result has come: outcomes[index] of the device. */
void hw_record(hw_session *s, const hw_device *d, size_t index);
/* Brings the files up to date, at most once per second. */
void hw_keep_results(hw_session *s);
bool hw_close_results(hw_session *s);

void *hw_allocate(size_t size);
char *hw_copy(const char *text);
double hw_now(void);

#endif
