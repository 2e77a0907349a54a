/* The words of library.inc, which "make opencl-library" generates: building and running wavec
 * requires no OpenCL C compiler. The playground, which is loaded over slow connections, has them as
 * bytes (web/pack_library.py). */
#include "spirv/library.h"

#include <stdlib.h>

#ifdef WAVE_PACKED_LIBRARY
static const uint8_t bytes[] = {
#include "library_packed.inc"
};

static const uint8_t *unpack(const uint8_t *at, uint32_t *word) {
    unsigned shift = 0;
    for (*word = 0; *at & 128; shift += 7)
        *word |= (uint32_t)(*at++ & 127) << shift;
    *word |= (uint32_t)*at << shift;
    return at + 1;
}

const uint32_t *spirv_library(size_t *word_count, uint32_t **made) {
    const uint8_t *end = bytes + sizeof bytes;
    size_t count = 0;
    for (const uint8_t *at = bytes; at < end; at++)
        count += !(*at & 128);
    *word_count = count;
    *made = malloc(count * sizeof **made);
    uint32_t *word = *made;
    for (const uint8_t *at = bytes; word && at < end;)
        at = unpack(at, word++);
    return *made;
}
#else
static const uint32_t words[] = {
#include "spirv/library.inc"
};

const uint32_t *spirv_library(size_t *word_count, uint32_t **made) {
    *word_count = sizeof words / sizeof words[0];
    *made = NULL;
    return words;
}
#endif
