/* wave_emulate_seeds: the same launch under many schedules or states of scoped memory. A race-free
 * program leaves the same memory as the plain order under all of them. For any other program, the
 * first differing seed and the first differing access are reported. */
#include "emu/sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED_TEXT = 100, ACCESS_TEXT = 200 };

typedef struct sweep {
    const wave_module *module;
    const wave_launch *asked;
    wave_diags *diags;
    uint8_t *before, *plain, *work; /* memory: initial, after the plain order, of this run */
    size_t size;
    char seed[SEED_TEXT]; /* of the current run, as options of wave-emu */
} sweep;

static bool copy_memory(sweep *s) {
    uint8_t **const copies[] = {&s->before, &s->plain, &s->work};
    s->size = (size_t)s->asked->device_size;
    for (int k = 0; k < 3; k++) {
        *copies[k] = malloc(s->size + 1);
        if (!*copies[k])
            return false;
    }
    if (s->size)
        memcpy(s->before, s->asked->device_memory, s->size);
    return true;
}

static wave_launch plain_launch(const sweep *s) {
    wave_launch launch = *s->asked;
    launch.random_schedule = launch.scoped_memory = false;
    return launch;
}

/* ---- Text ---- */

static void name_seed(sweep *s, const wave_launch *launch) {
    int n = 0;
    s->seed[0] = '\0';
    if (launch->random_schedule)
        n = snprintf(s->seed, SEED_TEXT, "--schedule=%" PRIu64 "%s", launch->seed,
                     launch->scoped_memory ? " " : "");
    if (launch->scoped_memory)
        (void)snprintf(s->seed + n, SEED_TEXT - (size_t)n, "--memory=scoped:%" PRIu64,
                       launch->memory_seed);
}

static void describe(const sweep_access *a, char text[ACCESS_TEXT]) {
    static const char *const verbs[] = {[WAVE_LOAD] = "loads",
                                        [WAVE_STORE] = "stores",
                                        [WAVE_ATOMIC] = "finds, with an atomic,",
                                        [WAVE_ATOMIC_LOAD] = "loads",
                                        [WAVE_ATOMIC_STORE] = "stores"};
    const wave_access *w = &a->access;
    (void)snprintf(text, ACCESS_TEXT,
                   "lane %" PRIu32 " of wave %" PRIu32 " in workgroup (%" PRIu32 ",%" PRIu32
                   ",%" PRIu32 ") %s 0x%" PRIx32 " at %s 0x%" PRIx32,
                   w->lane, a->wave, a->workgroup[0], a->workgroup[1], a->workgroup[2],
                   verbs[w->kind], w->value[0], w->space == WAVE_SPACE_LOCAL ? "local" : "device",
                   w->address);
}

/* ---- Reports ---- */

/* The instruction of the access that differs, if there is one. */
static bool place_of(const sweep *s, const sweep_answer *a, buf *text, diag_place *place) {
    wave_blob blob = {0};
    const fe_kernel *kernel = &s->module->kernels[s->asked->kernel];
    *place = DIAG_NOWHERE;
    if (!a->has_other)
        return true;
    if (wave_instruction_text(s->module, s->asked->kernel, a->other.pc, &blob) == WAVE_OK)
        buf_bytes(text, blob.data, blob.size);
    wave_blob_free(&blob);
    place->kernel = kernel->info.name;
    place->offset = a->other.pc;
    place->text = (const char *)text->data;
    place->text_length = text->size;
    return !text->failed;
}

static void say(const sweep *s, uint64_t byte, const sweep_answer *a, sweep_mode mode,
                const diag_place *place) {
    char other[ACCESS_TEXT] = "", plain[ACCESS_TEXT] = "it makes no such access";
    const char *why = mode == SWEEP_LANES ? "the first access that differs"
                                          : "the first store to it in another order";
    if (a->has_other)
        describe(&a->other, other);
    if (a->has_plain)
        describe(&a->plain, plain);
    if (a->differs)
        diag_report(s->diags, DIAG_E_SCHEDULE, place,
                    "%s leaves 0x%02x at 0x%" PRIx64 ", the plain order 0x%02x; %s: %s; in the "
                    "plain order %s",
                    s->seed, s->work[byte], byte, s->plain[byte], why, other, plain);
    else
        diag_report(s->diags, DIAG_E_SCHEDULE, place,
                    "%s leaves 0x%02x at 0x%" PRIx64 ", the plain order 0x%02x; %s%s%s", s->seed,
                    s->work[byte], byte, s->plain[byte],
                    a->too_many ? "there are too many accesses to find the first that differs"
                                : "stores become visible in another order",
                    *other ? "; the last store to it: " : "", other);
}

