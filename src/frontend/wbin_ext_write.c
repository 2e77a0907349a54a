/* Writing the extension table and its sections in canonical order and form: each name is in the
 * pool once, in the order of first use. */
#include "frontend/wbin_ext.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE_HEAD = 8, TABLE_ROW = 12, LARGEST = UINT16_MAX };

static void put_u16(buf *out, uint32_t value) {
    buf_char(out, (char)(value & 0xFF));
    buf_char(out, (char)(value >> 8 & 0xFF));
}

/* Zeros up to a multiple of 4 from the section's start. */
static void pad(buf *out, size_t start) {
    while ((out->size - start) % 4 && !out->failed)
        buf_char(out, 0);
}

/* ---- Names, each once ---- */

typedef struct pooled {
    const char *name;
    uint32_t order;  /* of its use in the file */
    uint32_t offset; /* in the pool */
} pooled;

typedef struct name_list {
    pooled *at;
    size_t count, room;
    bool failed;
} name_list;

static int by_name(const void *left, const void *right) {
    const pooled *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order ? order : a->order < b->order ? -1 : a->order > b->order;
}

static int by_order(const void *left, const void *right) {
    const pooled *a = left, *b = right;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void add_name(name_list *list, const char *name) {
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 64;
        pooled *bigger = list->failed ? NULL : realloc(list->at, room * sizeof *bigger);
        if (!bigger) {
            list->failed = true;
            return;
        }
        list->at = bigger;
        list->room = room;
    }
    uint32_t order = (uint32_t)list->count;
    list->at[list->count++] = (pooled){.name = name, .order = order, .offset = order};
}

/* After sorting, equal names are adjacent; each gets the order of the first. */
static void find_equal(name_list *list) {
    if (list->count < 2)
        return;
    qsort(list->at, list->count, sizeof *list->at, by_name);
    for (size_t i = 1; i < list->count; i++)
        if (strcmp(list->at[i].name, list->at[i - 1].name) == 0)
            list->at[i].offset = list->at[i - 1].offset;
    qsort(list->at, list->count, sizeof *list->at, by_order);
}

/* Writes the pool and sets the offset of each name in it. */
static void write_names(buf *out, name_list *names) {
    pooled *list = names->at;
    size_t size_at = out->size, count = names->count;
    out->failed |= names->failed;
    find_equal(names);
    buf_u32le(out, 0);
    size_t start = out->size;
    buf_char(out, 0);
    for (size_t i = 0; i < count && !out->failed; i++) {
        bool first = list[i].offset == list[i].order;
        uint32_t place = first ? (uint32_t)(out->size - start) : list[list[i].offset].offset;
        if (*list[i].name == '\0')
            place = 0;
        else if (first)
            buf_bytes(out, list[i].name, strlen(list[i].name) + 1);
        list[i].offset = place;
    }
    if (out->failed)
        return;
    uint32_t size = (uint32_t)(out->size - start);
    for (unsigned i = 0; i < 4; i++)
        out->data[size_at + i] = (uint8_t)(size >> (8 * i));
    pad(out, start);
}

static void write_argument(buf *out, const wave_argument *a, uint32_t name) {
    buf_u32le(out, name);
    buf_char(out, (char)a->kind);
    buf_char(out, (char)a->type);
    buf_char(out, (char)a->access);
    buf_char(out, (char)a->flags);
    put_u16(out, a->first_word);
    put_u16(out, a->words);
}

static void write_args(const fe_extras *extras, size_t kernels, buf *out) {
    name_list names = {0};
    for (size_t i = 0; extras->kernels && i < kernels; i++)
        for (uint32_t k = 0; k < extras->kernels[i].argument_count; k++)
            add_name(&names, extras->kernels[i].arguments[k].name);
    write_names(out, &names);
    const pooled *name = names.at;
    for (size_t i = 0; i < kernels && !out->failed; i++) {
        const fe_kernel_extras none = {0};
        const fe_kernel_extras *kernel = extras->kernels ? &extras->kernels[i] : &none;
        buf_u32le(out, kernel->argument_count);
        for (uint32_t k = 0; k < kernel->argument_count; k++, name++)
            write_argument(out, &kernel->arguments[k], name->offset);
    }
    free(names.at);
}

