/* The race checker: accesses of different lanes that conflict and that nothing orders (ISA 8.1 and
 * 8.2). This file turns what happens into vector clocks of lanes: fences order the lanes of their
 * wave, barriers those of the workgroup, messages through atomics any two. So a race is found
 * whether or not this run's interleaving did any harm. Clocks, remembered accesses and words with
 * messages have files of their own. docs/emulator.md explains the rules. */
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

/* What all the lanes know, and what they themselves did, in one clock. */
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

/* One event of all the lanes, whatever the kind and scope. Later accesses get a later time: it does
 * not cover them. */
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

/* Everything before the barrier, in any lane, halted ones too, comes before everything after it. */
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

static bool on_before(void *user, const wave_step *step) {
    race *r = user;
    const fe_insn *insn = &r->kernel->insns[step->index];
    const unsigned kind = fence_kind((isa_op)insn->op);
    r->execution++;
    if (!step->executing)
        return true;
    if (kind)
        fence_step(r, step, kind, insn->scope);
    if (insn->op == ISA_ATOMIC_CAS || insn->op == ISA_LOCAL_ATOMIC_CAS)
        for (uint32_t lane = 0; lane < step->wave_width; lane++) /* the result may replace it */
            r->expected[lane] = wave_step_register(step, insn->field[ISA_FIELD_RS2], lane);
    return true;
}

/* ---- Accesses ---- */

static bool writes(const race *r, const wave_step *step, const wave_access *access) {
    const uint8_t op = r->kernel->insns[step->index].op;
    if (op == ISA_ATOMIC_CAS || op == ISA_LOCAL_ATOMIC_CAS)
        return access->value[0] == r->expected[access->lane];
    return access->kind != WAVE_LOAD && access->kind != WAVE_ATOMIC_LOAD;
}

/* The bytes of an access from `skip` on, as the low bytes of a word. */
static uint32_t bytes_from(const wave_access *access, uint32_t skip) {
    const uint32_t word = skip / 4, low = skip % 4;
    uint32_t value = access->value[word] >> 8 * low;
    if (low && word < 3)
        value |= access->value[word + 1] << 8 * (4 - low);
    return value;
}

static void on_access(void *user, const wave_step *step, const wave_access *access) {
    race *r = user;
    if (access->space != WAVE_SPACE_LOCAL && access->space != WAVE_SPACE_DEVICE)
        return; /* no other lane can get there, or nobody writes */
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
        if (r->messages && access->kind == WAVE_STORE)
            race_post_overwrite(&r->post, access->space, word);
        at += length;
    }
    if (!r->messages || !atomic)
        return;
    const race_atomic message = {.space = access->space,
                                 .address = access->address,
                                 .wave = step->wave,
                                 .scope = record->scope,
                                 .reads = access->kind != WAVE_ATOMIC_STORE,
                                 .writes = (record->flags & RACE_WRITES) != 0};
    if (!race_post_atomic(&r->post, &lane->mail, &message))
        race_out_of_memory(r);
}

/* ---- The launch ---- */

static void on_workgroup(void *user, const uint32_t workgroup[3]) {
    race *r = user;
    const uint32_t *grid = r->launch->grid;
    uint64_t linear = workgroup[0] + grid[0] * (workgroup[1] + (uint64_t)grid[1] * workgroup[2]);
    race_clock *start = race_clock_new(&r->clocks);
    if (!start) {
        race_out_of_memory(r);
        start = race_clock_share(r->lanes[0].clock); /* there has been a workgroup before */
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

/* The first clock is made here, so that there is one for the case that later ones cannot be. */
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
