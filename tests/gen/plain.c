/* Instructions whose result depends only on their operands, chosen from the table.
 *
 * NaN bits: the result of float arithmetic goes to a register of its float class, whose NaN bits
 * are the vendor's. Such a register is read only as a float of that class (where all NaNs are
 * equivalent), or copied within the class. It reaches class INT only through a compare, a
 * conversion to an integer, or gen_canonical. Registers of class INT may be read as any type. */
#include "gen/author.h"

#include <stdio.h>
#include <string.h>

static reg_class class_of(isa_type type) {
    switch (type) {
    case ISA_TYPE_F32: return CLASS_F32;
    case ISA_TYPE_F16:
    case ISA_TYPE_F16X2: return CLASS_F16;
    case ISA_TYPE_BF16:
    case ISA_TYPE_BF16X2: return CLASS_BF16;
    case ISA_TYPE_F64: return CLASS_F64;
    default: return CLASS_INT;
    }
}

/* The feature an instruction belongs to; GEN_FEATURES: none, always enabled. */
static gen_feature feature_of(isa_op op) {
    const isa_desc *d = &isa_table[op];
    reg_class source = class_of(d->src_type), result = class_of(d->result_type);
    if (op == ISA_FSIN || op == ISA_FCOS || op == ISA_FEXP2 || op == ISA_FLOG2)
        return GEN_MATH;
    if (source == CLASS_F64 || result == CLASS_F64)
        return GEN_DOUBLE;
    if (d->src_type == ISA_TYPE_U64 || d->result_type == ISA_TYPE_U64)
        return GEN_WIDE;
    if (source == CLASS_F16 || result == CLASS_F16)
        return GEN_HALF;
    if (source == CLASS_BF16 || result == CLASS_BF16)
        return GEN_BFLOAT;
    if (source == CLASS_F32 || result == CLASS_F32)
        return GEN_FLOAT;
    return GEN_FEATURES;
}

/* Copies bits, so all its registers are of one class. */
static bool moves_bits(isa_op op) {
    return op == ISA_MOV || op == ISA_SELECT ||
           (op >= ISA_WAVE_SHUFFLE && op <= ISA_WAVE_BROADCAST);
}

static reg_class class_to_move(author *a) {
    for (;;) {
        reg_class c = au_chance(a, 50) ? CLASS_INT : (reg_class)au_pick(a, CLASS_F64);
        if (a->count[c])
            return c;
    }
}

/* Work for the constant folder: some operands, sometimes all of them, are constants loaded just
 * before. They use the temporaries from the second one on. */
typedef struct constants {
    unsigned percent; /* percentage of the operands */
    unsigned used;
} constants;

static unsigned constant_operand(author *a, const place *p, constants *k, isa_role role) {
    unsigned reg = a->temporary[1 + k->used];
    au_say(a, p, "mov_imm r%u, 0x%X", reg, au_constant(a));
    k->used++;
    if (role == ISA_ROLE_R2) {
        au_say(a, p, "mov_imm r%u, 0x%X", reg + 1, au_constant(a));
        k->used++;
    }
    return reg;
}

static unsigned source_register(author *a, const place *p, constants *k, reg_class c,
                                isa_role role) {
    unsigned needed = role == ISA_ROLE_R2 ? 2 : 1;
    if (k->used + needed < TEMPORARIES && au_chance(a, k->percent))
        return constant_operand(a, p, k, role);
    if (c == CLASS_INT || !a->count[c] || au_chance(a, 20))
        return role == ISA_ROLE_R2 ? au_int_run(a, 2) : au_reg(a, CLASS_INT);
    return au_reg(a, c);
}

/* A lane, a distance or a mask that is often a valid lane. */
static unsigned lane_operand(author *a, const place *p) {
    uint32_t kind = au_pick(a, 4);
    if (kind == 0)
        return au_reg(a, CLASS_INT);
    if (kind == 1) {
        au_say(a, p, "mov_imm r%u, %u", a->temporary[0], au_pick(a, 20));
        return a->temporary[0];
    }
    au_say(a, p, "mov_imm r%u, %u", a->temporary[0], (1u << au_pick(a, 7)) - 1);
    au_say(a, p, "and r%u, r%u, r%u", a->temporary[0], au_reg(a, CLASS_INT), a->temporary[0]);
    return a->temporary[0];
}

