/* The WBIN container: header, sections and kernel records, read with every offset checked, and
 * written. Names are in wbin_names.c. This file does not look at the code. */
#include "frontend/wbin.h"
#include "frontend/ops.h"

#include <string.h>

enum { HEADER = 32, RECORD = WBIN_RECORD, FLAG_EXT = 1 };

/* File offsets of the header's fields, for diagnostics. */
enum {
    AT_VERSION = 4,
    AT_FLAGS = 6,
    AT_CODE = 8,
    AT_SYMBOLS = 16,
    AT_METADATA = 24,
    AT_METADATA_SIZE = 28
};

static void report(wbin_reader *r, wave_severity severity, diag_code code, uint64_t offset,
                   const char *message) {
    diag_place place = DIAG_NOWHERE;
    place.offset = (int64_t)offset;
    diag_report_as(r->diags, severity, code, &place, "%s", message);
    r->ok = r->ok && severity == WAVE_WARNING;
}

/* The severity of a rule that only the stricter modes enforce. */
static wave_severity by_mode(const wbin_reader *r) {
    return r->options.mode == WAVE_MODE_LENIENT ? WAVE_WARNING : WAVE_ERROR;
}

void wbin_error(wbin_reader *r, diag_code code, uint64_t offset, const char *message) {
    report(r, WAVE_ERROR, code, offset, message);
}

void wbin_problem(wbin_reader *r, diag_code code, uint64_t offset, const char *message) {
    report(r, by_mode(r), code, offset, message);
}

static void report_record(wbin_reader *r, wave_severity severity, diag_code code, size_t index,
                          unsigned field, const char *message) {
    diag_place place = DIAG_NOWHERE;
    place.offset = (int64_t)(r->metadata.offset + 4 + RECORD * (uint64_t)index + field);
    diag_report_as(r->diags, severity, code, &place, "kernel %zu: %s", index, message);
    r->ok = r->ok && severity == WAVE_WARNING;
}

void wbin_record_error(wbin_reader *r, diag_code code, size_t index, unsigned field,
                       const char *message) {
    report_record(r, WAVE_ERROR, code, index, field, message);
}

void wbin_record_problem(wbin_reader *r, diag_code code, size_t index, unsigned field,
                         const char *message) {
    report_record(r, by_mode(r), code, index, field, message);
}

/* ---- Header ---- */

static bool check_start(wbin_reader *r) {
    static const uint8_t magic[4] = {'W', 'A', 'V', 'E'};
    if (r->size < sizeof magic || (memcmp(r->data, magic, sizeof magic) == 0 && r->size < HEADER)) {
        diag_report(r->diags, DIAG_E_TOO_SMALL, &DIAG_NOWHERE, "the file has only %zu bytes",
                    r->size);
        return r->ok = false;
    }
    if (memcmp(r->data, magic, sizeof magic) != 0) {
        wbin_error(r, DIAG_E_MAGIC, 0, "this is not a WBIN file");
        return false;
    }
    unsigned version = r->data[AT_VERSION] | (unsigned)r->data[AT_VERSION + 1] << 8;
    unsigned flags = r->data[AT_FLAGS] | (unsigned)r->data[AT_FLAGS + 1] << 8;
    if (version != 1)
        wbin_error(r, DIAG_E_VERSION, AT_VERSION, "unsupported version");
    if (flags & ~(unsigned)FLAG_EXT)
        wbin_error(r, DIAG_E_FLAGS, AT_FLAGS, "undefined header flags are set");
    r->out->extended = flags & FLAG_EXT;
    return version == 1;
}

static wbin_section read_section(const wbin_reader *r, unsigned at, const char *name) {
    return (wbin_section){
        .offset = fe_u32(r->data + at), .size = fe_u32(r->data + at + 4), .name = name, .at = at};
}

static bool in_file(wbin_reader *r, const wbin_section *s) {
    if (s->offset + s->size <= r->size)
        return true;
    diag_place place = DIAG_NOWHERE;
    place.offset = s->at;
    diag_report(r->diags, DIAG_E_SECTION, &place,
                "the %s section (offset %llu, size %llu) ends after the file's %zu bytes", s->name,
                (unsigned long long)s->offset, (unsigned long long)s->size, r->size);
    return r->ok = false;
}

/* Upstream's assembler writes metadata_offset 0 when it strips the names. */
static void repair_metadata(wbin_reader *r) {
    bool upstream = r->metadata.offset == 0 && r->symbols.offset == 0 && r->symbols.size == 0 &&
                    r->metadata.size >= 4;
    if (!upstream)
        return;
    bool allowed = r->options.compat || r->options.mode == WAVE_MODE_LENIENT;
    diag_place place = DIAG_NOWHERE;
    place.offset = AT_METADATA;
    diag_report_as(r->diags, allowed ? WAVE_WARNING : WAVE_ERROR, DIAG_E_META_OFFSET, &place,
                   "the metadata offset is 0%s", allowed ? "; taken from the end of the code" : "");
    r->ok = r->ok && allowed;
    /* Also after an error, so that problems of the kernels are reported too. */
    r->metadata.offset = r->code.offset + r->code.size;
}

