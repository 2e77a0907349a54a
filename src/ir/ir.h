/* The structured SSA form of a kernel: a tree of regions, each a list of operations.
 *
 *   if c { … yield a } else { … yield b } → results
 *   loop (x = init) { … continue y | break z } → results
 *
 * An operation and its value share one id; 0 means none. `if` and `loop` have any number of
 * results: RESULT operations that directly follow them, in order. PARAM operations come first in a
 * loop's body. Every region ends with exactly one terminator; break and continue belong to the
 * innermost loop and may be nested in ifs at any depth. A value is visible after its definition in
 * the same region and in nested regions: dominance is nesting. Leaves (constants, arguments,
 * special registers) belong to no region and are visible everywhere.
 *
 * Functions, if any, come first in the kernel's own region: INPUT operations, then pure code, then
 * a return. Only the last pass makes functions; earlier passes need not handle them.
 *
 * Convergent operations take a token: those with the same token are executed by the same lanes.
 * build.c builds the IR, verify.c checks it, print.c and parse.c convert it to and from text. There
 * is one file per pass. */
#ifndef IR_IR_H
#define IR_IR_H

#include "base/diag.h"
#include "isa/isa.h"

typedef uint32_t ir_value;
typedef uint32_t ir_region;

typedef enum ir_type {
    IR_VOID,
    IR_BOOL,
    IR_U32,
    IR_F32,
    IR_U64,
    IR_F64,
    IR_F16,
    IR_F16X2,
    IR_TOKEN,
    IR_TILE,
    IR_A_F16, /* tiles of a wave: three banks, each with its types in the order of ir_element */
    IR_A_BF16,
    IR_A_F32,
    IR_A_I8,
    IR_A_U8,
    IR_B_F16,
    IR_B_BF16,
    IR_B_F32,
    IR_B_I8,
    IR_B_U8,
    IR_C_F32,
    IR_C_I32,
    IR_TYPE_COUNT
} ir_type;

/* Element types of the tiles of a wave: TYPE of ISA 9.2. */
typedef enum ir_element {
    IR_ELEMENT_F16,
    IR_ELEMENT_BF16,
    IR_ELEMENT_F32,
    IR_ELEMENT_I8,
    IR_ELEMENT_U8,
    IR_ELEMENT_I32,
    IR_ELEMENT_COUNT
} ir_element;

enum { IR_BANK_A, IR_BANK_B, IR_BANK_C };
enum { IR_TILE_SIDE = 16, IR_TILE_TYPES = IR_TYPE_COUNT - IR_A_F16 };

static inline bool ir_is_wave_tile(ir_type type) {
    return type >= IR_A_F16 && type < IR_TYPE_COUNT;
}
static inline unsigned ir_tile_bank(ir_type type) {
    return type < IR_B_F16 ? IR_BANK_A : type < IR_C_F32 ? IR_BANK_B : IR_BANK_C;
}
ir_element ir_tile_element(ir_type type);
ir_type ir_tile_type(unsigned bank, ir_element element);
extern const uint8_t ir_element_bytes[IR_ELEMENT_COUNT];

typedef enum ir_op {
    IR_NONE,
#define IROP(id, name, signature, flags) IR_##id,
#include "ir/ir_ops.def"
#undef IROP
    IR_OP_COUNT
} ir_op;

enum {
    IR_PURE = 1 << 0,
    IR_READS = 1 << 1,
    IR_WRITES = 1 << 2,
    IR_WAVE = 1 << 3,
    IR_LEAF = 1 << 4,
    IR_REGIONS = 1 << 5,
    IR_ENDS = 1 << 6,
    IR_UNIQUE = 1 << 7,
    IR_COSTLY = 1 << 8,
    IR_SLOW = 1 << 9
};

typedef struct ir_op_desc {
    char name[20], signature[8]; /* not pointers, which would be relocated at every start */
    unsigned flags;
} ir_op_desc;

