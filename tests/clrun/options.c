/* The words of `//@ cc:` lines: macros and the standard go to the OpenCL compiler, sizes of local
 * memory to the arguments. Options that only wave-cc knows are skipped. */
#include "clrun/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_local(clrun_options *o, const char *text) {
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;
    if (!equals || length >= sizeof o->locals->name ||
        o->local_count == sizeof o->locals / sizeof *o->locals)
        return false;
    memcpy(o->locals[o->local_count].name, text, length);
    o->locals[o->local_count++].bytes = strtoul(equals + 1, NULL, 0);
    return true;
}

static bool add_word(clrun_options *o, const char *word) {
    size_t used = strlen(o->build);
    bool value = o->wants_value;
    if (strncmp(word, "--local=", 8) == 0)
        return add_local(o, word + 8);
    o->has_standard |= strncmp(word, "-cl-std=", 8) == 0;
    o->wants_value = strcmp(word, "-D") == 0;
    if (!value && strncmp(word, "-D", 2) != 0 && strncmp(word, "-cl-std=", 8) != 0)
        return true;
    int n = snprintf(o->build + used, sizeof o->build - used, " %s", word);
    return n > 0 && (size_t)n < sizeof o->build - used;
}

static bool add_line(clrun_options *o, const char *text, size_t length) {
    char line[400];
    if (length >= sizeof line)
        return false;
    memcpy(line, text, length);
    line[length] = '\0';
    for (char *save = NULL, *word = strtok_r(line, " \t\r", &save); word;
         word = strtok_r(NULL, " \t\r", &save))
        if (!add_word(o, word))
            return false;
    return true;
}

bool clrun_read_options(clrun_options *o, const char *source, size_t size) {
    static const char mark[] = "//@ cc:";
    size_t n = sizeof mark - 1;
    for (const char *line = source, *end = source + size; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        size_t length = (size_t)(stop - line);
        if (length > n && memcmp(line, mark, n) == 0 && !add_line(o, line + n, length - n))
            return false;
        line = stop + 1;
    }
    return true;
}
