/* One OpenCL device, and a test file's kernel on it. */
#ifndef CLRUN_DEVICE_H
#define CLRUN_DEVICE_H

#include "clrun/api.h"
#include "testfile/testfile.h"

typedef struct clrun_device {
    const cl_api *cl;
    cl_object platform, device, context, queue;
    char name[200];
    char *has;   /* features and extensions, with blanks around each */
    int version; /* 20, 30 */
} clrun_device;

bool clrun_open(clrun_device *d, const cl_api *cl, cl_object platform, cl_object device);
void clrun_close(clrun_device *d);

/* Options from `//@ cc:` lines, for the OpenCL compiler. */
typedef struct clrun_options {
    char build[400];
    bool has_standard; /* -cl-std is among them */
    bool wants_value;  /* "-D" has been read, but not yet its macro */
    struct {
        char name[64];
        size_t bytes;
    } locals[16];
    size_t local_count;
} clrun_options;

bool clrun_read_options(clrun_options *o, const char *source, size_t size);

typedef enum clrun_verdict { CLRUN_PASSED, CLRUN_FAILED, CLRUN_SKIPPED } clrun_verdict;

/* The reason, or the differences, are in `report`. */
clrun_verdict clrun_test(clrun_device *d, const char *source, size_t size, char *report,
                         size_t report_size);

#endif
