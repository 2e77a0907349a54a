/* Output for people: the table and the failures on standard output, and one Markdown report per
 * device. */
#include "hwtest.h"

#include <string.h>
#include <sys/utsname.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* ---- On standard output ---- */

void hw_print_table(const hw_session *s) {
    printf("%-12s %-44s %7s %7s %8s %6s %9s\n", "device", "driver", "passed", "failed", "skipped",
           "n/a", "seconds");
    for (size_t k = 0; k < s->device_count; k++) {
        const hw_device *d = &s->devices[k];
        char driver[160];
        snprintf(driver, sizeof driver, "%.60s, %.60s", d->info.title, d->info.driver);
        printf("%-12s %-44.44s %7u %7u %8u %6u %9.1f\n", d->info.name, driver, d->passed, d->failed,
               d->skipped, d->not_applicable, d->seconds);
    }
    for (size_t k = 0; k < s->absent_count; k++)
        printf("%-12s skipped: %s\n", s->absent[k].vendor, s->absent[k].reason);
}

void hw_print_failures(const hw_session *s) {
    enum { MOST = 40 };
    unsigned shown = 0;
    for (size_t k = 0; k < s->device_count; k++)
        for (size_t t = 0; t < s->test_count * HW_LEVELS; t++) {
            const hw_outcome *o = &s->devices[k].outcomes[t];
            if (o->verdict == HW_FAILED && shown++ < MOST)
                printf("FAIL %s -O%d %s: %s\n", s->devices[k].info.name, t % HW_LEVELS ? 2 : 0,
                       s->tests[t / HW_LEVELS].path, o->reason ? o->reason : "");
        }
    if (shown > MOST)
        printf("and %u more\n", shown - MOST);
}

/* ---- Markdown ---- */

/* Date, version and tools. */
static void put_origin(FILE *out, const hw_session *s) {
    struct utsname system;
    char date[40] = "-";
    const struct tm *utc = gmtime(&s->started);
    if (utc)
        (void)strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", utc);
    fprintf(out, "| date | %s |\n| commit | %s |\n| wavec | %s |\n", date,
            s->options.commit ? s->options.commit : "not known", wave_version());
    if (uname(&system) >= 0)
        fprintf(out, "| system | %s %s %s |\n", system.sysname, system.release, system.machine);
    fprintf(out, "| compiler | %s |\n", COMPILER);
}

static void put_state(FILE *out, const hw_session *s, const hw_device *d) {
    size_t all = 0;
    unsigned done = d->passed + d->failed + d->skipped + d->not_applicable;
    for (size_t t = 0; t < s->test_count * HW_LEVELS; t++)
        all += hw_is_run(s, t);
    if (done == all)
        fprintf(out, "| state | complete |\n");
    else
        fprintf(out, "| state | unfinished: %u of %zu |\n", done, all);
}

static void put_summary(FILE *out, const hw_session *s, const hw_device *d) {
    fprintf(out, "# hwtest on %s\n\n| | |\n|---|---|\n", d->info.name);
    put_origin(out, s);
    fprintf(out, "| device | %s |\n| driver | %s |\n| architecture | %s |\n", d->info.title,
            d->info.driver, *d->info.arch ? d->info.arch : "-");
    fprintf(out, "| lanes of a wave | %u |\n", d->info.wave_width);
    put_state(out, s, d);
    fprintf(out, "| passed | %u |\n| failed | %u |\n| skipped | %u |\n| n/a | %u |\n", d->passed,
            d->failed, d->skipped, d->not_applicable);
    fprintf(out, "| driver processes restarted | %u |\n\n", d->restarts);
    fprintf(out, "Memory is compared with the emulator's bit for bit%s; tests run with %s%s%s.\n",
            d->target == TF_EMU ? "" : ", except that NaNs may have other bits",
            s->options.levels[0] ? "-O0" : "",
            s->options.levels[0] && s->options.levels[1] ? " and " : "",
            s->options.levels[1] ? "-O2" : "");
}

static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

static bool is_same_folder(const char *a, const char *b) {
    size_t length = folder_length(a);
    return length == folder_length(b) && memcmp(a, b, length) == 0;
}

/* Whether no earlier test is in the same folder. */
static bool is_first_of_folder(const hw_session *s, size_t t) {
    /* Usually the neighbour is in the same folder, so search backwards. */
    for (size_t k = t; k-- > 0;)
        if (is_same_folder(s->tests[k].path, s->tests[t].path))
            return false;
    return true;
}

/* Folder by folder: tests/programs/wave/shuffle and so on. */
static void put_folders(FILE *out, const hw_session *s, const hw_device *d) {
    fprintf(out, "\n| tests | passed | failed | skipped | n/a |\n|---|---|---|---|---|\n");
    for (size_t first = 0; first < s->test_count; first++) {
        unsigned counts[5] = {0};
        if (!is_first_of_folder(s, first))
            continue;
        for (size_t t = first * HW_LEVELS; t < s->test_count * HW_LEVELS; t++)
            if (hw_is_run(s, t) &&
                is_same_folder(s->tests[t / HW_LEVELS].path, s->tests[first].path))
                counts[d->outcomes[t].verdict]++;
        fprintf(out, "| %.*s | %u | %u | %u | %u |\n", (int)folder_length(s->tests[first].path),
                s->tests[first].path, counts[HW_PASSED], counts[HW_FAILED], counts[HW_SKIPPED],
                counts[HW_NOT_APPLICABLE]);
    }
}

