/* Output for other programs: TAP and JUnit XML. The files are written while the tests run, so that
 * a killed run keeps its results. TAP grows by one line per result. The XML and the reports are
 * replaced atomically, once per second, and are complete documents at any time. */
#include "hwtest.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

bool hw_is_run(const hw_session *s, size_t index) {
    return s->options.levels[index % HW_LEVELS];
}

/* ---- Files that are replaced atomically ---- */

/* A link or a device is written through, not replaced. */
static bool is_replaceable(const char *path) {
    struct stat st;
    return lstat(path, &st) != 0 || S_ISREG(st.st_mode);
}

bool hw_replace_file(hw_session *s, const char *path, hw_writer *writer, const hw_device *d) {
    char fresh[700];
    bool rename_it = is_replaceable(path);
    if (!rename_it && !s->finished)
        return true; /* such a file is written only once, at the end */
    int length = snprintf(fresh, sizeof fresh, "%s%s", path, rename_it ? ".new" : "");
    FILE *out = length < (int)sizeof fresh ? fopen(fresh, "w") : NULL;
    bool good = out != NULL;
    if (good) {
        writer(out, s, d);
        good = !ferror(out);
        good = fclose(out) == 0 && good;
        good = good && (!rename_it || rename(fresh, path) == 0);
    }
    if (!good && !s->write_failed)
        fprintf(stderr, "wave-hwtest: cannot write %s: %s\n", path, strerror(errno));
    s->write_failed |= !good;
    return good;
}

/* ---- TAP ---- */

static void put_litmus_line(FILE *out, const hw_litmus *l) {
    fprintf(out, "# %u runs, forbidden: %u; outcomes:", l->runs, l->forbidden);
    for (uint32_t k = 0; k < l->kinds; k++)
        fprintf(out, "%s [%s]%s %u", k ? "," : "", l->outcomes[k].text,
                l->outcomes[k].forbidden ? " (forbidden)" : "", l->outcomes[k].times);
    if (l->others)
        fprintf(out, ", others %u", l->others);
    fputc('\n', out);
}

/* Writes a reason on separate lines, each with a prefix. */
static void put_lines(FILE *out, const char *text, const char *front) {
    while (*text) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "%s%.*s\n", front, (int)length, text);
        text += length + (text[length] == '\n');
    }
}

bool hw_open_results(hw_session *s) {
    size_t all = 0;
    if (!s->options.tap)
        return true;
    for (size_t t = 0; t < s->test_count * HW_LEVELS; t++)
        all += hw_is_run(s, t) ? s->device_count : 0;
    s->tap = fopen(s->options.tap, "w");
    if (!s->tap || fprintf(s->tap, "TAP version 13\n1..%zu\n", all) < 0 || fflush(s->tap) != 0) {
        fprintf(stderr, "wave-hwtest: cannot write %s: %s\n", s->options.tap, strerror(errno));
        return false;
    }
    return true;
}

void hw_record(hw_session *s, const hw_device *d, size_t index) {
    const hw_outcome *o = &d->outcomes[index];
    const char *reason = o->reason ? o->reason : "";
    bool skip = o->verdict == HW_SKIPPED || o->verdict == HW_NOT_APPLICABLE;
    if (!s->tap)
        return;
    fprintf(s->tap, "%s %u - %s -O%d %s", o->verdict == HW_FAILED ? "not ok" : "ok",
            ++s->tap_number, d->info.name, index % HW_LEVELS ? 2 : 0,
            s->tests[index / HW_LEVELS].path);
    if (skip)
        fprintf(s->tap, " # SKIP %.*s", (int)strcspn(reason, "\n"), reason);
    fputc('\n', s->tap);
    if (o->verdict == HW_FAILED)
        put_lines(s->tap, reason, "# ");
    if (o->litmus)
        put_litmus_line(s->tap, o->litmus);
    fflush(s->tap);
}

/* ---- JUnit ---- */

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

/* Numbers are properties, which CI systems show next to the result. */
static void put_litmus_properties(FILE *out, const hw_litmus *l) {
    fprintf(out,
            "<properties><property name=\"litmus runs\" value=\"%u\"/>"
            "<property name=\"litmus forbidden\" value=\"%u\"/>",
            l->runs, l->forbidden);
    for (uint32_t k = 0; k < l->kinds; k++)
        fprintf(out, "<property name=\"litmus outcome [%s]%s\" value=\"%u\"/>", l->outcomes[k].text,
                l->outcomes[k].forbidden ? " (forbidden)" : "", l->outcomes[k].times);
    if (l->others)
        fprintf(out, "<property name=\"litmus other outcomes\" value=\"%u\"/>", l->others);
    fputs("</properties>", out);
}

static void put_case(FILE *out, const hw_session *s, const hw_device *d, size_t t) {
    const hw_outcome *o = &d->outcomes[t];
    fprintf(out, "  <testcase classname=\"%s.O%d\" name=\"", d->info.name, t % HW_LEVELS ? 2 : 0);
    put_xml(out, s->tests[t / HW_LEVELS].path);
    fprintf(out, "\" time=\"%.6f\"", o->seconds);
    if (o->verdict == HW_PASSED && !o->litmus) {
        fputs("/>\n", out);
        return;
    }
    fputc('>', out);
    if (o->litmus)
        put_litmus_properties(out, o->litmus);
    if (o->verdict != HW_PASSED) {
        fprintf(out, "<%s message=\"", o->verdict == HW_FAILED ? "failure" : "skipped");
        put_xml(out, o->reason ? o->reason : "");
        fputs("\"/>", out);
    }
    fputs("</testcase>\n", out);
}

static void put_junit(FILE *out, const hw_session *s, const hw_device *unused) {
    (void)unused;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
    for (size_t k = 0; k < s->device_count; k++) {
        const hw_device *d = &s->devices[k];
        fprintf(out, " <testsuite name=\"%s\" tests=\"%u\" failures=\"%u\" skipped=\"%u\">\n",
                d->info.name, d->passed + d->failed + d->skipped + d->not_applicable, d->failed,
                d->skipped + d->not_applicable);
        for (size_t t = 0; t < s->test_count * HW_LEVELS; t++)
            if (hw_is_run(s, t) && d->outcomes[t].verdict != HW_PENDING)
                put_case(out, s, d, t);
        fputs(" </testsuite>\n", out);
    }
    fputs("</testsuites>\n", out);
}

/* ---- When ---- */

void hw_keep_results(hw_session *s) {
    const double pause = 1; /* seconds */
    double now = hw_now();
    if (!s->finished && now - s->kept < pause)
        return;
    s->kept = now;
    if (s->options.junit)
        hw_replace_file(s, s->options.junit, put_junit, NULL);
    hw_write_reports(s);
}

bool hw_close_results(hw_session *s) {
    s->finished = true;
    hw_keep_results(s);
    bool good = !s->write_failed;
    if (s->tap) {
        good = !ferror(s->tap) && good;
        if (fclose(s->tap) != 0)
            good = false;
        s->tap = NULL;
        if (!good && !s->write_failed)
            fprintf(stderr, "wave-hwtest: cannot write %s\n", s->options.tap);
    }
    return good;
}
