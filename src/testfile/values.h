/* Typed elements of the test format: sizes, text to bits, generators, comparison. */
#ifndef TESTFILE_VALUES_H
#define TESTFILE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum val_type {
    VAL_U8,
    VAL_U16,
    VAL_U32,
    VAL_I32,
    VAL_U64,
    VAL_F16,
    VAL_BF16,
    VAL_F32,
    VAL_F64,
    VAL_TYPES
} val_type;

bool val_type_parse(const char *name, val_type *out);
const char *val_type_name(val_type type);
size_t val_size(val_type type);
bool val_is_float(val_type type);

uint64_t val_load(val_type type, const uint8_t *bytes);
void val_store(val_type type, uint8_t *bytes, uint64_t bits);

/* A literal: integer, hex, decimal float, inf, nan. */
bool val_parse(val_type type, const char *text, uint64_t *bits);
uint64_t val_from_double(val_type type, double value);
double val_to_double(val_type type, uint64_t bits); /* the value of any type, for messages */

/* `text` is a generator of the test format. The elements `first` … `first + count - 1` of a buffer
 * with `total` elements are written to `out`, densely. */
typedef struct val_context {
    int64_t width; /* W */
    int64_t total; /* N */
    int64_t first;
} val_context;

bool val_generate(val_type type, const char *text, const val_context *context, size_t count,
                  uint8_t *out, char *error, size_t error_size);

typedef enum val_mode { VAL_EXACT, VAL_ULP, VAL_ABS } val_mode;

bool val_equal(val_type type, val_mode mode, double tolerance, uint64_t expected, uint64_t actual);

#endif