extern const ir_op_desc ir_ops[IR_OP_COUNT];
extern const uint16_t ir_op_flags[IR_OP_COUNT]; /* the same flags in a compact array */
/* Whether the signature contains one of these letters: ir_op_involves(op, "d") tests for f64. */
bool ir_op_involves(ir_op op, const char *letters);
extern const char *const ir_type_name[IR_TYPE_COUNT];
unsigned ir_type_bits(ir_type type); /* of the value; 0 for void, token and tile */

enum { IR_INLINE_ARGS = 3 };

/* One operation, 40 bytes. Use the accessors below for operands and regions. */
typedef struct ir_node {
    uint8_t op;   /* ir_op */
    uint8_t type; /* ir_type of the value */
    uint16_t arg_count;
    /* Missing operands are 0. If there are more than these, args[0] is an index into the pool. */
    uint32_t args[IR_INLINE_ARGS];
    ir_region region;    /* its region; 0 for leaves and removed operations */
    ir_value prev, next; /* in the region's list */
    uint32_t pc;         /* the instruction it comes from */
    union {
        uint64_t imm;         /* constant bits, argument word, special register, ir_access, … */
        ir_region regions[2]; /* of if (then, else) and loop (body; then ir_iterations) */
    };
} ir_node;

typedef struct ir_region_node {
    ir_value owner; /* the if or loop; 0 for the kernel's own region */
    ir_value first, last;
} ir_region_node;

/* imm of memory operations */
typedef struct ir_access {
    int32_t offset; /* added to the address after widening: only if proved not to wrap */
    uint8_t space;  /* IR_LOCAL, IR_DEVICE, … */
    uint8_t bytes;
    union {
        uint8_t atomic; /* ir_atomic; ir_fence of a fence */
        uint8_t hint;   /* of a plain access: ISA_HINT_… */
        uint8_t layout; /* of a tile: IR_ROWS, IR_COLUMNS */
    };
    union {
        uint8_t scope;  /* ISA_SCOPE_…; of a fence too */
        uint8_t object; /* of private memory: IR_ANY_OBJECT, or its number. Accesses with different
                         * numbers never touch the same value. */
    };
} ir_access;

enum { IR_ANY_OBJECT, IR_LAST_OBJECT = UINT8_MAX }; /* the last number may stand for several */

enum { IR_LOCAL, IR_DEVICE, IR_PRIVATE, IR_CONSTANT, IR_SPACE_COUNT };

/* The layout of a tile in memory. */
enum { IR_ROWS, IR_COLUMNS, IR_LAYOUT_COUNT };
extern const char *const ir_layout_name[IR_LAYOUT_COUNT];

/* imm of tile_mma, for targets whose units must know the layouts: those of A and B in memory. */
enum { IR_MMA_A_COLUMNS = 1, IR_MMA_B_COLUMNS = 2, IR_MMA_LAYOUTS = 4 };
extern const char *const ir_mma_layout_name[IR_MMA_LAYOUTS];

extern const char *const ir_space_name[IR_SPACE_COUNT];

/* Whether other lanes can observe stores to this space. */
static inline bool ir_space_shared(unsigned space) {
    return space == IR_LOCAL || space == IR_DEVICE;
}

typedef enum ir_atomic {
    IR_ATOMIC_ADD,
    IR_ATOMIC_SUB,
    IR_ATOMIC_MIN,
    IR_ATOMIC_MAX,
    IR_ATOMIC_AND,
    IR_ATOMIC_OR,
    IR_ATOMIC_XOR,
    IR_ATOMIC_EXCHANGE,
    IR_ATOMIC_CAS, /* operands: address, expected, desired */
    IR_ATOMIC_FADD,
    IR_ATOMIC_IMIN,
    IR_ATOMIC_IMAX,
    IR_ATOMIC_LOAD,  /* operand: address */
    IR_ATOMIC_STORE, /* has no value */
    IR_ATOMIC_COUNT
} ir_atomic;

extern const char *const ir_atomic_name[IR_ATOMIC_COUNT];

/* The address included. */
static inline unsigned ir_atomic_operands(ir_atomic atomic) {
    return atomic == IR_ATOMIC_CAS ? 3 : atomic == IR_ATOMIC_LOAD ? 1 : 2;
}

