/* With -g: source lines. The printer emits a #line where another instruction begins. Most
 * instructions print several lines, and a compiler would keep counting. So the last #line is
 * repeated before each line of text that does not directly follow one:
 *
 *   #line 12 "k.wave"                #line 12 "k.wave"
 *       if (c) {              →          if (c) {
 *           a = 1u;                  #line 12 "k.wave"
 *                                            a = 1u; */
#include "base/text.h"
#include "emit/c_printer.h"

#include <string.h>

void c_put_line_number(const c_printer *p, const emit_line *line, buf *out) {
    const char *file = emit_file(p->o, line->file);
    if (!line->line || !file)
        return;
    buf_text(out, "#line ");
    buf_decimal(out, line->line);
    buf_char(out, ' ');
    text_c_string(out, file);
    buf_char(out, '\n');
}

/* Text that precedes the first instruction gets that instruction's line. */
void c_start_lines(const c_printer *p, buf *out) {
    emit_line line = {0};
    buf text = {0};
    if (!p->o->debug || !p->o->instruction)
        return;
    p->o->instruction(p->o->instruction_context, 0, &text, &line);
    out->failed |= text.failed;
    buf_free(&text);
    c_put_line_number(p, &line, out);
}

/* Whether the line is code: not blank, not a comment, not a directive. */
static bool is_code(const char *line, size_t length) {
    size_t at = 0;
    while (at < length && line[at] == ' ')
        at++;
    return at < length && line[0] != '#' &&
           !(at + 1 < length && line[at] == '/' && line[at + 1] == '/');
}

void c_repeat_lines(buf *text, size_t from) {
    static const char word[] = "#line ";
    buf made = {0};
    if (text->failed || text->size == from)
        return;
    const char *at = (const char *)text->data + from, *end = (const char *)text->data + text->size;
    const char *last = NULL;
    size_t last_length = 0;
    for (bool fresh = false; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = newline ? (size_t)(newline - at) : (size_t)(end - at);
        bool number = length > sizeof word && memcmp(at, word, sizeof word - 1) == 0;
        if (number) {
            last = at;
            last_length = length + 1;
        } else if (last && !fresh && is_code(at, length)) {
            buf_bytes(&made, last, last_length);
        }
        fresh = number;
        buf_bytes(&made, at, length + (newline != NULL));
        at += length + (newline != NULL);
    }
    if (last && !made.failed) {
        text->size = from;
        buf_bytes(text, made.data, made.size);
    }
    text->failed |= made.failed;
    buf_free(&made);
}
