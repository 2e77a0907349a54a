/* The small expressions of the test format (docs/test-format.md): integers or doubles over named
 * variables. */
#ifndef TESTFILE_EXPR_H
#define TESTFILE_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct expr_value {
    int64_t i; /* integer expressions */
    double f;  /* float expressions */
} expr_value;

typedef struct expr_variable {
    const char *name;
    int64_t value;
} expr_variable;

/* False, with a sentence in `error`, when the text is not an expression. */
bool expr_evaluate(const char *text, size_t length, bool is_float, const expr_variable *variables,
                   size_t variable_count, expr_value *out, char *error, size_t error_size);

#endif
