/* Wave operations, and accesses ordered by fences and barriers: values passed to other lanes of the
 * wave or the workgroup through local or device memory, messages that waves wait for, and counters
 * read after all lanes have updated them. */
#include "gen/author.h"

#include <stdio.h>

void gen_wave(author *a, const place *p) {
    isa_op found = ISA_NONE;
    unsigned seen = 0;
    for (int k = 1; k < ISA_OP_COUNT; k++)
        if (isa_table[k].klass == ISA_CLASS_WAVE && au_pick(a, ++seen) == 0)
            found = (isa_op)k;
    gen_instruction(a, p, au_guard(a), found);
}

static void any_fence(author *a, const place *p, bool guarded) {
    static const char *const kinds[] = {"acquire", "release", "acq_rel", "sc"};
    au_say(a, p, "%sfence_%s .%s", guarded ? au_guard(a) : "", kinds[au_pick(a, 4)],
           isa_scope_name[au_pick(a, ISA_SCOPE_COUNT)]);
}

void gen_fence(author *a, const place *p) {
    any_fence(a, p, true);
}

/* ---- Within a wave ---- */

/* Puts the number of a thread of the same wave, whose word the lane reads, into temporary 3: a
 * neighbour, which may have halted after an earlier exchange of all, or the lowest active lane. */
static void choose_partner(author *a, const place *p, bool neighbour) {
    const unsigned *t = a->temporary;
    if (neighbour) {
        au_say(a, p, "mov_imm r%u, %u", t[3], 1 + au_pick(a, 3));
        au_say(a, p, "xor r%u, r%u, r%u", t[3], a->fixed[FIXED_THREAD], t[3]);
        au_say(a, p, "mov_imm r%u, %u", t[4], a->threads - 1);
        au_say(a, p, "imin r%u, r%u, r%u", t[3], t[3], t[4]);
    } else {
        au_say(a, p, "wave_broadcast r%u, r%u, r%u", t[3], a->fixed[FIXED_THREAD],
               a->fixed[FIXED_LANE]);
    }
}

/* Every lane writes its own word, and after a fence reads the word of a lane of its wave; the
 * second fence orders later writes after the reads. A fence of any kind and scope orders the lanes
 * that execute it together. Where only some lanes are active they use separate words: the words of
 * all lanes may be read after their lane has halted, so all live lanes must have observed the
 * writes. */
void gen_exchange(author *a, const place *p) {
    const unsigned *t = a->temporary;
    bool local = a->has[GEN_LOCAL] && au_chance(a, 60);
    bool all = p->uniform && au_chance(a, 70);
    const char *space = local ? "local" : "device";
    unsigned base = local || !all ? t[1] : a->fixed[FIXED_SWAP];
    au_say(a, p, "mov_imm r%u, 4", t[0]);
    if (local)
        au_say(a, p, "mov_imm r%u, %u", t[1], all ? a->swap_at : a->some_at);
    else if (!all) {
        au_say(a, p, "mov_imm r%u, %u", t[1], 4 * a->threads * a->groups);
        au_say(a, p, "iadd r%u, r%u, r%u", t[1], t[1], a->fixed[FIXED_SWAP]);
    }
    au_say(a, p, "imad r%u, r%u, r%u, r%u", t[2], a->fixed[FIXED_THREAD], t[0], base);
    au_say(a, p, "%s%s_store_u32 r%u, r%u", au_guard(a), space, t[2], au_reg(a, CLASS_INT));
    any_fence(a, p, false);
    choose_partner(a, p, all);
    au_say(a, p, "imad r%u, r%u, r%u, r%u", t[2], t[3], t[0], base);
    au_say(a, p, "%s%s_load_u32 r%u, r%u", au_guard(a), space, au_reg(a, CLASS_INT), t[2]);
    any_fence(a, p, false);
}

/* ---- Within a workgroup ---- */

static uint32_t power_below(uint32_t n) {
    uint32_t power = 1;
    while (power * 2 <= n)
        power *= 2;
    return power;
}

/* Every lane writes its own word, and after the barrier reads any lane's. */
static void exchange(author *a, const place *p, bool local) {
    const unsigned *t = a->temporary;
    const char *space = local ? "local" : "device";
    au_say(a, p, "mov_imm r%u, 4", t[0]);
    if (local)
        au_say(a, p, "mov_imm r%u, %u", t[1], a->swap_at);
    unsigned base = local ? t[1] : a->fixed[FIXED_SWAP];
    au_say(a, p, "imad r%u, r%u, r%u, r%u", t[2], a->fixed[FIXED_THREAD], t[0], base);
    au_say(a, p, "%s%s_store_u32 r%u, r%u", au_guard(a), space, t[2], au_reg(a, CLASS_INT));
    au_say(a, p, "barrier");
    au_say(a, p, "mov_imm r%u, %u", t[3], power_below(a->threads) - 1);
    au_say(a, p, "and r%u, r%u, r%u", t[3], au_reg(a, CLASS_INT), t[3]);
    au_say(a, p, "imad r%u, r%u, r%u, r%u", t[2], t[3], t[0], base);
    au_say(a, p, "%s%s_load_u32 r%u, r%u", au_guard(a), space, au_reg(a, CLASS_INT), t[2]);
    au_say(a, p, "barrier");
}

