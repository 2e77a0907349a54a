/* Writing structured SSA with variables: the caller assigns variables in program order, opens and
 * closes ifs and loops, and results, parameters and yields appear by themselves. The builder's
 * registers and the masks of the convergence lowering are such variables.
 *
 * Inside an if side writes are logged; at its end they are undone and merged with those of the
 * other side. What a loop carries is named when it is opened. */
#ifndef IR_SSA_H
#define IR_SSA_H

#include "ir/ir.h"

typedef struct ssa_entry {
    uint32_t variable;
    ir_value value; /* in the log: the one before the write */
} ssa_entry;

typedef struct ssa_list {
    ssa_entry *items;
    uint32_t count, capacity;
} ssa_list;

typedef struct ssa {
    ir_func *f;
    ir_region region; /* where operations go */
    bool dead;        /* it has its terminator */
    uint32_t pc;      /* for new operations */
    ir_value *map;    /* current value of each variable */
    uint8_t *type;    /* the type of each in loops, and where the sides of an if disagree */
    bool *unused;     /* never read: not worth a result */
    uint32_t count, capacity;
    uint32_t open_ifs;
    ssa_list log;   /* writes since the start of the open if sides */
    ssa_list sides; /* what the first sides of the open ifs wrote */
    uint32_t *mark; /* by variable: serial of the last merge that saw it */
    uint32_t serial;
    ir_value *side[2];   /* by variable: values of the sides of the if being closed */
    ir_value *values[2]; /* operands of the terminators being made */
    uint32_t *order;     /* variables written in the if being closed */
} ssa;

void ssa_init(ssa *s, ir_func *f);
void ssa_free(ssa *s);
/* A new variable; its number is one more than the last one's. */
uint32_t ssa_variable(ssa *s, ir_type type, ir_value value);
/* Several with the same value, and room for so many in all. */
void ssa_variables(ssa *s, ir_type type, ir_value value, uint32_t count);
void ssa_reserve(ssa *s, uint32_t count);

static inline ir_value ssa_emit(ssa *s, ir_op op, ir_type type, const ir_value *args, size_t count,
                                uint64_t imm) {
    return ir_make_last(s->f, s->region, op, type, args, count, imm, s->pc);
}
/* Ends the region. */
void ssa_end(ssa *s, ir_op op, const ir_value *values, size_t count);
void ssa_log(ssa *s, uint32_t variable); /* remembers its value for the end of the if side */
static inline void ssa_write(ssa *s, uint32_t variable, ir_value v) {
    if (s->f->failed || s->map[variable] == v)
        return;
    if (s->open_ifs)
        ssa_log(s, variable);
    s->map[variable] = v;
}
static inline ir_value ssa_read(const ssa *s, uint32_t variable) {
    return s->map[variable];
}
/* The value reinterpreted as another type of at most 32 bits; looks through earlier steps. */
ir_value ssa_as(ssa *s, ir_type type, ir_value v);

/* ---- if ---- */

typedef struct ssa_if {
    ir_value op;
    ir_region outside;
    bool in_else, first_dead;
    uint32_t log_start;   /* first write of the open side */
    uint32_t sides_start; /* writes of the first side */
} ssa_if;

void ssa_if_open(ssa *s, ssa_if *i, ir_value condition); /* the first side is open now */
void ssa_if_else(ssa *s, ssa_if *i);
/* Merges and goes on behind it. When both sides ended otherwise, nothing follows: the region is
 * ended with a halt. */
void ssa_if_close(ssa *s, ssa_if *i);

/* ---- loop ---- */

typedef struct ssa_loop {
    ir_value op;
    ir_region outside;
    bool left;               /* something breaks out: there is code behind */
    const uint32_t *carried; /* variables; the caller keeps the list */
    uint32_t count;
    bool once; /* no parameters: the body runs once and the variables are results only */
} ssa_loop;

void ssa_loop_open(ssa *s, ssa_loop *l, const uint32_t *carried, uint32_t count, bool once);
void ssa_loop_break(ssa *s, ssa_loop *l);
void ssa_loop_continue(ssa *s, ssa_loop *l);
/* Continues if the region is open, and goes on behind it, or nowhere when nothing breaks out. */
void ssa_loop_close(ssa *s, ssa_loop *l);

#endif