/* The memory of the seed's run stays in `work` until it has been reported. */
static wave_status report(sweep *s, const wave_launch *launch) {
    uint64_t byte = 0;
    uint8_t *scratch = malloc(s->size + 1);
    wave_launch plain = plain_launch(s), other = *launch;
    sweep_answer answer = {0};
    sweep_question q = {.module = s->module, .plain = &plain, .other = &other, .before = s->before};
    buf text = {0};
    diag_place place;
    while (s->work[byte] == s->plain[byte])
        byte++;
    plain.device_memory = other.device_memory = scratch;
    q.byte = byte;
    bool ok = scratch && sweep_compare(&q, &answer);
    if (ok && !answer.differs && !answer.too_many) {
        q.mode = SWEEP_BYTE;
        ok = sweep_compare(&q, &answer);
    }
    ok = ok && place_of(s, &answer, &text, &place);
    if (ok)
        say(s, byte, &answer, q.mode, &place);
    buf_free(&text);
    free(scratch);
    return ok ? WAVE_ERROR_INPUT : WAVE_ERROR_MEMORY;
}

/* A run that fails is repeated for its diagnostics. */
static wave_status report_failure(sweep *s, wave_launch *launch) {
    diag_report(s->diags, DIAG_E_SCHEDULE, &DIAG_NOWHERE, "%s fails, and the plain order does not",
                s->seed);
    if (s->size)
        memcpy(s->work, s->before, s->size);
    return wave_emulate(s->module, launch, s->diags);
}

/* ---- The runs ---- */

static wave_status run_plain(sweep *s) {
    wave_launch launch = plain_launch(s);
    if (s->size)
        memcpy(s->plain, s->before, s->size);
    launch.device_memory = s->plain;
    return wave_emulate(s->module, &launch, s->diags);
}

static wave_status run_seed(sweep *s, const wave_sweep *how, uint64_t number) {
    wave_launch launch = *s->asked;
    launch.seed += how->schedules ? number : 0;
    launch.memory_seed += how->memories ? number : 0;
    launch.device_memory = s->work;
    launch.observer_count = 0;
    launch.stats = NULL;
    launch.profile = NULL;
    name_seed(s, &launch);
    if (s->size)
        memcpy(s->work, s->before, s->size);
    wave_status status = wave_emulate(s->module, &launch, NULL);
    if (status == WAVE_ERROR_MEMORY)
        return status;
    if (status != WAVE_OK)
        return report_failure(s, &launch);
    return s->size && memcmp(s->work, s->plain, s->size) != 0 ? report(s, &launch) : WAVE_OK;
}

wave_status wave_emulate_seeds(const wave_module *module, const wave_launch *launch,
                               const wave_sweep *how, wave_diags *diags) {
    if (!module || !launch || !how || (how->schedules && !launch->random_schedule) ||
        (how->memories && !launch->scoped_memory) ||
        (launch->device_size && !launch->device_memory) ||
        launch->device_size > (uint64_t)1 << 32 || launch->kernel >= module->kernel_count)
        return WAVE_ERROR_USAGE;
    sweep s = {.module = module, .asked = launch, .diags = diags};
    wave_status status = copy_memory(&s) ? run_plain(&s) : WAVE_ERROR_MEMORY;
    const uint8_t *left = s.plain;
    for (uint64_t k = 0; k < how->runs && status == WAVE_OK; k++) {
        status = run_seed(&s, how, k);
        left = status == WAVE_OK ? s.plain : s.work;
    }
    if (status == WAVE_ERROR_MEMORY)
        diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "out of memory");
    else if (s.size)
        memcpy(launch->device_memory, left, s.size);
    free(s.before);
    free(s.plain);
    free(s.work);
    return status;
}
