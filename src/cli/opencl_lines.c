/* See opencl_lines.h: the calls in LLVM IR. */
#include "cli/opencl_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_THERE UINT32_MAX

/* A line of the text, or a part of one. */
typedef struct span {
    const char *at, *end;
} span;

static bool starts(span s, const char *with) {
    size_t n = strlen(with);
    return (size_t)(s.end - s.at) >= n && memcmp(s.at, with, n) == 0;
}

static bool next_line(span *rest, span *line) {
    if (rest->at == rest->end)
        return false;
    const char *stop = memchr(rest->at, '\n', (size_t)(rest->end - rest->at));
    *line = (span){rest->at, stop ? stop : rest->end};
    rest->at = stop ? stop + 1 : rest->end;
    return true;
}

static uint32_t number(span s) {
    uint32_t value = 0;
    const char *at = s.at;
    for (; at < s.end && *at >= '0' && *at <= '9' && value < 100000000; at++)
        value = 10 * value + (uint32_t)(*at - '0');
    return at == s.at ? NOT_THERE : value;
}

/* What follows the text, outside of quotes; LLVM writes a quote inside quotes as \22. */
static bool find(span s, const char *text, span *after) {
    for (bool quoted = false; s.at < s.end; s.at++) {
        if (*s.at == '"')
            quoted = !quoted;
        if (!quoted && starts(s, text)) {
            *after = (span){s.at + strlen(text), s.end};
            return true;
        }
    }
    return false;
}

static uint32_t number_after(span s, const char *text) {
    span after;
    return find(s, text, &after) ? number(after) : NOT_THERE;
}

/* ---- Metadata ---- */

typedef struct metadata {
    uint32_t line, column;   /* of a location, if line is there */
    uint32_t scope, inlined; /* of a location: their numbers */
    uint32_t file;           /* of a scope; of a file: its own number */
    bool hidden;             /* the prelude */
    span name;               /* of a file */
} metadata;

typedef struct marker {
    metadata *all;
    uint32_t count;
    const char *folder;
    opencl_lines *lines;
    FILE *out;
} marker;

static const metadata *at(const marker *m, uint32_t k) {
    return k < m->count ? &m->all[k] : NULL;
}

static span quoted_after(span s, const char *text) {
    span name = {s.end, s.end};
    if (find(s, text, &name)) {
        const char *stop = memchr(name.at, '"', (size_t)(name.end - name.at));
        name.end = stop ? stop : name.at;
    }
    return name;
}

static void read_metadata(marker *m, span line) {
    span value;
    uint32_t k = number((span){line.at + 1, line.end});
    if (k >= m->count || !find(line, " = ", &value))
        return;
    metadata *d = &m->all[k];
    if (starts(value, "distinct "))
        value.at += strlen("distinct ");
    if (starts(value, "!DILocation(")) {
        d->line = number_after(value, "line: ");
        d->column = number_after(value, "column: ");
        d->scope = number_after(value, "scope: !");
        d->inlined = number_after(value, "inlinedAt: !");
    } else if (starts(value, "!DIFile(")) {
        d->file = k;
        d->name = quoted_after(value, "filename: \"");
        if (starts(d->name, m->folder)) {
            d->name.at += strlen(m->folder) + 1;
            d->hidden = starts(d->name, "prelude.h");
        }
    } else if (starts(value, "!DISubprogram(") || starts(value, "!DILexicalBlock")) {
        d->file = number_after(value, "file: !");
    }
}

static bool read_all(marker *m, span rest) {
    span line, again = rest;
    while (next_line(&again, &line))
        m->count += starts(line, "!");
    m->all = malloc((m->count + 1) * sizeof *m->all);
    if (!m->all)
        return false;
    for (uint32_t k = 0; k < m->count; k++)
        m->all[k] = (metadata){NOT_THERE, NOT_THERE, NOT_THERE, NOT_THERE, NOT_THERE, false, {0}};
    while (next_line(&rest, &line))
        if (starts(line, "!"))
            read_metadata(m, line);
    return true;
}

