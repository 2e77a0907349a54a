/* The output of the vendors' compilers, as far as a driver checks it before anything runs: ELF
 * files for a GPU, with an entry for each kernel. The driver gets the start of an image, not its
 * size. */
#ifndef SIMGPU_OBJECT_FILE_H
#define SIMGPU_OBJECT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the image is AMD's code object for this architecture: "gfx942:sramecc+:xnack-". */
bool object_fits_amd(const void *image, const char *arch);
/* Whether it is NVIDIA's cubin for this compute capability: 75. */
bool object_fits_nvidia(const void *image, unsigned capability);

/* For images that match: the size in bytes, and a copy. */
size_t object_size(const void *image);
void *object_copy(const void *image);

/* Stores the size of a kernel's arguments in *size; false when there is no such kernel. */
bool object_amd_arguments(const void *image, const char *kernel, uint32_t *size);
bool object_nvidia_has(const void *image, const char *kernel);

#endif
