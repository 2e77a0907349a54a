/* The lines of the test format in assembly and in OpenCL C: which lines count, their meaning, and
 * refusals with their line number. */
#include "testfile/testfile.h"

#include <criterion/criterion.h>

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
    refused("//@", "line 1: no ';@ test' line (in OpenCL C: '//@ test')");
}
