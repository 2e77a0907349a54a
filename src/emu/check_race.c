/* The race checker: two accesses to a byte by different waves, at least one of them a plain store,
 * that nothing orders. Order comes from the program (within a wave), from barriers (within a
 * workgroup) and from release fence, atomic, atomic on the same word, acquire fence; so a race is
 * found whether or not this run's interleaving did any harm. The clocks, the shadow memory and the
 * synchronising words have files of their own. docs/emulator.md explains the rules. */
#include "emu/check_race_shadow.h"
#include "emu/check_race_sync.h"
#include "emu/check_who.h"
#include "emu/checks.h"

#include <stdlib.h>
#include <string.h>

enum {
    SPACES = 2,
    MAX_PAIRS = 4096, /* pairs of PCs reported */
    PAIR_SLOTS = 2 * MAX_PAIRS,
    /* Loads and atomics of earlier workgroups kept for a word; a store needs to meet only one it is
     * not ordered with. */
    KEEP_EARLIER = 4
};

/* What one wave knows, has offered and has been offered. */
typedef struct race_wave {
    race_clock clock;
    race_clock released[2]; /* clock at the last release fence of [0] workgroup, [1] device scope */
    bool has_released[2];
    race_offer offered;      /* read by atomics of workgroup scope since the start */
    race_list offered_notes; /* read by atomics of device scope: log number, notes */
    /* The offer read last: nothing to do when the next atomic finds the same. */
    wave_space seen_space;
    uint32_t seen_address;
    uint64_t seen_version;
} race_wave;

typedef struct race {
    const fe_kernel *kernel;
    const wave_launch *launch;
    wave_diags *diags;
    wave_status status;
    bool fences; /* the kernel has release and acquire fences: synchronising words matter */
    race_group group;
    race_wave *waves;
    race_shadow shadow[SPACES];
    race_syncs syncs[SPACES];
    race_logs logs;
    uint32_t expected[ISA_MAX_WIDTH]; /* of the compare-and-swap about to execute */
    uint64_t pairs[PAIR_SLOTS];       /* hash set of reported pairs; 0: empty */
    size_t pair_count;
} race;

static void out_of_memory(race *r) {
    r->status = WAVE_ERROR_MEMORY;
}

/* ---- Reports ---- */

/* True when the pair of instructions is new. */
static bool remember_pair(race *r, uint32_t a, uint32_t b) {
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    uint64_t key = (high << 32 | low) + 1;
    size_t slot = (size_t)((key * 0x9E3779B97F4A7C15u) >> 32) % PAIR_SLOTS;
    while (r->pairs[slot] && r->pairs[slot] != key)
        slot = (slot + 1) % PAIR_SLOTS;
    if (r->pairs[slot] || r->pair_count == MAX_PAIRS)
        return false;
    r->pairs[slot] = key;
    r->pair_count++;
    return true;
}

static const char *const kind_name[] = {"load", "store", "atomic", "atomic load", "atomic store"};

static void side_text(buf *out, const race *r, uint32_t wave, uint32_t lane) {
    const uint32_t *grid = r->launch->grid;
    uint32_t linear = wave / r->group.count;
    uint32_t workgroup[3] = {linear % grid[0], linear / grid[0] % grid[1],
                             (uint32_t)(linear / ((uint64_t)grid[0] * grid[1]))};
    check_who(out, r->launch, workgroup, wave % r->group.count, lane);
    buf_char(out, '\0');
}

