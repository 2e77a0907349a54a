/* Loads, stores and atomics that cannot race: a lane's own slice of each buffer and of local
 * memory, inputs that no lane writes, and words that all lanes update by atomics of one commuting
 * kind and no lane reads before a barrier (sync.c) or the end of the launch. */
#include "gen/author.h"

#include <stdio.h>

/* A random instruction of a class in one space, with accesses of this size (0: any), chosen by
 * reservoir sampling. */
static isa_op choose_memory(author *a, isa_class klass, unsigned space, unsigned bytes) {
    isa_op found = ISA_NONE;
    unsigned seen = 0;
    for (int k = 1; k < ISA_OP_COUNT; k++) {
        const isa_desc *d = &isa_table[k];
        bool fits = d->klass == klass && (d->flags & space) && (!bytes || d->bytes == bytes);
        bool hinted = d->flags & (ISA_UNCACHED | ISA_STREAMING);
        if (fits && !hinted && au_pick(a, ++seen) == 0)
            found = (isa_op)k;
    }
    isa_op hinted = isa_with_hint(found, ISA_HINT_UNCACHED + au_pick(a, 2));
    return hinted != ISA_NONE && au_chance(a, 20) ? hinted : found;
}

/* Puts the address base + offset, or base alone, into a temporary; returns its register. */
static unsigned address_at(author *a, const place *p, unsigned base, uint32_t offset) {
    const unsigned t = a->temporary[0];
    if (!offset && au_chance(a, 70))
        return base;
    au_say(a, p, "mov_imm r%u, %u", t, offset);
    bool swapped = au_chance(a, 50);
    au_say(a, p, "iadd r%u, r%u, r%u", t, swapped ? t : base, swapped ? base : t);
    return t;
}

/* The address of some element in [offset, offset + size) from the base: chosen now or, where the
 * size is a power of two, by the value of a register. */
static unsigned address_within(author *a, const place *p, unsigned base, uint32_t offset,
                               uint32_t size, uint32_t bytes) {
    const unsigned *t = a->temporary;
    if ((size & (size - 1)) || size == bytes || au_chance(a, 60))
        return address_at(a, p, base, offset + au_pick(a, size / bytes) * bytes);
    if (au_chance(a, 50)) {
        au_say(a, p, "mov_imm r%u, %u", t[0], size - bytes);
        au_say(a, p, "and r%u, r%u, r%u", t[0], au_reg(a, CLASS_INT), t[0]);
    } else { /* as an index */
        unsigned shift = bytes == 16 ? 4 : bytes == 8 ? 3 : bytes / 2;
        au_say(a, p, "mov_imm r%u, %u", t[0], size / bytes - 1);
        au_say(a, p, "and r%u, r%u, r%u", t[0], au_reg(a, CLASS_INT), t[0]);
        au_say(a, p, "mov_imm r%u, %u", t[1], shift);
        au_say(a, p, "shl r%u, r%u, r%u", t[0], t[0], t[1]);
    }
    if (offset) {
        au_say(a, p, "mov_imm r%u, %u", t[1], offset);
        au_say(a, p, "iadd r%u, r%u, r%u", t[0], t[0], t[1]);
    }
    au_say(a, p, "iadd r%u, r%u, r%u", t[0], t[0], base);
    return t[0];
}

/* ---- Loads and stores ---- */

static void access(author *a, const place *p, isa_op op, reg_class c, unsigned address) {
    const isa_desc *d = &isa_table[op];
    unsigned run = d->bytes == 16 ? 4 : d->bytes == 8 ? 2 : 1;
    unsigned value = c == CLASS_INT ? au_int_run(a, run) : au_reg(a, c);
    const bool store = d->flags & ISA_WRITES;
    au_say(a, p, "%s%s r%u, r%u", au_guard(a), d->mnemonic, store ? address : value,
           store ? value : address);
}

