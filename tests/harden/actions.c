/* The table of the library's actions, and the files they are applied to. Variants combine the
 * options of a call. */
#include "harden/actions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a */
static uint64_t hashed(uint64_t hash, const void *data, size_t size) {
    const uint8_t *bytes = data;
    for (size_t k = 0; k < size; k++)
        hash = (hash ^ bytes[k]) * 0x100000001B3u;
    return hash;
}

static void take(outcome *o, wave_blob *blob) {
    o->hash = hashed(o->hash, blob->data, blob->size);
    wave_blob_free(blob);
}

/* ---- Actions on a subject ---- */

static void do_assemble(const subject *s, unsigned variant, wave_diags *diags, outcome *o) {
    static const char *const defines[] = {"NUMBER=1"};
    wave_blob out, lines = {0};
    const wave_asm_options options = {.compat_upstream = variant & 1,
                                      .no_symbols = variant & 1,
                                      .debug = variant & 2,
                                      .file = "input.wave",
                                      .defines = defines,
                                      .define_count = variant & 2 ? 1 : 0,
                                      .lines = variant & 2 ? &lines : NULL};
    o->status = wave_assemble(s->source, s->size, &options, &out, diags);
    take(o, &out);
    take(o, &lines);
}

static void do_load(const subject *s, unsigned variant, wave_diags *diags, outcome *o) {
    const wave_load_options options = {.mode = (wave_mode)(variant % 3),
                                       .compat = variant >= 3,
                                       .fix_upstream_cas = variant >= 3,
                                       .fix_upstream_cvt = variant >= 3};
    wave_module *module;
    o->status = wave_module_load(s->binary.data, s->binary.size, &options, &module, diags);
    for (size_t k = 0; module && k < wave_module_kernel_count(module); k++)
        o->hash = hashed(o->hash, wave_module_kernel(module, k)->name,
                         strlen(wave_module_kernel(module, k)->name));
    wave_module_destroy(module);
}

/* Truncated files, one to seven eighths of the whole, which cause errors. */
static void do_load_cut(const subject *s, unsigned variant, wave_diags *diags, outcome *o) {
    wave_module *module;
    size_t size = s->binary.size * (variant + 1) / 8;
    o->status = wave_module_load(s->binary.data, size, NULL, &module, diags);
    wave_module_destroy(module);
}

static void do_disassemble(const subject *s, unsigned variant, wave_diags *diags, outcome *o) {
    const wave_dis_options options = {.load.mode = WAVE_MODE_LENIENT,
                                      .offsets = variant & 1,
                                      .raw = variant & 1,
                                      .color = variant & 1,
                                      .json = variant & 2,
                                      .source = variant & 1};
    wave_blob out;
    o->status = wave_disassemble(s->binary.data, s->binary.size, &options, &out, diags);
    take(o, &out);
}

static void take_profile(outcome *o, wave_profile *profile) {
    for (int style = WAVE_PROFILE_TEXT; profile && style <= WAVE_PROFILE_HTML; style++) {
        wave_blob out = {0};
        wave_status status = wave_profile_format(profile, "title", (wave_profile_style)style, &out);
        if (status == WAVE_ERROR_MEMORY)
            o->status = status;
        take(o, &out);
    }
    wave_profile_destroy(profile);
}

static bool frames(void *user, const wave_step *step) {
    wave_blob out = {0};
    outcome *o = user;
    if (wave_step_frames(step, &out) == WAVE_OK)
        wave_blob_free(&out);
    else
        o->errors++;
    return true;
}

static void set_up_launch(const subject *s, wave_launch *launch, uint8_t *memory) {
    memcpy(memory, s->run.memory, s->run.size);
    wave_launch_init(launch);
    launch->kernel = s->kernel;
    memcpy(launch->grid, s->run.grid, sizeof launch->grid);
    memcpy(launch->workgroup, s->run.group, sizeof launch->workgroup);
    launch->device_memory = memory;
    launch->device_size = s->run.size;
    launch->initial = s->run.args;
    launch->initial_count = s->run.arg_count;
    launch->max_instructions = 500;
}