static void report(race *r, const race_record *earlier, const wave_step *step,
                   const wave_access *access, uint32_t byte) {
    if (r->status == WAVE_OK)
        r->status = WAVE_ERROR_INPUT;
    if (!remember_pair(r, earlier->insn, step->index) || !diag_has_room(r->diags))
        return;
    buf text = {0}, here = {0}, there = {0}, other = {0};
    const fe_insn *insns = r->kernel->insns;
    fe_insn_text(&text, &insns[step->index], insns, (unsigned)r->launch->kernel);
    fe_insn_text(&other, &insns[earlier->insn], insns, (unsigned)r->launch->kernel);
    side_text(&here, r, r->group.first + step->wave, access->lane);
    side_text(&there, r, earlier->wave, earlier->lane);
    buf_char(&other, '\0');
    if (text.failed || here.failed || there.failed || other.failed) {
        out_of_memory(r);
    } else {
        diag_place place = DIAG_NOWHERE;
        place.kernel = r->kernel->info.name;
        place.offset = step->pc;
        place.text = (const char *)text.data;
        place.text_length = text.size;
        diag_report(r->diags, DIAG_E_RACE, &place,
                    "%s: this %s of %s address 0x%x at PC 0x%04x races with the %s at PC 0x%04x "
                    "(%s) by %s: nothing orders the two",
                    (const char *)here.data, kind_name[access->kind],
                    access->space == WAVE_SPACE_LOCAL ? "local" : "device", (unsigned)byte,
                    (unsigned)step->pc, kind_name[earlier->kind], (unsigned)insns[earlier->insn].pc,
                    (const char *)other.data, (const char *)there.data);
    }
    buf_free(&text);
    buf_free(&here);
    buf_free(&there);
    buf_free(&other);
}

/* ---- Accesses ---- */

static bool ordered(const race *r, const race_record *earlier, uint32_t wave) {
    return race_clock_covers(&r->waves[wave].clock, earlier->wave, earlier->time, &r->logs,
                             r->group);
}

static uint32_t lowest_bit(uint32_t bits) {
    uint32_t at = 0;
    while (!(bits >> at & 1))
        at++;
    return at;
}

/* Checks one word's share of an access against what is remembered there, then remembers it. What
 * the new access covers is forgotten if whoever races with the old one would race with the new one
 * as well: a store stands for everything before it, a load or atomic for loads and atomics. */
static void touch_word(race *r, const wave_step *step, const wave_access *access, uint32_t word,
                       uint8_t bytes) {
    race_shadow *shadow = &r->shadow[access->space];
    uint32_t *head = race_shadow_word(shadow, word);
    if (!head) {
        out_of_memory(r);
        return;
    }
    race_record record = {.wave = r->group.first + step->wave,
                          .time = r->waves[step->wave].clock.now[step->wave],
                          .insn = step->index,
                          .lane = (uint8_t)access->lane,
                          .kind = (uint8_t)access->kind,
                          .bytes = bytes};
    const race_record *first = *head ? race_shadow_at(shadow, *head) : NULL;
    if (first && first->wave == record.wave && first->time == record.time &&
        first->insn == record.insn && first->kind == record.kind && !(bytes & ~first->bytes))
        return; /* nothing happened here since the same access */
    bool store = access->kind == WAVE_STORE;
    unsigned earlier_kept = 0;
    for (uint32_t *link = head; *link;) {
        race_record *old = race_shadow_at(shadow, *link);
        if (old->bytes & bytes) {
            bool in_order = ordered(r, old, step->wave), old_store = old->kind == WAVE_STORE;
            if (!in_order && (store || old_store))
                report(r, old, step, access, word + lowest_bit(old->bytes & bytes));
            if (store || (in_order && !old_store))
                old->bytes &= (uint8_t)~bytes;
        }
        bool surplus =
            old->kind != WAVE_STORE && old->wave < r->group.first && ++earlier_kept > KEEP_EARLIER;
        if (!old->bytes || surplus)
            race_shadow_remove(shadow, link);
        else
            link = &old->next;
    }
    if (!race_shadow_push(shadow, head, record))
        out_of_memory(r);
}

static bool is_cas(isa_op op) {
    return op == ISA_ATOMIC_CAS || op == ISA_LOCAL_ATOMIC_CAS;
}

/* An atomic takes along what was released to its word, for a later acquire fence. */
static bool take_offers(race *r, race_wave *wave, const race_sync *sync, const wave_access *access,
                        bool device) {
    bool changed = false, good = true;
    if (wave->seen_version != sync->version || wave->seen_address != access->address ||
        wave->seen_space != access->space) {
        good = race_offer_join(&wave->offered, &sync->local, &changed);
        wave->seen_version = sync->version;
        wave->seen_address = access->address;
        wave->seen_space = access->space;
    }
    if (!device || !sync->log)
        return good;
    race_entry notes = {sync->log - 1, race_log_show(&r->logs.at[sync->log - 1])};
    return race_list_join_entries(&wave->offered_notes, &notes, 1, &changed) && good;
}

