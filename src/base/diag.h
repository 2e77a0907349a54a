/* How library code reports: a code from diag_codes.def, a place and a sentence. The public half
 * (wave_diags) is in wave.h. A NULL list is allowed everywhere: nothing is kept then. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include "base/arena.h"
#include "base/buf.h"

typedef enum diag_code {
#define DIAG(code, severity, hint) DIAG_##code,
#include "base/diag_codes.def"
#undef DIAG
    DIAG_CODE_COUNT
} diag_code;

const char *diag_code_name(diag_code code);

/* Where, and what stands there. Start from DIAG_NOWHERE. */
typedef struct diag_place {
    const char *kernel;
    int64_t offset;
    uint32_t line, column, length;
    const char *text; /* source line or disassembled instruction */
    size_t text_length;
    const char *hint;  /* replaces the code's own hint */
    const char *file;  /* NULL: the input */
    const char *chain; /* how the place was reached, or NULL */
} diag_place;

#define DIAG_NOWHERE ((diag_place){.offset = -1})

void diag_report(wave_diags *diags, diag_code code, const diag_place *place, const char *format,
                 ...) BUF_PRINTF(4, 5);
/* The same with another severity than the code's own. */
void diag_report_as(wave_diags *diags, wave_severity severity, diag_code code,
                    const diag_place *place, const char *format, ...) BUF_PRINTF(5, 6);
/* True when a further diagnostic of this severity would be kept: lets callers skip costly text. */
bool diag_has_room(const wave_diags *diags);

/* The list; here only for the scope below. */
struct wave_diags {
    arena memory;
    wave_diag *list;
    size_t count, capacity, limit;
    size_t total[2];      /* by wave_severity */
    size_t out_of_memory; /* how many of them are E_MEMORY */
};

/* One call of the library. Reports of missing memory decide about its status, also when the caller
 * wants no list: those then go to one that only counts. */
typedef struct diag_scope {
    wave_diags counter;
    wave_diags *diags;
    size_t before;
} diag_scope;

/* The list to report to. */
wave_diags *diag_begin(diag_scope *scope, wave_diags *diags);
/* WAVE_ERROR_INPUT becomes WAVE_ERROR_MEMORY when that was reported since diag_begin. */
wave_status diag_end(const diag_scope *scope, wave_status status);

#endif
