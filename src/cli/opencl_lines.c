/* Source lines, as calls in LLVM IR (opencl_details.h). */
#include "cli/llvm_text.h"
#include "cli/opencl_details.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Metadata ---- */

typedef struct metadata {
    uint32_t line, column;   /* of a location; no line: it is something else */
    uint32_t scope, inlined; /* of a location: their numbers */
    uint32_t file;           /* of a scope; of a file: its own number */
    bool hidden;             /* the prelude */
    llvm_span name;          /* of a file */
} metadata;

typedef struct marker {
    metadata *all;
    uint32_t count;
    const char *folder;
    opencl_details *details;
    FILE *out;
} marker;

static const metadata *at(const marker *m, uint32_t k) {
    return k < m->count ? &m->all[k] : NULL;
}

static llvm_span quoted_after(llvm_span s, const char *text) {
    llvm_span name;
    return llvm_find(s, text, &name) ? llvm_quoted(name) : (llvm_span){s.end, s.end};
}

static void read_metadata(marker *m, llvm_span line) {
    llvm_span value;
    uint32_t k = llvm_number((llvm_span){line.at + 1, line.end});
    if (k >= m->count || !llvm_find(line, " = ", &value))
        return;
    metadata *d = &m->all[k];
    if (llvm_starts(value, "distinct "))
        value.at += strlen("distinct ");
    if (llvm_starts(value, "!DILocation(")) {
        d->line = llvm_number_after(value, "line: ");
        d->column = llvm_number_after(value, "column: ");
        d->scope = llvm_number_after(value, "scope: !");
        d->inlined = llvm_number_after(value, "inlinedAt: !");
    } else if (llvm_starts(value, "!DIFile(")) {
        d->file = k;
        d->name = quoted_after(value, "filename: \"");
        if (llvm_starts(d->name, m->folder)) {
            d->name.at += strlen(m->folder) + 1;
            d->hidden = llvm_starts(d->name, "prelude.h");
        }
    } else if (llvm_starts(value, "!DISubprogram(") || llvm_starts(value, "!DILexicalBlock")) {
        d->file = llvm_number_after(value, "file: !");
    }
}

static bool read_all(marker *m, llvm_span rest) {
    llvm_span line, again = rest;
    while (llvm_next_line(&again, &line))
        m->count += llvm_starts(line, "!");
    m->all = malloc((m->count + 1) * sizeof *m->all);
    if (!m->all)
        return false;
    for (uint32_t k = 0; k < m->count; k++)
        m->all[k] = (metadata){LLVM_NO_NUMBER,
                               LLVM_NO_NUMBER,
                               LLVM_NO_NUMBER,
                               LLVM_NO_NUMBER,
                               LLVM_NO_NUMBER,
                               false,
                               {0}};
    while (llvm_next_line(&rest, &line))
        if (llvm_starts(line, "!"))
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
    for (uint32_t depth = 0; d && d->line != LLVM_NO_NUMBER && depth < m->count; depth++) {
        *file = file_of(m, d);
        if (*file && !(*file)->hidden)
            return d;
        d = at(m, d->inlined);
    }
    return NULL;
}

static bool add_file(marker *m, const metadata *file) {
    opencl_details *d = m->details;
    for (size_t k = 0; k < d->file_count; k++)
        if (d->files[k].number == file->file)
            return true;
    opencl_file *more = realloc(d->files, (d->file_count + 1) * sizeof *more);
    if (!more)
        return false;
    d->files = more;
    d->files[d->file_count] = (opencl_file){file->file, llvm_unescaped(file->name)};
    return d->files[d->file_count++].name != NULL;
}

/* Writes the call before an instruction, unless the previous instruction has the same place. */
static bool mark(marker *m, llvm_span line, const metadata **last) {
    const metadata *file;
    const uint32_t k = llvm_number_after(line, "!dbg !");
    const metadata *now = k == LLVM_NO_NUMBER ? NULL : locate(m, k, &file);
    if (!now || now->line == 0)
        return true;
    if (*last && (*last)->line == now->line && (*last)->column == now->column &&
        (*last)->scope == now->scope)
        return true;
    *last = now;
    fprintf(m->out, "  call void @wave.line.%u(i32 %u, i32 %u), !dbg !%u\n", (unsigned)file->file,
            (unsigned)now->line, now->column == LLVM_NO_NUMBER ? 0 : (unsigned)now->column,
            (unsigned)k);
    return add_file(m, file);
}

/* Whether a call can be inserted before the line. Instructions are indented by two blanks. Phis
 * must be the first instructions of their block, and the "  ]" that ends a switch only looks like
 * an instruction. */
static bool takes_call(llvm_span line) {
    llvm_span after;
    return llvm_starts(line, "  ") && !llvm_starts(line, "   ") && !llvm_starts(line, "  ]") &&
           !llvm_find(line, " = phi ", &after);
}

static bool write_all(marker *m, llvm_span rest) {
    const metadata *last = NULL;
    bool inside = false, ok = true;
    llvm_span line;
    while (ok && llvm_next_line(&rest, &line)) {
        inside = llvm_starts(line, "define ") || (inside && !llvm_starts(line, "}"));
        if (!llvm_starts(line, "  "))
            last = NULL; /* a block begins */
        else if (inside && takes_call(line))
            ok = mark(m, line, &last);
        fprintf(m->out, "%.*s\n", (int)(line.end - line.at), line.at);
    }
    for (size_t k = 0; ok && k < m->details->file_count; k++)
        fprintf(m->out, "declare void @wave.line.%u(i32, i32)\n",
                (unsigned)m->details->files[k].number);
    return ok && !ferror(m->out);
}

char *opencl_mark_lines(const char *text, size_t size, const char *folder, opencl_details *details,
                        size_t *out_size) {
    const llvm_span whole = {text, text + size};
    char *made = NULL;
    marker m = {.folder = folder, .details = details, .out = open_memstream(&made, out_size)};
    bool ok = m.out && read_all(&m, whole) && write_all(&m, whole);
    if (m.out && fclose(m.out) != 0)
        ok = false;
    free(m.all);
    if (ok)
        return made;
    free(made);
    return NULL;
}
