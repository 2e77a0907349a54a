/* Promotes objects in private memory to SSA values (mem2reg) if all their addresses are constants.
 *
 *   store(private, 4, +8) 0x0, %1            if %c {
 *   if %c {                                    yield %2
 *     store(private, 4, +8) 0x0, %2          } else {
 *     yield                           →        yield %1
 *   } else {                                 }
 *     yield                                  %3 = result(0)
 *   }                                        … %3 …
 *   %3 = load(private, 4, +8) 0x0
 *
 * Every accessed word becomes a variable; ifs and loops that store to it get an additional result
 * and parameter. An object stays in memory if an address in it is unknown, misaligned or out of
 * range, or if there are too many words. Stores to an object that is never loaded are removed in
 * any case. Where an access has no object, all of private memory is one. A load before any store
 * yields 0: the ISA leaves the value undefined. A few walks collect, one rewrites; the cost of an
 * if or loop is the number of words that change in it. */
#include "ir/opt.h"
#include "ir/rewrite.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 128, MASK_WORDS = MOST_WORDS / 64 };

/* Words that are stored to inside an if or loop. */
typedef struct word_set {
    uint64_t bits[MASK_WORDS];
} word_set;

/* An open if or loop. */
typedef struct frame {
    ir_value op;
    uint32_t saved; /* index in promoter.saved of the values at its start */
    bool goes_on;   /* a yield or break reaches the code after it */
} frame;

/* What is known of an object: whether all its addresses are constants, and where its words are. */
typedef struct object {
    bool loads, stores, unknown;
    uint32_t first, end; /* words of the memory that are accessed */
    uint16_t *variable;  /* by word, from first: 1 + its number, or 0. NULL: it stays in memory */
} object;

typedef struct promoter {
    ir_func *f;
    ir_map map;
    object objects[IR_LAST_OBJECT + 1]; /* [IR_ANY_OBJECT]: all accesses together */
    bool together;                      /* only that one counts */
    uint8_t type[MOST_WORDS];
    ir_value now[MOST_WORDS];
    uint32_t count;   /* variables */
    word_set *stored; /* by the first region of an if or loop */
    frame *frames;
    uint32_t frame_count, frame_capacity;
    ir_value *saved;
    uint32_t saved_count, saved_capacity;
    ir_value *scratch; /* operands being assembled */
} promoter;

static ir_access access_of(const promoter *p, ir_value v) {
    return ir_access_unpack(ir_at(p->f, v)->imm);
}

static bool is_private(const promoter *p, ir_value v) {
    ir_op op = ir_op_of(p->f, v);
    return (op == IR_LOAD || op == IR_LOADS || op == IR_STORE) &&
           access_of(p, v).space == IR_PRIVATE;
}

/* ---- Collecting ---- */

/* The address of the first byte; false when unknown, misaligned or out of range. */
static bool place_of(const promoter *p, ir_value v, uint32_t *at) {
    ir_access a = access_of(p, v);
    uint64_t address;
    if (!ir_is_const(p->f, ir_arg(p->f, v, 0), &address))
        return false;
    int64_t first = (int64_t)address + a.offset;
    unsigned align = a.bytes < 4 ? a.bytes : 4;
    *at = (uint32_t)first;
    return first >= 0 && first % align == 0 && first + a.bytes <= p->f->private_memory;
}

static unsigned words_of(ir_access a) {
    return a.bytes < 4 ? 1 : a.bytes / 4u;
}

/* The type that all whole-word accesses share, or u32. */
static void note_type(promoter *p, uint32_t k, ir_access a, ir_type type, bool is_new) {
    if (a.bytes < 4 || type != IR_F32)
        p->type[k] = IR_U32;
    else if (is_new)
        p->type[k] = IR_F32;
}

static ir_type type_at(const promoter *p, ir_value v, unsigned word) {
    if (ir_op_of(p->f, v) == IR_LOAD)
        return ir_type_of(p->f, v);
    return ir_op_of(p->f, v) == IR_STORE ? ir_type_of(p->f, ir_arg(p->f, v, 1 + word)) : IR_U32;
}

static void note_extent(const promoter *p, object *o, ir_value v) {
    uint32_t at;
    o->loads |= ir_op_of(p->f, v) != IR_STORE;
    o->stores |= ir_op_of(p->f, v) == IR_STORE;
    if (!place_of(p, v, &at)) {
        o->unknown = true;
        return;
    }
    uint32_t end = at / 4 + words_of(access_of(p, v));
    o->first = o->end && o->first < at / 4 ? o->first : at / 4;
    o->end = o->end > end ? o->end : end;
}

