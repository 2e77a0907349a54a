/* Shared by the files of the IR builder.
 *
 * - Values are scalars: a vector, structure or array is as many IR values as it has scalars.
 * - Integers of 8 and 16 bits are u32 values whose upper bits are zero; signed operations extend
 *   the sign first.
 * - Pointers are u32 offsets. The memory they point to is known while the kernel is built, from
 *   the type or, for generic and constant pointers, from their origin.
 * - Functions are inlined. A frame is one instance of a function; its plan (to_plan.c) is made
 *   once.
 * - Values that are not visible across the regions of the IR (OpPhi, values that leave a loop,
 *   private variables that are only loaded and stored) are variables of ir/ssa.h. */
#ifndef SPIRV_TO_IR_H
#define SPIRV_TO_IR_H

#include "ir/ssa.h"
#include "spirv/cfg.h"
#include "spirv/kernel.h"
#include "spirv/library.h"
#include "spirv/reader.h"

enum {
    TO_MOST_SCALARS = 1024,   /* of one value */
    TO_MOST_VALUES = 1 << 22, /* scalars of the values of one function */
    TO_DEEPEST_CALL = 128,    /* nesting of calls */
    TO_MOST_WORK = 1 << 22,   /* instructions of a kernel with everything inlined */
    TO_DEEPEST_CONTROL = 250, /* ifs and loops; the ISA has 256 */
    TO_LARGEST_PROMOTED = 16, /* scalars of a private variable that becomes values */
    TO_LIBRARY_KEYS = 256 * 15 + 1
};

/* ---- Types as scalars: to_types.c ---- */

typedef struct to_scalar {
    uint32_t offset; /* in memory, in bytes */
    uint8_t type;    /* ir_type */
    uint8_t bits;    /* 1, 8, 16, 32, 64 */
    uint8_t storage; /* of a pointer: its storage class plus 1; else 0 */
} to_scalar;

typedef struct to_flat {
    const to_scalar *list;
    uint32_t count;
    bool known;
} to_flat;

/* The memory a pointer points to: an IR space, or one of these. */
enum {
    TO_ANYWHERE = IR_SPACE_COUNT, /* null, or not yet decided */
    TO_INPUT,                     /* a variable of the launch: the value is number << 8 | offset */
    TO_MIXED                      /* several, or unknown */
};

/* ---- Functions: to_plan.c ---- */

typedef struct to_module {
    const spirv_module *m;
    to_flat *flat;             /* by index in types */
    uint32_t *slot;            /* by id: its number in its function */
    uint32_t *variable_offset; /* by index in variables: constant memory, plus 1 */
    struct to_plan **plan;     /* by function */
    bool *noted;               /* by constant: its addresses have been collected */
    bool *is_kernel;           /* by function: an entry point, which nothing calls */
    bool *convergent;          /* by function: has convergent operations, callees included */
} to_module;

typedef struct to_plan {
    to_module *in;
    const spirv_function *function;
    cfg graph;
    program steps;
    bool is_kernel;
    uint32_t exit; /* node after the returns; CFG_NONE for kernels */
    uint32_t slot_count, scalar_count;
    uint32_t *first;    /* by slot: its first scalar */
    uint32_t *variable; /* by slot: first variable, plus 1, if the value leaves a loop */
    uint32_t *phi;      /* by slot: first variable, plus 1, that holds the value for an OpPhi */
    uint32_t *promoted; /* by slot of an OpVariable: first variable, plus 1 */
    uint32_t *place;    /* by slot of an OpVariable: its offset in the frame's private memory */
    uint32_t private_size, private_align;
    uint32_t *flag;                              /* by flag: variable, plus 1 */
    uint32_t *edge_case, *next_case, *case_base; /* cases of switches by edge: lists of targets */
    uint32_t result;                             /* first variable of the result */
    uint32_t *edge_position; /* by edge: which of an OpPhi's values it selects */
    uint32_t *phi_values;    /* by slot of an OpPhi: where its values start in `values` */
    spirv_id *values;
    uint8_t *type; /* by variable */
    uint32_t variable_count, variable_capacity;
    uint32_t *carried_first, *carried; /* by loop: variables */
    uint32_t *retired_first, *retired; /* by loop: variables that nothing reads after it */
} to_plan;