static void input_load(author *a, const place *p) {
    const bool floats = a->count[CLASS_F32] && au_chance(a, 30);
    isa_op op;
    do
        op = choose_memory(a, ISA_CLASS_MEMORY, ISA_DEVICE, floats ? 4 : 0);
    while (isa_table[op].flags & ISA_WRITES);
    unsigned base = a->fixed[floats ? FIXED_FLOATS : FIXED_IN];
    unsigned address = a->temporary[0];
    if (!floats && au_chance(a, 20)) /* the first buffer starts at 0 */
        au_say(a, p, "mov_imm r%u, %u", address,
               au_pick(a, INPUT_WORDS * 4u / isa_table[op].bytes) * isa_table[op].bytes);
    else
        address = address_within(a, p, base, 0, INPUT_WORDS * 4, isa_table[op].bytes);
    access(a, p, op, floats ? CLASS_F32 : CLASS_INT, address);
}

static void own_device(author *a, const place *p) {
    static const struct {
        fixed_reg base;
        reg_class c;
        unsigned bytes;
    } areas[] = {{FIXED_OWN, CLASS_INT, 0},       {FIXED_OWN, CLASS_INT, 0},
                 {FIXED_OWN, CLASS_INT, 0},       {FIXED_OWN_F32, CLASS_F32, 4},
                 {FIXED_OWN_F16, CLASS_F16, 2},   {FIXED_OWN_F16, CLASS_F16, 4},
                 {FIXED_OWN_BF16, CLASS_BF16, 2}, {FIXED_OWN_BF16, CLASS_BF16, 4},
                 {FIXED_OWN_F64, CLASS_F64, 8}};
    uint32_t k = au_pick(a, sizeof areas / sizeof *areas);
    if (!a->has_fixed[areas[k].base])
        k = 0;
    isa_op op = choose_memory(a, ISA_CLASS_MEMORY, ISA_DEVICE, areas[k].bytes);
    unsigned base = a->fixed[areas[k].base];
    unsigned address = address_within(a, p, base, 0, OWN_BYTES, isa_table[op].bytes);
    access(a, p, op, areas[k].c, address);
}

static void own_local(author *a, const place *p) {
    const struct {
        reg_class c;
        uint32_t offset, size;
        unsigned bytes;
    } areas[] = {{CLASS_INT, LOCAL_INT, LOCAL_INT_BYTES, 0},
                 {CLASS_INT, LOCAL_INT, LOCAL_INT_BYTES, 0},
                 {CLASS_F32, LOCAL_F32, a->f32_bytes, 4},
                 {CLASS_F16, LOCAL_F16, 4, 2},
                 {CLASS_F16, LOCAL_F16, 4, 4},
                 {CLASS_BF16, LOCAL_BF16, 4, 2},
                 {CLASS_BF16, LOCAL_BF16, 4, 4},
                 {CLASS_F64, LOCAL_F64, 8, 8}};
    uint32_t k = au_pick(a, sizeof areas / sizeof *areas);
    if (!a->count[areas[k].c])
        k = 0;
    isa_op op = choose_memory(a, ISA_CLASS_MEMORY, ISA_LOCAL, areas[k].bytes);
    unsigned base = a->fixed[FIXED_SLICE];
    unsigned address =
        address_within(a, p, base, areas[k].offset, areas[k].size, isa_table[op].bytes);
    access(a, p, op, areas[k].c, address);
}

static void own_private(author *a, const place *p) {
    isa_op op = choose_memory(a, ISA_CLASS_MEMORY, ISA_PRIVATE, 0);
    const unsigned bytes = isa_table[op].bytes, zero = a->fixed[FIXED_ZERO];
    unsigned address = a->temporary[0];
    if (a->known_places)
        au_say(a, p, "mov_imm r%u, %u", address, au_pick(a, PRIVATE_BYTES / bytes) * bytes);
    else
        address = address_within(a, p, zero, 0, PRIVATE_BYTES, bytes);
    access(a, p, op, CLASS_INT, address);
}

static void constant_load(author *a, const place *p) {
    isa_op op = choose_memory(a, ISA_CLASS_MEMORY, ISA_CONSTANT, 0);
    access(a, p, op, CLASS_INT,
           address_within(a, p, a->fixed[FIXED_ZERO], 0, CONSTANT_WORDS * 4, isa_table[op].bytes));
}

