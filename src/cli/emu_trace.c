/* --trace and --mem-trace. Source values are recorded before an instruction executes and printed
 * with the results after it, one line per lane. */
#include "cli/emu_float.h"
#include "cli/emu_types.h"
#include "cli/emu_watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 64 };

struct emu_tracer {
    const emu_options *options;
    emu_texts *texts;
    uint8_t *types; /* of memory, by instruction */
    emu_line shown; /* the source line that was printed last */
    uint64_t time;  /* wave-instructions begun */

    /* The instruction that is executing. */
    bool pending;
    wave_step step;
    const char *text;
    wave_operand operands[WAVE_MAX_OPERANDS];
    size_t operand_count;
    uint32_t values[LANES][WAVE_MAX_OPERANDS][4];
    wave_access access[LANES];
    bool accessed[LANES];
};

/* ---- Lines ---- */

static bool wanted(const emu_tracer *t, const wave_step *step) {
    const emu_options *o = t->options;
    return (!o->only_wave || step->wave == o->wave) && step->pc >= o->pc_low &&
           step->pc <= o->pc_high;
}

static bool wanted_lane(const emu_tracer *t, uint32_t lane) {
    return !t->options->only_lane || lane == t->options->lane;
}

static void print_head(const wave_step *step, uint32_t lane) {
    if (step->grid[0] > 1 || step->grid[1] > 1 || step->grid[2] > 1)
        fprintf(stderr, "wg(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") ", step->workgroup[0],
                step->workgroup[1], step->workgroup[2]);
    fprintf(stderr, "[wave %" PRIu32 ", lane %" PRIu32 "] PC=0x%03" PRIx32 " ", step->wave, lane,
            step->pc);
}

static void print_value(wave_value type, const uint32_t v[4]) {
    char text[EMU_FLOAT_TEXT], high[EMU_FLOAT_TEXT];
    uint64_t wide = v[0] | (uint64_t)v[1] << 32;
    switch (type) {
    case WAVE_VALUE_F32: emu_f32_text(v[0], text); break;
    case WAVE_VALUE_F16: emu_f16_text((uint16_t)v[0], text); break;
    case WAVE_VALUE_BF16: emu_bf16_text((uint16_t)v[0], text); break;
    case WAVE_VALUE_F64: emu_f64_text(wide, text); break;
    case WAVE_VALUE_F16X2:
    case WAVE_VALUE_BF16X2: {
        void (*one)(uint16_t, char[EMU_FLOAT_TEXT]) =
            type == WAVE_VALUE_F16X2 ? emu_f16_text : emu_bf16_text;
        one((uint16_t)v[0], text);
        one((uint16_t)(v[0] >> 16), high);
        fprintf(stderr, "(%s,%s)", text, high);
        return;
    }
    case WAVE_VALUE_U64: fprintf(stderr, "%" PRIu64, wide); return;
    case WAVE_VALUE_U128:
        fprintf(stderr, "0x%08" PRIx32 "%08" PRIx32 "%08" PRIx32 "%08" PRIx32, v[3], v[2], v[1],
                v[0]);
        return;
    default: fprintf(stderr, "%" PRIu32, v[0]); return;
    }
    fputs(text, stderr);
}

static void print_name(const wave_operand *operand) {
    if (operand->value == WAVE_VALUE_PREDICATE)
        fprintf(stderr, " p%" PRIu32 "=", operand->index);
    else if (operand->count > 1)
        fprintf(stderr, " r%" PRIu32 ":r%" PRIu32 "=", operand->index,
                operand->index + operand->count - 1);
    else
        fprintf(stderr, " r%" PRIu32 "=", operand->index);
}

static void print_operand(const wave_operand *operand, const uint32_t v[4]) {
    print_name(operand);
    print_value(operand->value, v);
}

static uint32_t size_of(wave_value type) {
    return type == WAVE_VALUE_F64 ? 8 : type == WAVE_VALUE_F16 || type == WAVE_VALUE_BF16 ? 2 : 4;
}

