/* The printer that HIP, SYCL and MSL share. It prints structure, names, literals, expressions and
 * memory accesses once; a target is a table (c_target): its types, its spelling of operations, its
 * prologue, and one function for the operations that differ (wave operations, atomics, fences).
 *
 *   c_unit.c        one kernel from start to end: prologue, declarations, functions, signature
 *   c_code.c        structure: if, while, copies, functions of kernels that nest deeply
 *   c_nesting.c     depths of blocks, loops around them, exits
 *   c_scope.c       where each variable is declared
 *   c_expression.c  values as expressions, with no more parentheses than a reader wants
 *   c_range.c       conversions that cannot overflow
 *   c_literal.c     constants that read back as the same bits
 *   c_wrap.c        lines of a length that people read
 *   c_memory.c      loads, stores, bounds, asserts
 *   c_arguments.c   declared arguments by name, elements of buffers
 *   c_helpers.c     small functions for operations whose edge cases C++ leaves open */
#ifndef EMIT_C_PRINTER_H
#define EMIT_C_PRINTER_H

#include "emit/emit.h"
#include "emit/materialise.h"

/* ---- Expressions ---- */

/* How tightly an expression holds together, loosest first. */
enum {
    C_ANY, /* between parentheses or commas */
    C_CONDITIONAL,
    C_OR,
    C_AND,
    C_BITS, /* & ^ | : never mixed with anything without parentheses */
    C_COMPARE,
    C_SHIFT,
    C_ADD,
    C_MULTIPLY,
    C_UNARY,
    C_POSTFIX
};

/* An operation as text: $0 is its first operand, #0 the same read as a signed number. Each operand
 * is put in parentheses when it holds together less than `operands` says. */
typedef struct c_form {
    const char *text;
    uint8_t level;
    uint8_t operands[4];
    uint8_t helper; /* 1 + the helper it calls, or 0 */
    bool chains;    /* the first operand may be the same operation: a && b && c */
    uint64_t names; /* bits of the names in its text */
} c_form;

#define C_BINARY(op, is, left, right)                                                              \
    {                                                                                              \
        .text = "$0 " op " $1", .level = is, .operands = { left, right }                           \
    }
#define C_CHAIN(op, is, of)                                                                        \
    { .text = "$0 " op " $1", .level = is, .operands = {of, of}, .chains = true }
#define C_CALL(text_)                                                                              \
    { .text = text_, .level = C_POSTFIX }
#define C_HELP(text_, which)                                                                       \
    { .text = text_, .level = C_POSTFIX, .helper = 1 + (which) }
#define C_CAST(text_)                                                                              \
    {                                                                                              \
        .text = text_, .level = C_UNARY, .operands = { C_UNARY, C_UNARY }                          \
    }

/* ---- What a kernel may refer to by name ---- */

typedef enum c_name {
    C_MEM,     /* the arena */
    C_ARGS,    /* the structure of argument words */
    C_LOCAL,   /* local memory */
    C_SIZE,    /* bytes of the arena, for --bounds */
    C_STATUS,  /* two words: whether an assert failed, and the number of the first */
    C_PRIVATE, /* private memory */
    C_OWN,     /* what else a target passes around: C_OWN, C_OWN + 1, … */
    C_SPECIAL = 16,
    C_NAMES = C_SPECIAL + ISA_SPECIAL_COUNT
} c_name;

/* The name of a special register. Two enumerations meet here: the cast says that this is meant. */
#define C_SPECIAL_NAME(id) (C_SPECIAL + (int)ISA_SR_##id)

/* A name and its type, with a blank or star behind it and % for the kernel's symbol. A special
 * register without a type is an expression, used as it stands. `needs`: names (bits) that must
 * exist for it. */
typedef struct c_entry {
    const char *name, *type;
    uint64_t needs;
} c_entry;

#define C_BIT(name) ((uint64_t)1 << (name))

/* ---- Helpers: functions and types printed on top of the file when something uses them ---- */

