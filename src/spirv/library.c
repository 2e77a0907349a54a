/* The words of library.inc, which "make opencl-library" generates: building and running wavec
 * requires no OpenCL C compiler. */
#include "spirv/library.h"

static const uint32_t words[] = {
#include "spirv/library.inc"
};

const uint32_t *spirv_library(size_t *word_count) {
    *word_count = sizeof words / sizeof words[0];
    return words;
}
