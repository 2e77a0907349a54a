/* Builds WBIN files byte by byte for the tests, without the library's writer, and loads them. */
#ifndef TESTS_WBIN_BUILD_H
#define TESTS_WBIN_BUILD_H

#include <wave/wave.h>

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words of some instructions, from the ISA's table. */
enum {
    W_NOP = 0x3F0000F0,
    W_HALT = 0x3F000090,
    W_RETURN = 0x3F000080,
    W_IF_P1 = 0x3F000100,
    W_ELSE = 0x3F000010,
    W_ENDIF = 0x3F000020,
    W_LOOP = 0x3F000030,
    W_BREAK_P2 = 0x3F000240,
    W_CONTINUE_P3 = 0x3F000350,
    W_ENDLOOP = 0x3F000060,
    W_CALL = 0x3F000070, /* then the target's byte offset */
    W_BARRIER = 0x3F0000A0
};

typedef struct wb_kernel {
    const char *name; /* NULL: anonymous */
    uint32_t registers, local, workgroup[3];
    const uint32_t *code;
    size_t words;
} wb_kernel;

typedef struct wb_file {
    uint8_t *bytes;
    size_t size;
    uint32_t code, symbols, metadata; /* offsets of the sections */
} wb_file;

static inline void wb_put16(uint8_t *at, unsigned value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void wb_put32(uint8_t *at, uint32_t value) {
    wb_put16(at, value & 0xFFFF);
    wb_put16(at + 2, value >> 16);
}

static inline uint32_t wb_get32(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Sections in the usual order; a file of anonymous kernels is a stripped one. */
static inline wb_file wb_build(const wb_kernel *kernels, size_t count, unsigned flags) {
    size_t code = 0, symbols = 0;
    for (size_t i = 0; i < count; i++) {
        code += kernels[i].words * 4;
        symbols += kernels[i].name ? strlen(kernels[i].name) + 1 : 0;
    }
    wb_file f = {.size = 32 + code + symbols + 4 + 32 * count, .code = 32};
    f.symbols = (uint32_t)(32 + code);
    f.metadata = (uint32_t)(f.symbols + symbols);
    f.bytes = calloc(f.size, 1);
    cr_assert_not_null(f.bytes);
    memcpy(f.bytes, "WAVE", 4);
    wb_put16(f.bytes + 4, 1);
    wb_put16(f.bytes + 6, flags);
    const uint32_t header[6] = {32,
                                (uint32_t)code,
                                symbols ? f.symbols : 0,
                                (uint32_t)symbols,
                                f.metadata,
                                (uint32_t)(4 + 32 * count)};
    for (size_t i = 0; i < 6; i++)
        wb_put32(f.bytes + 8 + 4 * i, header[i]);
    wb_put32(f.bytes + f.metadata, (uint32_t)count);
    uint32_t code_at = 0, name_at = f.symbols;
    for (size_t i = 0; i < count; i++) {
        const wb_kernel *k = &kernels[i];
        for (size_t w = 0; w < k->words; w++)
            wb_put32(f.bytes + 32 + code_at + 4 * w, k->code[w]);
        const uint32_t record[8] = {
            k->name ? name_at : 0, k->registers,    k->local, k->workgroup[0],
            k->workgroup[1],       k->workgroup[2], code_at,  (uint32_t)(k->words * 4)};
        for (size_t r = 0; r < 8; r++)
            wb_put32(f.bytes + f.metadata + 4 + 32 * i + 4 * r, record[r]);
        if (k->name) {
            memcpy(f.bytes + name_at, k->name, strlen(k->name) + 1);
            name_at += (uint32_t)strlen(k->name) + 1;
        }
        code_at += (uint32_t)(k->words * 4);
    }
    return f;
}

/* One kernel `k` of 64 registers. */
static inline wb_file wb_code(const uint32_t *code, size_t words) {
    const wb_kernel k = {.name = "k", .registers = 64, .code = code, .words = words};
    return wb_build(&k, 1, 0);
}

typedef struct wb_result {
    wave_status status;
    wave_module *module;
    wave_diags *diags;
} wb_result;

static inline wb_result wb_load_with(const void *bytes, size_t size, wave_load_options options) {
    wb_result r = {.diags = wave_diags_create(0)};
    cr_assert_not_null(r.diags);
    r.status = wave_module_load(bytes, size, &options, &r.module, r.diags);
    cr_assert_eq(r.status == WAVE_OK, r.module != NULL);
    cr_assert_eq(r.status == WAVE_OK, wave_diags_total(r.diags, WAVE_ERROR) == 0);
    return r;
}

static inline wb_result wb_load(const wb_file *f, wave_mode mode) {
    return wb_load_with(f->bytes, f->size, (wave_load_options){.mode = mode});
}

static inline void wb_free(wb_result *r) {
    wave_module_destroy(r->module);
    wave_diags_destroy(r->diags);
}

/* "E_A W_B": the codes in the order of the reports, errors and warnings. */
static inline const char *wb_codes(const wave_diags *diags, char *out, size_t size) {
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < wave_diags_count(diags) && used < size; i++) {
        const wave_diag *d = wave_diags_at(diags, i);
        used += (size_t)snprintf(out + used, size - used, "%s%s%s", i ? " " : "", d->code,
                                 d->code[0] == 'E' && d->severity == WAVE_WARNING ? "?" : "");
    }
    return out;
}

/* Checks that loading the bytes reports exactly these codes; "?" after one marks an E_ code that is
 * a warning in this mode. Every report must carry a message and a hint. */
static inline void wb_expect_with(const void *bytes, size_t size, wave_load_options options,
                                  const char *codes, const char *where) {
    char got[1000];
    wb_result r = wb_load_with(bytes, size, options);
    wb_codes(r.diags, got, sizeof got);
    cr_expect_str_eq(got, codes, "%s: expected \"%s\", got \"%s\"", where, codes, got);
    for (size_t i = 0; i < wave_diags_count(r.diags); i++) {
        const wave_diag *d = wave_diags_at(r.diags, i);
        cr_expect(d->message && *d->message && d->hint && *d->hint, "%s: %s", where, d->code);
    }
    wb_free(&r);
}

static inline void wb_expect(const wb_file *f, wave_mode mode, const char *codes,
                             const char *where) {
    wb_expect_with(f->bytes, f->size, (wave_load_options){.mode = mode}, codes, where);
}

#define WB_COUNT(array) (sizeof(array) / sizeof *(array))

#endif
