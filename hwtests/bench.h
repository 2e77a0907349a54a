/* hwbench: examples at sizes that keep a device busy, timed by the device. bench_cases.c has the
 * cases, bench_report.c the output. */
#ifndef HWTESTS_BENCH_H
#define HWTESTS_BENCH_H

#include "hwtest.h"

enum { BENCH_BUFFERS = 4, BENCH_SCALARS = 4 };

/* One launch: buffers first, then scalars, in the order the examples take them. */
typedef struct bench_case {
    const char *name; /* examples/NAME.wave … */
    const char *file; /* … unless this names another file */
    bool native;      /* f16 and bf16 tiles on matrix units; results have the units' bits */
    uint32_t grid[3];
    uint64_t buffers[BENCH_BUFFERS]; /* bytes; 0: end of the list */
    uint32_t scalars[BENCH_SCALARS];
    unsigned scalar_count;
    double bytes; /* least device memory traffic: each input read and each output written once */
    double flops; /* f32 operations; 0: limited by memory */
} bench_case;

/* The cases, sized for a device that can handle about this many elements. */
enum { BENCH_CASES = 12 };
void bench_make_cases(uint64_t elements, bench_case cases[BENCH_CASES]);

typedef struct bench_result {
    double seconds; /* best of several; 0: not measured */
    char problem[200];
} bench_result;

typedef struct bench_device {
    wave_rt_device_info info;
    bench_case cases[BENCH_CASES];
    bench_result results[BENCH_CASES];
} bench_device;

double bench_bandwidth(const bench_device *d, unsigned k); /* GB/s; 0: not measured */
double bench_rate(const bench_device *d, unsigned k);      /* GFLOP/s */
/* Percentage of the device's peak: of the rate for a case with flops, else of the bandwidth; 0:
 * unknown. */
double bench_percent(const bench_device *d, unsigned k);
/* True if the measurement exceeds the driver's figures: the real peak is unknown. */
bool bench_beyond_peak(const bench_device *d, unsigned k);

void bench_print(const bench_device *devices, size_t count);
/* False after printing why. */
bool bench_write_csv(const char *path, const bench_device *devices, size_t count);
bool bench_write_svg(const char *path, const bench_device *devices, size_t count);

#endif
