/* The lines of the test format in assembly and in OpenCL C: which lines count, their meaning, and
 * refusals with their line number. */
#include "testfile/testfile.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

static char error[300];

static tf_test *parse(const char *text) {
    error[0] = '\0';
    return tf_parse(text, strlen(text), error, sizeof error);
}

static void refused(const char *text, const char *message) {
    tf_test *test = parse(text);
    cr_expect_null(test, "accepted: %s", text);
    cr_expect_str_eq(error, message);
    tf_destroy(test);
}

static const char opencl[] = "//@ test  a sum\n"
                             "//@ cc: -DN=8 --local=room=64\n"
                             "\t //@ group 8\r\n"
                             "//@ grid  2 3\n"
                             "//@ buffer x u32 4 = 1 2\n"
                             "//@ + 3 4\n"
                             "//@ buffer y f32 2\n"
                             "//@ args  x y 7\n"
                             "//@ expect y = fill 2\n"
                             "kernel void k(global uint *x) { } // not //@ test\n"
                             "/* //@ test */\n"
                             "// @ test\n";

/* The same lines with ";@" mean the same. */
static void is_the_sum(const tf_test *test) {
    cr_assert(test, "%s", error);
    cr_expect_str_eq(test->title, "a sum");
    cr_expect_str_eq(test->group[0], "8");
    cr_expect_str_eq(test->grid[0], "2");
    cr_expect_str_eq(test->grid[1], "3");
    cr_assert_eq(test->buffer_count, 2);
    cr_expect_str_eq(test->buffers[0].name, "x");
    cr_expect_str_eq(test->buffers[0].values, " 1 2 3 4");
    cr_expect_null(test->buffers[1].values);
    cr_expect_eq(test->arg_count, 3);
    cr_expect_str_eq(test->args[2], "7");
    cr_assert_eq(test->expect_count, 1);
    cr_expect_eq(test->expects[0].buffer, 1);
    cr_expect_eq(test->widths[0], 32);
}

Test(testfile, lines_of_opencl_are_read) {
    tf_test *test = parse(opencl);
    is_the_sum(test);
    cr_expect(test->is_opencl);
    tf_destroy(test);
}

Test(testfile, lines_of_assembly_are_read) {
    tf_test *test = parse(";@ test a sum\n  ;@ group 8\n;@ grid 2 3\n;@ buffer x u32 4 = 1 2\n"
                          ";@ + 3 4\n;@ buffer y f32 2\n;@ args x y 7\n;@ expect y = fill 2\n"
                          ".kernel k ; ;@ test\nhalt\n.end\n");
    is_the_sum(test);
    cr_expect_not(test->is_opencl);
    tf_destroy(test);
}

/* A line for wave-cc does not belong to the test, whatever it contains; one that only looks like it
 * does. */
Test(testfile, lines_for_wave_cc_are_skipped) {
    tf_test *test = parse("//@ test t\n//@ cc: test\n//@ cc:\n");
    cr_assert(test, "%s", error);
    cr_expect_str_eq(test->title, "t");
    tf_destroy(test);
    refused("//@ test t\n//@ cc x\n", "line 2: unknown keyword 'cc'");
}

/* OpenCL reserves offset 0, which is NULL. */
Test(testfile, no_opencl_buffer_is_at_null) {
    static const char *const texts[] = {"//@ test t\n//@ buffer x u32 4\n",
                                        ";@ test t\n;@ buffer x u32 4\n"};
    for (unsigned k = 0; k < 2; k++) {
        tf_test *test = parse(texts[k]);
        tf_run run;
        cr_assert(test && tf_instantiate(test, 32, &run, error, sizeof error), "%s", error);
        cr_expect_eq(run.places[0].address == 0, k == 1);
        tf_run_free(&run);
        tf_destroy(test);
    }
}

Test(testfile, wrong_lines_are_refused) {
    refused("kernel void k() { }\n", "line 1: no ';@ test' line (in OpenCL C: '//@ test')");
    refused("//@ test t\n\n//@ buffre x u32 4\n", "line 3: unknown keyword 'buffre'");
    refused(";@ test t\n;@ buffer x u32 4\n;@ buffer x u32 4\n",
            "line 3: there are two buffers 'x'");
    static const char *const whole[] = {
        "kernel k",      "grid 1 2 3",         "group 8 1 1", "registers 8",
        "local 64",      "memory 256",         "schedules 2", "status 1",
        "bounded",       "option poison",      "race",        "race hidden",
        "allow W_A",     "error E_A",          "warning W_A", "warning W_A at 8",
        "ftz-sensitive", "max-instructions 5", "fast x ulp 2"};
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++) {
        char text[200];
        snprintf(text, sizeof text, ";@ test t\n;@ buffer x f32 4\n;@ %s\n", whole[k]);
        tf_test *test = parse(text);
        cr_expect(test, "%s: %s", whole[k], error);
        tf_destroy(test);
        snprintf(text, sizeof text, ";@ test t\n;@ buffer x f32 4\n;@ %s more\n", whole[k]);
        test = parse(text);
        cr_expect_null(test, "accepted: %s more", whole[k]);
        tf_destroy(test);
    }
    refused(";@ test t\n;@ registers 8 more\n", "line 2: unexpected text 'more'");
    refused("//@", "line 1: no ';@ test' line (in OpenCL C: '//@ test')");
}

Test(testfile, a_name_may_contain_dots) {
    tf_test *test = parse(";@ test t\n;@ buffer a..b u32 4\n;@ expect a..b[1..3] = fill 0\n");
    cr_assert(test, "%s", error);
    cr_expect_str_eq(test->expects[0].low, "1");
    cr_expect_str_eq(test->expects[0].high, "3");
    tf_destroy(test);
}

static void not_instantiated(const char *values, const char *message) {
    char text[200];
    snprintf(text, sizeof text, ";@ test t\n;@ buffer x %s\n", values);
    tf_test *test = parse(text);
    tf_run run;
    cr_assert(test, "%s", error);
    cr_expect_not(tf_instantiate(test, 32, &run, error, sizeof error), "accepted: %s", values);
    cr_expect_str_eq(error, message);
    tf_destroy(test);
}

Test(testfile, wrong_values_are_refused) {
    not_instantiated("u64 33554433", "buffer x is too large");
    not_instantiated("f32 4 = iota abc", "buffer x: malformed iota 'abc'");
    not_instantiated("f32 4 = iota 1 x", "buffer x: malformed iota '1'");
    not_instantiated("u32 4 = iota 1.5", "buffer x: malformed iota '1.5'");
    not_instantiated("f32 4 = random 1 low 2", "buffer x: malformed bound 'low'");
    not_instantiated("f32 4 = random 1 0 high", "buffer x: malformed bound '0'");
    not_instantiated("u32 4 = random 1 0 1.5", "buffer x: malformed bound '0'");
}

Test(testfile, the_root_of_a_negative_integer_is_0) {
    tf_test *test = parse(";@ test t\n;@ buffer x i32 4 = expr sqrt(i * 16 - 16)\n");
    tf_run run;
    cr_assert(test && tf_instantiate(test, 32, &run, error, sizeof error), "%s", error);
    static const uint64_t expected[] = {0, 0, 4, 5};
    for (size_t k = 0; k < 4; k++)
        cr_expect_eq(val_load(VAL_I32, run.memory + 4 * k), expected[k]);
    tf_run_free(&run);
    tf_destroy(test);
}
