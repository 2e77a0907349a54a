/* Wave operations, fences, and barriers with what they order: values handed to other lanes of the
 * workgroup through local or device memory, and counters read after all lanes have changed them. */
#include "gen/author.h"

void gen_wave(author *a, const place *p) {
    isa_op found = ISA_NONE;
    unsigned seen = 0;
    for (int k = 1; k < ISA_OP_COUNT; k++)
        if (isa_table[k].klass == ISA_CLASS_WAVE && au_pick(a, ++seen) == 0)
            found = (isa_op)k;
    gen_instruction(a, p, au_guard(a), found);
}

void gen_fence(author *a, const place *p) {
    static const char *const kinds[] = {"acquire", "release", "acq_rel", "sc"};
    au_say(a, p, "%sfence_%s .%s", au_guard(a), kinds[au_pick(a, 4)],
           isa_scope_name[au_pick(a, ISA_SCOPE_COUNT)]);
}

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

void gen_sync(author *a, const place *p) {
    uint32_t kind = au_pick(a, 10);
    if (kind < 4 && a->has[GEN_LOCAL])
        exchange(a, p, true);
    else if (kind < 7)
        exchange(a, p, false);
    else if (kind < 9 && a->has[GEN_LOCAL] && a->has[GEN_ATOMICS])
        read_counter(a, p);
    else
        au_say(a, p, "barrier");
}
