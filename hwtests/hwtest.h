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

enum { HW_TEXT = 1400 }; /* of a reason */

typedef enum hw_verdict {
    HW_PENDING,
    HW_PASSED,
    HW_FAILED,
    HW_SKIPPED,       /* not meant for this device */
    HW_NOT_APPLICABLE /* asks for a wave width the device does not have */
} hw_verdict;

enum { HW_LEVELS = 2 }; /* -O0 and -O2 */

typedef struct hw_outcome {
    hw_verdict verdict;
    char *reason; /* why it did not pass; NULL: passed */
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
    double seconds;
} hw_device;

typedef struct hw_options {
    const char **names; /* devices asked for; none: all */
    size_t name_count;
    bool levels[HW_LEVELS];
    unsigned timeout; /* seconds without a sign of life */
    unsigned batch;   /* tests compiled together */
    const char *tap, *junit, *reports;
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

/* ---- choose.c ---- */

/* Why a test is not run on a device, in `reason`; HW_PENDING when it is run. */
hw_verdict hw_judge(const hw_test *t, const hw_device *d, char *reason, size_t size);
/* How memory is compared there. */
ref_mode hw_compare_mode(const hw_device *d);

/* ---- merge.c ---- */

/* The sources of several tests as one, their kernels and labels renamed to tK_NAME by the place in
 * the list. Free it. */
char *hw_merge(const hw_test *const *tests, size_t count, size_t *size);

/* ---- worker.c ---- */

/* What a child tells: a test begins, or ended, or a step that may take long began. */
typedef struct hw_news {
    uint32_t kind;
    uint32_t test, level, verdict;
    uint32_t last; /* of those being compiled */
    double seconds;
    char text[HW_TEXT];
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
/* False after printing why a file could not be written. */
bool hw_write_tap(const hw_session *s);
bool hw_write_junit(const hw_session *s);
bool hw_write_reports(const hw_session *s);

void *hw_allocate(size_t size);
char *hw_copy(const char *text);
double hw_now(void);

#endif
