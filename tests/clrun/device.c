/* See device.h: the features of a device, and its context. The launch is in launch.c. */
#include "clrun/device.h"

#include "testfile/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value of any size, malloc'ed, with a zero byte after it; NULL: the device does not support the
 * query. */
static void *info(const clrun_device *d, cl_uint what, size_t *size) {
    if (d->cl->clGetDeviceInfo(d->device, what, 0, NULL, size) != 0)
        return NULL;
    char *value = tf_need(calloc(1, *size + 1));
    d->cl->clGetDeviceInfo(d->device, what, *size, value, NULL);
    return value;
}

/* Extensions, features of OpenCL C 3.0, and opencl_2.0 for versions that have all of its features
 * built in, with a blank before and after each. */
static char *list_features(const clrun_device *d) {
    size_t extension_size = 0, feature_size = 0;
    char *extensions = info(d, CL_DEVICE_EXTENSIONS, &extension_size);
    cl_name_version *features =
        d->version >= 30 ? info(d, CL_DEVICE_OPENCL_C_FEATURES, &feature_size) : NULL;
    size_t count = features ? feature_size / sizeof *features : 0;
    char *list = tf_need(calloc(1, extension_size + 66 * count + 32));
    char *at = list + sprintf(list, " %s ", extensions ? extensions : "");
    for (size_t k = 0; k < count; k++)
        at += sprintf(at, "%.64s ", features[k].name);
    if (d->version >= 20 && d->version < 30)
        sprintf(at, "opencl_2.0 ");
    free(extensions);
    free(features);
    return list;
}

bool clrun_open(clrun_device *d, const cl_api *cl, cl_object platform, cl_object device) {
    char platform_name[80] = "";
    size_t size;
    cl_int error = 0;
    *d = (clrun_device){.cl = cl, .platform = platform, .device = device};
    cl->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name - 1, platform_name,
                          NULL);
    char *name = info(d, CL_DEVICE_NAME, &size), *version = info(d, CL_DEVICE_VERSION, &size);
    snprintf(d->name, sizeof d->name, "%s: %.100s", platform_name, name ? name : "");
    int major = 0, minor = 0;
    if (version && sscanf(version, "OpenCL %d.%d", &major, &minor) == 2)
        d->version = 10 * major + minor;
    free(name);
    free(version);
    d->has = list_features(d);
    d->context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (d->context)
        d->queue = cl->clCreateCommandQueue(d->context, device, 0, &error);
    return d->queue != NULL;
}

void clrun_close(clrun_device *d) {
    if (d->queue)
        d->cl->clReleaseCommandQueue(d->queue);
    if (d->context)
        d->cl->clReleaseContext(d->context);
    free(d->has);
}
