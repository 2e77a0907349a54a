/* Lowers the IR to what instructions can do, before selection.
 *
 *   load(device, 4, +8) (buffer(2) arg0, %i)     →   load(device, 4, +0) ((arg0 + (%i << 2)) + 8)
 *   loads(local, 16, +0) %a                      →   two of 8 bytes
 *   if %c { } else { A }                         →   if (bnot %c) { A } else { }
 *   if %c { A } else { B break }                 →   if (bnot %c) { B break } else { A }
 *   bnot (icmp_lt %a, %b)                        →   icmp_ge %a, %b
 *   iadd (shl %i, 2), %a                         →   iadd (imul %i, 4), %a: one imad
 *
 * An address is a 32-bit offset, and the arena starts at 0, so a pointer is its low word. Passes
 * add to a pointer without the wrap at 32 bits only if there is none. */
#include "emit_wbin/code.h"

#include "ir/rewrite.h"

#include <stdlib.h>
#include <string.h>

typedef struct preparer {
    ir_func *f;
    bool dead; /* operations may have lost their users */
} preparer;

static ir_value word(preparer *p, uint64_t bits) {
    return ir_const(p->f, IR_U32, bits);
}

static ir_value before(preparer *p, ir_value at, ir_op op, ir_type type, ir_value a, ir_value b) {
    return ir_make_before(p->f, at, op, type, (ir_value[]){a, b}, b ? 2 : 1, 0);
}

/* ---- Addresses ---- */

/* pointer and buffer become a pair with an upper word of 0. */
static void lower_pointer(preparer *p, ir_value v) {
    ir_func *f = p->f;
    ir_value offset = ir_arg(f, v, 0);
    if (ir_op_of(f, v) == IR_BUFFER) {
        ir_value index = ir_arg(f, v, 1);
        uint64_t shift = ir_at(f, v)->imm & IR_INDEX_SHIFT;
        if (shift)
            index = before(p, v, IR_SHL, IR_U32, index, word(p, shift));
        offset = before(p, v, IR_IADD, IR_U32, offset, index);
    }
    ir_value zero = word(p, 0);
    ir_at(f, v)->op = IR_PACK64;
    ir_at(f, v)->imm = 0;
    ir_set_args(f, v, (ir_value[]){offset, zero}, 2);
    p->dead = true;
}

static void lower_address(preparer *p, ir_value v) {
    ir_func *f = p->f;
    ir_access access = ir_access_unpack(ir_at(f, v)->imm);
    ir_value address = ir_arg(f, v, 0);
    if (ir_type_of(f, address) == IR_U64) {
        bool packed = ir_op_of(f, address) == IR_PACK64;
        address = packed ? ir_arg(f, address, 0) : before(p, v, IR_LO64, IR_U32, address, 0);
    }
    if (access.offset) {
        address = before(p, v, IR_IADD, IR_U32, address, word(p, (uint32_t)access.offset));
    }
    access.offset = 0;
    ir_at(f, v)->imm = ir_access_pack(access);
    ir_args(f, v)[0] = address;
}

/* ---- Local memory has no 16-byte accesses ---- */

static void split_load(preparer *p, ir_value v) {
    ir_func *f = p->f;
    ir_access access = ir_access_unpack(ir_at(f, v)->imm);
    access.bytes = 8;
    ir_at(f, v)->imm = ir_access_pack(access);
    ir_value last = v, upper[2] = {0};
    for (ir_value r = ir_first_result(f, v); r; r = ir_next_result(f, r)) {
        if (ir_at(f, r)->imm < 2)
            last = r;
        else
            upper[ir_at(f, r)->imm - 2] = r;
    }
    if (!upper[0])
        return;
    ir_value address = before(p, v, IR_IADD, IR_U32, ir_arg(f, v, 0), word(p, 8));
    ir_value load = ir_make(f, IR_LOADS, IR_VOID, &address, 1, ir_access_pack(access));
    ir_at(f, load)->pc = ir_at(f, v)->pc;
    for (unsigned k = 0; k < 2 && upper[k]; k++) {
        ir_remove(f, upper[k]);
        ir_args(f, upper[k])[0] = load;
        ir_at(f, upper[k])->imm = k;
    }
    ir_insert_after(f, last, load);
    for (unsigned k = 0; k < 2 && upper[k]; k++)
        ir_insert_after(f, k ? upper[0] : load, upper[k]);
}