static void check_overlap(wbin_reader *r) {
    const wbin_section header = {.size = HEADER, .name = "header"};
    const wbin_section *all[4] = {&header, &r->code, &r->symbols, &r->metadata};
    for (unsigned i = 1; i < 4; i++)
        for (unsigned j = 0; j < i; j++) {
            const wbin_section *a = all[i], *b = all[j];
            if (a->size == 0 || b->size == 0 || a->offset >= b->offset + b->size ||
                b->offset >= a->offset + a->size)
                continue;
            diag_place place = DIAG_NOWHERE;
            place.offset = a->at;
            diag_report_as(r->diags, by_mode(r), DIAG_E_OVERLAP, &place,
                           "the %s section overlaps the %s%s", a->name, b->name,
                           j ? " section" : "");
            r->ok = r->ok && by_mode(r) == WAVE_WARNING;
        }
}

static bool read_sections(wbin_reader *r) {
    r->code = read_section(r, AT_CODE, "code");
    r->symbols = read_section(r, AT_SYMBOLS, "symbol");
    r->metadata = read_section(r, AT_METADATA, "metadata");
    if (r->code.offset % 4 || r->code.size % 4)
        wbin_error(r, DIAG_E_ALIGNMENT, AT_CODE,
                   "the code section's offset and size are not multiples of 4");
    bool code = in_file(r, &r->code);
    bool symbols = in_file(r, &r->symbols);
    if (code)
        repair_metadata(r);
    bool metadata = in_file(r, &r->metadata);
    if (!code || !symbols || !metadata)
        return false;
    check_overlap(r);
    r->end = HEADER;
    const wbin_section *all[3] = {&r->code, &r->symbols, &r->metadata};
    for (unsigned i = 0; i < 3; i++)
        if (all[i]->size && all[i]->offset + all[i]->size > r->end)
            r->end = all[i]->offset + all[i]->size;
    return true;
}

/* ---- Records ---- */

/* Kernels may not share code, so decoding all of them takes time and memory proportional to the
 * file. `budget` is the unused part of the code section. */
static void read_code(wbin_reader *r, fe_record *record, size_t index, const uint8_t *at,
                      uint64_t *budget) {
    uint64_t offset = fe_u32(at + 24), size = fe_u32(at + 28);
    record->code_offset = (uint32_t)offset;
    if (offset % 4 || size % 4)
        wbin_record_error(r, DIAG_E_ALIGNMENT, index, 24,
                          "the kernel's code offset and size are not multiples of 4");
    if (offset % 4 || r->code.offset % 4)
        return; /* from a wrong offset every word would be wrong */
    if (size == 0)
        wbin_record_error(r, DIAG_E_KERNEL_CODE, index, 28, "the kernel has no code");
    else if (offset + size > r->code.size)
        wbin_record_error(r, DIAG_E_KERNEL_CODE, index, 24,
                          "the kernel's code ends after the code section");
    else if (size > *budget)
        wbin_record_error(r, DIAG_E_KERNEL_CODE, index, 24, "kernels share code");
    else {
        *budget -= size;
        record->code = r->data + r->code.offset + offset;
        record->code_size = (uint32_t)size;
    }
}

static void read_limits(wbin_reader *r, fe_record *record, size_t index, const uint8_t *at) {
    record->registers = fe_u32(at + 4);
    record->local_memory = fe_u32(at + 8);
    uint64_t threads = 1;
    unsigned zeros = 0;
    for (unsigned i = 0; i < 3; i++) {
        record->workgroup[i] = fe_u32(at + 12 + 4 * i);
        zeros += record->workgroup[i] == 0;
        if (threads <= ISA_MAX_THREADS) /* one more 32-bit factor cannot overflow */
            threads *= record->workgroup[i];
    }
    if (record->registers > ISA_MAX_REGISTERS)
        wbin_record_problem(r, DIAG_E_REGISTER_COUNT, index, 4, "more than 256 registers");
    if (record->local_memory > ISA_MAX_LOCAL)
        wbin_record_error(r, DIAG_E_LOCAL_SIZE, index, 8, "more than 65536 bytes of local memory");
    if (zeros != 3 && (zeros != 0 || threads > ISA_MAX_THREADS))
        wbin_record_error(r, DIAG_E_WORKGROUP_SIZE, index, 12,
                          zeros ? "some but not all sizes of the workgroup are 0"
                                : "the workgroup has more than 1024 threads");
}

