/* Linear scan: "Linear Scan Register Allocation", Poletto and Sarkar 1999. Virtual registers are
 * allocated in the order of their starts; one that ends frees its registers. So single registers
 * suffice whenever no more than 256 are live at one position. During a lifetime hole (see
 * intervals.c) the registers are free for intervals that begin in it, and are taken again at its
 * end.
 *
 * Virtual registers that moves connect form a group and prefer the same register. The first one
 * chooses it. Until the last of the group has started (for parameters, until the end of the loop),
 * other groups take that register only if no other is free. Predicates without a predicate register
 * live in general registers; the one with the latest end is evicted first. p0 is allocated only if
 * no predicate has to be fetched. */
#include "emit_wbin/code.h"

#include "base/bits.h"

#include <stdlib.h>

enum { ALL_PREDICATES = 0xF, PREDICATES = 0xE, MOST_TILES = 256, NOT_YET = 0xFFFF };

typedef struct allocator {
    wb_code *c;
    uint32_t *starts, *ends, *releases; /* by position: head of a list */
    uint32_t *next_start, *next_release;
    uint32_t *openings, *closings;         /* of holes, by position: head of a list; or NULL */
    uint32_t *next_opening, *next_closing; /* by hole */
    uint16_t *wish;                        /* by group: its register, or NOT_YET */
    uint32_t *last_start;                  /* by group: the latest start of its members */
    uint64_t free[4];                      /* general registers, one bit each */
    uint64_t unreserved[4];                /* no group waits for them */
    uint16_t reservations[ISA_MAX_REGISTERS];
    uint32_t holder[ISA_PREDICATES]; /* the virtual register in each predicate */
    unsigned free_predicates;
    uint16_t predicate_reservations[ISA_PREDICATES];
    unsigned highest; /* registers from here on were never allocated */
    unsigned tiles;
} allocator;

/* ---- Sets of registers ---- */

static bool all_set(const uint64_t set[4], unsigned first, unsigned width) {
    for (unsigned k = first; k < first + width; k++)
        if (k >= ISA_MAX_REGISTERS || !(set[k / 64] >> (k % 64) & 1))
            return false;
    return true;
}

static void change(uint64_t set[4], unsigned first, unsigned width, bool on) {
    for (unsigned k = first; k < first + width; k++) {
        uint64_t bit = (uint64_t)1 << (k % 64);
        set[k / 64] = on ? set[k / 64] | bit : set[k / 64] & ~bit;
    }
}

/* The lowest run of registers in both sets, from `from` on; ISA_MAX_REGISTERS if there is none. */
static unsigned find_run(const uint64_t a[4], const uint64_t b[4], unsigned from, unsigned width) {
    for (unsigned word = from / 64; word < 4; word++) {
        uint64_t both = a[word] & b[word];
        if (word == from / 64)
            both &= ~(uint64_t)0 << (from % 64);
        for (; both; both &= both - 1) {
            unsigned first = word * 64 + bits_lowest(both);
            if (width == 1 || (all_set(a, first, width) && all_set(b, first, width)))
                return first;
        }
    }
    return ISA_MAX_REGISTERS;
}

/* ---- General registers ---- */

static void take(allocator *s, uint32_t v, unsigned reg) {
    wb_vreg *r = &s->c->vregs[v];
    r->reg = (uint8_t)reg;
    r->flags |= WB_ASSIGNED;
    change(s->free, reg, r->width, false);
    if (reg + r->width > s->highest)
        s->highest = reg + r->width;
}

/* The first member of a group has a register, which stays reserved until the last member starts. */
static void settle(allocator *s, uint32_t v) {
    const wb_vreg *r = &s->c->vregs[v];
    uint32_t group = wb_group(s->c, v);
    if (s->wish[group] != NOT_YET)
        return;
    s->wish[group] = r->reg;
    if (s->last_start[group] <= r->start)
        return;
    for (unsigned k = r->reg; k < r->reg + r->width; k++)
        if (s->reservations[k]++ == 0)
            change(s->unreserved, k, 1, false);
    s->next_release[group] = s->releases[s->last_start[group]];
    s->releases[s->last_start[group]] = group;
}

static void release(allocator *s, uint32_t group) {
    unsigned reg = s->wish[group];
    if (s->c->vregs[group].kind == WB_PREDICATE) {
        s->predicate_reservations[reg]--;
        return;
    }
    for (unsigned k = reg; k < reg + s->c->vregs[group].width; k++)
        if (--s->reservations[k] == 0)
            change(s->unreserved, k, 1, true);
}