static void find_objects(promoter *p) {
    ir_walk w;
    ir_walk_init(&w, p->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e != IR_AT_OP || !is_private(p, w.op))
            continue;
        unsigned number = access_of(p, w.op).object;
        p->together |= number == IR_ANY_OBJECT;
        note_extent(p, &p->objects[IR_ANY_OBJECT], w.op);
        if (number != IR_ANY_OBJECT)
            note_extent(p, &p->objects[number], w.op);
    }
}

static object *object_of(promoter *p, ir_value v) {
    return &p->objects[p->together ? IR_ANY_OBJECT : access_of(p, v).object];
}

/* Room for the variables of the objects that can be promoted; the rest stays in memory. */
static bool choose_objects(promoter *p) {
    bool any = false;
    for (unsigned k = 0; k <= IR_LAST_OBJECT; k++) {
        object *o = &p->objects[k];
        if (!o->loads || o->unknown || (k == IR_ANY_OBJECT) != p->together)
            continue;
        o->variable = calloc(o->end - o->first, sizeof *o->variable);
        p->f->failed |= !o->variable;
        any = true;
    }
    return any && !p->f->failed;
}

/* The number of the variable for a word of a promoted object. */
static uint32_t variable_of(promoter *p, ir_value v, uint32_t word) {
    const object *o = object_of(p, v);
    return o->variable[word - o->first] - 1u;
}

static bool is_promoted(promoter *p, ir_value v) {
    return is_private(p, v) && object_of(p, v)->variable;
}

static void keep(object *o) {
    free(o->variable);
    o->variable = NULL;
}

/* Gives the words of an access their variables; an object that is one too many stays in memory, and
 * its variables are never used. */
static void note_access(promoter *p, ir_value v) {
    ir_access a = access_of(p, v);
    object *o = object_of(p, v);
    uint32_t at = 0;
    place_of(p, v, &at);
    for (unsigned word = 0; word < words_of(a); word++) {
        uint16_t *number = &o->variable[at / 4 + word - o->first];
        bool is_new = *number == 0;
        if (is_new && p->count == MOST_WORDS) {
            keep(o);
            return;
        }
        if (is_new)
            *number = (uint16_t)++p->count;
        note_type(p, *number - 1u, a, type_at(p, v, word), is_new);
    }
}

static void find_words(promoter *p) {
    ir_walk w;
    ir_walk_init(&w, p->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP && is_promoted(p, w.op))
            note_access(p, w.op);
}

/* ---- Where words change ---- */

static bool has(const word_set *set, uint32_t k) {
    return set->bits[k / 64] >> (k % 64) & 1;
}

static word_set *set_of(const promoter *p, ir_value op) {
    return &p->stored[ir_at(p->f, op)->regions[0]];
}

static void mark_store(promoter *p, ir_value v) {
    uint32_t at = 0;
    place_of(p, v, &at);
    for (unsigned word = 0; word < words_of(access_of(p, v)); word++) {
        uint32_t k = variable_of(p, v, at / 4 + word);
        ir_value owner = p->f->regions[ir_at(p->f, v)->region].owner;
        while (owner && !has(set_of(p, owner), k)) {
            set_of(p, owner)->bits[k / 64] |= (uint64_t)1 << k % 64;
            owner = p->f->regions[ir_at(p->f, owner)->region].owner;
        }
    }
}

static void mark_stores(promoter *p) {
    ir_walk w;
    ir_walk_init(&w, p->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP && ir_op_of(p->f, w.op) == IR_STORE && is_promoted(p, w.op))
            mark_store(p, w.op);
}

/* ---- Loads and stores ---- */

static ir_value as(promoter *p, ir_value at, ir_type type, ir_value v) {
    return ir_type_of(p->f, v) == type ? v : ir_make_before(p->f, at, IR_BITCAST, type, &v, 1, 0);
}

static ir_value u32(promoter *p, uint32_t bits) {
    return ir_const(p->f, IR_U32, bits);
}

static ir_value part_of_word(promoter *p, ir_value at, ir_value word, uint32_t shift,
                             unsigned bytes) {
    ir_func *f = p->f;
    if (shift)
        word = ir_make_before(f, at, IR_SHR, IR_U32, (ir_value[]){word, u32(p, shift)}, 2, 0);
    uint32_t mask = (1u << 8 * bytes) - 1;
    return ir_make_before(f, at, IR_AND, IR_U32, (ir_value[]){word, u32(p, mask)}, 2, 0);
}

