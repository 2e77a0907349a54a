/* The features that a kernel needs and an OpenCL device may lack, judged by the identifiers of its
 * source. */
#ifndef CLRUN_NEEDS_H
#define CLRUN_NEEDS_H

#include <stddef.h>

/* The first feature or extension that the source needs and `has` does not name, or NULL. `has` is a
 * list with blanks around each word. */
const char *needs_missing(const char *source, size_t size, const char *has);

#endif
