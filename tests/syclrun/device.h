/* The C++ part, a separate library: one process's queue on Intel's CPU device, one compiled unit,
 * and launches. It is loaded only by the processes that run kernels, because the run time reads the
 * environment when it is loaded and does not survive a fork. */
#ifndef SYCLRUN_DEVICE_H
#define SYCLRUN_DEVICE_H

#include "syclrun/syclrun.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sycl_device sycl_device;

/* All return false, or NULL, with a malloc'ed sentence in *message. */
typedef struct sycl_device_functions {
    sycl_device *(*open)(char **message);
    /* `optimise`: by the front end; the device's compiler is set by its environment */
    bool (*build)(sycl_device *device, const char *unit, bool optimise, char **message);
    /* Sets the launch's memory, status and outcome. */
    bool (*launch)(sycl_device *device, const char *entry, syclrun_launch *launch, char **message);
} sycl_device_functions;

/* The library's only symbol. */
extern const sycl_device_functions sycl_device_table;

#ifdef __cplusplus
}
#endif

#endif