static void operand(author *a, const place *p, constants *k, isa_op op, unsigned field,
                    reg_class moved, unsigned lane, char *out, size_t size) {
    const isa_desc *d = &isa_table[op];
    isa_role role = (isa_role)d->role[field];
    reg_class source = moves_bits(op) ? moved : class_of(d->src_type);
    reg_class result = moves_bits(op) ? moved : class_of(d->result_type);
    if (op == ISA_MOV_IMM && a->count[CLASS_F32] && au_chance(a, 20))
        result = CLASS_F32;
    switch (role) {
    case ISA_ROLE_W: snprintf(out, size, "r%u", au_reg(a, result)); break;
    case ISA_ROLE_W2:
        snprintf(out, size, "r%u", result == CLASS_INT ? au_int_run(a, 2) : au_reg(a, result));
        break;
    case ISA_ROLE_R:
    case ISA_ROLE_R2:
        snprintf(out, size, "r%u",
                 lane && field == ISA_FIELD_RS2 ? lane : source_register(a, p, k, source, role));
        break;
    case ISA_ROLE_PW:
    case ISA_ROLE_PR: snprintf(out, size, "p%u", au_predicate(a)); break;
    case ISA_ROLE_SR:
        snprintf(out, size, "%s", isa_special_name[au_pick(a, ISA_SPECIAL_COUNT)]);
        break;
    default: out[0] = '\0'; break;
    }
}

void gen_instruction(author *a, const place *p, const char *guard, isa_op op) {
    const isa_desc *d = &isa_table[op];
    char line[160], text[40];
    reg_class moved = class_to_move(a);
    constants k = {.percent = au_chance(a, 4) ? 100 : 12};
    unsigned lane = op >= ISA_WAVE_SHUFFLE && op <= ISA_WAVE_BROADCAST ? lane_operand(a, p) : 0;
    int used = snprintf(line, sizeof line, "%s%s", guard, d->mnemonic);
    const char *separator = " ";
    for (unsigned field = 0; field < ISA_FIELDS; field++) {
        operand(a, p, &k, op, field, moved, lane, text, sizeof text);
        if (!text[0])
            continue;
        used += snprintf(line + used, sizeof line - (size_t)used, "%s%s", separator, text);
        separator = ", ";
    }
    if (d->tail == ISA_TAIL_IMM)
        snprintf(line + used, sizeof line - (size_t)used, ", 0x%X", au_constant(a));
    au_say(a, p, "%s", line);
}

void gen_compare(author *a, const place *p, unsigned predicate) {
    static const isa_op compares[] = {ISA_ICMP_EQ, ISA_ICMP_NE, ISA_ICMP_LT, ISA_ICMP_LE,
                                      ISA_ICMP_GT, ISA_ICMP_GE, ISA_UCMP_LT, ISA_UCMP_LE,
                                      ISA_UCMP_GT, ISA_UCMP_GE};
    const char *name = isa_table[compares[au_pick(a, 10)]].mnemonic;
    switch (au_pick(a, 3)) {
    case 0: /* the lanes with a bit of their number set */
        au_say(a, p, "mov_imm r%u, %u", a->temporary[0], 1u << au_pick(a, 5));
        au_say(a, p, "and r%u, r%u, r%u", a->temporary[0], a->fixed[FIXED_LANE], a->temporary[0]);
        au_say(a, p, "icmp_ne p%u, r%u, r%u", predicate, a->temporary[0], a->fixed[FIXED_ZERO]);
        break;
    case 1:
        au_say(a, p, "mov_imm r%u, 0x%X", a->temporary[0], au_constant(a));
        au_say(a, p, "%s p%u, r%u, r%u", name, predicate, au_reg(a, CLASS_INT), a->temporary[0]);
        break;
    default:
        au_say(a, p, "%s p%u, r%u, r%u", name, predicate, au_reg(a, CLASS_INT),
               au_reg(a, CLASS_INT));
        break;
    }
}

/* ---- Canonical NaNs ---- */

