/* Merges several test programs into one source, so that a slow compiler runs once for all of them.
 * Names of kernels and labels have file scope: those of test 3 get the prefix "t3_". Sources with
 * other file-scope names, or with data, cannot be merged. */
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

/* The first character after a word on its line, skipping blanks. */
static char next_sign(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at < end ? *at : '\n';
}

/* Adds a line without its comment. A name follows .kernel or call, or starts the line before a
 * colon. */
static void add_line(FILE *out, const char *at, const char *end, size_t number) {
    bool names = false, leading = true, quoted = false;
    while (at < end && (quoted || *at != ';')) {
        const char *word = at;
        while (at < end && is_word(*at))
            at++;
        size_t length = (size_t)(at - word);
        if (length == 0) {
            quoted ^= *at == '"';
            fputc(*at++, out);
            continue;
        }
        leading = leading && next_sign(at, end) == ':';
        if (names || leading)
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

bool hw_can_merge(const hw_test *t) {
    static const char *const of_the_file[] = {".const",   ".constant", ".macro",
                                              ".include", ".if",       ".assert"};
    const char *at = t->source, *end = t->source + t->size;
    while (at && at < end) {
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        const char *word = at;
        while (at < end && is_word(*at))
            at++;
        for (size_t k = 0; k < sizeof of_the_file / sizeof *of_the_file; k++)
            if (is(word, (size_t)(at - word), of_the_file[k]))
                return false;
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    return true;
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
