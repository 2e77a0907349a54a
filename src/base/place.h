/* The one format in which a location is printed: the source line first, if known, then the offset
 * in the kernel. */
#ifndef BASE_PLACE_H
#define BASE_PLACE_H

#include "base/buf.h"

typedef struct place {
    const char *input;  /* the file that was read */
    const char *file;   /* the source file that contains the line; NULL or "": the input itself */
    uint32_t line;      /* 0: unknown */
    uint32_t column;    /* 0: unknown */
    const char *kernel; /* or NULL */
    int64_t offset;     /* in the kernel, or in the file when there is no kernel; -1: none */
} place;

/* "k.wave:31:5", "k.wave:31", "k.wbin:vadd+0x18", "k.wbin:0x20", "k.wbin". */
void place_head(buf *out, const place *p);
/* "vadd+0x18" unless the head already contains it; false: nothing was written. */
bool place_tail(buf *out, const place *p);
/* Both: "k.wave:31 (vadd+0x18)". */
void place_text(buf *out, const place *p);

/* The file that the head names. */
const char *place_file(const place *p);

#endif
