/* The state of one assembly, shared by the files of the assembler:
 *
 *   lexer.c       characters to tokens
 *   input.c       where tokens come from: the source, included files, macros and their arguments
 *   parser.c      statements; operand.c, address.c and expr.c: their parts
 *   directives.c  the table of directives; kernels.c, arguments.c, symbols.c, macro.c, data.c and
 *                 location.c: what they do
 *   habits.c      hints for mnemonics of other assemblers
 *   encode.c      instructions to words; encode_operand.c and tile.c: their operands;
 *                 encode_text.c: messages about operands; lower.c: the expansion of sugar
 *   allocate.c    registers for names and temporaries, once a whole kernel is known
 *   registers.c   names of registers, for readers of the file
 *   assemble.c    the whole file */
#ifndef ASM_ASM_H
#define ASM_ASM_H

#include "asm/input.h"
#include "asm/lexer.h"
#include "asm/names.h"
#include "asm/symbols.h"
#include "base/arena.h"
#include "frontend/wbin_ext.h"
#include "isa/tile.h"

typedef struct asm_kernel {
    const char *name; /* NULL: anonymous */
    size_t name_length;
    asm_place place; /* of the name, or of the directive */
    uint32_t registers, local_memory, private_memory, workgroup[3];
    asm_place registers_at, local_at, private_at,
        workgroup_at;                              /* .at is NULL: the default applies */
    size_t code_start, code_size;                  /* in asm_state.code */
    size_t argument_start, line_start, name_start; /* in the lists of the state */
    uint32_t argument_count, argument_words, line_count, name_count;
    bool sugared; /* uses syntactic sugar */
    bool located; /* has a .loc: the lines of the source itself do not count */
    bool retired; /* its registers are assigned */
} asm_kernel;

/* Where a kernel first used a register above all earlier ones. The check of register numbers needs
 * .registers, which may come last. */
typedef struct asm_high {
    uint32_t kernel, number;
    asm_place place;
} asm_high;

#define ASM_NO_KERNEL UINT32_MAX

typedef struct asm_label {
    asm_place place;
    uint32_t kernel; /* ASM_NO_KERNEL outside of kernels */
    uint32_t offset; /* from the start of the kernel's code; upstream's arithmetic under compat */
} asm_label;

typedef struct asm_call {
    asm_place place; /* of the label's name */
    uint32_t kernel;
    uint32_t expansion; /* the macro expansion that contains it, or 0 */
    size_t at;          /* of the word to fill in, in asm_state.code */
} asm_call;

/* A byte of the code that is waiting for the number of a register or predicate. */
typedef struct asm_fixup {
    size_t at;
    uint32_t ref; /* asm_ref */
} asm_fixup;

/* What a field without a number refers to: 0 nothing, else a symbol (its index + 1) or a
 * temporary. */
typedef uint32_t asm_ref;
#define ASM_TEMPORARY 0x80000000u

/* The registers of the current kernel. */
typedef struct asm_registers {
    uint8_t used[ISA_MAX_REGISTERS + 4]; /* 1: named as rN, or assigned to a name */
    uint8_t predicates;                  /* bits */
    uint32_t temporaries;                /* of the current instruction */
    uint32_t most_temporaries;
    uint32_t named; /* 1 + the highest number of a .reg, or 0; one without a number counts as r0 */
    size_t first_fixup, first_symbol;
} asm_registers;

typedef struct asm_text {
    asm_place place;
    const char *text;
    uint32_t length;
    int64_t id;     /* -1: to be chosen */
    bool automatic; /* was chosen automatically */
    size_t at;      /* of the immediate in the code */
} asm_text;

typedef struct asm_state {
    asm_reporter reporter;
    asm_lexer lexer;
    asm_token token; /* the next one */
    asm_input input;
    const wave_asm_options *options;
    bool compat;
    bool failed; /* out of memory */
    bool extended;
    bool open;             /* inside a kernel */
    bool outside_reported; /* "outside a kernel" is reported once per region */
    bool track;            /* line numbers of instructions are recorded */
    bool located;          /* some .loc was written */
    bool has_private;      /* some .private_memory was written */
    bool has_constant;     /* some .constant was written */
    size_t errors_before;  /* reported before the open kernel */
    uint32_t register_top; /* 1 + the highest register of the kernel started last */
    uint32_t upstream_pc;  /* upstream's running label counter */
    buf code;
    buf *tree;  /* --dump-ast, or NULL */
    buf *lines; /* source line of each instruction, or NULL */
    buf constants;
    buf line_records;  /* fe_line */
    asm_place line_at; /* of the current statement */
    fe_line loc;       /* the last .loc */
    arena memory;
    asm_names label_names, kernel_names, file_names;
    asm_symbols symbols;
    asm_registers registers;
    asm_kernel *kernels;
    asm_label *labels;
    asm_call *calls;
    asm_high *highs;
    asm_fixup *fixups;
    wave_argument *arguments;
    asm_text *texts;
    wave_register_name *register_names;
    size_t kernel_count, label_count, call_count, high_count, fixup_count, argument_count;
    size_t text_count, register_name_count;
    int64_t largest_id; /* of the asserts with an explicit number */
    size_t kernel_room, label_room, call_room, high_room, fixup_room, argument_room, text_room;
    size_t register_name_room;
} asm_state;

