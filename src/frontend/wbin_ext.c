/* The extension table: where the sections are and which are known. wbin_sections.c reads their
 * contents. */
#include "frontend/ops.h"
#include "frontend/wbin.h"

#include <string.h>

enum { TABLE_HEAD = 8, TABLE_ROW = 12 };

const char fe_section_tag[FE_SECTION_COUNT][5] = {"ARGS", "line", "text", "PRIV", "CNST", "regs"};

static bool (*const readers[FE_SECTION_COUNT])(wbin_ext *) = {
    wbin_read_args,    wbin_read_lines,     wbin_read_messages,
    wbin_read_private, wbin_read_constants, wbin_read_registers};

typedef struct table_row {
    char tag[5];
    uint64_t offset, size;
    uint64_t at; /* file offset of the row itself */
} table_row;

typedef struct table {
    wbin_reader *r;
    table_row rows[FE_MAX_SECTIONS];
    uint32_t count;
} table;

static bool overlaps(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size) {
    return a_size && b_size && a < b + b_size && b < a + a_size;
}

static const char *row_problem(const table *t, const table_row *row) {
    const wbin_reader *r = t->r;
    const wbin_section *const others[] = {&r->code, &r->symbols};
    if (row->offset + row->size > r->size)
        return "an extension section ends after the file";
    if (row->offset < r->metadata.offset + r->metadata.size)
        return "an extension section starts before the end of the metadata";
    for (unsigned i = 0; i < 2; i++)
        if (overlaps(row->offset, row->size, others[i]->offset, others[i]->size))
            return "an extension section overlaps the code or the names";
    for (const table_row *other = t->rows; other < row; other++) {
        if (memcmp(other->tag, row->tag, 4) == 0)
            return "two extension sections have the same tag";
        if (overlaps(row->offset, row->size, other->offset, other->size))
            return "two extension sections overlap";
    }
    return NULL;
}

/* False when there is no usable table. */
static bool read_table(table *t) {
    wbin_reader *r = t->r;
    uint64_t start = 4 + WBIN_RECORD * (uint64_t)r->out->record_count;
    uint64_t left = r->metadata.size - start, at = r->metadata.offset + start;
    const uint8_t *from = r->data + at;
    if (left < 4 || memcmp(from, "WEXT", 4) != 0)
        return false;
    t->count = left < TABLE_HEAD ? 0 : fe_u32(from + 4);
    if (left < TABLE_HEAD || t->count > FE_MAX_SECTIONS ||
        TABLE_HEAD + (uint64_t)t->count * TABLE_ROW > left) {
        wbin_error(r, DIAG_E_EXT_TABLE, at,
                   t->count > FE_MAX_SECTIONS
                       ? "the extension table lists more than 64 sections"
                       : "the extension table does not fit in the metadata section");
        return false;
    }
    bool good = true;
    for (uint32_t i = 0; i < t->count; i++) {
        table_row *row = &t->rows[i];
        const uint8_t *field = from + TABLE_HEAD + i * (size_t)TABLE_ROW;
        memcpy(row->tag, field, 4);
        row->offset = fe_u32(field + 4);
        row->size = fe_u32(field + 8);
        row->at = at + TABLE_HEAD + i * (uint64_t)TABLE_ROW;
        const char *problem = row_problem(t, row);
        if (problem)
            wbin_error(r, DIAG_E_EXT_TABLE, row->at, problem);
        good = good && !problem;
    }
    return good;
}

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

/* A tag for a message: unprintable characters are shown as ?. */
static void shown_tag(const table_row *row, char shown[5]) {
    for (unsigned i = 0; i < 4; i++)
        shown[i] = row->tag[i] > ' ' && row->tag[i] < 0x7F ? row->tag[i] : '?';
    shown[4] = '\0';
}

static void complain(wbin_reader *r, const table_row *row, uint64_t offset, const char *what) {
    char shown[5];
    shown_tag(row, shown);
    bool ignored = is_lower(row->tag[0]) && r->options.mode != WAVE_MODE_STRICT;
    diag_place place = DIAG_NOWHERE;
    place.offset = (int64_t)offset;
    diag_report(r->diags, ignored ? DIAG_W_EXT_SECTION : DIAG_E_EXT_SECTION, &place,
                "section '%s': %s", shown, what);
    r->ok = r->ok && ignored;
}

static fe_section find_section(const char *tag) {
    unsigned which = 0;
    while (which < FE_SECTION_COUNT && memcmp(fe_section_tag[which], tag, 4) != 0)
        which++;
    return (fe_section)which;
}

static void read_section(wbin_reader *r, const table_row *row) {
    fe_section which = find_section(row->tag);
    if (!is_lower(row->tag[0]) && !r->out->extended)
        wbin_error(r, DIAG_E_EXTENSION, row->at, "upper-case tag in a file without the EXT flag");
    if (which == FE_SECTION_COUNT) {
        if (!is_lower(row->tag[0]))
            complain(r, row, row->at, "unknown section that must not be ignored");
        return;
    }
    wbin_ext section = {
        .r = r, .data = r->data + row->offset, .offset = row->offset, .size = (uint32_t)row->size};
    if (readers[which](&section))
        r->out->extras.sections |= UINT32_C(1) << which;
    else
        complain(r, row, section.offset + section.at, section.wrong);
}

void wbin_read_extensions(wbin_reader *r) {
    table t = {.r = r};
    if (!read_table(&t))
        return;
    for (uint32_t i = 0; i < t.count; i++) {
        const table_row *row = &t.rows[i];
        if (row->size && row->offset + row->size > r->end)
            r->end = row->offset + row->size;
        read_section(r, row);
    }
}

/* ---- Lookups ---- */

uint32_t fe_argument_words(wave_argument_kind kind, wave_type type) {
    if (kind != WAVE_ARGUMENT_SCALAR)
        return kind == WAVE_ARGUMENT_BUFFER;
    return type == WAVE_TYPE_BYTES ? 0 : wave_type_size(type) == 8 ? 2 : 1;
}

const fe_line *fe_line_at(const fe_line *lines, uint32_t count, uint32_t offset) {
    uint32_t low = 0, high = count; /* finds the first record after the offset */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lines[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &lines[low - 1] : NULL;
}

bool fe_extras_source(const fe_extras *extras, const fe_kernel_extras *kernel, uint32_t offset,
                      wave_source_place *place) {
    const fe_line *line = fe_line_at(kernel->lines, kernel->line_count, offset);
    if (!line)
        return false;
    *place = (wave_source_place){
        .file = extras->files[line->file], .line = line->line, .column = line->column};
    return true;
}

const fe_message *fe_extras_message(const fe_extras *extras, uint32_t id) {
    uint32_t low = 0, high = extras->message_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (extras->messages[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < extras->message_count && extras->messages[low].id == id;
    return found ? &extras->messages[low] : NULL;
}

/* ---- Types ---- */

static const struct {
    const char *name;
    uint8_t size;
} types[WAVE_TYPE_COUNT] = {{"u32", 4}, {"i32", 4}, {"f32", 4},  {"u64", 8}, {"i64", 8},
                            {"f64", 8}, {"f16", 2}, {"bf16", 2}, {"u8", 1},  {"i8", 1},
                            {"u16", 2}, {"i16", 2}, {"bytes", 1}};

const char *wave_type_name(wave_type type) {
    return (unsigned)type < WAVE_TYPE_COUNT ? types[type].name : NULL;
}

size_t wave_type_size(wave_type type) {
    return (unsigned)type < WAVE_TYPE_COUNT ? types[type].size : 0;
}
