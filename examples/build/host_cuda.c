/* NVIDIA, through the CUDA driver API: the compiled kernel is linked in (scale_fatbin.h). */
#include "scale.h"
#include "scale_fatbin.h"
#include "scale_host.h"

#include <cuda.h>
#include <stdio.h>

/* Prints which call failed; the context ends with the process. */
static int failed(CUresult result, const char *call) {
    const char *words = "unknown error";
    if (result == CUDA_SUCCESS)
        return 0;
    (void)cuGetErrorString(result, &words);
    fprintf(stderr, "%s: %s\n", call, words);
    return 1;
}

#define TRY(call)                                                                                  \
    if (failed(call, #call))                                                                       \
    return 1

int scale_on_device(const float *in, float *out, uint32_t n, float factor) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr mem;
    scale_args args;
    uint32_t size = scale_buffer_bytes(n);
    void *parameters[] = {&mem, &args};
    scale_fill_words(args.r, n, factor);
    TRY(cuInit(0));
    TRY(cuDeviceGet(&device, 0));
    TRY(cuDevicePrimaryCtxRetain(&context, device));
    TRY(cuCtxSetCurrent(context));
    TRY(cuModuleLoadData(&module, scale_fatbin));
    TRY(cuModuleGetFunction(&kernel, module, scale_SYMBOL));
    TRY(cuMemAlloc(&mem, 2 * size));
    TRY(cuMemcpyHtoD(mem, in, 4 * (size_t)n));
    TRY(cuLaunchKernel(kernel, (n + scale_WORKGROUP_X - 1) / scale_WORKGROUP_X, 1, 1,
                       scale_WORKGROUP_X, 1, 1, 0, NULL, parameters, NULL));
    TRY(cuMemcpyDtoH(out, mem + size, 4 * (size_t)n));
    TRY(cuMemFree(mem));
    TRY(cuModuleUnload(module));
    TRY(cuDevicePrimaryCtxRelease(device));
    return 0;
}
