/* The reference answer of a test: runs it on the emulator, and compares a target's memory with the
 * result. */
#include "runner/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *ref_allocate(size_t size) {
    void *p = calloc(1, size ? size : 1);
    if (!p)
        abort();
    return p;
}

bool ref_complain(const char *path, const char *what) {
    printf("FAIL %s: %s\n", path, what);
    return false;
}

void ref_print_diags(const char *path, const wave_diags *diags) {
    wave_blob text;
    if (wave_diags_format(diags, path, WAVE_DIAG_TEXT, &text) == WAVE_OK && text.data)
        printf("%s", (const char *)text.data);
    wave_blob_free(&text);
}

/* ---- The emulator's answer ---- */

static bool emulate(ref_case *c) {
    wave_diags *diags = wave_diags_create(0);
    wave_launch launch;
    const tf_test *t = c->test;
    wave_launch_init(&launch);
    launch.kernel = c->kernel;
    memcpy(launch.grid, c->run.grid, sizeof launch.grid);
    memcpy(launch.workgroup, c->group, sizeof launch.workgroup);
    launch.wave_width = c->width;
    launch.mma = c->mma;
    launch.device_memory = c->memory;
    launch.device_size = c->run.size;
    launch.initial = c->run.args;
    launch.initial_count = c->run.arg_count;
    launch.max_instructions = t->max_instructions;
    bool ok = diags && (wave_emulate(c->module, &launch, diags) != WAVE_OK) == (t->error_count > 0);
    if (!ok) {
        ref_complain(c->path, t->error_count ? "the emulator reports no error"
                                             : "the emulator reports an error");
        ref_print_diags(c->path, diags);
    }
    wave_diags_destroy(diags);
    return ok;
}

/* ---- Opening ---- */

/* Tests of the emulator's errors and of other widths do not apply to a target. */
static bool applies(const tf_test *t, unsigned target, uint32_t width) {
    bool has_width = false;
    for (size_t k = 0; k < t->width_count; k++)
        has_width |= t->widths[k] == width;
    return has_width && (t->targets & target) && !(t->todo & target) &&
           (!t->error_count || t->fails || t->bounded);
}

static bool load(ref_case *c, const char *source, size_t size) {
    wave_diags *diags = wave_diags_create(0);
    const wave_load_options options = tf_load_options(c->test);
    bool ok =
        wave_assemble(source, size, NULL, &c->binary, diags) == WAVE_OK &&
        wave_module_load(c->binary.data, c->binary.size, &options, &c->module, diags) == WAVE_OK;
    if (!ok) {
        ref_complain(c->path, "does not assemble or validate:");
        ref_print_diags(c->path, diags);
    }
    wave_diags_destroy(diags);
    return ok;
}

static bool prepare(ref_case *c, const char *source, size_t size) {
    char error[300];
    if (!load(c, source, size))
        return false;
    long kernel = c->test->kernel ? wave_module_find_kernel(c->module, c->test->kernel) : 0;
    if (kernel < 0)
        return ref_complain(c->path, "the named kernel is not in the file");
    c->kernel = (size_t)kernel;
    c->info = wave_module_kernel(c->module, c->kernel);
    if (!tf_instantiate(c->test, c->width, &c->run, error, sizeof error))
        return ref_complain(c->path, error);
    memcpy(c->group, c->info->workgroup[0] ? c->info->workgroup : c->run.group, sizeof c->group);
    c->memory = ref_fresh_memory(c);
    return emulate(c);
}

static ref_status open_text(ref_case *c, const char *name, const char *source, size_t size,
                            unsigned target, uint32_t width, wave_mma mma) {
    char error[300];
    *c = (ref_case){.path = name, .width = width, .mma = mma};
    c->test = tf_parse(source, size, error, sizeof error);
    if (!c->test) {
        ref_complain(name, error);
        return REF_BROKEN;
    }
    if (!applies(c->test, target, width))
        return REF_OTHER_TARGET;
    return prepare(c, source, size) ? REF_READY : REF_BROKEN;
}

ref_status ref_open_text(ref_case *c, const char *name, const char *source, size_t size,
                         unsigned target, uint32_t width) {
    return open_text(c, name, source, size, target, width, WAVE_MMA_EXACT);
}

ref_status ref_open_mma(ref_case *c, const char *path, unsigned target, uint32_t width,
                        wave_mma mma) {
    size_t size;
    char *source = tf_read_file(path, &size);
    if (!source) {
        *c = (ref_case){.path = path};
        ref_complain(path, "cannot be read");
        return REF_BROKEN;
    }
    ref_status status = open_text(c, path, source, size, target, width, mma);
    c->source = source;
    return status;
}