static bool allocate_general(allocator *s, uint32_t v, unsigned width) {
    const wb_vreg *r = &s->c->vregs[v];
    unsigned lowest = r->flags & WB_NOT_R0 ? 1 : 0;
    unsigned wish = s->wish[wb_group(s->c, v)];
    unsigned reg = ISA_MAX_REGISTERS;
    if (r->kind == WB_GENERAL && wish != NOT_YET && wish >= lowest && all_set(s->free, wish, width))
        reg = wish;
    if (reg == ISA_MAX_REGISTERS)
        reg = find_run(s->free, s->unreserved, lowest, width);
    if (reg == ISA_MAX_REGISTERS)
        reg = find_run(s->free, s->free, lowest, width);
    if (reg == ISA_MAX_REGISTERS)
        return false;
    take(s, v, reg);
    if (r->kind == WB_GENERAL)
        settle(s, v);
    return true;
}

/* ---- Predicates ---- */

static void take_predicate(allocator *s, uint32_t v, unsigned p) {
    wb_vreg *r = &s->c->vregs[v];
    r->reg = (uint8_t)p;
    r->flags |= WB_ASSIGNED;
    s->holder[p] = v;
    s->free_predicates &= ~(1u << p);
    uint32_t group = wb_group(s->c, v), last = s->last_start[group];
    if (s->wish[group] != NOT_YET)
        return;
    s->wish[group] = (uint16_t)p;
    if (last <= r->start)
        return;
    s->predicate_reservations[p]++;
    s->next_release[group] = s->releases[last];
    s->releases[last] = group;
}

/* A fitting predicate, preferably one that no group waits for. */
static unsigned choose_predicate(const allocator *s, unsigned fit) {
    for (unsigned p = 0; p < ISA_PREDICATES; p++)
        if (fit >> p & 1 && !s->predicate_reservations[p])
            return p;
    return bits_lowest(fit);
}

/* Evicts the predicate with the latest end to a register that was never used, and so is free from
 * the beginning of its interval. */
static bool evict(allocator *s, uint32_t v) {
    unsigned longest = 1;
    for (unsigned p = 2; p < ISA_PREDICATES; p++)
        if (s->c->vregs[s->holder[p]].end > s->c->vregs[s->holder[longest]].end)
            longest = p;
    wb_vreg *out = &s->c->vregs[s->holder[longest]];
    if (out->end <= s->c->vregs[v].end || s->highest == ISA_MAX_REGISTERS ||
        !all_set(s->free, s->highest, 1))
        return false;
    out->flags |= WB_WORD;
    take(s, s->holder[longest], s->highest);
    take_predicate(s, v, longest);
    return true;
}

static bool allocate_predicate(allocator *s, uint32_t v) {
    unsigned wish = s->wish[wb_group(s->c, v)];
    bool guards = s->c->vregs[v].flags & WB_NOT_P0;
    unsigned fit = s->free_predicates & (guards ? PREDICATES : ALL_PREDICATES);
    if (wish != NOT_YET && fit >> wish & 1) {
        take_predicate(s, v, wish);
    } else if (fit) {
        take_predicate(s, v, choose_predicate(s, fit));
    } else if (s->c->four) {
        s->c->scratch = true;
        return false;
    } else if (!evict(s, v)) {
        s->c->vregs[v].flags |= WB_WORD;
        return allocate_general(s, v, 1);
    }
    return true;
}

/* ---- Tiles: one number per group, whose members must not be live at the same time ---- */

/* last_start of a group of tiles: how many of its members are live. Those that nothing has written
 * count as A_ZERO each: they all hold 0, so any number of them may be live together. */
enum { A_ZERO = 1 << 16 };

static uint32_t weight(const wb_vreg *tile) {
    return tile->start == 0 ? A_ZERO : 1;
}

static void hold_tile(allocator *s, uint32_t v) {
    uint32_t *alive = &s->last_start[wb_group(s->c, v)];
    *alive += weight(&s->c->vregs[v]);
    if (*alive % A_ZERO > 1 || (*alive % A_ZERO && *alive >= A_ZERO))
        s->c->no_tiles = true;
}

static bool allocate_tile(allocator *s, uint32_t v) {
    uint32_t group = wb_group(s->c, v);
    wb_vreg *r = &s->c->vregs[v];
    bool fresh = s->wish[group] == NOT_YET;
    if (fresh)
        s->wish[group] = (uint16_t)s->tiles++;
    hold_tile(s, v);
    if (s->tiles > MOST_TILES)
        s->c->no_tiles = true;
    r->reg = (uint8_t)s->wish[group];
    r->flags |= WB_ASSIGNED;
    return !s->c->no_tiles;
}

/* ---- The scan ---- */

static void give_back(allocator *s, uint32_t v) {
    const wb_vreg *r = &s->c->vregs[v];
    if (r->kind == WB_TILE)
        s->last_start[wb_group(s->c, v)] -= weight(r);
    else if (r->kind == WB_PREDICATE && !(r->flags & WB_WORD))
        s->free_predicates |= 1u << r->reg;
    else
        change(s->free, r->reg, r->width, true);
}

static void take_again(allocator *s, uint32_t v) {
    const wb_vreg *r = &s->c->vregs[v];
    if (r->kind == WB_TILE) {
        hold_tile(s, v);
    } else if (r->kind == WB_PREDICATE && !(r->flags & WB_WORD)) {
        s->free_predicates &= ~(1u << r->reg);
        s->holder[r->reg] = v;
    } else {
        change(s->free, r->reg, r->width, false);
    }
}

