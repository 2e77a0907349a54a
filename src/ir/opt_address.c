/* Folds constant parts of addresses into the accesses.
 *
 *   %2 = shl sr_thread_id_x, 4               %2 = shl sr_thread_id_x, 4
 *   %3 = iadd %2, 8                   →      %4 = load(local, 4, +8) %2
 *   %4 = load(local, 4, +0) %3
 *
 * Address arithmetic wraps at 32 bits and the offset of an access does not: FFFFFFFC + 8 is byte 4.
 * So a constant moves only if the known-bits analysis proves that the sum does not wrap: the bound
 * of the rest leaves room, or the constant only fills zero bits. A constant inside of shifts and
 * products moves, too, so that unrolled copies of tiles have one address:
 *
 *   ((t + 64) >> 3) * 132 + x   →   (t >> 3) * 132 + x, and 1056 in the access
 *
 * In a loop, the pointer for a device address that is computed outside it becomes a separate
 * operation, which loop-invariant code motion then hoists. */
#include "ir/analyse.h"
#include "ir/opt.h"
#include "ir/rewrite.h"

#include <stdlib.h>

enum { MOST_STEPS = 4, DEEPEST = 5 };

typedef struct folder {
    ir_func *f;
    ir_bits bits;    /* computed for the first address that needs it */
    uint32_t *level; /* by value: loops around its definition; NULL: there are no loops */
    uint32_t count;  /* values at the start */
    uint32_t depth;
    bool changed;
} folder;

/* v = *rest + *c with a constant. */
static bool split(folder *a, ir_value v, ir_value *rest, uint32_t *c) {
    uint64_t bits;
    ir_op op = ir_op_of(a->f, v);
    if ((op != IR_IADD && op != IR_OR) || !ir_is_const(a->f, ir_arg(a->f, v, 1), &bits))
        return false;
    if (!a->bits.count && !ir_find_bits(a->f, &a->bits)) {
        a->f->failed = true;
        return false;
    }
    *rest = ir_arg(a->f, v, 0);
    *c = (uint32_t)bits;
    return op == IR_IADD || (*rest < a->bits.count && (*c & ~a->bits.of[*rest].zeros) == 0);
}

/* Made next to the address, so that all accesses that use it share one operation. */
static ir_value make(folder *a, ir_value at, ir_op op, ir_value x, ir_value y) {
    return ir_make_before(a->f, at, op, IR_U32, (ir_value[]){x, y}, 2, 0);
}

/* ---- Constants inside ---- */

static uint64_t most(const folder *a, ir_value v) {
    return v < a->bits.count ? a->bits.of[v].max : UINT32_MAX;
}

/* The constant c of v = rest + c, which takes shifts, products and sums apart as long as no number
 * in them wraps; 0 if there is none. */
static uint32_t constant_in(folder *a, ir_value v, unsigned depth) {
    const ir_func *f = a->f;
    const ir_op op = ir_op_of(f, v);
    ir_value rest, x, y;
    uint64_t by;
    uint32_t c;
    if (depth == 0 ||
        (op != IR_IADD && op != IR_OR && op != IR_SHL && op != IR_SHR && op != IR_IMUL))
        return 0;
    if (split(a, v, &rest, &c))
        return most(a, rest) + c <= UINT32_MAX ? c : 0;
    x = ir_arg(f, v, 0);
    y = ir_arg(f, v, 1);
    if (op == IR_IADD) { /* bounds exist once a constant has been found */
        c = constant_in(a, x, depth - 1);
        c = c ? c : constant_in(a, y, depth - 1);
        return c && most(a, x) + most(a, y) <= UINT32_MAX ? c : 0;
    }
    if (op == IR_OR || !ir_is_const(f, y, &by) || (c = constant_in(a, x, depth - 1)) == 0)
        return 0;
    if (op == IR_SHR)
        return c & ((1u << (by & 31)) - 1) ? 0 : c >> (by & 31);
    by = op == IR_SHL ? (uint64_t)1 << (by & 31) : by;
    return most(a, x) * by <= UINT32_MAX ? (uint32_t)(c * by) : 0;
}

/* The rest of such a v. */
static ir_value rest_of(folder *a, ir_value v, unsigned depth) {
    const ir_func *f = a->f;
    const ir_op op = ir_op_of(f, v);
    ir_value rest, x = ir_arg(f, v, 0), y = ir_arg(f, v, 1);
    uint32_t c;
    if (split(a, v, &rest, &c))
        return rest;
    if (op == IR_IADD && constant_in(a, x, depth - 1) == 0)
        return make(a, v, op, x, rest_of(a, y, depth - 1));
    return make(a, v, op, rest_of(a, x, depth - 1), y);
}

