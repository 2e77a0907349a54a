/* The state of one assembly, shared by parser.c, encode.c, ast.c and assemble.c. */
#ifndef ASM_ASM_H
#define ASM_ASM_H

#include "asm/lexer.h"
#include "asm/names.h"
#include "base/arena.h"
#include "isa/isa.h"

typedef struct asm_kernel {
    const char *name; /* NULL: anonymous */
    size_t name_length;
    asm_place place; /* of the name, or of the directive */
    uint32_t registers, local_memory, workgroup[3];
    asm_place registers_at, local_at, workgroup_at; /* .at is NULL where the default holds */
    size_t code_start, code_size;                   /* in asm_state.code */
} asm_kernel;

/* Where a kernel used a register higher than all before: the register check needs .registers, which
 * may come last. */
typedef struct asm_high {
    uint32_t kernel, number;
    asm_place place;
} asm_high;

#define ASM_NO_KERNEL UINT32_MAX

typedef struct asm_label {
    asm_place place;
    uint32_t kernel; /* ASM_NO_KERNEL outside all */
    uint32_t offset; /* from the start of the kernel's code; upstream's arithmetic under compat */
} asm_label;

typedef struct asm_call {
    asm_place place; /* of the label's name */
    uint32_t kernel;
    size_t at; /* of the word to fill in, in asm_state.code */
} asm_call;

typedef struct asm_state {
    asm_reporter reporter;
    asm_lexer lexer;
    asm_token token; /* the next one */
    isa_names mnemonics;
    bool compat;
    bool failed; /* out of memory */
    bool extended;
    bool open;             /* inside a kernel */
    bool outside_told;     /* "outside a kernel" is reported once a region */
    size_t errors_before;  /* the open kernel */
    uint32_t register_top; /* 1 + the highest register of the kernel started last */
    uint32_t upstream_pc;  /* upstream's running label counter */
    buf code;
    buf *tree;  /* --dump-ast, or NULL */
    buf *lines; /* source line of each instruction, or NULL */
    arena memory;
    asm_names label_names, kernel_names;
    asm_kernel *kernels;
    asm_label *labels;
    asm_call *calls;
    asm_high *highs;
    size_t kernel_count, label_count, call_count, high_count;
    size_t kernel_room, label_room, call_room, high_room;
} asm_state;

/* Room for one more element; sets a->failed when there is none. */
bool asm_grow(asm_state *a, void **list, size_t count, size_t *room, size_t element);

/* ---- parser.c ---- */

void asm_parse(asm_state *a);

/* The scope with this name, without its dot, or -1. */
int asm_find_scope(const char *name, size_t length);
/* The same for an operand token, `.device` or `device`. */
int asm_token_scope(const asm_token *token);

/* ---- encode.c ---- */

enum { ASM_MAX_OPERANDS = 6 };

typedef struct asm_statement {
    asm_token guard; /* kind ASM_EOF: none */
    asm_token mnemonic;
    isa_op op;
    asm_token hint;  /* kind ASM_EOF: none */
    asm_token scope; /* written behind the mnemonic; kind ASM_EOF: none */
    asm_token operand[ASM_MAX_OPERANDS];
    size_t count; /* operands written, also those that did not fit */
} asm_statement;

/* Checks the operands and appends the words. False when an error was reported. */
bool asm_encode(asm_state *a, asm_statement *statement);

/* ---- ast.c ---- */

void asm_tree_kernel(asm_state *a, const asm_kernel *kernel);
void asm_tree_end(asm_state *a);
void asm_tree_label(asm_state *a, const asm_token *label);
void asm_tree_directive(asm_state *a, const asm_token *name, const asm_token *values, size_t count);
void asm_tree_instruction(asm_state *a, const asm_statement *statement);

#endif