static void put_others(FILE *out, const hw_session *s, const hw_device *d, hw_verdict which,
                       const char *title) {
    bool any = false;
    for (size_t t = 0; t < s->test_count * HW_LEVELS; t++) {
        const hw_outcome *o = &d->outcomes[t];
        if (o->verdict != which || !hw_is_run(s, t))
            continue;
        /* The reason for -O2 is the one already printed for -O0. */
        if (which != HW_FAILED && t % HW_LEVELS == 1 && hw_is_run(s, t - 1))
            continue;
        if (!any)
            fprintf(out, "\n## %s\n\n", title);
        any = true;
        const char *reason = o->reason ? o->reason : "";
        fprintf(out, "- %s%s: %.*s\n", s->tests[t / HW_LEVELS].path,
                which != HW_FAILED ? ""
                : t % HW_LEVELS    ? " -O2"
                                   : " -O0",
                (int)strcspn(reason, "\n"), reason);
    }
}

static bool is_not_applicable(const hw_session *s, const hw_device *d, size_t t) {
    return hw_is_run(s, t) && d->outcomes[t].verdict == HW_NOT_APPLICABLE;
}

/* The number of tests that are n/a for the same reason as this one, or 0 if an earlier one has that
 * reason. */
static unsigned count_reason(const hw_session *s, const hw_device *d, size_t t) {
    unsigned count = 0;
    for (size_t k = 0; k < s->test_count * HW_LEVELS; k++)
        if (is_not_applicable(s, d, k) &&
            strcmp(d->outcomes[k].reason, d->outcomes[t].reason) == 0) {
            if (k < t)
                return 0;
            count++;
        }
    return count;
}

/* Counted by reason: their names say nothing about the device. */
static void put_not_applicable(FILE *out, const hw_session *s, const hw_device *d) {
    if (d->not_applicable)
        fprintf(out, "\n## Not applicable\n\n");
    for (size_t t = 0; t < s->test_count * HW_LEVELS; t++) {
        unsigned count = is_not_applicable(s, d, t) ? count_reason(s, d, t) : 0;
        if (count)
            fprintf(out, "- %s: %u\n", d->outcomes[t].reason, count);
    }
}

static void put_litmus_row(FILE *out, const hw_session *s, const hw_device *d, size_t t) {
    const hw_litmus *l = d->outcomes[t].litmus;
    const char *path = s->tests[t / HW_LEVELS].path, *slash = strrchr(path, '/');
    fprintf(out, "| %s | -O%d | %u | %u |", slash ? slash + 1 : path, t % HW_LEVELS ? 2 : 0,
            l->runs, l->forbidden);
    for (uint32_t k = 0; k < l->kinds; k++)
        fprintf(out, "%s %s`%s`: %u%s", k ? ";" : "", l->outcomes[k].forbidden ? "**" : "",
                l->outcomes[k].text, l->outcomes[k].times, l->outcomes[k].forbidden ? "**" : "");
    if (l->others)
        fprintf(out, "; others: %u", l->others);
    fputs(" |\n", out);
}

static void put_litmus(FILE *out, const hw_session *s, const hw_device *d) {
    bool any = false;
    for (size_t t = 0; t < s->test_count * HW_LEVELS; t++) {
        if (!hw_is_run(s, t) || !d->outcomes[t].litmus)
            continue;
        if (!any)
            fprintf(out,
                    "\n## Litmus programs during memory traffic\n\nAn outcome is what a workgroup "
                    "saw, in words; forbidden ones are bold.\n\n"
                    "| program | level | runs | forbidden | outcomes |\n|---|---|---|---|---|\n");
        any = true;
        put_litmus_row(out, s, d, t);
    }
}

static void put_report(FILE *out, const hw_session *s, const hw_device *d) {
    put_summary(out, s, d);
    put_folders(out, s, d);
    put_others(out, s, d, HW_FAILED, "Failed");
    put_litmus(out, s, d);
    put_not_applicable(out, s, d);
    put_others(out, s, d, HW_SKIPPED, "Skipped");
}

static void write_report(hw_session *s, const hw_device *d) {
    char path[600], name[sizeof d->info.name];
    snprintf(name, sizeof name, "%s", d->info.name);
    for (char *c = name; *c; c++)
        *c = *c == ':' ? '-' : *c;
    snprintf(path, sizeof path, "%s/report-%s.md", s->options.reports, name);
    hw_replace_file(s, path, put_report, d);
}

void hw_write_reports(hw_session *s) {
    for (size_t k = 0; s->options.reports && k < s->device_count; k++)
        if (s->devices[k].begun)
            write_report(s, &s->devices[k]);
}