typedef struct to_named {
    const char *name; /* NULL: an unused slot */
    to_module *in;
    uint32_t function;
} to_named;

typedef struct to_names {
    to_named *list;
    uint32_t mask;
} to_names;

struct spirv_program {
    arena memory;
    to_names names;
    const to_named **library; /* by key: cache of lookups */
    to_module modules[2];
    uint32_t module_count;
    uint8_t *constants;
    uint32_t constant_size;
    uint32_t flat_count;    /* scalars of the types so far */
    bool compares_pointers; /* then nothing is placed at offset 0 */
};

/* NULL when an error was reported. */
to_plan *to_plan_of(spirv_program *p, to_module *in, uint32_t function, wave_diags *diags);
/* to_types.c: the scalars of a type; NULL when it has too many or memory is exhausted. */
const to_flat *to_flat_of(spirv_program *p, to_module *in, spirv_id type);

/* ---- The builder: to_ir.c ---- */

typedef struct to_frame {
    to_plan *plan;
    ir_value *scalars;       /* by scalar */
    uint8_t *space;          /* by slot, of pointers */
    uint8_t *object;         /* by slot, of pointers to private memory: ir_access.object */
    uint8_t *variable_space; /* by variable, of pointers */
    uint32_t base;           /* number of its first variable */
    uint32_t private_base, private_before;
    uint32_t at;        /* the next step */
    uint32_t insn, end; /* in a block: the next instruction and the end; equal outside of blocks */
    /* In the caller, while a function is called once per component: */
    uint32_t component;
    ir_value parts[32];
    /* The caller's instruction that receives the result. */
    const spirv_insn *caller;
} to_frame;

typedef struct to_control {
    bool is_loop;
    unsigned leaves; /* lanes that are missing after it: those that left the loop or the kernel */
    ir_value token;  /* before it */
    ssa_if branch;
    ssa_loop loop;
} to_control;

typedef struct to_value {
    const to_flat *flat;
    uint32_t count;
    uint8_t space, object; /* of a pointer */
    ir_value v[TO_MOST_SCALARS];
} to_value;

typedef struct builder {
    spirv_program *p;
    const spirv_options *options;
    const spirv_entry *entry;
    wave_diags *diags;
    ssa s;
    ir_value token;
    bool failed;  /* an error was reported */
    arena memory; /* of this kernel */
    to_frame **frames;
    uint32_t frame_count;
    to_frame *frame; /* the innermost */
    to_control control[TO_DEEPEST_CONTROL + 4];
    uint32_t control_count, skipped; /* open ifs and loops; those among them in unreachable code */
    const spirv_insn *insn;          /* being built */
    uint32_t private_top;
    uint8_t last_object; /* the last number given to a private variable */
    uint32_t local_top;
    uint32_t *local_offset[2]; /* by module and variable: local memory, plus 1 */
    uint32_t work;             /* instructions built so far: bounds the cost of inlining */
    to_value operands[4];      /* of the current instruction */
    to_value scalar_value;     /* of to_read_scalar */
    to_value edge_value;       /* temporary room for one value */
    to_value *arguments;       /* of a call */
    uint32_t argument_room;    /* its capacity */
    uint32_t scratch;          /* of work-group functions: offset in local memory, plus 1 */
} builder;

/* Reports an error about the current instruction; returns false. */
bool to_fail(builder *b, diag_code code, const char *format, ...) BUF_PRINTF(3, 4);

/* ---- Making operations ---- */

static inline ir_func *to_func(builder *b) {
    return b->s.f;
}
static inline ir_value to_u32(builder *b, uint64_t bits) {
    return ir_const(b->s.f, IR_U32, bits & 0xFFFFFFFF);
}
/* An integer of this width; those below 64 bits are u32 values. */
static inline ir_value to_number(builder *b, unsigned bits, uint64_t value) {
    return bits == 64 ? ir_const(b->s.f, IR_U64, value) : to_u32(b, value);
}
static inline uint64_t to_all_ones(unsigned bits) {
    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}
