/* The reader's stages, and the first of them: the header, the byte order, the words. */
#include "spirv/reader.h"

#include <stdlib.h>

static const uint32_t MAGIC = 0x07230203;

static uint32_t little(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t big(const uint8_t *p) {
    return (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

static bool read_words(spirv_reader *r, const uint8_t *data, size_t size) {
    spirv_module *m = r->m;
    if (size < HEADER_WORDS * 4)
        return spirv_fail(r, NULL, DIAG_E_SPIRV_HEADER, "%zu bytes are too few for a SPIR-V module",
                          size);
    bool swapped = big(data) == MAGIC;
    if (!swapped && little(data) != MAGIC)
        return spirv_fail(r, NULL, DIAG_E_SPIRV_HEADER, "the file starts with 0x%08X",
                          little(data));
    if (size % 4 != 0 || size / 4 > UINT32_MAX)
        return spirv_fail(r, NULL, DIAG_E_SPIRV_HEADER,
                          "the size of %zu bytes is not a multiple of 4", size);
    m->word_count = (uint32_t)(size / 4);
    m->words = calloc(m->word_count + (size_t)1, sizeof *m->words);
    if (!m->words)
        return spirv_no_memory(r);
    for (uint32_t i = 0; i < m->word_count; i++)
        m->words[i] = swapped ? big(data + 4 * (size_t)i) : little(data + 4 * (size_t)i);
    return true;
}

static bool read_header(spirv_reader *r) {
    spirv_module *m = r->m;
    m->version = m->words[1];
    m->bound = m->words[3];
    uint32_t minor = m->version >> 8 & 0xFF;
    if ((m->version & 0xFFFF00FF) != 0x00010000 || minor > 6)
        return spirv_fail(r, NULL, DIAG_E_SPIRV_HEADER, "unknown version 0x%08X", m->version);
    if (m->bound == 0 || m->bound > MOST_IDS)
        return spirv_fail(r, NULL, DIAG_E_SPIRV_HEADER, "the id bound %u is not between 1 and %u",
                          m->bound, (unsigned)MOST_IDS);
    if (m->words[4] != 0)
        return spirv_fail(r, NULL, DIAG_E_SPIRV_HEADER, "unknown schema %u", m->words[4]);
    return true;
}

bool spirv_looks_like(const void *data, size_t size) {
    return size >= 4 && (little(data) == MAGIC || big(data) == MAGIC);
}

static bool read(spirv_reader *r, const void *data, size_t size) {
    *r->m = (spirv_module){0};
    return read_words(r, data, size) && read_header(r) && spirv_scan(r) && spirv_form(r) &&
           spirv_locate(r) && spirv_settings(r) && spirv_annotate(r) && spirv_declare(r) &&
           spirv_shape(r) && spirv_enter(r) && spirv_type_check(r);
}

static const spirv_options no_options = {0};

bool spirv_read(const void *data, size_t size, const spirv_options *options, spirv_module *out,
                wave_diags *diags) {
    spirv_reader r = {.m = out, .options = options ? options : &no_options, .diags = diags};
    return read(&r, data, size);
}

bool spirv_read_library(const void *data, size_t size, spirv_module *out, wave_diags *diags) {
    spirv_reader r = {.m = out, .options = &no_options, .diags = diags, .library = true};
    return read(&r, data, size);
}
