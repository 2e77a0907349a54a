/* The race checker: conflicting accesses of different lanes that are not ordered (ISA 8.1 and 8.2).
 * It is happens-before detection with vector clocks (Fidge 1988, Mattern 1989). This file turns
 * events into vector clocks of lanes: fences order the lanes of their wave, barriers those of the
 * workgroup, messages through atomics any two. So a race is found whether or not this run's
 * interleaving did any harm. Clocks, remembered accesses and words with messages are in separate
 * files. docs/using/emulator.md explains the rules. */
#include "emu/check_race.h"
#include "emu/machine.h"

#include <stdlib.h>
#include <string.h>

static race_lane *lanes_of(race *r, uint32_t slot) {
    return &r->lanes[(size_t)slot * r->group.width];
}

static uint64_t existing(const race *r, uint32_t slot) {
    const uint32_t rest = r->clocks.present - slot * r->group.width;
    return rest >= 64 || rest >= r->group.width ? ~(uint64_t)0 >> (64 - r->group.width)
                                                : ((uint64_t)1 << rest) - 1;
}

static void set_clock(race *r, race_lane *lane, race_clock *clock) {
    race_clock_share(clock);
    race_clock_drop(&r->clocks, lane->clock);
    lane->clock = clock;
}

/* ---- Fences and barriers ---- */

enum { ACQUIRES = 1, RELEASES = 2 };

static unsigned fence_kind(isa_op op) {
    switch (op) {
    case ISA_FENCE_ACQUIRE: return ACQUIRES;
    case ISA_FENCE_RELEASE: return RELEASES;
    case ISA_FENCE_ACQ_REL:
    case ISA_FENCE_SC: return ACQUIRES | RELEASES;
    default: return 0;
    }
}

/* One clock with everything the lanes know and everything they did themselves. */
static race_clock *meet(race *r, uint32_t slot, uint64_t lanes, unsigned kind, uint32_t scope) {
    race_lane *all = lanes_of(r, slot);
    race_clock *together = race_clock_new(&r->clocks);
    bool good = together != NULL;
    for (uint64_t rest = lanes; good && rest; rest &= rest - 1) {
        race_lane *lane = &all[emu_lowest(rest)];
        if (lane->clock->mark != together->number) {
            lane->clock->mark = together->number;
            good = race_clock_join(&r->clocks, together, lane->clock);
        }
        if (kind & ACQUIRES)
            good = race_mail_acquire(&r->post, &lane->mail, together, scope) && good;
    }
    if (!good) {
        race_clock_drop(&r->clocks, together);
        race_out_of_memory(r);
        return NULL;
    }
    uint32_t *now = together->now + (size_t)slot * r->group.width;
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        now[emu_lowest(rest)] = r->time[slot];
    race_clock_seal(together, r->group);
    return together;
}

/* One event of all the lanes, whatever the kind and scope. Later accesses get a later time, so the
 * event does not cover them. */
static void fence(race *r, uint32_t slot, uint64_t lanes, unsigned kind, uint32_t scope) {
    race_clock *together = meet(r, slot, lanes, kind, scope);
    if (!together)
        return;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        race_lane *lane = &lanes_of(r, slot)[emu_lowest(rest)];
        set_clock(r, lane, together);
        if (kind & RELEASES && r->messages)
            race_mail_release(&r->post, &lane->mail, together, scope);
    }
    race_clock_drop(&r->clocks, together);
    r->time[slot]++;
}

/* Everything before the barrier happens before everything after it, in every lane, including halted
 * ones. */
static void on_barrier(void *user, const uint32_t workgroup[3], uint32_t pc) {
    race *r = user;
    bool changed = false, good;
    race_clock *together = race_clock_new(&r->clocks);
    (void)workgroup;
    (void)pc;
    good = together != NULL;
    for (uint32_t i = 0; good && i < r->clocks.present; i++) {
        race_clock *clock = r->lanes[i].clock;
        if (clock->mark == together->number)
            continue;
        clock->mark = together->number;
        good = race_list_join(&together->past, &clock->past, &changed);
    }
    if (!good) {
        race_clock_drop(&r->clocks, together);
        race_out_of_memory(r);
        return;
    }
    for (uint32_t i = 0; i < r->clocks.present; i++)
        together->now[i] = r->time[i / r->group.width];
    race_clock_seal(together, r->group);
    for (uint32_t i = 0; i < r->clocks.present; i++)
        set_clock(r, &r->lanes[i], together);
    race_clock_drop(&r->clocks, together);
    for (uint32_t i = 0; i < r->group.count; i++) {
        r->uniform[i] = true;
        r->time[i]++;
    }
}