/* Prints loaded or stored data: as `type` if it is known and fits, one value or several. */
static void print_memory(wave_value type, uint32_t bytes, const uint32_t v[4]) {
    uint32_t size = size_of(type), words = size / 4;
    if (type == WAVE_VALUE_U32 || bytes < size || (size == 2 && bytes > 2)) {
        print_value(bytes == 16  ? WAVE_VALUE_U128
                    : bytes == 8 ? WAVE_VALUE_U64
                                 : WAVE_VALUE_U32,
                    v);
        return;
    }
    if (bytes <= size) {
        print_value(type, v);
        return;
    }
    for (uint32_t k = 0; k < bytes / 4; k += words) {
        const uint32_t part[4] = {v[k], words > 1 ? v[k + 1] : 0};
        fputc(k ? ',' : '(', stderr);
        print_value(type, part);
    }
    fputc(')', stderr);
}

static wave_value memory_type(const emu_tracer *t, uint32_t index) {
    return index < t->texts->count ? (wave_value)t->types[index] : WAVE_VALUE_U32;
}

/* addr=… val=…, and cmp= for a compare-and-swap. */
static void print_memory_sources(const emu_tracer *t, uint32_t lane) {
    size_t others = 0, seen = 0;
    wave_value type = memory_type(t, t->step.index);
    for (size_t i = 0; i < t->operand_count; i++)
        others += !t->operands[i].written && !t->operands[i].address;
    for (size_t i = 0; i < t->operand_count; i++) {
        const wave_operand *operand = &t->operands[i];
        const uint32_t *v = t->values[lane][i];
        if (operand->written)
            continue;
        if (operand->address) {
            fprintf(stderr, " addr=0x%" PRIx32, v[0]);
        } else {
            fputs(++seen < others ? " cmp=" : " val=", stderr);
            if (type != WAVE_VALUE_U32 && t->accessed[lane])
                print_memory(type, t->access[lane].bytes, v);
            else
                print_value(operand->value, v);
        }
    }
    if (!others && t->accessed[lane]) {
        fputs(" val=", stderr);
        print_memory(type, t->access[lane].bytes, t->access[lane].value);
    }
}

static bool same_as_before(const emu_tracer *t, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (!t->operands[k].written && t->operands[k].index == t->operands[i].index &&
            t->operands[k].value == t->operands[i].value)
            return true;
    return false;
}

static void print_sources(const emu_tracer *t, uint32_t lane) {
    bool memory = false, any = false;
    for (size_t i = 0; i < t->operand_count; i++) {
        memory |= t->operands[i].address;
        any |= !t->operands[i].written;
    }
    if (!any)
        return;
    fputs(" |", stderr);
    if (memory && !strstr(t->text, "mma_") && !strstr(t->text, "tile_")) {
        print_memory_sources(t, lane);
        return;
    }
    for (size_t i = 0; i < t->operand_count; i++)
        if (!t->operands[i].written && !same_as_before(t, i))
            print_operand(&t->operands[i], t->values[lane][i]);
}

static void read_operand(const wave_step *step, const wave_operand *operand, uint32_t lane,
                         uint32_t v[4]) {
    for (uint32_t k = 0; k < operand->count; k++)
        v[k] = operand->value == WAVE_VALUE_PREDICATE
                   ? wave_step_predicate(step, operand->index, lane)
                   : wave_step_register(step, operand->index + k, lane);
}

/* A loaded register is shown with the type of its use. */
static void print_result(const emu_tracer *t, uint32_t lane, const wave_operand *operand,
                         const uint32_t v[4]) {
    wave_value type = memory_type(t, t->step.index);
    print_name(operand);
    if (type != WAVE_VALUE_U32 && t->accessed[lane])
        print_memory(type, t->access[lane].bytes, v);
    else
        print_value(operand->value, v);
}

/* Prints the source line above its instructions; not again for the same line, and not if it only
 * repeats the instruction. */
static void print_source(emu_tracer *t, uint32_t index) {
    emu_line at = emu_line_at(t->texts, index);
    if (!at.line || (at.line == t->shown.line && at.file == t->shown.file))
        return;
    t->shown = at;
    if (!emu_has_source(t->texts, &at) || emu_is_plain(t->texts, index))
        return;
    emu_put_place(stderr, t->texts, index);
    fputs("| ", stderr);
    emu_put_source(stderr, t->texts, &at);
    fputc('\n', stderr);
}

