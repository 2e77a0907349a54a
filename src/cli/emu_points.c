/* Breakpoints and watchpoints: parsing them, and whether one stops the run. */
#include "cli/emu_debug.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 128 };

bool emu_points_init(emu_points *points, const emu_texts *texts) {
    *points = (emu_points){.texts = texts};
    points->at = calloc((size_t)texts->count + 1, 1);
    return points->at != NULL;
}

void emu_points_free(emu_points *points) {
    free(points->at);
}

/* ---- Reading ---- */

static void *fail(char *error, size_t size, const char *what, const char *word) {
    snprintf(error, size, "%s%s", what, word);
    return NULL;
}

/* Takes the first word of *text and advances *text past it; false when there is none or it is too
 * long. */
static bool take_word(const char **text, char word[WORD]) {
    *text += strspn(*text, " \t");
    size_t length = strcspn(*text, " \t");
    if (length == 0 || length >= WORD)
        return false;
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    return true;
}

/* `if CONDITION`, or nothing. */
static bool take_condition(const emu_points *points, const char *text, emu_point *point,
                           char *error, size_t size) {
    char word[WORD], why[120];
    double value;
    const emu_lane any = {.texts = points->texts};
    if (!take_word(&text, word))
        return true;
    if (strcmp(word, "if") != 0)
        return fail(error, size, "expected 'if', not ", word);
    text += strspn(text, " \t");
    if (strlen(text) >= sizeof point->condition)
        return fail(error, size, "the condition is too long", "");
    if (!emu_evaluate(&any, text, &value, why, sizeof why))
        return fail(error, size, "the condition: ", why);
    memcpy(point->condition, text, strlen(text) + 1);
    return true;
}

static emu_point *add(emu_points *points, const emu_point *model, char *error, size_t size) {
    size_t slot = 0;
    while (slot < points->count && points->list[slot].number)
        slot++;
    if (slot == EMU_MAX_POINTS)
        return fail(error, size, "there are too many breakpoints and watchpoints", "");
    if (slot == points->count)
        points->count++;
    points->list[slot] = *model;
    points->list[slot].number = ++points->last;
    return &points->list[slot];
}

/* Adds a breakpoint to, or removes it from, the instructions it stops at. */
static void mark(const emu_points *points, const emu_point *point, int change) {
    const emu_texts *t = points->texts;
    for (uint32_t i = 0; i < t->count; i++) {
        bool here = point->line.line ? emu_line_begins(t, i, &point->line) : t->pcs[i] == point->pc;
        if (here)
            points->at[i] = (uint8_t)(points->at[i] + change);
    }
}

/* LINE or FILE:LINE */
static bool find_line(const emu_texts *t, char *word, emu_point *out) {
    char *colon = strrchr(word, ':');
    uint64_t number;
    if (!t->has_lines || !cli_number(colon ? colon + 1 : word, UINT32_MAX, &number))
        return false;
    if (colon)
        *colon = '\0';
    out->line = emu_line_with_code(t, colon ? word : NULL, (uint32_t)number);
    if (colon)
        *colon = ':';
    return true;
}

/* If lines are known, a decimal number is a line. */
static bool find_place(const emu_points *points, char *word, emu_point *out, char *error,
                       size_t size) {
    const emu_texts *t = points->texts;
    uint64_t number;
    bool hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
    *out = (emu_point){0};
    if ((hex || !t->has_lines) && cli_number(word, UINT32_MAX, &number)) {
        out->pc = (uint32_t)number;
        return emu_index_of(t, out->pc) < t->count ||
               fail(error, size, word, ": no instruction of the kernel starts there");
    }
    if (find_line(t, word, out))
        return out->line.line ||
               fail(error, size, word, ": the kernel has no code on that line or below");
    if (emu_label_place(t, word, &out->pc, &out->line))
        return true;
    return fail(error, size, word,
                t->has_lines ? ": neither an offset (0x10), a line nor a label of the kernel"
                             : ": neither an offset nor a label of the kernel");
}

emu_point *emu_add_break(emu_points *points, const char *text, char *error, size_t error_size) {
    char word[WORD];
    emu_point model;
    if (!take_word(&text, word))
        return fail(error, error_size, "expected a line, an offset (0x10) or a label", "");
    if (!find_place(points, word, &model, error, error_size) ||
        !take_condition(points, text, &model, error, error_size))
        return NULL;
    emu_point *added = add(points, &model, error, error_size);
    if (added)
        mark(points, added, 1);
    return added;
}

