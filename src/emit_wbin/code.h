/* The machine form between the IR and the bytes: instructions of the ISA in program order, with
 * virtual registers as operands.
 *
 *   prepare.c    lowers the IR to what instructions can do: addresses, sides of ifs
 *   refine.c     more such rewrites, which depend on the context
 *   plan.c       which values another instruction absorbs, where constants are made
 *   bf16.c       patterns that are instructions of bf16
 *   select.c     operations to instructions; select_memory.c: accesses
 *   control.c    ifs and loops; guards.c: ifs without control flow
 *   intervals.c  live intervals of virtual registers
 *   allocate.c   linear scan: registers, predicates and fragments by number
 *   spill.c      registers to private memory, if there are not enough
 *   moves.c      parallel moves; predicates.c: predicate operations that take several steps
 *   encode.c     the bytes and their source lines
 *   estimate.c   whether the new code is faster than the old
 *   unit.c       kernels, sections, the file
 *
 * Values keep the IR's single definition. Where regions merge, the moves belong to the edge: yield,
 * break and continue write the registers of parameters and results, but these are live only from
 * the loop's start, or from the end of the if or loop. Registers are per lane, so a lane's writes
 * on its way out of a loop do not affect the lanes that continue. */
#ifndef EMIT_WBIN_CODE_H
#define EMIT_WBIN_CODE_H

#include "emit_wbin/emit_wbin.h"
#include "ir/analyse.h"

/* ---- Operands ---- */

/* 0: none. A virtual register with a word index and, for a predicate, a negation; or, with the top
 * bit set, a leaf of the IR (constant or special register) with a word index. */
typedef uint32_t wb_ref;

#define WB_LEAF 0x80000000u

static inline wb_ref wb_reg(uint32_t vreg) {
    return vreg << 3;
}

static inline wb_ref wb_leaf(ir_value v, unsigned word) {
    return WB_LEAF | v << 1 | word;
}

static inline bool wb_is_leaf(wb_ref r) {
    return (r & WB_LEAF) != 0;
}

static inline ir_value wb_leaf_of(wb_ref r) {
    return (r & ~WB_LEAF) >> 1;
}

static inline uint32_t wb_vreg_of(wb_ref r) {
    return r >> 3;
}

static inline unsigned wb_word(wb_ref r) {
    return wb_is_leaf(r) ? r & 1 : r >> 1 & 3;
}

static inline bool wb_negated(wb_ref r) {
    return !wb_is_leaf(r) && (r & 1);
}

static inline wb_ref wb_negate(wb_ref r) {
    return r ^ 1;
}

static inline wb_ref wb_part(wb_ref r, unsigned word) {
    return wb_is_leaf(r) ? r + word : r + (word << 1);
}

typedef enum wb_kind { WB_GENERAL, WB_PREDICATE, WB_TILE } wb_kind;

enum {
    WB_ASSIGNED = 1,  /* reg is its place */
    WB_NOT_R0 = 2,    /* result of an atomic */
    WB_WORD = 4,      /* a predicate in a general register: NaN is true, 0 is false */
    WB_SPILLED = 8,   /* lives in private memory, at `slot` */
    WB_FIXED = 16,    /* an argument: arrives in reg */
    WB_NOT_P0 = 64,   /* a guard that is not negated: @p0 does not exist */
    WB_TEMPORARY = 32 /* holds a spilled value for one instruction */
};

typedef struct wb_vreg {
    uint32_t start, end; /* positions, see intervals.c */
    uint32_t group;      /* registers that it prefers to share a register with: union-find */
    uint32_t next;       /* in the allocator's list of intervals that end at one position */
    uint32_t slot;
    uint32_t until; /* of a parameter: the end of its loop */
    uint32_t hole;  /* the last one of its list, or 0 */
    uint8_t kind, width, reg, flags;
} wb_vreg;

/* ---- Instructions ---- */