static void load(promoter *p, ir_value v) {
    ir_access a = access_of(p, v);
    uint32_t at = 0;
    place_of(p, v, &at);
    ir_value value = p->now[variable_of(p, v, at / 4)];
    if (a.bytes < 4)
        value = part_of_word(p, v, value, 8 * (at % 4), a.bytes);
    p->map.to[v] = as(p, v, ir_type_of(p->f, v), value);
    ir_remove(p->f, v);
}

/* One word of a wide load; dead-code elimination removes the load itself. */
static void load_part(promoter *p, ir_value result) {
    uint32_t at = 0;
    ir_value access = ir_arg(p->f, result, 0);
    place_of(p, access, &at);
    ir_value value = p->now[variable_of(p, access, at / 4 + (uint32_t)ir_at(p->f, result)->imm)];
    ir_value last = result; /* results stay together: new operations follow them */
    for (ir_value next; (next = ir_next_result(p->f, last));)
        last = next;
    if (ir_type_of(p->f, value) != ir_type_of(p->f, result)) {
        ir_value cast = ir_make(p->f, IR_BITCAST, ir_type_of(p->f, result), &value, 1, 0);
        ir_insert_after(p->f, last, cast);
        value = cast;
    }
    p->map.to[result] = value;
}

static void store(promoter *p, ir_value v) {
    ir_access a = access_of(p, v);
    uint32_t at = 0;
    place_of(p, v, &at);
    for (unsigned word = 0; word < words_of(a); word++) {
        uint32_t k = variable_of(p, v, at / 4 + word);
        ir_value value = ir_arg(p->f, v, 1 + word);
        if (a.bytes < 4) {
            ir_value args[4] = {p->now[k], as(p, v, IR_U32, value), u32(p, 8 * (at % 4)),
                                u32(p, 8u * a.bytes)};
            value = ir_make_before(p->f, v, IR_BFI, IR_U32, args, 4, 0);
        }
        p->now[k] = as(p, v, (ir_type)p->type[k], value);
    }
    ir_remove(p->f, v);
}

/* ---- Ifs and loops ---- */

/* Iterates over the words of a set, in order. */
#define FOR_WORDS(p, set, k)                                                                       \
    for (uint32_t k = 0; k < (p)->count; k++)                                                      \
        if (has(set, k))

static bool grow(promoter *p, void **list, uint32_t *capacity, uint32_t wanted, size_t size) {
    if (wanted <= *capacity)
        return true;
    uint32_t more = wanted * 2 + 64;
    void *bigger = realloc(*list, more * size);
    p->f->failed |= !bigger;
    if (!bigger)
        return false;
    *list = bigger;
    *capacity = more;
    return true;
}

static void push(promoter *p, ir_value op) {
    void *frames = p->frames, *saved = p->saved;
    bool ok = grow(p, &frames, &p->frame_capacity, p->frame_count + 1, sizeof *p->frames);
    p->frames = frames;
    ok = grow(p, &saved, &p->saved_capacity, p->saved_count + MOST_WORDS, sizeof *p->saved) && ok;
    p->saved = saved;
    if (!ok)
        return;
    p->frames[p->frame_count++] = (frame){.op = op, .saved = p->saved_count};
    FOR_WORDS(p, set_of(p, op), k) p->saved[p->saved_count++] = p->now[k];
}

/* Appends the current values of the words as operands of an operation. */
static void append_values(promoter *p, ir_value v, const word_set *set) {
    unsigned count = ir_at(p->f, v)->arg_count, room = UINT16_MAX;
    memcpy(p->scratch, ir_args(p->f, v), count * sizeof *p->scratch);
    FOR_WORDS(p, set, k) {
        if (count < room)
            p->scratch[count++] = p->now[k];
    }
    ir_set_args(p->f, v, p->scratch, count);
}

static void open_loop(promoter *p, ir_value loop) {
    ir_func *f = p->f;
    uint64_t number = ir_at(f, loop)->arg_count;
    append_values(p, loop, set_of(p, loop));
    ir_value at = f->regions[ir_at(f, loop)->regions[0]].first;
    while (ir_op_of(f, at) == IR_PARAM)
        at = ir_at(f, at)->next;
    FOR_WORDS(p, set_of(p, loop), k) {
        p->now[k] = ir_make_before(f, at, IR_PARAM, (ir_type)p->type[k], NULL, 0, number++);
    }
}

static void restore(promoter *p, const frame *fr) {
    uint32_t from = fr->saved;
    FOR_WORDS(p, set_of(p, fr->op), k) p->now[k] = p->saved[from++];
}

