/* Control flow: ifs, loops, jumps out of them, calls. Every loop terminates: it either counts in
 * its own register, or burns fuel that all such loops of a lane share. The generator tracks where
 * barriers are allowed (all live lanes together); in a program with barriers lane 0 of a wave never
 * halts, so that every wave arrives. */
#include "gen/author.h"

static void block(author *a, place p, int statements);

/* A predicate that is the same in all lanes of the workgroup. */
static unsigned uniform_condition(author *a, const place *p) {
    static const char *const compares[] = {"ucmp_lt", "icmp_ge", "icmp_eq", "icmp_ne"};
    unsigned predicate = au_predicate(a), number = a->fixed[FIXED_NUMBER + au_pick(a, 2)];
    const unsigned *t = a->temporary;
    if (p->counters && p->loop_uniform && au_chance(a, 50))
        number = a->counter[p->counters - 1];
    if (au_chance(a, 25)) {
        au_say(a, p, "mov_sr r%u, sr_workgroup_id_x", t[1]);
        number = t[1];
    }
    au_say(a, p, "mov_imm r%u, %u", t[0], au_pick(a, 5));
    au_say(a, p, "%s p%u, r%u, r%u", compares[au_pick(a, 4)], predicate, number, t[0]);
    return predicate;
}

/* A predicate for an if or a jump: from an earlier computation, or computed now. */
static unsigned condition(author *a, const place *p) {
    unsigned predicate = au_predicate(a);
    if (au_chance(a, 60))
        gen_compare(a, p, predicate);
    return predicate;
}

static void branch(author *a, const place *p) {
    place inside = *p;
    inside.depth++;
    bool uniform = p->uniform && au_chance(a, 40);
    unsigned predicate = uniform ? uniform_condition(a, p) : condition(a, p);
    inside.uniform = uniform;
    au_say(a, p, "if %sp%u", au_chance(a, 25) ? "!" : "", predicate);
    block(a, inside, 1 + (int)au_pick(a, 5));
    if (au_chance(a, 50)) {
        au_say(a, p, "else");
        block(a, inside, 1 + (int)au_pick(a, 5));
    }
    au_say(a, p, "endif");
}

/* ---- Loops ---- */

static void fuel_loop(author *a, const place *p) {
    place inside = *p;
    inside.depth++;
    inside.loops++;
    inside.uniform = inside.loop_uniform = inside.no_continue = false;
    unsigned predicate = au_predicate(a), t = a->temporary[0];
    au_say(a, p, "loop");
    au_say(a, &inside, "iadd r%u, r%u, r%u", a->fixed[FIXED_FUEL], a->fixed[FIXED_FUEL],
           a->fixed[FIXED_ONE]);
    au_say(a, &inside, "mov_imm r%u, %u", t, a->fuel);
    au_say(a, &inside, "ucmp_ge p%u, r%u, r%u", predicate, a->fixed[FIXED_FUEL], t);
    au_say(a, &inside, "break p%u", predicate);
    block(a, inside, 1 + (int)au_pick(a, 6));
    au_say(a, p, "endloop");
}

/* Puts the loop's limit into a temporary: a constant, or derived from a number of the launch or the
 * lane. */
static void trip_count(author *a, const place *p, bool uniform, uint32_t most) {
    const unsigned *t = a->temporary;
    au_say(a, p, "mov_imm r%u, %u", t[0], most);
    uint32_t kind = au_pick(a, 3);
    if (kind == 1)
        au_say(a, p, "and r%u, r%u, r%u", t[0], t[0], a->fixed[FIXED_NUMBER]);
    else if (kind == 2 && !uniform)
        au_say(a, p, "and r%u, r%u, r%u", t[0], t[0], a->fixed[FIXED_LANE]);
}

