/* The contents of a profile. Collecting is in profile.c, the table and the JSON in profile_text.c,
 * the page in profile_html.c. */
#ifndef EMU_PROFILE_H
#define EMU_PROFILE_H

#include "emu/checks.h"

enum { PROFILE_SEGMENTS = 3 }; /* of 32, 64 and 128 bytes */
enum { PROFILE_FMAS = 16 * 16 * 16 };

typedef struct profile_row {
    uint32_t pc;
    size_t text;    /* offset in wave_profile.texts */
    size_t file;    /* the same, for the source file's name; 0: the file that was profiled */
    uint32_t line;  /* 0: unknown */
    uint32_t depth; /* number of enclosing ifs and loops */
    uint64_t executions;
    uint64_t lanes; /* executing, summed over the executions */

    /* if, break, continue: how often all lanes took it, none did, or some did */
    bool branch;
    uint64_t all, none, split;

    bool multiplies; /* tiles: PROFILE_FMAS per execution */

    /* Wave accesses: one per execution that touched memory, 16 for an MMA fragment, and for a tile
     * as many as it takes when each lane moves 16 bytes. */
    bool device, local, own, constant; /* which memory; own: private */
    uint64_t accesses;
    uint64_t lane_accesses;
    uint64_t bytes; /* distinct ones per access, summed over the accesses */
    uint64_t segments[PROFILE_SEGMENTS], ideal[PROFILE_SEGMENTS];
    uint64_t passes;       /* local: the most words any one bank has to deliver, summed */
    uint64_t ideal_passes; /* with the same words spread evenly over the banks */
    uint64_t worst;        /* the most passes of one access */
} profile_row;

struct wave_profile {
    profile_row *rows;
    uint32_t count;
    buf texts; /* an empty string, then those of instructions and files, each NUL-terminated */
    bool has_lines;
    wave_read_line read_line;
    void *read_user;
    char *kernel;
    uint32_t grid[3], group[3], width;
    uint64_t workgroups;
    struct profile_pending *pending; /* owned by profile.c, during the run */
};

typedef struct profile_totals {
    uint64_t executions, lanes, hottest;
    uint64_t branches, split;
    uint64_t device_accesses, device_bytes;
    uint64_t segments[PROFILE_SEGMENTS], ideal[PROFILE_SEGMENTS];
    uint64_t local_accesses, passes, ideal_passes;
    uint64_t products; /* of tiles */
    uint64_t private_accesses, private_bytes, constant_accesses, constant_bytes;
} profile_totals;

profile_totals profile_sum(const wave_profile *profile);

static inline const char *profile_row_text(const wave_profile *profile, const profile_row *row) {
    return (const char *)profile->texts.data + row->text;
}

/* A source line that is shown above its rows. */
typedef struct profile_line {
    const char *file;
    uint32_t line;
    const char *text; /* NULL: the line cannot be read */
    size_t length;
} profile_line;

/* Whether to show the source line of this row above it: when it differs from the line of the
 * previous row. */
bool profile_new_line(const wave_profile *profile, const char *title, uint32_t index,
                      profile_line *out);

/* numerator / denominator with a fixed number of decimals, rounded half up. Uses integers only, so
 * that the host's locale has no effect. A denominator of 0 yields 0. */
void profile_ratio(buf *out, uint64_t numerator, uint64_t denominator, unsigned decimals);

/* profile_html.c */
void profile_format_html(const wave_profile *profile, const char *title, buf *out);

#endif
