/* Breaks long lines where a person would: outside parentheses, after a comma or an operator.
 *
 *   *(mem_u32x4 *)(mem + u0) = mem_u32x4{wave_idiv(args.r[1], args.r[2]), …,
 *       wave_umod(args.r[1], args.r[2])}; */
#include "emit/c_printer.h"

#include <limits.h>
#include <string.h>

enum { FEWEST_COLUMNS = 50, MORE_INDENT = 4 };

static bool is_operator(uint8_t c) {
    static const bool operators[128] = {
        ['+'] = true, ['-'] = true, ['*'] = true, ['/'] = true, ['%'] = true,
        ['&'] = true, ['|'] = true, ['^'] = true, ['<'] = true, ['>'] = true,
        ['='] = true, ['!'] = true, ['?'] = true, [':'] = true,
    };
    return operators[c & 127];
}

/* Whether the blank precedes an operator, which stays on the line above, or the star of a type. */
static bool is_before_operator(const uint8_t *blank) {
    return is_operator(blank[1]) &&
           (blank[2] == ' ' || blank[2] == ')' || (is_operator(blank[2]) && blank[3] == ' '));
}

static bool is_word(uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* How much deeper the text is after a character, in halves of a level: a comma is worth one half
 * (find_break). A template's brackets are marked, because they count only after a word. */
enum { OPENS = 2, CLOSES = -2, AFTER_WORD = 16, BLANK = 64 };
static const int16_t kinds[256] = {['('] = OPENS,  ['{'] = OPENS,  ['<'] = AFTER_WORD + OPENS,
                                   [')'] = CLOSES, ['}'] = CLOSES, ['>'] = AFTER_WORD + CLOSES,
                                   [' '] = BLANK};

/* The same for a character that is not a blank, in its context. */
static int nesting(const uint8_t *at, int kind) {
    if (kind < AFTER_WORD / 2)
        return kind;
    return is_word(at[-1]) ? kind - AFTER_WORD : 0;
}

/* Offset of the blank to break a long line at, or 0. Prefers the fewest enclosing parentheses, then
 * a comma over an operator, then the latest. If none fits, takes the first blank that follows. */
static size_t find_break(const buf *out, size_t start, size_t indent) {
    const uint8_t *line = out->data + start, *end = out->data + out->size, *best = NULL;
    const uint8_t *stop = line + C_MOST_COLUMNS - 3;
    int depth = 0, least = INT_MAX;
    for (const uint8_t *at = line + indent;; at++) {
        while (!kinds[*at]) /* a blank follows the text */
            at++;
        int kind = kinds[*at];
        if (at >= stop && (best || at >= end))
            break;
        if (kind != BLANK)
            depth += nesting(at, kind);
        else if (!is_before_operator(at)) {
            int early = at < line + FEWEST_COLUMNS ? 3 : 0;
            int badness = depth + (at[-1] != ',') + early;
            if (badness <= least) {
                least = badness;
                best = at;
            }
        }
    }
    return best ? (size_t)(best - out->data) : 0;
}

void c_break(c_printer *p) {
    buf *out = p->out;
    size_t start = p->line, indent = MORE_INDENT;
    if (out->failed || !put_fits(out, 1))
        return;
    while (out->data[start + indent - MORE_INDENT] == ' ')
        indent++;
    while (out->size - start > C_MOST_COLUMNS) {
        out->data[out->size] = ' ';
        size_t at = find_break(out, start, indent), rest = out->size - at - 1;
        buf_fill(out, ' ', at ? indent + 1 : 0);
        if (!at || out->failed)
            return;
        memmove(out->data + at + 1 + indent, out->data + at + 1, rest);
        memset(out->data + at + 1, ' ', indent);
        out->data[at] = '\n';
        out->size--; /* there is room for the blank */
        start = at + 1;
    }
}
