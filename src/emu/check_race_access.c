/* Which accesses race: the conflicts of ISA section 8.2 among the records of one word, and which
 * records a later one makes redundant. */
#include "emu/check_race.h"
#include "emu/machine.h"

/* Loads and atomics of earlier workgroups kept per word; to detect a race, a store has to meet only
 * one that is unordered with it. */
enum { KEEP_EARLIER = 4 };

static uint32_t lowest_bit(uint32_t bits) {
    uint32_t at = 0;
    while (!(bits >> at & 1))
        at++;
    return at;
}

static bool is_store(const race_record *record) {
    return record->flags == RACE_WRITES;
}

/* ---- Conflicts ---- */

static bool reaches(const race *r, const race_record *from, const race_record *to) {
    return from->scope >= ISA_SCOPE_DEVICE || from->wave == to->wave ||
           (from->scope == ISA_SCOPE_WORKGROUP &&
            from->wave / r->group.count == to->wave / r->group.count);
}

/* Atomics are aligned to their width, so overlapping atomics of the same width have the same
 * address. */
static bool conflict(const race *r, const race_record *a, const race_record *b) {
    if (!((a->flags | b->flags) & RACE_WRITES))
        return false;
    return !(a->flags & b->flags & RACE_ATOMIC && a->width == b->width && reaches(r, a, b) &&
             reaches(r, b, a));
}

static bool in_one_execution(const race_record *a, const race_record *b) {
    return a->wave == b->wave && a->execution == b->execution && is_store(a) && is_store(b);
}

/* The lanes of a record, other than the touching one, whose access does not happen before it. */
static uint64_t unordered(const race *r, const race_touch *t, const race_record *old) {
    const uint32_t slot = old->wave - r->group.first;
    uint64_t open = 0;
    if (slot < r->group.count) {
        uint64_t lanes = old->lanes;
        if (t->clock->all[slot] >= old->time)
            return 0;
        if (slot == t->slot) {
            lanes = r->lockstep ? 0 : lanes & ~t->self;
            if (old->time == t->record.time)
                return lanes;
        }
        const uint32_t *now = t->clock->now + (size_t)slot * r->group.width;
        for (; lanes; lanes &= lanes - 1)
            if (now[emu_lowest(lanes)] < old->time)
                open |= lanes & (0 - lanes);
        return open;
    }
    for (uint64_t lanes = old->lanes; lanes; lanes &= lanes - 1)
        if (!race_clock_knows_earlier(t->clock, old->wave, emu_lowest(lanes), old->time,
                                      &r->post.logs))
            open |= lanes & (0 - lanes);
    return open;
}

/* True when the whole record happens before the access. For the running workgroup only when this is
 * cheap to prove. */
static bool is_known(const race *r, const race_touch *t, const race_record *old) {
    const uint32_t slot = old->wave - r->group.first;
    return slot < r->group.count ? t->clock->all[slot] >= old->time : !unordered(r, t, old);
}

/* True for an access of this lane with no fence after it: other lanes do not know of it. */
static bool is_own(const race *r, const race_touch *t, const race_record *old) {
    return old->wave == t->record.wave && old->time == t->record.time && old->lanes & t->self &&
           !r->lockstep;
}

/* True when every access that races with the old one also races with the new one, given that the
 * old one is ordered before the new one. */
static bool stands_for(const race_record *now, const race_record *old) {
    if (is_store(now))
        return true;
    if (is_store(old))
        return false;
    if (!(now->flags & RACE_ATOMIC))
        return !(old->flags & RACE_WRITES);
    return !(old->flags & ~now->flags) && old->flags & RACE_ATOMIC && old->wave == now->wave &&
           now->width == old->width && now->scope <= old->scope;
}

/* ---- One word ---- */

static bool same_access(const race_record *a, const race_record *b) {
    return a->wave == b->wave && a->time == b->time && a->insn == b->insn && a->flags == b->flags &&
           a->scope == b->scope && a->width == b->width &&
           (!is_store(a) || a->execution == b->execution);
}