/* Pseudo-instructions, numbered after those of the ISA. */
enum {
    WB_MOVES = ISA_OP_COUNT, /* parallel moves */
    WB_ARGUMENTS,            /* the registers set at launch: defines the moves' destinations */
    WB_PMOVE,                /* predicate: dst = src[0] */
    WB_PSET,                 /* dst = imm */
    WB_PAND,
    WB_POR,
    WB_PXOR,
    WB_PSELECT /* dst = src[0] ? src[1] : src[2] */
};

enum {
    WB_EDGE = 1, /* moves on an edge, to parameters or results of a loop or if */
    WB_LATE = 2  /* dst is written before all sources are read */
};

/* A break or continue without src[0] applies to all lanes that its guard lets through; an assert
 * without it fails in all of them. */
typedef struct wb_insn {
    uint16_t op; /* isa_op or one of the above */
    uint8_t flags;
    uint8_t scope;
    uint32_t imm; /* immediate, special register */
    wb_ref guard;
    wb_ref dst;
    wb_ref tied; /* the value of dst where the guard is false */
    wb_ref src[4];
    uint32_t moves, move_count; /* in the pool; for if and loop: what their end or start defines */
    uint32_t pc;
} wb_insn;

typedef struct wb_move {
    wb_ref to, from;
} wb_move;

/* The instructions that a wave executes if loops with unknown trip counts run few or many times. */
typedef struct wb_cost {
    double few, many;
} wb_cost;

/* A loop of the code, and its trip count. */
typedef struct wb_loop {
    uint32_t offset;
    double times;    /* 0: unknown */
    uint32_t source; /* in the output: its original place, and its trip count there */
    double source_times;
} wb_loop;

/* ---- A kernel being compiled ---- */

/* How the plan treats a value. */
enum {
    WB_OWN,       /* a separate instruction */
    WB_ABSORBED,  /* computed by its users' instructions, from its operands */
    WB_SWALLOWED, /* part of a pattern that reads neither it nor its operands */
    WB_INVERTED   /* a bnot whose users can all read a negated predicate */
};

/* How a select is implemented: plainly, or with a guard on its first or second value. */
enum { WB_SELECT_PLAIN, WB_SELECT_FIRST, WB_SELECT_SECOND };

typedef struct wb_hole wb_hole;

typedef struct wb_code {
    ir_func *f;
    const wbin_settings *settings;
    const uint16_t *same; /* by ir_op: the instruction of the same name, or 0 */
    wave_diags *diags;

    ir_uses uses;
    ir_ends ends;
    uint8_t *how;        /* by value: WB_OWN, … */
    uint8_t *choice;     /* by select: WB_SELECT_…; by iadd: whether it adds a product */
    uint8_t *pattern;    /* by value: the instruction that replaces a tree of operations, or 0 */
    ir_value *host;      /* by value: the pack64 or store in whose registers it is computed, or 0 */
    uint8_t *host_word;  /* the index of that register */
    wb_ref *of;          /* by value: its place */
    ir_value *leaves;    /* by operation: the first leaf made before it … */
    ir_value *leaf_next; /* … by leaf: the next */
    uint32_t *loops;     /* by region: number of enclosing loops */

    wb_insn *insns;
    uint32_t insn_count, insn_capacity;
    wb_insn spare; /* written to when out of memory */
    wb_move *moves;
    uint32_t move_count, move_capacity;
    wb_vreg *vregs; /* index 0 is unused */
    uint32_t vreg_count, vreg_capacity;
    uint32_t positions;
    struct wb_hole { /* a range in which a register is not needed */
        uint32_t vreg, from, to;
        uint32_t end;  /* the endif of its if */
        uint32_t next; /* of the same virtual register, during construction */
    } * holes;         /* index 0 is unused */
    uint32_t hole_count, hole_capacity;

    bool at_use;   /* leaves are made at each use, because registers are scarce */
    bool four;     /* p0 is an ordinary predicate, not reserved for fetches and exchanges */
    bool scratch;  /* p0 is needed to fetch or exchange predicates */
    bool truth;    /* a predicate was made to be true, for which a reserved p0 would serve */
    bool failed;   /* out of memory */
    bool no_tiles; /* fragments cannot hold the tiles, which must be lowered */
    uint32_t pc;
    wb_ref guard;        /* of the current instruction */
    uint32_t stuck;      /* the position where registers ran out */
    uint32_t frame;      /* bytes of private memory, including spills; 0: nothing was spilled */
    uint32_t registers;  /* the highest number in use plus one */
    bool spare_register; /* cycles of moves use one more */

    buf bytes;
    size_t if_end, else_end; /* after the last if or else, while nothing follows it */
    fe_line *lines;          /* of the output, by ascending offset */
    uint32_t line_count, line_capacity;
    wb_loop *loop_list; /* by offset */
    uint32_t loop_count, loop_capacity;
    const fe_line *source_lines;
    uint32_t source_line_count;
    bool extended;           /* an extension is used */
    uint32_t depth, deepest; /* of ifs and loops */
    uint32_t loop_depth;
    uint32_t written; /* bit set of the predicates that have been written */
} wb_code;

