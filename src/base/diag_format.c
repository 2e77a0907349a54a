/* Diagnostics as text in the style of a C compiler, and as JSON. */
#include "base/diag.h"
#include "base/place.h"
#include "base/text.h"

#include <string.h>

/* ---- Text ---- */

typedef struct palette {
    const char *bold, *error, *warning, *hint, *reset;
} palette;

static place place_of(const char *input, const wave_diag *d) {
    return (place){.input = input,
                   .file = d->file,
                   .line = d->line,
                   .column = d->column,
                   .kernel = d->kernel,
                   .offset = d->offset};
}

static place related_place(const char *input, const wave_diag *d, const wave_related *r) {
    return (place){.input = input,
                   .file = r->file,
                   .line = r->line,
                   .column = r->column,
                   .kernel = r->offset >= 0 ? d->kernel : NULL,
                   .offset = r->offset};
}

/* The source line of a place; false when it is not available. */
static bool source_line(const wave_diags *diags, const place *p, const char **text,
                        size_t *length) {
    return p->line && diags->read_line &&
           diags->read_line(diags->read_user, place_file(p), p->line, text, length);
}

/* A source line, byte for byte so that carets line up; each byte of a hidden character prints as
 * ?. */
static void format_source(buf *out, const char *text, size_t length) {
    const uint8_t *s = (const uint8_t *)text;
    const uint8_t *end = s + (length < DIAG_LONGEST_TEXT ? length : DIAG_LONGEST_TEXT);
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
static void format_carets(buf *out, const wave_diag *d, const char *text, size_t width,
                          const palette *c) {
    if (d->kernel || !d->line || d->column == 0 || d->column > width + 1)
        return;
    buf_text(out, "    ");
    for (size_t i = 0; i + 1 < d->column; i++)
        buf_char(out, text[i] == '\t' ? '\t' : ' ');
    buf_printf(out, "%s^", c->hint);
    size_t rest = width + 1 - d->column;
    for (size_t i = 1; i < d->length && i < rest; i++)
        buf_char(out, '~');
    buf_printf(out, "%s\n", c->reset);
}

static void format_line(buf *out, const wave_diags *diags, const wave_diag *d, const place *p,
                        const palette *c) {
    const char *text;
    size_t length;
    if (!source_line(diags, p, &text, &length))
        return;
    buf_text(out, "    ");
    format_source(out, text, length);
    buf_char(out, '\n');
    if (d)
        format_carets(out, d, text, length, c);
}

/* The text at the place: the source line, and the instruction when the place is in a kernel. */
static void format_what(buf *out, const wave_diags *diags, const wave_diag *d, const place *p,
                        const palette *c) {
    if (d->kernel || !d->text)
        format_line(out, diags, d, p, c);
    bool tail = p->line && p->kernel;
    if (!d->text && !tail)
        return;
    buf_text(out, "    ");
    place_tail(out, p);
    if (tail && d->text)
        buf_text(out, ": ");
    if (d->text)
        format_source(out, d->text, strlen(d->text));
    buf_char(out, '\n');
    if (d->text)
        format_carets(out, d, d->text, strlen(d->text), c);
}

static void format_related(buf *out, const wave_diags *diags, const char *input, const wave_diag *d,
                           const palette *c) {
    for (size_t k = 0; k < d->related_count; k++) {
        const place p = related_place(input, d, &d->related[k]);
        if (!p.line)
            continue; /* the message already contains the place */
        buf_text(out, "  ");
        buf_text(out, c->bold);
        place_text(out, &p);
        buf_printf(out, ":%s ", c->reset);
        text_visible(out, d->related[k].message);
        buf_char(out, '\n');
        format_line(out, diags, NULL, &p, c);
    }
}

static void format_text(buf *out, const wave_diags *diags, const char *input, const wave_diag *d,
                        const palette *c) {
    bool error = d->severity == WAVE_ERROR;
    const place p = place_of(input, d);
    buf_text(out, c->bold);
    place_head(out, &p);
    buf_printf(out, ": %s%s:%s %s: ", error ? c->error : c->warning, error ? "error" : "warning",
               c->reset, d->code);
    text_visible(out, d->message);
    buf_char(out, '\n');
    format_what(out, diags, d, &p, c);
    format_related(out, diags, input, d, c);
    if (d->hint)
        buf_printf(out, "    %shint:%s ", c->hint, c->reset);
    text_visible(out, d->hint ? d->hint : "");
    buf_text(out, d->hint ? "\n" : "");
}

/* ---- JSON ---- */

static void json_text(buf *out, const char *name, const char *text) {
    if (!text)
        return;
    buf_printf(out, ",\"%s\":", name);
    buf_json_string(out, text);
}

/* File, line, columns and source line of a place. Columns count bytes from 1; end_column is the
 * first column after the range. */
static void json_place(buf *out, const wave_diags *diags, const place *p, uint32_t length,
                       bool source) {
    const char *text;
    size_t size;
    buf_text(out, "\"file\":");
    buf_json_string(out, place_file(p));
    if (p->line)
        buf_printf(out, ",\"line\":%u", p->line);
    if (p->line && p->column)
        buf_printf(out, ",\"column\":%u", p->column);
    if (p->line && p->column && length)
        buf_printf(out, ",\"length\":%u,\"end_column\":%u", length, p->column + length);
    if (!source || !source_line(diags, p, &text, &size))
        return;
    buf line = {0};
    buf_bytes(&line, text, size < DIAG_LONGEST_TEXT ? size : DIAG_LONGEST_TEXT);
    buf_char(&line, '\0');
    if (!line.failed)
        json_text(out, "source", (const char *)line.data);
    buf_free(&line);
}

static void json_related(buf *out, const wave_diags *diags, const char *input, const wave_diag *d) {
    if (!d->related_count)
        return;
    buf_text(out, ",\"related\":[");
    for (size_t k = 0; k < d->related_count; k++) {
        const wave_related *r = &d->related[k];
        const place p = related_place(input, d, r);
        buf_text(out, k ? ",{" : "{");
        json_place(out, diags, &p, 0, true);
        if (r->offset >= 0)
            buf_printf(out, ",\"offset\":%lld", (long long)r->offset);
        json_text(out, "message", r->message);
        buf_char(out, '}');
    }
    buf_char(out, ']');
}

static void format_json(buf *out, const wave_diags *diags, const char *input, const wave_diag *d) {
    const place p = place_of(input, d);
    buf_char(out, '{');
    json_place(out, diags, &p, d->length, d->kernel != NULL); /* otherwise `text` has it */
    buf_printf(out, ",\"severity\":\"%s\",\"code\":\"%s\"",
               d->severity == WAVE_ERROR ? "error" : "warning", d->code);
    json_text(out, "message", d->message);
    json_text(out, "kernel", d->kernel);
    if (d->offset >= 0)
        buf_printf(out, ",\"offset\":%lld", (long long)d->offset);
    json_text(out, "text", d->text);
    json_text(out, "hint", d->hint);
    json_related(out, diags, input, d);
    buf_char(out, '}');
}

static size_t not_kept(const wave_diags *diags) {
    return diags->total[0] + diags->total[1] - diags->count;
}

static void format_all_json(buf *out, const wave_diags *diags, const char *input) {
    buf_text(out, "{\"diagnostics\":[");
    for (size_t i = 0; i < diags->count; i++) {
        buf_text(out, i ? ",\n" : "\n");
        format_json(out, diags, input, &diags->list[i]);
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
        format_text(&text, diags, input, &diags->list[i],
                    style == WAVE_DIAG_COLOR ? &ansi : &plain);
    if (not_kept(diags)) {
        text_visible(&text, input);
        buf_printf(&text, ": %zu more not shown\n", not_kept(diags));
    }
    return buf_take(&text, out);
}

wave_status wave_diag_place(const wave_diag *diag, const char *input, wave_blob *out) {
    buf text = {0};
    const place p = place_of(input, diag);
    place_text(&text, &p);
    return buf_take(&text, out);
}

wave_status wave_related_place(const wave_diag *diag, const wave_related *related,
                               const char *input, wave_blob *out) {
    buf text = {0};
    const place p = related_place(input, diag, related);
    place_text(&text, &p);
    return buf_take(&text, out);
}
