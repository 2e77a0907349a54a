/* A test file's kernel on an OpenCL device: built from the source, given one buffer object for each
 * buffer of the file, and its memory compared. */
#include "clrun/device.h"
#include "clrun/needs.h"
#include "testfile/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_MEMORY_OBJECT = -38, WRONG_SIZE = -51 }; /* CL_INVALID_MEM_OBJECT, CL_INVALID_ARG_SIZE */

typedef struct launch {
    clrun_device *d;
    const cl_api *cl;
    const tf_test *test;
    tf_run run;
    clrun_options options;
    cl_object program, kernel;
    cl_object *buffers; /* of the test */
    uint32_t word;      /* the next argument word */
    char *report;
    size_t report_size;
} launch;

static clrun_verdict fail(launch *l, const char *what, cl_int error) {
    snprintf(l->report, l->report_size, "    %s: OpenCL error %d\n", what, (int)error);
    return CLRUN_FAILED;
}

/* ---- Building ---- */

static clrun_verdict show_log(launch *l) {
    l->report[0] = '\0';
    l->cl->clGetProgramBuildInfo(l->program, l->d->device, CL_PROGRAM_BUILD_LOG, l->report_size - 1,
                                 l->report, NULL);
    l->report[l->report_size - 1] = '\0';
    return CLRUN_FAILED;
}

/* As the ISA requires, products and sums are not contracted to fma, and quotients and roots are
 * correctly rounded. */
static clrun_verdict build(launch *l, const char *source, size_t size) {
    const char *texts[] = {"#pragma OPENCL FP_CONTRACT OFF\n#line 1\n", source};
    size_t sizes[] = {strlen(texts[0]), size};
    char flags[600];
    cl_int error = 0;
    snprintf(flags, sizeof flags, "-cl-kernel-arg-info -cl-fp32-correctly-rounded-divide-sqrt%s%s",
             l->options.has_standard ? ""
             : l->d->version >= 30   ? " -cl-std=CL3.0"
                                     : " -cl-std=CL2.0",
             l->options.build);
    l->program = l->cl->clCreateProgramWithSource(l->d->context, 2, texts, sizes, &error);
    if (!l->program)
        return fail(l, "clCreateProgramWithSource", error);
    if (l->cl->clBuildProgram(l->program, 1, &l->d->device, flags, NULL, NULL) != 0)
        return show_log(l);
    if (l->test->kernel)
        l->kernel = l->cl->clCreateKernel(l->program, l->test->kernel, &error);
    else
        error = l->cl->clCreateKernelsInProgram(l->program, 1, &l->kernel, NULL);
    return l->kernel ? CLRUN_PASSED : fail(l, "no kernel, or several and no '//@ kernel'", error);
}

/* ---- Arguments ---- */

/* Bytes of a type by its name, 0 for a structure. */
static size_t size_of(const char *type) {
    static const struct {
        const char *name;
        size_t size;
    } table[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"half", 2},  {"int", 4},
                 {"uint", 4}, {"float", 4}, {"long", 8},  {"ulong", 8},  {"double", 8}};
    size_t letters = 0;
    while (isalpha((unsigned char)type[letters]))
        letters++;
    size_t count = type[letters] ? strtoul(type + letters, NULL, 10) : 1;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (strlen(table[k].name) == letters && memcmp(table[k].name, type, letters) == 0)
            return table[k].size * (count == 3 ? 4 : count);
    return 0;
}

static size_t size_of_argument(const launch *l, cl_uint index) {
    char type[80] = "";
    l->cl->clGetKernelArgInfo(l->kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type - 1, type,
                              NULL);
    return size_of(type);
}

static cl_uint place_of(const launch *l, cl_uint index) {
    cl_uint place = CL_KERNEL_ARG_ADDRESS_PRIVATE;
    l->cl->clGetKernelArgInfo(l->kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof place,
                              &place, NULL);
    return place;
}

