/* See emu_test.h. */
#include "cli/emu_test.h"

#include <stdio.h>
#include <string.h>

static bool lists_width(const tf_test *test, uint32_t width) {
    for (size_t k = 0; k < test->width_count; k++)
        if (test->widths[k] == width)
            return true;
    return false;
}

int emu_test_read(emu_test *t, emu_options *o, const cli_input *input) {
    char why[300];
    if (cli_is_wbin(input))
        return cli_fail(EMU_TOOL, "--test needs assembly with ;@ lines, and %s is a WBIN file",
                        input->name);
    t->test = tf_parse((const char *)input->data, input->size, why, sizeof why);
    if (!t->test) {
        cli_fail(EMU_ERROR, "%s: %s", input->name, why);
        return CLI_BAD_INPUT;
    }
    t->test->path = input->name;
    uint32_t width = o->width_given ? o->launch.wave_width : t->test->widths[0];
    if (!lists_width(t->test, width))
        return cli_fail(EMU_TOOL, "%s does not support waves of %u lanes", input->name,
                        (unsigned)width);
    if (!tf_instantiate(t->test, width, &t->run, why, sizeof why)) {
        cli_fail(EMU_ERROR, "%s: %s", input->name, why);
        return CLI_BAD_INPUT;
    }
    uint64_t limit = o->launch.max_instructions;
    tf_fill_launch(t->test, &t->run, &o->launch);
    if (o->limit_given)
        o->launch.max_instructions = limit;
    o->kernel = t->test->kernel;
    if (t->test->lenient && !o->reading.strict)
        o->load.mode = WAVE_MODE_LENIENT;
    memcpy(o->registers, t->run.args, sizeof t->run.args);
    return CLI_OK;
}

bool emu_test_fill(const emu_test *t, emu_arena *arena) {
    memcpy(arena->data, t->run.memory, (size_t)t->run.size);
    for (size_t k = 0; k < t->run.initialised_count; k++) {
        wave_range *range = emu_add(&arena->initialised, sizeof *range);
        if (!range)
            return false;
        *range = t->run.initialised[k];
    }
    return true;
}

bool emu_test_compare(const emu_test *t, const emu_arena *arena, const char *name) {
    char report[2000];
    if (t->test->fails || t->test->bounded) /* the expectations are for targets */
        return true;
    if (tf_compare(t->test, &t->run, arena->data, report, sizeof report)) {
        cli_fail(EMU_TOOL, "memory is what %s expects", name);
        return true;
    }
    cli_fail(EMU_ERROR, "memory is not what %s expects", name);
    cli_put_text(stderr, report, true);
    return false;
}

void emu_test_free(emu_test *t) {
    tf_run_free(&t->run);
    tf_destroy(t->test);
}