static void count_and_leave(author *a, const place *p, bool uniform, uint32_t most, bool at_end) {
    unsigned counter = a->counter[p->counters - 1], predicate = au_predicate(a);
    if (at_end)
        au_say(a, p, "iadd r%u, r%u, r%u", counter, counter, a->fixed[FIXED_ONE]);
    trip_count(a, p, uniform, most);
    if (au_chance(a, 50)) {
        au_say(a, p, "icmp_ge p%u, r%u, r%u", predicate, counter, a->temporary[0]);
        au_say(a, p, "break p%u", predicate);
    } else {
        au_say(a, p, "icmp_lt p%u, r%u, r%u", predicate, counter, a->temporary[0]);
        au_say(a, p, "break !p%u", predicate);
    }
    if (!at_end)
        au_say(a, p, "iadd r%u, r%u, r%u", counter, counter, a->fixed[FIXED_ONE]);
}

static void counted_loop(author *a, const place *p) {
    place inside = *p;
    inside.depth++;
    inside.loops++;
    inside.counters++;
    inside.uniform = inside.loop_uniform = p->uniform && au_chance(a, 50);
    inside.no_continue = au_chance(a, 40);
    uint32_t most = 1 + au_pick(a, 4);
    au_say(a, p, "mov_imm r%u, 0", a->counter[p->counters]);
    au_say(a, p, "loop");
    if (!inside.no_continue)
        count_and_leave(a, &inside, inside.uniform, most, false);
    block(a, inside, 1 + (int)au_pick(a, 6));
    if (inside.no_continue)
        count_and_leave(a, &inside, inside.uniform, most, true);
    au_say(a, p, "endloop");
}

static void loop(author *a, const place *p) {
    if (p->function == 0 && p->counters < COUNTERS && au_chance(a, 60))
        counted_loop(a, p);
    else
        fuel_loop(a, p);
}

/* ---- Exits ---- */

static void jump(author *a, const place *p) {
    static const char *const guards[] = {"", "", "", "@p1 ", "@!p2 ", "@!p0 ", "@p3 "};
    if (p->loop_uniform && !p->uniform)
        return;
    bool uniform = p->loop_uniform;
    unsigned predicate = uniform ? uniform_condition(a, p) : condition(a, p);
    const char *guard = uniform || !a->has[GEN_GUARDS] ? "" : guards[au_pick(a, 7)];
    const char *name = !p->no_continue && au_chance(a, 50) ? "continue" : "break";
    au_say(a, p, "%s%s %sp%u", guard, name, au_chance(a, 30) ? "!" : "", predicate);
}

/* halt, or return from the kernel, which is equivalent. The lane may leave a mark before it. */
static void halt(author *a, const place *p) {
    static const char *const guards[] = {"@p1 ", "@p2 ", "@!p1 ", "@!p0 "};
    const char *name = p->function == 0 && au_chance(a, 40) ? "return" : "halt";
    place inside = *p;
    inside.depth++;
    unsigned predicate = condition(a, p);
    if (a->has[GEN_BARRIERS]) {
        au_say(a, p, "icmp_ne p%u, r%u, r%u", predicate, a->fixed[FIXED_LANE],
               a->fixed[FIXED_ZERO]);
        au_say(a, p, "if p%u", predicate);
        au_say(a, &inside, "%s%s", guards[au_pick(a, 4)], name);
        au_say(a, p, "endif");
    } else if (au_chance(a, 50)) {
        au_say(a, p, "%s%s", guards[au_pick(a, 4)], name);
    } else {
        au_say(a, p, "if p%u", predicate);
        au_say(a, &inside, "device_store_u32 r%u, r%u", a->fixed[FIXED_OUT], au_reg(a, CLASS_INT));
        au_say(a, &inside, "%s", name);
        au_say(a, p, "endif");
    }
}

static void early_return(author *a, const place *p) {
    unsigned predicate = condition(a, p);
    place inside = *p;
    inside.depth++;
    if (predicate && au_chance(a, 50)) {
        au_say(a, p, "@%sp%u return", au_chance(a, 50) ? "!" : "", predicate);
        return;
    }
    au_say(a, p, "if p%u", predicate);
    block(a, inside, (int)au_pick(a, 2));
    au_say(a, &inside, "return");
    au_say(a, p, "endif");
}