/* Without results when `step` is NULL: the instruction was not finished. */
static void print_lines(emu_tracer *t, const wave_step *step) {
    print_source(t, t->step.index);
    for (uint32_t lane = 0; lane < t->step.wave_width; lane++) {
        bool arrow = false;
        if (!(t->step.executing >> lane & 1) || !wanted_lane(t, lane))
            continue;
        emu_put_place(stderr, t->texts, t->step.index);
        print_head(&t->step, lane);
        fputs(t->text, stderr);
        print_sources(t, lane);
        for (size_t i = 0; step && i < t->operand_count; i++) {
            uint32_t v[4] = {0};
            if (!t->operands[i].written)
                continue;
            if (!arrow)
                fputs(" \xE2\x86\x92", stderr);
            arrow = true;
            read_operand(step, &t->operands[i], lane, v);
            print_result(t, lane, &t->operands[i], v);
        }
        fputc('\n', stderr);
    }
    t->pending = false;
}

/* ---- Observer ---- */

static void print_wave_line(emu_tracer *t, const wave_step *step) {
    const emu_options *o = t->options;
    if (o->only_lane && (o->lane >= LANES || !(step->executing >> o->lane & 1)))
        return;
    print_source(t, step->index);
    emu_put_place(stderr, t->texts, step->index);
    fprintf(stderr,
            "wg(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") wave[%" PRIu32 "] pc=0x%04" PRIx32 ": %s\n",
            step->workgroup[0], step->workgroup[1], step->workgroup[2], step->wave, step->pc,
            emu_text_at(t->texts, step->index));
}

static bool on_before(void *user, const wave_step *step) {
    emu_tracer *t = user;
    t->time++;
    t->pending = false;
    if (t->options->trace == EMU_TRACE_OFF || !wanted(t, step))
        return true;
    if (t->options->trace == EMU_TRACE_WAVES) {
        print_wave_line(t, step);
        return true;
    }
    t->pending = true;
    t->step = *step;
    t->text = emu_text_at(t->texts, step->index);
    t->operand_count = wave_instruction_operands(step->module, step->kernel, step->pc, t->operands);
    memset(t->accessed, 0, sizeof t->accessed);
    for (uint32_t lane = 0; lane < step->wave_width; lane++)
        for (size_t i = 0; i < t->operand_count; i++)
            read_operand(step, &t->operands[i], lane, t->values[lane][i]);
    return true;
}

static void on_after(void *user, const wave_step *step) {
    emu_tracer *t = user;
    if (t->pending)
        print_lines(t, step);
}

static void print_access(const emu_tracer *t, const wave_step *step, const wave_access *access) {
    static const char *const kinds[] = {"load", "store", "atomic", "atomic load", "atomic store"};
    static const char *const scopes[] = {"wave", "workgroup", "device", "system"};
    bool atomic = access->kind >= WAVE_ATOMIC;
    emu_put_place(stderr, t->texts, step->index);
    fprintf(stderr, "t=%" PRIu64 " ", t->time);
    print_head(step, access->lane);
    fprintf(stderr,
            "%s %s addr=0x%" PRIx32 " bytes=%" PRIu32 " %s=", wave_space_name(access->space),
            kinds[access->kind], access->address, access->bytes,
            access->kind == WAVE_ATOMIC ? "old" : "val");
    print_memory(memory_type(t, step->index), access->bytes, access->value);
    if (atomic && access->space == WAVE_SPACE_DEVICE)
        fprintf(stderr, " scope=%s", scopes[access->scope & 3]);
    fputc('\n', stderr);
}

static void on_access(void *user, const wave_step *step, const wave_access *access) {
    emu_tracer *t = user;
    if (access->lane < LANES) {
        t->access[access->lane] = *access;
        t->accessed[access->lane] = true;
    }
    if (t->options->memory_trace && wanted(t, step) && wanted_lane(t, access->lane))
        print_access(t, step, access);
}

emu_tracer *emu_tracer_create(const emu_options *options, emu_texts *texts,
                              wave_observer *observer) {
    emu_tracer *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->options = options;
    t->texts = texts;
    t->types = emu_find_types(texts);
    if (!t->types) {
        free(t);
        return NULL;
    }
    *observer =
        (wave_observer){.user = t, .before = on_before, .after = on_after, .access = on_access};
    return t;
}

void emu_tracer_destroy(emu_tracer *t) {
    if (t && t->pending)
        print_lines(t, NULL);
    if (t)
        free(t->types);
    free(t);
}