/* ir_access.atomic of a fence */
enum { IR_FENCE_ACQUIRE, IR_FENCE_RELEASE, IR_FENCE_ACQ_REL, IR_FENCE_SC, IR_FENCE_KINDS };

extern const char *const ir_fence_name[IR_FENCE_KINDS];

static inline uint64_t ir_access_pack(ir_access a) {
    return (uint64_t)(uint32_t)a.offset | (uint64_t)a.space << 32 | (uint64_t)a.bytes << 40 |
           (uint64_t)a.atomic << 48 | (uint64_t)a.scope << 56;
}
static inline ir_access ir_access_unpack(uint64_t imm) {
    return (ir_access){.offset = (int32_t)(uint32_t)imm,
                       .space = (uint8_t)(imm >> 32),
                       .bytes = (uint8_t)(imm >> 40),
                       .atomic = (uint8_t)(imm >> 48),
                       .scope = (uint8_t)(imm >> 56)};
}

/* imm of a buffer operation. */
enum { IR_INDEX_SHIFT = 7, IR_INDEX_EXACT = 8 };

/* What unroll records about a loop, in place of a second region: the original number of iterations,
 * and how many were joined into one. Used for estimates only; the text of the IR omits it. */
typedef struct ir_iterations {
    uint16_t count; /* 0: not counted */
    uint16_t joined;
} ir_iterations;

/* The target's matrix units, for tiles of a wave. */
typedef struct ir_units {
    uint8_t elements; /* of A and B that they multiply, 1 << ir_element each; 0: no units */
    bool columns;     /* they accept A and B stored in columns */
    bool mixed;       /* one tile may be loaded from rows in one place and columns in another */
    bool strides;     /* non-constant strides are assumed to be supported by the units */
} ir_units;

typedef struct ir_func {
    const char *name; /* borrowed; "" for an anonymous kernel */
    uint32_t arg_words;
    uint32_t workgroup[3];
    uint32_t local_memory;    /* bytes available; 0 when the kernel accesses none */
    uint32_t wave_width;      /* of the target; 0: any */
    uint32_t private_memory;  /* bytes per lane */
    const uint8_t *constants; /* constant memory, borrowed; NULL when there is none */
    uint32_t constant_size;
    uint64_t contained[4]; /* argument words of contained buffers, one bit each */
    uint64_t unwritten[4]; /* of these, the restrict and read-only ones */
    uint64_t longs[4];     /* of these, the ones with 64-bit integer elements */
    uint64_t doubles[4];   /* of these, the ones with f64 elements */
    bool converged;        /* set by the convergence lowering */
    bool sparing;          /* large loops are kept: another compiler unrolls them as it sees fit */
    bool advances;         /* the target prefers 64-bit pointers that move to offsets (advance.c) */
    bool plain;            /* do not make operations that only ISA extensions have */
    ir_units units;        /* of the target; tiles that they do not hold become plain code */

    ir_node *nodes; /* index 0 is not used */
    uint32_t node_count, node_capacity;
    uint16_t *names;         /* by value: its name in the source, or 0; NULL: no names */
    ir_region_node *regions; /* index 0 is not used; 1 is the kernel's own */
    uint32_t region_count, region_capacity;
    ir_value *pool; /* operand lists longer than IR_INLINE_ARGS */
    uint32_t pool_count, pool_capacity;
    ir_value *leaves; /* hash table of the leaves */
    uint32_t leaf_count, leaf_capacity;
    uint64_t made[4]; /* by ir_op: whether such an operation was ever made */
    uint32_t node_limit;
    bool failed;    /* an allocation failed: the function is unusable */
    bool too_large; /* it failed because of the operation limit */
} ir_func;

/* More operations than any realistic kernel has, and as many as can be processed in a few seconds.
 * This bounds the cost of a file, whatever its instructions expand to. */
enum { IR_MOST_OPERATIONS = 3 << 20 };

void ir_init(ir_func *f); /* f->failed when out of memory: only ir_free may follow */
void ir_free(ir_func *f);
/* Makes room for more operations at once. */
void ir_reserve(ir_func *f, uint32_t extra);
/* Reports why a function has failed. */
void ir_report_failure(const ir_func *f, wave_diags *diags);