/* And it leaves there what its wave has released. */
static bool leave_offers(race *r, race_wave *wave, race_sync *sync, race_syncs *syncs,
                         bool device) {
    bool changed = false, good = true;
    if (wave->has_released[0])
        good = race_offer_join_clock(&sync->local, &wave->released[0], r->group, &changed);
    if (changed)
        sync->version = ++syncs->versions;
    if (!device || !wave->has_released[1])
        return good;
    if (!sync->log) {
        uint32_t number;
        if (!race_logs_add(&r->logs, &number))
            return false;
        sync->log = number + 1;
    }
    return race_clock_publish(&wave->released[1], &r->logs, sync->log - 1, r->group) && good;
}

static void synchronise(race *r, const wave_step *step, const wave_access *access) {
    race_wave *wave = &r->waves[step->wave];
    race_syncs *syncs = &r->syncs[access->space];
    uint32_t scope =
        access->space == WAVE_SPACE_LOCAL ? (uint32_t)ISA_SCOPE_WORKGROUP : access->scope;
    if (scope < ISA_SCOPE_WORKGROUP)
        return;
    bool device = scope >= ISA_SCOPE_DEVICE;
    bool cas_failed = is_cas((isa_op)r->kernel->insns[step->index].op) &&
                      access->value[0] != r->expected[access->lane];
    bool writes = access->kind != WAVE_ATOMIC_LOAD && !cas_failed;
    bool leaves = writes && (wave->has_released[0] || (device && wave->has_released[1]));
    race_sync *sync = race_syncs_find(syncs, access->address, leaves);
    if (!sync) {
        if (leaves)
            out_of_memory(r);
        return;
    }
    if (sync->group != r->group.first) {
        sync->group = r->group.first;
        race_offer_clear(&sync->local);
        sync->version = ++syncs->versions;
    }
    bool reads = access->kind != WAVE_ATOMIC_STORE;
    if ((reads && !take_offers(r, wave, sync, access, device)) ||
        (leaves && !leave_offers(r, wave, sync, syncs, device)))
        out_of_memory(r);
}

static void on_access(void *user, const wave_step *step, const wave_access *access) {
    race *r = user;
    uint64_t end = (uint64_t)access->address + access->bytes;
    for (uint64_t at = access->address; at < end;) {
        uint32_t word = (uint32_t)(at & ~(uint64_t)3), low = (uint32_t)(at & 3);
        uint32_t length = (uint32_t)(end - at < 4 - low ? end - at : 4 - low);
        touch_word(r, step, access, word, (uint8_t)(((1u << length) - 1) << low));
        at += length;
    }
    if (r->fences && access->kind >= WAVE_ATOMIC)
        synchronise(r, step, access);
}

/* ---- Order ---- */

/* The logs matter for earlier workgroups only: waves of the same one reach each other through the
 * offers, whatever the scope. */
static void acquire(race *r, race_wave *wave, uint32_t scope) {
    bool changed = false;
    if (scope >= ISA_SCOPE_WORKGROUP && !race_offer_take(&wave->clock, &wave->offered))
        out_of_memory(r);
    if (scope >= ISA_SCOPE_DEVICE &&
        !race_list_join(&wave->clock.past, &wave->offered_notes, &changed))
        out_of_memory(r);
}

/* Later accesses of the wave get a later time: the release does not cover them. */
static void release(race *r, uint32_t index, uint32_t scope) {
    race_wave *wave = &r->waves[index];
    for (unsigned level = 0; level < 2; level++) {
        if (scope < (level ? ISA_SCOPE_DEVICE : ISA_SCOPE_WORKGROUP))
            continue;
        if (race_clock_copy(&wave->released[level], &wave->clock))
            wave->has_released[level] = true;
        else
            out_of_memory(r);
    }
    wave->clock.now[index]++;
}