static void split_store(preparer *p, ir_value v) {
    ir_func *f = p->f;
    ir_access access = ir_access_unpack(ir_at(f, v)->imm);
    ir_value args[5];
    memcpy(args, ir_args(f, v), sizeof args);
    access.bytes = 8;
    ir_at(f, v)->imm = ir_access_pack(access);
    ir_make_before(f, v, IR_STORE, IR_VOID, args, 3, ir_access_pack(access));
    args[2] = before(p, v, IR_IADD, IR_U32, args[0], word(p, 8));
    ir_set_args(f, v, args + 2, 3);
}

static void lower_access(preparer *p, ir_value v) {
    ir_access access = ir_access_unpack(ir_at(p->f, v)->imm);
    if (access.offset || ir_type_of(p->f, ir_arg(p->f, v, 0)) == IR_U64)
        lower_address(p, v);
    if (access.bytes != 16 || access.space != IR_LOCAL)
        return;
    if (ir_op_of(p->f, v) == IR_LOADS)
        split_load(p, v);
    else
        split_store(p, v);
}

/* ---- f16 in a register: instructions ignore the upper half and write 0 there ---- */

static bool extends(const ir_func *f, ir_value v) {
    switch (ir_op_of(f, v)) {
    case IR_HADD:
    case IR_HSUB:
    case IR_HMUL:
    case IR_HMA:
    case IR_CVT_F16_F32:
    case IR_CVT_F16_F64:
    case IR_CONST: return true;
    default: return false;
    }
}

/* zext16 becomes an alias, followed by a mask if the upper half may be non-zero. */
static void lower_extension(preparer *p, ir_value v) {
    ir_func *f = p->f;
    if (extends(f, ir_arg(f, v, 0)))
        return;
    ir_value h = ir_arg(f, v, 0);
    ir_value name = ir_make_before(f, v, IR_ZEXT16, IR_U32, &h, 1, 0);
    ir_at(f, v)->op = IR_AND;
    ir_set_args(f, v, (ir_value[]){name, word(p, 0xFFFF)}, 2);
}

/* ---- Ifs ---- */

#define EACH_OTHERS(a, b) [IR_##a] = IR_##b, [IR_##b] = IR_##a

ir_op wb_inverse(ir_op op) {
    static const uint8_t inverse[IR_OP_COUNT] = {
        EACH_OTHERS(ICMP_EQ, ICMP_NE),   EACH_OTHERS(ICMP_LT, ICMP_GE),
        EACH_OTHERS(ICMP_LE, ICMP_GT),   EACH_OTHERS(UCMP_LT, UCMP_GE),
        EACH_OTHERS(UCMP_LE, UCMP_GT),   EACH_OTHERS(LCMP_EQ, LCMP_NE),
        EACH_OTHERS(LCMP_LT, LCMP_GE),   EACH_OTHERS(LCMP_LE, LCMP_GT),
        EACH_OTHERS(LUCMP_LT, LUCMP_GE), EACH_OTHERS(LUCMP_LE, LUCMP_GT),
        EACH_OTHERS(FCMP_EQ, FCMP_NE),   EACH_OTHERS(FCMP_ORD, FCMP_UNORD),
        EACH_OTHERS(DCMP_EQ, DCMP_NE),   EACH_OTHERS(DCMP_ORD, DCMP_UNORD)};
    return (ir_op)inverse[op];
}

static bool falls_through(const ir_func *f, ir_region side) {
    return ir_op_of(f, f->regions[side].last) == IR_YIELD;
}

static bool is_empty(const ir_func *f, ir_region side) {
    return f->regions[side].first == f->regions[side].last && falls_through(f, side);
}