/* ---- Construction ---- */

ir_region ir_new_region(ir_func *f, ir_value owner);

/* Makes an operation that is in no region yet; `args` may point into the function's own pool. */
ir_value ir_make(ir_func *f, ir_op op, ir_type type, const ir_value *args, size_t count,
                 uint64_t imm);
void ir_append(ir_func *f, ir_region region, ir_value v);
void ir_insert_before(ir_func *f, ir_value at, ir_value v);
void ir_insert_after(ir_func *f, ir_value at, ir_value v);
/* Removes the operation from its region; its id stays valid. */
void ir_remove(ir_func *f, ir_value v);
/* Renumbers the values to close the gaps left by removed ones (compact.c). */
void ir_compact(ir_func *f);
/* Replaces the operands of an operation. */
void ir_set_args(ir_func *f, ir_value v, const ir_value *args, size_t count);

/* Each leaf is made once. */
ir_value ir_const(ir_func *f, ir_type type, uint64_t bits);
ir_value ir_leaf(ir_func *f, ir_op op, ir_type type, uint64_t imm);

/* ---- Queries ---- */

static inline ir_node *ir_at(const ir_func *f, ir_value v) {
    return &f->nodes[v];
}

/* Makes an operation at the end of a region: ir_make and ir_append in one, with a fast path for the
 * common case. */
static inline ir_value ir_make_last(ir_func *f, ir_region region, ir_op op, ir_type type,
                                    const ir_value *args, size_t count, uint64_t imm, uint32_t pc) {
    ir_value v = f->node_count;
    if (count > IR_INLINE_ARGS || v == f->node_capacity || f->failed) {
        v = ir_make(f, op, type, args, count, imm);
        ir_append(f, region, v);
        f->nodes[v].pc = v ? pc : 0;
        return v;
    }
    ir_node *n = &f->nodes[v];
    ir_region_node *r = &f->regions[region];
    f->node_count = v + 1;
    f->made[op / 64] |= (uint64_t)1 << (op % 64);
    *n = (ir_node){.op = (uint8_t)op,
                   .type = (uint8_t)type,
                   .arg_count = (uint16_t)count,
                   .region = region,
                   .prev = r->last,
                   .imm = imm,
                   .pc = pc};
    for (size_t k = 0; k < count; k++)
        n->args[k] = args[k];
    *(r->last ? &f->nodes[r->last].next : &r->first) = v;
    r->last = v;
    return v;
}

static inline ir_op ir_op_of(const ir_func *f, ir_value v) {
    return (ir_op)f->nodes[v].op;
}

static inline ir_type ir_type_of(const ir_func *f, ir_value v) {
    return (ir_type)f->nodes[v].type;
}

static inline ir_iterations ir_iterations_of(const ir_func *f, ir_value loop) {
    uint32_t packed = f->nodes[loop].regions[1];
    return (ir_iterations){(uint16_t)packed, (uint16_t)(packed >> 16)};
}

static inline void ir_set_iterations(ir_func *f, ir_value loop, ir_iterations i) {
    f->nodes[loop].regions[1] = (uint32_t)i.joined << 16 | i.count;
}

static inline ir_value *ir_args(const ir_func *f, ir_value v) {
    ir_node *n = &f->nodes[v];
    return n->arg_count <= IR_INLINE_ARGS ? n->args : f->pool + n->args[0];
}

static inline ir_value ir_arg(const ir_func *f, ir_value v, unsigned index) {
    return ir_args(f, v)[index];
}

static inline bool ir_has(const ir_func *f, ir_value v, unsigned flags) {
    return (ir_op_flags[f->nodes[v].op] & flags) != 0;
}

/* Whether no if, loop or function was ever made: region 0 is not used, 1 is the kernel's own. */
static inline bool ir_is_straight(const ir_func *f) {
    return f->region_count == 2;
}