/* Adds results after the last existing one. */
static void close(promoter *p) {
    ir_func *f = p->f;
    const frame fr = p->frames[--p->frame_count];
    ir_value last = fr.op;
    uint64_t number = 0;
    for (ir_value r = ir_first_result(f, fr.op); r; r = ir_next_result(f, r), number++)
        last = r;
    FOR_WORDS(p, set_of(p, fr.op), k) {
        ir_type type = (ir_type)p->type[k];
        if (!fr.goes_on) { /* unreachable */
            p->now[k] = ir_const(f, type, 0);
            continue;
        }
        ir_value r = ir_make(f, IR_RESULT, type, &fr.op, 1, number++);
        ir_insert_after(f, last, r);
        ir_at(f, r)->pc = ir_at(f, fr.op)->pc;
        p->now[k] = last = r;
    }
    p->saved_count = fr.saved;
}

/* A yield belongs to the innermost frame, a break and a continue to the innermost loop. */
static void transfer(promoter *p, ir_value v) {
    uint32_t k = p->frame_count - 1;
    ir_op op = ir_op_of(p->f, v);
    while (op != IR_YIELD && ir_op_of(p->f, p->frames[k].op) != IR_LOOP)
        k--;
    p->frames[k].goes_on |= op != IR_CONTINUE;
    append_values(p, v, set_of(p, p->frames[k].op));
}

/* ---- Rewriting ---- */

static void visit(promoter *p, ir_value v) {
    ir_func *f = p->f;
    ir_map_args(&p->map, f, v);
    switch (ir_op_of(f, v)) {
    case IR_IF:
    case IR_LOOP: push(p, v); break;
    case IR_YIELD:
    case IR_BREAK:
    case IR_CONTINUE: transfer(p, v); break;
    case IR_LOAD:
        if (is_promoted(p, v))
            load(p, v);
        break;
    case IR_STORE:
        if (is_promoted(p, v))
            store(p, v);
        break;
    case IR_RESULT:
        if (v < p->map.count && ir_op_of(f, ir_arg(f, v, 0)) == IR_LOADS &&
            is_promoted(p, ir_arg(f, v, 0)))
            load_part(p, v);
        break;
    default: break;
    }
}

static void turn(promoter *p, ir_event e, ir_region region) {
    ir_value owner = p->f->regions[region].owner;
    if (!owner)
        return;
    const ir_node *n = ir_at(p->f, owner);
    bool second = n->op == IR_IF && n->regions[1] == region;
    if (e == IR_ENTER_REGION && n->op == IR_LOOP)
        open_loop(p, owner);
    else if (e == IR_ENTER_REGION && second)
        restore(p, &p->frames[p->frame_count - 1]);
    else if (e == IR_LEAVE_REGION && (second || n->op == IR_LOOP))
        close(p);
}

static void rewrite(promoter *p) {
    for (uint32_t k = 0; k < p->count; k++)
        p->now[k] = ir_const(p->f, (ir_type)p->type[k], 0);
    ir_walk w;
    ir_walk_init(&w, p->f);
    for (ir_event e; !p->f->failed && (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e == IR_AT_OP)
            visit(p, w.op);
        else
            turn(p, e, w.region);
    }
    if (!p->f->failed)
        ir_map_apply(&p->map, p->f);
}

/* Removes stores to objects that are never loaded. */
static bool drop_stores(promoter *p) {
    bool dropped = false;
    ir_walk w;
    ir_walk_init(&w, p->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP && ir_op_of(p->f, w.op) == IR_STORE && is_private(p, w.op) &&
            !object_of(p, w.op)->loads) {
            ir_remove(p->f, w.op);
            dropped = true;
        }
    return dropped;
}

static bool run(promoter *p) {
    find_objects(p);
    bool changed = p->objects[IR_ANY_OBJECT].stores && drop_stores(p);
    if (!choose_objects(p))
        return changed;
    find_words(p);
    p->stored = calloc(p->f->region_count, sizeof *p->stored);
    p->scratch = malloc((UINT16_MAX + 1u) * sizeof *p->scratch);
    if (!p->stored || !p->scratch || !ir_map_init(&p->map, p->f)) {
        p->f->failed = true;
        return changed;
    }
    mark_stores(p);
    rewrite(p);
    return true;
}

bool ir_opt_private(ir_func *f) {
    if (!f->private_memory)
        return false;
    promoter *p = calloc(1, sizeof *p);
    if (!p) {
        f->failed = true;
        return false;
    }
    p->f = f;
    bool changed = run(p);
    for (unsigned k = 0; k <= IR_LAST_OBJECT; k++)
        free(p->objects[k].variable);
    ir_map_free(&p->map);
    free(p->stored);
    free(p->frames);
    free(p->saved);
    free(p->scratch);
    free(p);
    return changed;
}
