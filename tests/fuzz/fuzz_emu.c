/* libFuzzer target for the emulator. The first bytes are the launch; the rest either is used as
 * code unchanged, or chooses instructions one by one with correct nesting, so that most inputs run.
 * Whatever runs must neither crash nor hang, and must behave the same when it is observed. */
#define PROGRAM_AT 19
#include "fuzz/program.h"

#include <wave/emu.h>

#include <stdlib.h>
#include <string.h>

/* ---- Running it ---- */

typedef struct outcome {
    wave_status status;
    wave_stats stats;
    uint8_t memory[4096];
} outcome;

static bool ignore_step(void *user, const wave_step *step) {
    (void)user;
    (void)step;
    return true;
}

static void ignore_access(void *user, const wave_step *step, const wave_access *access) {
    (void)user;
    (void)step;
    (void)access;
}

static void run(const wave_module *module, const wave_launch *launch, bool watched, outcome *out) {
    static const wave_observer watcher = {.before = ignore_step, .access = ignore_access};
    wave_launch mine = *launch;
    wave_profile *profile = NULL;
    wave_diags *diags = wave_diags_create(0);
    memset(out->memory, 0x5A, sizeof out->memory);
    mine.device_memory = out->memory;
    mine.stats = &out->stats;
    if (watched) {
        mine.observers = &watcher;
        mine.observer_count = 1;
        mine.profile = &profile;
    }
    out->status = wave_emulate(module, &mine, diags);
    wave_profile_destroy(profile);
    wave_diags_destroy(diags);
}

static void set_up_launch(source *s, wave_launch *launch, uint32_t *initial) {
    wave_launch_init(launch);
    launch->wave_width = take(s) % 65;
    for (int i = 0; i < 3; i++) {
        launch->workgroup[i] = take(s) % 9;
        launch->grid[i] = i == 2 ? 1 : take(s) % 3;
    }
    uint32_t flags = take(s);
    launch->random_schedule = flags & 1;
    launch->strict_align = flags & 2;
    launch->poison = flags & 4;
    launch->initialised_known = flags & 8;
    launch->mma = (wave_mma)((flags >> 4) % WAVE_MMA_COUNT);
    launch->seed = take(s);
    launch->local_memory = take(s) * 4;
    launch->device_size = take(s) * 16;
    launch->max_instructions = 2000;
    for (uint32_t i = 0; i < 8; i++)
        initial[i] = take(s);
    launch->initial = initial;
    launch->initial_count = 8;
}

static void run_both(const wave_module *module, wave_launch *launch, unsigned checks) {
    static outcome plain, watched; /* too large for the stack */
    run(module, launch, false, &plain);
    run(module, launch, true, &watched);
    if (plain.status != watched.status ||
        memcmp(plain.memory, watched.memory, sizeof plain.memory) != 0 ||
        memcmp(&plain.stats, &watched.stats, sizeof plain.stats) != 0)
        abort();
    launch->checks = checks;
    run(module, launch, false, &watched);
    if (memcmp(plain.memory, watched.memory, sizeof plain.memory) != 0)
        abort();
    /* Without a race, views make no difference; with one they must not cause a crash. */
    bool clean = checks & WAVE_CHECK_RACE && watched.status == WAVE_OK;
    launch->scoped_memory = true;
    launch->memory_seed = launch->seed;
    run(module, launch, false, &watched);
    if (clean && memcmp(plain.memory, watched.memory, sizeof plain.memory) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    source from = {data, size};
    uint32_t initial[8], flags = take(&from);
    wave_launch launch;
    set_up_launch(&from, &launch, initial);

    static writer w;
    w = (writer){.from = &from};
    if (flags & 1) {
        buf_bytes(&w.code, from.data, from.size & ~(size_t)3);
    } else {
        write_program(&w);
    }
    const fe_record record = {.registers = flags & 2 ? 8 : 0,
                              .local_memory = flags & 4 ? 128 : 0,
                              .code = w.code.data,
                              .code_size = (uint32_t)w.code.size};
    buf file = {0};
    const wave_load_options options = {.mode = flags & 8 ? WAVE_MODE_DEFAULT : WAVE_MODE_LENIENT};
    wave_module *module = NULL;
    if (fe_write_container(&record, 1, true, true, false, NULL, &file) && !file.failed &&
        wave_module_load(file.data, file.size, &options, &module, NULL) == WAVE_OK)
        run_both(module, &launch, flags >> 4 & 3);
    wave_module_destroy(module);
    buf_free(&file);
    buf_free(&w.code);
    return 0;
}
