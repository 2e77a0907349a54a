/* What is shown and kept: a table, TAP, JUnit XML, and a Markdown report for each device. */
#include "hwtest.h"

#include <errno.h>
#include <string.h>

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

/* ---- Files ---- */

static FILE *open_file(const char *path) {
    FILE *out = fopen(path, "w");
    if (!out)
        fprintf(stderr, "wave-hwtest: cannot write %s: %s\n", path, strerror(errno));
    return out;
}

static bool close_file(FILE *out, const char *path) {
    bool good = !ferror(out);
    good = fclose(out) == 0 && good;
    if (!good)
        fprintf(stderr, "wave-hwtest: cannot write %s\n", path);
    return good;
}

static bool is_run(const hw_session *s, size_t index) {
    return s->options.levels[index % HW_LEVELS];
}

/* A reason on lines of its own, each with something in front. */
static void put_lines(FILE *out, const char *text, const char *front) {
    while (*text) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "%s%.*s\n", front, (int)length, text);
        text += length + (text[length] == '\n');
    }
}

bool hw_write_tap(const hw_session *s) {
    FILE *out = s->options.tap ? open_file(s->options.tap) : NULL;
    unsigned number = 0, all = 0;
    if (!out)
        return !s->options.tap;
    for (size_t t = 0; t < s->test_count * HW_LEVELS; t++)
        all += is_run(s, t) ? (unsigned)s->device_count : 0;
    fprintf(out, "TAP version 13\n1..%u\n", all);
    for (size_t k = 0; k < s->device_count; k++)
        for (size_t t = 0; t < s->test_count * HW_LEVELS; t++) {
            const hw_outcome *o = &s->devices[k].outcomes[t];
            if (!is_run(s, t))
                continue;
            bool skip = o->verdict == HW_SKIPPED || o->verdict == HW_NOT_APPLICABLE;
            fprintf(out, "%s %u - %s -O%d %s%s%s\n", o->verdict == HW_FAILED ? "not ok" : "ok",
                    ++number, s->devices[k].info.name, t % HW_LEVELS ? 2 : 0,
                    s->tests[t / HW_LEVELS].path, skip ? " # SKIP " : "", skip ? o->reason : "");
            if (o->verdict == HW_FAILED && o->reason)
                put_lines(out, o->reason, "# ");
        }
    return close_file(out, s->options.tap);
}

static void put_xml(FILE *out, const char *text) {
    for (; *text; text++)
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc((unsigned char)*text < 0x20 && *text != '\n' ? '?' : *text, out);
        }
}

static void put_case(FILE *out, const hw_session *s, const hw_device *d, size_t t) {
    const hw_outcome *o = &d->outcomes[t];
    fprintf(out, "  <testcase classname=\"%s.O%d\" name=\"", d->info.name, t % HW_LEVELS ? 2 : 0);
    put_xml(out, s->tests[t / HW_LEVELS].path);
    fprintf(out, "\" time=\"%.6f\"", o->seconds);
    if (o->verdict == HW_PASSED) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, "><%s message=\"", o->verdict == HW_FAILED ? "failure" : "skipped");
    put_xml(out, o->reason ? o->reason : "");
    fputs("\"/></testcase>\n", out);
}

bool hw_write_junit(const hw_session *s) {
    FILE *out = s->options.junit ? open_file(s->options.junit) : NULL;
    if (!out)
        return !s->options.junit;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
    for (size_t k = 0; k < s->device_count; k++) {
        const hw_device *d = &s->devices[k];
        fprintf(out, " <testsuite name=\"%s\" tests=\"%u\" failures=\"%u\" skipped=\"%u\">\n",
                d->info.name, d->passed + d->failed + d->skipped + d->not_applicable, d->failed,
                d->skipped + d->not_applicable);
        for (size_t t = 0; t < s->test_count * HW_LEVELS; t++)
            if (is_run(s, t))
                put_case(out, s, d, t);
        fputs(" </testsuite>\n", out);
    }
    fputs("</testsuites>\n", out);
    return close_file(out, s->options.junit);
}

/* ---- Markdown ---- */

static void put_summary(FILE *out, const hw_device *d) {
    fprintf(out, "# hwtest on %s\n\n| | |\n|---|---|\n", d->info.name);
    fprintf(out, "| device | %s |\n| driver | %s |\n| architecture | %s |\n", d->info.title,
            d->info.driver, *d->info.arch ? d->info.arch : "-");
    fprintf(out, "| lanes of a wave | %u |\n| wavec | %s |\n", d->info.wave_width, wave_version());
    fprintf(out, "| passed | %u |\n| failed | %u |\n| skipped | %u |\n| n/a | %u |\n", d->passed,
            d->failed, d->skipped, d->not_applicable);
    fprintf(out, "| driver processes restarted | %u |\n\n", d->restarts);
    fprintf(out,
            "Memory is compared with the emulator's bit for bit%s; tests run with -O0 and -O2.\n",
            d->target == TF_EMU ? "" : ", only NaNs may have other bits");
}

/* Folder by folder: tests/programs/wave and so on. */
static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

static void put_folders(FILE *out, const hw_session *s, const hw_device *d) {
    fprintf(out, "\n| tests | passed | failed | skipped | n/a |\n|---|---|---|---|---|\n");
    for (size_t t = 0; t < s->test_count;) {
        size_t length = folder_length(s->tests[t].path), end = t;
        unsigned counts[5] = {0};
        for (; end < s->test_count && folder_length(s->tests[end].path) == length &&
               memcmp(s->tests[end].path, s->tests[t].path, length) == 0;
             end++)
            for (unsigned level = 0; level < HW_LEVELS; level++)
                if (s->options.levels[level])
                    counts[d->outcomes[end * HW_LEVELS + level].verdict]++;
        fprintf(out, "| %.*s | %u | %u | %u | %u |\n", (int)length, s->tests[t].path,
                counts[HW_PASSED], counts[HW_FAILED], counts[HW_SKIPPED],
                counts[HW_NOT_APPLICABLE]);
        t = end;
    }
}

static void put_others(FILE *out, const hw_session *s, const hw_device *d, hw_verdict which,
                       const char *title) {
    bool any = false;
    for (size_t t = 0; t < s->test_count * HW_LEVELS; t++) {
        const hw_outcome *o = &d->outcomes[t];
        if (o->verdict != which || !is_run(s, t))
            continue;
        /* the same reason twice is one line */
        if (which != HW_FAILED && t % HW_LEVELS == 1 && is_run(s, t - 1))
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

static bool write_report(const hw_session *s, const hw_device *d) {
    char path[600], name[sizeof d->info.name];
    snprintf(name, sizeof name, "%s", d->info.name);
    for (char *c = name; *c; c++)
        *c = *c == ':' ? '-' : *c;
    snprintf(path, sizeof path, "%s/report-%s.md", s->options.reports, name);
    FILE *out = open_file(path);
    if (!out)
        return false;
    put_summary(out, d);
    put_folders(out, s, d);
    put_others(out, s, d, HW_FAILED, "Failed");
    put_others(out, s, d, HW_NOT_APPLICABLE, "Not applicable");
    put_others(out, s, d, HW_SKIPPED, "Skipped");
    return close_file(out, path);
}

bool hw_write_reports(const hw_session *s) {
    bool good = true;
    for (size_t k = 0; s->options.reports && k < s->device_count; k++)
        good &= write_report(s, &s->devices[k]);
    return good;
}
