/* Diagnostics of the assembler: the source line made safe to print, severity under -W, and the
 * search for similar names. */
#include "asm/report.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_LINE = 400, LONGEST_MESSAGE = 320, LONGEST_WORD = 32 };

bool asm_will_show(const asm_reporter *reporter) {
    return diag_has_room(reporter->diags);
}

/* Copies the line with one '?' for each invalid byte, so that JSON stays valid and columns stay
 * correct. */
static size_t copy_line(char *to, const char *line, size_t length) {
    size_t used = 0;
    for (size_t i = 0; i < length && used < LONGEST_LINE;) {
        size_t step = text_sequence((const uint8_t *)line + i, length - i);
        if (used + step > LONGEST_LINE)
            break;
        if (step == 0 || line[i] == '\0') {
            to[used++] = '?';
            i++;
            continue;
        }
        memcpy(to + used, line + i, step);
        used += step;
        i += step;
    }
    return used;
}

/* The place and its line; `text` has room for LONGEST_LINE bytes. */
static void show_place(const asm_reporter *r, const asm_place *place, diag_place *where,
                       char *text) {
    const asm_source *source = &r->sources[place->file];
    const char *line = place->at - (place->column - 1);
    size_t left = (size_t)(source->text + source->size - line);
    size_t window = left < LONGEST_LINE + 4 ? left : LONGEST_LINE + 4;
    const char *newline = memchr(line, '\n', window);
    size_t length = newline ? (size_t)(newline - line) : window;
    if (length > 0 && line[length - 1] == '\r')
        length--;
    where->file = source->name;
    where->line = place->line;
    where->column = place->column;
    where->length = place->length;
    where->text = text;
    where->text_length = copy_line(text, line, length);
}

static void report(asm_reporter *r, wave_severity severity, diag_code code, const asm_place *place,
                   const char *hint, const char *format, va_list args) {
    if (severity == WAVE_ERROR)
        r->errors++;
    diag_place where = DIAG_NOWHERE;
    if (!asm_will_show(r)) {
        diag_report_as(r->diags, severity, code, &where, "%s", "");
        return;
    }
    char message[LONGEST_MESSAGE], text[LONGEST_LINE];
    vsnprintf(message, sizeof message, format, args);
    where.hint = hint;
    if (place)
        show_place(r, place, &where, text);
    diag_report_as(r->diags, severity, code, &where, "%s", message);
    if (r->relate)
        r->relate(r->relate_context, r->diags);
}

static void warn(asm_reporter *r, diag_code code, const asm_place *place, const char *hint,
                 const char *format, va_list args) {
    if (r->warnings != WAVE_WARN_NONE)
        report(r, r->warnings == WAVE_WARN_ERROR ? WAVE_ERROR : WAVE_WARNING, code, place, hint,
               format, args);
}

void asm_error(asm_reporter *reporter, diag_code code, const asm_place *place, const char *hint,
               const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(reporter, WAVE_ERROR, code, place, hint, format, args);
    va_end(args);
}

void asm_warning(asm_reporter *reporter, diag_code code, const asm_place *place, const char *hint,
                 const char *format, ...) {
    va_list args;
    va_start(args, format);
    warn(reporter, code, place, hint, format, args);
    va_end(args);
}

void asm_report(asm_reporter *reporter, bool error, diag_code code, const asm_place *place,
                const char *hint, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (error)
        report(reporter, WAVE_ERROR, code, place, hint, format, args);
    else
        warn(reporter, code, place, hint, format, args);
    va_end(args);
}

/* ---- Similar names ---- */

asm_suggestion asm_suggest(asm_reporter *reporter, const char *word, size_t length) {
    /* Short names are close to everything: about a third of the letters may differ. */
    unsigned limit = length <= 5 ? 2 : length <= 8 ? 3 : 4;
    if (!asm_will_show(reporter) || length > LONGEST_WORD)
        limit = 0;
    return (asm_suggestion){
        .word = word, .length = length, .limit = limit, .cells = &reporter->suggestion_cells};
}

static unsigned smaller(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static char lower(char c) {
    return (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

/* The edit distance from a to b (insert, delete, replace, transpose), case-insensitive: optimal
 * string alignment. Both are at most LONGEST_WORD long. */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    unsigned rows[3][LONGEST_WORD + 1];
    for (unsigned j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (unsigned j = 1; j <= b_length; j++) {
            unsigned cost = lower(a[i - 1]) != lower(b[j - 1]);
            now[j] = smaller(smaller(last[j], now[j - 1]) + 1, last[j - 1] + cost);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                now[j] = smaller(now[j], before[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

static uint32_t letters(const char *word, size_t length) {
    uint32_t set = 0;
    for (size_t i = 0; i < length; i++)
        set |= UINT32_C(1) << (word[i] & 31);
    return set;
}

/* A cheap lower bound of the edit distance: an edit changes at most two letters of the sets. */
static unsigned least_distance(const asm_suggestion *s, const char *candidate, size_t length) {
    unsigned differing = 0;
    for (uint32_t set = letters(s->word, s->length) ^ letters(candidate, length); set; differing++)
        set &= set - 1;
    return (differing + 1) / 2;
}

void asm_suggest_try(asm_suggestion *s, const char *candidate, size_t length) {
    size_t apart = length < s->length ? s->length - length : length - s->length;
    uint64_t cells = (uint64_t)(s->length + 1) * (length + 1);
    if (apart >= s->limit || length > LONGEST_WORD || cells > *s->cells ||
        least_distance(s, candidate, length) >= s->limit)
        return;
    *s->cells -= cells;
    unsigned edits = distance(s->word, s->length, candidate, length);
    if (edits >= s->limit || edits >= length)
        return;
    s->limit = edits;
    s->best = candidate;
    s->best_length = length;
}

const char *asm_suggest_hint(const asm_suggestion *s, char hint[ASM_HINT_SIZE],
                             const char *otherwise) {
    if (!s->best)
        return otherwise;
    snprintf(hint, ASM_HINT_SIZE, "did you mean '%.*s'?", (int)s->best_length, s->best);
    return hint;
}
