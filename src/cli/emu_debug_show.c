/* The display of wave-emu's debugger: the place with the surrounding lines, registers, changes,
 * values. Everything goes to standard error. */
#include "cli/emu_debug.h"
#include "cli/emu_float.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN_VALUES = 8, SHOWN_NAME = 60 };

/* ---- Places ---- */

void emu_show_place(emu_texts *texts, const char *what, const wave_step *step) {
    fprintf(stderr, "%s at ", what);
    emu_put_place(stderr, texts, step->index);
    fprintf(stderr,
            "PC=0x%03" PRIx32 " in wg(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") wave %" PRIu32 ": %s\n",
            step->pc, step->workgroup[0], step->workgroup[1], step->workgroup[2], step->wave,
            emu_text_at(texts, step->index));
}

static void show_source(emu_texts *texts, emu_line at, uint32_t around) {
    emu_line line = {at.file, at.line > around ? at.line - around : 1};
    for (; line.line <= at.line + (uint64_t)around; line.line++) {
        if (!emu_has_source(texts, &line))
            break;
        fprintf(stderr, "%s%6" PRIu32 " | ", line.line == at.line ? "  >" : "   ", line.line);
        emu_put_source(stderr, texts, &line);
        fputc('\n', stderr);
    }
}

static void show_instructions(emu_texts *texts, uint32_t index, uint32_t around) {
    uint32_t first = index > around ? index - around : 0;
    for (uint32_t i = first; i < texts->count && i <= index + around; i++)
        fprintf(stderr, "%s 0x%03" PRIx32 " | %s\n", i == index ? "  >" : "   ", texts->pcs[i],
                emu_text_at(texts, i));
}

void emu_show_lines(emu_texts *texts, const wave_step *step, uint32_t around) {
    emu_line at = emu_line_at(texts, step->index);
    if (emu_has_source(texts, &at))
        show_source(texts, at, around);
    else
        show_instructions(texts, step->index, around);
}

void emu_show_where(emu_texts *texts, const wave_step *step) {
    wave_blob frames;
    emu_show_place(texts, "stopped", step);
    fprintf(stderr, "lanes: live 0x%" PRIx64 ", active 0x%" PRIx64 ", executing 0x%" PRIx64 "\n",
            step->live, step->active, step->executing);
    if (wave_step_frames(step, &frames) != WAVE_OK)
        return;
    if (frames.size) {
        fwrite(frames.data, 1, frames.size, stderr);
        if (frames.data[frames.size - 1] != '\n')
            fputc('\n', stderr);
    } else {
        fputs("no open if, loop or call\n", stderr);
    }
    wave_blob_free(&frames);
}

/* ---- Registers ---- */

static const char *lane_note(const wave_step *step, uint32_t lane) {
    if (step->executing >> lane & 1)
        return "";
    if (step->active >> lane & 1)
        return ", guarded off";
    return step->live >> lane & 1 ? ", inactive" : ", halted";
}

static unsigned predicates_of(const wave_step *step, uint32_t lane) {
    unsigned bits = 0;
    for (uint32_t p = 0; p < EMU_PREDICATES; p++)
        bits |= (unsigned)wave_step_predicate(step, p, lane) << p;
    return bits;
}

static uint32_t register_count(const wave_step *step) {
    uint32_t count = wave_step_register_count(step);
    return count < EMU_MAX_REGISTERS ? count : EMU_MAX_REGISTERS;
}

static void show_lane(const wave_step *step, uint32_t lane) {
    uint32_t registers[EMU_MAX_REGISTERS], count = register_count(step);
    for (uint32_t reg = 0; reg < count; reg++)
        registers[reg] = wave_step_register(step, reg, lane);
    emu_print_lane(stderr, step, lane, lane_note(step, lane), registers, count,
                   predicates_of(step, lane));
}

void emu_show_registers(const wave_step *step, uint64_t lanes) {
    for (uint32_t lane = 0; lane < emu_lanes_of(step); lane++)
        if (lanes >> lane & 1)
            show_lane(step, lane);
}

void emu_show_lane_set(uint64_t lanes) {
    const char *comma = "";
    for (uint32_t lane = 0; lane < EMU_MAX_LANES; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        uint32_t end = lane;
        while (end + 1 < EMU_MAX_LANES && lanes >> (end + 1) & 1)
            end++;
        fprintf(stderr, end > lane ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32, comma, lane, end);
        comma = ",";
        lane = end;
    }
}

/* ---- Values of several lanes ---- */

typedef struct lane_values {
    char text[EMU_MAX_LANES][EMU_VALUE_TEXT];
    uint64_t lanes;
} lane_values;

static bool all_equal(const lane_values *v) {
    const char *first = NULL;
    for (uint32_t lane = 0; lane < EMU_MAX_LANES; lane++) {
        if (!(v->lanes >> lane & 1))
            continue;
        if (first && strcmp(first, v->text[lane]) != 0)
            return false;
        first = v->text[lane];
    }
    return true;
}

static void show_set(const lane_values *v) {
    bool one = (v->lanes & (v->lanes - 1)) == 0;
    fputs(one ? "  (lane " : "  (lanes ", stderr);
    emu_show_lane_set(v->lanes);
    fputs(")\n", stderr);
}

