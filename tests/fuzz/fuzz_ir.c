/* libFuzzer target: any bytes as IR text. Text that the parser accepts must be printed as the same
 * text, and every pass must leave a function that the verifier accepts. */
#include "fuzz/ir_mutator.h"
#include "ir/passes.h"
#include "ir/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition)
        abort();
}

static void check_identity(const ir_func *f) {
    arena memory = {0};
    buf text = {0}, again = {0};
    ir_func copy;
    ir_print(f, &text);
    require(!text.failed && ir_parse(&copy, (const char *)text.data, text.size, &memory, NULL));
    ir_print(&copy, &again);
    require(again.size == text.size && memcmp(again.data, text.data, text.size) == 0);
    ir_free(&copy);
    buf_free(&text);
    buf_free(&again);
    arena_free(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (unsigned level = 0; level < 2; level++) {
        wave_diags *diags = wave_diags_create(20);
        arena memory = {0};
        ir_func f;
        require(diags != NULL);
        bool ok = ir_parse(&f, (const char *)data, size, &memory, diags);
        require(ok == (wave_diags_total(diags, WAVE_ERROR) == 0));
        if (ok) {
            check_identity(&f);
            ir_pass_options options = {.optimise = level == 1, .verify = true};
            require(ir_run_passes(&f, &options, diags));
        }
        ir_free(&f);
        arena_free(&memory);
        wave_diags_destroy(diags);
    }
    return 0;
}
