/* Storage of the IR: growing arrays indexed by 32-bit ids, region lists, the table of leaves, and
 * the walk that all passes use. */
#include "ir/names.h"

#include <stdlib.h>
#include <string.h>

enum {
    PURE = IR_PURE,
    READS = IR_READS,
    WRITES = IR_WRITES,
    WAVE = IR_WAVE,
    LEAF = IR_LEAF,
    REGIONS = IR_REGIONS,
    ENDS = IR_ENDS,
    UNIQUE = IR_UNIQUE,
    COSTLY = IR_COSTLY,
    SLOW = IR_SLOW
};

const ir_op_desc ir_ops[IR_OP_COUNT] = {
    [IR_NONE] = {"none", "v:", 0},
#define IROP(id, opname, sig, flg) [IR_##id] = {.name = opname, .signature = sig, .flags = flg},
#include "ir/ir_ops.def"
#undef IROP
};

bool ir_op_involves(ir_op op, const char *letters) {
    return strpbrk(ir_ops[op].signature, letters) != NULL;
}

const uint16_t ir_op_flags[IR_OP_COUNT] = {
#define IROP(id, opname, sig, flg) [IR_##id] = (flg),
#include "ir/ir_ops.def"
#undef IROP
};

_Static_assert(sizeof(ir_node) == 40, "operations stay small");
_Static_assert(IR_OP_COUNT <= 256, "an ir_op must fit a byte");

const char *const ir_type_name[IR_TYPE_COUNT] = {
    "void",   "bool",  "u32",   "f32",    "u64",   "f64",  "f16",  "f16x2",
    "token",  "tile",  "a_f16", "a_bf16", "a_f32", "a_i8", "a_u8", "b_f16",
    "b_bf16", "b_f32", "b_i8",  "b_u8",   "c_f32", "c_i32"};

const uint8_t ir_element_bytes[IR_ELEMENT_COUNT] = {2, 2, 4, 1, 1, 4};

ir_element ir_tile_element(ir_type type) {
    if (ir_tile_bank(type) == IR_BANK_C)
        return type == IR_C_F32 ? IR_ELEMENT_F32 : IR_ELEMENT_I32;
    return (ir_element)((type - IR_A_F16) % (IR_B_F16 - IR_A_F16));
}

ir_type ir_tile_type(unsigned bank, ir_element element) {
    if (bank == IR_BANK_C)
        return element == IR_ELEMENT_F32 ? IR_C_F32 : IR_C_I32;
    return (ir_type)((bank == IR_BANK_A ? IR_A_F16 : IR_B_F16) + element);
}

const char *const ir_layout_name[IR_LAYOUT_COUNT] = {"row", "col"};

const char *const ir_mma_layout_name[IR_MMA_LAYOUTS] = {"row_row", "col_row", "row_col", "col_col"};

const char *const ir_atomic_name[IR_ATOMIC_COUNT] = {"add",  "sub",  "min",      "max",  "and",
                                                     "or",   "xor",  "exchange", "cas",  "fadd",
                                                     "imin", "imax", "load",     "store"};

const char *const ir_space_name[IR_SPACE_COUNT] = {"local", "device", "private", "constant"};

const char *const ir_fence_name[IR_FENCE_KINDS] = {"acquire", "release", "acq_rel", "sc"};

unsigned ir_type_bits(ir_type type) {
    static const uint8_t bits[IR_TYPE_COUNT] = {0, 1, 32, 32, 64, 64, 16, 32};
    return bits[type];
}

/* ---- Growing ---- */

/* Room for `extra` more elements; false when memory or 32-bit ids run out. */
static bool reserve(ir_func *f, void **list, uint32_t count, uint32_t *capacity, size_t size,
                    uint32_t extra) {
    if (f->failed)
        return false;
    if (*capacity - count >= extra)
        return true;
    uint64_t want = *capacity ? (uint64_t)*capacity * 3 / 2 : 64;
    if (want < (uint64_t)count + extra)
        want = (uint64_t)count + extra;
    void *bigger = want < UINT32_MAX / 2 ? realloc(*list, (size_t)want * size) : NULL;
    if (!bigger) {
        f->failed = true;
        return false;
    }
    *list = bigger;
    *capacity = (uint32_t)want;
    return true;
}

/* After a failed allocation everything goes to index 0, which exists from the start: callers check
 * f->failed here and at the end. */
void ir_init(ir_func *f) {
    memset(f, 0, sizeof *f);
    f->node_limit = IR_MOST_OPERATIONS;
    f->name = "";
    void *nodes = NULL, *regions = NULL, *pool = NULL;
    reserve(f, &nodes, 0, &f->node_capacity, sizeof *f->nodes, 64);
    reserve(f, &regions, 0, &f->region_capacity, sizeof *f->regions, 16);
    reserve(f, &pool, 0, &f->pool_capacity, sizeof *f->pool, 64);
    f->nodes = nodes;
    f->regions = regions;
    f->pool = pool;
    if (!nodes || !regions || !pool) {
        f->failed = true;
        return;
    }
    memset(&f->nodes[0], 0, sizeof f->nodes[0]);
    memset(&f->regions[0], 0, sizeof f->regions[0]);
    f->node_count = f->region_count = 1;
    ir_new_region(f, 0);
}