/* "NAME = 8  (lanes 0-31)", or the values one by one: in rows, or the first few. */
static void show_values(const char *name, const lane_values *v, bool rows) {
    uint32_t shown = 0;
    bool same = all_equal(v);
    fputs("  ", stderr);
    cli_put_text(stderr, name, false);
    fputs(" =", stderr);
    for (uint32_t lane = 0; lane < EMU_MAX_LANES; lane++) {
        if (!(v->lanes >> lane & 1))
            continue;
        if (rows && !same && shown % SHOWN_VALUES == 0)
            fprintf(stderr, "\n    lane %2" PRIu32 ":", lane);
        fprintf(stderr, " %s", v->text[lane]);
        if (++shown == (same ? 1 : rows ? EMU_MAX_LANES + 1 : SHOWN_VALUES))
            break;
    }
    if (!rows && !same && v->lanes >> 1 && shown == SHOWN_VALUES)
        fputs(" ...", stderr);
    show_set(v);
}

void emu_show_value(const emu_texts *texts, const wave_step *step, uint64_t lanes, const char *text,
                    emu_format format) {
    lane_values v = {.lanes = 0};
    for (uint32_t lane = 0; lane < emu_lanes_of(step); lane++) {
        const emu_lane here = {texts, step, lane};
        double value;
        char why[120];
        if (!(lanes >> lane & 1))
            continue;
        if (!emu_evaluate(&here, text, &value, why, sizeof why)) {
            cli_put_text(stderr, why, false);
            fputc('\n', stderr);
            return;
        }
        emu_value_text(format, value, v.text[lane]);
        v.lanes |= (uint64_t)1 << lane;
    }
    if (v.lanes)
        show_values(text, &v, true);
    else
        fputs("none of the chosen lanes exists in this wave; try: lanes all\n", stderr);
}

/* ---- Changes ---- */

void emu_take_snapshot(emu_snapshot *s, const wave_step *step) {
    uint32_t count = register_count(step);
    s->taken = true;
    s->wave = step->wave;
    memcpy(s->workgroup, step->workgroup, sizeof s->workgroup);
    for (uint32_t lane = 0; lane < emu_lanes_of(step); lane++) {
        for (uint32_t reg = 0; reg < count; reg++)
            s->registers[lane][reg] = wave_step_register(step, reg, lane);
        s->predicates[lane] = (uint8_t)predicates_of(step, lane);
    }
}

bool emu_same_wave(const emu_snapshot *s, const wave_step *step) {
    return s->taken && s->wave == step->wave &&
           memcmp(s->workgroup, step->workgroup, sizeof s->workgroup) == 0;
}

void emu_note_types(emu_snapshot *s, const wave_step *step) {
    wave_operand operands[WAVE_MAX_OPERANDS];
    size_t count = wave_instruction_operands(step->module, step->kernel, step->pc, operands);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; operands[i].written && k < operands[i].count; k++)
            if (operands[i].value != WAVE_VALUE_PREDICATE &&
                operands[i].index + k < EMU_MAX_REGISTERS)
                s->types[operands[i].index + k] = (uint8_t)operands[i].value;
}

static emu_format format_of(uint8_t type) {
    switch (type) {
    case WAVE_VALUE_F32: return EMU_FORMAT_FLOAT;
    case WAVE_VALUE_F16: return EMU_FORMAT_HALF;
    case WAVE_VALUE_BF16: return EMU_FORMAT_BFLOAT;
    case WAVE_VALUE_F16X2:
    case WAVE_VALUE_BF16X2:
    case WAVE_VALUE_F64:
    case WAVE_VALUE_U64:
    case WAVE_VALUE_U128: return EMU_FORMAT_HEX;
    default: return EMU_FORMAT_UNSIGNED;
    }
}

/* "r2", or "count (r2)" */
static void show_changed(const emu_texts *texts, bool predicate, uint32_t number,
                         const lane_values *v) {
    char name[SHOWN_NAME];
    const char *named = emu_register_name(texts, predicate, number);
    char letter = predicate ? 'p' : 'r';
    if (named)
        (void)snprintf(name, sizeof name, "%.*s (%c%" PRIu32 ")", SHOWN_NAME - 10, named, letter,
                       number);
    else
        (void)snprintf(name, sizeof name, "%c%" PRIu32, letter, number);
    show_values(name, v, false);
}

static bool show_register(const emu_snapshot *s, const emu_texts *texts, const wave_step *step,
                          uint32_t reg, uint64_t lanes) {
    lane_values v = {.lanes = 0};
    for (uint32_t lane = 0; lane < emu_lanes_of(step); lane++) {
        uint32_t now = wave_step_register(step, reg, lane);
        if (!(lanes >> lane & 1) || now == s->registers[lane][reg])
            continue;
        emu_value_text(format_of(s->types[reg]), now, v.text[lane]);
        v.lanes |= (uint64_t)1 << lane;
    }
    if (v.lanes)
        show_changed(texts, false, reg, &v);
    return v.lanes != 0;
}

static bool show_predicate(const emu_snapshot *s, const emu_texts *texts, const wave_step *step,
                           uint32_t p, uint64_t lanes) {
    lane_values v = {.lanes = 0};
    for (uint32_t lane = 0; lane < emu_lanes_of(step); lane++) {
        bool now = wave_step_predicate(step, p, lane);
        if (!(lanes >> lane & 1) || now == (s->predicates[lane] >> p & 1))
            continue;
        snprintf(v.text[lane], sizeof v.text[lane], "%d", now);
        v.lanes |= (uint64_t)1 << lane;
    }
    if (v.lanes)
        show_changed(texts, true, p, &v);
    return v.lanes != 0;
}

void emu_show_changes(const emu_snapshot *s, const emu_texts *texts, const wave_step *step,
                      uint64_t lanes) {
    bool any = false;
    for (uint32_t reg = 0; reg < register_count(step); reg++)
        any |= show_register(s, texts, step, reg, lanes);
    for (uint32_t p = 0; p < EMU_PREDICATES; p++)
        any |= show_predicate(s, texts, step, p, lanes);
    if (!any)
        fputs("  no register has changed\n", stderr);
}
