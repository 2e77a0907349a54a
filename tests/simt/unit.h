/* From programs to a unit of C++: text only. */
#ifndef SIMT_UNIT_H
#define SIMT_UNIT_H

#include "simt/simt_run.h"

#include <stdio.h>

/* Writes one translation unit for programs of one target: each in its own namespace, followed by
 * the table simt_entries in the same order. False, with the reason, for a text whose entry is not
 * understood; `bad` is then its index. */
bool unit_write(FILE *out, const simt_program *programs, size_t count, size_t *bad, char *error,
                size_t error_size);

#endif