/* Makes room for one more element; sets a->failed when out of memory. */
bool asm_grow(asm_state *a, void **list, size_t count, size_t *room, size_t element);

/* The next token, through macros and included files. */
static inline void asm_advance(asm_state *a) {
    asm_lexer_next(&a->lexer, &a->token);
    if (a->input.depth)
        asm_input_resolve(a);
}

bool asm_token_is(const asm_token *token, const char *text);
static inline bool asm_is_operator(const asm_token *token, int operator_value) {
    return token->kind == ASM_OPERATOR && token->value == operator_value;
}
static inline bool asm_line_ends(const asm_state *a) {
    return a->token.kind == ASM_NEWLINE || a->token.kind == ASM_EOF;
}
/* Continues at the next line. */
void asm_recover(asm_state *a);
asm_kernel *asm_last_kernel(asm_state *a);
bool asm_first_sugar(asm_state *a, const asm_place *place);
/* Notes that syntactic sugar is used; false, after an error, under --compat-upstream. */
static inline bool asm_sugar(asm_state *a, const asm_place *place) {
    return (a->kernel_count && a->kernels[a->kernel_count - 1].sugared) ||
           asm_first_sugar(a, place);
}

/* ---- parser.c ---- */

void asm_parse(asm_state *a);

/* The scope with this name (without the dot), or -1. */
int asm_find_scope(const char *name, size_t length);
/* The key under which a label of an expansion is stored; NULL when out of memory. */
const char *asm_label_key(asm_state *a, const asm_place *place, uint32_t expansion, size_t *length);
/* The same for an operand token, `.device` or `device`, and by the names of alias.def. */
int asm_token_scope(const asm_token *token);
/* ISA_HINT_…; ISA_HINT_COUNT when it is not a hint. */
unsigned asm_token_hint(const asm_token *token);

/* ---- expr.c ---- */

/* Parses a number; false after an error. */
bool asm_expression(asm_state *a, asm_value *value);
/* The same when the first token has already been taken. */
bool asm_expression_from(asm_state *a, const asm_token *first, asm_value *value);
/* Only the tightest binding: a number, a name, sizeof, an expression in parentheses. */
bool asm_factor(asm_state *a, asm_value *value);
/* An integer expression within these bounds. */
bool asm_integer(asm_state *a, int64_t least, int64_t most, int64_t *value);

/* ---- operand.c, address.c ---- */

enum { ASM_MAX_OPERANDS = 6 };

/* [base + index * scale + offset]; kind ASM_EOF: that part is absent. */
typedef struct asm_address {
    asm_token base, index;
    int64_t scale, offset;
} asm_address;

typedef struct asm_statement {
    asm_token guard; /* kind ASM_EOF: none */
    asm_token mnemonic;
    isa_op op;
    isa_tile_type tile; /* named by the mnemonic; ISA_TILE_TYPES: none */
    asm_token hint;     /* kind ASM_EOF: none */
    asm_token scope;    /* written after the mnemonic; kind ASM_EOF: none */
    asm_token order;    /* .acquire …; kind ASM_EOF: none */
    asm_token operand[ASM_MAX_OPERANDS];
    asm_address address;    /* of the operand of kind ASM_ADDRESS */
    const asm_macro *macro; /* the mnemonic is a macro's name; NULL: it is not */
    size_t count;           /* operands written, including those that did not fit */
} asm_statement;

/* Continues an operand that does not end after its first token, or that starts with an operator.
 * `token` holds the first token, which has already been taken. */
bool asm_parse_operand(asm_state *a, asm_statement *s, asm_token *token);
bool asm_parse_address(asm_state *a, asm_statement *s, asm_token *token);

/* ---- directives.c and the files it dispatches to ---- */

void asm_parse_directive(asm_state *a);
bool asm_is_directive(const asm_token *token);
/* The unescaped text of a quoted token, in the arena; NULL after an error. */
const char *asm_unquote(asm_state *a, const asm_token *token, size_t *length);
void asm_parse_kernel(asm_state *a, const asm_token *name);
void asm_parse_end(asm_state *a, const asm_token *name);
void asm_parse_argument(asm_state *a, const asm_token *directive);
void asm_parse_register(asm_state *a, const asm_token *directive);
void asm_parse_predicate(asm_state *a, const asm_token *directive);
void asm_parse_const(asm_state *a, const asm_token *directive);
void asm_parse_macro(asm_state *a, const asm_token *directive);
void asm_parse_include(asm_state *a, const asm_token *directive);
void asm_parse_condition(asm_state *a, const asm_token *directive);
void asm_parse_constant(asm_state *a, const asm_token *directive);
void asm_parse_data(asm_state *a, const asm_token *directive);
void asm_parse_align(asm_state *a, const asm_token *directive);
void asm_parse_location(asm_state *a, const asm_token *directive);
void asm_parse_assert(asm_state *a, const asm_token *guard);

