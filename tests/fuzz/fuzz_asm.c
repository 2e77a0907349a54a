/* libFuzzer target: passes any text to the assembler, in both dialects. Text that assembles must
 * disassemble to text that assembles to the same bytes. */
#include <wave/wave.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
    if (!condition)
        abort();
}

static void check_round_trip(const wave_blob *file) {
    wave_blob text, again;
    const wave_dis_options with_lines = {.source = true};
    require(wave_disassemble(file->data, file->size, &with_lines, &text, NULL) == WAVE_OK);
    require(wave_assemble((const char *)text.data, text.size, NULL, &again, NULL) == WAVE_OK);
    require(again.size == file->size && memcmp(again.data, file->data, file->size) == 0);
    wave_blob_free(&text);
    wave_blob_free(&again);
}

/* Also builds and prints diagnostics, in all styles. */
static void check_dialect(const uint8_t *data, size_t size, wave_asm_options options) {
    wave_diags *diags = wave_diags_create(5);
    wave_blob file, text;
    require(diags != NULL);
    wave_status status = wave_assemble((const char *)data, size, &options, &file, diags);
    require(status == WAVE_OK || status == WAVE_ERROR_INPUT);
    require((status == WAVE_OK) == (wave_diags_total(diags, WAVE_ERROR) == 0));
    require((status == WAVE_OK) == (file.data != NULL));
    for (wave_diag_style style = WAVE_DIAG_TEXT; style <= WAVE_DIAG_JSON; style++) {
        require(wave_diags_format(diags, "input", style, &text) == WAVE_OK);
        wave_blob_free(&text);
    }
    if (status == WAVE_OK && !options.compat_upstream)
        check_round_trip(&file);
    wave_blob_free(&file);
    wave_diags_destroy(diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    check_dialect(data, size, (wave_asm_options){0});
    check_dialect(data, size, (wave_asm_options){.debug = true, .file = "input"});
    check_dialect(data, size, (wave_asm_options){.compat_upstream = true, .no_symbols = true});
    return 0;
}