static void write_registers(const fe_extras *extras, size_t kernels, buf *out) {
    name_list names = {0};
    for (size_t i = 0; i < kernels; i++)
        for (uint32_t k = 0; k < extras->kernels[i].register_count; k++)
            add_name(&names, extras->kernels[i].registers[k].name);
    write_names(out, &names);
    const pooled *name = names.at;
    for (size_t i = 0; i < kernels && !out->failed; i++) {
        const fe_kernel_extras *kernel = &extras->kernels[i];
        buf_u32le(out, kernel->register_count);
        for (uint32_t k = 0; k < kernel->register_count; k++, name++) {
            const wave_register_name *r = &kernel->registers[k];
            buf_u32le(out, name->offset);
            buf_char(out, (char)r->predicate);
            buf_char(out, (char)r->number);
            buf_char(out, (char)r->width);
            buf_char(out, 0);
        }
    }
    free(names.at);
}

/* ---- The other sections ---- */

static void write_lines(const fe_extras *extras, size_t kernels, buf *out) {
    size_t start = out->size, pool = 0;
    for (uint32_t i = 0; i < extras->file_count; i++)
        pool += strlen(extras->files[i]) + 1;
    buf_u32le(out, (uint32_t)pool);
    for (uint32_t i = 0; i < extras->file_count; i++)
        buf_bytes(out, extras->files[i], strlen(extras->files[i]) + 1);
    pad(out, start);
    for (size_t i = 0; i < kernels; i++) {
        const fe_kernel_extras *kernel = &extras->kernels[i];
        buf_u32le(out, kernel->line_count);
        for (uint32_t k = 0; k < kernel->line_count; k++) {
            buf_u32le(out, kernel->lines[k].offset);
            buf_u32le(out, kernel->lines[k].line);
            put_u16(out, kernel->lines[k].file);
            put_u16(out, kernel->lines[k].column);
        }
    }
}

static void write_messages(const fe_extras *extras, buf *out) {
    size_t start = out->size;
    for (uint32_t i = 0; i < extras->message_count; i++) {
        buf_u32le(out, extras->messages[i].id);
        buf_u32le(out, extras->messages[i].length);
        buf_bytes(out, extras->messages[i].text, extras->messages[i].length);
        pad(out, start);
    }
}

static void write_one(const fe_extras *extras, size_t kernels, fe_section which, buf *out) {
    switch (which) {
    case FE_SECTION_ARGS: write_args(extras, kernels, out); break;
    case FE_SECTION_LINE: write_lines(extras, kernels, out); break;
    case FE_SECTION_TEXT: write_messages(extras, out); break;
    case FE_SECTION_REGS: write_registers(extras, kernels, out); break;
    case FE_SECTION_PRIV:
        for (size_t i = 0; i < kernels; i++)
            buf_u32le(out, extras->kernels[i].private_memory);
        break;
    default: buf_bytes(out, extras->constants, extras->constant_size);
    }
}

fe_extras_image fe_extras_write(const fe_extras *extras, size_t kernel_count) {
    fe_extras_image image = {0};
    if (!extras)
        return image;
    image.too_large = extras->file_count > LARGEST;
    for (fe_section which = FE_SECTION_ARGS; which < FE_SECTION_COUNT; which++) {
        if (!fe_has_section(extras, which))
            continue;
        size_t start = image.bytes.size;
        write_one(extras, kernel_count, which, &image.bytes);
        image.too_large |= image.bytes.size > UINT32_MAX;
        image.extended |= fe_section_tag[which][0] < 'a';
        image.section[image.count].which = which;
        image.section[image.count].start = (uint32_t)start;
        image.section[image.count].size = (uint32_t)(image.bytes.size - start);
        image.count++;
    }
    return image;
}

size_t fe_extras_table_size(size_t sections) {
    return sections ? TABLE_HEAD + sections * TABLE_ROW : 0;
}

void fe_extras_put(const fe_extras_image *image, uint32_t end, buf *out) {
    if (image->count == 0)
        return;
    buf_text(out, "WEXT");
    buf_u32le(out, image->count);
    for (unsigned i = 0; i < image->count; i++) {
        buf_text(out, fe_section_tag[image->section[i].which]);
        buf_u32le(out, end + image->section[i].start);
        buf_u32le(out, image->section[i].size);
    }
    buf_bytes(out, image->bytes.data, image->bytes.size);
}