/* ---- location.c ---- */

void asm_close_lines(asm_state *a, asm_kernel *kernel);
/* Records the source location of the next instruction. */
void asm_note_location(asm_state *a);

/* ---- encode.c ---- */

typedef struct asm_encoding {
    uint32_t field[ISA_FIELDS];
    asm_ref ref[ISA_FIELDS];
    uint32_t tail;
    uint32_t guard;
    asm_ref guard_ref;
    bool label; /* the tail is a label: filled in at the end */
} asm_encoding;

/* Checks the operands and appends the words. False when an error was reported. */
bool asm_encode(asm_state *a, asm_statement *statement);
/* Appends the words of a valid instruction. */
void asm_emit(asm_state *a, isa_op op, const asm_encoding *e);
/* Reports a mnemonic that --compat-upstream does not know. */
ASM_COLD void asm_no_such_instruction(asm_state *a, const asm_token *mnemonic);

/* ---- encode_operand.c ---- */

/* The number of general registers a role covers: a table, because every operand needs it. */
extern const uint8_t asm_role_width[ISA_ROLE_PLACE + 1];
/* An operand with this role, into field f. Returns false after an error. */
bool asm_encode_operand(asm_state *a, const asm_statement *s, const asm_token *token, unsigned role,
                        unsigned f, asm_encoding *e);
/* The operand in the second word: a scope, number or label. */
bool asm_encode_tail(asm_state *a, const asm_statement *s, const asm_token *token, asm_encoding *e);
/* The symbol of a predicate's name, or NULL after an error. */
asm_symbol *asm_find_predicate(asm_state *a, const asm_token *token);
/* The number of a special register, or -1 after an error. */
int asm_find_special(asm_state *a, const asm_token *token);
/* Marks a register that was written in the source or assigned to a name as used. */
void asm_use_register(asm_state *a, const asm_place *place, uint32_t number, unsigned width);

/* ---- encode_text.c: errors, which return false ---- */

const char *asm_role_text(unsigned role);
ASM_COLD bool asm_wrong_kind(asm_state *a, const asm_statement *s, const asm_token *token,
                             unsigned role, const char *wanted);
ASM_COLD bool asm_wrong_count(asm_state *a, const asm_statement *s, size_t wanted);
/* A local atomic has the scope of the workgroup. */
ASM_COLD bool asm_wrong_scope(asm_state *a, const asm_token *scope);

/* ---- habits.c ---- */

/* What to write instead of an instruction of another assembler or of a seed document; NULL:
 * unknown. */
const char *asm_habit_hint(const asm_token *name);

/* ---- lower.c ---- */

/* A source that is not a register: emits code that loads it into a temporary, which *ref then
 * names. */
bool asm_lower_source(asm_state *a, const asm_statement *s, const asm_token *token, unsigned field,
                      asm_encoding *e);
/* The upper half of a register: as a source, and as a destination (before and after the
 * instruction). */
bool asm_lower_high_source(asm_state *a, unsigned field, asm_encoding *e);
void asm_lower_high_result(asm_state *a, isa_op op, asm_encoding *e, asm_encoding *insert);
/* The fences of .acquire and similar suffixes, before or after the atomic. */
void asm_lower_order(asm_state *a, const asm_statement *s, const asm_encoding *e, bool after);

/* ---- tile.c ---- */

/* The tile tN. */
bool asm_encode_tile(asm_state *a, const asm_statement *s, const asm_token *token, unsigned role,
                     uint32_t *field);
/* Space and layout: two operands. */
bool asm_encode_place(asm_state *a, const asm_statement *s, const asm_token *tokens,
                      uint32_t *field);
/* Fills in the type named by the mnemonic; false after an error. */
bool asm_encode_tile_type(asm_state *a, const asm_statement *s, asm_encoding *e);

/* ---- allocate.c ---- */

/* Assigns numbers to the names and temporaries of the kernel started last. */
void asm_retire_kernel(asm_state *a);

/* ---- registers.c ---- */

/* A quoted name, which is metadata only: first its text, then the name once its register is
 * known. */
const char *asm_take_register_name(asm_state *a);
void asm_add_register_name(asm_state *a, const char *name, const asm_symbol *symbol);
/* How many of a kernel's names refer to registers that it has; these then come first. */
uint32_t asm_count_register_names(asm_state *a, const asm_kernel *kernel);
/* With -g: records the kernel's names for registers and predicates. */
void asm_record_register_names(asm_state *a);

/* ---- ast.c ---- */

void asm_tree_kernel(asm_state *a, const asm_kernel *kernel);
void asm_tree_end(asm_state *a);
void asm_tree_label(asm_state *a, const asm_token *label);
void asm_tree_directive(asm_state *a, const asm_token *name, const asm_token *values, size_t count);
void asm_tree_instruction(asm_state *a, const asm_statement *statement);

#endif
