/* The libFuzzer target that compiles programs for one target; the including file defines
 * FUZZ_TARGET. The first two bytes are options; the rest is either a complete WBIN file or chooses
 * instructions one by one. The verifier runs after every pass: whatever it finds is a defect of the
 * compiler, never of the input. */
#define PROGRAM_AT 2
#include "fuzz/program.h"

#include <wave/compile.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition)
        abort();
}

/* Errors that no input may cause. */
static bool is_ours(const wave_diags *diags) {
    for (size_t k = 0; k < wave_diags_count(diags); k++)
        if (strcmp(wave_diags_at(diags, k)->code, "E_IR") == 0)
            return true;
    return false;
}

static void check_text(const wave_blob *text) {
    require(text->data && text->size > 0 && text->data[text->size] == '\0');
    require(memchr(text->data, '\0', text->size) == NULL);
}

static void compile(const wave_module *module, uint32_t flags) {
    wave_compile_options options;
    wave_diags *diags = wave_diags_create(20);
    wave_blob text, again;
    require(diags != NULL);
    wave_compile_init(&options);
    options.target = (wave_target)wave_target_find(FUZZ_TARGET);
    options.verify_ir = true;
    options.optimise = flags & 1;
    options.bounds = flags & 2;
    options.debug = flags & 4;
    options.fast_math = flags & 8;
    options.assert_trap = flags & 16;
    options.source = flags & 32 ? "a \"name\" \\ with\nlines */ // in it" : NULL;
    wave_status status = wave_compile(module, &options, &text, diags);
    require(status == WAVE_OK || status == WAVE_ERROR_INPUT);
    require(!is_ours(diags));
    require((status == WAVE_OK) == (wave_diags_total(diags, WAVE_ERROR) == 0));
    require((status == WAVE_OK) == (text.data != NULL));
    if (status == WAVE_OK) {
        check_text(&text);
        options.verify_ir = false; /* verifying must not change anything */
        require(wave_compile(module, &options, &again, NULL) == WAVE_OK);
        require(again.size == text.size && memcmp(again.data, text.data, text.size) == 0);
        wave_blob_free(&again);
        require(wave_reflect(module, &options, &again, NULL) == WAVE_OK);
        wave_blob_free(&again);
        require(wave_host_header(module, &options, "GUARD_H", &again, NULL) == WAVE_OK);
        wave_blob_free(&again);
    }
    wave_blob_free(&text);
    wave_diags_destroy(diags);
}

static void load_and_compile(const uint8_t *data, size_t size, uint32_t flags, wave_mode mode) {
    const wave_load_options options = {.mode = mode};
    wave_module *module = NULL;
    if (wave_module_load(data, size, &options, &module, NULL) == WAVE_OK)
        compile(module, flags);
    wave_module_destroy(module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static writer w;
    source from = {data, size};
    uint32_t flags = take(&from), shape = take(&from);
    wave_mode mode = shape & 2 ? WAVE_MODE_LENIENT : WAVE_MODE_DEFAULT;
    if (!(shape & 1)) {
        load_and_compile(from.data, from.size, flags, mode);
        return 0;
    }
    w = (writer){.from = &from};
    write_program(&w);
    const fe_record record = {
        .name = "k",
        .name_length = 1,
        .registers = shape & 4 ? 8 : 0,
        .local_memory = shape & 8 ? 128 : 0,
        .workgroup = {shape & 16 ? 64 : 0, shape & 16 ? 2 : 0, shape & 16 ? 1 : 0},
        .code = w.code.data,
        .code_size = (uint32_t)w.code.size};
    buf file = {0};
    if (fe_write_container(&record, 1, true, shape & 32, false, NULL, &file) && !file.failed)
        load_and_compile(file.data, file.size, flags, mode);
    buf_free(&file);
    buf_free(&w.code);
    return 0;
}
