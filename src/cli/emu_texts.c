/* See emu_texts.h. */
#include "cli/emu_texts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool emu_texts_init(emu_texts *t, const wave_module *module, size_t kernel, cli_sources *sources,
                    const char *input) {
    uint32_t count = wave_module_kernel(module, kernel)->instructions;
    *t = (emu_texts){.module = module, .kernel = kernel, .count = count, .sources = sources};
    t->at = calloc((size_t)count + 1, sizeof *t->at);
    t->pcs = calloc((size_t)count + 1, sizeof *t->pcs);
    t->lines = calloc((size_t)count + 1, sizeof *t->lines);
    if (!t->at || !t->pcs || !t->lines)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        wave_source_place place;
        t->pcs[i] = wave_instruction_offset(module, kernel, i);
        if (!wave_module_source(module, kernel, t->pcs[i], &place) || !place.line)
            continue;
        t->lines[i] = (emu_line){*place.file ? place.file : input, place.line};
        t->has_lines = true;
    }
    return true;
}

void emu_texts_free(emu_texts *t) {
    for (uint32_t i = 0; t->at && i < t->count; i++) {
        wave_blob blob = {(uint8_t *)t->at[i], 0};
        wave_blob_free(&blob);
    }
    wave_blob_free(&t->shown);
    free(t->at);
    free(t->pcs);
    free(t->lines);
}

const char *emu_text_at(emu_texts *t, uint32_t index) {
    wave_blob blob;
    if (index >= t->count)
        return "?";
    char **text = &t->at[index];
    if (!*text && wave_instruction_text(t->module, t->kernel, t->pcs[index], &blob) == WAVE_OK)
        *text = (char *)blob.data;
    return *text ? *text : "?";
}

uint32_t emu_index_of(const emu_texts *t, uint32_t pc) {
    uint32_t low = 0, high = t->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->pcs[middle] < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->count && t->pcs[low] == pc ? low : t->count;
}

/* ---- Lines ---- */

bool emu_same_line(const emu_line *a, const emu_line *b) {
    return a->line == b->line && a->line && (a->file == b->file || strcmp(a->file, b->file) == 0);
}

emu_line emu_line_at(const emu_texts *t, uint32_t index) {
    return index < t->count ? t->lines[index] : (emu_line){0};
}

bool emu_line_begins(const emu_texts *t, uint32_t index, const emu_line *line) {
    return index < t->count && emu_same_line(&t->lines[index], line) &&
           (index == 0 || !emu_same_line(&t->lines[index - 1], line));
}

/* A file may be named by the end of its path. */
static bool is_file(const char *file, const char *wanted) {
    size_t n = file ? strlen(file) : 0, m = strlen(wanted);
    return file && n >= m && strcmp(file + n - m, wanted) == 0 &&
           (n == m || file[n - m - 1] == '/');
}

static const char *main_file(const emu_texts *t) {
    for (uint32_t i = 0; i < t->count; i++)
        if (t->lines[i].line)
            return t->lines[i].file;
    return "";
}

emu_line emu_line_with_code(const emu_texts *t, const char *file, uint32_t line) {
    emu_line best = {0};
    const char *wanted = file ? file : main_file(t);
    for (uint32_t i = 0; i < t->count; i++) {
        const emu_line *at = &t->lines[i];
        if (at->line >= line && at->line && (!best.line || at->line < best.line) &&
            is_file(at->file, wanted))
            best = *at;
    }
    return best;
}

/* loc_K_XXXX, the disassembler's names for call targets. */
static bool disassembled_label(const emu_texts *t, const char *label, uint32_t *pc) {
    char expected[40];
    const char *last = strrchr(label, '_');
    if (!last || strlen(last) > 9)
        return false;
    *pc = (uint32_t)strtoul(last + 1, NULL, 16);
    (void)snprintf(expected, sizeof expected, "loc_%zu_%04" PRIX32, t->kernel, *pc);
    return strcmp(expected, label) == 0 && emu_index_of(t, *pc) < t->count;
}

bool emu_label_place(const emu_texts *t, const char *label, uint32_t *pc, emu_line *line) {
    *pc = 0;
    *line = (emu_line){0};
    if (strcmp(label, wave_module_kernel(t->module, t->kernel)->name) == 0 && t->count)
        return true;
    if (disassembled_label(t, label, pc))
        return true;
    const char *file = main_file(t);
    uint32_t number = t->has_lines ? cli_source_label(t->sources, file, label) : 0;
    *line = number ? emu_line_with_code(t, file, number) : (emu_line){0};
    return line->line != 0;
}

/* ---- Printing ---- */

void emu_put_place(FILE *out, emu_texts *t, uint32_t index) {
    emu_line at = emu_line_at(t, index);
    if (!at.line)
        return;
    if (t->shown_file != at.file) {
        wave_blob_free(&t->shown);
        t->shown_file = at.file;
        if (wave_visible_text(at.file, &t->shown) != WAVE_OK)
            t->shown = (wave_blob){0};
    }
    fprintf(out, "%s:%" PRIu32 " ", t->shown.data ? (const char *)t->shown.data : "?", at.line);
}

bool emu_has_source(const emu_texts *t, const emu_line *line) {
    const char *text;
    size_t length;
    return line->line && cli_source_line(t->sources, line->file, line->line, &text, &length);
}

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

bool emu_is_plain(emu_texts *t, uint32_t index) {
    const char *at, *wanted = emu_text_at(t, index);
    size_t length;
    emu_line line = emu_line_at(t, index);
    if (!line.line || !cli_source_line(t->sources, line.file, line.line, &at, &length))
        return false;
    const char *end = at + length;
    for (at = skip_blanks(at, end); *wanted; wanted++) {
        if (at == end || (*wanted == ' ' ? *at != ' ' && *at != '\t' : *at != *wanted))
            return false;
        at = *wanted == ' ' ? skip_blanks(at, end) : at + 1;
    }
    at = skip_blanks(at, end);
    return at == end || *at == ';' || *at == '#' || *at == '/';
}

void emu_put_source(FILE *out, const emu_texts *t, const emu_line *line) {
    const char *text;
    size_t length;
    if (line->line && cli_source_line(t->sources, line->file, line->line, &text, &length))
        cli_put_source(out, text, length);
}
