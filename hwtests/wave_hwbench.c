/* wave-hwbench: times examples on every device of this machine, each device in its own process, and
 * writes the figures as a table, CSV and a chart. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 7 };

typedef struct bench_options {
    const char *csv, *svg, *examples;
    unsigned shift; /* log2 of the elements; 0: chosen by device */
} bench_options;

/* ---- In the child ---- */

/* Fills with f32 values between 0 and 1: no subnormals, no identical rows. */
static void fill(uint32_t *words, uint64_t count) {
    uint32_t x = 2463534242u;
    for (uint64_t k = 0; k < count; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        float value = (float)(x >> 8) * (1.0f / 16777216.0f);
        memcpy(&words[k], &value, sizeof value);
    }
}

static wave_rt_status upload(wave_rt_queue *queue, wave_rt_arena *arena, const bench_case *c,
                             uint32_t words[], wave_rt_error *error) {
    wave_rt_status status = WAVE_RT_OK;
    for (unsigned k = 0; k < BENCH_BUFFERS && c->buffers[k] && status == WAVE_RT_OK; k++) {
        uint64_t count = (c->buffers[k] + 3) / 4;
        uint32_t *data = hw_allocate(count * 4);
        wave_rt_buffer buffer;
        fill(data, count);
        status = wave_rt_arena_take(arena, c->buffers[k], &buffer, error);
        if (status == WAVE_RT_OK)
            status = wave_rt_upload(queue, &buffer, 0, data, c->buffers[k], error);
        words[k] = (uint32_t)buffer.offset;
        free(data);
    }
    return status;
}

static wave_rt_status time_launch(wave_rt_queue *queue, const wave_rt_launch *launch, double *best,
                                  wave_rt_error *error) {
    wave_rt_status status = WAVE_RT_OK;
    for (unsigned k = 0; k < ROUNDS && status == WAVE_RT_OK; k++) {
        double seconds = 0;
        status = wave_rt_dispatch(queue, launch, error);
        if (status == WAVE_RT_OK)
            status = wave_rt_wait(queue, error);
        if (status == WAVE_RT_OK)
            status = wave_rt_elapsed(queue, &seconds, error);
        if (status == WAVE_RT_OK && (k == 0 || seconds < *best)) /* the first run is a warm-up */
            *best = seconds;
    }
    return status;
}

static wave_rt_status run(wave_rt_device *device, wave_rt_queue *queue, const bench_case *c,
                          const wave_rt_module *module, double *best, wave_rt_error *error) {
    uint32_t words[BENCH_BUFFERS + BENCH_SCALARS];
    unsigned buffers = 0;
    uint64_t size = 0;
    wave_rt_arena *arena;
    wave_rt_launch launch;
    for (; buffers < BENCH_BUFFERS && c->buffers[buffers]; buffers++)
        size += (c->buffers[buffers] + 255) / 256 * 256;
    wave_rt_status status = wave_rt_arena_create(device, size, &arena, error);
    if (status != WAVE_RT_OK)
        return status;
    wave_rt_launch_init(&launch);
    launch.module = module;
    launch.arena = arena;
    memcpy(launch.grid, c->grid, sizeof launch.grid);
    memcpy(words + buffers, c->scalars, c->scalar_count * sizeof *words);
    launch.words = words;
    launch.word_count = buffers + c->scalar_count;
    launch.timed = true;
    status = upload(queue, arena, c, words, error);
    if (status == WAVE_RT_OK)
        status = time_launch(queue, &launch, best, error);
    wave_rt_arena_destroy(arena);
    return status;
}