void ir_reserve(ir_func *f, uint32_t extra) {
    void *list = f->nodes;
    uint32_t capacity = f->node_capacity;
    reserve(f, &list, f->node_count, &f->node_capacity, sizeof *f->nodes, extra);
    f->nodes = list;
    if (f->names && f->node_capacity != capacity)
        ir_grow_names(f, capacity);
}

void ir_free(ir_func *f) {
    free(f->nodes);
    free(f->names);
    free(f->regions);
    free(f->pool);
    free(f->leaves);
    memset(f, 0, sizeof *f);
}

void ir_report_failure(const ir_func *f, wave_diags *diags) {
    if (f->too_large)
        diag_report(diags, DIAG_E_SIZE_LIMIT, &DIAG_NOWHERE,
                    "%s grows to more than %d operations, counting the kernels before it",
                    *f->name ? f->name : "the kernel", IR_MOST_OPERATIONS);
    else
        diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to compile %s",
                    f->name);
}

ir_region ir_new_region(ir_func *f, ir_value owner) {
    void *list = f->regions;
    bool ok = reserve(f, &list, f->region_count, &f->region_capacity, sizeof *f->regions, 1);
    f->regions = list;
    if (!ok)
        return 0;
    f->regions[f->region_count] = (ir_region_node){.owner = owner};
    return f->region_count++;
}

static uint32_t pool_add(ir_func *f, const ir_value *args, size_t count) {
    /* args may point into the pool itself: remember the index, since growing moves the pool */
    bool inside = f->pool && args >= f->pool && args < f->pool + f->pool_count;
    size_t at = inside ? (size_t)(args - f->pool) : 0;
    void *list = f->pool;
    bool ok = reserve(f, &list, f->pool_count, &f->pool_capacity, sizeof *f->pool,
                      count < UINT32_MAX ? (uint32_t)count : UINT32_MAX);
    f->pool = list;
    if (!ok)
        return 0;
    memmove(f->pool + f->pool_count, inside ? f->pool + at : args, count * sizeof *args);
    uint32_t index = f->pool_count;
    f->pool_count += (uint32_t)count;
    return index;
}

void ir_set_args(ir_func *f, ir_value v, const ir_value *args, size_t count) {
    if (f->failed)
        return;
    if (count > UINT16_MAX) {
        f->failed = true;
        return;
    }
    ir_node *n = &f->nodes[v];
    if (count <= IR_INLINE_ARGS) {
        /* all are read before any is written: they may be the operation's own operands */
        ir_value a = count > 0 ? args[0] : 0, b = count > 1 ? args[1] : 0;
        n->args[2] = count > 2 ? args[2] : 0;
        n->args[1] = b;
        n->args[0] = a;
    } else if (n->arg_count >= count && n->arg_count > IR_INLINE_ARGS) {
        memmove(f->pool + n->args[0], args, count * sizeof *args); /* reuses the old place */
    } else {
        uint32_t index = pool_add(f, args, count);
        n->args[0] = index;
        if (f->failed)
            return;
    }
    n->arg_count = (uint16_t)count;
}

ir_value ir_make(ir_func *f, ir_op op, ir_type type, const ir_value *args, size_t count,
                 uint64_t imm) {
    if (f->node_count >= f->node_limit && !f->failed)
        f->too_large = f->failed = true;
    if (f->node_count == f->node_capacity)
        ir_reserve(f, 1);
    if (f->failed)
        return 0;
    ir_value v = f->node_count++;
    f->nodes[v] = (ir_node){.op = (uint8_t)op, .type = (uint8_t)type, .imm = imm};
    f->made[op / 64] |= (uint64_t)1 << (op % 64);
    ir_set_args(f, v, args, count);
    return v;
}

/* ---- Region lists ---- */

static void link_between(ir_func *f, ir_region region, ir_value prev, ir_value v, ir_value next) {
    if (f->failed)
        return;
    ir_node *n = &f->nodes[v];
    n->region = region;
    n->prev = prev;
    n->next = next;
    *(prev ? &f->nodes[prev].next : &f->regions[region].first) = v;
    *(next ? &f->nodes[next].prev : &f->regions[region].last) = v;
}

void ir_append(ir_func *f, ir_region region, ir_value v) {
    link_between(f, region, f->regions[region].last, v, 0);
}

void ir_insert_before(ir_func *f, ir_value at, ir_value v) {
    link_between(f, f->nodes[at].region, f->nodes[at].prev, v, at);
}

void ir_insert_after(ir_func *f, ir_value at, ir_value v) {
    link_between(f, f->nodes[at].region, at, v, f->nodes[at].next);
}

void ir_remove(ir_func *f, ir_value v) {
    ir_node *n = &f->nodes[v];
    if (!n->region)
        return;
    *(n->prev ? &f->nodes[n->prev].next : &f->regions[n->region].first) = n->next;
    *(n->next ? &f->nodes[n->next].prev : &f->regions[n->region].last) = n->prev;
    n->region = 0;
    n->prev = n->next = 0;
}

