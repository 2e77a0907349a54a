/* See llvm_text.h. */
#include "cli/llvm_text.h"

#include <stdlib.h>
#include <string.h>

bool llvm_starts(llvm_span s, const char *with) {
    size_t n = strlen(with);
    return (size_t)(s.end - s.at) >= n && memcmp(s.at, with, n) == 0;
}

bool llvm_next_line(llvm_span *rest, llvm_span *line) {
    if (rest->at == rest->end)
        return false;
    const char *stop = memchr(rest->at, '\n', (size_t)(rest->end - rest->at));
    *line = (llvm_span){rest->at, stop ? stop : rest->end};
    rest->at = stop ? stop + 1 : rest->end;
    return true;
}

uint32_t llvm_number(llvm_span s) {
    uint32_t value = 0;
    const char *at = s.at;
    for (; at < s.end && *at >= '0' && *at <= '9' && value < 100000000; at++)
        value = 10 * value + (uint32_t)(*at - '0');
    return at == s.at ? LLVM_NO_NUMBER : value;
}

bool llvm_find(llvm_span s, const char *text, llvm_span *after) {
    for (bool quoted = false; s.at < s.end; s.at++) {
        if (*s.at == '"')
            quoted = !quoted;
        if (!quoted && llvm_starts(s, text)) {
            *after = (llvm_span){s.at + strlen(text), s.end};
            return true;
        }
    }
    return false;
}

uint32_t llvm_number_after(llvm_span s, const char *text) {
    llvm_span after;
    return llvm_find(s, text, &after) ? llvm_number(after) : LLVM_NO_NUMBER;
}

llvm_span llvm_quoted(llvm_span s) {
    const char *stop = memchr(s.at, '"', (size_t)(s.end - s.at));
    return (llvm_span){s.at, stop ? stop : s.at};
}

static unsigned hex(char c) {
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a' + 10);
}

char *llvm_unescaped(llvm_span name) {
    char *copy = malloc((size_t)(name.end - name.at) + 1), *to = copy;
    for (const char *from = name.at; copy && from < name.end; from++) {
        bool escape = *from == '\\' && name.end - from > 2;
        *to++ = escape ? (char)(hex(from[1]) * 16 + hex(from[2])) : *from;
        from += escape ? 2 : 0;
    }
    if (copy)
        *to = 0;
    return copy;
}
