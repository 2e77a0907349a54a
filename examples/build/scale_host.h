/* The interface of every library here: runs `scale` on one vendor's device. Returns 0, or 1 after
 * printing why that failed. */
#ifndef SCALE_HOST_H
#define SCALE_HOST_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

int scale_on_device(const float *in, float *out, uint32_t n, float factor);

/* An arena that holds the two buffers, and the four argument words of the kernel. */
static inline uint32_t scale_buffer_bytes(uint32_t n) {
    return (4 * n + 255) / 256 * 256;
}

static inline void scale_fill_words(uint32_t words[4], uint32_t n, float factor) {
    words[0] = 0;
    words[1] = scale_buffer_bytes(n);
    words[2] = n;
    memcpy(&words[3], &factor, sizeof factor);
}

#ifdef __cplusplus
}
#endif

#endif
