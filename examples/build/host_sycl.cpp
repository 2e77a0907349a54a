// Intel, through icpx: the emitted text contains a launcher.
#include "scale.sycl.cpp"
#include "scale_host.h"

#include <cstdio>

extern "C" int scale_on_device(const float *in, float *out, uint32_t n, float factor) try {
    scale_args args;
    uint32_t size = scale_buffer_bytes(n);
    scale_fill_words(args.r, n, factor);
    sycl::queue queue;
    uint8_t *mem = sycl::malloc_device<uint8_t>(2 * size, queue);
    queue.memcpy(mem, in, 4 * std::size_t{n}).wait();
    scale(queue, mem, args, sycl::range<3>((n + 63) / 64, 1, 1), sycl::range<3>(64, 1, 1)).wait();
    queue.memcpy(out, mem + size, 4 * std::size_t{n}).wait();
    sycl::free(mem, queue);
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
