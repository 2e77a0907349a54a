/* The printer that HIP, SYCL and MSL share. It implements structure, names, literals, expressions
 * and memory accesses once. A target is a table (c_target): its types, its spelling of operations,
 * wave operations, atomics and fences, its parameters and prologue, and functions for what a table
 * cannot express.
 *
 *   c_unit.c        one kernel from start to end: declarations, functions, signature
 *   c_entry.c       the text around the code: parameters, entries, first values
 *   c_code.c        structure: if, while, copies, functions of kernels that nest deeply
 *   c_names.c       names of variables
 *   c_scope.c       where each variable is declared
 *   c_expression.c  values as expressions, with few parentheses
 *   c_form.c        texts with operands in them
 *   c_range.c       conversions that cannot overflow
 *   c_literal.c     constants that read back as the same bits
 *   c_lines.c       #line directives
 *   c_wrap.c        breaks long lines
 *   c_memory.c      loads, stores, bounds, asserts
 *   c_atomic.c      atomic operations
 *   c_tile.c        tiles of matrix units
 *   c_wave.c        wave operations, the barrier, fences
 *   c_function.c    functions and calls
 *   c_arguments.c   declared arguments by name, elements of buffers
 *   c_helpers.c     helper functions at the top of a file; their texts are in src/emit/helpers
 *   c_entry.h       the types of the tables around the code
 *   c_rows.h        rows that the tables of several targets have in common */
#ifndef EMIT_C_PRINTER_H
#define EMIT_C_PRINTER_H

#include "emit/c_entry.h"
#include "emit/emit.h"
#include "emit/materialise.h"
#include "emit/put.h"

/* ---- Expressions ---- */

/* Precedence of expressions, lowest first. */
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

/* An operation as text: $0 is its first operand, #0 the same operand as a signed number, !0 as a
 * negated condition, %0 as a constant in plain decimal. An operand is parenthesised when its
 * precedence is lower than its entry in `operands`. Words of wave operations:
 *
 *   @below, @above  the lane that is operand 1 below or above this one; if there is none, a number
 *                   outside the wave
 *   @lanes          the number of lanes of the wave that exist
 *   @width          the number of lanes of a whole wave */
