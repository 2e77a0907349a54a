/* The actions of the library on a file, as a table that the tests of failing allocations and of
 * threads execute. */
#ifndef HARDEN_ACTIONS_H
#define HARDEN_ACTIONS_H

#include "testfile/testfile.h"

#include <wave/compile.h>

/* A file, and its forms made beforehand. Actions only read it. */
typedef struct subject {
    const char *path;
    const char *source;
    size_t size;
    bool spirv; /* a SPIR-V module, which has no other form */
    tf_test *test;
    tf_run run;
    wave_blob binary;
    wave_module *module;
    size_t kernel;
    char *ir;
    size_t ir_size;
} subject;

/* The result of one action. */
typedef struct outcome {
    wave_status status;
    uint64_t hash;   /* of all output */
    size_t errors;   /* reported */
    uint8_t *memory; /* memory to run in: ACTION_MEMORY bytes, owned by the caller */
} outcome;

enum { ACTION_MEMORY = 1 << 20 };

typedef struct action {
    const char *name;
    void (*run)(const subject *s, unsigned variant, wave_diags *diags, outcome *o);
    unsigned variants;
    bool launch, module; /* the action needs one */
    bool spirv;          /* the action reads SPIR-V */
} action;

extern const action actions[];
extern const size_t action_count;

/* False, with the reason printed, when the file is unsuitable. */
bool subject_open(subject *s, const char *path);
void subject_close(subject *s);
bool subject_fits(const subject *s, const action *a);

/* Runs it with its own list of diagnostics. */
outcome action_run(const subject *s, const action *a, unsigned variant, uint8_t *memory);

#endif
