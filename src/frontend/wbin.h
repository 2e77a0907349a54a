/* Shared by wbin.c and wbin_names.c, the two halves of the container reader. */
#ifndef FRONTEND_WBIN_H
#define FRONTEND_WBIN_H

#include "frontend/frontend.h"

typedef struct wbin_section {
    uint64_t offset, size; /* 64 bits: sums of two fields of 32 bits cannot wrap */
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
    bool ok; /* no error so far */
} wbin_reader;

/* An error in every mode. `offset` is in the file. */
void wbin_error(wbin_reader *r, diag_code code, uint64_t offset, const char *message);
/* A rule that only the stricter modes insist on: a warning in lenient mode. */
void wbin_problem(wbin_reader *r, diag_code code, uint64_t offset, const char *message);
void wbin_record_error(wbin_reader *r, diag_code code, size_t index, unsigned field,
                       const char *message);
void wbin_record_problem(wbin_reader *r, diag_code code, size_t index, unsigned field,
                         const char *message);

/* Fills the names of all records. */
void wbin_read_names(wbin_reader *r);

#endif