static inline ir_value to_zero(builder *b, ir_type type) {
    return ir_const(b->s.f, type, 0);
}
static inline ir_value to_make(builder *b, ir_op op, ir_type type, const ir_value *args,
                               size_t count) {
    return ssa_emit(&b->s, op, type, args, count, 0);
}
static inline ir_value to_1(builder *b, ir_op op, ir_type type, ir_value x) {
    return ssa_emit(&b->s, op, type, &x, 1, 0);
}
static inline ir_value to_2(builder *b, ir_op op, ir_type type, ir_value x, ir_value y) {
    return ssa_emit(&b->s, op, type, (ir_value[]){x, y}, 2, 0);
}
static inline ir_value to_select(builder *b, ir_value c, ir_value yes, ir_value no) {
    return ssa_emit(&b->s, IR_SELECT, ir_type_of(b->s.f, yes), (ir_value[]){c, yes, no}, 3, 0);
}
/* A special register: ISA_SR_…. */
static inline ir_value to_special(builder *b, unsigned number) {
    return ir_leaf(b->s.f, IR_SPECIAL, IR_U32, number);
}
/* iadd, imul and similar with a constant; omitted if it has no effect. */
ir_value to_add(builder *b, ir_value x, uint32_t constant);
ir_value to_scale(builder *b, ir_value x, uint32_t factor);
ir_value to_not(builder *b, ir_value x);

/* ---- Values of ids ---- */

static inline const spirv_module *to_module_of(const builder *b) {
    return b->frame->plan->in->m;
}
static inline uint32_t to_word(const builder *b, uint32_t index) {
    return spirv_word(to_module_of(b), b->insn, index);
}
static inline bool to_has_word(const builder *b, uint32_t index) {
    return index < b->insn->count;
}
static inline const spirv_type *to_type_of(const builder *b, spirv_id value) {
    return spirv_type_of(to_module_of(b), value);
}
const to_flat *to_flat_in(builder *b, spirv_id type); /* reports errors */
/* The scalars of an id. False when an error was reported. */
bool to_read(builder *b, spirv_id id, to_value *out);
/* The value of an id with one scalar; 0 when an error was reported. */
ir_value to_read_scalar(builder *b, spirv_id id);
/* An integer of any width as a u32: truncated or sign-extended. */
ir_value to_read_index(builder *b, spirv_id id);
/* Sets the value of the instruction's result. */
void to_write(builder *b, const ir_value *v, uint32_t count, uint8_t space);
/* The same for another id, with a flat type. */
void to_bind(builder *b, to_frame *frame, spirv_id id, const ir_value *v, uint32_t count,
             uint8_t space);
uint8_t to_merge_spaces(uint8_t a, uint8_t b);
/* The number of a new private variable. */
uint8_t to_new_object(builder *b);
/* Sets the object that the instruction's result, a pointer, points into. */
void to_point_into(builder *b, uint8_t object);

/* ---- ifs and loops inside one instruction; the caller owns the variables ---- */

void to_open_if(builder *b, ir_value condition);
void to_open_else(builder *b);
void to_close_if(builder *b);
/* `carried` must live until the loop is closed. */
void to_open_loop(builder *b, const uint32_t *carried, uint32_t count);
void to_break_if(builder *b, ir_value condition);
void to_close_loop(builder *b);
uint32_t to_variable(builder *b, ir_type type, ir_value value);
/* A token for the lanes that execute this point together. */
ir_value to_token(builder *b);

/* ---- Integers: to_integer.c ---- */

/* Sign-extends the low `bits` to 32. */
ir_value to_extend(builder *b, ir_value x, unsigned bits);
/* The low `bits`. */
ir_value to_cut(builder *b, ir_value x, unsigned bits);
/* Converts an integer from one width to another. */
ir_value to_resize(builder *b, ir_value x, unsigned from, unsigned to, bool is_signed);
ir_value to_u64(builder *b, ir_value low, ir_value high);
/* Reinterprets a scalar as an integer of the same bits, and back. */
ir_value to_bits(builder *b, ir_value x);
ir_value to_from_bits(builder *b, ir_value x, ir_type type);

/* ---- Groups of instructions; each returns false after reporting an error ---- */

