/* For the emulator tests: assemble a program, launch it, inspect memory and diagnostics. */
#ifndef TESTS_UNIT_EMU_HELPERS_H
#define TESTS_UNIT_EMU_HELPERS_H

#include <wave/emu.h>

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EMU_WORDS = 4096 };

typedef struct emu_case {
    wave_blob file;
    wave_module *module;
    wave_diags *diags;
    wave_launch launch;
    wave_stats stats;
    uint32_t *memory; /* EMU_WORDS words of device memory */
} emu_case;

/* Thread t of one row: r1 = t, r2 = 4 t. */
#define EMU_THREAD "mov_sr r1, sr_thread_id_x\n mov_imm r2, 2\n shl r2, r1, r2\n"
/* r20 … r29 = 0 … 9 */
#define EMU_DIGITS                                                                                 \
    "mov_imm r20, 0\n mov_imm r21, 1\n mov_imm r22, 2\n mov_imm r23, 3\n mov_imm r24, 4\n"         \
    "mov_imm r25, 5\n mov_imm r26, 6\n mov_imm r27, 7\n mov_imm r28, 8\n mov_imm r29, 9\n"

static inline void emu_print_diags(const wave_diags *diags) {
    wave_blob text;
    if (wave_diags_format(diags, "test", WAVE_DIAG_TEXT, &text) == WAVE_OK) {
        fputs((const char *)text.data, stderr);
        wave_blob_free(&text);
    }
}

static inline emu_case emu_open_mode(const char *source, wave_mode mode) {
    emu_case c = {.diags = wave_diags_create(0)};
    cr_assert_not_null(c.diags);
    wave_status status = wave_assemble(source, strlen(source), NULL, &c.file, c.diags);
    const wave_load_options options = {.mode = mode};
    if (status == WAVE_OK)
        status = wave_module_load(c.file.data, c.file.size, &options, &c.module, c.diags);
    if (status != WAVE_OK)
        emu_print_diags(c.diags);
    cr_assert_eq(status, WAVE_OK);
    c.memory = calloc(EMU_WORDS, sizeof *c.memory);
    cr_assert_not_null(c.memory);
    wave_launch_init(&c.launch);
    c.launch.device_memory = (uint8_t *)c.memory;
    c.launch.device_size = EMU_WORDS * sizeof *c.memory;
    return c;
}

static inline emu_case emu_open(const char *source) {
    return emu_open_mode(source, WAVE_MODE_DEFAULT);
}

/* A kernel of 32 registers around the code. */
static inline emu_case emu_open_code(const char *code) {
    size_t size = strlen(code) + 64;
    char *source = malloc(size);
    cr_assert_not_null(source);
    snprintf(source, size, ".kernel k\n.registers 32\n%s\n.end\n", code);
    emu_case c = emu_open(source);
    free(source);
    return c;
}

/* The same around two parts of the code, with a halt at the end. */
static inline emu_case emu_open_parts(const char *start, const char *code) {
    size_t size = strlen(start) + strlen(code) + 16;
    char *text = malloc(size);
    cr_assert_not_null(text);
    snprintf(text, size, "%s%s\nhalt\n", start, code);
    emu_case c = emu_open_code(text);
    free(text);
    return c;
}

/* A kernel of 32 registers for this many threads in waves of this width. */
static inline emu_case emu_open_threads(const char *code, uint32_t threads, uint32_t width) {
    emu_case c = emu_open_code(code);
    c.launch.workgroup[0] = threads;
    c.launch.wave_width = width;
    return c;
}

/* Clears the diagnostics of loading, so that the list has only the emulator's. */
static inline void emu_start(emu_case *c) {
    wave_diags_destroy(c->diags);
    c->diags = wave_diags_create(0);
    c->launch.stats = &c->stats;
}

static inline wave_status emu_run(emu_case *c) {
    emu_start(c);
    return wave_emulate(c->module, &c->launch, c->diags);
}

static inline void emu_run_ok(emu_case *c) {
    wave_status status = emu_run(c);
    if (status != WAVE_OK)
        emu_print_diags(c->diags);
    cr_assert_eq(status, WAVE_OK);
}

static inline const wave_diag *emu_find(const emu_case *c, const char *code) {
    for (size_t i = 0; i < wave_diags_count(c->diags); i++)
        if (strcmp(wave_diags_at(c->diags, i)->code, code) == 0)
            return wave_diags_at(c->diags, i);
    return NULL;
}

/* The only error of the run; its message must contain these words. */
static inline const wave_diag *emu_expect_error(const emu_case *c, const char *code,
                                                const char *words) {
    const wave_diag *d = emu_find(c, code);
    if (!d)
        emu_print_diags(c->diags);
    cr_assert_not_null(d, "%s is not reported", code);
    cr_expect_eq(wave_diags_total(c->diags, WAVE_ERROR), 1);
    cr_expect_not_null(strstr(d->message, words), "\"%s\" is not in \"%s\"", words, d->message);
    return d;
}

static inline void emu_close(emu_case *c) {
    wave_module_destroy(c->module);
    wave_blob_free(&c->file);
    wave_diags_destroy(c->diags);
    free(c->memory);
}

#endif
