/* OpenCL's functions, written in OpenCL C (src/opencl), as a SPIR-V module in host byte order.
 * opencl.def maps instructions to functions; functions are found by the name in their
 * LinkageAttributes. */
#ifndef SPIRV_LIBRARY_H
#define SPIRV_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL: out of memory. *made is to be freed; NULL if the words need no memory. */
const uint32_t *spirv_library(size_t *word_count, uint32_t **made);
typedef struct spirv_library_name {
    char text[64];
} spirv_library_name;

/* library_part.c: a module with the named functions and their dependencies; unknown names are
 * ignored. The caller frees it; NULL: out of memory. */
uint32_t *spirv_library_part(const spirv_library_name *names, size_t name_count,
                             size_t *word_count);

#endif