/* The ones all targets share; a target's own follow. */
enum {
    C_MEM_U16, /* types of memory: they may alias each other */
    C_MEM_U32,
    C_MEM_I32,
    C_MEM_F32,
    C_MEM_U32X2,
    C_MEM_F32X2,
    C_MEM_U32X4,
    C_MEM_F32X4,
    C_IDIV,
    C_IMOD,
    C_UDIV,
    C_UMOD,
    C_IABS,
    C_BITFIND,
    C_BFE,
    C_BFI,
    C_FMIN,
    C_FMAX,
    C_FSAT,
    C_FFRACT,
    C_ORDERED,
    C_CVT_I32,
    C_CVT_U32,
    C_LDIV,
    C_LMOD,
    C_LUDIV,
    C_LUMOD,
    C_DORDERED,
    C_CVT_I32_F64,
    C_CVT_U32_F64,
    C_CVT_I64_F64,
    C_CVT_U64_F64,
    C_CVT_I64,
    C_CVT_U64,
    C_CVT_F16_F64,
    C_HELPERS
};

/* The text is printed with @words replaced (c_target.words), the needed ones before it. */
typedef struct c_helper {
    const char *name, *text;
    uint64_t needs;
} c_helper;

extern const c_helper c_helpers[C_HELPERS];

/* ---- A target ---- */

struct c_printer;

typedef struct c_target {
    const char *types[IR_TYPE_COUNT];
    const char *pointer;        /* type of an address in the arena, with its star */
    const char *device, *local; /* address spaces in casts, with a blank behind, or "" */
    const char *own, *constant; /* the same of private and constant memory */
    const char *constants;      /* constant memory as a pointer to its first byte */
    const char *constant_array; /* type of the array it is, with what stands before it */
    const char *function;       /* what stands before a function's type, with a blank behind */
    emit_structure structure;   /* of declared arguments */
    const char *restricted;     /* qualifier of a pointer that overlaps no other, or "" */
    const char *state;        /* type of a reference to the structure of variables, % the symbol */
    const char *vectors[2];   /* around the values of a vector: "{", "}" */
    const char *component[4]; /* .x or [0] */
    const char *forever;      /* condition of a loop that may have no exit; NULL: true */
    unsigned forever_helper;  /* what it calls */
    unsigned hide_helper;     /* wave_hidden: what a loop hands on starts unknown; 0: it need not */
    const char *pause;        /* statement between many that have no branch among them; or NULL */
    const char *wide;         /* suffix of a 64-bit literal; NULL: ull */
    const char *half;         /* before an f32 literal that becomes an f16, as "_Float16(" */
    const c_form *forms;      /* by ir_op: where the text is NULL the shared form counts */
    const c_form *fast;       /* the same for --fp=fast; may be NULL */
    const c_form *beside_barriers; /* for kernels with barriers, before all others; may be NULL */
    const char *const (*bitcasts)[IR_TYPE_COUNT]; /* [to][from]: text with $0 */
    const c_entry *names;                         /* by c_name */
    const c_helper *helpers;                      /* from C_HELPERS on */
    unsigned helper_count;
    const char *const *words; /* for helpers: word, replacement, …, NULL */
    /* Statements for operations that have no form: wave operations, barrier, fence. False: there is
     * no such operation here. */
    bool (*statement)(struct c_printer *p, ir_value v);
    /* An atomic operation as an expression that gives the old value. */
    void (*atomic)(struct c_printer *p, ir_value v);
    unsigned fail_helper; /* wave_fail(status, number), for asserts */
    /* Lines of the comment over a kernel; may be NULL. */
    void (*contract)(struct c_printer *p, buf *out);
    /* From the structure of arguments to the opening brace. */
    void (*signature)(struct c_printer *p, buf *out);
    /* The first statements: local memory, and the names that are no parameters. */
    void (*prologue)(struct c_printer *p, buf *out);
    /* Behind the body: other entries. May be NULL. */
    void (*tail)(struct c_printer *p, buf *out);
} c_target;

/* The line of a contract about status, which all targets say alike. */
#define C_STATUS_COMMENT                                                                           \
    "//   status: two words, 0; after the first assert that fails 1 and its number\n"

