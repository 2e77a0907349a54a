/* Occurrences in a text. */
#ifndef TESTS_SUPPORT_COUNT_H
#define TESTS_SUPPORT_COUNT_H

#include <string.h>

/* How often `part` occurs; occurrences do not overlap. */
static inline unsigned count_text(const char *text, const char *part) {
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

#endif
