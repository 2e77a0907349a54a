/* See ssa.h. Linear in operations and writes; closing an if costs as much as the variables it
 * wrote. */
#include "ir/ssa.h"

#include <stdlib.h>
#include <string.h>

void ssa_init(ssa *s, ir_func *f) {
    memset(s, 0, sizeof *s);
    s->f = f;
    s->region = 1;
}

void ssa_free(ssa *s) {
    free(s->map);
    free(s->type);
    free(s->unused);
    free(s->log.items);
    free(s->sides.items);
    free(s->mark);
    free(s->side[0]);
    free(s->side[1]);
    free(s->values[0]);
    free(s->values[1]);
    free(s->order);
    memset(s, 0, sizeof *s);
}

/* ---- Variables ---- */

static void *resized(ssa *s, void *list, size_t count, size_t size) {
    void *bigger = s->f->failed ? NULL : realloc(list, count * size);
    s->f->failed |= !bigger;
    return bigger ? bigger : list;
}

static void grow(ssa *s, uint32_t least) {
    uint32_t old = s->capacity, count = old ? old * 2 : 64;
    if (count < least)
        count = least;
    s->map = resized(s, s->map, count, sizeof *s->map);
    s->type = resized(s, s->type, count, sizeof *s->type);
    s->unused = resized(s, s->unused, count, sizeof *s->unused);
    s->mark = resized(s, s->mark, count, sizeof *s->mark);
    for (unsigned k = 0; k < 2; k++) {
        s->side[k] = resized(s, s->side[k], count, sizeof *s->side[k]);
        s->values[k] = resized(s, s->values[k], count, sizeof *s->values[k]);
    }
    s->order = resized(s, s->order, count, sizeof *s->order);
    if (s->f->failed)
        return;
    /* Others are written before they are read, except variable 0 when there is no memory for it. */
    memset(s->map + old, 0, (count - old) * sizeof *s->map);
    memset(s->unused + old, 0, count - old);
    memset(s->mark + old, 0, (count - old) * sizeof *s->mark);
    s->capacity = count;
}

void ssa_reserve(ssa *s, uint32_t count) {
    if (count > s->capacity)
        grow(s, count);
}

uint32_t ssa_variable(ssa *s, ir_type type, ir_value value) {
    ssa_variables(s, type, value, 1);
    return s->f->failed ? 0 : s->count - 1;
}

void ssa_variables(ssa *s, ir_type type, ir_value value, uint32_t count) {
    if (count > s->capacity - s->count)
        grow(s, s->count + count);
    if (s->f->failed)
        return;
    for (uint32_t k = 0; k < count; k++)
        s->map[s->count + k] = value;
    memset(s->type + s->count, (int)type, count);
    s->count += count;
}

static void push(ssa *s, ssa_list *list, uint32_t variable, ir_value value) {
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? list->capacity * 2 : 64;
        ssa_entry *bigger = realloc(list->items, capacity * sizeof *bigger);
        if (!bigger) {
            s->f->failed = true;
            return;
        }
        list->items = bigger;
        list->capacity = capacity;
    }
    list->items[list->count++] = (ssa_entry){variable, value};
}

void ssa_log(ssa *s, uint32_t variable) {
    push(s, &s->log, variable, s->map[variable]);
}

/* ---- Operations ---- */

void ssa_end(ssa *s, ir_op op, const ir_value *values, size_t count) {
    ssa_emit(s, op, IR_VOID, values, count, 0);
    s->dead = true;
}

ir_value ssa_as(ssa *s, ir_type type, ir_value v) {
    ir_type have = ir_type_of(s->f, v);
    uint64_t bits;
    if (have == type)
        return v;
    if (ir_is_const(s->f, v, &bits))
        return ir_const(s->f, type, type == IR_F16 ? bits & 0xFFFF : bits);
    if (type != IR_U32 && have != IR_U32) {
        v = ssa_as(s, IR_U32, v);
        have = IR_U32;
    }
    ir_op made_by = ir_op_of(s->f, v);
    bool undone = made_by == IR_BITCAST || (made_by == IR_ZEXT16 && type == IR_F16);
    if (undone && ir_type_of(s->f, ir_arg(s->f, v, 0)) == type)
        return ir_arg(s->f, v, 0);
    ir_op op = have == IR_F16 ? IR_ZEXT16 : type == IR_F16 ? IR_LOW16 : IR_BITCAST;
    return ssa_emit(s, op, type, &v, 1, 0);
}

static void enter(ssa *s, ir_region r) {
    s->region = r;
    s->dead = false;
}

/* ---- if ---- */

void ssa_if_open(ssa *s, ssa_if *i, ir_value condition) {
    *i = (ssa_if){.outside = s->region, .log_start = s->log.count};
    i->op = ssa_emit(s, IR_IF, IR_VOID, &condition, 1, 0);
    s->open_ifs++;
    ir_region first = ir_new_region(s->f, i->op), second = ir_new_region(s->f, i->op);
    s->f->nodes[i->op].regions[0] = first;
    s->f->nodes[i->op].regions[1] = second;
    enter(s, first);
}

/* Undoes the writes of the open side and appends them, each variable once, to `sides`. */
static void close_side(ssa *s, uint32_t log_start) {
    s->serial++;
    while (s->log.count > log_start) {
        ssa_entry entry = s->log.items[--s->log.count];
        if (s->mark[entry.variable] != s->serial) {
            s->mark[entry.variable] = s->serial;
            push(s, &s->sides, entry.variable, s->map[entry.variable]);
        }
        s->map[entry.variable] = entry.value;
    }
}

