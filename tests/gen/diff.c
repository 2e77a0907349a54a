/* Prepares programs for comparison, runs them on the emulator, and compares memory. */
#include "gen/diff.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTRUCTION_LIMIT = 4000000 };

const char *const diff_target_name[DIFF_TARGETS] = {"emu",       "ptx",  "hip",    "msl",   "sycl",
                                                    "sycl-simt", "wbin", "passes", "defect"};

const char *const diff_way_name[DIFF_WAYS] = {"any", "optimised", "plain", "kept-flow",
                                              "kept-loops"};

bool diff_find_way(const char *name, diff_way *way) {
    for (int k = 0; k < DIFF_WAYS; k++)
        if (strcmp(name, diff_way_name[k]) == 0) {
            *way = (diff_way)k;
            return true;
        }
    return false;
}

int diff_find_target(const char *name, size_t length) {
    for (int k = 0; k < DIFF_TARGETS; k++)
        if (strlen(diff_target_name[k]) == length && memcmp(name, diff_target_name[k], length) == 0)
            return k;
    return -1;
}

bool diff_fail(diff_verdict *verdict, diff_kind kind, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    verdict->kind = kind;
    vsnprintf(verdict->why, sizeof verdict->why, format, arguments);
    va_end(arguments);
    return false;
}

/* Takes the first diagnostic as the verdict. */
static bool fail_diags(diff_verdict *verdict, diff_kind kind, const wave_diags *diags) {
    const wave_diag *d = diags && wave_diags_count(diags) ? wave_diags_at(diags, 0) : NULL;
    return diff_fail(verdict, kind, "%s: %s%s%s", d ? d->code : "no diagnostic",
                     d ? d->message : "", d && d->text ? ": " : "", d && d->text ? d->text : "");
}

/* ---- The emulator ---- */

static bool allowed(const tf_test *test, const wave_diags *diags) {
    for (size_t k = 0; k < wave_diags_count(diags); k++) {
        bool found = false;
        for (size_t e = 0; e < test->allowed_count; e++)
            found |= strcmp(test->allowed[e].code, wave_diags_at(diags, k)->code) == 0;
        if (!found)
            return false;
    }
    return true;
}

bool diff_emulate(const diff_program *p, const diff_answer *answer, const wave_module *module,
                  unsigned checks, uint64_t schedule, uint8_t *memory, diff_verdict *verdict) {
    const tf_run *run = &answer->run;
    wave_diags *diags = wave_diags_create(0);
    wave_launch launch;
    wave_launch_init(&launch);
    memcpy(memory, run->memory, run->size);
    memcpy(launch.grid, run->grid, sizeof launch.grid);
    memcpy(launch.workgroup, p->group, sizeof launch.workgroup);
    launch.wave_width = run->width;
    launch.device_memory = memory;
    launch.device_size = run->size;
    launch.initial = run->args;
    launch.initial_count = run->arg_count;
    launch.max_instructions = INSTRUCTION_LIMIT;
    launch.random_schedule = schedule != 0;
    launch.seed = schedule;
    launch.strict_align = true;
    launch.checks = checks;
    launch.initialised = run->initialised;
    launch.initialised_count = run->initialised_count;
    launch.initialised_known = (checks & WAVE_CHECK_UNINIT) != 0;
    bool ok = diags && wave_emulate(module, &launch, diags) == WAVE_OK && allowed(p->test, diags);
    if (!ok)
        fail_diags(verdict, DIFF_INVALID, diags);
    wave_diags_destroy(diags);
    return ok;
}

static bool find_answer(diff_program *p, uint32_t width, diff_verdict *verdict) {
    diff_answer *answer = &p->answers[p->answer_count];
    char text[400];
    if (!tf_instantiate(p->test, width, &answer->run, text, sizeof text))
        return diff_fail(verdict, DIFF_INVALID, "%s", text);
    p->answer_count++;
    memcpy(p->group, p->info->workgroup[0] ? p->info->workgroup : answer->run.group,
           sizeof p->group);
    answer->memory = malloc(answer->run.size);
    if (!answer->memory)
        abort();
    if (!diff_emulate(p, answer, p->module, WAVE_CHECK_RACE | WAVE_CHECK_UNINIT, 0, answer->memory,
                      verdict))
        return false;
    if (!tf_compare(p->test, &answer->run, answer->memory, text, sizeof text))
        return diff_fail(verdict, DIFF_EXPECTED, "at width %u: %s", width, text);
    return true;
}

