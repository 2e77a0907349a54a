/* Small expressions over named variables, in integers or doubles, for the test format
 * (docs/using/test-format.md) and the breakpoints of wave-emu. */
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

/* What names mean besides the functions of every expression. All may be NULL. */
typedef struct expr_scope {
    const expr_variable *variables;
    size_t variable_count;
    /* Called for names that are not variables; false: there is no such name. */
    bool (*name)(void *user, const char *name, size_t length, expr_value *out);
    bool (*call)(void *user, const char *name, size_t length, expr_value argument, expr_value *out);
    void *user;
} expr_scope;

/* False, with a sentence in `error`, when the text is not an expression. */
bool expr_evaluate_in(const char *text, size_t length, bool is_float, const expr_scope *scope,
                      expr_value *out, char *error, size_t error_size);
bool expr_evaluate(const char *text, size_t length, bool is_float, const expr_variable *variables,
                   size_t variable_count, expr_value *out, char *error, size_t error_size);

#endif