void ssa_if_else(ssa *s, ssa_if *i) {
    i->sides_start = s->sides.count;
    close_side(s, i->log_start);
    i->first_dead = s->dead;
    i->in_else = true;
    enter(s, s->f->nodes[i->op].regions[1]);
}

/* One variable that a side wrote: its value after the if is a side's value if that is visible
 * outside, or a new result. Returns true for a result; it has number `index`. */
static bool merge(ssa *s, const ssa_if *i, const bool dead[2], uint32_t variable, uint32_t index) {
    const ir_value sides[2] = {s->side[dead[0]][variable], s->side[!dead[1]][variable]};
    ir_value before = s->map[variable];
    if (s->unused[variable])
        return false;
    if (sides[0] == sides[1] && (sides[0] == before || ir_has(s->f, sides[0], IR_LEAF))) {
        ssa_write(s, variable, sides[0]);
        return false;
    }
    ir_type type = ir_type_of(s->f, sides[0]);
    if (type != ir_type_of(s->f, sides[1]))
        type = (ir_type)s->type[variable];
    for (unsigned k = 0; k < 2; k++) {
        s->region = s->f->nodes[i->op].regions[k];
        s->values[k][index] = dead[k] ? 0 : ssa_as(s, type, sides[k]);
    }
    s->region = i->outside;
    ssa_write(s, variable, ssa_emit(s, IR_RESULT, type, &i->op, 1, index));
    return true;
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The map is as before the if; `sides` holds the writes of both sides. */
static void merge_sides(ssa *s, const ssa_if *i, const bool dead[2], uint32_t second_start) {
    uint32_t written = 0, results = 0;
    s->serial++;
    for (uint32_t k = i->sides_start; k < s->sides.count; k++) {
        uint32_t v = s->sides.items[k].variable;
        if (s->mark[v] != s->serial) {
            s->mark[v] = s->serial;
            s->side[0][v] = s->side[1][v] = s->map[v];
            s->order[written++] = v;
        }
        s->side[k >= second_start][v] = s->sides.items[k].value;
    }
    if (written) /* text in the order of registers */
        qsort(s->order, written, sizeof *s->order, by_number);
    for (uint32_t k = 0; k < written; k++)
        results += merge(s, i, dead, s->order[k], results);
    for (unsigned k = 0; k < 2; k++)
        if (!dead[k]) {
            s->region = s->f->nodes[i->op].regions[k];
            ssa_emit(s, IR_YIELD, IR_VOID, s->values[k], results, 0);
        }
}

void ssa_if_close(ssa *s, ssa_if *i) {
    if (s->f->failed)
        return;
    if (!i->in_else)
        ssa_if_else(s, i);
    uint32_t second_start = s->sides.count;
    const bool dead[2] = {i->first_dead, s->dead};
    close_side(s, i->log_start);
    s->open_ifs--;
    if (!(dead[0] && dead[1]) && !s->f->failed)
        merge_sides(s, i, dead, second_start);
    s->sides.count = i->sides_start;
    enter(s, i->outside);
    if (dead[0] && dead[1])
        ssa_end(s, IR_HALT, NULL, 0);
}

/* ---- loop ---- */

static const ir_value *carried_values(ssa *s, const ssa_loop *l) {
    for (uint32_t k = 0; k < l->count && !s->f->failed; k++) {
        uint32_t v = l->carried[k];
        s->values[0][k] = ssa_as(s, (ir_type)s->type[v], s->map[v]);
    }
    return s->values[0];
}

void ssa_loop_open(ssa *s, ssa_loop *l, const uint32_t *carried, uint32_t count, bool once) {
    *l = (ssa_loop){.outside = s->region, .carried = carried, .count = count, .once = once};
    const ir_value *inits = once ? NULL : carried_values(s, l);
    l->op = ssa_emit(s, IR_LOOP, IR_VOID, inits, once ? 0 : count, 0);
    ir_region body = ir_new_region(s->f, l->op);
    s->f->nodes[l->op].regions[0] = body;
    enter(s, body);
    for (uint32_t k = 0; k < count && !once && !s->f->failed; k++) {
        ir_type type = (ir_type)s->type[carried[k]];
        ssa_write(s, carried[k], ssa_emit(s, IR_PARAM, type, NULL, 0, k));
    }
}

void ssa_loop_break(ssa *s, ssa_loop *l) {
    l->left = true;
    ssa_end(s, IR_BREAK, carried_values(s, l), l->count);
}

void ssa_loop_continue(ssa *s, ssa_loop *l) {
    ssa_end(s, IR_CONTINUE, carried_values(s, l), l->count);
}

void ssa_loop_close(ssa *s, ssa_loop *l) {
    if (!s->dead)
        ssa_loop_continue(s, l);
    enter(s, l->outside);
    for (uint32_t k = 0; k < l->count && l->left && !s->f->failed; k++) {
        ir_type type = (ir_type)s->type[l->carried[k]];
        ssa_write(s, l->carried[k], ssa_emit(s, IR_RESULT, type, &l->op, 1, k));
    }
    if (!l->left)
        ssa_end(s, IR_HALT, NULL, 0);
}