static bool on_before(void *user, const wave_step *step) {
    race *r = user;
    const fe_insn *insn = &r->kernel->insns[step->index];
    if (!step->executing)
        return true;
    switch (insn->op) {
    case ISA_FENCE_ACQUIRE: acquire(r, &r->waves[step->wave], insn->scope); break;
    case ISA_FENCE_RELEASE: release(r, step->wave, insn->scope); break;
    case ISA_FENCE_ACQ_REL:
    case ISA_FENCE_SC:
        acquire(r, &r->waves[step->wave], insn->scope);
        release(r, step->wave, insn->scope);
        break;
    case ISA_ATOMIC_CAS:
    case ISA_LOCAL_ATOMIC_CAS: /* read now: the result may go to the same register */
        for (uint32_t lane = 0; lane < step->wave_width; lane++)
            r->expected[lane] = wave_step_register(step, insn->field[ISA_FIELD_RS2], lane);
        break;
    default: break;
    }
    return true;
}

/* Everything before the barrier, in any wave, comes before everything after it. */
static void on_barrier(void *user, const uint32_t workgroup[3], uint32_t pc) {
    race *r = user;
    race_clock *all = &r->waves[0].clock;
    (void)workgroup;
    (void)pc;
    for (uint32_t i = 1; i < r->group.count; i++)
        if (!race_clock_join(all, &r->waves[i].clock, r->group))
            out_of_memory(r);
    for (uint32_t i = 1; i < r->group.count; i++) {
        if (!race_clock_copy(&r->waves[i].clock, all))
            out_of_memory(r);
        r->waves[i].clock.now[i]++;
    }
    all->now[0]++;
}

static void on_workgroup(void *user, const uint32_t workgroup[3]) {
    race *r = user;
    const uint32_t *grid = r->launch->grid;
    uint64_t linear = workgroup[0] + grid[0] * (workgroup[1] + (uint64_t)grid[1] * workgroup[2]);
    r->group.first = (uint32_t)(linear * r->group.count);
    for (uint32_t i = 0; i < r->group.count; i++) {
        race_wave *wave = &r->waves[i];
        race_clock_clear(&wave->clock);
        wave->clock.now[i] = 1;
        wave->seen_version = 0;
        wave->has_released[0] = wave->has_released[1] = false;
        race_offer_clear(&wave->offered);
        wave->offered_notes.count = 0;
    }
    race_shadow_clear(&r->shadow[WAVE_SPACE_LOCAL]);
}

/* ---- Life ---- */

static bool has_fences(const fe_kernel *kernel) {
    bool releases = false, acquires = false;
    for (uint32_t i = 0; i < kernel->info.instructions; i++) {
        uint8_t op = kernel->insns[i].op;
        bool both = op == ISA_FENCE_ACQ_REL || op == ISA_FENCE_SC;
        releases |= op == ISA_FENCE_RELEASE || both;
        acquires |= op == ISA_FENCE_ACQUIRE || both;
    }
    return releases && acquires;
}

static void destroy(race *r) {
    for (uint32_t i = 0; r->waves && i < r->group.count; i++) {
        race_clock_free(&r->waves[i].clock);
        race_clock_free(&r->waves[i].released[0]);
        race_clock_free(&r->waves[i].released[1]);
        race_offer_free(&r->waves[i].offered);
        race_list_free(&r->waves[i].offered_notes);
    }
    free(r->waves);
    for (unsigned space = 0; space < SPACES; space++) {
        race_shadow_free(&r->shadow[space]);
        race_syncs_free(&r->syncs[space]);
    }
    race_logs_free(&r->logs);
    free(r);
}

bool emu_race_create(const fe_kernel *kernel, const wave_module *module, const wave_launch *launch,
                     wave_diags *diags, wave_observer *out) {
    race *r = calloc(1, sizeof *r);
    if (!r)
        return false;
    const uint32_t *size = launch->workgroup;
    uint32_t width = launch->wave_width;
    r->kernel = kernel;
    (void)module;
    r->launch = launch;
    r->diags = diags;
    r->fences = has_fences(kernel);
    r->group.count = (size[0] * size[1] * size[2] + width - 1) / width;
    r->waves = calloc(r->group.count, sizeof *r->waves);
    if (!r->waves || !race_shadow_init(&r->shadow[WAVE_SPACE_LOCAL], launch->local_memory) ||
        !race_shadow_init(&r->shadow[WAVE_SPACE_DEVICE], launch->device_size)) {
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