/* Whether it accesses memory at its first operand, with an ir_access as imm. */
static inline bool ir_accesses(ir_op op) {
    return op == IR_LOAD || op == IR_LOADS || op == IR_STORE || op == IR_ATOMIC ||
           op == IR_TILE_LOAD || op == IR_TILE_STORE;
}

/* The constant's bits in *bits; false when v is not one. */
static inline bool ir_is_const(const ir_func *f, ir_value v, uint64_t *bits) {
    if (f->nodes[v].op != IR_CONST)
        return false;
    *bits = f->nodes[v].imm;
    return true;
}

/* The region that contains the `if` or `loop` owning region r; the kernel's own region has none
 * (0). */
static inline ir_region ir_parent(const ir_func *f, ir_region r) {
    ir_value owner = f->regions[r].owner;
    return owner ? f->nodes[owner].region : 0;
}

/* The innermost loop around a region (the region may be its body), or 0. */
ir_value ir_loop_around(const ir_func *f, ir_region r);

/* Whether an operation of a region owns regions itself: the first ones of ir_ops.def do, after the
 * leaves. */
static inline bool ir_has_regions(const ir_node *n) {
    return n->op <= IR_FUNCTION;
}

/* ---- Walking: program order, regions nested, no recursion ---- */

static inline ir_value ir_first_op(const ir_func *f) {
    return f->regions[1].first;
}
ir_value ir_next_beyond(const ir_func *f, ir_value v); /* into, between and out of regions */

/* The operation that follows v in program order, or 0; an if or loop precedes those inside it. For
 * walks that need no events and insert nothing:
 *
 *   for (ir_value v = ir_first_op(f); v; v = ir_next_op(f, v)) */
static inline ir_value ir_next_op(const ir_func *f, ir_value v) {
    const ir_node *n = &f->nodes[v];
    return n->next && !ir_has_regions(n) ? n->next : ir_next_beyond(f, v);
}

typedef enum ir_event { IR_AT_END, IR_AT_OP, IR_ENTER_REGION, IR_LEAVE_REGION } ir_event;

/* For an if or loop, IR_AT_OP comes before its regions; w->region is the region of the event. The
 * operation of the event, and operations before it, may be removed; operations inserted after it
 * are visited. */
typedef struct ir_walk {
    const ir_func *f;
    ir_value op;      /* of IR_AT_OP; 0 otherwise */
    ir_region region; /* 0: before the start and after the end */
    ir_value next;    /* what follows the event in w->region; 0: its end */
    enum { IR_WALK_START, IR_WALK_IN, IR_WALK_LEFT, IR_WALK_DONE } state;
} ir_walk;

void ir_walk_init(ir_walk *w, const ir_func *f);
ir_event ir_walk_turn(ir_walk *w); /* into, between and out of regions */

static inline ir_event ir_walk_next(ir_walk *w) {
    const ir_node *n = &w->f->nodes[w->op]; /* for op 0, nothing follows */
    if (n->next && n->region == w->region && !ir_has_regions(n)) {
        w->op = n->next;
        w->next = w->f->nodes[w->op].next;
        return IR_AT_OP;
    }
    return ir_walk_turn(w);
}

/* The same for walks that change nothing. */
static inline ir_event ir_walk_read(ir_walk *w) {
    const ir_node *n = &w->f->nodes[w->op];
    if (n->next && !ir_has_regions(n)) {
        w->op = n->next;
        return IR_AT_OP;
    }
    return ir_walk_turn(w);
}

/* The first if or loop from v on in its region, or the region's last operation: the next op of a
 * walk that looks at nothing else. */
static inline ir_value ir_skip_plain(const ir_func *f, ir_value v) {
    const ir_node *nodes = f->nodes;
    while (nodes[v].next && !ir_has_regions(&nodes[v]))
        v = nodes[v].next;
    return v;
}

/* Whether an operation of this kind, or with one of these flags, was ever made in the function. It
 * may have been removed since. */
static inline bool ir_made(const ir_func *f, ir_op op) {
    return f->made[op / 64] >> (op % 64) & 1;
}
bool ir_made_any(const ir_func *f, unsigned flags);

#endif
