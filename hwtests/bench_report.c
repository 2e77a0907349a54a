/* Measured times as a table, as CSV and as an SVG chart. */
#include "bench.h"

#include <errno.h>
#include <string.h>

double bench_bandwidth(const bench_device *d, unsigned k) {
    double seconds = d->results[k].seconds;
    return seconds > 0 ? d->cases[k].bytes / seconds * 1e-9 : 0;
}

double bench_rate(const bench_device *d, unsigned k) {
    double seconds = d->results[k].seconds;
    return seconds > 0 ? d->cases[k].flops / seconds * 1e-9 : 0;
}

/* Per second: operations for a case with flops, else bytes. */
static double peak_of(const bench_device *d, unsigned k) {
    return d->cases[k].flops > 0 ? d->info.peak_flops : d->info.peak_bytes;
}

static double part_of_peak(const bench_device *d, unsigned k) {
    double reached = d->cases[k].flops > 0 ? bench_rate(d, k) : bench_bandwidth(d, k);
    return peak_of(d, k) > 0 ? 1e9 * reached / peak_of(d, k) : 0;
}

/* Divisions round, so exactly the peak may appear slightly above it. */
bool bench_beyond_peak(const bench_device *d, unsigned k) {
    return part_of_peak(d, k) > 1 + 1e-9;
}

double bench_percent(const bench_device *d, unsigned k) {
    return bench_beyond_peak(d, k) ? 0 : 100 * part_of_peak(d, k);
}

static void print_beyond_peak(const bench_device *d) {
    for (unsigned k = 0; k < BENCH_CASES; k++)
        if (bench_beyond_peak(d, k))
            printf("%s, %s: faster than the %.4g %s that follow from the driver's figures: the "
                   "peak is not known\n",
                   d->info.name, d->cases[k].name, 1e-9 * peak_of(d, k),
                   d->cases[k].flops > 0 ? "GFLOP/s" : "GB/s");
}

void bench_print(const bench_device *devices, size_t count) {
    printf("%-12s %-22s %12s %10s %10s %9s\n", "device", "example", "us", "GB/s", "GFLOP/s",
           "% of peak");
    for (size_t d = 0; d < count; d++)
        for (unsigned k = 0; k < BENCH_CASES; k++) {
            const bench_device *device = &devices[d];
            char rate[20] = "-", percent[20] = "-";
            if (device->results[k].seconds <= 0) {
                printf("%-12s %-22s not measured: %s\n", device->info.name, device->cases[k].name,
                       device->results[k].problem);
                continue;
            }
            if (device->cases[k].flops > 0)
                snprintf(rate, sizeof rate, "%.2f", bench_rate(device, k));
            if (bench_percent(device, k) > 0)
                snprintf(percent, sizeof percent, "%.1f", bench_percent(device, k));
            printf("%-12s %-22s %12.2f %10.3f %10s %9s\n", device->info.name, device->cases[k].name,
                   device->results[k].seconds * 1e6, bench_bandwidth(device, k), rate, percent);
        }
    for (size_t d = 0; d < count; d++)
        print_beyond_peak(&devices[d]);
}

static FILE *open_file(const char *path) {
    FILE *out = fopen(path, "w");
    if (!out)
        fprintf(stderr, "wave-hwbench: cannot write %s: %s\n", path, strerror(errno));
    return out;
}

static bool close_file(FILE *out, const char *path) {
    bool good = !ferror(out);
    good = fclose(out) == 0 && good;
    if (!good)
        fprintf(stderr, "wave-hwbench: cannot write %s\n", path);
    return good;
}

bool bench_write_csv(const char *path, const bench_device *devices, size_t count) {
    FILE *out = open_file(path);
    if (!out)
        return false;
    fprintf(out, "device,title,driver,example,seconds,bytes,flops,gb_per_s,gflop_per_s,"
                 "percent_of_peak\n");
    for (size_t d = 0; d < count; d++)
        for (unsigned k = 0; k < BENCH_CASES; k++) {
            const bench_device *device = &devices[d];
            if (device->results[k].seconds <= 0)
                continue;
            fprintf(out, "%s,\"%s\",\"%s\",%s,%.9f,%.0f,%.0f,%.3f,%.3f,", device->info.name,
                    device->info.title, device->info.driver, device->cases[k].name,
                    device->results[k].seconds, device->cases[k].bytes, device->cases[k].flops,
                    bench_bandwidth(device, k), bench_rate(device, k));
            if (bench_percent(device, k) > 0)
                fprintf(out, "%.2f", bench_percent(device, k));
            fputc('\n', out);
        }
    return close_file(out, path);
}

/* ---- The chart: one group of bars per example, one bar per device ---- */

static const double left = 170, bar = 14, gap = 10, longest = 420, top = 40;

static const char *const colors[] = {"#4878a8", "#d08a30", "#5a9a5a", "#a85858", "#7a68a8"};

/* In GFLOP/s for a case with flops, else in GB/s. */
static double value_of(const bench_device *d, unsigned k) {
    return d->cases[k].flops > 0 ? bench_rate(d, k) : bench_bandwidth(d, k);
}

static void put_text(FILE *out, double x, double y, const char *text) {
    fprintf(out, "<text x=\"%.0f\" y=\"%.0f\">", x, y);
    for (; *text; text++)
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        default: fputc(*text, out);
        }
    fputs("</text>\n", out);
}

static void put_group(FILE *out, const bench_device *devices, size_t count, unsigned k, double y) {
    double best = 0;
    for (size_t d = 0; d < count; d++)
        best = value_of(&devices[d], k) > best ? value_of(&devices[d], k) : best;
    put_text(out, 10, y + bar - 3, devices[0].cases[k].name);
    for (size_t d = 0; d < count; d++) {
        double value = value_of(&devices[d], k);
        double length = best > 0 ? longest * value / best : 0;
        char label[120], percent[40] = "";
        if (bench_percent(&devices[d], k) > 0)
            snprintf(percent, sizeof percent, ", %.1f%% of peak", bench_percent(&devices[d], k));
        else if (bench_beyond_peak(&devices[d], k))
            snprintf(percent, sizeof percent, ", peak not known");
        snprintf(label, sizeof label, "%.4g %s%s", value,
                 devices[d].cases[k].flops > 0 ? "GFLOP/s" : "GB/s", percent);
        fprintf(out, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.1f\" height=\"%.0f\" fill=\"%s\"/>\n",
                left, y, length < 1 ? 1 : length, bar - 2, colors[d % 5]);
        put_text(out, left + length + 6, y + bar - 3, label);
        y += bar;
    }
}

bool bench_write_svg(const char *path, const bench_device *devices, size_t count) {
    FILE *out = open_file(path);
    if (!out)
        return false;
    double group = (double)count * bar + gap;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"820\" height=\"%.0f\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            top + group * (double)BENCH_CASES + bar * (double)count);
    put_text(out, 10, 20, "Examples on each device; the longest bar of an example is its best");
    for (unsigned k = 0; k < BENCH_CASES; k++)
        put_group(out, devices, count, k, top + group * k);
    for (size_t d = 0; d < count; d++) {
        double y = top + group * (double)BENCH_CASES + (double)d * bar;
        char label[200];
        snprintf(label, sizeof label, "%.30s: %.120s", devices[d].info.name, devices[d].info.title);
        fprintf(out, "<rect x=\"10\" y=\"%.0f\" width=\"10\" height=\"10\" fill=\"%s\"/>\n", y,
                colors[d % 5]);
        put_text(out, 26, y + 9, label);
    }
    fputs("</svg>\n", out);
    return close_file(out, path);
}