/* ---- The printer at work ---- */

/* A function being printed: the kernel, or a part of one that nests too deeply for a compiler. */
typedef struct c_part {
    buf text;
    ir_region region; /* its outermost one */
    uint32_t number;  /* 0: the kernel itself */
    uint64_t names;   /* what it refers to, as bits of c_name */
    unsigned indent;  /* of the caller */
    unsigned exits;   /* C_EXIT_… it may return */
    struct c_part *caller;
} c_part;

/* Flags of a region, beside those of c_code.c: the body of a loop that must be printed with the
 * target's `forever`; lanes halt in it, and others go on (c_nesting.c's own). */
enum { C_ENDLESS = 64, C_HALTS = 128 };

enum { C_EXIT_BREAK = 1, C_EXIT_CONTINUE = 2, C_EXIT_HALT = 4 };

typedef struct c_printer {
    const ir_func *f;
    const emit_options *o;
    const c_target *t;
    wave_diags *diags;
    emit_unit *unit;
    mat m;
    bool rejected; /* an error was reported */
    bool whole;    /* every wave is full */
    bool split;    /* the kernel is printed as several functions that share a structure */
    bool releases; /* a fence of the kernel releases to the device or wider */

    c_part *part; /* at work */
    buf parts;    /* functions that are complete */
    uint32_t part_count;
    buf *out;    /* text of the part at work */
    size_t line; /* where the line at work starts in it */
    unsigned indent;

    uint8_t buffers[ISA_MAX_REGISTERS]; /* by declared argument: C_BUFFER_… */
    uint32_t *number;                   /* by home: number in its name, from 1; 0: none yet */
    uint32_t counts[IR_TYPE_COUNT + 2]; /* variables by type; pointers; vectors */
    uint8_t *declared;                  /* by home */
    ir_value *first_declared; /* by operation: a home declared before it, the others in a chain */
    ir_value *next_declared;  /* by home */

    uint8_t *skip;       /* by region: it needs no lines of its own */
    uint8_t *flags;      /* by region; those of a loop or if by its first one */
    uint32_t *depth;     /* by region */
    ir_value *loop;      /* by region: the innermost around it, or 0 */
    ir_value unreached;  /* if or loop that nothing reaches: left out */
    uint8_t *header;     /* by operation: an if that became the condition of its loop */
    uint8_t *handed_on;  /* by operation: a loop's parameter that gets another one's value */
    bool dead;           /* the next statement cannot be reached */
    uint32_t pc;         /* of the comment printed last */
    unsigned statements; /* since the last branch */
} c_printer;

/* Buffers that are printed as pointers. */
enum { C_BUFFER_USED = 1, C_BUFFER_WRITTEN = 2 };

/* One kernel into the unit. False with a diagnostic. */
bool c_print_kernel(const c_target *t, const ir_func *f, const emit_options *o, emit_unit *unit,
                    wave_diags *diags);
/* The helpers that a unit's kernels use. */
void c_print_helpers(const c_target *t, const emit_unit *unit, buf *out);
/* Comment lines on top of a file: for what, from what, and how it was made. */
void c_print_title(const emit_options *o, const emit_arch *arch, buf *out);
bool c_is_helper(const c_target *t, const char *name);
/* Text with % replaced by the kernel's symbol. */
void c_symbol_text(const c_printer *p, const char *text, buf *out);
/* Whether the code uses a name; what the signature and the prologue ask. */
bool c_refers_to(const c_printer *p, c_name name);

/* ---- c_expression.c ---- */

