/* The part of OpenCL's C interface that the judge uses, loaded at run time: nothing is linked and
 * no headers are needed. Numbers are those of the OpenCL 3.0 API specification. */
#ifndef CLRUN_API_H
#define CLRUN_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cl_object *cl_object; /* platforms, devices, contexts, … : all are pointers */
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_bits;

enum {
    CL_PLATFORM_NAME = 0x0902,
    CL_DEVICE_TYPE_CPU = 2,
    CL_DEVICE_NAME = 0x102B,
    CL_DEVICE_VERSION = 0x102F,
    CL_DEVICE_EXTENSIONS = 0x1030,
    CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
    CL_DEVICE_OPENCL_C_FEATURES = 0x106F,
    CL_MEM_READ_WRITE_COPY = 1 | 32, /* CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR */
    CL_PROGRAM_BUILD_LOG = 0x1183,
    CL_KERNEL_NUM_ARGS = 0x1191,
    CL_KERNEL_ARG_ADDRESS_QUALIFIER = 0x1196,
    CL_KERNEL_ARG_TYPE_NAME = 0x1198,
    CL_KERNEL_ARG_NAME = 0x119A,
    CL_KERNEL_ARG_ADDRESS_LOCAL = 0x119C,
    CL_KERNEL_ARG_ADDRESS_PRIVATE = 0x119E,
    CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
    CL_KERNEL_COMPILE_WORK_GROUP_SIZE = 0x11B1
};

typedef struct cl_name_version {
    cl_uint version;
    char name[64];
} cl_name_version;

/* result, name, parameters */
#define CL_FUNCTIONS(F)                                                                            \
    F(cl_int, clGetPlatformIDs, (cl_uint, cl_object *, cl_uint *))                                 \
    F(cl_int, clGetPlatformInfo, (cl_object, cl_uint, size_t, void *, size_t *))                   \
    F(cl_int, clGetDeviceIDs, (cl_object, cl_bits, cl_uint, cl_object *, cl_uint *))               \
    F(cl_int, clGetDeviceInfo, (cl_object, cl_uint, size_t, void *, size_t *))                     \
    F(cl_object, clCreateContext,                                                                  \
      (const intptr_t *, cl_uint, const cl_object *, void *, void *, cl_int *))                    \
    F(cl_object, clCreateCommandQueue, (cl_object, cl_object, cl_bits, cl_int *))                  \
    F(cl_object, clCreateProgramWithSource,                                                        \
      (cl_object, cl_uint, const char **, const size_t *, cl_int *))                               \
    F(cl_int, clBuildProgram,                                                                      \
      (cl_object, cl_uint, const cl_object *, const char *, void *, void *))                       \
    F(cl_int, clGetProgramBuildInfo, (cl_object, cl_object, cl_uint, size_t, void *, size_t *))    \
    F(cl_int, clCreateKernelsInProgram, (cl_object, cl_uint, cl_object *, cl_uint *))              \
    F(cl_object, clCreateKernel, (cl_object, const char *, cl_int *))                              \
    F(cl_int, clGetKernelInfo, (cl_object, cl_uint, size_t, void *, size_t *))                     \
    F(cl_int, clGetKernelArgInfo, (cl_object, cl_uint, cl_uint, size_t, void *, size_t *))         \
    F(cl_int, clGetKernelWorkGroupInfo, (cl_object, cl_object, cl_uint, size_t, void *, size_t *)) \
    F(cl_int, clSetKernelArg, (cl_object, cl_uint, size_t, const void *))                          \
    F(cl_object, clCreateBuffer, (cl_object, cl_bits, size_t, void *, cl_int *))                   \
    F(cl_int, clEnqueueNDRangeKernel,                                                              \
      (cl_object, cl_object, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,     \
       const cl_object *, cl_object *))                                                            \
    F(cl_int, clEnqueueReadBuffer,                                                                 \
      (cl_object, cl_object, cl_uint, size_t, size_t, void *, cl_uint, const cl_object *,          \
       cl_object *))                                                                               \
    F(cl_int, clFinish, (cl_object))                                                               \
    F(cl_int, clReleaseMemObject, (cl_object))                                                     \
    F(cl_int, clReleaseKernel, (cl_object))                                                        \
    F(cl_int, clReleaseProgram, (cl_object))                                                       \
    F(cl_int, clReleaseCommandQueue, (cl_object))                                                  \
    F(cl_int, clReleaseContext, (cl_object))

typedef struct cl_api {
#define MEMBER(RESULT, NAME, PARAMETERS) RESULT(*NAME) PARAMETERS;
    CL_FUNCTIONS(MEMBER)
#undef MEMBER
} cl_api;

/* Returns false with a sentence in `error`. The library stays loaded. */
bool cl_load(cl_api *api, const char *library, char *error, size_t error_size);

#endif