static void do_emulate(const subject *s, unsigned variant, wave_diags *diags, outcome *o) {
    uint8_t *memory = o->memory;
    wave_stats stats;
    wave_profile *profile = NULL;
    outcome watched = {0};
    const wave_observer watcher = {.user = &watched, .before = frames};
    wave_launch launch;
    if (s->run.size > ACTION_MEMORY)
        return;
    set_up_launch(s, &launch, memory);
    launch.random_schedule = variant & 1;
    launch.scoped_memory = variant & 4;
    launch.lockstep = (variant & 6) == 6;
    launch.checks = variant & 2 ? WAVE_CHECK_RACE | WAVE_CHECK_UNINIT : 0;
    launch.initialised = s->run.initialised;
    launch.initialised_count = s->run.initialised_count;
    launch.initialised_known = true;
    if (variant & 1) {
        launch.stats = &stats;
        launch.profile = &profile;
        launch.observers = &watcher;
        launch.observer_count = 1;
    }
    o->status = wave_emulate(s->module, &launch, diags);
    if (o->status == WAVE_OK)
        o->hash = hashed(o->hash, memory, s->run.size);
    take_profile(o, profile);
    if (variant & 1 && o->status == WAVE_OK) {
        wave_blob out = {0};
        o->status = wave_stats_format(&stats, &out);
        take(o, &out);
    }
    if (watched.errors)
        o->status = WAVE_ERROR_MEMORY;
}

static void do_emulate_seeds(const subject *s, unsigned variant, wave_diags *diags, outcome *o) {
    const wave_sweep sweep = {.runs = 2, .schedules = true, .memories = variant};
    wave_launch launch;
    if (s->run.size > ACTION_MEMORY)
        return;
    set_up_launch(s, &launch, o->memory);
    launch.random_schedule = true;
    launch.scoped_memory = variant;
    o->status = wave_emulate_seeds(s->module, &launch, &sweep, diags);
    if (o->status == WAVE_OK)
        o->hash = hashed(o->hash, o->memory, s->run.size);
}

/* Variants are combinations of the targets and these. */
enum { COMPILE_WAYS = 5 };

static void set_up(wave_compile_options *options, unsigned variant, wave_blob *dump) {
    wave_compile_init(options);
    options->target = (wave_target)(variant / COMPILE_WAYS);
    options->optimise = variant % COMPILE_WAYS != 0;
    options->source = "input.wave";
    options->command = "a test";
    options->verify_ir = variant % COMPILE_WAYS == 2;
    if (variant % COMPILE_WAYS == 2) {
        options->bounds = options->debug = true;
        options->native_mma = options->extensions = options->always = true;
        options->warn = options->warn_width = true;
        options->dump_ir = "all";
        options->dump = dump;
    }
    options->fast_math = options->lockstep = variant % COMPILE_WAYS == 3;
    options->warn_order = variant % COMPILE_WAYS == 0;
    options->debug |= variant % COMPILE_WAYS == 3;
    options->deterministic = variant % COMPILE_WAYS == 4;
}

static void do_compile(const subject *s, unsigned variant, wave_diags *diags, outcome *o) {
    wave_compile_options options;
    wave_blob out, dump = {0};
    set_up(&options, variant, &dump);
    o->status = wave_compile(s->module, &options, &out, diags);
    take(o, &out);
    wave_blob_free(&dump);
}

static void do_check(const subject *s, unsigned variant, wave_diags *diags, outcome *o) {
    if (variant < 2)
        o->status = wave_check_order(s->module, variant ? 64 : 0, diags);
    else if (variant == 2)
        o->status = wave_check_kernels(s->module, 64, false, diags);
    else
        o->status = wave_check_arguments(s->module, diags);
}

static void do_strip(const subject *s, unsigned variant, wave_diags *diags, outcome *o) {
    const wave_load_options lenient = {.mode = WAVE_MODE_LENIENT};
    wave_blob out;
    (void)variant;
    o->status = wave_strip(s->binary.data, s->binary.size, &lenient, &out, diags);
    take(o, &out);
}

static void do_compile_ir(const subject *s, unsigned variant, wave_diags *diags, outcome *o) {
    wave_compile_options options;
    wave_blob out;
    set_up(&options, variant * COMPILE_WAYS + 1, NULL);
    o->status = wave_compile_ir(s->ir, s->ir_size, &options, &out, diags);
    take(o, &out);
}

static void do_describe(const subject *s, unsigned variant, wave_diags *diags, outcome *o) {
    wave_compile_options options;
    wave_blob out;
    set_up(&options, variant / 2 * COMPILE_WAYS, NULL);
    o->status = variant % 2 ? wave_host_header(s->module, &options, "GUARD_H", &out, diags)
                            : wave_reflect(s->module, &options, &out, diags);
    take(o, &out);
}

static void do_instructions(const subject *s, unsigned variant, wave_diags *diags, outcome *o) {
    (void)variant;
    (void)diags;
    wave_blob out = {0};
    o->status = wave_instruction_text(s->module, s->kernel, 0, &out);
    take(o, &out);
}

