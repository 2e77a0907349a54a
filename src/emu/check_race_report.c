/* The messages of the race checker: both sides of a race, and what would order them. */
#include "emu/check_race.h"
#include "emu/check_who.h"
#include "emu/machine.h"

/* True when the pair of instructions is new. */
static bool remember_pair(race *r, uint32_t a, uint32_t b) {
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    uint64_t key = (high << 32 | low) + 1;
    size_t slot = (size_t)((key * 0x9E3779B97F4A7C15u) >> 32) % RACE_PAIR_SLOTS;
    while (r->pairs[slot] && r->pairs[slot] != key)
        slot = (slot + 1) % RACE_PAIR_SLOTS;
    if (r->pairs[slot] || r->pair_count == RACE_MAX_PAIRS)
        return false;
    r->pairs[slot] = key;
    r->pair_count++;
    return true;
}

static const char *kind_of(const race_record *record) {
    if (record->flags & RACE_ATOMIC)
        return "atomic";
    return record->flags & RACE_WRITES ? "store" : "load";
}

static void side_text(buf *out, const race *r, uint32_t wave, uint32_t lane) {
    const uint32_t *grid = r->launch->grid;
    uint32_t linear = wave / r->group.count;
    uint32_t workgroup[3] = {linear % grid[0], linear / grid[0] % grid[1],
                             (uint32_t)(linear / ((uint64_t)grid[0] * grid[1]))};
    check_who(out, r->launch, workgroup, wave % r->group.count, lane);
    buf_char(out, '\0');
}

/* What is missing depends on how far apart the two lanes are. */
static const char *hint_for(const race *r, const race_record *a, const race_record *b) {
    static const char *const order[] = {
        "put a fence of the wave between the two, such as fence_acq_rel .wave, or a barrier",
        "put a barrier between the two, or a message: fence_release .workgroup and an atomic after "
        "the first, an atomic of the same word and fence_acquire .workgroup before the second",
        "send a message: fence_release .device and an atomic .device after the first, an atomic "
        ".device of the same word and fence_acquire .device before the second"};
    static const char *const mixed[] = {
        "make both accesses atomic, or put a fence of the wave between them, such as fence_acq_rel "
        ".wave, or a barrier",
        "make both accesses atomic, or put a barrier between them, or a message with fence_release "
        ".workgroup and fence_acquire .workgroup",
        "make both accesses atomic with scope .device, or order them by a message with "
        "fence_release .device and fence_acquire .device"};
    static const char *const scope[] = {
        "give both atomics the same width and address",
        "give both atomics scope .workgroup or wider, or put a barrier between them",
        "give both atomics scope .device or wider"};
    const unsigned distance = a->wave == b->wave                                     ? 0
                              : a->wave / r->group.count == b->wave / r->group.count ? 1
                                                                                     : 2;
    if (a->flags & b->flags & RACE_ATOMIC)
        return scope[distance];
    return (a->flags | b->flags) & RACE_ATOMIC ? mixed[distance] : order[distance];
}

typedef struct texts {
    buf here, this_side, there, other_side;
} texts;

static bool write_texts(const race *r, texts *out, const race_record *earlier, uint32_t lane,
                        const race_touch *t) {
    const fe_insn *insns = r->kernel->insns;
    fe_insn_text(&out->here, &insns[t->step->index], insns, (unsigned)r->launch->kernel);
    fe_insn_text(&out->there, &insns[earlier->insn], insns, (unsigned)r->launch->kernel);
    buf_char(&out->there, '\0');
    side_text(&out->this_side, r, t->record.wave, t->access->lane);
    side_text(&out->other_side, r, earlier->wave, lane);
    return !out->here.failed && !out->there.failed && !out->this_side.failed &&
           !out->other_side.failed;
}

static void free_texts(texts *out) {
    buf_free(&out->here);
    buf_free(&out->this_side);
    buf_free(&out->there);
    buf_free(&out->other_side);
}

static diag_place place_of(const race *r, const texts *text, const wave_step *step,
                           const char *hint) {
    diag_place place = DIAG_NOWHERE;
    place.kernel = r->kernel->info.name;
    place.offset = step->pc;
    place.text = (const char *)text->here.data;
    place.text_length = text->here.size;
    place.hint = hint;
    return place;
}

static const char *space_of(const race_touch *t) {
    return t->access->space == WAVE_SPACE_LOCAL ? "local" : "device";
}

void race_report(race *r, const race_record *earlier, uint64_t lanes, const race_touch *t,
                 uint32_t byte) {
    if (r->status == WAVE_OK)
        r->status = WAVE_ERROR_INPUT;
    if (!remember_pair(r, earlier->insn, t->step->index) || !diag_has_room(r->diags))
        return;
    texts text = {0};
    if (write_texts(r, &text, earlier, emu_lowest(lanes), t)) {
        const diag_place place = place_of(r, &text, t->step, hint_for(r, earlier, &t->record));
        diag_report(r->diags, DIAG_E_RACE, &place,
                    "%s: this %s of %s address 0x%x at PC 0x%04x races with the %s at PC 0x%04x "
                    "(%s) by %s: nothing orders the two",
                    (const char *)text.this_side.data, kind_of(&t->record), space_of(t),
                    (unsigned)byte, (unsigned)t->step->pc, kind_of(earlier),
                    (unsigned)r->kernel->insns[earlier->insn].pc, (const char *)text.there.data,
                    (const char *)text.other_side.data);
        diag_place other = DIAG_NOWHERE;
        other.offset = r->kernel->insns[earlier->insn].pc;
        diag_relate(r->diags, &other, "%s", (const char *)text.there.data);
    } else {
        race_out_of_memory(r);
    }
    free_texts(&text);
}

void race_report_collision(race *r, const race_record *earlier, const race_touch *t,
                           uint32_t byte) {
    uint8_t *reported = &r->collided[t->step->index];
    if (*reported || !diag_has_room(r->diags))
        return;
    *reported = 1;
    texts text = {0};
    if (write_texts(r, &text, earlier, emu_lowest(earlier->lanes & ~t->self), t)) {
        const diag_place place = place_of(r, &text, t->step, NULL);
        diag_report(r->diags, DIAG_W_STORE_COLLISION, &place,
                    "%s: this store and that of %s, in one execution of the instruction, write "
                    "different values to %s address 0x%x",
                    (const char *)text.this_side.data, (const char *)text.other_side.data,
                    space_of(t), (unsigned)byte);
    } else {
        race_out_of_memory(r);
    }
    free_texts(&text);
}