static void expire(allocator *s, uint32_t position) {
    for (uint32_t v = s->ends[position]; v; v = s->c->vregs[v].next)
        give_back(s, v);
    if (s->openings) {
        for (uint32_t h = s->openings[position]; h; h = s->next_opening[h])
            give_back(s, s->c->holes[h].vreg);
        for (uint32_t h = s->closings[position]; h; h = s->next_closing[h])
            take_again(s, s->c->holes[h].vreg);
    }
    for (uint32_t group = s->releases[position]; group; group = s->next_release[group])
        release(s, group);
}

static bool allocate_one(allocator *s, uint32_t v) {
    wb_vreg *r = &s->c->vregs[v];
    if (r->flags & WB_FIXED) {
        take(s, v, r->reg);
        settle(s, v);
        return true;
    }
    switch ((wb_kind)r->kind) {
    case WB_PREDICATE: return allocate_predicate(s, v);
    case WB_TILE: return allocate_tile(s, v);
    default: return allocate_general(s, v, r->width);
    }
}

/* Lists by start and by end, each in the order of creation. */
static void sort(allocator *s) {
    wb_code *c = s->c;
    for (uint32_t v = c->vreg_count; v-- > 1;) {
        wb_vreg *r = &c->vregs[v];
        uint32_t group = wb_group(c, v);
        if (r->start == UINT32_MAX)
            continue;
        s->next_start[v] = s->starts[r->start];
        s->starts[r->start] = v;
        r->next = s->ends[r->end];
        s->ends[r->end] = v;
        if (r->kind != WB_TILE && r->start > s->last_start[group])
            s->last_start[group] = r->start;
        if (r->kind == WB_GENERAL && r->until > s->last_start[group])
            s->last_start[group] = r->until;
    }
    for (uint32_t h = 1; h < c->hole_count; h++) {
        const wb_hole *hole = &c->holes[h];
        if (!hole->vreg)
            continue;
        s->next_opening[h] = s->openings[hole->from];
        s->openings[hole->from] = h;
        s->next_closing[h] = s->closings[hole->to];
        s->closings[hole->to] = h;
    }
}

static bool scan(allocator *s) {
    sort(s);
    for (uint32_t position = 0; position < s->c->positions; position++) {
        expire(s, position);
        for (uint32_t v = s->starts[position]; v; v = s->next_start[v])
            if (!allocate_one(s, v)) {
                s->c->stuck = position;
                return false;
            }
    }
    s->c->registers = s->highest;
    return !s->c->no_tiles;
}

/* Allocates lists with as little clearing as possible: links are written before they are read, and
 * code without ifs has no holes. */
static bool allocator_init(allocator *s) {
    const wb_code *c = s->c;
    size_t positions = c->positions, vregs = c->vreg_count, holes = c->hole_count;
    s->starts = calloc(positions, sizeof *s->starts);
    s->ends = calloc(positions, sizeof *s->ends);
    s->releases = calloc(positions, sizeof *s->releases);
    s->next_start = malloc(vregs * sizeof *s->next_start);
    s->next_release = malloc(vregs * sizeof *s->next_release);
    s->last_start = calloc(vregs, sizeof *s->last_start);
    s->wish = malloc(vregs * sizeof *s->wish);
    if (holes) {
        s->openings = calloc(positions, sizeof *s->openings);
        s->closings = calloc(positions, sizeof *s->closings);
        s->next_opening = malloc(holes * sizeof *s->next_opening);
        s->next_closing = malloc(holes * sizeof *s->next_closing);
        if (!s->openings || !s->closings || !s->next_opening || !s->next_closing)
            return false;
    }
    if (!s->starts || !s->ends || !s->releases || !s->next_start || !s->next_release ||
        !s->last_start || !s->wish)
        return false;
    for (size_t v = 0; v < vregs; v++)
        s->wish[v] = NOT_YET;
    return true;
}

static void allocator_free(allocator *s) {
    free(s->starts);
    free(s->ends);
    free(s->releases);
    free(s->next_start);
    free(s->next_release);
    free(s->last_start);
    free(s->openings);
    free(s->closings);
    free(s->next_opening);
    free(s->next_closing);
    free(s->wish);
}

bool wb_allocate(wb_code *c) {
    allocator s = {.c = c, .free_predicates = c->four ? ALL_PREDICATES : PREDICATES};
    for (unsigned k = 0; k < 4; k++)
        s.free[k] = s.unreserved[k] = ~(uint64_t)0;
    unsigned most = c->settings->registers;
    if (most && most < ISA_MAX_REGISTERS)
        change(s.free, most, ISA_MAX_REGISTERS - most, false);
    c->failed |= !allocator_init(&s);
    bool ok = !c->failed && scan(&s);
    allocator_free(&s);
    return ok;
}
