/* Several test programs as one source, so that a slow compiler is asked once for all of them. */
#include "hwtest.h"

#include <stdlib.h>
#include <string.h>

/* The name behind `.kernel` at the start of a line; NULL when the line is another. */
static const char *kernel_name(const char *line, size_t length) {
    static const char directive[] = ".kernel";
    size_t at = 0;
    while (at < length && (line[at] == ' ' || line[at] == '\t'))
        at++;
    if (length - at < sizeof directive || memcmp(line + at, directive, sizeof directive - 1) != 0)
        return NULL;
    at += sizeof directive - 1;
    if (line[at] != ' ' && line[at] != '\t')
        return NULL;
    while (at < length && (line[at] == ' ' || line[at] == '\t'))
        at++;
    return line + at;
}

static void add_source(FILE *out, const hw_test *t, size_t number) {
    const char *at = t->source, *end = t->source + t->size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = newline ? (size_t)(newline - at) : (size_t)(end - at);
        const char *name = kernel_name(at, length);
        if (name)
            fprintf(out, ".kernel t%zu_%.*s\n", number, (int)(at + length - name), name);
        else
            fprintf(out, "%.*s\n", (int)length, at);
        at += length + 1;
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