/* ---- Folding ---- */

/* Takes one constant out of the address; false when there is none or it might wrap. */
static bool step(folder *a, ir_value *address, uint32_t *c) {
    ir_func *f = a->f;
    ir_value v = *address, rest;
    uint64_t by;
    if (split(a, v, &rest, c)) {
        if (!ir_bits_no_wrap(&a->bits, rest, *c))
            return false;
        *address = rest;
        return true;
    }
    if (ir_op_of(f, v) == IR_SHL && ir_is_const(f, ir_arg(f, v, 1), &by) &&
        split(a, ir_arg(f, v, 0), &rest, c)) {
        *c <<= by & 31;
        if (!ir_bits_shl_no_wrap(&a->bits, rest, (uint32_t)by, *c))
            return false;
        *address = make(a, v, IR_SHL, rest, ir_arg(f, v, 1));
        return true;
    }
    for (unsigned k = 0; k < 2 && ir_op_of(f, v) == IR_IADD; k++) {
        ir_value other = ir_arg(f, v, !k);
        if (!split(a, ir_arg(f, v, k), &rest, c) || !ir_bits_sum_no_wrap(&a->bits, rest, other, *c))
            continue;
        *address = make(a, v, IR_IADD, rest, other);
        return true;
    }
    *c = constant_in(a, v, DEEPEST);
    if (*c)
        *address = rest_of(a, v, DEEPEST);
    return *c != 0;
}

static void fold(folder *a, ir_value v) {
    ir_func *f = a->f;
    ir_access access = ir_access_unpack(ir_at(f, v)->imm);
    ir_value address = ir_arg(f, v, 0), word = 0;
    uint32_t c;
    if (ir_op_of(f, address) == IR_BUFFER) {
        word = ir_arg(f, address, 0);
        address = ir_arg(f, address, 1);
    } else if (ir_type_of(f, address) != IR_U32) {
        return;
    }
    for (unsigned k = 0; k < MOST_STEPS; k++) {
        ir_value next = address;
        if (!step(a, &next, &c) || f->failed || c > (uint32_t)INT32_MAX - (uint32_t)access.offset)
            break;
        access.offset += (int32_t)c;
        address = next;
        a->changed = true;
    }
    bool outside = a->level && address < a->count && a->level[address] < a->depth;
    if (word) {
        address = ir_make_before(f, v, IR_BUFFER, IR_U64, (ir_value[]){word, address}, 2, 0);
    } else if (access.space == IR_DEVICE && outside && ir_op_of(f, address) != IR_CONST) {
        address = ir_make_before(f, v, IR_POINTER, IR_U64, &address, 1, 0);
        a->changed = true;
    }
    if (f->failed)
        return;
    ir_args(f, v)[0] = address;
    ir_at(f, v)->imm = ir_access_pack(access);
}

static void walk(folder *a) {
    ir_walk w;
    ir_walk_init(&w, a->f);
    for (ir_event e; !a->f->failed && (e = ir_walk_next(&w)) != IR_AT_END;) {
        ir_value owner = a->f->regions[w.region].owner;
        if (e == IR_AT_OP && w.op < a->count) {
            a->level[w.op] = a->depth;
            if (ir_accesses(ir_op_of(a->f, w.op)))
                fold(a, w.op);
        } else if (e != IR_AT_OP && owner && ir_op_of(a->f, owner) == IR_LOOP) {
            a->depth += e == IR_ENTER_REGION ? 1u : UINT32_MAX;
        }
    }
}

static void walk_without_loops(folder *a) {
    ir_func *f = a->f;
    for (ir_value v = ir_first_op(f); v && !f->failed; v = ir_next_op(f, v))
        if (ir_accesses(ir_op_of(f, v)))
            fold(a, v);
}

bool ir_opt_address(ir_func *f) {
    folder a = {.f = f, .count = f->node_count};
    bool loops = ir_made(f, IR_LOOP);
    a.level = loops ? calloc(f->node_count, sizeof *a.level) : NULL;
    if (!loops)
        walk_without_loops(&a);
    else if (a.level)
        walk(&a);
    else
        f->failed = true;
    free(a.level);
    ir_free_bits(&a.bits);
    return a.changed;
}
