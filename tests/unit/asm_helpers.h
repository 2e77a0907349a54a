/* Shared by the tests of the assembler and the disassembler: from a source to bytes, words, text or
 * diagnostics. */
#ifndef TESTS_ASM_HELPERS_H
#define TESTS_ASM_HELPERS_H

#include <wave/wave.h>

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct assembled {
    wave_status status;
    wave_blob file;
    wave_diags *diags;
} assembled;

static inline assembled assemble_bytes(const char *source, size_t size, wave_asm_options options) {
    assembled a = {.diags = wave_diags_create(0)};
    cr_assert_not_null(a.diags);
    a.status = wave_assemble(source, size, &options, &a.file, a.diags);
    return a;
}

static inline assembled assemble(const char *source) {
    return assemble_bytes(source, strlen(source), (wave_asm_options){0});
}

static inline assembled assemble_compat(const char *source) {
    return assemble_bytes(source, strlen(source), (wave_asm_options){.compat_upstream = true});
}

static inline void discard(assembled *a) {
    wave_blob_free(&a->file);
    wave_diags_destroy(a->diags);
}

static inline uint32_t u32_at(const wave_blob *file, size_t offset) {
    cr_assert_leq(offset + 4, file->size);
    const uint8_t *b = file->data + offset;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Word `index` of the code section. */
static inline uint32_t word_at(const wave_blob *file, size_t index) {
    return u32_at(file, 32 + 4 * index);
}

static inline uint32_t code_size(const wave_blob *file) {
    return u32_at(file, 12);
}

static inline uint8_t *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f, "%s (tests run from the top of the project)", path);
    uint8_t *data = calloc(1, (1 << 20) + 1); /* text ends in a NUL */
    cr_assert_not_null(data);
    *size = fread(data, 1, 1 << 20, f);
    cr_assert_lt(*size, 1 << 20, "%s is too large", path);
    fclose(f);
    return data;
}

/* The only diagnostic, or the first one, as "CODE line:column". */
static inline void first_diag(const assembled *a, char *text, size_t size) {
    const wave_diag *d = wave_diags_at(a->diags, 0);
    if (d)
        snprintf(text, size, "%s %u:%u", d->code, d->line, d->column);
    else
        snprintf(text, size, "none");
}

#endif
