/* How the assembler reports: a place in the source, its line, and "did you mean". The list of
 * diagnostics itself is base/diag.h. */
#ifndef ASM_REPORT_H
#define ASM_REPORT_H

#include "base/diag.h"

/* Keeps rare work out of the hot functions, which then need few registers. */
#if defined(__GNUC__) || defined(__clang__)
#define ASM_COLD __attribute__((cold, noinline))
#define ASM_RARE __attribute__((noinline)) /* still worth being fast */
#else
#define ASM_COLD
#define ASM_RARE
#endif

/* A text that places point into: the first is the source itself, included files follow. */
typedef struct asm_source {
    const char *name; /* NULL: the input */
    const char *text;
    size_t size;
    wave_blob owned; /* the text, when it was read for an .include */
} asm_source;

typedef struct asm_reporter {
    wave_diags *diags; /* may be NULL */
    const asm_source *sources;
    /* Tells how the current statement was reached: one related place per macro and include. */
    void (*relate)(const void *context, wave_diags *diags);
    const void *relate_context;
    wave_warnings warnings;
    size_t errors;             /* reported, even if they are not kept */
    uint64_t suggestion_cells; /* remaining budget for the search for similar names */
} asm_reporter;

/* `at` points into sources[file]. */
typedef struct asm_place {
    const char *at;
    uint32_t line, column, length;
    uint32_t file;
} asm_place;

/* `hint` may be NULL: then the code's own hint is used. */
void asm_error(asm_reporter *reporter, diag_code code, const asm_place *place, const char *hint,
               const char *format, ...) BUF_PRINTF(5, 6);
/* Obeys -W: dropped, kept, or turned into an error. */
void asm_warning(asm_reporter *reporter, diag_code code, const asm_place *place, const char *hint,
                 const char *format, ...) BUF_PRINTF(5, 6);

/* An error or a warning: upstream's dialect accepts some errors with a warning. */
void asm_report(asm_reporter *reporter, bool error, diag_code code, const asm_place *place,
                const char *hint, const char *format, ...) BUF_PRINTF(6, 7);

/* True when the next diagnostic is kept, so that building its text is worthwhile. */
bool asm_will_show(const asm_reporter *reporter);

enum { ASM_SHOWN_NAME = 48 }; /* bytes of a source name quoted in a message */

/* For "%.*s": long names are cut in messages. */
static inline int asm_shown(size_t length) {
    return length < ASM_SHOWN_NAME ? (int)length : ASM_SHOWN_NAME;
}

/* ---- Similar names ---- */

typedef struct asm_suggestion {
    const char *word; /* what was written */
    size_t length;
    const char *best; /* the closest candidate so far, or NULL */
    size_t best_length;
    unsigned limit; /* only candidates closer than this are accepted */
    uint64_t *cells;
} asm_suggestion;

asm_suggestion asm_suggest(asm_reporter *reporter, const char *word, size_t length);
void asm_suggest_try(asm_suggestion *s, const char *candidate, size_t length);
/* Writes "did you mean 'x'?" to `hint`, or `otherwise` (which may be NULL) when nothing is
 * close. */
enum { ASM_HINT_SIZE = 96 };
const char *asm_suggest_hint(const asm_suggestion *s, char hint[ASM_HINT_SIZE],
                             const char *otherwise);

#endif