bool to_arithmetic(builder *b, bool *known); /* to_arith.c */
bool to_conversion(builder *b, bool *known); /* to_convert.c */
bool to_vector(builder *b, bool *known);     /* to_vector.c */
bool to_memory(builder *b, bool *known);     /* to_memory.c */
bool to_atomic(builder *b, bool *known);     /* to_atomic.c */
bool to_group(builder *b, bool *known);      /* to_group.c */
bool to_ballot(builder *b, bool *known);     /* to_ballot.c */
bool to_opencl(builder *b, bool *called);    /* to_opencl.c */

/* One operation on scalars of the same kind, given as a SPIR-V instruction. bits: of the operands.
 * 0: there is no such operation. */
ir_value to_scalar_op(builder *b, unsigned op, unsigned bits, ir_value x, ir_value y);

/* The upper half of a product. */
ir_value to_mul_high(builder *b, unsigned bits, ir_value x, ir_value y, bool is_signed);

/* to_convert.c: converts a float from one width to another, in a rounding mode (spirv_rounding). */
ir_value to_narrow(builder *b, ir_value x, unsigned from, unsigned to, unsigned mode);

/* ---- Memory: to_memory.c ---- */

typedef struct to_pointer {
    ir_value offset;
    uint8_t space, object;
} to_pointer;

/* The pointer with this id, with a known space; false is reported. */
bool to_read_pointer(builder *b, spirv_id id, to_pointer *out);
ir_value to_load_scalar(builder *b, to_pointer p, const to_scalar *s, uint32_t align);
void to_store_scalar(builder *b, to_pointer p, const to_scalar *s, uint32_t align, ir_value v);
void to_load(builder *b, to_pointer p, const to_flat *flat, uint32_t align, ir_value *out);
void to_store(builder *b, to_pointer p, const to_flat *flat, uint32_t align, const ir_value *v);
bool to_copy(builder *b); /* to_copy.c: OpCopyMemory, OpCopyMemorySized */
bool to_copy_bytes(builder *b, to_pointer to, to_pointer from, uint32_t bytes, uint32_t align);
/* The space implied by this storage class. */
uint8_t to_space_of_storage(unsigned storage);
/* Allocates local memory of this size and returns its offset. */
uint32_t to_take_local(builder *b, uint32_t bytes, uint32_t align);

/* ---- The rest ---- */

/* to_builtin.c: the scalars of a variable of the launch. */
bool to_builtin(builder *b, const spirv_variable *v, const to_flat *flat, ir_value *out);
ir_value to_local_index(builder *b);
ir_value to_group_threads(builder *b);
/* to_args.c: words, arguments, parameters of the first frame. */
bool to_arguments(builder *b, to_frame *frame, spirv_kernel *kernel);
/* to_frames.c: calls a function for the current instruction; to_return assigns the result. */
bool to_call(builder *b, to_module *in, uint32_t function, to_value *args, uint32_t count);
void to_return(builder *b); /* the innermost frame has ended */
/* to_names.c: all functions with a body, and one of them by name, in either module. */
bool to_collect_names(spirv_program *p);
bool to_find_function(spirv_program *p, const char *name, to_module **in, uint32_t *function);
/* The same by the key of an instruction. */
bool to_find_library(spirv_program *p, unsigned key, to_module **in, uint32_t *function);
/* to_opencl_direct.c: functions that are a few operations. */
bool to_opencl_direct(builder *b, unsigned which, const char *operands);
/* to_opencl.c: the library function that an instruction calls, as a number below TO_LIBRARY_KEYS,
 * and its name. 0: none. */
unsigned to_library_key(const spirv_module *m, const spirv_insn *insn);
spirv_library_name to_library_name(unsigned key);
/* The names of all functions that a module calls, each once. The caller frees them; NULL: out of
 * memory. */
spirv_library_name *to_library_calls(const spirv_module *m, size_t *count);
/* to_opencl.c: a library function has returned for the current instruction. True: another call is
 * needed. */
bool to_opencl_returned(builder *b, const ir_value *v, uint32_t count);
/* Whether an instruction depends on which lanes execute it together. */
bool to_is_convergent(unsigned op);

#endif
