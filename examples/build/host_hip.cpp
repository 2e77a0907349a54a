// AMD, through hipcc: the emitted text is part of this translation unit.
#include "scale.hip"
#include "scale_host.h"

#include <cstdio>

static int failed(hipError_t result, const char *call) {
    if (result == hipSuccess)
        return 0;
    std::fprintf(stderr, "%s: %s\n", call, hipGetErrorString(result));
    return 1;
}

#define TRY(call)                                                                                  \
    if (failed(call, #call))                                                                       \
    return 1

extern "C" int scale_on_device(const float *in, float *out, uint32_t n, float factor) {
    scale_args args;
    uint32_t size = scale_buffer_bytes(n);
    uint8_t *mem;
    scale_fill_words(args.r, n, factor);
    TRY(hipMalloc(reinterpret_cast<void **>(&mem), 2 * size));
    TRY(hipMemcpy(mem, in, 4 * std::size_t{n}, hipMemcpyHostToDevice));
    scale<<<dim3((n + 63) / 64), dim3(64)>>>(mem, args);
    TRY(hipGetLastError());
    TRY(hipMemcpy(out, mem + size, 4 * std::size_t{n}, hipMemcpyDeviceToHost));
    TRY(hipFree(mem));
    return 0;
}
