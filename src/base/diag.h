/* How library code reports diagnostics: a code from diag_codes.def, a place and a sentence. The
 * public half (wave_diags) is in wave.h. A NULL list is allowed everywhere; nothing is recorded
 * then. */
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

/* The place of a diagnostic and its source text. Start from DIAG_NOWHERE. */
typedef struct diag_place {
    const char *kernel;
    int64_t offset;
    const char *file; /* the source of the line; NULL: the input */
    uint32_t line, column, length;
    const char *text; /* source line or disassembled instruction */
    size_t text_length;
    const char *hint; /* replaces the code's own hint */
} diag_place;

#define DIAG_NOWHERE ((diag_place){.offset = -1})

void diag_report(wave_diags *diags, diag_code code, const diag_place *place, const char *format,
                 ...) BUF_PRINTF(4, 5);
/* The same with a severity that overrides the code's own. */
void diag_report_as(wave_diags *diags, wave_severity severity, diag_code code,
                    const diag_place *place, const char *format, ...) BUF_PRINTF(5, 6);
/* Adds a related place to the last reported diagnostic; does nothing when that diagnostic was not
 * kept. At most DIAG_MAX_RELATED are kept. */
void diag_relate(wave_diags *diags, const diag_place *place, const char *format, ...)
    BUF_PRINTF(3, 4);
enum {
    DIAG_MAX_RELATED = 16,
    DIAG_LONGEST_TEXT = 400 /* bytes of a source line that are shown */
};
/* True when another diagnostic would be kept: lets callers skip building costly text. */
bool diag_has_room(const wave_diags *diags);

/* The list; defined here only for diag_scope below. */
struct wave_diags {
    arena memory;
    wave_diag *list;
    size_t count, capacity, limit;
    size_t total[2];      /* by wave_severity */
    size_t out_of_memory; /* how many of them are E_MEMORY */
    bool last_kept;       /* the last one reported is in the list */
    wave_read_line read_line;
    void *read_user;
};

/* One library call. Out-of-memory reports decide its status, even when the caller passes no list:
 * they then go to a list that only counts. */
typedef struct diag_scope {
    wave_diags counter;
    wave_diags *diags;
    size_t before;
} diag_scope;

/* The list to report to. */
wave_diags *diag_begin(diag_scope *scope, wave_diags *diags);
/* WAVE_ERROR_INPUT becomes WAVE_ERROR_MEMORY when E_MEMORY was reported since diag_begin. */
wave_status diag_end(const diag_scope *scope, wave_status status);

#endif
