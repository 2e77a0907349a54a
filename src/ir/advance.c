/* Addresses that move through a group of iterations, as 64-bit pointers, for targets that have no
 * access with a 32-bit offset.
 *
 *   %1 = ucmp_lt %i, %l                       %1 = ucmp_lt %i, %l
 *   if %1 { yield } else { break … }          %2 = ucmp_lt %a, 2^32 - span of the group
 *   %3 = load(device, 4, +0) %a               %3 = band %1, %2
 *   %4 = iadd %a, arg1                   →    if %3 { yield } else { break … }
 *   %5 = load(device, 4, +0) %4               %4 = pointer %a
 *                                             %5 = load(device, 4, +0) %4
 *                                             %6 = ladd %4, pack64 arg1, 0
 *                                             %7 = load(device, 4, +0) %6
 *
 * An address wraps at 32 bits and a pointer does not. So the group is entered only if the last
 * address of its last iteration is below 2^32 when it is computed exactly; where it is not, the
 * remainder loop runs these iterations with 32-bit sums. Constant steps become offsets of the
 * accesses. A step that is not constant is expected to be small and positive; otherwise the group
 * does not run. */
#include "ir/advance.h"
#include "ir/analyse.h"
#include "ir/rewrite.h"

enum {
    MOST_PLUS = 1 << 16,   /* constants on top of a root */
    MOST_KNOWN = 1 << 20,  /* constant steps: seven of them fit in the offset of an access */
    MOST_UNKNOWN = 1 << 28 /* others: seven of them and a constant stay below 2^32 */
};

ir_value ir_next_inside(const ir_func *f, ir_value v) {
    if (ir_has(f, v, IR_REGIONS))
        return f->regions[ir_at(f, v)->regions[0]].first;
    while (!ir_at(f, v)->next) {
        ir_region r = ir_at(f, v)->region;
        ir_value owner = f->regions[r].owner;
        if (ir_op_of(f, owner) == IR_IF && ir_at(f, owner)->regions[0] == r)
            return f->regions[ir_at(f, owner)->regions[1]].first;
        v = owner;
    }
    return ir_at(f, v)->next;
}

/* ---- Chains ---- */

/* Whether the step is computed as the negative of something. */
static bool is_negated(const ir_func *f, ir_value step) {
    uint64_t bits;
    while (ir_op_of(f, step) == IR_SHL || ir_op_of(f, step) == IR_IMUL)
        step = ir_arg(f, step, 0);
    return ir_op_of(f, step) == IR_INEG ||
           (ir_op_of(f, step) == IR_ISUB && ir_is_const(f, ir_arg(f, step, 0), &bits) && !bits);
}

/* The chain of a root; IR_MOST_CHAINS if it gets none. */
static unsigned chain_of(ir_advances *a, ir_value root) {
    for (unsigned k = 0; k < a->chains; k++)
        if (a->chain[k].root == root)
            return k;
    uint64_t bits = 0;
    ir_value step = a->step[root];
    bool known = ir_is_const(a->f, step, &bits), down = bits >> 31;
    uint32_t by = down ? 0u - (uint32_t)bits : (uint32_t)bits;
    if (known ? by == 0 || by > MOST_KNOWN || ir_in_contained(a->f, root)
              : a->factor < 4 || is_negated(a->f, step))
        return IR_MOST_CHAINS;
    if (a->chains == IR_MOST_CHAINS)
        return IR_MOST_CHAINS;
    unsigned k = a->chains++;
    a->chain[k].root = root;
    a->chain[k].step = step;
    a->chain[k].most = 0;
    a->chain[k].by = by;
    a->chain[k].down = down;
    return k;
}

static void note(ir_advances *a, ir_value address) {
    uint64_t c;
    uint32_t plus = 0;
    ir_value root = address;
    for (unsigned k = 0; k < a->moving; k++)
        if (a->of[k].address == address)
            return;
    while (ir_op_of(a->f, root) == IR_IADD && a->step[ir_arg(a->f, root, 0)] &&
           ir_is_const(a->f, ir_arg(a->f, root, 1), &c) && c < MOST_PLUS - plus) {
        plus += (uint32_t)c;
        root = ir_arg(a->f, root, 0);
    }
    unsigned k = a->moving < IR_MOST_MOVING && a->step[root] ? chain_of(a, root) : IR_MOST_CHAINS;
    if (k == IR_MOST_CHAINS)
        return;
    if (a->chain[k].most < plus)
        a->chain[k].most = plus;
    a->of[a->moving].address = address;
    a->of[a->moving].plus = plus;
    a->of[a->moving++].chain = (uint8_t)k;
}

