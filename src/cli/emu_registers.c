/* --dump-regs: the final registers of every lane. A copy of one workgroup's registers tracks
 * the writes of each instruction, so that memory is bounded and nothing is read twice. */
#include "cli/emu_watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PREDICATES = 4, MAX_WAVES = 64, MAX_LANES = 64 };

typedef struct wave_copy {
    wave_step step;      /* the last one: which lanes exist, and the place */
    uint32_t *registers; /* [lane][register] */
    uint8_t predicates[MAX_LANES];
} wave_copy;

struct emu_registers {
    wave_copy *waves[MAX_WAVES];
    uint32_t count; /* registers */
    bool seen[MAX_WAVES];
    bool failed;
};

uint32_t emu_lanes_of(const wave_step *step) {
    uint64_t threads = (uint64_t)step->group_size[0] * step->group_size[1] * step->group_size[2];
    uint64_t first = (uint64_t)step->wave * step->wave_width;
    uint64_t rest = threads > first ? threads - first : 0;
    return rest < step->wave_width ? (uint32_t)rest : step->wave_width;
}

void emu_print_lane(FILE *out, const wave_step *step, uint32_t lane, const char *note,
                    const uint32_t *registers, uint32_t count, unsigned predicates) {
    uint32_t thread = step->wave * step->wave_width + lane;
    const uint32_t *size = step->group_size;
    fprintf(out,
            "wg(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") wave %" PRIu32 ", lane %" PRIu32
            ", thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")%s: p0=%u p1=%u p2=%u p3=%u\n",
            step->workgroup[0], step->workgroup[1], step->workgroup[2], step->wave, lane,
            thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1], note,
            predicates & 1, predicates >> 1 & 1, predicates >> 2 & 1, predicates >> 3 & 1);
    for (uint32_t row = 0; row < count; row += 8) {
        uint32_t end = row + 8 < count ? row + 8 : count, any = 0;
        for (uint32_t i = row; i < end; i++)
            any |= registers[i];
        if (!any)
            continue;
        fprintf(out, "  r%-3" PRIu32, row);
        for (uint32_t i = row; i < end; i++)
            fprintf(out, " %08" PRIx32, registers[i]);
        fputc('\n', out);
    }
}

/* ---- Following the writes ---- */

static void copy_predicates(wave_copy *copy, const wave_step *step, uint32_t lane) {
    unsigned bits = 0;
    for (uint32_t p = 0; p < PREDICATES; p++)
        bits |= (unsigned)wave_step_predicate(step, p, lane) << p;
    copy->predicates[lane] = (uint8_t)bits;
}

static bool start_copy(emu_registers *r, const wave_step *step) {
    r->count = wave_step_register_count(step);
    wave_copy *copy = r->waves[step->wave];
    if (!copy) {
        copy = calloc(1, sizeof *copy);
        if (!copy)
            return false;
        r->waves[step->wave] = copy;
        copy->registers = calloc((size_t)step->wave_width * r->count + 1, sizeof *copy->registers);
        if (!copy->registers)
            return false;
    }
    if (!copy->registers)
        return false;
    for (uint32_t lane = 0; lane < step->wave_width; lane++) {
        for (uint32_t reg = 0; reg < r->count; reg++)
            copy->registers[(size_t)lane * r->count + reg] = wave_step_register(step, reg, lane);
        copy_predicates(copy, step, lane);
    }
    copy->step = *step;
    r->seen[step->wave] = true;
    return true;
}

static bool on_before(void *user, const wave_step *step) {
    emu_registers *r = user;
    if (step->wave < MAX_WAVES && !r->seen[step->wave] && !start_copy(r, step))
        r->failed = true;
    return true;
}

static void on_after(void *user, const wave_step *step) {
    emu_registers *r = user;
    wave_operand operands[WAVE_MAX_OPERANDS];
    if (step->wave >= MAX_WAVES || !r->seen[step->wave])
        return;
    wave_copy *copy = r->waves[step->wave];
    size_t count = wave_instruction_operands(step->module, step->kernel, step->pc, operands);
    for (size_t i = 0; i < count; i++) {
        const wave_operand *operand = &operands[i];
        for (uint32_t lane = 0; operand->written && lane < step->wave_width; lane++) {
            if (operand->value == WAVE_VALUE_PREDICATE) {
                copy_predicates(copy, step, lane);
                continue;
            }
            for (uint32_t reg = operand->index; reg < operand->index + operand->count; reg++)
                if (reg < r->count)
                    copy->registers[(size_t)lane * r->count + reg] =
                        wave_step_register(step, reg, lane);
        }
    }
}

static void on_workgroup_end(void *user, const uint32_t workgroup[3]) {
    emu_registers *r = user;
    (void)workgroup;
    for (uint32_t wave = 0; wave < MAX_WAVES; wave++) {
        if (!r->seen[wave])
            continue;
        const wave_copy *copy = r->waves[wave];
        uint32_t lanes = emu_lanes_of(&copy->step);
        for (uint32_t lane = 0; lane < lanes; lane++)
            emu_print_lane(stdout, &copy->step, lane, "", copy->registers + (size_t)lane * r->count,
                           r->count, copy->predicates[lane]);
        r->seen[wave] = false;
    }
}

emu_registers *emu_registers_create(wave_observer *observer) {
    emu_registers *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *observer = (wave_observer){
        .user = r, .workgroup_end = on_workgroup_end, .before = on_before, .after = on_after};
    return r;
}

bool emu_registers_destroy(emu_registers *r) {
    bool good = true;
    if (!r)
        return true;
    good = !r->failed;
    for (uint32_t wave = 0; wave < MAX_WAVES; wave++) {
        if (r->waves[wave])
            free(r->waves[wave]->registers);
        free(r->waves[wave]);
    }
    free(r);
    return good;
}
