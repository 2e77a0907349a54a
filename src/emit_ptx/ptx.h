/* The PTX printer's state, shared by its files: ptx.c (the kernel around the code), ptx_code.c
 * (structure), ptx_ops.c and ptx_integer.c (values), ptx_memory.c, ptx_wave.c, ptx_text.c (lines
 * and operands). */
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

/* Something an instruction reads or writes. */
typedef struct ptx_operand {
    ptx_reg reg;   /* 0: an immediate; in an address, the symbol of its memory */
    uint8_t type;  /* ir_type of an immediate; in an address, IR_LOCAL, … */
    uint64_t bits; /* of an immediate; in an address, what is added */
} ptx_operand;

/* A line's format, taken apart. */
typedef struct ptx_format {
    const char *format;
    const char *rest;  /* behind the mnemonic */
    char mnemonic[40]; /* padded */
    uint8_t length;
    uint8_t plain; /* the rest is this many operands and nothing else; 0: something else */
    char kind;     /* first letter of the type of immediates */
} ptx_format;

enum { PTX_FORMATS = 64 };

/* Registers every kernel may have, loaded at its start. */
typedef enum ptx_fixed {
    PTX_BASE,       /* address of the arena */
    PTX_SIZE,       /* its size, for --bounds */
    PTX_STATUS,     /* address of the two words for asserts */
    PTX_LOCAL,      /* address of local memory */
    PTX_PRIVATE,    /* address of private memory */
    PTX_CONSTANT,   /* address of constant memory */
    PTX_LINEAR,     /* number of the thread in the workgroup */
    PTX_LANE,       /* lane number */
    PTX_LANES,      /* lanes that exist in this warp */
    PTX_LANES_LEFT, /* those from this one on */
    PTX_FIXED_COUNT
} ptx_fixed;

typedef struct ptx {
    const ir_func *f;
    const emit_options *o;
    wave_diags *diags;
    mat m;
    buf code;                  /* the instructions, before it is known what they need */
    buf *out;                  /* where lines go: the code, or the prologue */
    bool blank;                /* the last line is blank */
    ptx_reg guard;             /* predicate of the next line, or 0 */
    bool rejected;             /* an error was reported */
    uint64_t written[4];       /* argument words of buffers that are stored to, one bit each */
    bool whole;                /* every warp is full */
    bool uses[IR_SPACE_COUNT]; /* memories that are accessed */

    uint32_t count[PTX_CLASS_COUNT]; /* registers so far */
    char (*digits)[8];               /* by number: its digits, and how many in the last byte */
    uint32_t digits_count, digits_capacity;
    size_t symbol_length;
    ptx_format formats[PTX_FORMATS]; /* used lately, by their address */
    ptx_reg *reg;                    /* by home, leaves included */
    ptx_reg fixed[PTX_FIXED_COUNT];

    /* Addresses already computed: by value, and the region they were computed in */
    ptx_reg *pointer;
    ir_region *pointer_region;
    uint8_t *pointer_space;

    /* Structure */
    uint8_t *open;      /* by region: it is being printed */
    uint8_t *skip;      /* by region: it needs no lines of its own */
    uint8_t *flags;     /* of an if or loop, by its first region */
    uint32_t *label;    /* the same: number in its labels */
    uint32_t labels;    /* numbers given */
    ir_region region;   /* at work */
    ir_value unreached; /* if or loop that nothing reaches: left out */
    bool dead;          /* the next line cannot be reached */
    uint32_t pc;        /* of the comment printed last */
} ptx;

/* ---- ptx_text.c ---- */

/* Writes one line: the text with each $ replaced by an operand, each & by an address, and the
 * mnemonic padded. An immediate of type void is printed as _, the place for what nobody wants.
 * Immediates are spelled as the last type of the mnemonic wants: .s32 signed, .b32 hexadecimal. */
#define ptx_line(p, format, ...) ptx_put_line(p, format, (const ptx_operand[]){__VA_ARGS__})
void ptx_put_line(ptx *p, const char *format, const ptx_operand *operands); /* a literal */
void ptx_put_made(ptx *p, const char *format, const ptx_operand *operands); /* any text */
/* Puts text at the end of the last line, before its semicolon. */
void ptx_append(ptx *p, const char *first, const char *second, const char *third);
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

ptx_class ptx_class_of(ir_type type);
ptx_operand ptx_new(ptx *p, ptx_class c);      /* a register used here only */
ptx_operand ptx_dest(ptx *p, ir_value v);      /* where a value goes */
ptx_operand ptx_use(ptx *p, ir_value v);       /* a value as operand */
ptx_operand ptx_use_reg(ptx *p, ir_value v);   /* the same, never an immediate */
ptx_operand ptx_in_reg(ptx *p, ptx_operand o); /* moved to a register if it is an immediate */
/* A predicate without the negations printed around it; *negated says whether they are odd. */
ptx_operand ptx_condition(ptx *p, ir_value v, bool *negated);
void ptx_move(ptx *p, ir_type type, ptx_operand to, ptx_operand from);
bool ptx_const(const ptx *p, ir_value v, uint32_t *bits); /* a 32-bit constant on this target */
ptx_operand ptx_fixed_reg(const ptx *p, ptx_fixed which);

/* ---- ptx_integer.c ---- */

/* The same for integers that are more than one instruction of a table. */
bool ptx_integer(ptx *p, ir_value v);
bool ptx_is_product(ir_op op); /* one that an addition may take in */

/* ---- ptx_ops.c, ptx_memory.c, ptx_wave.c ---- */

extern const mat_target ptx_mat_target;
/* Prints an operation; false when nobody knows it. */
bool ptx_value(ptx *p, ir_value v);
bool ptx_memory(ptx *p, ir_value v);
bool ptx_wave(ptx *p, ir_value v);
/* Marks in need[] what the operation takes of the fixed registers. */
void ptx_memory_needs(ptx *p, ir_value v, bool *need);
void ptx_wave_needs(const ptx *p, ir_value v, bool *need);

/* ---- ptx_code.c ---- */

/* Told of every continue beforehand: its loop has a next iteration. */
void ptx_note_continue(ptx *p, ir_value v);
void ptx_code(ptx *p);

#endif