ref_status ref_open(ref_case *c, const char *path, unsigned target, uint32_t width) {
    return ref_open_mma(c, path, target, width, WAVE_MMA_EXACT);
}

void ref_close(ref_case *c) {
    tf_run_free(&c->run);
    free(c->memory);
    wave_module_destroy(c->module);
    wave_blob_free(&c->binary);
    tf_destroy(c->test);
    free(c->source);
    *c = (ref_case){0};
}

/* ---- Inputs and outputs of a driver ---- */

uint32_t ref_arguments(const ref_case *c, uint32_t *words) {
    uint32_t count = c->info->argument_words;
    for (uint32_t k = 0; k < count; k++)
        words[k] = k < c->run.arg_count ? c->run.args[k] : 0;
    return count;
}

uint8_t *ref_fresh_memory(const ref_case *c) {
    uint8_t *memory = ref_allocate(c->run.size);
    memcpy(memory, c->run.memory, c->run.size);
    return memory;
}

/* The order of atomics is undefined, and their results may depend on it: a buffer without
 * expectations is then not compared. */
static void forget_free_buffers(const ref_case *c, uint8_t *memory) {
    for (size_t b = 0; b < c->test->buffer_count && (c->info->uses & WAVE_USES_ATOMIC); b++) {
        bool expected = false;
        for (size_t k = 0; k < c->test->expect_count; k++)
            expected |= c->test->expects[k].buffer == b && !c->test->expects[k].low;
        const tf_place *place = &c->run.places[b];
        uint64_t size = place->count * val_size(c->test->buffers[b].type);
        if (!expected)
            memcpy(memory + place->address, c->memory + place->address, size);
    }
}

/* Memory has no types: where the emulator has the canonical NaN of a format, of either sign, at any
 * offset, any NaN of the format counts as equal. Other NaNs are not computed, only moved, and must
 * be the same: otherwise every pair of words whose second one is -1 would be a NaN. */
static bool same_nan(const uint8_t *target, const uint8_t *emulator, size_t bytes,
                     uint64_t canonical, uint64_t exponent) {
    uint64_t x = 0, y = 0, sign = (uint64_t)1 << (8 * bytes - 1);
    memcpy(&x, target, bytes);
    memcpy(&y, emulator, bytes);
    return (y & ~sign) == canonical && (x & ~sign) > exponent;
}

/* The number of bytes from here on that are equal, or a NaN; 0: different. */
static size_t equal_but_nan(const uint8_t *a, const uint8_t *b, uint64_t left) {
    if (left >= 8 && same_nan(a, b, 8, 0x7FF8000000000000u, 0x7FF0000000000000u))
        return 8;
    if (left >= 4 && memcmp(a, b, 4) == 0)
        return 4;
    if (left >= 4 && same_nan(a, b, 4, 0x7FC00000u, 0x7F800000u))
        return 4;
    if (left >= 2 && (same_nan(a, b, 2, 0x7E00u, 0x7C00u) || same_nan(a, b, 2, 0x7FC0u, 0x7F80u)))
        return 2;
    return *a == *b ? 1 : 0;
}

static size_t equal_bytes(const uint8_t *a, const uint8_t *b, uint64_t left, ref_mode mode) {
    return mode == REF_SAME ? *a == *b : equal_but_nan(a, b, left);
}

bool ref_status_fits(const ref_case *c, const uint32_t status[2], char *report,
                     size_t report_size) {
    bool fails = c->test->fails;
    uint32_t id = fails ? c->test->status : 0;
    snprintf(report, report_size, "  the status is %u, %u, expected %u, %u\n", (unsigned)status[0],
             (unsigned)status[1], (unsigned)fails, (unsigned)id);
    return status[0] == fails && status[1] == id;
}

bool ref_compare(const ref_case *c, uint8_t *memory, ref_mode mode, char *report,
                 size_t report_size) {
    if (!tf_compare(c->test, &c->run, memory, report, report_size))
        return false;
    if (mode == REF_EXPECTED || c->test->error_count)
        return true;
    forget_free_buffers(c, memory);
    for (uint64_t k = 0; k < c->run.size;) {
        size_t equal = equal_bytes(memory + k, c->memory + k, c->run.size - k, mode);
        if (!equal) {
            snprintf(report, report_size, "  byte 0x%llx is %02x, the emulator has %02x\n",
                     (unsigned long long)k, memory[k], c->memory[k]);
            return false;
        }
        k += equal;
    }
    return true;
}
