/* Shared by the files of the container reader: wbin.c, wbin_names.c, wbin_ext.c and
 * wbin_sections.c. */
#ifndef FRONTEND_WBIN_H
#define FRONTEND_WBIN_H

#include "frontend/frontend.h"

typedef struct wbin_section {
    uint64_t offset, size; /* 64 bits: the sum of two 32-bit fields cannot overflow */
    const char *name;
    unsigned at; /* file offset of the header field */
} wbin_section;

typedef struct wbin_reader {
    const uint8_t *data;
    size_t size;
    wave_load_options options;
    arena *memory;
    fe_container *out;
    wave_diags *diags;
    wbin_section code, symbols, metadata;
    uint64_t end; /* of the last section so far */
    bool ok;      /* no error so far */
} wbin_reader;

/* An error in every mode. `offset` is in the file. */
void wbin_error(wbin_reader *r, diag_code code, uint64_t offset, const char *message);
/* A rule that only the stricter modes enforce: a warning in lenient mode. */
void wbin_problem(wbin_reader *r, diag_code code, uint64_t offset, const char *message);
void wbin_record_error(wbin_reader *r, diag_code code, size_t index, unsigned field,
                       const char *message);
void wbin_record_problem(wbin_reader *r, diag_code code, size_t index, unsigned field,
                         const char *message);

/* Fills the names of all records. */
void wbin_read_names(wbin_reader *r);

/* ---- wbin_ext.c: the extension table ---- */

enum { WBIN_RECORD = 32 };

/* Reads the table after the records, if there is one, and its sections. */
void wbin_read_extensions(wbin_reader *r);

/* ---- wbin_sections.c: the contents of the sections ---- */

typedef struct wbin_ext {
    wbin_reader *r;
    const uint8_t *data;
    uint64_t offset; /* in the file */
    uint32_t size;
    uint32_t at;       /* read so far */
    const char *wrong; /* what is wrong with it, or NULL */
} wbin_ext;

/* Each reads one known section into r->out->extras; false with the reason in s->wrong. */
bool wbin_read_args(wbin_ext *s);
bool wbin_read_lines(wbin_ext *s);
bool wbin_read_messages(wbin_ext *s);
bool wbin_read_private(wbin_ext *s);
bool wbin_read_constants(wbin_ext *s);
bool wbin_read_registers(wbin_ext *s);

#endif
