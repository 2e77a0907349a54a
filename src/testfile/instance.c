/* A parsed test at one wave width: buffers placed and filled, argument words, and the comparison of
 * the memory a run left behind. */
#include "testfile/expr.h"
#include "testfile/memory.h"
#include "testfile/testfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256, LARGEST_ARENA = 1 << 28, SHOWN = 4 };

typedef struct context {
    const tf_test *test;
    const tf_run *run;
    size_t placed; /* buffers whose address is known */
    char *error;
    size_t error_size;
} context;

static bool evaluate(const context *c, const char *text, int64_t *out) {
    expr_variable *names = tf_need(calloc(c->placed + 1, sizeof *names));
    names[0] = (expr_variable){"W", c->run->width};
    for (size_t k = 0; k < c->placed; k++)
        names[k + 1] =
            (expr_variable){c->test->buffers[k].name, (int64_t)c->run->places[k].address};
    char why[128];
    expr_value v;
    bool ok = expr_evaluate(text, strlen(text), false, names, c->placed + 1, &v, why, sizeof why);
    if (!ok)
        snprintf(c->error, c->error_size, "'%s': %s", text, why);
    free(names);
    *out = v.i;
    return ok;
}

static bool place_buffers(context *c, tf_run *run) {
    uint64_t next = c->test->is_opencl ? ALIGNMENT : 0, end = 0;
    for (size_t k = 0; k < c->test->buffer_count; k++) {
        const tf_buffer *b = &c->test->buffers[k];
        int64_t count, at = (int64_t)next;
        if (!evaluate(c, b->count, &count) || (b->at && !evaluate(c, b->at, &at)))
            return false;
        if (count < 0 || at < 0 || count > LARGEST_ARENA || at > LARGEST_ARENA ||
            (uint64_t)at + (uint64_t)count * val_size(b->type) > LARGEST_ARENA) {
            snprintf(c->error, c->error_size, "buffer %s is too large", b->name);
            return false;
        }
        run->places[k] = (tf_place){(uint64_t)at, (uint64_t)count};
        c->placed++;
        uint64_t stop = (uint64_t)at + (uint64_t)count * val_size(b->type);
        end = stop > end ? stop : end;
        next = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    run->size = next > ALIGNMENT ? next : ALIGNMENT;
    if (c->test->memory) {
        if (c->test->memory < end || c->test->memory > LARGEST_ARENA) {
            snprintf(c->error, c->error_size, "memory does not fit the buffers");
            return false;
        }
        run->size = c->test->memory;
    }
    if (run->size > SIZE_MAX / 2) { /* if pointers have 32 bits */
        snprintf(c->error, c->error_size, "memory is larger than this machine can address");
        return false;
    }
    return true;
}

static bool fill_buffers(const context *c, tf_run *run) {
    run->memory = tf_need(calloc(1, (size_t)run->size));
    run->initialised = tf_need(calloc(c->test->buffer_count + 1, sizeof *run->initialised));
    for (size_t k = 0; k < c->test->buffer_count; k++) {
        const tf_buffer *b = &c->test->buffers[k];
        const tf_place *place = &run->places[k];
        if (!b->values)
            continue;
        char why[160];
        val_context generator = {run->width, (int64_t)place->count, 0};
        if (!val_generate(b->type, b->values, &generator, (size_t)place->count,
                          run->memory + place->address, why, sizeof why)) {
            snprintf(c->error, c->error_size, "buffer %s: %s", b->name, why);
            return false;
        }
        run->initialised[run->initialised_count++] =
            (wave_range){place->address, place->count * val_size(b->type)};
    }
    return true;
}

static bool evaluate_sizes(const context *c, char *const text[3], uint32_t out[3]) {
    for (int k = 0; k < 3; k++) {
        int64_t value = 1;
        if (text[k] && !evaluate(c, text[k], &value))
            return false;
        if (value < 0 || value > UINT32_MAX) {
            snprintf(c->error, c->error_size, "size out of range");
            return false;
        }
        out[k] = (uint32_t)value;
    }
    return true;
}

static bool evaluate_args(const context *c, tf_run *run) {
    for (size_t k = 0; k < c->test->arg_count; k++) {
        const char *text = c->test->args[k];
        int64_t value = 0;
        uint64_t bits;
        if (strncmp(text, "f32:", 4) == 0) {
            if (!val_parse(VAL_F32, text + 4, &bits)) {
                snprintf(c->error, c->error_size, "malformed argument %s", text);
                return false;
            }
            run->args[k] = (uint32_t)bits;
        } else if (!evaluate(c, text, &value)) {
            return false;
        } else {
            run->args[k] = (uint32_t)(uint64_t)value;
        }
    }
    run->arg_count = (uint32_t)c->test->arg_count;
    return true;
}

bool tf_instantiate(const tf_test *test, uint32_t width, tf_run *run, char *error,
                    size_t error_size) {
    *run = (tf_run){.width = width};
    run->places = tf_need(calloc(test->buffer_count + 1, sizeof *run->places));
    context c = {test, run, 0, error, error_size};
    if (place_buffers(&c, run) && fill_buffers(&c, run) &&
        evaluate_sizes(&c, test->grid, run->grid) && evaluate_sizes(&c, test->group, run->group) &&
        evaluate_args(&c, run))
        return true;
    tf_run_free(run);
    return false;
}

void tf_run_free(tf_run *run) {
    free(run->memory);
    free(run->places);
    free(run->initialised);
    *run = (tf_run){0};
}

void tf_fill_launch(const tf_test *test, const tf_run *run, wave_launch *launch) {
    memcpy(launch->grid, run->grid, sizeof launch->grid);
    if (test->group[0])
        memcpy(launch->workgroup, run->group, sizeof launch->workgroup);
    if (test->registers)
        launch->registers = test->registers;
    if (test->local_memory)
        launch->local_memory = test->local_memory;
    launch->wave_width = run->width;
    launch->device_size = run->size;
    launch->initial = run->args;
    launch->initial_count = run->arg_count;
    launch->max_instructions = test->max_instructions;
    launch->strict_align |= test->strict_align;
    launch->checks |= test->checks;
    if (test->poison) {
        launch->poison = true;
        launch->poison_byte = 0xCD;
    }
}

/* ---- Comparison ---- */

typedef struct report {
    char *text;
    size_t size, used;
    unsigned lines;
} report;

/* "    k.wave:9: ", or "    line 9: " */
static void begin(report *r, const tf_test *test, const tf_expect *e) {
    int n = test->path ? snprintf(r->text + r->used, r->size - r->used,
                                  "    %.400s:%u: ", test->path, e->line)
                       : snprintf(r->text + r->used, r->size - r->used, "    line %u: ", e->line);
    if (n > 0)
        r->used += (size_t)n;
}

static void describe(report *r, const tf_test *test, const tf_expect *e, uint64_t index,
                     uint64_t want, uint64_t have) {
    if (r->lines++ >= SHOWN || r->used >= r->size)
        return;
    int digits = (int)(2 * val_size(e->type));
    begin(r, test, e);
    if (r->used >= r->size)
        return;
    int n =
        snprintf(r->text + r->used, r->size - r->used,
                 "%s[%llu] %s: expected 0x%0*llX (%.9g), got 0x%0*llX (%.9g)\n",
                 test->buffers[e->buffer].name, (unsigned long long)index, val_type_name(e->type),
                 digits, (unsigned long long)want, val_to_double(e->type, want), digits,
                 (unsigned long long)have, val_to_double(e->type, have));
    if (n > 0)
        r->used += (size_t)n;
}

static bool problem(report *r, const tf_test *test, const tf_expect *e, const char *what) {
    if (r->used < r->size)
        begin(r, test, e);
    if (r->used < r->size)
        r->used += (size_t)snprintf(r->text + r->used, r->size - r->used, "%s\n", what);
    return false;
}

static bool compare_one(const context *c, const tf_expect *e, const uint8_t *memory, report *r) {
    const tf_place *place = &c->run->places[e->buffer];
    size_t size = val_size(e->type);
    uint64_t bytes = place->count * val_size(c->test->buffers[e->buffer].type);
    uint64_t total = bytes / size;
    int64_t low = 0, high = (int64_t)total;
    if ((e->low && !evaluate(c, e->low, &low)) || (e->high && !evaluate(c, e->high, &high)))
        return problem(r, c->test, e, c->error);
    if (low < 0 || high < low || (uint64_t)high > total)
        return problem(r, c->test, e, "range outside the buffer");
    size_t count = (size_t)(high - low);
    uint8_t *want = tf_need(calloc(count + 1, size));
    char why[160];
    bool ok = true;
    val_context generator = {c->run->width, (int64_t)total, low};
    if (!e->values)
        memcpy(want, c->run->memory + place->address + (uint64_t)low * size, count * size);
    else
        ok = val_generate(e->type, e->values, &generator, count, want, why, sizeof why) ||
             problem(r, c->test, e, why);
    const uint8_t *have = memory + place->address + (uint64_t)low * size;
    const tf_buffer *buffer = &c->test->buffers[e->buffer];
    bool fast = c->run->fast && buffer->fast_mode != VAL_EXACT;
    val_mode mode = fast ? buffer->fast_mode : e->mode;
    double tolerance = fast ? buffer->fast_tolerance : e->tolerance;
    for (size_t k = 0; k < count && r->lines < SHOWN; k++) {
        uint64_t a = val_load(e->type, want + k * size), b = val_load(e->type, have + k * size);
        if (!val_equal(e->type, mode, tolerance, a, b)) {
            describe(r, c->test, e, (uint64_t)low + k, a, b);
            ok = false;
        }
    }
    free(want);
    return ok;
}

bool tf_has_flushed(const tf_test *test) {
    for (size_t k = 0; k < test->expect_count; k++)
        if (test->expects[k].flushed)
            return true;
    return false;
}

/* Whether the buffer's expected contents differ when subnormals are flushed. */
static bool has_flushed(const tf_test *test, size_t buffer) {
    for (size_t k = 0; k < test->expect_count; k++)
        if (test->expects[k].flushed && test->expects[k].buffer == buffer)
            return true;
    return false;
}

bool tf_compare(const tf_test *test, const tf_run *run, const uint8_t *memory, char *text,
                size_t text_size) {
    report r = {text, text_size, 0, 0};
    char error[160];
    context c = {test, run, test->buffer_count, error, sizeof error};
    bool ok = true;
    text[0] = '\0';
    for (size_t k = 0; k < test->expect_count; k++) {
        const tf_expect *e = &test->expects[k];
        bool wanted = e->flushed ? run->flushed : !(run->flushed && has_flushed(test, e->buffer));
        if (wanted && (e->width == 0 || e->width == run->width))
            ok &= compare_one(&c, e, memory, &r);
    }
    return ok;
}