/* OpenCL does not report the size of a structure: it takes the words that the other arguments
 * leave. */
static uint32_t words_of_structure(const launch *l) {
    cl_uint count = 0;
    uint32_t others = 0, structures = 0;
    l->cl->clGetKernelInfo(l->kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    for (cl_uint k = 0; k < count; k++) {
        cl_uint place = place_of(l, k);
        size_t size = place == CL_KERNEL_ARG_ADDRESS_LOCAL     ? 0
                      : place == CL_KERNEL_ARG_ADDRESS_PRIVATE ? size_of_argument(l, k)
                                                               : 4;
        others += (uint32_t)((size + 3) / 4);
        structures += size == 0 && place == CL_KERNEL_ARG_ADDRESS_PRIVATE;
    }
    return structures && others < l->run.arg_count ? (l->run.arg_count - others) / structures : 0;
}

static cl_int set_value(launch *l, cl_uint index) {
    size_t size = size_of_argument(l, index);
    uint32_t words = size ? (uint32_t)((size + 3) / 4) : words_of_structure(l);
    if (words == 0 || words > l->run.arg_count - l->word)
        return WRONG_SIZE;
    const uint32_t *value = l->run.args + l->word;
    l->word += words;
    return l->cl->clSetKernelArg(l->kernel, index, size ? size : 4 * (size_t)words, value);
}

static cl_int set_local(launch *l, cl_uint index) {
    char name[64] = "";
    l->cl->clGetKernelArgInfo(l->kernel, index, CL_KERNEL_ARG_NAME, sizeof name - 1, name, NULL);
    for (size_t k = 0; k < l->options.local_count; k++)
        if (strcmp(l->options.locals[k].name, name) == 0)
            return l->cl->clSetKernelArg(l->kernel, index, l->options.locals[k].bytes, NULL);
    return WRONG_SIZE;
}

/* The word is the name of a buffer, or 0 for a null pointer. */
static cl_int set_buffer(launch *l, cl_uint index) {
    if (l->word >= l->run.arg_count)
        return WRONG_SIZE;
    const char *name = l->test->args[l->word++];
    const cl_object none = NULL;
    for (size_t k = 0; k < l->test->buffer_count; k++)
        if (strcmp(l->test->buffers[k].name, name) == 0)
            return l->cl->clSetKernelArg(l->kernel, index, sizeof(cl_object), &l->buffers[k]);
    if (strcmp(name, "0") != 0)
        return NO_MEMORY_OBJECT;
    return l->cl->clSetKernelArg(l->kernel, index, sizeof none, &none);
}

static clrun_verdict set_arguments(launch *l) {
    cl_uint count = 0;
    l->cl->clGetKernelInfo(l->kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    for (cl_uint k = 0; k < count; k++) {
        cl_uint place = place_of(l, k);
        cl_int error = place == CL_KERNEL_ARG_ADDRESS_PRIVATE ? set_value(l, k)
                       : place == CL_KERNEL_ARG_ADDRESS_LOCAL ? set_local(l, k)
                                                              : set_buffer(l, k);
        if (error == NO_MEMORY_OBJECT && strcmp(l->test->args[l->word - 1], "0") == 0) {
            snprintf(l->report, l->report_size, "a null pointer is rejected as an argument");
            return CLRUN_SKIPPED;
        }
        char what[40];
        snprintf(what, sizeof what, "argument %u", (unsigned)k);
        if (error)
            return fail(l, what, error);
    }
    return l->word == l->run.arg_count ? CLRUN_PASSED : fail(l, "words are left over", 0);
}

/* ---- Running ---- */

static clrun_verdict create_buffers(launch *l) {
    for (size_t k = 0; k < l->test->buffer_count; k++) {
        size_t size = l->run.places[k].count * val_size(l->test->buffers[k].type);
        cl_int error = 0;
        l->buffers[k] = l->cl->clCreateBuffer(l->d->context, CL_MEM_READ_WRITE_COPY, size,
                                              l->run.memory + l->run.places[k].address, &error);
        if (!l->buffers[k])
            return fail(l, "clCreateBuffer", error);
    }
    return CLRUN_PASSED;
}

static clrun_verdict start(launch *l) {
    size_t required[3] = {0}, most = 0, global[3], local[3];
    l->cl->clGetKernelWorkGroupInfo(l->kernel, l->d->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                    sizeof required, required, NULL);
    l->cl->clGetKernelWorkGroupInfo(l->kernel, l->d->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                    &most, NULL);
    for (int k = 0; k < 3; k++) {
        local[k] = l->test->group[0] ? l->run.group[k] : required[k] ? required[k] : 1;
        global[k] = local[k] * l->run.grid[k];
    }
    if (local[0] * local[1] * local[2] > most) {
        snprintf(l->report, l->report_size, "work-groups have at most %zu work-items", most);
        return CLRUN_SKIPPED;
    }
    cl_int error = l->cl->clEnqueueNDRangeKernel(l->d->queue, l->kernel, 3, NULL, global, local, 0,
                                                 NULL, NULL);
    if (error == 0)
        error = l->cl->clFinish(l->d->queue);
    return error ? fail(l, "the launch", error) : CLRUN_PASSED;
}

static clrun_verdict compare(launch *l) {
    uint8_t *memory = tf_need(calloc(1, l->run.size));
    clrun_verdict verdict = CLRUN_PASSED;
    for (size_t k = 0; k < l->test->buffer_count && verdict == CLRUN_PASSED; k++) {
        size_t size = l->run.places[k].count * val_size(l->test->buffers[k].type);
        cl_int error = l->cl->clEnqueueReadBuffer(l->d->queue, l->buffers[k], 1, 0, size,
                                                  memory + l->run.places[k].address, 0, NULL, NULL);
        verdict = error ? fail(l, "clEnqueueReadBuffer", error) : verdict;
    }
    if (verdict == CLRUN_PASSED && !tf_compare(l->test, &l->run, memory, l->report, l->report_size))
        verdict = CLRUN_FAILED;
    free(memory);
    return verdict;
}

static clrun_verdict run(launch *l, const char *source, size_t size) {
    clrun_verdict (*const steps[])(launch *) = {create_buffers, set_arguments, start, compare};
    clrun_verdict verdict = build(l, source, size);
    for (size_t k = 0; k < sizeof steps / sizeof *steps && verdict == CLRUN_PASSED; k++)
        verdict = steps[k](l);
    for (size_t k = 0; k < l->test->buffer_count; k++)
        if (l->buffers[k])
            l->cl->clReleaseMemObject(l->buffers[k]);
    if (l->kernel)
        l->cl->clReleaseKernel(l->kernel);
    if (l->program)
        l->cl->clReleaseProgram(l->program);
    return verdict;
}

clrun_verdict clrun_test(clrun_device *d, const char *source, size_t size, char *report,
                         size_t report_size) {
    launch l = {.d = d, .cl = d->cl, .report = report, .report_size = report_size};
    const char *missing = needs_missing(source, size, d->has);
    if (missing) {
        snprintf(report, report_size, "the device lacks %s", missing);
        return CLRUN_SKIPPED;
    }
    tf_test *test = tf_parse(source, size, report, report_size);
    clrun_verdict verdict = CLRUN_FAILED;
    l.test = test;
    if (!clrun_read_options(&l.options, source, size)) {
        snprintf(report, report_size, "    malformed '//@ cc:' line\n");
    } else if (test && tf_instantiate(test, test->widths[0], &l.run, report, report_size)) {
        l.buffers = tf_need(calloc(test->buffer_count + 1, sizeof(cl_object)));
        verdict = run(&l, source, size);
        free(l.buffers);
        tf_run_free(&l.run);
    }
    tf_destroy(test);
    return verdict;
}
