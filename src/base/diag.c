/* The bounded list of diagnostics and its two renderings, text like a C compiler's and JSON. */
#include "base/diag.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    wave_severity severity;
    const char *hint;
} codes[DIAG_CODE_COUNT] = {
#define DIAG(code, severity, hint) {#code, WAVE_##severity, hint},
#include "base/diag_codes.def"
#undef DIAG
};

enum { DEFAULT_LIMIT = 100, LONGEST_TEXT = 400 };

const char *diag_code_name(diag_code code) {
    return codes[code].name;
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
    diags->total[severity]++;
    diags->out_of_memory += code == DIAG_E_MEMORY;
    if (!diag_has_room(diags))
        return;
    wave_diag *slot = next_slot(diags);
    if (!slot)
        return;
    buf message = {0};
    buf_vprintf(&message, format, args);
    const char *hint = place->hint ? place->hint : codes[code].hint;
    size_t text_length = place->text_length < LONGEST_TEXT ? place->text_length : LONGEST_TEXT;
    *slot = (wave_diag){
        .severity = severity,
        .code = codes[code].name,
        .kernel = copy(diags, place->kernel),
        .offset = place->offset,
        .file = copy(diags, place->file),
        .line = place->line,
        .column = place->column,
        .length = place->length,
        .message = arena_text(&diags->memory, (const char *)message.data, message.size),
        .text = place->text ? arena_text(&diags->memory, place->text, text_length) : NULL,
        .hint = copy(diags, hint),
        .chain = copy(diags, place->chain)};
    if (slot->message && !message.failed)
        diags->count++;
    buf_free(&message);
}

void diag_report(wave_diags *diags, diag_code code, const diag_place *place, const char *format,
                 ...) {
    va_list args;
    va_start(args, format);
    keep(diags, codes[code].severity, code, place, format, args);
    va_end(args);
}

void diag_report_as(wave_diags *diags, wave_severity severity, diag_code code,
                    const diag_place *place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    keep(diags, severity, code, place, format, args);
    va_end(args);
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

/* ---- Rendering ---- */

typedef struct palette {
    const char *bold, *error, *warning, *hint, *reset;
} palette;

static void format_place(buf *out, const char *input, const wave_diag *d) {
    text_visible(out, d->file ? d->file : input);
    if (d->line) {
        buf_printf(out, ":%u:%u", d->line, d->column);
    } else if (d->kernel) {
        buf_char(out, ':');
        text_visible(out, *d->kernel ? d->kernel : "(anonymous)");
        if (d->offset >= 0)
            buf_printf(out, "+0x%02llx", (unsigned long long)d->offset);
    } else if (d->offset >= 0) {
        buf_printf(out, ":0x%02llx", (unsigned long long)d->offset);
    }
}

/* A source line, byte for byte, so that carets under it are right: a ? for what is hidden. */
static void format_source(buf *out, const char *text) {
    const uint8_t *s = (const uint8_t *)text, *end = s + strlen(text);
    for (size_t n; s < end; s += n) {
        uint32_t code;
        bool hidden;
        n = text_next(s, (size_t)(end - s), &code, &hidden);
        if (hidden && code != '\t')
            buf_fill(out, '?', n);
        else
            buf_bytes(out, s, n);
    }
}

/* The line of carets under a source line; tabs are repeated so that it lines up. */
static void format_carets(buf *out, const wave_diag *d, const palette *c) {
    size_t width = strlen(d->text);
    if (!d->line || d->column == 0 || d->column > width + 1)
        return;
    buf_text(out, "    ");
    for (size_t i = 0; i + 1 < d->column; i++)
        buf_char(out, d->text[i] == '\t' ? '\t' : ' ');
    buf_printf(out, "%s^", c->hint);
    size_t rest = width + 1 - d->column;
    for (size_t i = 1; i < d->length && i < rest; i++)
        buf_char(out, '~');
    buf_printf(out, "%s\n", c->reset);
}

static void format_text(buf *out, const char *input, const wave_diag *d, const palette *c) {
    bool error = d->severity == WAVE_ERROR;
    buf_text(out, c->bold);
    format_place(out, input, d);
    buf_printf(out, ": %s%s:%s %s: ", error ? c->error : c->warning, error ? "error" : "warning",
               c->reset, d->code);
    text_visible(out, d->message);
    buf_char(out, '\n');
    if (d->text) {
        buf_text(out, "    ");
        format_source(out, d->text);
        buf_char(out, '\n');
        format_carets(out, d, c);
    }
    for (const char *at = d->chain; at && *at;) {
        const char *end = at + strcspn(at, "\n");
        buf_text(out, "    ");
        buf_bytes(out, at, (size_t)(end - at));
        buf_char(out, '\n');
        at = *end ? end + 1 : end;
    }
    if (d->hint)
        buf_printf(out, "    %shint:%s ", c->hint, c->reset);
    text_visible(out, d->hint ? d->hint : "");
    buf_text(out, d->hint ? "\n" : "");
}

static void format_json(buf *out, const char *input, const wave_diag *d) {
    buf_text(out, "{\"file\":");
    buf_json_string(out, d->file ? d->file : input);
    buf_printf(out, ",\"severity\":\"%s\",\"code\":\"%s\",\"message\":",
               d->severity == WAVE_ERROR ? "error" : "warning", d->code);
    buf_json_string(out, d->message);
    if (d->kernel) {
        buf_text(out, ",\"kernel\":");
        buf_json_string(out, d->kernel);
    }
    if (d->offset >= 0)
        buf_printf(out, ",\"offset\":%lld", (long long)d->offset);
    if (d->line)
        buf_printf(out, ",\"line\":%u,\"column\":%u,\"length\":%u", d->line, d->column, d->length);
    if (d->text) {
        buf_text(out, ",\"text\":");
        buf_json_string(out, d->text);
    }
    if (d->hint) {
        buf_text(out, ",\"hint\":");
        buf_json_string(out, d->hint);
    }
    if (d->chain) {
        buf_text(out, ",\"chain\":");
        buf_json_string(out, d->chain);
    }
    buf_char(out, '}');
}

static size_t not_kept(const wave_diags *diags) {
    return diags->total[0] + diags->total[1] - diags->count;
}

static void format_all_json(buf *out, const wave_diags *diags, const char *input) {
    buf_text(out, "{\"diagnostics\":[");
    for (size_t i = 0; i < diags->count; i++) {
        buf_text(out, i ? ",\n" : "\n");
        format_json(out, input, &diags->list[i]);
    }
    buf_printf(out, "],\n\"errors\":%zu,\"warnings\":%zu,\"not_shown\":%zu}\n",
               diags->total[WAVE_ERROR], diags->total[WAVE_WARNING], not_kept(diags));
}

wave_status wave_diags_format(const wave_diags *diags, const char *input, wave_diag_style style,
                              wave_blob *out) {
    static const palette plain = {"", "", "", "", ""};
    static const palette ansi = {"\033[1m", "\033[1;31m", "\033[1;35m", "\033[32m", "\033[0m"};
    buf text = {0};
    if (style == WAVE_DIAG_JSON) {
        format_all_json(&text, diags, input);
        return buf_take(&text, out);
    }
    for (size_t i = 0; i < diags->count; i++)
        format_text(&text, input, &diags->list[i], style == WAVE_DIAG_COLOR ? &ansi : &plain);
    if (not_kept(diags)) {
        text_visible(&text, input);
        buf_printf(&text, ": %zu more not shown\n", not_kept(diags));
    }
    return buf_take(&text, out);
}
