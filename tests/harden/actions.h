/* What the library can do with a file, as a table: the tests of failing allocations and of threads
 * go through it. */
#ifndef HARDEN_ACTIONS_H
#define HARDEN_ACTIONS_H

#include "testfile/testfile.h"

#include <wave/compile.h>

/* A file, and what was made of it beforehand. Actions only read it. */
typedef struct subject {
    const char *path;
    const char *source;
    size_t size;
    tf_test *test;
    tf_run run;
    wave_blob binary;
    wave_module *module;
    size_t kernel;
    char *ir;
    size_t ir_size;
} subject;

/* What one action gave. */
typedef struct outcome {
    wave_status status;
    uint64_t hash;   /* of all that came out */
    size_t errors;   /* reported */
    uint8_t *memory; /* to run in: ACTION_MEMORY bytes, the caller's */
} outcome;

enum { ACTION_MEMORY = 1 << 20 };

typedef struct action {
    const char *name;
    void (*run)(const subject *s, unsigned variant, wave_diags *diags, outcome *o);
    unsigned variants;
    bool launch, module; /* it needs one */
} action;

extern const action actions[];
extern const size_t action_count;

/* False, with the reason printed, when the file is not fit. */
bool subject_open(subject *s, const char *path);
void subject_close(subject *s);
bool subject_fits(const subject *s, const action *a);

/* Runs it with a list of diagnostics of its own. */
outcome action_run(const subject *s, const action *a, unsigned variant, uint8_t *memory);

#endif
