/* Wave operations and the barrier. After convergence lowering, every existing lane of the warp
 * executes them together, so all masks are full. Lanes past the end of the workgroup do not exist
 * and must not be read from. In a workgroup of whole warps there are none (p->whole). */
#include "emit_ptx/ptx.h"

static bool is_reduction(ir_op op) {
    return op >= IR_WAVE_REDUCE_ADD && op <= IR_WAVE_REDUCE_XOR;
}

/* Whether the instruction itself handles a lane that does not exist: the distance or lane number is
 * a constant, and the warp is whole or only lower lanes are read. */
static bool is_direct(const ptx *p, ir_value v) {
    uint32_t by;
    return (p->whole || ir_op_of(p->f, v) == IR_WAVE_SHUFFLE_UP) &&
           ptx_const(p, ir_arg(p->f, v, 2), &by) && by < 32;
}

/* Whether lane 0 gathers the values of a reduction. */
static bool is_gathered(const ptx *p) {
    return p->o->arch < 80 && !p->whole;
}

/* The number of lanes that may be read. */
static ptx_operand lanes(ptx *p) {
    return p->whole ? ptx_u32(32) : ptx_fixed_reg(p, PTX_LANES);
}

/* d = ok ? x : 0 */
static void put_checked(ptx *p, ir_value v, ptx_operand x, ptx_operand ok) {
    ptx_line(p, "selp.b32 $, $, 0, $", ptx_dest(p, v), x, ok);
}

/* ---- Shuffles ---- */

/* From any lane; 0 if the lane does not exist. */
static void put_from_lane(ptx *p, ir_value v, ptx_operand x, ptx_operand source) {
    if (is_direct(p, v)) {
        ptx_line(p, "shfl.sync.idx.b32 $, $, $, 31, -1", ptx_dest(p, v), x, source);
        return;
    }
    ptx_operand t = ptx_new(p, PTX_B32), ok = ptx_new(p, PTX_PRED);
    ptx_line(p, "setp.lt.u32 $, $, $", ok, source, lanes(p));
    ptx_line(p, "shfl.sync.idx.b32 $, $, $, 31, -1", t, x, source);
    put_checked(p, v, t, ok);
}

/* The lane number is taken from lane 0, which always exists, unless it is uniform. */
static void put_broadcast(ptx *p, ir_value v) {
    ptx_operand x = ptx_use(p, ir_arg(p->f, v, 1)), source = ptx_use(p, ir_arg(p->f, v, 2));
    if (source.reg && !ir_is_uniform(p->f, &p->uniformity, ir_arg(p->f, v, 2), &p->out->failed)) {
        ptx_operand first = ptx_new(p, PTX_B32);
        ptx_line(p, "shfl.sync.idx.b32 $, $, 0, 31, -1", first, source);
        source = first;
    }
    put_from_lane(p, v, x, source);
}

/* A shuffle by a distance. */
typedef struct neighbour {
    const char *direct;  /* reports whether the lane exists */
    const char *compare; /* the distance with a fixed register */
    ptx_fixed with;
    const char *plain;
} neighbour;

static const neighbour up = {"shfl.sync.up.b32 $|$, $, $, 0, -1", "setp.le.u32 $, $, $", PTX_LANE,
                             "shfl.sync.up.b32 $, $, $, 0, -1"},
                       down = {"shfl.sync.down.b32 $|$, $, $, 31, -1", "setp.lt.u32 $, $, $",
                               PTX_LANES_LEFT, "shfl.sync.down.b32 $, $, $, 31, -1"};

static void put_by_distance(ptx *p, ir_value v, const neighbour *to) {
    ptx_operand x = ptx_use(p, ir_arg(p->f, v, 1)), by = ptx_use(p, ir_arg(p->f, v, 2));
    ptx_operand t = ptx_new(p, PTX_B32), ok = ptx_new(p, PTX_PRED);
    if (is_direct(p, v)) {
        ptx_put_line(p, to->direct, (ptx_operand[]){t, ok, x, by});
    } else {
        ptx_put_line(p, to->compare, (ptx_operand[]){ok, by, ptx_fixed_reg(p, to->with)});
        ptx_put_line(p, to->plain, (ptx_operand[]){t, x, by});
    }
    put_checked(p, v, t, ok);
}

static void put_xor(ptx *p, ir_value v) {
    ptx_operand x = ptx_use(p, ir_arg(p->f, v, 1)), mask = ptx_use(p, ir_arg(p->f, v, 2));
    if (is_direct(p, v)) {
        ptx_line(p, "shfl.sync.bfly.b32 $, $, $, 31, -1", ptx_dest(p, v), x, mask);
        return;
    }
    ptx_operand source = ptx_new(p, PTX_B32);
    ptx_line(p, "xor.b32 $, $, $", source, ptx_fixed_reg(p, PTX_LANE), mask);
    put_from_lane(p, v, x, source);
}

/* ---- Sums and reductions ---- */

/* A Hillis-Steele scan: inclusive sums by doubling distances. Subtracting the lane's own value at
 * the end makes it exclusive. */
static void put_prefix_sum(ptx *p, ir_value v) {
    ptx_operand x = ptx_use(p, ir_arg(p->f, v, 1)), sum = ptx_new(p, PTX_B32);
    ptx_operand t = ptx_new(p, PTX_B32), ok = ptx_new(p, PTX_PRED);
    ptx_move(p, IR_U32, sum, x);
    for (uint32_t distance = 1; distance < 32; distance *= 2) {
        ptx_line(p, "shfl.sync.up.b32 $|$, $, $, 0, -1", t, ok, sum, ptx_u32(distance));
        p->guard = ok.reg;
        ptx_line(p, "add.s32 $, $, $", sum, sum, t);
    }
    ptx_line(p, "sub.s32 $, $, $", ptx_dest(p, v), sum, x);
}