extern const mat_target c_mat_target, c_mat_target_bounds;
bool c_has_form(const c_printer *p, ir_value v);
void c_expression(c_printer *p, ir_value v, unsigned level);
/* The operation itself, even where its value has a variable. */
void c_operation(c_printer *p, ir_value v, unsigned level);
void c_condition(c_printer *p, ir_value v, bool negated, unsigned level);
/* The value read as a signed number. */
void c_signed(c_printer *p, ir_value v, unsigned level);
/* Text with $0… and #0… replaced by the operands given. */
void c_format(c_printer *p, const c_form *form, const ir_value *operands);
/* The same as a value's whole text, in parentheses where the level asks for them. */
void c_form_at(c_printer *p, const c_form *form, const ir_value *operands, unsigned level);
void c_bitcast(c_printer *p, ir_type to, ir_value from, unsigned level);
void c_use(c_printer *p, c_name name); /* prints it, and sees to it that it exists */
void c_need(c_printer *p, unsigned helper);
void c_need_names(c_printer *p, uint64_t names);
/* Whether an f32 is never NaN and always within the signed integers. */
bool c_fits_i32(const ir_func *f, ir_value v);
/* A 32-bit constant on this target: sizes of workgroups count. */
bool c_const(const c_printer *p, ir_value v, uint32_t *bits);

/* ---- c_literal.c ---- */

void c_u32(buf *out, uint32_t value);
void c_literal(c_printer *p, ir_type type, uint64_t bits, unsigned level);

/* ---- c_code.c ---- */

void c_code(c_printer *p);
void c_variable(c_printer *p, ir_value v);
void c_line(c_printer *p); /* indents the next line */
/* "    uint32_t u3 = ", "    u3 = ", or the indent alone when nobody uses the value. */
void c_begin(c_printer *p, ir_value v);
void c_end(c_printer *p); /* ";\n" */
/* A whole statement that sets v. */
void c_assign(c_printer *p, ir_value v, const c_form *form, const ir_value *operands);
void c_reject(c_printer *p, ir_value v); /* nobody can print it */

/* ---- c_wrap.c ---- */

/* Breaks the line at work, which is a statement or its start, if it is too long. */
void c_wrap(c_printer *p);

/* ---- c_nesting.c ---- */

/* Blocks inside each other in one function. */
enum { C_MOST_LEVELS = 100 };

/* Fills p->depth and p->loop; true when some block is too deep for one function. */
bool c_look_around(c_printer *p);
/* Flags the loops of a target that has `forever` where it must not see when they end: no way out
 * may be left of a loop once conditions that stay the same have been asked before it
 * (analyse_exits.c; with --bounds there are such conditions all over, and more follows from them
 * than that analysis knows; at -O0 a compiler folds what nobody has folded before), or lanes leave
 * a loop in it at different times and all leave it together, or lanes halt in the other side of an
 * if that it is in, or a vote ends it. False: no memory. */
bool c_find_endless(c_printer *p);

/* Fills p->handed_on, for a target that has `hide_helper`. */
void c_find_handed_on(c_printer *p);

/* ---- c_scope.c ---- */

bool c_find_scopes(c_printer *p);

/* ---- c_arguments.c ---- */

/* An argument word. */
void c_argument(c_printer *p, ir_value v, unsigned level);
/* The member itself where it has the type asked for: a float, or (IR_U32) a signed number. */
bool c_typed_argument(c_printer *p, ir_value v, ir_type type);
/* The member that both words of a number are, where it is a u64 or (IR_F64) a double. */
bool c_wide_argument(c_printer *p, ir_value v, ir_type type);
/* What an access of `type` reads or writes as an element of a buffer; false: it is none. */
bool c_element(c_printer *p, ir_value v, unsigned type);
/* Declares the buffers that elements are of. */
void c_put_buffers(c_printer *p, buf *out);

/* ---- c_memory.c ---- */

bool c_memory(c_printer *p, ir_value v);
/* The type of the words of a wide load's variable: IR_F32 when all are used as that. */
ir_type c_parts_type(const c_printer *p, ir_value load);
/* Base and offset of an access, for between the parentheses of a cast. */
void c_place(c_printer *p, ir_value v);
/* A pointer to `type` (C_MEM_…) at the address of an access. */
void c_address(c_printer *p, ir_value v, unsigned type);
/* The type an atomic operation works on: C_MEM_U32, C_MEM_I32 for signed, C_MEM_F32. */
unsigned c_atomic_type(const c_printer *p, ir_value v);

#endif