static bool read_records(wbin_reader *r) {
    if (r->metadata.size < 4) {
        wbin_error(r, DIAG_E_META_SIZE, AT_METADATA_SIZE,
                   "the metadata section has no kernel count");
        return false;
    }
    const uint8_t *metadata = r->data + r->metadata.offset;
    uint64_t count = fe_u32(metadata);
    if (count == 0) {
        wbin_error(r, DIAG_E_NO_KERNELS, r->metadata.offset, "the file contains no kernels");
        return false;
    }
    if (4 + RECORD * count > r->metadata.size) {
        diag_place place = DIAG_NOWHERE;
        place.offset = (int64_t)r->metadata.offset;
        diag_report(r->diags, DIAG_E_META_SIZE, &place,
                    "%llu kernels do not fit in %llu bytes of metadata", (unsigned long long)count,
                    (unsigned long long)r->metadata.size);
        return r->ok = false;
    }
    fe_record *records = arena_alloc(r->memory, (size_t)count * sizeof *records);
    if (!records) {
        wbin_error(r, DIAG_E_MEMORY, r->metadata.offset, "out of memory");
        return false;
    }
    r->out->records = records;
    r->out->record_count = (size_t)count;
    uint64_t budget = r->code.size;
    for (size_t i = 0; i < r->out->record_count; i++) {
        const uint8_t *at = metadata + 4 + RECORD * i;
        read_limits(r, &records[i], i, at);
        read_code(r, &records[i], i, at, &budget);
    }
    return true;
}

bool fe_read_container(const void *data, size_t size, const wave_load_options *options,
                       arena *memory, fe_container *out, wave_diags *diags) {
    *out = (fe_container){.data = data, .size = size};
    wbin_reader r = {
        .data = data, .size = size, .memory = memory, .out = out, .diags = diags, .ok = true};
    if (options)
        r.options = *options;
    if (!check_start(&r) || !read_sections(&r))
        return false;
    out->code_offset = (uint32_t)r.code.offset;
    out->code_size = (uint32_t)r.code.size;
    out->stripped = r.symbols.size == 0;
    if (read_records(&r)) {
        wbin_read_names(&r);
        wbin_read_extensions(&r);
    }
    if (r.end < r.size)
        wbin_problem(&r, DIAG_E_TRAILING, r.end, "bytes follow the last section");
    return r.ok;
}

/* ---- Writing ---- */

static void write_header(buf *out, bool extended, const uint32_t fields[6]) {
    buf_bytes(out, "WAVE\1\0", 6);
    buf_char(out, extended ? FLAG_EXT : 0);
    buf_char(out, 0);
    for (unsigned i = 0; i < 6; i++)
        buf_u32le(out, fields[i]);
}

static void write_record(buf *out, const fe_record *record, uint32_t name_offset,
                         uint32_t code_offset) {
    buf_u32le(out, name_offset);
    buf_u32le(out, record->registers);
    buf_u32le(out, record->local_memory);
    for (unsigned i = 0; i < 3; i++)
        buf_u32le(out, record->workgroup[i]);
    buf_u32le(out, code_offset);
    buf_u32le(out, record->code_size);
}

typedef struct layout {
    uint64_t code_size, symbols, symbol_size, metadata, metadata_size;
} layout;

static layout lay_out(const fe_record *records, size_t count, bool stripped, size_t sections) {
    layout l = {.metadata_size = 4 + RECORD * (uint64_t)count + fe_extras_table_size(sections)};
    for (size_t i = 0; i < count; i++) {
        l.code_size += records[i].code_size;
        if (!stripped && records[i].name)
            l.symbol_size += (uint64_t)records[i].name_length + 1;
    }
    l.symbols = HEADER + l.code_size;
    l.metadata = l.symbols + l.symbol_size;
    return l;
}

static void write_records(const fe_record *records, size_t count, bool stripped, const layout *l,
                          buf *out) {
    buf_u32le(out, (uint32_t)count);
    uint32_t name_at = (uint32_t)l->symbols, code_at = 0;
    for (size_t i = 0; i < count; i++) {
        bool named = !stripped && records[i].name;
        write_record(out, &records[i], named ? name_at : 0, code_at);
        if (named)
            name_at += (uint32_t)records[i].name_length + 1;
        code_at += records[i].code_size;
    }
}

bool fe_write_container(const fe_record *records, size_t count, bool extended, bool stripped,
                        bool upstream_metadata, const fe_extras *extras, buf *out) {
    fe_extras_image image = fe_extras_write(extras, count);
    layout l = lay_out(records, count, stripped, image.count);
    uint64_t end = l.metadata + l.metadata_size;
    bool fits = !image.too_large && end + image.bytes.size <= UINT32_MAX;
    if (fits) {
        bool moved = upstream_metadata && l.symbol_size == 0;
        const uint32_t fields[6] = {HEADER,
                                    (uint32_t)l.code_size,
                                    l.symbol_size ? (uint32_t)l.symbols : 0,
                                    (uint32_t)l.symbol_size,
                                    moved ? 0 : (uint32_t)l.metadata,
                                    (uint32_t)l.metadata_size};
        buf_reserve(out, (size_t)end + image.bytes.size);
        write_header(out, extended || image.extended, fields);
        for (size_t i = 0; i < count; i++)
            buf_bytes(out, records[i].code, records[i].code_size);
        for (size_t i = 0; !stripped && i < count; i++)
            if (records[i].name)
                buf_bytes(out, records[i].name, records[i].name_length), buf_char(out, 0);
        write_records(records, count, stripped, &l, out);
        fe_extras_put(&image, (uint32_t)end, out);
        out->failed |= image.bytes.failed;
    }
    buf_free(&image.bytes);
    return fits;
}