void gen_memory(author *a, const place *p) {
    uint32_t kind = au_pick(a, 5);
    if (a->has[GEN_PRIVATE] && au_chance(a, 25)) {
        own_private(a, p);
        return;
    }
    if (a->has[GEN_CONSTANT] && au_chance(a, 12)) {
        constant_load(a, p);
        return;
    }
    if (a->has[GEN_LOCAL] && kind < 2)
        own_local(a, p);
    else if (a->has[GEN_DEVICE] && kind < 4)
        own_device(a, p);
    else
        input_load(a, p);
}

/* ---- Atomics ---- */

static const char *scope_name(author *a, unsigned lowest) {
    return isa_scope_name[lowest + au_pick(a, ISA_SCOPE_COUNT - lowest)];
}

static unsigned atomic_register(author *a, const isa_desc *d, reg_class c) {
    return d->bytes == 8 ? au_int_run(a, 2) : au_reg(a, c);
}

/* Operands after the old value: address, one or two values, scope. */
static void atomic(author *a, const place *p, isa_op op, reg_class c, bool keep_old,
                   unsigned address, unsigned lowest_scope) {
    const isa_desc *d = &isa_table[op];
    char old[16] = "", value[16] = "", more[16] = "", scope[24] = "";
    bool gives = isa_role_discards((isa_role)d->role[ISA_FIELD_RD]);
    if (gives && (keep_old || !isa_result_optional(d)))
        snprintf(old, sizeof old, "r%u, ", atomic_register(a, d, c));
    if (d->role[ISA_FIELD_RS2] != ISA_ROLE_NONE)
        snprintf(value, sizeof value, ", r%u", atomic_register(a, d, c));
    if (d->role[ISA_FIELD_RS3] != ISA_ROLE_NONE)
        snprintf(more, sizeof more, ", r%u", atomic_register(a, d, c));
    if (d->tail == ISA_TAIL_SCOPE)
        snprintf(scope, sizeof scope, ", .%s", scope_name(a, lowest_scope));
    au_say(a, p, "%s%s %sr%u%s%s%s", au_guard(a), d->mnemonic, old, address, value, more, scope);
}

/* Any atomic on a word that only this lane uses: the old value may be used. */
static void own_atomic(author *a, const place *p) {
    bool local = a->has[GEN_LOCAL] && (!a->has[GEN_DEVICE] || au_chance(a, 50));
    unsigned bytes = a->has[GEN_ATOMICS64] && au_chance(a, 40) ? 8 : 4;
    isa_op op = choose_memory(a, ISA_CLASS_ATOMIC, local ? ISA_LOCAL : ISA_DEVICE, bytes);
    bool floats = isa_table[op].src_type == ISA_TYPE_F32;
    if (floats && !a->count[CLASS_F32])
        return;
    fixed_reg base = local ? FIXED_SLICE : floats ? FIXED_OWN_F32 : FIXED_OWN;
    uint32_t offset = !local ? 0 : floats ? LOCAL_F32 : LOCAL_INT;
    uint32_t size = !local ? OWN_BYTES : floats ? a->f32_bytes : LOCAL_INT_BYTES;
    unsigned address = address_within(a, p, a->fixed[base], offset, size, bytes);
    atomic(a, p, op, floats ? CLASS_F32 : CLASS_INT, au_chance(a, 70), address, 0);
}

/* The instruction that updates shared word k. */
static isa_op commuting(author *a, unsigned k, bool local) {
    static const isa_op ops[SHARED_WORDS] = {ISA_ATOMIC_ADD,  ISA_ATOMIC_MIN, ISA_ATOMIC_MAX,
                                             ISA_ATOMIC_AND,  ISA_ATOMIC_OR,  ISA_ATOMIC_XOR,
                                             ISA_ATOMIC_IMIN, ISA_ATOMIC_IMAX};
    isa_op op = k == 0 && au_chance(a, 40) ? ISA_ATOMIC_SUB : ops[k];
    return local ? (isa_op)(op - ISA_ATOMIC_ADD + ISA_LOCAL_ATOMIC_ADD) : op;
}

/* The 64-bit form of a device atomic. */
static isa_op widened(isa_op op) {
    unsigned opcode = isa_table[ISA_ATOMIC64_ADD].opcode;
    return (isa_op)isa_by_encoding[opcode << 4 | isa_table[op].modifier];
}