/* ---- Calls ---- */

static const metadata *file_of(const marker *m, const metadata *location) {
    const metadata *scope = at(m, location->scope);
    const metadata *file = scope ? at(m, scope->file) : NULL;
    return file && file->name.at ? file : NULL;
}

/* The innermost location that is in a file of the user; NULL: there is none. */
static const metadata *locate(const marker *m, uint32_t k, const metadata **file) {
    const metadata *d = at(m, k);
    for (uint32_t depth = 0; d && d->line != NOT_THERE && depth < m->count; depth++) {
        *file = file_of(m, d);
        if (*file && !(*file)->hidden)
            return d;
        d = at(m, d->inlined);
    }
    return NULL;
}

static unsigned hex(char c) {
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a' + 10);
}

/* Copies a name whose special characters are written as \XX. */
static char *unescaped(span name) {
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

static bool add_file(marker *m, const metadata *file) {
    opencl_lines *lines = m->lines;
    for (size_t k = 0; k < lines->count; k++)
        if (lines->files[k].number == file->file)
            return true;
    opencl_file *more = realloc(lines->files, (lines->count + 1) * sizeof *more);
    if (!more)
        return false;
    lines->files = more;
    lines->files[lines->count] = (opencl_file){file->file, unescaped(file->name)};
    return lines->files[lines->count++].name != NULL;
}

/* Writes the call before an instruction, unless the previous instruction has the same place. */
static bool mark(marker *m, span line, const metadata **last) {
    const metadata *file;
    const uint32_t k = number_after(line, "!dbg !");
    const metadata *now = k == NOT_THERE ? NULL : locate(m, k, &file);
    if (!now || now->line == 0)
        return true;
    if (*last && (*last)->line == now->line && (*last)->column == now->column &&
        (*last)->scope == now->scope)
        return true;
    *last = now;
    fprintf(m->out, "  call void @wave.line.%u(i32 %u, i32 %u), !dbg !%u\n", (unsigned)file->file,
            (unsigned)now->line, now->column == NOT_THERE ? 0 : (unsigned)now->column, (unsigned)k);
    return add_file(m, file);
}

/* Whether a call can be inserted before the line. Instructions are indented by two blanks. Phis
 * must be the first instructions of their block, and the "  ]" that ends a switch only looks like
 * an instruction. */
static bool takes_call(span line) {
    span after;
    return starts(line, "  ") && !starts(line, "   ") && !starts(line, "  ]") &&
           !find(line, " = phi ", &after);
}

static bool write_all(marker *m, span rest) {
    const metadata *last = NULL;
    bool inside = false, ok = true;
    span line;
    while (ok && next_line(&rest, &line)) {
        inside = starts(line, "define ") || (inside && !starts(line, "}"));
        if (!starts(line, "  "))
            last = NULL; /* a block begins */
        else if (inside && takes_call(line))
            ok = mark(m, line, &last);
        fprintf(m->out, "%.*s\n", (int)(line.end - line.at), line.at);
    }
    for (size_t k = 0; ok && k < m->lines->count; k++)
        fprintf(m->out, "declare void @wave.line.%u(i32, i32)\n",
                (unsigned)m->lines->files[k].number);
    return ok && !ferror(m->out);
}

char *opencl_mark_lines(const char *text, size_t size, const char *folder, opencl_lines *lines,
                        size_t *out_size) {
    const span whole = {text, text + size};
    char *made = NULL;
    marker m = {.folder = folder, .lines = lines, .out = open_memstream(&made, out_size)};
    bool ok = m.out && read_all(&m, whole) && write_all(&m, whole);
    if (m.out && fclose(m.out) != 0)
        ok = false;
    free(m.all);
    if (ok)
        return made;
    free(made);
    return NULL;
}

void opencl_lines_free(opencl_lines *lines) {
    for (size_t k = 0; k < lines->count; k++)
        free(lines->files[k].name);
    free(lines->files);
    *lines = (opencl_lines){0};
}