static void fence_step(race *r, const wave_step *step, unsigned kind, uint32_t scope) {
    fence(r, step->wave, r->lockstep ? existing(r, step->wave) : step->executing, kind, scope);
    r->uniform[step->wave] = r->lockstep || step->executing == step->live;
}

static bool compares_and_swaps(unsigned op) {
    const isa_desc *d = &isa_table[op];
    return d->klass == ISA_CLASS_ATOMIC && d->role[ISA_FIELD_RS3] != ISA_ROLE_NONE;
}

/* Reads the expected value before the result replaces it. */
static void note_expected(race *r, const wave_step *step, const fe_insn *insn) {
    const uint32_t reg = insn->field[ISA_FIELD_RS2];
    const bool wide = isa_table[insn->op].bytes == 8;
    for (uint32_t lane = 0; lane < step->wave_width; lane++)
        r->expected[lane] = wave_step_register(step, reg, lane) |
                            (wide ? (uint64_t)wave_step_register(step, reg + 1, lane) << 32 : 0);
}

static bool on_before(void *user, const wave_step *step) {
    race *r = user;
    const fe_insn *insn = &r->kernel->insns[step->index];
    const unsigned kind = fence_kind((isa_op)insn->op);
    r->execution++;
    if (!step->executing)
        return true;
    if (kind)
        fence_step(r, step, kind, insn->scope);
    if (compares_and_swaps(insn->op))
        note_expected(r, step, insn);
    return true;
}

/* ---- Accesses ---- */

static bool writes(const race *r, const wave_step *step, const wave_access *access) {
    const uint16_t op = r->kernel->insns[step->index].op;
    if (compares_and_swaps(op))
        return (access->value[0] | (uint64_t)access->value[1] << 32) == r->expected[access->lane];
    return access->kind != WAVE_LOAD && access->kind != WAVE_ATOMIC_LOAD;
}

/* The bytes of an access, starting at `skip`, as the low bytes of a word. */
static uint32_t bytes_from(const wave_access *access, uint32_t skip) {
    const uint32_t word = skip / 4, low = skip % 4;
    uint32_t value = access->value[word] >> 8 * low;
    if (low && word < 3)
        value |= access->value[word + 1] << 8 * (4 - low);
    return value;
}

/* The access of one lane. */
static void touch_lane(race *r, const wave_step *step, const wave_access *access) {
    if (access->space != WAVE_SPACE_LOCAL && access->space != WAVE_SPACE_DEVICE)
        return; /* no other lane can reach this memory, or nothing writes it */
    const bool atomic = access->kind >= WAVE_ATOMIC, local = access->space == WAVE_SPACE_LOCAL;
    race_lane *lane = &lanes_of(r, step->wave)[access->lane];
    race_touch touch = {.step = step,
                        .access = access,
                        .clock = lane->clock,
                        .self = (uint64_t)1 << access->lane,
                        .slot = step->wave};
    race_record *record = &touch.record;
    record->wave = r->group.first + step->wave;
    record->time = r->time[step->wave];
    record->insn = step->index;
    record->lanes = touch.self;
    record->execution = r->execution;
    record->flags =
        (uint8_t)((atomic ? RACE_ATOMIC : 0) | (writes(r, step, access) ? RACE_WRITES : 0));
    record->scope = (uint8_t)(local ? (uint32_t)ISA_SCOPE_WORKGROUP : access->scope);
    record->width = (uint8_t)access->bytes;
    const uint64_t end = (uint64_t)access->address + access->bytes;
    for (uint64_t at = access->address; at < end;) {
        uint32_t word = (uint32_t)(at & ~(uint64_t)3), low = (uint32_t)(at & 3);
        uint32_t length = (uint32_t)(end - at < 4 - low ? end - at : 4 - low);
        uint32_t value = bytes_from(access, (uint32_t)(at - access->address)) << 8 * low;
        race_touch_word(r, &touch, word, (uint8_t)(((1u << length) - 1) << low), value);
        if (r->messages && record->flags & RACE_WRITES)
            race_post_overwrite(&r->post, access->space, word, atomic ? access->bytes : 0);
        at += length;
    }
    if (!r->messages || !atomic)
        return;
    const race_atomic message = {.space = access->space,
                                 .address = access->address,
                                 .bytes = access->bytes,
                                 .wave = step->wave,
                                 .scope = record->scope,
                                 .reads = access->kind != WAVE_ATOMIC_STORE,
                                 .writes = (record->flags & RACE_WRITES) != 0};
    if (!race_post_atomic(&r->post, &lane->mail, &message))
        race_out_of_memory(r);
}