typedef struct c_form {
    const char *text; /* a literal */
    uint8_t level;
    uint8_t operands[4];
    uint8_t helper; /* 1 + the helper that it calls, or 0 */
    bool chains;    /* the first operand may be the same operation: a && b && c */
    uint64_t names; /* bit set of the names in the text */
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

/* Index of a shuffle in a table of those only. */
#define C_SHUFFLE_OF(op) ((op)-IR_WAVE_SHUFFLE)
enum { C_SHUFFLE_COUNT = C_SHUFFLE_OF(IR_WAVE_BROADCAST) + 1 };

/* ---- Helpers: functions and types printed at the top of the file if something uses them ---- */

/* Shared by all targets; a target's own helpers follow. */
enum {
    C_MEM_U16, /* memory types: they may alias each other */
    C_MEM_U32,
    C_MEM_I32,
    C_MEM_F32,
    C_MEM_U64,
    C_MEM_I64,
    C_MEM_F64,
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

/* The text is printed with @words replaced (c_target.words), after the helpers that it needs. */
typedef struct c_helper {
    const char *name, *text;
    uint64_t needs;
} c_helper;

extern const c_helper c_helpers[C_HELPERS]; /* src/emit/helpers/common.txt */

/* ---- A target ---- */

struct c_printer;

/* Barrier and fences, as statements. */
typedef struct c_fences {
    c_form barrier;
    /* Synchronises the lanes of a wave and their memory; the second statement may be empty. */
    c_form sync[2];
    const char *fence;     /* with @order and @scope */
    const char *orders[2]; /* weaker than sequentially consistent; and that */
    const char *scopes[ISA_SCOPE_COUNT];
    /* In kernels with a fence that releases at device scope or wider, a statement before every
     * barrier; releasing workgroup fences then have device scope. Empty: not needed. */
    c_form release;
} c_fences;

/* Atomic operations, as texts with @words:
 *
 *   @object   objects[space]
 *   @pointer  a pointer to the word; @element: the word as an lvalue; @place: a pointer of any type
 *   @word     words[type]
 *   @name     fetch_add, exchange, …
 *   @scope    scopes[scope]
 *   @values   the operands, each after a comma; @value: one operand or none
 *   @helper   the name of the helper */
typedef struct c_atomics {
    const char *text;             /* the target's own operation; yields the old value */
    const char *help;             /* a call of a helper */
    const char *objects[2];       /* by space: what the operation works on */
    uint8_t object_helpers[2];    /* the helpers that define its type, or 0 */
    const char *words[C_MEM_F64]; /* by C_MEM_… */
    const char *scopes[ISA_SCOPE_COUNT];
    uint8_t cas[2], cas64[2], fadd[2]; /* by space: helpers; 0: the target's own operation */
    bool fast_fadd[2];                 /* for --fp=fast, its own operation adds floats */
    bool lacks_sub;
    bool casts_unused; /* casts the old value of a signed operation even if nothing uses it */
} c_atomics;

/* The matrix units of an architecture, for waves of one width. */
typedef struct c_units {
    unsigned arch;
    uint32_t width;
    uint8_t exact;  /* elements of A and B, 1 << ir_element each: the results are the emulator's */
    uint8_t native; /* more elements whose results may differ */
    uint8_t helper; /* wave_tile */
} c_units;

typedef struct c_target {
    const char *types[IR_TYPE_COUNT];
    const char *pointer;        /* type of an address in the arena, with its star */
    const char *device, *local; /* address spaces in casts, with a trailing blank, or "" */
    const char *own, *constant; /* the same for private and constant memory */
    const char *constants;      /* constant memory as a pointer to its first byte */
    const char *constant_array; /* type of the array that holds it, with its specifiers */
    const char *local_array;    /* declares local memory up to its size; NULL: a parameter */
    const char *own_array;      /* the same for private memory */
    const char *function;       /* specifiers before a function's type, with a trailing blank */
    const char *apart;          /* the same for a function that must not be inlined */
    emit_structure structure;   /* of declared arguments */
    const char *restricted;     /* qualifier of a pointer that overlaps no other, or "" */
    const char *state;      /* type of a reference to the structure of variables; % is the symbol */
    const char *vectors[2]; /* text around the values of a vector: "{", "}" */
    const char *component[4]; /* .x or [0] */
    const char *forever;      /* condition of a loop that may have no exit; NULL: true */
    const char *turn;         /* instead of `forever`: the first statement of such a loop */
    unsigned forever_helper;  /* the helper that `forever` or `turn` calls */
    /* Runs before anything is printed: flags loops C_ENDLESS and fills p->handed_on. False when out
     * of memory. NULL: the target needs neither. */
    bool (*find_loops)(struct c_printer *p);
    unsigned hide_helper;  /* wave_hidden, for loop parameters that are rotated; 0: not needed */
    const char *pause;     /* statement that breaks up long branch-free runs, or NULL */
    const char *wide;      /* suffix of a 64-bit literal; NULL: ull */
    const char *half;      /* text before an f32 literal that becomes an f16: "_Float16(" */
    const c_form *forms;   /* by ir_op; where the text is NULL, the shared form applies */
    const c_form *of_arch; /* by ir_op: overrides of one architecture; may be NULL */
    const c_form *fast;    /* for --fp=fast, tried before these; may be NULL */
    const c_form *with_barriers; /* for kernels with barriers, tried first; may be NULL */
    const char *const (*bitcasts)[IR_TYPE_COUNT]; /* [to][from]: text with $0 */
    const c_entry *names;                         /* by c_name */
    const c_helper *helpers;                      /* numbered from C_HELPERS */
    unsigned helper_count;
    const char *const *words; /* for helpers: word, replacement, …, NULL; c_helpers.c has more */
    const c_form *waves; /* by ir_op: wave operations; $0 is the operand that follows the token */
    /* Shuffles and broadcasts that have a better form than their row in `waves`: by a constant
     * below the width, if the lane that is read exists or the function gives 0 for it, and by a
     * number that is the same for all lanes. By C_SHUFFLE_OF(op); NULL: none. */
    const c_form *constant_shuffles, *uniform_shuffles;
    /* Prints an exchange with lane ^ mask, a constant below the width. NULL: it is printed like any
     * other shuffle. */
    void (*exchange)(struct c_printer *p, ir_value v, uint32_t mask);
    c_name lanes; /* the number of lanes of the wave that exist */
    const c_fences *fences;
    const c_units *units; /* of architectures that have them; the last has no helper */
    bool tile_columns;    /* A and B may lie in columns, or in rows in one place and columns in
                           * another */
    unsigned bf16_helper; /* more of wave_tile, for tiles of bf16; 0: nothing */
    const char *tile_elements[IR_ELEMENT_COUNT]; /* types of the elements */
    /* Text before the address of a tile in local and device memory; % is the element type, and an
     * opened parenthesis is closed. NULL: a byte pointer. */
    const char *tile_pointers[2];
    const char *hinted[2]; /* load( and store( of an access with a cache hint; NULL: no hint */
    const c_atomics *atomics;
    unsigned fail_helper;  /* wave_fail(status, number), for asserts */
    bool status_if_used;   /* only kernels that use status have that parameter */
    const c_value *values; /* names that are neither parameters nor memory; the last has no text */
    const char *threads;   /* the number of threads in a workgroup whose size is not fixed */
    uint64_t threads_need; /* the bit set of names in that */
    const c_parameter_row *parameters; /* the last has no text */
    const c_list *lists;               /* the last has no word */
    /* From the structure of arguments to the opening brace, and statements about parameters. */
    const c_text *signature;
    const c_text *contract; /* more lines for the comment above a kernel, or NULL */
    const c_text *tail;     /* other entries, after the body, or NULL */
} c_target;

/* ---- State of the printer ---- */

enum { C_MOST_LEVELS = 100 }; /* maximum depth of nested blocks in one function */

/* A function being printed: the kernel, or a part of a kernel that nests too deeply for
 * compilers. */
typedef struct c_part {
    buf text;
    ir_region region; /* its outermost region */
    uint32_t number;  /* 0: the kernel itself */
    uint64_t names;   /* bit set of the c_names that it refers to */
    unsigned indent;  /* of the caller */
    unsigned exits;   /* the C_EXIT_… that it may return */
    struct c_part *caller;
} c_part;

/* Flags of a region, in addition to those of c_code.c: the body of a loop that must be printed with
 * the target's `forever` or `turn`; a flag that the target may use in `find_loops`. */
enum { C_ENDLESS = 64, C_TARGET_FLAG = 128 };

enum { C_EXIT_BREAK = 1, C_EXIT_CONTINUE = 2, C_EXIT_HALT = 4 };

/* A variable's name. */
typedef struct c_named {
    put_label label; /* the whole name, once it has been printed; none if it is long */
    uint32_t number; /* the variable's among those of its type or name */
    uint16_t name;   /* number of its name in the source, or 0 */
} c_named;

/* A cast to a type of memory; the length is 0 until it has been printed. */
typedef struct c_cast {
    char text[31];
    uint8_t length;
} c_cast;

typedef struct c_shapes c_shapes; /* c_form.c */

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
    bool releases; /* a fence of the kernel releases at device scope or wider */

    ir_uniformity uniformity; /* see ir_is_uniform */

    c_part *part;            /* being printed */
    buf parts;               /* completed functions */
    buf functions, function; /* functions of the IR, which precede `parts`; the current one */
    struct {
        bool split;
        uint64_t names;
        uint32_t counts[IR_TYPE_COUNT + 2];
    } kernel; /* saved while a function of the IR is printed */
    uint32_t part_count;
    buf *out;    /* text of the current part */
    size_t line; /* offset of the current line in it */
    unsigned indent;

    uint8_t buffers[ISA_MAX_REGISTERS]; /* by declared argument: C_BUFFER_… */
    const c_form *forms[IR_OP_COUNT];   /* those of this kernel, as they are found */
    c_shapes *shapes;
    put_label types[IR_TYPE_COUNT]; /* with a trailing blank; none: too long */
    c_cast casts[IR_SPACE_COUNT][C_MEM_F32X4 + 1];
    uint32_t *variable; /* by home: index of its name, or 0: it is not declared yet */
    c_named *names;     /* index 0 is not used */
    uint32_t name_count, name_capacity;
    c_named numbered[IR_TYPE_COUNT + 1]; /* by type: the last numbered variable with a label */
    uint32_t counts[IR_TYPE_COUNT + 2];  /* variables by type; pointers; vectors */
    uint32_t *uses;                      /* by name in the source: number of variables */
    ir_value *first_declared; /* by first region of an if or loop: the first home that is declared
                                 before it, in a linked list */
    ir_value *next_declared;  /* by home: the next of that list */

    uint8_t *skip;        /* by region: it prints no lines of its own */
    uint8_t *flags;       /* by region; for a loop or if, of its first region */
    const ir_value *loop; /* by region: the innermost enclosing loop, or 0 */
    ir_value unreached;   /* an unreachable if or loop, which is omitted */
    uint8_t *header;      /* by first region of an if: it became the condition of its loop */
    uint8_t *handed_on;   /* with find_loops, by loop parameter: it receives another one's value */
    bool dead;            /* the next statement is unreachable */
    uint32_t pc;          /* of the last comment printed */
    unsigned statements;  /* since the last branch */
} c_printer;

/* Buffers that are printed as pointers. */
enum { C_BUFFER_USED = 1, C_BUFFER_WRITTEN = 2 };

/* Prints one kernel into the unit. False with a diagnostic. */
bool c_print_kernel(const c_target *t, const ir_func *f, const emit_options *o, emit_unit *unit,
                    wave_diags *diags);
/* Prints the helpers that a unit's kernels use. */
void c_print_helpers(const c_target *t, const emit_unit *unit, buf *out);
/* Comment lines at the top of a file: its target, its source, and the command that made it. */
void c_print_title(const emit_options *o, const emit_arch *arch, buf *out);
bool c_is_helper(const c_target *t, const char *name);
/* Prints the text up to its next @word, moves it to the word's first letter, and returns the word's
 * length; 0 at the end. */
size_t c_put_to_word(const char **text, buf *out);
bool c_is_word(const char *at, size_t length, const char *word);
/* Text with each @word replaced: word, replacement, …, NULL. */
void c_put_words(const char *const *words, const char *text, buf *out);
/* Text with % replaced by the kernel's symbol. */
void c_symbol_text(const c_printer *p, const char *text, buf *out);
/* A parameter of a type as in c_entry. The name is NULL if the parameter is unused. */
void c_parameter(const c_printer *p, const char *type, const char *name, buf *out);
/* Whether the launch contract has this parameter; false for those that only some targets pass. */
bool c_is_passed(const c_printer *p, unsigned name);
/* Whether the code uses a name; for the signature and the prologue. */
bool c_refers_to(const c_printer *p, c_name name);
/* Whether an operation that involves one of these types (see ir_op_involves) was ever made. */
bool c_makes(const ir_func *f, const char *types);

/* ---- c_entry.c ---- */

/* Notes the names that are needed to compute those that the code refers to. */
void c_find_values(c_printer *p);
void c_put_values(const c_printer *p, buf *out);
/* The rows whose conditions hold; nothing if the table is NULL. */
void c_put_text(const c_printer *p, const c_text *rows, buf *out);

/* ---- c_expression.c ---- */

extern const mat_target c_mat_target, c_mat_target_bounds;
bool c_has_form(c_printer *p, ir_value v);
const c_form *c_new_form(c_printer *p, ir_op op);
/* The form of an operation; NULL: it has none. */
static inline const c_form *c_form_of(c_printer *p, ir_op op) {
    return p->forms[op] ? p->forms[op] : c_new_form(p, op);
}
void c_expression(c_printer *p, ir_value v, unsigned level);
/* The operation itself, even if its value has a variable. */
void c_operation(c_printer *p, ir_value v, unsigned level);
void c_condition(c_printer *p, ir_value v, bool negated, unsigned level);
/* The value as a signed number. */
void c_signed(c_printer *p, ir_value v, unsigned level);
void c_bitcast(c_printer *p, ir_type to, ir_value from, unsigned level);
void c_use(c_printer *p, c_name name); /* prints the name and notes that it is needed */
void c_need(c_printer *p, unsigned helper);
static inline void c_need_names(c_printer *p, uint64_t names) {
    p->part->names |= names;
}
/* Whether an f32 is never NaN and always within the range of i32. */
bool c_fits_i32(const ir_func *f, ir_value v);
/* A 32-bit constant on this target, including workgroup sizes. */
bool c_const(const c_printer *p, ir_value v, uint32_t *bits);
/* Whether all lanes of a wave hold the same value. Only for the lane operand of wave_shuffle and
 * wave_broadcast. */
bool c_is_uniform(c_printer *p, ir_value v);

/* ---- c_form.c ---- */

c_shapes *c_make_shapes(void); /* one block to be freed; NULL when out of memory */
/* Text with $0… and #0… replaced by the operands given. */
void c_format(c_printer *p, const c_form *form, const ir_value *operands);
/* The text of a bit cast: "as_float($0)" or, with a higher level, "(uint16_t)$0". */
void c_format_cast(c_printer *p, const char *text, const ir_value *operand);
/* The same as c_format as a complete value, in parentheses where `level` requires them. */
void c_form_at(c_printer *p, const c_form *form, const ir_value *operands, unsigned level);

/* ---- c_literal.c ---- */

void c_u32(buf *out, uint32_t value);
void c_literal(c_printer *p, ir_type type, uint64_t bits, unsigned level);

/* ---- c_code.c ---- */

void c_code(c_printer *p);
void c_line(c_printer *p); /* indents the next line */
/* "    uint32_t u3 = ", "    u3 = ", or only the indent if the value is unused. */
void c_begin(c_printer *p, ir_value v);
void c_end(c_printer *p); /* ";\n" */
/* A whole statement that sets v. */
void c_assign(c_printer *p, ir_value v, const c_form *form, const ir_value *operands);
void c_reject(c_printer *p, ir_value v); /* reports an operation that nothing can print */
bool c_flag_loops(c_printer *p);         /* a c_target.find_loops: every loop is flagged */

/* ---- c_names.c ---- */

void c_new_variable(c_printer *p, ir_value v); /* one whose name has no label */
static inline void c_variable(c_printer *p, ir_value v) {
    uint32_t index = p->variable[mat_home(&p->m, v)];
    if (index && p->names[index].label.length)
        put_labelled(p->out, &p->names[index].label);
    else
        c_new_variable(p, v);
}
/* The prefix of a numbered variable, by type; IR_TYPE_COUNT is for pointers. */
extern const put_label c_prefix[IR_TYPE_COUNT + 1];
static inline bool c_is_pointer(const c_printer *p, ir_value v) {
    return ir_op_of(p->f, v) == IR_POINTER || ir_op_of(p->f, v) == IR_BUFFER;
}
/* A variable that belongs to no value. */
uint32_t c_new_scratch(c_printer *p, ir_type type);
void c_scratch(c_printer *p, ir_type type, uint32_t number);

/* ---- c_lines.c ---- */

void c_put_line_number(const c_printer *p, const emit_line *line, buf *out);
void c_start_lines(const c_printer *p, buf *out);
/* Repeats #line directives in the text after `from`, so that every line keeps its source line. */
void c_repeat_lines(buf *text, size_t from);

/* ---- c_wrap.c ---- */

enum { C_MOST_COLUMNS = 114 }; /* including the end of the line */
void c_break(c_printer *p);
/* Breaks the current line, a statement or the start of one, if it is too long. */
static inline void c_wrap(c_printer *p) {
    if (p->out->size - p->line > C_MOST_COLUMNS)
        c_break(p);
}

/* ---- c_scope.c ---- */

void c_find_scopes(c_printer *p);

/* ---- c_arguments.c ---- */

/* An argument word. */
void c_argument(c_printer *p, ir_value v, unsigned level);
/* The member itself if it has the requested type: a float, or (IR_U32) a signed number. */
bool c_typed_argument(c_printer *p, ir_value v, ir_type type);
/* The member that both words of a number belong to, if it is a u64 or (IR_F64) a double. */
bool c_wide_argument(c_printer *p, ir_value v, ir_type type);
/* The element of a buffer that an access of `type` reads or writes, after the text `before`; false,
 * with nothing printed, if it is not an element. */
bool c_element(c_printer *p, ir_value v, unsigned type, const char *before);
/* A pointer of `type` (C_MEM_…; C_HELPERS: any) to the element that an atomic operation works on.
 */
bool c_element_pointer(c_printer *p, ir_value v, unsigned type);
/* Declares the buffers whose elements are accessed. */
void c_put_buffers(c_printer *p, buf *out);

/* ---- c_function.c ---- */

/* Statements between these two calls belong to the function. */
void c_open_function(c_printer *p, ir_value v);
void c_close_function(c_printer *p);
void c_return(c_printer *p, ir_value v);
void c_call(c_printer *p, ir_value v);

/* ---- c_wave.c ---- */

bool c_wave(c_printer *p, ir_value v); /* false: not a wave operation, barrier or fence */
/* The first fence of this scope or a wider one, or 0. `releases`: not one that only acquires. */
ir_value c_find_fence(const ir_func *f, unsigned scope, bool releases);
/* Prints the text for a @word of a form; returns the word's length. */
size_t c_wave_word(c_printer *p, const char *word, const ir_value *operands);

/* ---- c_tile.c ---- */

bool c_tile(c_printer *p, ir_value v); /* false: not a tile operation */
/* The units that can multiply the tiles of a kernel; see emit_backend.units. */
ir_units c_units_of(const c_target *t, const ir_func *f, unsigned arch, bool native);

/* ---- c_memory.c ---- */

bool c_memory(c_printer *p, ir_value v);
/* The type of the words in a wide load's variable: IR_F32 if all are used as f32. */
ir_type c_parts_type(const c_printer *p, ir_value load);
/* Base and offset of an access, to go between the parentheses of a cast. */
void c_place(c_printer *p, ir_value v);
/* A pointer to `type` (C_MEM_…) at the address of an access. */
void c_address(c_printer *p, ir_value v, unsigned type);

/* ---- c_atomic.c ---- */

/* An atomic operation as an expression that yields the old value. */
void c_atomic(c_printer *p, ir_value v);
/* The type that it works on: C_MEM_U32, C_MEM_I32 for signed, C_MEM_F32, C_MEM_U64 or C_MEM_I64. */
unsigned c_atomic_type(const c_printer *p, ir_value v);
ir_value c_find_wide_atomic(const ir_func *f); /* the first 64-bit one, or 0 */
ir_type c_atomic_value(unsigned type);         /* the type of its values */

#endif
