/* Delta debugging (Zeller and Hildebrandt 2002) on the lines of a `.wave` file. Every step proposes
 * a smaller text and keeps it when the test still succeeds: it removes runs of lines, unwraps ifs
 * and loops around their bodies, drops guards, replaces instructions by constants, and shrinks
 * constants and the launch. Steps repeat until none of them helps. */
#include "gen/reduce.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct line {
    char *text; /* without indentation and newline; owned */
    bool gone;
} line;

typedef struct reduction {
    line *lines;
    size_t count;
    reduce_question *ask;
    void *user;
    unsigned questions;
} reduction;

/* ---- Text ---- */

char *reduce_copy(const char *text, size_t size) {
    char *copy = malloc(size + 1);
    if (!copy)
        abort();
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

static bool starts(const char *text, const char *word) {
    size_t n = strlen(word);
    return strncmp(text, word, n) == 0 && (!text[n] || text[n] == ' ' || text[n] == ':');
}

static bool is_code(const line *l) {
    return !l->gone && l->text[0] && l->text[0] != ';' && l->text[0] != '.';
}

static void split(reduction *r, const char *text, size_t size) {
    bool dropping = false;
    r->lines = calloc(size + 1, sizeof *r->lines);
    if (!r->lines)
        abort();
    for (size_t k = 0; k < size;) {
        size_t end = k;
        while (end < size && text[end] != '\n')
            end++;
        while (k < end && text[k] == ' ')
            k++;
        char *copy = reduce_copy(text + k, end - k);
        bool more = strncmp(copy, ";@ +", 4) == 0;
        dropping = more ? dropping : strncmp(copy, ";@ expect", 9) == 0;
        if (dropping || !*copy)
            free(copy);
        else
            r->lines[r->count++].text = copy;
        k = end + 1;
    }
}

static char *join(const reduction *r, size_t *size) {
    size_t room = 1;
    for (size_t k = 0; k < r->count; k++)
        room += strlen(r->lines[k].text) + 6;
    char *text = malloc(room);
    if (!text)
        abort();
    *size = 0;
    for (size_t k = 0; k < r->count; k++)
        if (!r->lines[k].gone)
            *size += (size_t)sprintf(text + *size, "%s%s\n", is_code(&r->lines[k]) ? "    " : "",
                                     r->lines[k].text);
    return text;
}

static bool ask(reduction *r) {
    size_t size;
    char *text = join(r, &size);
    bool yes = r->ask(r->user, text, size);
    r->questions++;
    free(text);
    return yes;
}

/* Tries another text for a line. Takes ownership of the text. */
static bool try_text(reduction *r, size_t k, char *text) {
    char *old = r->lines[k].text;
    if (strcmp(old, text) == 0) {
        free(text);
        return false;
    }
    r->lines[k].text = text;
    if (ask(r)) {
        free(old);
        return true;
    }
    free(text);
    r->lines[k].text = old;
    return false;
}

/* ---- Lines ---- */

/* Tries to remove the lines of `chosen` (indices) from `from` on together. */
static bool try_without(reduction *r, const size_t *chosen, size_t count) {
    for (size_t k = 0; k < count; k++)
        r->lines[chosen[k]].gone = true;
    if (ask(r))
        return true;
    for (size_t k = 0; k < count; k++)
        r->lines[chosen[k]].gone = false;
    return false;
}

static size_t code_lines(const reduction *r, size_t *chosen) {
    size_t count = 0;
    for (size_t k = 0; k < r->count; k++)
        if (is_code(&r->lines[k]))
            chosen[count++] = k;
    return count;
}

/* Removes runs of code lines, long ones first, from the end: uses of a value are removed before its
 * definition. */
static bool drop_runs(reduction *r) {
    size_t *chosen = calloc(r->count + 1, sizeof *chosen);
    bool changed = false;
    if (!chosen)
        abort();
    for (size_t length = code_lines(r, chosen) / 2; length > 0; length /= 2) {
        size_t count = code_lines(r, chosen);
        for (size_t end = count; end > 0;) {
            size_t begin = end > length ? end - length : 0;
            changed |= try_without(r, chosen + begin, end - begin);
            end = begin;
        }
    }
    free(chosen);
    return changed;
}

/* Finds the line that closes what line k opens, and the else between them or the same line. */
static size_t closing(const reduction *r, size_t k, size_t *middle) {
    unsigned depth = 0;
    *middle = 0;
    for (size_t at = k; at < r->count; at++) {
        const char *text = r->lines[at].text;
        if (r->lines[at].gone)
            continue;
        if (starts(text, "if") || starts(text, "loop"))
            depth++;
        else if (starts(text, "else") && depth == 1)
            *middle = at;
        else if ((starts(text, "endif") || starts(text, "endloop")) && --depth == 0)
            return at;
    }
    return 0;
}

static bool drop_range(reduction *r, size_t from, size_t to, const size_t *others, size_t count) {
    size_t *chosen = calloc(to - from + 1 + count, sizeof *chosen), used = 0;
    if (!chosen)
        abort();
    for (size_t k = from; k < to; k++)
        if (!r->lines[k].gone)
            chosen[used++] = k;
    for (size_t k = 0; k < count; k++)
        if (!r->lines[others[k]].gone)
            chosen[used++] = others[k];
    bool changed = used && try_without(r, chosen, used);
    free(chosen);
    return changed;
}

/* The jumps out of the loop that begins at line k, but not those of nested loops. */
static size_t jumps_of(const reduction *r, size_t k, size_t end, size_t *jumps) {
    unsigned depth = 0;
    size_t count = 0;
    for (size_t at = k; at < end; at++) {
        const char *text = r->lines[at].text;
        if (r->lines[at].gone)
            continue;
        depth += starts(text, "loop");
        depth -= starts(text, "endloop");
        bool jump = strstr(text, "break ") || strstr(text, "continue ");
        if (jump && depth == 1)
            jumps[count++] = at;
    }
    return count;
}

static bool unwrap_loop(reduction *r, size_t k, size_t end) {
    size_t *jumps = calloc(end - k + 2, sizeof *jumps);
    if (!jumps)
        abort();
    size_t count = jumps_of(r, k, end, jumps);
    jumps[count++] = end;
    bool changed = drop_range(r, k, k + 1, jumps, count);
    free(jumps);
    return changed;
}

/* Removes an if or loop entirely, or unwraps its body; removes an else side with its else. */
static bool unwrap(reduction *r, size_t k) {
    size_t middle, end = closing(r, k, &middle);
    if (!end)
        return false;
    if (drop_range(r, k, end + 1, NULL, 0))
        return true;
    if (starts(r->lines[k].text, "loop"))
        return unwrap_loop(r, k, end);
    if (!middle)
        return drop_range(r, k, k + 1, (size_t[]){end}, 1);
    return drop_range(r, middle, end + 1, (size_t[]){k}, 1) ||
           drop_range(r, k, middle + 1, (size_t[]){end}, 1) || drop_range(r, middle, end, NULL, 0);
}

static bool unwrap_all(reduction *r) {
    bool changed = false;
    for (size_t k = 0; k < r->count; k++)
        if (is_code(&r->lines[k]) &&
            (starts(r->lines[k].text, "if") || starts(r->lines[k].text, "loop")))
            changed |= unwrap(r, k);
    return changed;
}

/* Removes a label with everything up to the next one. */
static bool drop_functions(reduction *r) {
    bool changed = false;
    for (size_t k = 0; k < r->count; k++) {
        size_t end = k + 1;
        if (!is_code(&r->lines[k]) || !strchr(r->lines[k].text, ':'))
            continue;
        while (end < r->count && !strchr(r->lines[end].text, ':') &&
               strcmp(r->lines[end].text, ".end") != 0)
            end++;
        changed |= drop_range(r, k, end, NULL, 0);
    }
    return changed;
}

/* ---- Instructions ---- */

static bool drop_guard(reduction *r, size_t k) {
    const char *text = r->lines[k].text, *blank = strchr(text, ' ');
    return text[0] == '@' && blank && try_text(r, k, reduce_copy(blank + 1, strlen(blank + 1)));
}

/* Replaces "op rD, …" by a constant, which has no operands. */
static bool make_constant(reduction *r, size_t k) {
    static const char *const values[] = {"0", "1"};
    const char *text = r->lines[k].text;
    char reg[16], next[64];
    if (starts(text, "mov_imm") || strstr(text, "store") || strstr(text, "mma") ||
        sscanf(text, "%*s %15[r0-9],", reg) != 1 || reg[0] != 'r')
        return false;
    for (size_t v = 0; v < 2; v++) {
        snprintf(next, sizeof next, "mov_imm %s, %s", reg, values[v]);
        if (try_text(r, k, reduce_copy(next, strlen(next))))
            return true;
    }
    return false;
}

/* Replaces "op rD, …, rS" by a copy of one of its sources. */
static bool make_copy(reduction *r, size_t k) {
    const char *text = r->lines[k].text;
    char to[16], next[64];
    if (starts(text, "mov") || strstr(text, "store") || strstr(text, "mma") ||
        sscanf(text, "%*s %15[r0-9],", to) != 1 || to[0] != 'r')
        return false;
    for (const char *at = strchr(text, ','); at; at = strchr(at + 1, ',')) {
        char from[16];
        if (sscanf(at, ", %15[r0-9]", from) != 1 || from[0] != 'r')
            continue;
        snprintf(next, sizeof next, "mov %s, %s", to, from);
        if (try_text(r, k, reduce_copy(next, strlen(next))))
            return true;
    }
    return false;
}

/* The text with one register renamed; NULL: the register does not occur in it. */
static char *renamed(const char *text, const char *from, const char *to) {
    size_t length = strlen(from), used = 0;
    char *out = NULL;
    for (const char *at = text; *at;) {
        bool word = at > text && (at[-1] == ' ' || at[-1] == ',') &&
                    strncmp(at, from, length) == 0 && !isdigit((unsigned char)at[length]);
        if (word && !out) {
            out = malloc(strlen(text) * 4 + 1);
            if (!out)
                abort();
            used = (size_t)(at - text);
            memcpy(out, text, used);
        }
        if (word) {
            used += (size_t)sprintf(out + used, "%s", to);
            at += length;
        } else {
            if (out)
                out[used++] = *at;
            at++;
        }
    }
    if (out)
        out[used] = '\0';
    return out;
}

/* Copy propagation: removes "mov rA, rB" when every later rA may be rB. */
static bool forward_copy(reduction *r, size_t k) {
    char to[16], from[16];
    if (sscanf(r->lines[k].text, "mov %15[r0-9], %15[r0-9]", to, from) != 2)
        return false;
    line *old = calloc(r->count, sizeof *old);
    if (!old)
        abort();
    for (size_t at = 0; at < r->count; at++) {
        old[at] = r->lines[at];
        char *next = at > k && is_code(&old[at]) ? renamed(old[at].text, to, from) : NULL;
        if (next)
            r->lines[at].text = next;
    }
    r->lines[k].gone = true;
    bool changed = ask(r);
    for (size_t at = 0; at < r->count; at++) {
        if (r->lines[at].text != old[at].text)
            free(changed ? old[at].text : r->lines[at].text);
        if (!changed)
            r->lines[at] = old[at];
    }
    free(old);
    return changed;
}

/* Tries smaller constants for mov_imm. */
static bool shrink_constant(reduction *r, size_t k) {
    unsigned reg;
    char digits[32], next[64];
    bool changed = false;
    if (sscanf(r->lines[k].text, "mov_imm r%u, %31s", &reg, digits) != 2)
        return false;
    unsigned long long value = strtoull(digits, NULL, 0);
    const unsigned long long smaller[] = {0, 1, 4, value / 2, value - 1};
    for (size_t v = 0; v < sizeof smaller / sizeof *smaller && !changed; v++) {
        snprintf(next, sizeof next, "mov_imm r%u, %llu", reg, smaller[v]);
        changed = smaller[v] < value && value - smaller[v] > (v == 4 ? 0u : 1u) &&
                  try_text(r, k, reduce_copy(next, strlen(next)));
    }
    return changed;
}

static bool simplify(reduction *r) {
    bool changed = false;
    for (size_t k = 0; k < r->count; k++) {
        if (!is_code(&r->lines[k]))
            continue;
        changed |= drop_guard(r, k);
        changed |= make_constant(r, k) || make_copy(r, k);
        if (forward_copy(r, k)) {
            changed = true;
            continue;
        }
        for (unsigned tries = 0; tries < 40 && shrink_constant(r, k); tries++)
            changed = true;
    }
    return changed;
}

/* ---- The launch ---- */

/* Makes one number of the line smaller and keeps the others. */
static bool shrink_number(reduction *r, size_t k, size_t at, unsigned long value) {
    const char *text = r->lines[k].text;
    size_t digits = strspn(text + at, "0123456789");
    char *next = malloc(strlen(text) + 24);
    if (!next)
        abort();
    sprintf(next, "%.*s%lu%s", (int)at, text, value, text + at + digits);
    return try_text(r, k, next);
}

static bool shrink_numbers(reduction *r, size_t k) {
    bool changed = false;
    size_t at = strcspn(r->lines[k].text, "0123456789");
    while (r->lines[k].text[at]) {
        unsigned long value = strtoul(r->lines[k].text + at, NULL, 10);
        if (value > 1 && (shrink_number(r, k, at, 1) || shrink_number(r, k, at, value / 2) ||
                          shrink_number(r, k, at, value - 1)))
            changed = true;
        else
            at += strspn(r->lines[k].text + at, "0123456789");
        at += strcspn(r->lines[k].text + at, "0123456789");
    }
    return changed;
}

/* Removes an unneeded buffer: drops its line, and passes 0 for its address. */
static bool drop_buffer(reduction *r, size_t k) {
    char name[40], *args = NULL;
    size_t at = 0;
    if (sscanf(r->lines[k].text, ";@ buffer %39s", name) != 1)
        return false;
    for (size_t n = 0; n < r->count; n++)
        if (strncmp(r->lines[n].text, ";@ args", 7) == 0)
            at = n;
    char *rest = at ? reduce_copy(r->lines[at].text, strlen(r->lines[at].text)) : NULL;
    for (char *found = rest; found && (found = strstr(found, name)); found++)
        if (found[-1] == ' ' && (found[strlen(name)] == ' ' || !found[strlen(name)])) {
            args = malloc(strlen(rest) + 2);
            if (!args)
                abort();
            sprintf(args, "%.*s0%s", (int)(found - rest), rest, found + strlen(name));
            break;
        }
    free(rest);
    if (!args)
        return false;
    r->lines[k].gone = true;
    bool changed = try_text(r, at, args);
    r->lines[k].gone = changed;
    return changed;
}

static bool shrink_launch(reduction *r) {
    bool changed = false;
    for (size_t k = 0; k < r->count; k++) {
        const line *l = &r->lines[k];
        if (l->gone)
            continue;
        bool sizes = strncmp(l->text, ";@ grid", 7) == 0 || strncmp(l->text, ";@ group", 8) == 0 ||
                     starts(l->text, ".workgroup_size") || starts(l->text, ".local_memory") ||
                     starts(l->text, ".registers");
        if (sizes)
            changed |= shrink_numbers(r, k);
        else if (strncmp(l->text, ";@ buffer", 9) == 0)
            changed |= drop_buffer(r, k);
        else if (strncmp(l->text, ";@ args", 7) == 0 || strncmp(l->text, ";@ allow", 8) == 0)
            changed |= drop_range(r, k, k + 1, NULL, 0);
    }
    return changed;
}

/* ---- The reduction ---- */

char *reduce_text(const char *text, size_t size, reduce_question *question, void *user,
                  reduce_figures *figures) {
    reduction r = {.ask = question, .user = user};
    split(&r, text, size);
    if (!ask(&r)) { /* the dropped expectations matter */
        for (size_t k = 0; k < r.count; k++)
            free(r.lines[k].text);
        free(r.lines);
        *figures = (reduce_figures){r.questions, 0};
        return reduce_copy(text, size);
    }
    shrink_launch(&r); /* first, because it makes the remaining tests faster */
    for (bool changed = true; changed;) {
        changed = drop_functions(&r);
        changed |= drop_runs(&r);
        changed |= unwrap_all(&r);
        changed |= simplify(&r);
        changed |= shrink_launch(&r);
    }
    size_t used;
    char *out = join(&r, &used);
    *figures = (reduce_figures){.questions = r.questions};
    for (size_t k = 0; k < r.count; k++) {
        figures->instructions += is_code(&r.lines[k]) && !strchr(r.lines[k].text, ':');
        free(r.lines[k].text);
    }
    free(r.lines);
    return out;
}
