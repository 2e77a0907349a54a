/* Where tokens come from: a stack of texts with the source itself at the bottom. */
#ifndef ASM_INPUT_H
#define ASM_INPUT_H

#include "asm/lexer.h"
#include "asm/names.h"

struct asm_state;

enum {
    ASM_MAX_DEPTH = 64,   /* of macros and included files */
    ASM_MAX_FRAMES = 160, /* of these and of their arguments */
    ASM_MAX_PARAMETERS = 64,
    ASM_MAX_CONDITIONS = 64
};

typedef struct asm_span {
    const char *at;
    size_t length;
} asm_span;

typedef struct asm_macro {
    asm_place place; /* of its name */
    asm_span parameter[ASM_MAX_PARAMETERS];
    unsigned parameters;
    asm_lexer body; /* at its start */
} asm_macro;

typedef enum asm_frame_kind { ASM_FRAME_MACRO, ASM_FRAME_ARGUMENT, ASM_FRAME_FILE } asm_frame_kind;

typedef struct asm_frame {
    asm_frame_kind kind;
    asm_lexer below; /* to continue with */
    asm_place from;  /* the statement that opened it */
    const asm_macro *macro;
    const asm_lexer *arguments; /* one per parameter */
    /* The frame whose parameters its text may name: its index + 1, or 0. For a macro the frame
     * itself; for an argument, the text in which the macro was used. */
    unsigned owner;
    unsigned caller;    /* the owner of the text in which the macro was used */
    uint32_t expansion; /* a number for its labels */
    size_t outer_scope;
    unsigned conditions; /* open before it */
} asm_frame;

typedef struct asm_input {
    asm_frame *frame; /* ASM_MAX_FRAMES of them, once one is needed */
    unsigned depth;   /* frames in use */
    unsigned nesting; /* of these, macros and files */
    /* Room for the arguments of one macro at each nesting, in the arena, once it is needed: every
     * expansion at that nesting uses it again. */
    asm_lexer *arguments[ASM_MAX_DEPTH + 1];
    asm_names macro_names;
    asm_macro **macros;
    size_t macro_count, macro_room;
    uint32_t *parents; /* of each expansion, the enclosing one */
    size_t expansion_count, parent_room;
    uint64_t expanded_bytes, expanded_instructions;
    asm_source *sources;
    size_t source_count, source_room;
    bool else_seen[ASM_MAX_CONDITIONS];
    asm_place condition_at[ASM_MAX_CONDITIONS];
    unsigned conditions;
} asm_input;

/* Called after each token while there are frames: pops texts that are exhausted, and substitutes
 * the argument for a parameter. */
void asm_input_resolve(struct asm_state *a);
/* The macro with this name, or NULL. */
const asm_macro *asm_find_macro(const struct asm_state *a, const asm_token *name);
/* Expands it; the rest of the line holds its arguments. */
void asm_expand(struct asm_state *a, const asm_macro *macro, const asm_token *name);
/* The current expansion, or 0. */
uint32_t asm_expansion(const struct asm_state *a);
/* The place of the current statement in the source itself or in the included file. */
const asm_place *asm_outer_place(const struct asm_state *a, const asm_place *place);
bool asm_push_file(struct asm_state *a, const asm_place *from, const char *name, wave_blob *text);
void asm_input_relate(const void *state, wave_diags *diags);
void asm_input_free(struct asm_state *a);

#endif
