/* Single-pass construction of structured SSA (after Brandis and Mössenböck, 1994): the caller
 * assigns variables in program order and opens and closes ifs and loops; results, parameters and
 * yields are created automatically. The builder's registers and the masks of the convergence
 * lowering are such variables.
 *
 * Writes inside an if side are logged; at its end they are undone and merged with those of the
 * other side. The caller names the variables that a loop carries when opening it. */
#ifndef IR_SSA_H
#define IR_SSA_H

#include "ir/names.h"

typedef struct ssa_entry {
    uint32_t variable;
    ir_value value; /* in the log: the value before the write */
} ssa_entry;

typedef struct ssa_list {
    ssa_entry *items;
    uint32_t count, capacity;
} ssa_list;

typedef struct ssa {
    ir_func *f;
    ir_region region;      /* where operations are added */
    bool dead;             /* the region has its terminator */
    uint32_t pc;           /* for new operations */
    ir_value *map;         /* current value of each variable */
    uint8_t *type;         /* of each variable in loops, and where the sides of an if disagree */
    bool *unused;          /* never read: not worth a result */
    const uint16_t *names; /* name of each variable's values, or 0; NULL: no names */
    uint32_t count, capacity;
    uint32_t open_ifs;
    ssa_list log;   /* writes since the start of the open if sides */
    ssa_list sides; /* writes of the first sides of the open ifs */
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
/* Several variables with the same initial value. ssa_reserve makes room for `count` variables in
 * total. */
void ssa_variables(ssa *s, ir_type type, ir_value value, uint32_t count);
void ssa_reserve(ssa *s, uint32_t count);

static inline ir_value ssa_emit(ssa *s, ir_op op, ir_type type, const ir_value *args, size_t count,
                                uint64_t imm) {
    return ir_make_last(s->f, s->region, op, type, args, count, imm, s->pc);
}
/* Ends the region. */
void ssa_end(ssa *s, ir_op op, const ir_value *values, size_t count);
void ssa_log(ssa *s, uint32_t variable); /* saves its value for the end of the if side */
static inline void ssa_write(ssa *s, uint32_t variable, ir_value v) {
    if (s->f->failed || s->map[variable] == v)
        return;
    if (s->open_ifs)
        ssa_log(s, variable);
    s->map[variable] = v;
    if (s->names)
        ir_give_name(s->f, v, s->names[variable]);
}
static inline ir_value ssa_read(const ssa *s, uint32_t variable) {
    return s->map[variable];
}
/* The value reinterpreted as another type of at most 32 bits; looks through earlier
 * reinterpretations. */
ir_value ssa_as(ssa *s, ir_type type, ir_value v);

/* ---- if ---- */

typedef struct ssa_if {
    ir_value op;
    ir_region outside;
    bool in_else, first_dead;
    uint32_t log_start;   /* first write of the open side */
    uint32_t sides_start; /* writes of the first side */
} ssa_if;

void ssa_if_open(ssa *s, ssa_if *i, ir_value condition); /* opens the first side */
void ssa_if_else(ssa *s, ssa_if *i);
/* Merges the sides and continues after the if. When neither side yields, nothing follows: the
 * region ends with a halt. */
void ssa_if_close(ssa *s, ssa_if *i);

/* ---- loop ---- */

typedef struct ssa_loop {
    ir_value op;
    ir_region outside;
    bool left;               /* something breaks out: the code after it is reachable */
    const uint32_t *carried; /* variables; the caller keeps the list */
    uint32_t count;
    bool once; /* no parameters: the body runs once and the variables are results only */
} ssa_loop;

void ssa_loop_open(ssa *s, ssa_loop *l, const uint32_t *carried, uint32_t count, bool once);
void ssa_loop_break(ssa *s, ssa_loop *l);
void ssa_loop_continue(ssa *s, ssa_loop *l);
/* Emits a continue if the region is open. Continues after the loop, or nowhere when nothing breaks
 * out. */
void ssa_loop_close(ssa *s, ssa_loop *l);

#endif