/* Grows a list of the code by one; NULL and c->failed when out of memory. */
void *wb_grow(wb_code *c, void *list, uint32_t count, uint32_t *capacity, size_t size);
/* Reserves one instruction and one result per value, which suffices for most kernels, unless an
 * earlier attempt has left enough room. */
void wb_reserve(wb_code *c);
uint32_t wb_new_vreg(wb_code *c, wb_kind kind, unsigned width);
wb_insn *wb_add(wb_code *c, unsigned op); /* never NULL: `spare` when out of memory */
void wb_add_move(wb_code *c, wb_insn *insn, wb_ref to, wb_ref from);
/* Makes two virtual registers prefer the same register. */
void wb_like(wb_code *c, wb_ref a, wb_ref b);
uint32_t wb_group(wb_code *c, uint32_t vreg);

static inline wb_vreg *wb_at(const wb_code *c, wb_ref r) {
    return &c->vregs[wb_vreg_of(r)];
}

/* ---- prepare.c ---- */

/* False when out of memory. */
bool wb_prepare(ir_func *f);
/* The comparison that is true exactly where `op` is false, or IR_NONE. */
ir_op wb_inverse(ir_op op);

/* ---- refine.c ---- */

/* Constants that are in registers anyway. */
typedef struct wb_constants {
    bool power[32];  /* 1 << k */
    bool number[32]; /* k, used by more than left shifts */
} wb_constants;

/* Bypasses a select inside the side of an if with the same condition. */
void wb_use_conditions(ir_func *f);
void wb_share_compare(ir_func *f, const ir_uses *uses, ir_value *earlier, ir_value v);
void wb_note_constants(const ir_func *f, wb_constants *have);
void wb_turn_shift(ir_func *f, const wb_constants *have, ir_value v);

/* ---- plan.c ---- */

bool wb_plan(wb_code *c);
/* Frees the plan, except the ends, which are needed for trip counts until the code is complete. */
void wb_plan_free(wb_code *c);
ir_value wb_only_user(const wb_code *c, ir_value v); /* 0: none or several */
bool wb_is_used(const wb_code *c, ir_value v);
/* Number of registers of a value of this type. */
unsigned wb_width(ir_type type);
/* Which value of a wide store, from 1, is the constant that is also its address; 0: none. */
unsigned wb_address_among_values(const wb_code *c, ir_value store);
wb_kind wb_kind_of(ir_type type);

/* ---- bf16.c ---- */

/* Whether the value is a bf16 instruction; marks the operations that it makes superfluous. */
bool wb_plan_bf16(wb_code *c, ir_value v);
/* The instruction and its operands. */
isa_op wb_match_bf16(wb_code *c, ir_value v, ir_value words[3]);

/* ---- select.c ---- */

/* The value in a register; a predicate is not negated. */
wb_ref wb_operand(wb_code *c, ir_value v);
wb_ref wb_condition(wb_code *c, ir_value v); /* a predicate that may be negated */
wb_ref wb_source(wb_code *c, ir_value v);    /* of a move: may be a leaf or a negated predicate */
wb_ref wb_define(wb_code *c, ir_value v);    /* a register for the value */
/* Selects v's instruction, which writes `dst` where the guard is true and leaves `tied` there
 * otherwise; without a guard `tied` is 0. */