/* The source with truncated lines: every kind of diagnostic of the assembler, in all styles. */
static void do_complain(const subject *s, unsigned variant, wave_diags *diags, outcome *o) {
    wave_blob out, text = {0};
    o->status = wave_assemble(s->source + variant % 7, s->size - s->size / 5 - variant % 7, NULL,
                              &out, diags);
    take(o, &out);
    if (diags &&
        wave_diags_format(diags, "input", (wave_diag_style)(variant % 3), &text) != WAVE_OK)
        o->status = WAVE_ERROR_MEMORY;
    wave_blob_free(&text);
}

static void do_convert(const subject *s, unsigned variant, wave_diags *diags, outcome *o) {
    const wave_spirv_options options = {.no_optimise = variant, .debug = true};
    wave_blob out;
    o->status = wave_from_spirv(s->source, s->size, &options, &out, diags);
    take(o, &out);
}

const action actions[] = {
    {"assemble", do_assemble, 4, false, false, false},
    {"complain", do_complain, 7, false, false, false},
    {"load", do_load, 6, false, true, false},
    {"load a part", do_load_cut, 7, false, true, false},
    {"disassemble", do_disassemble, 4, false, true, false},
    {"instruction", do_instructions, 1, false, true, false},
    {"emulate", do_emulate, 8, true, true, false},
    {"compile", do_compile, COMPILE_WAYS *WAVE_TARGET_COUNT, false, true, false},
    {"emulate seeds", do_emulate_seeds, 2, true, true, false},
    {"check", do_check, 4, false, true, false},
    {"strip", do_strip, 1, false, true, false},
    {"compile IR", do_compile_ir, WAVE_TARGET_COUNT, false, true, false},
    {"describe", do_describe, 2 * WAVE_TARGET_COUNT, false, true, false},
    {"convert", do_convert, 2, false, false, true},
};

const size_t action_count = sizeof actions / sizeof *actions;

/* ---- Subjects ---- */

bool subject_open(subject *s, const char *path) {
    char error[300] = "";
    *s = (subject){.path = path};
    s->source = tf_read_file(path, &s->size);
    s->spirv = s->source && s->size >= 4 && memcmp(s->source, "\3\2#\a", 4) == 0;
    if (s->spirv)
        return true;
    s->test = s->source ? tf_parse(s->source, s->size, error, sizeof error) : NULL;
    const wave_load_options lenient = {.mode = WAVE_MODE_LENIENT};
    if (!s->source || (s->test && !tf_instantiate(s->test, 32, &s->run, error, sizeof error))) {
        printf("FAIL %s: %s\n", path, s->source ? error : "cannot be read");
        return false;
    }
    if (wave_assemble(s->source, s->size, NULL, &s->binary, NULL) != WAVE_OK ||
        wave_module_load(s->binary.data, s->binary.size, &lenient, &s->module, NULL) != WAVE_OK)
        return true; /* usable only by the assembler */
    long kernel =
        s->test && s->test->kernel ? wave_module_find_kernel(s->module, s->test->kernel) : 0;
    s->kernel = kernel < 0 ? 0 : (size_t)kernel;
    wave_compile_options options;
    const char *name = wave_module_kernel(s->module, s->kernel)->name;
    wave_blob out, dump = {0};
    wave_compile_init(&options);
    options.kernels = &name;
    options.kernel_count = 1;
    options.dump_ir = "build";
    options.dump = &dump;
    bool ok = wave_compile(s->module, &options, &out, NULL) == WAVE_OK;
    wave_blob_free(&out);
    s->ir = (char *)dump.data;
    s->ir_size = dump.size;
    if (!ok)
        printf("FAIL %s: does not compile\n", path);
    return ok;
}

/* A file that does not validate is usable only by the assembler, one without a launch not by the
 * emulator. */
bool subject_fits(const subject *s, const action *a) {
    return s->spirv == a->spirv && (s->module || !a->module) && (s->test || !a->launch);
}

void subject_close(subject *s) {
    wave_module_destroy(s->module);
    wave_blob_free(&s->binary);
    tf_run_free(&s->run);
    tf_destroy(s->test);
    free(s->ir);
    free((void *)s->source);
}

/* ---- Running ---- */

outcome action_run(const subject *s, const action *a, unsigned variant, uint8_t *memory) {
    outcome o = {.status = WAVE_ERROR_MEMORY, .hash = 0xCBF29CE484222325u, .memory = memory};
    wave_diags *diags = wave_diags_create(3);
    if (diags)
        a->run(s, variant, diags, &o);
    o.errors = diags ? wave_diags_total(diags, WAVE_ERROR) : 0;
    wave_diags_destroy(diags);
    return o;
}