static bool is_moving(const ir_func *f, ir_value v) {
    return ir_accesses(ir_op_of(f, v)) && ir_access_unpack(ir_at(f, v)->imm).space == IR_DEVICE &&
           ir_type_of(f, ir_arg(f, v, 0)) == IR_U32;
}

void ir_find_advances(ir_advances *a, ir_value v, ir_value stop) {
    a->chains = a->moving = 0;
    for (ir_value at = v; at != stop; at = ir_next_inside(a->f, at))
        if (ir_has(a->f, at, IR_WAVE))
            return; /* lanes must stay together */
    for (; v != stop; v = ir_next_inside(a->f, v))
        if (is_moving(a->f, v))
            note(a, ir_arg(a->f, v, 0));
}

/* ---- Building ---- */

static ir_value make(ir_func *f, ir_value at, ir_op op, ir_value x, ir_value y) {
    ir_type type = op == IR_UCMP_LT ? IR_BOOL : op == IR_LADD || op == IR_PACK64 ? IR_U64 : IR_U32;
    return ir_make_before(f, at, op, type, (ir_value[]){x, y}, 2, 0);
}

void ir_prepare_advances(ir_advances *a, ir_value loop) {
    ir_func *f = a->f;
    uint32_t steps = a->factor - 1;
    ir_value zero = ir_const(f, IR_U32, 0), one = ir_const(f, IR_U32, 1);
    for (unsigned k = 0; k < a->chains; k++) {
        ir_value step = a->chain[k].step, most = ir_const(f, IR_U32, a->chain[k].most);
        if (a->chain[k].by) {
            a->chain[k].limit =
                ir_const(f, IR_U32, 0 - (steps * a->chain[k].by + a->chain[k].most));
            continue;
        }
        ir_value small = make(f, loop, IR_UCMP_LT, step, ir_const(f, IR_U32, MOST_UNKNOWN));
        ir_value span = make(f, loop, IR_IMUL, step, ir_const(f, IR_U32, steps));
        span = make(f, loop, IR_UMAX, make(f, loop, IR_IADD, span, most), one);
        ir_value args[3] = {small, make(f, loop, IR_ISUB, zero, span), zero};
        a->chain[k].limit = ir_make_before(f, loop, IR_SELECT, IR_U32, args, 3, 0);
        a->chain[k].wide = make(f, loop, IR_PACK64, step, zero);
    }
}

ir_value ir_advance_fits(ir_advances *a, unsigned chain, ir_value root, ir_value at) {
    uint32_t span = (a->factor - 1) * a->chain[chain].by;
    if (a->chain[chain].down)
        root = make(a->f, at, IR_IADD, root, ir_const(a->f, IR_U32, 0 - span));
    a->chain[chain].pointer = root;
    return make(a->f, at, IR_UCMP_LT, root, a->chain[chain].limit);
}

void ir_advance(ir_advances *a, unsigned k, ir_value at) {
    for (unsigned c = 0; c < a->chains; c++) {
        ir_value pointer = a->chain[c].pointer;
        if (k == 0)
            pointer = ir_make_before(a->f, at, IR_POINTER, IR_U64, &pointer, 1, 0);
        else if (!a->chain[c].by)
            pointer = make(a->f, at, IR_LADD, pointer, a->chain[c].wide);
        a->chain[c].pointer = pointer;
    }
}

static void use(const ir_advances *a, unsigned which, unsigned k, ir_value v) {
    unsigned c = a->of[which].chain, steps = a->chain[c].down ? a->factor - 1 - k : k;
    ir_access access = ir_access_unpack(ir_at(a->f, v)->imm);
    access.offset += (int32_t)(a->of[which].plus + steps * a->chain[c].by);
    ir_at(a->f, v)->imm = ir_access_pack(access);
    ir_args(a->f, v)[0] = a->chain[c].pointer;
}

void ir_use_advances(const ir_advances *a, const ir_copier *copies, unsigned k, ir_value v,
                     ir_value stop) {
    for (; v != stop && !a->f->failed; v = ir_next_inside(a->f, v)) {
        if (!is_moving(a->f, v) || ir_access_unpack(ir_at(a->f, v)->imm).offset)
            continue;
        ir_value address = ir_arg(a->f, v, 0);
        for (unsigned which = 0; which < a->moving; which++)
            if (ir_copied(copies, a->of[which].address) == address) {
                use(a, which, k, v);
                break;
            }
    }
}
