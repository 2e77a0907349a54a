/* hwbench's figures from measured times: rates, and percentages of a peak that may be wrong. */
#include "../../hwtests/bench.h"
#include "rt_helpers.h"

enum { MEMORY, COMPUTE }; /* the cases; the others are not measured */

/* 200 GB/s of 400, and 1 TFLOP/s of 4. */
static bench_device make_device(double peak_bytes, double peak_flops) {
    bench_device d = {.info = {.peak_bytes = peak_bytes, .peak_flops = peak_flops}};
    (void)snprintf(d.info.name, sizeof d.info.name, "cuda:0");
    for (unsigned k = 0; k < BENCH_CASES; k++)
        d.cases[k].name = "other";
    d.cases[MEMORY] = (bench_case){.name = "copy", .bytes = 2e9};
    d.cases[COMPUTE] = (bench_case){.name = "product", .bytes = 1e6, .flops = 1e10};
    d.results[MEMORY].seconds = d.results[COMPUTE].seconds = 0.01;
    return d;
}

/* The contents of a temporary file after `write`. */
static char *written(bool (*write)(const char *, const bench_device *, size_t),
                     const bench_device *d) {
    static char text[1 << 16];
    char path[] = "/tmp/wave_rt_bench.XXXXXX";
    int place = mkstemp(path);
    cr_assert_geq(place, 0);
    close(place);
    cr_assert(write(path, d, 1));
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    (void)unlink(path);
    return text;
}

/* The table, which goes to standard output. */
static bool print(const char *path, const bench_device *d, size_t count) {
    if (!freopen(path, "w", stdout))
        return false;
    bench_print(d, count);
    return fflush(stdout) == 0;
}

Test(rt_bench, percentages_refer_to_the_peak) {
    bench_device d = make_device(400e9, 4e12);
    cr_expect_float_eq(bench_percent(&d, MEMORY), 50, 1e-9);
    cr_expect_float_eq(bench_percent(&d, COMPUTE), 25, 1e-9);
    cr_expect_not(bench_beyond_peak(&d, MEMORY) || bench_beyond_peak(&d, COMPUTE));
    cr_expect(strstr(written(bench_write_csv, &d), ",200.000,0.000,50.00\n"));
    cr_expect(strstr(written(bench_write_svg, &d), "200 GB/s, 50.0% of peak<"));
    const char *table = written(print, &d);
    cr_expect(strstr(table, " 50.0\n") && strstr(table, " 25.0\n"));
    cr_expect_null(strstr(table, "not known"));
}

/* The driver reports nothing. */
Test(rt_bench, there_are_no_percentages_without_a_peak) {
    bench_device d = make_device(0, 0);
    cr_expect(bench_percent(&d, MEMORY) == 0 && bench_percent(&d, COMPUTE) == 0);
    cr_expect_not(bench_beyond_peak(&d, MEMORY) || bench_beyond_peak(&d, COMPUTE));
    cr_expect_null(strstr(written(bench_write_svg, &d), "peak<"));
}

/* The measurement exceeds the driver's figures, so they are not the peak. */
Test(rt_bench, a_rate_beyond_the_peak_makes_the_peak_unknown) {
    bench_device d = make_device(100e9, 4e12);
    cr_expect_eq(bench_percent(&d, MEMORY), 0);
    cr_expect(bench_beyond_peak(&d, MEMORY));
    cr_expect_float_eq(bench_percent(&d, COMPUTE), 25, 1e-9);
    cr_expect(strstr(written(bench_write_csv, &d), ",200.000,0.000,\n"));
    cr_expect(strstr(written(bench_write_svg, &d), "200 GB/s, peak not known<"));
    const char *table = written(print, &d);
    cr_expect_null(strstr(table, "200.0\n"), "%s", table);
    cr_expect(strstr(table, " 25.0\n"), "%s", table);
    cr_expect(strstr(table, "cuda:0, copy: faster than the 100 GB/s that follow from the driver's "
                            "figures: the peak is not known\n"),
              "%s", table);
}

Test(rt_bench, an_operation_rate_beyond_the_peak_makes_the_peak_unknown) {
    bench_device d = make_device(400e9, 0.5e12);
    cr_expect(bench_percent(&d, COMPUTE) == 0 && bench_beyond_peak(&d, COMPUTE));
    const char *table = written(print, &d);
    cr_expect(strstr(table, "cuda:0, product: faster than the 500 GFLOP/s that follow from the "
                            "driver's figures: the peak is not known\n"),
              "%s", table);
}

/* Exactly the peak is possible. */
Test(rt_bench, the_peak_itself_is_possible) {
    bench_device d = make_device(200e9, 1e12);
    cr_expect_float_eq(bench_percent(&d, MEMORY), 100, 1e-6);
    cr_expect_not(bench_beyond_peak(&d, COMPUTE));
}
