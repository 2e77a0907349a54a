/* The PTX printer's state, shared by its files: ptx.c (the text around a kernel's code), ptx_code.c
 * (structure), ptx_special.c (special registers), ptx_ops.c and ptx_integer.c (values),
 * ptx_memory.c, ptx_wave.c, ptx_tile.c, ptx_function.c (functions and calls), ptx_text.c (lines and
 * operands). */
#ifndef EMIT_PTX_PTX_H
#define EMIT_PTX_PTX_H

#include "emit/emit.h"
#include "emit/materialise.h"

typedef enum ptx_class {
    PTX_PRED,
    PTX_B16,
    PTX_B32,
    PTX_F32,
    PTX_B64,
    PTX_F64,
    PTX_CLASS_COUNT
} ptx_class;

/* A register is its class and number; 0 is none. */
typedef uint32_t ptx_reg;
static inline ptx_reg ptx_reg_of(ptx_class c, uint32_t number) {
    return (uint32_t)c << 28 | (number + 1);
}
static inline ptx_class ptx_reg_class(ptx_reg r) {
    return (ptx_class)(r >> 28);
}

/* An operand that an instruction reads or writes. */
typedef struct ptx_operand {
    ptx_reg reg;   /* 0: an immediate; in an address, the symbol of its memory */
    uint8_t type;  /* ir_type of an immediate; in an address, IR_LOCAL, … */
    uint64_t bits; /* of an immediate; in an address, the added offset */
} ptx_operand;

/* A parsed line format. */
typedef struct ptx_format {
    const char *format;
    const char *rest;  /* after the mnemonic */
    char mnemonic[72]; /* padded */
    uint8_t length;
    uint8_t end;   /* length of the line's end: 0 if the text is only its start */
    uint8_t plain; /* number of operands if the rest is only operands; otherwise 0 */
    char kind;     /* first letter of the immediates' type */
} ptx_format;

enum { PTX_FORMATS = 512 };

/* Registers that any kernel may have, loaded in its prologue. */
typedef enum ptx_fixed {
    PTX_BASE,       /* address of the arena */
    PTX_SIZE,       /* its size, for --bounds */
    PTX_STATUS,     /* address of the two words for asserts */
    PTX_LOCAL,      /* address of local memory */
    PTX_PRIVATE,    /* address of private memory */
    PTX_CONSTANT,   /* address of constant memory */
    PTX_LINEAR,     /* number of the thread in the workgroup */
    PTX_LANE,       /* lane number */
    PTX_LANES,      /* number of existing lanes in this warp */
    PTX_LANES_LEFT, /* number of existing lanes from this one on */
    PTX_FIXED_COUNT
} ptx_fixed;

enum { PTX_COORDINATES = 6 }; /* %tid.x to %ctaid.z */

typedef struct ptx {
    const ir_func *f;
    const emit_options *o;
    wave_diags *diags;
    mat m;
    buf code;                  /* the instructions, printed before their needs are known */
    buf functions;             /* complete functions that the kernel calls */
    buf function;              /* the instructions of the current function */
    uint32_t function_count;   /* number of complete functions */
    buf *out;                  /* destination of lines: `code` or `function` */
    bool blank;                /* the last line is blank */
    ptx_reg guard;             /* predicate of the next line, or 0 */
    bool rejected;             /* an error was reported */
    uint64_t written[4];       /* bit set of the argument words of buffers that are stored to */
    bool whole;                /* every warp is full */
    ir_uniformity uniformity;  /* for the lane numbers of broadcasts */
    bool uses[IR_SPACE_COUNT]; /* memories that are accessed */

    uint32_t count[PTX_CLASS_COUNT];        /* registers so far */
    uint32_t kernel_count[PTX_CLASS_COUNT]; /* the kernel's, while a function is printed */
    char (*digits)[8]; /* by number: its digits, with their count in the last byte */
    uint32_t digits_count, digits_capacity;
    size_t symbol_length;
    ptx_format *formats; /* an open hash table by the format's address */
    uint32_t format_count;
    ptx_reg *reg;                         /* by home, leaves included */
    ir_value coordinate[PTX_COORDINATES]; /* the leaves that may be read again, or 0 */
    ptx_reg fixed[PTX_FIXED_COUNT];
    bool needs[PTX_FIXED_COUNT]; /* the fixed registers that the prologue must load */

    /* Addresses already computed: by value, with the region that they were computed in. */
    ptx_reg *pointer;
    ir_region *pointer_region;
    uint8_t *pointer_space; /* 1 more than the space; 0: none */

    /* Structure */
    uint8_t *open;      /* by region: it is being printed */
    uint8_t *skip;      /* by region: it prints no lines of its own */
    uint8_t *flags;     /* of an if or loop, by its first region */
    uint8_t *again;     /* of a loop, the same: bit set of the coordinates to read again after it */
    uint32_t *label;    /* the same: the number in its labels */
    uint32_t labels;    /* numbers assigned so far */
    ir_region region;   /* current */
    ir_value unreached; /* an unreachable if or loop, which is omitted */
    bool dead;          /* the next line is unreachable */
    uint32_t pc;        /* of the last comment printed */
} ptx;

/* ---- ptx_text.c ---- */

/* Writes one line: the text with each $ replaced by an operand and each & by an address, and the
 * mnemonic padded. An immediate of type void is printed as _, which discards a result. Immediates
 * are spelled as the last type of the mnemonic requires: .s32 signed, .b32 hexadecimal. */
