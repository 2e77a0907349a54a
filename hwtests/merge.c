/* Several test programs as one source, so that a slow compiler is asked once for all of them. Names
 * of kernels and labels are the file's: those of test 3 get "t3_" in front. */
#include "hwtest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool is(const char *word, size_t length, const char *text) {
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

/* What follows a word on its line, behind blanks. */
static char next_sign(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at < end ? *at : '\n';
}

/* Without its comment. A name stands behind .kernel or call, or before a colon. */
static void add_line(FILE *out, const char *at, const char *end, size_t number) {
    bool names = false;
    while (at < end && *at != ';') {
        const char *word = at;
        while (at < end && is_word(*at))
            at++;
        size_t length = (size_t)(at - word);
        if (length == 0) {
            fputc(*at++, out);
            continue;
        }
        if (names || next_sign(at, end) == ':')
            fprintf(out, "t%zu_", number);
        fprintf(out, "%.*s", (int)length, word);
        names = is(word, length, ".kernel") || is(word, length, "call");
    }
    fputc('\n', out);
}

static void add_source(FILE *out, const hw_test *t, size_t number) {
    const char *at = t->source, *end = t->source + t->size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        add_line(out, at, stop, number);
        at = stop + 1;
    }
}

char *hw_merge(const hw_test *const *tests, size_t count, size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out)
        abort();
    for (size_t k = 0; k < count; k++)
        add_source(out, tests[k], k);
    if (fclose(out) != 0)
        abort();
    return text;
}