/* Puts first the side that leaves, or the only one that does something. */
static void turn_if(preparer *p, ir_value v) {
    ir_func *f = p->f;
    ir_region then = ir_at(f, v)->regions[0], other = ir_at(f, v)->regions[1];
    bool leaves = falls_through(f, then) && !falls_through(f, other);
    bool idle = is_empty(f, then) && !is_empty(f, other) && falls_through(f, other) &&
                ir_at(f, f->regions[then].last)->arg_count == 0;
    if (!leaves && !idle)
        return;
    ir_value condition = ir_arg(f, v, 0);
    ir_value inverse = ir_op_of(f, condition) == IR_BNOT
                           ? ir_arg(f, condition, 0)
                           : before(p, v, IR_BNOT, IR_BOOL, condition, 0);
    ir_args(f, v)[0] = inverse;
    ir_at(f, v)->regions[0] = other;
    ir_at(f, v)->regions[1] = then;
    p->dead = true;
}

/* ---- Rewrites that depend on all users of a value ---- */

static bool all_users_are(const ir_func *f, const ir_uses *uses, ir_value v, ir_op op) {
    uint32_t k = uses->first[v], end = uses->first[v + 1];
    if (k == end)
        return false;
    while (k < end && ir_op_of(f, uses->users[k]) == op)
        k++;
    return k == end;
}

/* Inverts a comparison whose users are all bnot. */
static bool invert_compare(ir_func *f, const ir_uses *uses, ir_map *map, ir_value v) {
    ir_op inverse = wb_inverse(ir_op_of(f, v));
    if (inverse == IR_NONE || !all_users_are(f, uses, v, IR_BNOT))
        return false;
    ir_at(f, v)->op = (uint8_t)inverse;
    for (uint32_t k = uses->first[v]; k < uses->first[v + 1]; k++) {
        map->to[uses->users[k]] = v;
        ir_remove(f, uses->users[k]);
    }
    return true;
}

/* Turns a shift whose result is only added into a multiplication: imad does both. */
static void turn_shift(ir_func *f, const ir_uses *uses, ir_value v) {
    uint64_t by;
    if (ir_op_of(f, v) != IR_SHL || !ir_is_const(f, ir_arg(f, v, 1), &by) ||
        !all_users_are(f, uses, v, IR_IADD))
        return;
    ir_value factor = ir_const(f, IR_U32, (uint32_t)1 << (by & 31));
    ir_at(f, v)->op = IR_IMUL;
    ir_args(f, v)[1] = factor;
}

/* x - 1 instead of x + FFFFFFFF: small constants are more likely to be shared. */
static void turn_sum(ir_func *f, ir_value v) {
    uint64_t bits;
    if (ir_op_of(f, v) != IR_IADD || !ir_is_const(f, ir_arg(f, v, 1), &bits) ||
        bits <= 0x80000000u || ir_op_of(f, ir_arg(f, v, 0)) == IR_IMUL)
        return;
    ir_value number = ir_const(f, IR_U32, (uint32_t)(0 - bits));
    ir_at(f, v)->op = IR_ISUB;
    ir_args(f, v)[1] = number;
}

/* The last sum of a base and a constant, by base. */
typedef struct chain {
    ir_value sum;
    ir_region region;
    uint32_t constant, step;
} chain;

/* x + 16, x + 32, x + 48 in one region: each becomes the previous one plus 16, which needs one
 * constant. */
static void turn_chain(ir_func *f, chain *chains, uint32_t count, ir_value v) {
    uint64_t bits;
    if (ir_op_of(f, v) != IR_IADD || !ir_is_const(f, ir_arg(f, v, 1), &bits))
        return;
    ir_value base = ir_arg(f, v, 0);
    if (base >= count || ir_op_of(f, base) == IR_IMUL)
        return;
    chain *last = &chains[base];
    ir_region region = ir_at(f, v)->region;
    bool continues =
        last->sum && last->region == region && (uint32_t)bits - last->constant == last->step;
    uint32_t step =
        last->sum && last->region == region ? (uint32_t)bits - last->constant : (uint32_t)bits;
    if (continues) {
        ir_value by = ir_const(f, IR_U32, step);
        ir_set_args(f, v, (ir_value[]){last->sum, by}, 2);
    }
    *last = (chain){v, region, (uint32_t)bits, step};
}