emu_point *emu_add_watch(emu_points *points, const char *text, char *error, size_t error_size) {
    static const char usage[] = "expected [local:]ADDRESS [BYTES] [if CONDITION], BYTES up to 64";
    char word[WORD];
    emu_point model = {.watch = true, .size = 4};
    uint64_t number;
    if (!take_word(&text, word))
        return fail(error, error_size, usage, "");
    model.local = strncmp(word, "local:", 6) == 0;
    if (!cli_number(word + (model.local ? 6 : 0), UINT32_MAX, &number))
        return fail(error, error_size, usage, "");
    model.address = (uint32_t)number;
    const char *rest = text;
    if (take_word(&rest, word) && cli_number(word, EMU_MAX_WATCHED, &number) && number > 0) {
        model.size = (uint32_t)number;
        text = rest;
    }
    if (!take_condition(points, text, &model, error, error_size))
        return NULL;
    emu_point *added = add(points, &model, error, error_size);
    points->watches |= added != NULL;
    return added;
}

static void drop(emu_points *points, emu_point *point) {
    if (!point->watch)
        mark(points, point, -1);
    point->number = 0;
    points->watches = false;
    for (size_t k = 0; k < points->count; k++)
        points->watches |= points->list[k].number && points->list[k].watch;
}

size_t emu_delete_points(emu_points *points, const char *text, char *error, size_t error_size) {
    char word[WORD];
    uint64_t number = 0;
    emu_point place = {0};
    size_t deleted = 0;
    if (!take_word(&text, word)) {
        fail(error, error_size, "expected the number of a point, its place, or all", "");
        return 0;
    }
    bool all = strcmp(word, "all") == 0;
    bool by_number = word[0] == '#' && cli_number(word + 1, UINT32_MAX, &number);
    if (!all && !by_number && !find_place(points, word, &place, error, error_size))
        return 0;
    for (size_t k = 0; k < points->count; k++) {
        emu_point *p = &points->list[k];
        bool same = !p->watch && (place.line.line ? emu_same_line(&p->line, &place.line)
                                                  : !p->line.line && p->pc == place.pc);
        if (p->number && (all || (by_number ? p->number == number : same))) {
            drop(points, p);
            deleted++;
        }
    }
    if (!deleted)
        fail(error, error_size, word, ": there is no such point");
    return deleted;
}

void emu_print_point(emu_texts *texts, const emu_point *point) {
    fprintf(stderr, "#%" PRIu32 " ", point->number);
    if (point->watch) {
        fprintf(stderr, "watch %s 0x%" PRIx32 ", %" PRIu32 " bytes",
                point->local ? "local" : "device", point->address, point->size);
    } else if (point->line.line) {
        fputs("break at ", stderr);
        cli_put_text(stderr, point->line.file, false);
        fprintf(stderr, ":%" PRIu32, point->line.line);
    } else {
        fputs("break at ", stderr);
        emu_put_place(stderr, texts, emu_index_of(texts, point->pc));
        fprintf(stderr, "PC=0x%03" PRIx32, point->pc);
    }
    fprintf(stderr, "%s%s\n", *point->condition ? " if " : "", point->condition);
}

/* ---- Stopping ---- */

/* The lanes for which the condition holds. */
static uint64_t matching_lanes(const emu_points *points, const emu_point *point,
                               const wave_step *step, uint64_t lanes) {
    uint64_t fit = 0;
    char why[120];
    if (!*point->condition)
        return lanes ? lanes : 1; /* a wave without executing lanes still passes the breakpoint */
    for (uint32_t lane = 0; lane < step->wave_width; lane++) {
        const emu_lane here = {points->texts, step, lane};
        double value;
        if (lanes >> lane & 1 && emu_evaluate(&here, point->condition, &value, why, sizeof why) &&
            value != 0)
            fit |= (uint64_t)1 << lane;
    }
    return fit;
}

const emu_point *emu_break_at(const emu_points *points, const wave_step *step, uint64_t *lanes) {
    if (step->index >= points->texts->count || !points->at[step->index])
        return NULL;
    for (size_t k = 0; k < points->count; k++) {
        const emu_point *p = &points->list[k];
        if (!p->number || p->watch)
            continue;
        bool here = p->line.line ? emu_line_begins(points->texts, step->index, &p->line)
                                 : p->pc == step->pc;
        if (here && (*lanes = matching_lanes(points, p, step, step->active)) != 0)
            return p;
    }
    return NULL;
}

void emu_note_access(emu_points *points, const wave_access *access) {
    if (!points->watches || access->kind == WAVE_LOAD || access->kind == WAVE_ATOMIC_LOAD)
        return;
    for (size_t k = 0; k < points->count; k++) {
        emu_point *p = &points->list[k];
        bool space = p->local == (access->space == WAVE_SPACE_LOCAL);
        if (p->number && p->watch && space && access->address < (uint64_t)p->address + p->size &&
            p->address < (uint64_t)access->address + access->bytes)
            p->writers |= (uint64_t)1 << (access->lane & 63);
    }
}

emu_point *emu_watch_hit(emu_points *points, const wave_step *step) {
    for (size_t k = 0; points->watches && k < points->count; k++) {
        emu_point *p = &points->list[k];
        uint64_t writers = p->writers;
        p->writers = 0;
        if (p->number && p->watch && writers && matching_lanes(points, p, step, writers)) {
            p->writers = writers;
            return p;
        }
    }
    return NULL;
}