static void read_counter(author *a, const place *p) {
    const unsigned t = a->temporary[0];
    au_say(a, p, "barrier");
    au_say(a, p, "mov_imm r%u, %u", t, a->counters_at + 4 * au_pick(a, LOCAL_COUNTERS));
    au_say(a, p, "%slocal_load_u32 r%u, r%u", au_guard(a), au_reg(a, CLASS_INT), t);
    au_say(a, p, "barrier");
}

static const char *scope_beyond_a_wave(author *a) {
    return isa_scope_name[ISA_SCOPE_WORKGROUP + au_pick(a, ISA_SCOPE_COUNT - ISA_SCOPE_WORKGROUP)];
}

/* An atomic on the workgroup's flag, whose address is in temporary 2 if it is local. `operands`
 * excludes the address and the scope, which local atomics do not have. */
static void atomic_on_flag(author *a, const place *p, bool local, const char *operation,
                           const char *before, const char *after) {
    const unsigned flag = local ? a->temporary[2] : a->fixed[FIXED_FLAG];
    au_say(a, p, "%s%s %sr%u%s%s%s", local ? "local_" : "", operation, before, flag, after,
           local ? "" : ", .", local ? "" : scope_beyond_a_wave(a));
}

/* One lane raises the flag to the message's number in temporary 3. */
static void raise_flag(author *a, const place *p, bool local) {
    place inside = *p;
    char value[16];
    inside.depth++;
    snprintf(value, sizeof value, ", r%u", a->temporary[3]);
    au_say(a, p, "if p3");
    atomic_on_flag(a, &inside, local, au_chance(a, 50) ? "atomic_store" : "atomic_max", "", value);
    au_say(a, p, "endif");
}

/* Polls until the flag has that number. */
static void poll_flag(author *a, const place *p, bool local) {
    static const char *const operations[] = {"atomic_load", "atomic_or", "atomic_add",
                                             "atomic_xor"};
    const unsigned *t = a->temporary, kind = au_pick(a, 4);
    place inside = *p;
    char seen[16], zero[16] = "";
    inside.depth++;
    snprintf(seen, sizeof seen, "r%u, ", t[0]);
    if (kind)
        snprintf(zero, sizeof zero, ", r%u", a->fixed[FIXED_ZERO]);
    au_say(a, p, "loop");
    atomic_on_flag(a, &inside, local, operations[kind], seen, zero);
    au_say(a, &inside, "ucmp_ge p3, r%u, r%u", t[0], t[3]);
    au_say(a, &inside, "break p3");
    au_say(a, p, "endloop");
}

/* Thread 0 writes its word and sends a message; the other waves wait for the message and read the
 * word. */
static void message(author *a, const place *p) {
    const unsigned *t = a->temporary;
    bool local = a->has[GEN_LOCAL] && au_chance(a, 50);
    bool local_word = a->has[GEN_LOCAL] && au_chance(a, 50);
    const char *space = local_word ? "local" : "device";
    unsigned word = local_word ? t[1] : a->fixed[FIXED_SWAP];
    place inside = *p;
    inside.depth++;
    au_say(a, p, "mov_imm r%u, %u", t[1], a->swap_at);
    au_say(a, p, "mov_imm r%u, %u", t[2], a->counters_at + 4 * LOCAL_COUNTERS);
    au_say(a, p, "mov_imm r%u, %u", t[3], ++a->messages);
    au_say(a, p, "mov_sr r%u, sr_wave_id", t[0]);
    au_say(a, p, "icmp_eq p3, r%u, r%u", t[0], a->fixed[FIXED_ZERO]);
    au_say(a, p, "if p3");
    au_say(a, &inside, "icmp_eq p3, r%u, r%u", a->fixed[FIXED_THREAD], a->fixed[FIXED_ZERO]);
    au_say(a, &inside, "@p3 %s_store_u32 r%u, r%u", space, word, au_reg(a, CLASS_INT));
    au_say(a, &inside, "fence_%s .%s", au_chance(a, 50) ? "release" : "acq_rel",
           scope_beyond_a_wave(a));
    raise_flag(a, &inside, local);
    au_say(a, p, "else");
    poll_flag(a, &inside, local);
    au_say(a, &inside, "fence_%s .%s", au_chance(a, 50) ? "acquire" : "sc", scope_beyond_a_wave(a));
    au_say(a, &inside, "%s_load_u32 r%u, r%u", space, au_reg(a, CLASS_INT), word);
    au_say(a, p, "endif");
    au_say(a, p, "barrier");
}

void gen_sync(author *a, const place *p) {
    uint32_t kind = au_pick(a, 10);
    bool once = p->depth == 0 && p->function == 0; /* and so not in a loop */
    if (once && a->has[GEN_POLLING] && au_chance(a, 30))
        message(a, p);
    else if (kind < 4 && a->has[GEN_LOCAL])
        exchange(a, p, true);
    else if (kind < 7)
        exchange(a, p, false);
    else if (kind < 9 && a->has[GEN_LOCAL] && a->has[GEN_ATOMICS])
        read_counter(a, p);
    else
        au_say(a, p, "barrier");
}
