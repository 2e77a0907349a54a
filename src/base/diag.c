/* The bounded list of diagnostics. diag_format.c prints it. */
#include "base/diag.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* All texts form one block, to which offsets refer: a table of pointers would have to be relocated
 * whenever a program starts. */
static const struct texts {
#define DIAG(code, severity, hint) char code[sizeof #code], of_##code[sizeof(hint)];
#include "base/diag_codes.def"
#undef DIAG
} texts = {
#define DIAG(code, severity, hint) #code, hint,
#include "base/diag_codes.def"
#undef DIAG
};

static const struct {
    uint16_t name, hint; /* where they begin */
    uint8_t severity;
} codes[DIAG_CODE_COUNT] = {
#define DIAG(code, severity, hint)                                                                 \
    {offsetof(struct texts, code), offsetof(struct texts, of_##code), WAVE_##severity},
#include "base/diag_codes.def"
#undef DIAG
};
_Static_assert(sizeof texts <= UINT16_MAX, "offsets of 16 bits reach all texts");

enum { DEFAULT_LIMIT = 100 };

const char *diag_code_name(diag_code code) {
    return (const char *)&texts + codes[code].name;
}

/* NULL: the code has no hint. */
static const char *hint_of(diag_code code) {
    const char *hint = (const char *)&texts + codes[code].hint;
    return *hint ? hint : NULL;
}

wave_diags *wave_diags_create(size_t limit) {
    wave_diags *diags = calloc(1, sizeof *diags);
    if (diags)
        diags->limit = limit ? limit : DEFAULT_LIMIT;
    return diags;
}

void wave_diags_destroy(wave_diags *diags) {
    if (!diags)
        return;
    arena_free(&diags->memory);
    free(diags->list);
    free(diags);
}

size_t wave_diags_count(const wave_diags *diags) {
    return diags->count;
}

const wave_diag *wave_diags_at(const wave_diags *diags, size_t index) {
    return index < diags->count ? &diags->list[index] : NULL;
}

void wave_diags_read_lines(wave_diags *diags, wave_read_line read, void *user) {
    diags->read_line = read;
    diags->read_user = user;
}

size_t wave_diags_total(const wave_diags *diags, wave_severity severity) {
    return diags->total[severity];
}

bool diag_has_room(const wave_diags *diags) {
    return diags && diags->count < diags->limit;
}

static wave_diag *next_slot(wave_diags *diags) {
    if (diags->count == diags->capacity) {
        size_t capacity = diags->capacity ? diags->capacity * 2 : 8;
        wave_diag *list = realloc(diags->list, capacity * sizeof *list);
        if (!list)
            return NULL;
        diags->list = list;
        diags->capacity = capacity;
    }
    return &diags->list[diags->count];
}

static const char *copy(wave_diags *diags, const char *text) {
    return text ? arena_text(&diags->memory, text, strlen(text)) : NULL;
}

static void keep(wave_diags *diags, wave_severity severity, diag_code code, const diag_place *place,
                 const char *format, va_list args) {
    if (!diags)
        return;
    diags->last_kept = false;
    diags->total[severity]++;
    diags->out_of_memory += code == DIAG_E_MEMORY;
    if (!diag_has_room(diags))
        return;
    wave_diag *slot = next_slot(diags);
    if (!slot)
        return;
    buf message = {0};
    buf_vprintf(&message, format, args);
    const char *hint = place->hint ? place->hint : hint_of(code);
    size_t text_length =
        place->text_length < DIAG_LONGEST_TEXT ? place->text_length : DIAG_LONGEST_TEXT;
    *slot = (wave_diag){
        .severity = severity,
        .code = diag_code_name(code),
        .kernel = copy(diags, place->kernel),
        .offset = place->offset,
        .file = copy(diags, place->file),
        .line = place->line,
        .column = place->column,
        .length = place->length,
        .message = arena_text(&diags->memory, (const char *)message.data, message.size),
        .text = place->text ? arena_text(&diags->memory, place->text, text_length) : NULL,
        .hint = copy(diags, hint)};
    if (slot->message && !message.failed) {
        diags->count++;
        diags->last_kept = true;
    }
    buf_free(&message);
}

void diag_report(wave_diags *diags, diag_code code, const diag_place *place, const char *format,
                 ...) {
    va_list args;
    va_start(args, format);
    keep(diags, (wave_severity)codes[code].severity, code, place, format, args);
    va_end(args);
}

void diag_report_as(wave_diags *diags, wave_severity severity, diag_code code,
                    const diag_place *place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    keep(diags, severity, code, place, format, args);
    va_end(args);
}

void diag_relate(wave_diags *diags, const diag_place *place, const char *format, ...) {
    if (!diags || !diags->last_kept)
        return;
    wave_diag *d = &diags->list[diags->count - 1];
    wave_related *list = (wave_related *)d->related;
    if (!list)
        list = arena_alloc(&diags->memory, DIAG_MAX_RELATED * sizeof *list);
    if (!list || d->related_count == DIAG_MAX_RELATED)
        return;
    buf message = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&message, format, args);
    va_end(args);
    wave_related *slot = &list[d->related_count];
    *slot = (wave_related){
        .file = copy(diags, place->file),
        .line = place->line,
        .column = place->column,
        .offset = place->offset,
        .message = arena_text(&diags->memory, (const char *)message.data, message.size)};
    d->related = list;
    if (slot->message && !message.failed)
        d->related_count++;
    buf_free(&message);
}

wave_diags *diag_begin(diag_scope *scope, wave_diags *diags) {
    scope->counter = (wave_diags){0};
    scope->diags = diags ? diags : &scope->counter;
    scope->before = scope->diags->out_of_memory;
    return scope->diags;
}

wave_status diag_end(const diag_scope *scope, wave_status status) {
    bool memory = scope->diags->out_of_memory > scope->before;
    return status == WAVE_ERROR_INPUT && memory ? WAVE_ERROR_MEMORY : status;
}