static void leave(author *a, const place *p) {
    uint32_t kind = au_pick(a, 10);
    if (p->loops && a->has[GEN_JUMPS] && kind < 6)
        jump(a, p);
    else if (p->function && kind < 9)
        early_return(a, p);
    else if (a->has[GEN_HALTS] && kind > 5)
        halt(a, p);
    else
        gen_plain(a, p);
}

static void call(author *a, const place *p) {
    if (p->uniform && a->sync_function && au_chance(a, 40))
        au_say(a, p, "call meet");
    else if (p->function < FUNCTIONS)
        au_say(a, p, "call f%u", p->function + 1 + au_pick(a, FUNCTIONS - p->function));
}

/* ---- Blocks ---- */

static void assertion(author *a, const place *p) {
    unsigned reg = au_reg(a, CLASS_INT), predicate = au_predicate(a);
    au_say(a, p, "icmp_eq p%u, r%u, r%u", predicate, reg, reg);
    au_say(a, p, "%sassert p%u, %u", au_guard(a), predicate, au_pick(a, 100));
}

void gen_simple(author *a, const place *p) {
    uint32_t kind = au_pick(a, 100);
    if (kind < 12 && a->has[GEN_WAVES])
        gen_wave(a, p);
    else if (kind < 32 && (a->has[GEN_LOCAL] || a->has[GEN_DEVICE]))
        gen_memory(a, p);
    else if (kind < 44 && a->has[GEN_ATOMICS])
        gen_atomic(a, p);
    else if (kind < 52 && a->has[GEN_MMA])
        gen_mma(a, p);
    else if (kind < 54 && a->has[GEN_FENCES])
        gen_fence(a, p);
    else if (kind < 57 && a->has[GEN_EXCHANGE])
        gen_exchange(a, p);
    else if (kind < 59 && a->has[GEN_ASSERTS])
        assertion(a, p);
    else
        gen_plain(a, p);
}

static void statement(author *a, const place *p) {
    uint32_t kind = au_pick(a, 100);
    bool deeper = p->depth < a->depth_limit;
    if (kind < 12 && a->has[GEN_BRANCHES] && deeper)
        branch(a, p);
    else if (kind < 19 && a->has[GEN_LOOPS] && deeper)
        loop(a, p);
    else if (kind < 30)
        leave(a, p);
    else if (kind < 34 && a->has[GEN_CALLS])
        call(a, p);
    else if (kind < 42 && a->has[GEN_BARRIERS] && p->uniform)
        gen_sync(a, p);
    else if (kind < 60 && a->has[GEN_TILES] && p->uniform)
        gen_tile(a, p);
    else
        gen_simple(a, p);
}

static void block(author *a, place p, int statements) {
    if (a->has[GEN_DEEP] && p.depth < a->depth_limit && a->budget > 0 && au_chance(a, 60)) {
        a->budget--;
        (au_chance(a, 80) ? branch : loop)(a, &p);
    }
    for (; statements > 0 && a->budget > 0; statements--, a->budget--)
        statement(a, &p);
}

void gen_body(author *a) {
    const place top = {.uniform = true};
    while (a->budget > 0)
        block(a, top, 4);
}

void gen_functions(author *a) {
    for (unsigned k = 1; k <= FUNCTIONS && a->has[GEN_CALLS]; k++) {
        place p = {.function = k};
        a->budget = 2 + (int)au_pick(a, 10);
        au_raw(a, "f%u:\n", k);
        block(a, p, a->budget);
        au_say(a, &p, "return");
    }
    if (a->sync_function) {
        place p = {.function = FUNCTIONS, .uniform = true};
        au_raw(a, "meet:\n");
        gen_plain(a, &p);
        gen_sync(a, &p);
        au_say(a, &p, "return");
    }
}
