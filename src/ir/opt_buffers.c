/* Addresses in contained buffers become pointers into them.
 *
 *   %4 = shl %1, 2                            %4 = shl %1, 2
 *   %5 = iadd arg0, %4                 →      %9 = buffer arg0, %4
 *   %6 = iadd %5, 8                           %7 = load(device, 4, +8) %9
 *   %7 = load(device, 4, +0) %6
 *
 * A buffer that is contained promises that its accesses stay inside and that no sum on the way from
 * its word to the address wraps (f->contained). So the total added to the word is a non-negative
 * offset that can be added in 64 bits; a constant added to a sum that contains the word can move
 * into the access. Constants inside the offset cannot: they may wrap there. Sums of more than
 * MOST_TERMS terms, and sums of two such words, are left alone. */
#include "ir/analyse.h"
#include "ir/opt.h"
#include "ir/rewrite.h"

enum { MOST_TERMS = 6 };

/* word + terms + constant */
typedef struct sum {
    ir_value word;
    ir_value terms[MOST_TERMS];
    unsigned count;
    uint32_t constant;
} sum;

static bool is_word(const ir_func *f, ir_value v) {
    const ir_node *n = ir_at(f, v);
    return n->op == IR_ARG && n->imm < 256 && (f->contained[n->imm / 64] >> (n->imm % 64) & 1);
}

/* Whether the word of a buffer is a term of v, searching the sums that form the address. */
static bool has_word(const ir_func *f, ir_value v, unsigned depth) {
    if (is_word(f, v))
        return true;
    return depth && ir_op_of(f, v) == IR_IADD &&
           (has_word(f, ir_arg(f, v, 0), depth - 1) || has_word(f, ir_arg(f, v, 1), depth - 1));
}

bool ir_in_contained(const ir_func *f, ir_value address) {
    return has_word(f, address, MOST_TERMS);
}

/* Follows the operand that contains the word; the other operands on the way are the terms. */
static bool take_apart(const ir_func *f, ir_value address, sum *s) {
    uint64_t bits;
    *s = (sum){0};
    while (!is_word(f, address)) {
        if (ir_op_of(f, address) != IR_IADD || s->count == MOST_TERMS)
            return false;
        ir_value a = ir_arg(f, address, 0), b = ir_arg(f, address, 1);
        bool first = has_word(f, a, MOST_TERMS), second = has_word(f, b, MOST_TERMS);
        if (first == second)
            return false;
        ir_value added = first ? b : a;
        if (ir_is_const(f, added, &bits) && bits <= (uint32_t)INT32_MAX - s->constant)
            s->constant += (uint32_t)bits;
        else
            s->terms[s->count++] = added;
        address = first ? a : b;
    }
    s->word = address;
    return true;
}

/* Terms nearer to the word come first, in the order they were added. */
static ir_value offset_of(ir_func *f, ir_value at, const sum *s) {
    if (!s->count)
        return ir_const(f, IR_U32, 0);
    ir_value offset = s->terms[s->count - 1];
    for (unsigned k = s->count - 1; k-- > 0;)
        offset = ir_make_before(f, at, IR_IADD, IR_U32, (ir_value[]){offset, s->terms[k]}, 2, 0);
    return offset;
}

/* The pointer of a group that advances (advance.c). */
static bool point_at(ir_func *f, ir_value v) {
    sum s;
    if (!take_apart(f, ir_arg(f, v, 0), &s))
        return false;
    ir_value args[2] = {s.word, offset_of(f, v, &s)};
    if (s.constant)
        args[1] = ir_make_before(f, v, IR_IADD, IR_U32,
                                 (ir_value[]){args[1], ir_const(f, IR_U32, s.constant)}, 2, 0);
    f->made[IR_BUFFER / 64] |= (uint64_t)1 << IR_BUFFER % 64;
    ir_at(f, v)->op = IR_BUFFER;
    ir_set_args(f, v, args, 2);
    return true;
}

static bool point(ir_func *f, ir_value v) {
    ir_access access = ir_access_unpack(ir_at(f, v)->imm);
    ir_value address = ir_arg(f, v, 0);
    sum s;
    if (access.space != IR_DEVICE || ir_type_of(f, address) != IR_U32 ||
        !take_apart(f, address, &s) || s.constant > (uint32_t)INT32_MAX - (uint32_t)access.offset)
        return false;
    ir_value offset = offset_of(f, v, &s);
    ir_value pointer = ir_make_before(f, v, IR_BUFFER, IR_U64, (ir_value[]){s.word, offset}, 2, 0);
    if (f->failed)
        return false;
    access.offset += (int32_t)s.constant;
    ir_args(f, v)[0] = pointer;
    ir_at(f, v)->imm = ir_access_pack(access);
    return true;
}

bool ir_opt_buffers(ir_func *f) {
    uint32_t count = f->node_count;
    bool changed = false, any = false;
    for (unsigned k = 0; k < 4; k++)
        any |= f->contained[k] != 0;
    if (!any)
        return false;
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; !f->failed && (e = ir_walk_next(&w)) != IR_AT_END;) {
        ir_op op = e == IR_AT_OP && w.op < count ? ir_op_of(f, w.op) : IR_CONST;
        if (ir_accesses(op))
            changed |= point(f, w.op);
        else if (op == IR_POINTER)
            changed |= point_at(f, w.op);
    }
    return changed;
}

/* ---- Indices ---- */

enum { MOST_SHIFT = 4 };

/* An offset that is a value shifted left becomes an index, the value itself:
 *
 *   %4 = shl %1, 2
 *   %9 = buffer(0) arg0, %4            →      %9 = buffer(2) arg0, %1 */
bool ir_opt_index(ir_func *f) {
    ir_bits bits = {0};
    bool changed = false;
    ir_walk w;
    if (!ir_made(f, IR_BUFFER))
        return false;
    if (!ir_find_bits(f, &bits)) {
        f->failed = true;
        return false;
    }
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        uint64_t by;
        if (e != IR_AT_OP || ir_op_of(f, w.op) != IR_BUFFER || ir_at(f, w.op)->imm)
            continue;
        ir_value offset = ir_arg(f, w.op, 1);
        if (ir_op_of(f, offset) != IR_SHL || !ir_is_const(f, ir_arg(f, offset, 1), &by) || !by ||
            by > MOST_SHIFT)
            continue;
        ir_value index = ir_arg(f, offset, 0);
        bool exact = index < bits.count && bits.of[index].max <= UINT32_MAX >> by;
        ir_args(f, w.op)[1] = index;
        ir_at(f, w.op)->imm = by | (exact ? IR_INDEX_EXACT : 0u);
        changed = true;
    }
    ir_free_bits(&bits);
    return changed;
}