/* Which lane moves a piece of a tile is unspecified, so the access counts for each lane. */
static void on_access(void *user, const wave_step *step, const wave_access *access) {
    race *r = user;
    wave_access each = *access;
    if (!isa_is_tile((isa_op)r->kernel->insns[step->index].op)) {
        touch_lane(r, step, access);
        return;
    }
    for (each.lane = 0; each.lane < step->wave_width; each.lane++)
        touch_lane(r, step, &each);
}

/* ---- The launch ---- */

static void on_workgroup(void *user, const uint32_t workgroup[3]) {
    race *r = user;
    const uint32_t *grid = r->launch->grid;
    uint64_t linear = workgroup[0] + grid[0] * (workgroup[1] + (uint64_t)grid[1] * workgroup[2]);
    race_clock *start = race_clock_new(&r->clocks);
    if (!start) {
        race_out_of_memory(r);
        start = race_clock_share(r->lanes[0].clock); /* not the first workgroup */
    }
    r->group.first = (uint32_t)(linear * r->group.count);
    r->post.group = r->group;
    for (uint32_t i = 0; i < r->clocks.threads; i++) {
        set_clock(r, &r->lanes[i], start);
        race_mail_clear(&r->post, &r->lanes[i].mail);
    }
    race_clock_drop(&r->clocks, start);
    for (uint32_t i = 0; i < r->group.count; i++) {
        r->uniform[i] = true;
        r->time[i] = 1;
    }
    race_shadow_clear(&r->shadow[WAVE_SPACE_LOCAL]);
}

static bool has_messages(const fe_kernel *kernel) {
    unsigned kinds = 0;
    for (uint32_t i = 0; i < kernel->info.instructions; i++)
        kinds |= fence_kind((isa_op)kernel->insns[i].op);
    return kinds == (ACQUIRES | RELEASES);
}

static void destroy(race *r) {
    for (uint32_t i = 0; r->lanes && i < r->clocks.threads; i++) {
        race_clock_drop(&r->clocks, r->lanes[i].clock);
        race_mail_free(&r->post, &r->lanes[i].mail);
    }
    free(r->lanes);
    race_post_free(&r->post);
    race_clocks_free(&r->clocks);
    for (unsigned space = 0; space < RACE_SPACES; space++)
        race_shadow_free(&r->shadow[space]);
    free(r->collided);
    free(r);
}

/* Creates the first clock here, so that one exists even if allocating later ones fails. */
static bool set_up(race *r) {
    r->lanes = calloc(r->clocks.threads, sizeof *r->lanes);
    r->collided = calloc((size_t)r->kernel->info.instructions + 1, 1);
    if (!r->lanes || !r->collided)
        return false;
    r->lanes[0].clock = race_clock_new(&r->clocks);
    return r->lanes[0].clock &&
           race_shadow_init(&r->shadow[WAVE_SPACE_LOCAL], r->launch->local_memory) &&
           race_shadow_init(&r->shadow[WAVE_SPACE_DEVICE], r->launch->device_size);
}

bool emu_race_create(const fe_kernel *kernel, const wave_module *module, const wave_launch *launch,
                     wave_diags *diags, wave_observer *out) {
    race *r = calloc(1, sizeof *r);
    if (!r)
        return false;
    const uint32_t *size = launch->workgroup, width = launch->wave_width;
    (void)module;
    r->kernel = kernel;
    r->launch = launch;
    r->diags = diags;
    r->messages = has_messages(kernel);
    r->lockstep = launch->lockstep;
    r->clocks.present = size[0] * size[1] * size[2];
    r->group.count = (r->clocks.present + width - 1) / width;
    r->group.width = width;
    r->clocks.threads = r->group.count * width;
    r->post.clocks = &r->clocks;
    if (!set_up(r)) {
        destroy(r);
        return false;
    }
    *out = (wave_observer){.user = r,
                           .workgroup_begin = on_workgroup,
                           .before = on_before,
                           .access = on_access,
                           .barrier = on_barrier};
    return true;
}

wave_status emu_race_status(const wave_observer *observer) {
    return ((const race *)observer->user)->status;
}

void emu_race_destroy(wave_observer *observer) {
    destroy(observer->user);
}
