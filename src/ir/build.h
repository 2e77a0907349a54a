/* From decoded instructions to the IR. build.c walks the code, build_ops.c makes the operations of
 * one instruction, build_scan.c finds in advance what each loop and function writes, build_live.c
 * which instructions can be omitted. */
#ifndef IR_BUILD_H
#define IR_BUILD_H

#include "frontend/frontend.h"
#include "ir/ssa.h"
#include "isa/tile.h"

/* IR_BUILD_ASSERTS: asserts are built instead of omitted. IR_BUILD_FIXED_TILES: tiles of a wave
 * keep their numbers and are not values, for WBIN, which cannot copy them. IR_BUILD_LIVE:
 * instructions whose results are overwritten before they are read are omitted. */
enum { IR_BUILD_ASSERTS = 1, IR_BUILD_FIXED_TILES = 2, IR_BUILD_LIVE = 4 };

/* Builds the whole kernel. Returns false when an error (E_RECURSION, E_INLINE_LIMIT, E_MEMORY) was
 * reported. */
bool ir_build(ir_func *f, const fe_kernel *kernel, unsigned kernel_index, uint32_t wave_width,
              unsigned how, wave_diags *diags);
/* Constant memory of the kernel's module. */
void ir_take_constants(ir_func *f, const wave_module *module);

/* ---- Slots: everything the code can write, represented by SSA values ---- */

enum {
    SLOT_REGISTER = 0,
    SLOT_PREDICATE = SLOT_REGISTER + ISA_MAX_REGISTERS,
    SLOT_RETURNED = SLOT_PREDICATE + ISA_PREDICATES, /* one flag per call level */
    SLOT_TILE = SLOT_RETURNED + ISA_MAX_CALL_DEPTH,  /* banks A, B, C of 256 fragments */
    SLOT_WAVE_TILE = SLOT_TILE + 3 * 256,            /* tiles of a wave: by type, then by number */
    SLOT_COUNT = SLOT_WAVE_TILE + IR_TILE_TYPES * ISA_TILES,
    SLOT_WORDS = (SLOT_COUNT + 63) / 64
};

typedef struct slot_set {
    uint64_t words[SLOT_WORDS];
} slot_set;

/* The number of slots that a kernel needs. Most kernels have no tiles, which occupy three quarters
 * of all slots. */
static inline unsigned slot_limit(const fe_kernel *kernel) {
    return kernel->info.uses & (WAVE_USES_MMA | WAVE_USES_TILE) ? SLOT_COUNT : SLOT_TILE;
}

static inline void slot_add(slot_set *set, unsigned slot) {
    set->words[slot / 64] |= (uint64_t)1 << (slot % 64);
}

static inline bool slot_in(const slot_set *set, unsigned slot) {
    return set->words[slot / 64] >> (slot % 64) & 1;
}

/* ---- build_scan.c ---- */

/* How an instruction uses its fields, from their roles. Tables of these start with zeros. */
typedef struct build_operands {
    bool known;
    bool tiles;                /* the fields name more than registers and predicates */
    bool predicate;            /* rd is a predicate that is written */
    bool discards;             /* rd 0 is no register */
    uint8_t written;           /* registers or predicates, from rd on */
    uint8_t reads, tests;      /* fields with registers, and with predicates, that are read */
    uint8_t read[ISA_FIELDS];  /* these fields … */
    uint8_t count[ISA_FIELDS]; /* … and how many registers each of them reads */
    uint8_t test[ISA_FIELDS];
} build_operands;

void build_find_operands(build_operands *x, isa_op op);

/* The effects of a range of code: a loop's body or a function. */
typedef struct scan_facts {
    slot_set writes;
    bool halts;   /* a lane may halt inside, callees included */
    bool returns; /* it contains a return of the same function (other than a function's last one) */
} scan_facts;

typedef struct scan {
    slot_set reads;           /* slots the kernel reads anywhere */
    scan_facts *loops;        /* of each loop, by loop_index */
    uint32_t *loop_index;     /* by instruction; only where it is a loop */
    scan_facts *functions;    /* of each call target, by function_index */
    uint32_t *function_end;   /* by function: its last return */
    uint32_t *function_index; /* by instruction; 0: not a target, else index + 1 */
    uint32_t loop_count, function_count;
} scan;

bool scan_kernel(scan *s, const fe_kernel *kernel, unsigned kernel_index, wave_diags *diags);
void scan_free(scan *s);

/* ---- build_live.c ---- */

/* One bit per instruction: it is pure, and its results are overwritten before they are read. The
 * caller frees them; NULL when out of memory. */
uint64_t *build_find_omitted(const fe_kernel *kernel);

/* ---- The builder's state, shared by build.c and build_ops.c ---- */

/* An instruction that maps to one operation of the IR, with the types of its signature. */
typedef struct build_form {
    uint8_t op;      /* ir_op; 0: the instruction has not occurred yet */
    uint8_t count;   /* operands from registers and predicates */
    bool convergent; /* the token comes first */
    uint8_t result;  /* ir_type */
    uint8_t types[4];
} build_form;

typedef struct builder {
    ssa s; /* one variable per slot; registers hold any 32-bit type or f16 */
    const fe_kernel *kernel;
    scan facts;
    uint64_t *omitted;  /* one bit per instruction; NULL: none is */
    ir_value token;     /* identifies the lanes that execute here */
    ir_value guard;     /* of the instruction being built, or 0 */
    unsigned how;       /* IR_BUILD_… */
    struct build_view { /* a register's value as another type, made earlier in this region */
        ir_value from, as;
        ir_region region;
    } views[ISA_MAX_REGISTERS];

    build_form forms[ISA_OP_COUNT];
    uint16_t *names; /* of pairs, quads and slots (build_names.c), or NULL */

    struct frame *frames; /* open ifs, loops and calls; fully allocated at the start */
    uint32_t frame_count, calls;
    uint32_t *slots; /* carried slots of the open loops, one list after another */
    uint32_t slot_count, slot_capacity;
} builder;

/* An `if` with one side, for guarded effects. It contains everything built until build_close_if. */
void build_open_if(builder *b, ir_value condition);
void build_close_if(builder *b);

/* ---- build_tile.c ---- */

/* The slots of tiles that an instruction reads and writes; either set may be NULL. */
void build_tile_slots(const fe_insn *insn, slot_set *reads, slot_set *writes);
/* Initial values of the tiles of a kernel. */
void build_tile_variables(builder *b);
void build_tile(builder *b, const fe_insn *insn);

/* ---- build_names.c ---- */

/* Takes the register names of the kernel's file, if it has any. */
void build_make_names(builder *b);
/* Names a value that occupies `width` registers starting at this one. */
void build_name(builder *b, ir_value v, unsigned reg, unsigned width);

/* ---- build_ops.c ---- */

/* Makes the operations of an instruction that is not control flow. */
void build_instruction(builder *b, const fe_insn *insn);
/* A register's value as a u32. */
ir_value build_read(builder *b, unsigned reg);
ir_value build_guard(builder *b, const fe_insn *insn); /* 0 when there is none */
ir_value build_predicate(builder *b, unsigned field);  /* of if, break, continue */

#endif