static void measure(wave_rt_device *device, wave_rt_queue *queue, const char *folder,
                    const bench_case *c, bench_result *result) {
    char path[500];
    size_t size;
    wave_blob binary = {0};
    wave_rt_module *module = NULL;
    wave_rt_error error = {0};
    wave_rt_module_options options;
    double best = 0;
    wave_rt_module_init(&options);
    options.native_mma = c->native;
    snprintf(path, sizeof path, "%s/%s.wave", folder, c->file ? c->file : c->name);
    char *source = tf_read_file(path, &size);
    if (!source || wave_assemble(source, size, NULL, &binary, NULL) != WAVE_OK) {
        snprintf(result->problem, sizeof result->problem, "%.150s cannot be read", path);
    } else if (wave_rt_module_load(device, binary.data, binary.size, &options, &module, &error) !=
                   WAVE_RT_OK ||
               run(device, queue, c, module, &best, &error) != WAVE_RT_OK) {
        snprintf(result->problem, sizeof result->problem, "%.190s", error.message);
    } else {
        result->seconds = best > 0 ? best : 1e-9;
    }
    wave_rt_module_destroy(module);
    wave_blob_free(&binary);
    free(source);
}

static void show(const char *device, const bench_case *c, unsigned k) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s: %u of %d: %s", device, k + 1, (int)BENCH_CASES, c->name);
}

/* The job of a child. */
typedef struct bench_job {
    char device[32];
    uint64_t elements;
} bench_job;

static _Noreturn void work(const bench_options *o, unsigned timeout) {
    bench_job job;
    bench_case cases[BENCH_CASES];
    wave_rt_device *device = NULL;
    wave_rt_queue *queue = NULL;
    wave_rt_error error = {0};
    if (!hw_read_job(&job, sizeof job) || !memchr(job.device, '\0', sizeof job.device) ||
        job.elements < 1 << 12 || job.elements > 1 << 28) {
        fprintf(stderr,
                "wave-hwbench: --child is only for processes that wave-hwbench starts itself\n");
        exit(2);
    }
    bench_make_cases(job.elements, cases);
    hw_limit_silence(timeout);
    bool open = wave_rt_open(job.device, &device, &error) == WAVE_RT_OK &&
                wave_rt_queue_create(device, &queue, &error) == WAVE_RT_OK;
    for (unsigned k = 0; k < BENCH_CASES; k++) {
        bench_result result = {0};
        hw_limit_silence(timeout);
        show(job.device, &cases[k], k);
        if (open)
            measure(device, queue, o->examples, &cases[k], &result);
        else
            snprintf(result.problem, sizeof result.problem, "%.190s", error.message);
        if (write(HW_ANSWERS, &result, sizeof result) != (ssize_t)sizeof result)
            _exit(1);
    }
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
    wave_rt_queue_destroy(queue);
    wave_rt_close(device);
    exit(0);
}

/* ---- In the parent ---- */

/* Marks the cases that were not measured, starting with the one in which the child was lost. */
static void blame(bench_device *d, unsigned first, int got, unsigned timeout) {
    char *problem = d->results[first].problem;
    if (got < 0)
        snprintf(problem, sizeof d->results[first].problem, "no answer for %u seconds", timeout);
    else
        snprintf(problem, sizeof d->results[first].problem, "the process died");
    for (unsigned k = first + 1; k < BENCH_CASES; k++)
        snprintf(d->results[k].problem, sizeof d->results[k].problem, "not reached");
}

static bool any_measured(const bench_device *d) {
    for (unsigned k = 0; k < BENCH_CASES; k++)
        if (d->results[k].seconds > 0)
            return true;
    return false;
}

/* False when a case was lost with its process, or no case could be measured. */
static bool measure_device(char **arguments, uint64_t elements, unsigned timeout, bench_device *d) {
    bench_job job = {.elements = elements};
    int answers, status, got = 1;
    unsigned k = 0;
    memcpy(job.device, d->info.name, sizeof job.device);
    bench_make_cases(elements, d->cases);
    pid_t child = hw_start_child(arguments, "bench", &job, sizeof job, &answers);
    if (child < 0) {
        snprintf(d->results[0].problem, sizeof d->results[0].problem,
                 "cannot start a child process");
        return false;
    }
    while (k < BENCH_CASES &&
           (got = hw_read_answer(answers, &d->results[k], sizeof d->results[k], timeout)) > 0)
        k++;
    close(answers);
    if (!hw_wait_child(child, k == BENCH_CASES ? HW_END_SECONDS : 0, &status))
        (void)hw_end_child(child, &status);
    if (k < BENCH_CASES)
        blame(d, k, got, timeout);
    return k == BENCH_CASES && any_measured(d);
}