static void shared_atomic(author *a, const place *p) {
    unsigned k = au_pick(a, SHARED_WORDS);
    bool wide = a->has[GEN_ATOMICS64] && au_chance(a, 40);
    uint32_t at = wide ? 4 * (SHARED_WORDS + 2) + 8 * k : 4 * k;
    isa_op op = commuting(a, k, false);
    unsigned address = address_at(a, p, a->fixed[FIXED_SHARED], at);
    atomic(a, p, wide ? widened(op) : op, CLASS_INT, false, address, ISA_SCOPE_DEVICE);
}

/* The workgroup's own counters in local memory; sync.c reads them between barriers. */
static void local_counter(author *a, const place *p) {
    static const unsigned kinds[LOCAL_COUNTERS] = {0, 5, 1, 7};
    unsigned k = au_pick(a, LOCAL_COUNTERS);
    au_say(a, p, "mov_imm r%u, %u", a->temporary[0], a->counters_at + 4 * k);
    atomic(a, p, commuting(a, kinds[k], true), CLASS_INT, false, a->temporary[0], 0);
}

/* Every lane draws a unique number from a shared word and adds it to the next word: the sum does
 * not depend on which lane got which number. */
static void tickets(author *a, const place *p) {
    const unsigned *t = a->temporary;
    au_say(a, p, "mov_imm r%u, %u", t[0], 4 * SHARED_WORDS);
    au_say(a, p, "iadd r%u, r%u, r%u", t[0], t[0], a->fixed[FIXED_SHARED]);
    au_say(a, p, "atomic_add r%u, r%u, r%u, .%s", t[1], t[0], a->fixed[FIXED_ONE],
           scope_name(a, ISA_SCOPE_DEVICE));
    au_say(a, p, "mov_imm r%u, 4", t[2]);
    au_say(a, p, "iadd r%u, r%u, r%u", t[0], t[0], t[2]);
    au_say(a, p, "atomic_add r%u, r%u, .%s", t[0], t[1], scope_name(a, ISA_SCOPE_DEVICE));
    au_say(a, p, "mov_imm r%u, 0", t[1]);
}

void gen_atomic(author *a, const place *p) {
    uint32_t kind = au_pick(a, 20);
    if (kind < 12 && (a->has[GEN_LOCAL] || a->has[GEN_DEVICE]))
        own_atomic(a, p);
    else if (kind < 15 && a->has[GEN_LOCAL] && a->has[GEN_BARRIERS])
        local_counter(a, p);
    else if (kind < 19)
        shared_atomic(a, p);
    else
        tickets(a, p);
}

/* ---- MMA ---- */

void gen_mma(author *a, const place *p) {
    static const unsigned fragments[] = {0, 1, 2, 255};
    const unsigned *t = a->temporary;
    const unsigned x = fragments[au_pick(a, 4)], y = fragments[au_pick(a, 4)];
    const unsigned z = fragments[au_pick(a, 4)];
    uint32_t kind = au_pick(a, 5);
    if (kind < 2) {
        au_say(a, p, "%smma_compute r%u, r%u, r%u", au_guard(a), x, y, z);
        return;
    }
    /* Loaded rows may run backwards or repeat; stored rows must not overlap. */
    uint32_t stride = au_chance(a, 50) ? 16 : 20, offset = LOCAL_F32;
    if (kind > 2 && au_chance(a, 20))
        stride = 4 * au_pick(a, 4);
    if (kind > 2 && au_chance(a, 20)) {
        stride = (uint32_t)-16;
        offset += 48;
    }
    au_say(a, p, "mov_imm r%u, %u", t[1], stride);
    unsigned address = address_at(a, p, a->fixed[FIXED_SLICE], offset);
    if (kind == 2)
        au_say(a, p, "%smma_store_c r%u, r%u, r%u", au_guard(a), address, t[1], z);
    else
        au_say(a, p, "%smma_load_%c r%u, r%u, r%u", au_guard(a), kind == 3 ? 'a' : 'b', x, address,
               t[1]);
}