/* *shifts: whether shifts by constants remain that are not products. */
static bool use_users(ir_func *f, bool *shifts) {
    ir_uses uses;
    ir_map map;
    if (!ir_find_uses(f, &uses))
        return false;
    uint32_t count = f->node_count;
    bool changed = false;
    uint64_t by;
    chain *chains = calloc(count, sizeof *chains);
    ir_value *compares = calloc(count, sizeof *compares);
    if (!chains || !compares || !ir_map_init(&map, f)) {
        free(chains);
        free(compares);
        ir_free_uses(&uses);
        return false;
    }
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END && !f->failed;) {
        if (e != IR_AT_OP)
            continue;
        switch (ir_op_of(f, w.op)) {
        case IR_SHL:
            turn_shift(f, &uses, w.op);
            *shifts |= ir_op_of(f, w.op) == IR_SHL && ir_is_const(f, ir_arg(f, w.op, 1), &by);
            break;
        case IR_IADD:
            turn_chain(f, chains, count, w.op);
            turn_sum(f, w.op);
            break;
        default:
            if (wb_inverse(ir_op_of(f, w.op)) == IR_NONE)
                break;
            if (invert_compare(f, &uses, &map, w.op))
                changed = true;
            else
                wb_share_compare(f, &uses, compares, w.op);
            break;
        }
    }
    if (changed)
        ir_map_apply(&map, f);
    ir_map_free(&map);
    free(chains);
    free(compares);
    ir_free_uses(&uses);
    return true;
}

/* Runs after use_users, because the products that it makes count. */
static void use_constants(ir_func *f) {
    wb_constants have = {0};
    ir_walk w;
    wb_note_constants(f, &have);
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END && !f->failed;)
        if (e == IR_AT_OP && ir_op_of(f, w.op) == IR_SHL)
            wb_turn_shift(f, &have, w.op);
}

static void prepare_op(preparer *p, ir_value v) {
    switch (ir_op_of(p->f, v)) {
    case IR_POINTER:
    case IR_BUFFER: lower_pointer(p, v); break;
    case IR_LOAD:
    case IR_LOADS:
    case IR_LOAD64:
    case IR_STORE:
    case IR_STORE64:
    case IR_ATOMIC: lower_access(p, v); break;
    case IR_ZEXT16: lower_extension(p, v); break;
    case IR_IF: turn_if(p, v); break;
    default: break;
    }
}

/* ---- Dead code ---- */

static bool is_removable(const ir_func *f, ir_value v) {
    return (ir_op_flags[ir_at(f, v)->op] & (IR_PURE | IR_UNIQUE | IR_LEAF)) == IR_PURE;
}

/* Removes unused pure operations, then those that only they used. The optimisation passes are not
 * used here, because wave-diff --passes must see the effect of each of them and nothing else. */
static void drop_unused(ir_func *f) {
    uint32_t *uses = calloc(f->node_count, sizeof *uses);
    ir_value *stack = malloc(f->node_count * sizeof *stack);
    uint32_t count = 0;
    ir_walk w;
    f->failed |= !uses || !stack;
    ir_walk_init(&w, f);
    for (ir_event e; !f->failed && (e = ir_walk_next(&w)) != IR_AT_END;)
        for (unsigned k = 0; e == IR_AT_OP && k < ir_at(f, w.op)->arg_count; k++)
            uses[ir_arg(f, w.op, k)]++;
    ir_walk_init(&w, f);
    for (ir_event e; !f->failed && (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP && !uses[w.op] && is_removable(f, w.op))
            stack[count++] = w.op;
    while (count && !f->failed) {
        ir_value v = stack[--count];
        for (unsigned k = 0; k < ir_at(f, v)->arg_count; k++) {
            ir_value a = ir_arg(f, v, k);
            if (--uses[a] == 0 && is_removable(f, a))
                stack[count++] = a;
        }
        ir_remove(f, v);
    }
    free(uses);
    free(stack);
}

bool wb_prepare(ir_func *f) {
    preparer p = {.f = f};
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END && !f->failed;)
        if (e == IR_AT_OP)
            prepare_op(&p, w.op);
    bool shaped = !ir_is_straight(f);
    if (!f->failed && shaped)
        wb_use_conditions(f);
    if ((p.dead || shaped) && !f->failed)
        drop_unused(f);
    bool shifts = false;
    if (!f->failed && !use_users(f, &shifts))
        f->failed = true;
    if (!f->failed && shifts)
        use_constants(f);
    return !f->failed;
}