/* The emulator is slow, a CPU less so. */
static uint64_t elements_for(const bench_options *o, const hw_device *d) {
    if (o->shift)
        return (uint64_t)1 << o->shift;
    if (d->target == TF_EMU)
        return 1 << 13;
    return strncmp(d->info.name, "sycl:cpu", 8) == 0 ? 1 << 21 : 1 << 25;
}

static int usage(void) {
    fprintf(stderr, "usage: wave-hwbench [--device=NAME]... [--elements=2^N] [--examples=FOLDER] "
                    "[--csv=FILE] [--svg=FILE] [--timeout=SECONDS]\n");
    return 2;
}

static bool parse_shift(const char *text, unsigned *shift) {
    char *end;
    *shift = (unsigned)strtoul(text, &end, 10);
    return !*end && *shift >= 12 && *shift <= 28;
}

static bool parse_option(bench_options *o, hw_options *devices, const char *a) {
    char *end = "";
    if (strncmp(a, "--device=", 9) == 0)
        devices->names[devices->name_count++] = a + 9;
    else if (strncmp(a, "--elements=2^", 13) == 0)
        return parse_shift(a + 13, &o->shift);
    else if (strncmp(a, "--examples=", 11) == 0)
        o->examples = a + 11;
    else if (strncmp(a, "--csv=", 6) == 0)
        o->csv = a + 6;
    else if (strncmp(a, "--svg=", 6) == 0)
        o->svg = a + 6;
    else if (strncmp(a, "--timeout=", 10) == 0)
        devices->timeout = (unsigned)strtoul(a + 10, &end, 10);
    else
        return false;
    return !*end && devices->timeout;
}

int main(int argc, char **argv) {
    bench_options o = {.examples = "examples"};
    hw_session s = {.arguments = argv, .options = {.tool = "wave-hwbench", .timeout = 300}};
    const char *kind = hw_child_kind(argv);
    bool good = true;
    s.options.names = hw_allocate((size_t)argc * sizeof *s.options.names);
    for (int k = kind ? 2 : 1; k < argc && good; k++)
        good = parse_option(&o, &s.options, argv[k]);
    if (!good) {
        free(s.options.names);
        return usage();
    }
    if (kind && strcmp(kind, "devices") == 0)
        hw_list_devices(&s.options);
    if (kind && strcmp(kind, "bench") == 0)
        work(&o, s.options.timeout);
    if (kind) {
        free(s.options.names);
        return usage();
    }
    good = hw_find_devices(&s);
    bench_device *devices = hw_allocate(s.device_count * sizeof *devices);
    for (size_t k = 0; k < s.device_count; k++) {
        devices[k].info = s.devices[k].info;
        good &=
            measure_device(argv, elements_for(&o, &s.devices[k]), s.options.timeout, &devices[k]);
    }
    bench_print(devices, s.device_count);
    for (size_t k = 0; k < s.absent_count; k++) {
        printf("%-12s skipped: %s\n", s.absent[k].vendor, s.absent[k].reason);
        free((char *)s.absent[k].vendor);
    }
    if (o.csv)
        good &= bench_write_csv(o.csv, devices, s.device_count);
    if (o.svg)
        good &= bench_write_svg(o.svg, devices, s.device_count);
    free(devices);
    free(s.devices);
    free(s.absent);
    free(s.options.names);
    return good ? 0 : 1;
}