static uint32_t byte_mask(uint32_t bytes) {
    return (bytes & 1 ? 0xFFu : 0) | (bytes & 2 ? 0xFF00u : 0) | (bytes & 4 ? 0xFF0000u : 0) |
           (bytes & 8 ? 0xFF000000u : 0);
}

/* Two stores of one execution: if their values differ, which one remains is unspecified. */
static void collide(race *r, const race_touch *t, const race_record *old, uint32_t word) {
    uint32_t shared = old->bytes & t->record.bytes;
    uint32_t differing = (old->value ^ t->record.value) & byte_mask(shared);
    if (!differing || !(old->lanes & ~t->self))
        return;
    uint32_t byte = 0;
    while (!(differing >> 8 * byte & 0xFF))
        byte++;
    race_report_collision(r, old, t, word + byte);
}

static void add_lane(race_record *into, const race_record *record) {
    into->lanes |= record->lanes;
    into->execution = record->execution;
    if (is_store(record)) {
        uint32_t mask = byte_mask(record->bytes);
        into->value = (into->value & ~mask) | (record->value & mask);
    }
}

/* The common case: the last access to the word was by the same instruction, of the same kind, in
 * this lane or in one with the same knowledge. */
static bool repeats(race *r, race_touch *t, race_record *first, uint32_t word) {
    const race_record *record = &t->record;
    if (!same_access(first, record) || record->bytes & ~first->bytes ||
        (!(first->lanes & t->self) && first->clock != t->clock->number))
        return false;
    if (is_store(record))
        collide(r, t, first, word);
    add_lane(first, record);
    return true;
}

/* Compares with an old record; false when none of it needs to be kept. */
static bool compare(race *r, race_touch *t, race_record *old, uint32_t word) {
    race_record *record = &t->record;
    const uint8_t shared = old->bytes & record->bytes;
    const bool own = is_own(r, t, old);
    if (conflict(r, old, record)) {
        if (in_one_execution(old, record)) {
            collide(r, t, old, word);
            record->clock = 0;
            return true;
        }
        uint64_t open = unordered(r, t, old);
        if (open)
            race_report(r, old, open, t, word + lowest_bit(shared));
        if (open || own)
            record->clock = 0;
    }
    if (!stands_for(record, old))
        return true;
    if (is_store(record)) {
        /* Another lane's store in the same execution does not race with the new record. It may race
         * with the old one if it knows less, so the old record is kept until the execution is
         * over. */
        if (!own && r->uniform[t->slot])
            old->bytes &= (uint8_t)~shared;
        else if (old->bytes == shared)
            old->covered = record->execution;
    } else if (is_known(r, t, old)) {
        old->bytes &= (uint8_t)~shared;
    } else if (old->wave == record->wave && old->bytes == shared) {
        old->lanes &= ~t->self;
    }
    return old->bytes && old->lanes;
}

void race_touch_word(race *r, race_touch *t, uint32_t word, uint8_t bytes, uint32_t value) {
    race_shadow *shadow = &r->shadow[t->access->space];
    uint32_t *head = race_shadow_word(shadow, word);
    if (!head) {
        race_out_of_memory(r);
        return;
    }
    race_record *record = &t->record;
    record->bytes = bytes;
    record->value = value;
    if (*head && repeats(r, t, race_shadow_at(shadow, *head), word))
        return;
    record->lanes = t->self;
    record->clock = t->clock->number;
    unsigned earlier_kept = 0;
    for (uint32_t *link = head; *link;) {
        race_record *old = race_shadow_at(shadow, *link);
        bool keep = true;
        if (old->covered && old->covered != record->execution) {
            keep = false;
        } else if (same_access(old, record) && old->bytes == bytes) {
            /* The new record takes over the lanes of this one and its place at the head of the
             * list. */
            if (is_store(record))
                collide(r, t, old, word);
            record->lanes |= old->lanes;
            keep = false;
        } else if (old->bytes & bytes) {
            keep = compare(r, t, old, word);
        }
        if (keep && !is_store(old) && old->wave < r->group.first)
            keep = ++earlier_kept <= KEEP_EARLIER;
        if (keep)
            link = &old->next;
        else
            race_shadow_remove(shadow, link);
    }
    if (!race_shadow_push(shadow, head, *record))
        race_out_of_memory(r);
}