void wb_select_into(wb_code *c, ir_value v, wb_ref dst, wb_ref guard, wb_ref tied);
void wb_select_op(wb_code *c, ir_value v);
/* Makes a leaf in a separate register. */
wb_ref wb_make_leaf(wb_code *c, ir_value leaf);
/* Makes the leaves that are planned before the operation. */
void wb_select_leaves(wb_code *c, ir_value op);

/* ---- select_memory.c ---- */

void wb_select_memory(wb_code *c, ir_value v, wb_ref dst, wb_ref guard, wb_ref tied);
/* The consecutive registers of a pack64, or of the values of a wide store. */
wb_ref wb_gather(wb_code *c, ir_value host, const ir_value *values, unsigned count);

/* ---- select_tile.c ---- */

/* Banks of fragments, a bit set in wb_vreg.slot of a group. */
enum { WB_BANK_A = 1, WB_BANK_B = 2, WB_BANK_C = 4 };
void wb_select_tile(wb_code *c, ir_value v, wb_ref dst, wb_ref guard, wb_ref tied);
wb_ref wb_tile(wb_code *c, ir_value v); /* the place of a tile; a constant one is made */

/* ---- guards.c ---- */

/* The terminator and the first operation of a side of an if, or of a loop's body. */
static inline ir_value wb_end_of(const wb_code *c, ir_value op, unsigned side) {
    return c->f->regions[ir_at(c->f, op)->regions[side]].last;
}

static inline ir_value wb_start_of(const wb_code *c, ir_value op, unsigned side) {
    return c->f->regions[ir_at(c->f, op)->regions[side]].first;
}

/* Both sides yield, and as guarded instructions they are no longer than if and endif. */
bool wb_fits_guards(const wb_code *c, ir_value op);
/* The same for a first side that leaves. */
bool wb_leaves_guarded(const wb_code *c, ir_value op);
/* if failed { assert false; halt } */
bool wb_is_assert(const wb_code *c, ir_value op);

/* ---- control.c ---- */

bool wb_select_code(wb_code *c);

/* ---- intervals.c, allocate.c ---- */

bool wb_find_intervals(wb_code *c);
/* False if there are not enough registers, or c->failed. */
bool wb_allocate(wb_code *c);

/* ---- spill.c ---- */

/* Moves to private memory the registers that are live longest where the allocator got stuck. False
 * if nothing is left to spill. */
bool wb_spill(wb_code *c);

/* ---- estimate.c ---- */

/* Estimates the number of instructions that a wave executes. Loops that are not in the list have an
 * unknown trip count. False when out of memory. */
bool wb_estimate(const fe_insn *insns, uint32_t count, const wb_loop *loops, uint32_t loop_count,
                 wb_cost *cost);
/* The same for the code that the function comes from. */
bool wb_estimate_source(const wb_code *c, const fe_kernel *source, wb_cost *cost);
double wb_times(const wb_code *c, ir_value loop); /* trip count of a loop; 0: unknown */

/* ---- encode.c, predicates.c, moves.c ---- */

bool wb_encode(wb_code *c);

/* The final fields of one instruction. */
typedef struct wb_fields {
    uint32_t field[ISA_FIELDS], tail, guard;
} wb_fields;

void wb_put(wb_code *c, isa_op op, const wb_fields *fields);
/* A predicate in a register: a NaN where it is true, 0 where it is false. */
enum { WB_TRUE_WORD = 0x7FC00000 };
/* The guard bits for a predicate; one that lives in a register is fetched first. */
uint32_t wb_guard_bits(wb_code *c, wb_ref guard);
/* For a WB_PSET, `guard` is the guard bits. */
void wb_put_predicate(wb_code *c, const wb_insn *insn);
void wb_put_moves(wb_code *c, const wb_move *moves, uint32_t count, uint32_t guard);
/* Moves one word from a register or leaf to a register. */
void wb_put_move(wb_code *c, wb_ref to, wb_ref from, uint32_t guard);

#endif