typedef struct reduction {
    const char *redux, *step;
} reduction;

static const reduction reductions[] = {
    {"redux.sync.add.u32 $, $, -1", "add.s32 $, $, $"},
    {"redux.sync.min.u32 $, $, -1", "min.u32 $, $, $"},
    {"redux.sync.max.u32 $, $, -1", "max.u32 $, $, $"},
    {"redux.sync.and.b32 $, $, -1", "and.b32 $, $, $"},
    {"redux.sync.or.b32 $, $, -1", "or.b32 $, $, $"},
    {"redux.sync.xor.b32 $, $, -1", "xor.b32 $, $, $"},
};

_Static_assert(sizeof reductions / sizeof *reductions ==
                   IR_WAVE_REDUCE_XOR - IR_WAVE_REDUCE_ADD + 1,
               "one row for each reduction");

/* A butterfly reduction: every lane combines with the one at a halving distance. */
static void put_butterfly(ptx *p, ir_value v, const reduction *r) {
    ptx_operand sum = ptx_use(p, ir_arg(p->f, v, 1));
    for (uint32_t distance = 16; distance; distance /= 2) {
        ptx_operand t = ptx_new(p, PTX_B32);
        ptx_operand next = distance > 1 ? ptx_new(p, PTX_B32) : ptx_dest(p, v);
        ptx_line(p, "shfl.sync.bfly.b32 $, $, $, 31, -1", t, sum, ptx_u32(distance));
        ptx_line(p, r->step, next, sum, t);
        sum = next;
    }
}

/* With lanes missing, lane 0 gathers the existing values and broadcasts the result. */
static void put_gathered(ptx *p, ir_value v, const reduction *r) {
    ptx_operand sum = ptx_new(p, PTX_B32), t = ptx_new(p, PTX_B32), ok = ptx_new(p, PTX_PRED);
    ptx_move(p, IR_U32, sum, ptx_use(p, ir_arg(p->f, v, 1)));
    for (uint32_t distance = 16; distance; distance /= 2) {
        ptx_line(p, "setp.gt.u32 $, $, $", ok, ptx_fixed_reg(p, PTX_LANES_LEFT), ptx_u32(distance));
        ptx_line(p, "shfl.sync.down.b32 $, $, $, 31, -1", t, sum, ptx_u32(distance));
        p->guard = ok.reg;
        ptx_line(p, r->step, sum, sum, t);
    }
    ptx_line(p, "shfl.sync.idx.b32 $, $, 0, 31, -1", ptx_dest(p, v), sum);
}

static void put_reduction(ptx *p, ir_value v) {
    const reduction *r = &reductions[ir_op_of(p->f, v) - IR_WAVE_REDUCE_ADD];
    if (p->o->arch >= 80)
        ptx_line(p, r->redux, ptx_dest(p, v), ptx_use_reg(p, ir_arg(p->f, v, 1)));
    else if (is_gathered(p))
        put_gathered(p, v, r);
    else
        put_butterfly(p, v, r);
}

/* ---- Votes ---- */

static void put_vote(ptx *p, ir_value v, const char *plain, const char *inverted) {
    bool negated;
    ptx_operand c = ptx_condition(p, ir_arg(p->f, v, 1), &negated);
    ptx_line(p, negated ? inverted : plain, ptx_dest(p, v), c);
}

/* The upper lanes of a wave of 32 do not exist. */
static void put_ballot64(ptx *p, ir_value v) {
    bool negated;
    ptx_operand c = ptx_condition(p, ir_arg(p->f, v, 1), &negated), low = ptx_new(p, PTX_B32);
    ptx_line(p, negated ? "vote.sync.ballot.b32 $, !$, -1" : "vote.sync.ballot.b32 $, $, -1", low,
             c);
    ptx_line(p, "cvt.u64.u32 $, $", ptx_dest(p, v), low);
}

bool ptx_wave(ptx *p, ir_value v) {
    ir_op op = ir_op_of(p->f, v);
    switch (op) {
    case IR_BARRIER: ptx_line(p, "bar.sync $", ptx_u32(0)); return true;
    case IR_WAVE_SHUFFLE: {
        ptx_operand x = ptx_use(p, ir_arg(p->f, v, 1));
        put_from_lane(p, v, x, ptx_use(p, ir_arg(p->f, v, 2)));
        return true;
    }
    case IR_WAVE_SHUFFLE_UP: put_by_distance(p, v, &up); return true;
    case IR_WAVE_SHUFFLE_DOWN: put_by_distance(p, v, &down); return true;
    case IR_WAVE_SHUFFLE_XOR: put_xor(p, v); return true;
    case IR_WAVE_BROADCAST: put_broadcast(p, v); return true;
    case IR_WAVE_BALLOT:
        put_vote(p, v, "vote.sync.ballot.b32 $, $, -1", "vote.sync.ballot.b32 $, !$, -1");
        return true;
    case IR_WAVE_BALLOT64: put_ballot64(p, v); return true;
    case IR_WAVE_ANY:
        put_vote(p, v, "vote.sync.any.pred $, $, -1", "vote.sync.any.pred $, !$, -1");
        return true;
    case IR_WAVE_ALL:
        put_vote(p, v, "vote.sync.all.pred $, $, -1", "vote.sync.all.pred $, !$, -1");
        return true;
    case IR_WAVE_PREFIX_SUM: put_prefix_sum(p, v); return true;
    default: break;
    }
    if (is_reduction(op))
        put_reduction(p, v);
    return is_reduction(op);
}