ir_value ir_loop_around(const ir_func *f, ir_region r) {
    while (r) {
        ir_value owner = f->regions[r].owner;
        if (!owner || f->nodes[owner].op == IR_LOOP)
            return owner;
        r = f->nodes[owner].region;
    }
    return 0;
}

/* ---- Leaves ---- */

static uint32_t leaf_hash(ir_op op, ir_type type, uint64_t imm) {
    uint64_t h = (imm + ((uint64_t)op << 8 | type)) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(h >> 32);
}

static bool grow_leaves(ir_func *f) {
    uint32_t capacity = f->leaf_capacity ? f->leaf_capacity * 2 : 64;
    ir_value *table = f->failed ? NULL : calloc(capacity, sizeof *table);
    if (!table) {
        f->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < f->leaf_capacity; i++) {
        ir_value v = f->leaves[i];
        if (!v)
            continue;
        const ir_node *n = &f->nodes[v];
        uint32_t at = leaf_hash((ir_op)n->op, (ir_type)n->type, n->imm) & (capacity - 1);
        while (table[at])
            at = (at + 1) & (capacity - 1);
        table[at] = v;
    }
    free(f->leaves);
    f->leaves = table;
    f->leaf_capacity = capacity;
    return true;
}

ir_value ir_leaf(ir_func *f, ir_op op, ir_type type, uint64_t imm) {
    if (f->leaf_count * 2 >= f->leaf_capacity && !grow_leaves(f))
        return 0;
    uint32_t at = leaf_hash(op, type, imm) & (f->leaf_capacity - 1);
    for (; f->leaves[at]; at = (at + 1) & (f->leaf_capacity - 1)) {
        const ir_node *n = &f->nodes[f->leaves[at]];
        if (n->op == op && n->type == type && n->imm == imm)
            return f->leaves[at];
    }
    ir_value v = ir_make(f, op, type, NULL, 0, imm);
    if (v) {
        f->leaves[at] = v;
        f->leaf_count++;
    }
    return v;
}

ir_value ir_const(ir_func *f, ir_type type, uint64_t bits) {
    return ir_leaf(f, IR_CONST, type, bits);
}

/* ---- Walking ---- */

ir_value ir_next_beyond(const ir_func *f, ir_value v) {
    const ir_node *n = &f->nodes[v];
    ir_region r = ir_has_regions(n) ? n->regions[0] : n->region;
    ir_value next = ir_has_regions(n) ? f->regions[r].first : n->next;
    while (!next) {
        ir_value owner = f->regions[r].owner;
        if (!owner)
            return 0;
        n = &f->nodes[owner];
        bool first = n->op == IR_IF && n->regions[0] == r;
        r = first ? n->regions[1] : n->region;
        next = first ? f->regions[r].first : n->next;
    }
    return next;
}

void ir_walk_init(ir_walk *w, const ir_func *f) {
    *w = (ir_walk){.f = f, .state = IR_WALK_START};
}

static ir_event enter(ir_walk *w, ir_region r) {
    w->region = r;
    w->op = 0;
    w->state = IR_WALK_IN;
    w->next = w->f->regions[r].first;
    return IR_ENTER_REGION;
}

/* The next operation of the region, or its end. */
static ir_event advance(ir_walk *w) {
    w->op = w->next;
    w->state = w->op ? IR_WALK_IN : IR_WALK_LEFT;
    if (!w->op)
        return IR_LEAVE_REGION;
    w->next = w->f->nodes[w->op].next;
    return IR_AT_OP;
}

/* After the end of a region: its sibling, or the operation after the owner. */
static ir_event leave(ir_walk *w) {
    ir_value owner = w->f->regions[w->region].owner;
    if (!owner) {
        w->region = 0;
        w->state = IR_WALK_DONE;
        return IR_AT_END;
    }
    const ir_node *n = &w->f->nodes[owner];
    if (n->op == IR_IF && n->regions[0] == w->region)
        return enter(w, n->regions[1]);
    w->region = n->region;
    w->next = n->next;
    return advance(w);
}

ir_event ir_walk_turn(ir_walk *w) {
    const ir_node *n = &w->f->nodes[w->op];
    switch (w->state) {
    case IR_WALK_START: return enter(w, 1);
    case IR_WALK_LEFT: return leave(w);
    case IR_WALK_DONE: return IR_AT_END;
    case IR_WALK_IN: break;
    }
    if (w->op && n->region == w->region) { /* it was not removed */
        if (ir_has_regions(n))
            return enter(w, n->regions[0]);
        w->next = n->next;
    }
    return advance(w);
}

/* ---- Kinds of operations made ---- */

bool ir_made_any(const ir_func *f, unsigned flags) {
    for (unsigned op = 0; op < IR_OP_COUNT; op++)
        if (ir_op_flags[op] & flags && ir_made(f, (ir_op)op))
            return true;
    return false;
}