#define ptx_line(p, format, ...) ptx_put_line(p, format, (const ptx_operand[]){__VA_ARGS__})
void ptx_put_line(ptx *p, const char *format, const ptx_operand *operands); /* a literal */
void ptx_put_made(ptx *p, const char *format, const ptx_operand *operands); /* any text */
/* Joins texts, up to NULL, to such a text. */
const char *ptx_join(char *text, const char *const *parts);
/* A text that ends with a blank or a bracket is only the start of a line, which this completes. */
void ptx_end_line(ptx *p, const char *first, const char *second, const char *third);
void ptx_forget_formats(ptx *p);
#define PTX_SINK ((ptx_operand){.type = IR_VOID})
void ptx_blank(ptx *p);
/* Labels and jumps to them: $if_3_else, $loop_2, … */
void ptx_target(ptx *p, const char *kind, uint32_t number, const char *suffix);
void ptx_jump(ptx *p, ptx_reg predicate, bool negated, const char *kind, uint32_t number,
              const char *suffix);

ptx_operand ptx_imm(ir_type type, uint64_t bits);
static inline ptx_operand ptx_u32(uint32_t value) {
    return ptx_imm(IR_U32, value);
}
static inline ptx_operand ptx_at(ptx_reg r) {
    return (ptx_operand){.reg = r};
}

extern const uint8_t ptx_classes[IR_TYPE_COUNT];
static inline ptx_class ptx_class_of(ir_type type) {
    return (ptx_class)ptx_classes[type];
}
void ptx_make_digits(ptx *p);             /* the digits of the next numbers of registers */
ptx_operand ptx_new(ptx *p, ptx_class c); /* a register for local use */
/* A register for a value of the type; for a tile, the first one. */
ptx_operand ptx_new_for(ptx *p, ir_type type);
ptx_operand ptx_dest(ptx *p, ir_value v); /* destination of a value */
ptx_operand ptx_use(ptx *p, ir_value v);  /* a value as an operand */
/* The same for one that has no register yet: a constant, a bitcast, or one that is inline. */
ptx_operand ptx_use_other(ptx *p, ir_value v);
ptx_operand ptx_use_reg(ptx *p, ir_value v);   /* the same, never an immediate */
ptx_operand ptx_in_reg(ptx *p, ptx_operand o); /* moved to a register if it is an immediate */
/* A predicate with its inline negations stripped; *negated says whether their number is odd. */
ptx_operand ptx_condition(ptx *p, ir_value v, bool *negated);
void ptx_move(ptx *p, ir_type type, ptx_operand to, ptx_operand from);
bool ptx_const(const ptx *p, ir_value v, uint32_t *bits); /* a 32-bit constant on this target */
ptx_operand ptx_fixed_reg(ptx *p, ptx_fixed which);       /* notes that it is needed */

/* ---- ptx_integer.c ---- */

/* Prints integer operations that take more than one instruction of a table; false for others. */
bool ptx_integer(ptx *p, ir_value v);
void ptx_add(ptx *p, ir_value v, const char *format); /* `format` if no product is added */
bool ptx_is_product(ir_op op);                        /* one that an addition may absorb */

/* ---- ptx_ops.c, ptx_memory.c, ptx_wave.c ---- */

extern const mat_target ptx_mat_target;
/* Print an operation; false if it is of another kind. */
bool ptx_value(ptx *p, ir_value v);
void ptx_put_one(ptx *p, ir_value v, const char *format); /* one instruction, with its operands */
bool ptx_memory(ptx *p, ir_value v);
bool ptx_wave(ptx *p, ir_value v);
/* Notes the fixed registers that an access requires, and the buffer that it writes. */
void ptx_memory_needs(ptx *p, ir_value v);

/* The first architecture whose accesses add no 32-bit offset to a 64-bit address. */
enum { PTX_WIDE_FROM = 80 };
/* The address of an access, as the operand for &. */
ptx_operand ptx_address(ptx *p, ir_value v);

/* ---- ptx_tile.c ---- */

/* The tensor cores; `native`: results may differ from the emulator's. */
ir_units ptx_units(const ir_func *f, unsigned arch, bool native);
unsigned ptx_registers_of(ir_type type);
bool ptx_tile(ptx *p, ir_value v);
/* If `from` is an immediate, all registers become 0. */
void ptx_tile_move(ptx *p, ir_type type, ptx_operand to, ptx_operand from);
void ptx_tile_select(ptx *p, ir_type type, ptx_operand to, ptx_operand yes, ptx_operand no,
                     ptx_operand condition);

/* ---- ptx_function.c ---- */

/* Lines between these two calls belong to the function. */
void ptx_open_function(ptx *p);
void ptx_close_function(ptx *p, ir_value v);
void ptx_return(ptx *p, ir_value v);
bool ptx_function_value(ptx *p, ir_value v); /* an input or a call */

/* ---- ptx.c ---- */

void ptx_put_registers(const ptx *p, buf *out); /* declares the registers */

/* ---- ptx_special.c ---- */

bool ptx_has_special(unsigned special); /* whether PTX has the register */
void ptx_load_special(ptx *p, ptx_operand d, unsigned special);
/* Finds what is to be read again after which loop; `special` has the leaves in use. */
void ptx_find_again(ptx *p, const ir_value *special);
void ptx_read_again(ptx *p, ir_value loop);

/* ---- ptx_code.c ---- */

/* Called for every continue before printing: its loop has a back edge. */
void ptx_note_continue(ptx *p, ir_value v);
void ptx_code(ptx *p);

#endif
