/* wave-hwtest: every test program and example on every device of this machine, with and without
 * optimisation, compared with the emulator. See hwtest.h for the design. */
#include "hwtest.h"

#include <stdlib.h>
#include <string.h>

static int usage(void) {
    fprintf(stderr,
            "usage: wave-hwtest [options] FILE.wave...\n"
            "  --device=NAME   only this device; may be repeated (all available devices)\n"
            "  -O0, -O2        only this level (both)\n"
            "  --timeout=N     seconds without progress after which a device counts as hung (120)\n"
            "  --batch=N       number of tests to compile together, up to 64 (24)\n"
            "  --require=LIST  of cuda, hip, metal, sycl: fail if no such device ran a test\n"
            "  --litmus=N      runs of each litmus program during memory traffic (10000; 200 on a "
            "CPU, 20 on the emulator)\n"
            "  --tap=FILE      the results as TAP; like the other files, written during the run\n"
            "  --junit=FILE    the results as JUnit XML\n"
            "  --reports=DIR   a Markdown report for each device, DIR/report-DEVICE.md\n"
            "  --commit=TEXT   the tested commit, for the reports\n"
            "  -v              print failures at once\n");
    return 2;
}

static void read_tests(hw_session *s, char **paths, size_t count) {
    s->tests = hw_allocate(count * sizeof *s->tests);
    s->test_count = count;
    for (size_t k = 0; k < count; k++) {
        hw_test *t = &s->tests[k];
        t->path = paths[k];
        t->source = tf_read_file(paths[k], &t->size);
        if (t->source)
            t->test = tf_parse(t->source, t->size, t->broken, sizeof t->broken);
        else
            snprintf(t->broken, sizeof t->broken, "cannot be read");
    }
}

static void free_outcome(hw_outcome *o) {
    free(o->reason);
    free(o->litmus);
}

static void free_session(hw_session *s) {
    for (size_t k = 0; k < s->test_count; k++) {
        tf_destroy(s->tests[k].test);
        free(s->tests[k].source);
    }
    for (size_t k = 0; k < s->device_count; k++) {
        for (size_t t = 0; s->devices[k].outcomes && t < s->test_count * HW_LEVELS; t++)
            free_outcome(&s->devices[k].outcomes[t]);
        free(s->devices[k].outcomes);
    }
    for (size_t k = 0; k < s->absent_count; k++)
        free((char *)s->absent[k].vendor);
    free(s->tests);
    free(s->devices);
    free(s->absent);
    free(s->options.names);
    if (s->tap)
        fclose(s->tap);
}

static bool parse_option(hw_options *o, const char *a) {
    char *end = "";
    if (strcmp(a, "-v") == 0)
        o->verbose = true;
    else if (strcmp(a, "-O0") == 0)
        o->levels[1] = false;
    else if (strcmp(a, "-O2") == 0)
        o->levels[0] = false;
    else if (strncmp(a, "--device=", 9) == 0)
        o->names[o->name_count++] = a + 9;
    else if (strncmp(a, "--timeout=", 10) == 0)
        o->timeout = (unsigned)strtoul(a + 10, &end, 10);
    else if (strncmp(a, "--batch=", 8) == 0)
        o->batch = (unsigned)strtoul(a + 8, &end, 10);
    else if (strncmp(a, "--litmus=", 9) == 0)
        o->litmus = (unsigned)strtoul(a + 9, &end, 10);
    else if (strncmp(a, "--tap=", 6) == 0)
        o->tap = a + 6;
    else if (strncmp(a, "--junit=", 8) == 0)
        o->junit = a + 8;
    else if (strncmp(a, "--reports=", 10) == 0)
        o->reports = a + 10;
    else if (strncmp(a, "--commit=", 9) == 0)
        o->commit = a + 9;
    else if (strncmp(a, "--require=", 10) == 0)
        return hw_parse_required(a + 10, &o->required);
    else
        return false;
    return !*end && o->timeout && o->batch && (o->levels[0] || o->levels[1]);
}

static int run(hw_session *s) {
    unsigned passed = 0, failed = 0, skipped = 0, not_applicable = 0;
    s->started = time(NULL);
    if (!hw_find_devices(s) || !hw_open_results(s))
        return 2;
    for (size_t k = 0; k < s->device_count; k++)
        s->devices[k].outcomes =
            hw_allocate(s->test_count * HW_LEVELS * sizeof *s->devices[k].outcomes);
    for (size_t k = 0; k < s->device_count; k++) {
        hw_run_device(s, &s->devices[k]);
        passed += s->devices[k].passed;
        failed += s->devices[k].failed;
        skipped += s->devices[k].skipped;
        not_applicable += s->devices[k].not_applicable;
    }
    hw_print_failures(s);
    hw_print_table(s);
    unsigned missing = hw_report_missing(s);
    bool written = hw_close_results(s);
    printf("wave-hwtest: %u passed, %u failed, %u skipped, %u n/a\n", passed, failed, skipped,
           not_applicable);
    return !written ? 2 : failed || missing || !passed ? 1 : 0;
}

int main(int argc, char **argv) {
    hw_session s = {.arguments = argv,
                    .options = {.tool = "wave-hwtest",
                                .levels = {true, true},
                                .timeout = 120,
                                .batch = 24,
                                .litmus = HW_LITMUS_BY_DEVICE}};
    const char *kind = hw_child_kind(argv);
    int first = kind ? 2 : 1;
    s.options.names = hw_allocate((size_t)argc * sizeof *s.options.names);
    for (; first < argc && argv[first][0] == '-'; first++)
        if (!parse_option(&s.options, argv[first])) {
            free(s.options.names);
            return usage();
        }
    if (first == argc) {
        free(s.options.names);
        return usage();
    }
    if (kind && strcmp(kind, "devices") == 0)
        hw_list_devices(&s.options);
    read_tests(&s, argv + first, (size_t)(argc - first));
    if (kind && strcmp(kind, "worker") == 0)
        hw_work(&s);
    int status = kind ? usage() : run(&s);
    free_session(&s);
    return status;
}