/* r = (r & keep) | nan where the magnitude of one half exceeds infinity's */
static void canonical_half(author *a, const place *p, unsigned reg, uint32_t infinity, uint32_t nan,
                           unsigned shift) {
    const unsigned *t = a->temporary;
    au_say(a, p, "mov_imm r%u, %u", t[0], shift);
    au_say(a, p, "shr r%u, r%u, r%u", t[0], reg, t[0]);
    au_say(a, p, "mov_imm r%u, 0x7FFF", t[1]);
    au_say(a, p, "and r%u, r%u, r%u", t[0], t[0], t[1]);
    au_say(a, p, "mov_imm r%u, 0x%X", t[1], infinity);
    au_say(a, p, "ucmp_gt p%u, r%u, r%u", LAST_PREDICATE, t[0], t[1]);
    au_say(a, p, "mov_imm r%u, 0x%X", t[0], 0xFFFF0000u >> shift);
    au_say(a, p, "and r%u, r%u, r%u", t[0], reg, t[0]);
    au_say(a, p, "mov_imm r%u, 0x%X", t[1], nan << shift);
    au_say(a, p, "or r%u, r%u, r%u", t[0], t[0], t[1]);
    au_say(a, p, "select r%u, p%u, r%u, r%u", reg, LAST_PREDICATE, t[0], reg);
}

void gen_canonical(author *a, const place *p, reg_class c, unsigned reg) {
    const unsigned t = a->temporary[0];
    switch (c) {
    case CLASS_F32:
        au_say(a, p, "fcmp_unord p%u, r%u, r%u", LAST_PREDICATE, reg, reg);
        au_say(a, p, "@p%u mov_imm r%u, 0x7FC00000", LAST_PREDICATE, reg);
        break;
    case CLASS_F16:
        canonical_half(a, p, reg, 0x7C00, 0x7E00, 0);
        canonical_half(a, p, reg, 0x7C00, 0x7E00, 16);
        break;
    case CLASS_BF16:
        canonical_half(a, p, reg, 0x7F80, 0x7FC0, 0);
        canonical_half(a, p, reg, 0x7F80, 0x7FC0, 16);
        break;
    case CLASS_F64: /* without extensions there is no f64 compare, but a NaN stays a NaN as f32 */
        au_say(a, p, "cvt_f32_f64 r%u, r%u", t, reg);
        au_say(a, p, "fcmp_unord p%u, r%u, r%u", LAST_PREDICATE, t, t);
        au_say(a, p, "@p%u mov_imm r%u, 0", LAST_PREDICATE, reg);
        au_say(a, p, "@p%u mov_imm r%u, 0x7FF80000", LAST_PREDICATE, reg + 1);
        break;
    default: break;
    }
}

/* Moves a float register's bits into the INT registers and canonicalises NaNs on the way. */
static void cross_over(author *a, const place *p) {
    reg_class c = (reg_class)(1 + au_pick(a, CLASS_COUNT - 1));
    if (!a->count[c])
        return;
    unsigned from = au_reg(a, c), to = au_int_run(a, 2);
    au_say(a, p, "mov r%u, r%u", to, from);
    if (c == CLASS_F64)
        au_say(a, p, "mov r%u, r%u", to + 1, from + 1);
    gen_canonical(a, p, c, to);
}

/* ---- Choosing ---- */

static bool is_plain(isa_op op) {
    return (isa_table[op].flags & ISA_PURE) != 0;
}

/* A conversion may produce a float type that the program has no registers of. */
static bool has_place(const author *a, isa_op op) {
    return a->count[class_of((isa_type)isa_table[op].result_type)] > 0;
}

static isa_op choose(author *a, gen_feature feature) {
    isa_op found = ISA_NOP;
    unsigned seen = 0;
    for (int k = 1; k < ISA_OP_COUNT; k++)
        if (is_plain((isa_op)k) && feature_of((isa_op)k) == feature && has_place(a, (isa_op)k) &&
            au_pick(a, ++seen) == 0)
            found = (isa_op)k;
    return found;
}

void gen_plain(author *a, const place *p) {
    static const struct {
        gen_feature feature;
        unsigned weight;
    } kinds[] = {{GEN_FEATURES, 12}, {GEN_FLOAT, 9}, {GEN_HALF, 6}, {GEN_BFLOAT, 6},
                 {GEN_DOUBLE, 6},    {GEN_WIDE, 6},  {GEN_MATH, 1}};
    unsigned total = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (kinds[k].feature == GEN_FEATURES || a->has[kinds[k].feature])
            total += kinds[k].weight;
    uint32_t at = au_pick(a, total + 3);
    if (at >= total) {
        cross_over(a, p);
        return;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (kinds[k].feature != GEN_FEATURES && !a->has[kinds[k].feature])
            continue;
        if (at < kinds[k].weight) {
            gen_instruction(a, p, au_guard(a), choose(a, kinds[k].feature));
            return;
        }
        at -= kinds[k].weight;
    }
}
