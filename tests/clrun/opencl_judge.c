/* The independent judge of tests/opencl: runs every file on every CPU device of a real OpenCL
 * implementation and compares memory with the file's expectations. docs/inside/testing-opencl.md
 * says why. */
#include "clrun/device.h"
#include "testfile/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 8, NO_OPENCL = 77 };

typedef struct counts {
    unsigned of[3]; /* by verdict */
} counts;

static bool ends_with(const char *text, size_t length, const char *end, size_t end_length) {
    return length >= end_length && memcmp(text + length - end_length, end, end_length) == 0;
}

/* The reason in a line "FILE | PLATFORM | REASON" of the list; false: the list does not contain the
 * file. */
static bool find_known(const char *list, const char *path, const clrun_device *d, char *reason,
                       size_t reason_size) {
    for (const char *line = list; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        const char *first = strstr(line, " | "), *second = first ? strstr(first + 3, " | ") : NULL;
        if (*line == '#' || !second)
            continue;
        size_t platform = (size_t)(second - first) - 3;
        if (ends_with(path, strlen(path), line, (size_t)(first - line)) &&
            strncmp(d->name, first + 3, platform) == 0) {
            snprintf(reason, reason_size, "%.*s", (int)strcspn(second + 3, "\n"), second + 3);
            return true;
        }
    }
    return false;
}

static void judge(clrun_device *d, const char *list, const char *path, counts *c) {
    static char report[8192];
    size_t size;
    char *source = tf_read_file(path, &size);
    clrun_verdict verdict = CLRUN_FAILED;
    report[0] = '\0';
    if (find_known(list, path, d, report, sizeof report))
        verdict = CLRUN_SKIPPED;
    else if (source)
        verdict = clrun_test(d, source, size, report, sizeof report);
    else
        snprintf(report, sizeof report, "    cannot be read\n");
    free(source);
    c->of[verdict]++;
    if (verdict == CLRUN_FAILED)
        printf("failed: %s\n%s%s", path, report, strchr(report, '\n') ? "" : "\n");
    else if (verdict == CLRUN_SKIPPED)
        printf("skipped: %s: %s\n", path, report);
    fflush(stdout);
}

/* Every CPU device of one platform. */
static unsigned visit(const cl_api *cl, cl_object platform, const char *list, char **files,
                      counts *sum) {
    cl_object devices[MOST_DEVICES];
    cl_uint count = 0;
    unsigned opened = 0;
    if (cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, MOST_DEVICES, devices, &count) != 0)
        return 0;
    for (cl_uint k = 0; k < count && k < MOST_DEVICES; k++) {
        clrun_device d;
        counts c = {{0}};
        if (clrun_open(&d, cl, platform, devices[k])) {
            opened++;
            for (char **file = files; *file; file++)
                judge(&d, list, *file, &c);
            printf("%s (OpenCL %d.%d): %u passed, %u failed, %u skipped\n", d.name, d.version / 10,
                   d.version % 10, c.of[CLRUN_PASSED], c.of[CLRUN_FAILED], c.of[CLRUN_SKIPPED]);
        }
        for (int v = 0; v < 3; v++)
            sum->of[v] += c.of[v];
        clrun_close(&d);
    }
    return opened;
}

/* A file as a string. */
static char *read_text(const char *path) {
    size_t size;
    char *data = tf_read_file(path, &size), *text = data ? tf_copy(data, size) : NULL;
    free(data);
    return text;
}

int main(int argc, char **argv) {
    cl_api cl;
    char error[400];
    cl_object platforms[MOST_DEVICES];
    cl_uint count = 0;
    counts sum = {{0}};
    unsigned devices = 0;
    if (argc < 4) {
        fprintf(stderr, "usage: opencl-judge LIBRARY LIST FILE.cl...\n"
                        "LIBRARY is a loader of OpenCL, such as libOpenCL.so.1. LIST names kernels "
                        "that a\nplatform gets wrong: tests/opencl/judge.txt.\n"
                        "Exit status: 0 all passed, 1 some failed, 77 no CPU device was found.\n");
        return 2;
    }
    char *list = read_text(argv[2]);
    if (!list) {
        fprintf(stderr, "opencl-judge: %s cannot be read\n", argv[2]);
        return 2;
    }
    if (!cl_load(&cl, argv[1], error, sizeof error)) {
        printf("no OpenCL: %s\n", error);
        free(list);
        return NO_OPENCL;
    }
    if (cl.clGetPlatformIDs(MOST_DEVICES, platforms, &count) != 0)
        count = 0;
    for (cl_uint k = 0; k < count && k < MOST_DEVICES; k++)
        devices += visit(&cl, platforms[k], list, argv + 3, &sum);
    free(list);
    if (!devices) {
        printf("no OpenCL: %s has no CPU device\n", argv[1]);
        return NO_OPENCL;
    }
    printf("opencl-judge: %u passed, %u failed, %u skipped on %u devices\n", sum.of[CLRUN_PASSED],
           sum.of[CLRUN_FAILED], sum.of[CLRUN_SKIPPED], devices);
    return sum.of[CLRUN_FAILED] || !sum.of[CLRUN_PASSED];
}
