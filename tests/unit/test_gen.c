/* The generator of random programs: its guarantees for every program, checked over many seeds.
 * wave-diff checks whether targets agree on them. */
#include "frontend/frontend.h"
#include "gen/gen.h"
#include "testfile/testfile.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <wave/emu.h>

enum { SEEDS = 1500, EMULATED = 150 };

typedef struct program {
    char *text;
    size_t size;
    wave_blob binary;
    wave_module *module;
    wave_diags *diags;
} program;

static program make(const gen_options *options) {
    program p = {0};
    p.text = gen_program(options, &p.size);
    cr_assert(p.text);
    p.diags = wave_diags_create(0);
    cr_assert(wave_assemble(p.text, p.size, NULL, &p.binary, p.diags) == WAVE_OK, "seed %llu",
              (unsigned long long)options->seed);
    cr_assert(wave_module_load(p.binary.data, p.binary.size, NULL, &p.module, p.diags) == WAVE_OK,
              "seed %llu", (unsigned long long)options->seed);
    return p;
}

static program make_default(uint64_t seed) {
    gen_options options;
    gen_options_init(&options, seed);
    return make(&options);
}

static void drop(program *p) {
    wave_module_destroy(p->module);
    wave_blob_free(&p->binary);
    wave_diags_destroy(p->diags);
    free(p->text);
}

Test(gen, every_instruction_guard_and_special_register_is_generated) {
    unsigned seen[ISA_OP_COUNT] = {0}, guards[8] = {0};
    unsigned specials[ISA_SPECIAL_COUNT] = {0}, negated = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        program p = make_default(seed);
        const fe_kernel *k = &p.module->kernels[0];
        for (uint32_t i = 0; i < k->info.instructions; i++) {
            const fe_insn *in = &k->insns[i];
            seen[in->op]++;
            guards[in->guard]++;
            if (in->op == ISA_MOV_SR)
                specials[in->field[ISA_FIELD_RS1]]++;
            negated += in->op == ISA_IF && (in->field[ISA_FIELD_RS1] & FE_OPERAND_NEG);
        }
        drop(&p);
    }
    for (int k = 1; k < ISA_OP_COUNT; k++)
        cr_expect(seen[k] > 0, "%s is never generated", isa_table[k].mnemonic);
    for (unsigned k = 0; k < 8; k++)
        cr_expect(guards[k] > 0, "guard @%sp%u", k / 4 ? "!" : "", k % 4);
    for (unsigned k = 0; k < ISA_SPECIAL_COUNT; k++)
        cr_expect(specials[k] > 0, "%s", isa_special_name[k]);
    cr_expect(negated > 0);
}

/* Some of the programs end without a halt, which causes a warning. */
Test(gen, programs_load_without_other_warnings) {
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        program p = make_default(seed);
        bool falls_off = strstr(p.text, ";@ allow   W_NO_TERMINATOR");
        cr_expect(wave_diags_count(p.diags) == falls_off, "seed %llu", (unsigned long long)seed);
        drop(&p);
    }
}

Test(gen, the_seed_determines_the_program) {
    program a = make_default(7), b = make_default(7), c = make_default(8);
    cr_expect(a.size == b.size && memcmp(a.text, b.text, a.size) == 0);
    cr_expect(a.size != c.size || memcmp(a.text, c.text, a.size) != 0);
    drop(&a);
    drop(&b);
    drop(&c);
}

/* Without a feature none of its instructions is generated. */
Test(gen, features_can_be_left_out) {
    for (uint64_t seed = 1; seed <= 200; seed++) {
        gen_options options;
        gen_options_init(&options, seed);
        options.percent[GEN_DOUBLE] = options.percent[GEN_BARRIERS] = 0;
        options.percent[GEN_WAVES] = options.percent[GEN_CALLS] = options.percent[GEN_PATH] = 0;
        options.percent[GEN_FENCES] = options.percent[GEN_EXCHANGE] = 0; /* the waves' too */
        options.percent[GEN_TILES] = 0;
        program p = make(&options);
        const uint32_t without =
            WAVE_USES_F64 | WAVE_USES_BARRIER | WAVE_USES_WAVE_OPS | WAVE_USES_CALL;
        cr_expect((wave_module_kernel(p.module, 0)->uses & without) == 0, "seed %llu",
                  (unsigned long long)seed);
        drop(&p);
    }
}

/* The program ends, reads nothing uninitialised, has no race, and follows the planned paths. */
static void emulate(const program *p, uint64_t seed, uint32_t width) {
    char text[2000];
    tf_test *test = tf_parse(p->text, p->size, text, sizeof text);
    tf_run run;
    cr_assert(test && tf_instantiate(test, width, &run, text, sizeof text));
    wave_launch launch;
    wave_launch_init(&launch);
    memcpy(launch.grid, run.grid, sizeof launch.grid);
    memcpy(launch.workgroup, run.group, sizeof launch.workgroup);
    launch.wave_width = width;
    launch.initial = run.args;
    launch.initial_count = run.arg_count;
    launch.device_memory = malloc(run.size);
    launch.device_size = run.size;
    memcpy(launch.device_memory, run.memory, run.size);
    launch.max_instructions = 2000000;
    launch.checks = WAVE_CHECK_RACE | WAVE_CHECK_UNINIT;
    launch.initialised = run.initialised;
    launch.initialised_count = run.initialised_count;
    launch.initialised_known = true;
    cr_expect(wave_emulate(p->module, &launch, p->diags) == WAVE_OK, "seed %llu at width %u",
              (unsigned long long)seed, width);
    cr_expect(wave_diags_total(p->diags, WAVE_ERROR) == 0);
    cr_expect(tf_compare(test, &run, launch.device_memory, text, sizeof text), "seed %llu: %s",
              (unsigned long long)seed, text);
    free(launch.device_memory);
    tf_run_free(&run);
    tf_destroy(test);
}

Test(gen, programs_run_clean_at_widths_from_4_to_64) {
    for (uint64_t seed = 1; seed <= EMULATED; seed++) {
        program p = make_default(seed);
        for (uint32_t width = 4; width <= 64; width *= 2)
            emulate(&p, seed, width);
        drop(&p);
    }
}

Test(gen, the_emulator_takes_the_planned_paths) {
    for (uint64_t seed = 1; seed <= EMULATED; seed++) {
        gen_options options;
        gen_options_init(&options, seed);
        options.percent[GEN_PATH] = 100;
        options.percent[GEN_DEEP] = 20;
        program p = make(&options);
        cr_expect(strstr(p.text, ";@ expect  trace"));
        emulate(&p, seed, 4u << seed % 5);
        drop(&p);
    }
}