bool diff_open(diff_program *p, char *text, size_t size, const uint32_t *widths, size_t width_count,
               diff_verdict *verdict) {
    char error[300];
    *verdict = (diff_verdict){DIFF_NONE, ""};
    *p = (diff_program){.text = text, .size = size};
    p->test = tf_parse(text, size, error, sizeof error);
    if (!p->test)
        return diff_fail(verdict, DIFF_INVALID, "%s", error);
    unsigned long long seed;
    if (sscanf(p->test->title, "random program, seed %llu", &seed) == 1)
        p->seed = seed;
    wave_diags *diags = wave_diags_create(0);
    bool ok =
        wave_assemble(text, size, NULL, &p->binary, diags) == WAVE_OK &&
        wave_module_load(p->binary.data, p->binary.size, NULL, &p->module, diags) == WAVE_OK &&
        allowed(p->test, diags);
    if (!ok)
        fail_diags(verdict, DIFF_INVALID, diags);
    wave_diags_destroy(diags);
    if (!ok)
        return false;
    p->info = wave_module_kernel(p->module, 0);
    for (size_t k = 0; k < width_count; k++)
        if (!find_answer(p, widths[k], verdict))
            return false;
    return true;
}

void diff_close(diff_program *p) {
    for (size_t k = 0; k < p->answer_count; k++) {
        free(p->answers[k].memory);
        tf_run_free(&p->answers[k].run);
    }
    wave_module_destroy(p->module);
    wave_blob_free(&p->binary);
    tf_destroy(p->test);
    free(p->text);
    *p = (diff_program){0};
}

/* ---- Comparing ---- */

static bool is_nan(val_type type, uint64_t bits) {
    switch (type) {
    case VAL_F16: return (bits & 0x7FFF) > 0x7C00;
    case VAL_BF16: return (bits & 0x7FFF) > 0x7F80;
    case VAL_F32: return (bits & 0x7FFFFFFF) > 0x7F800000;
    case VAL_F64: return (bits & INT64_MAX) > 0x7FF0000000000000;
    default: return false;
    }
}

static bool same_buffer(const tf_buffer *b, const tf_place *place, const uint8_t *want,
                        const uint8_t *got, diff_verdict *verdict) {
    size_t size = val_size(b->type);
    for (uint64_t k = 0; k < place->count; k++) {
        uint64_t at = place->address + k * size;
        uint64_t x = val_load(b->type, want + at), y = val_load(b->type, got + at);
        if (x != y && !(is_nan(b->type, x) && is_nan(b->type, y)))
            return diff_fail(verdict, DIFF_MEMORY, "%s[%llu] is 0x%llx, the emulator has 0x%llx",
                             b->name, (unsigned long long)k, (unsigned long long)y,
                             (unsigned long long)x);
    }
    return true;
}

/* Bytes that belong to no buffer must be unchanged. */
static bool same_bytes(const uint8_t *want, const uint8_t *got, uint64_t from, uint64_t to,
                       diff_verdict *verdict) {
    for (uint64_t k = from; k < to; k++)
        if (want[k] != got[k])
            return diff_fail(verdict, DIFF_MEMORY, "byte 0x%llx, outside the buffers, is 0x%x",
                             (unsigned long long)k, got[k]);
    return true;
}

bool diff_same(const diff_program *p, const diff_answer *answer, const uint8_t *memory,
               diff_verdict *verdict) {
    const tf_run *run = &answer->run;
    if (memcmp(memory, answer->memory, run->size) == 0)
        return true;
    uint64_t end = 0;
    for (size_t b = 0; b < p->test->buffer_count; b++) {
        const tf_place *place = &run->places[b];
        if (!same_buffer(&p->test->buffers[b], place, answer->memory, memory, verdict) ||
            !same_bytes(answer->memory, memory, end, place->address, verdict))
            return false;
        end = place->address + place->count * val_size(p->test->buffers[b].type);
    }
    return same_bytes(answer->memory, memory, end, run->size, verdict);
}
