/* --dump-ast: the statements as the parser understood them, one per line, operands indented below.
 *
 *     kernel demo                              line 1
 *       instruction iadd @p1                   line 4
 *         register r3 */
#include "asm/asm.h"

enum { LINE_COLUMN = 48 };

static void start(asm_state *a, size_t indent, const char *what) {
    buf_fill(a->tree, ' ', indent);
    buf_text(a->tree, what);
}

static void finish(asm_state *a, size_t start_size, uint32_t line) {
    size_t width = a->tree->size - start_size;
    buf_fill(a->tree, ' ', width < LINE_COLUMN ? LINE_COLUMN - width : 1);
    buf_text(a->tree, "line ");
    buf_decimal(a->tree, line);
    buf_char(a->tree, '\n');
}

/* Quoted text may hold arbitrary bytes. */
static void put_source(asm_state *a, const asm_place *place) {
    buf_char(a->tree, ' ');
    for (uint32_t i = 0; i < place->length; i++) {
        unsigned char c = (unsigned char)place->at[i];
        buf_char(a->tree, c < 0x20 || c >= 0x7F ? '?' : (char)c);
    }
}

void asm_tree_kernel(asm_state *a, const asm_kernel *kernel) {
    size_t at = a->tree->size;
    start(a, 0, "kernel");
    if (kernel->name) {
        put_source(a, &kernel->place);
    } else {
        buf_text(a->tree, " (anonymous)");
    }
    finish(a, at, kernel->place.line);
}

void asm_tree_end(asm_state *a) {
    buf_text(a->tree, "end\n");
}

void asm_tree_label(asm_state *a, const asm_token *label) {
    size_t at = a->tree->size;
    start(a, 2, "label");
    put_source(a, &label->place);
    finish(a, at, label->place.line);
}

void asm_tree_directive(asm_state *a, const asm_token *name, const asm_token *values,
                        size_t count) {
    size_t at = a->tree->size;
    start(a, 2, "directive");
    put_source(a, &name->place);
    for (size_t i = 0; i < count; i++)
        put_source(a, &values[i].place);
    finish(a, at, name->place.line);
}

static const char *operand_kind(const asm_token *token, bool scoped) {
    switch (token->kind) {
    case ASM_REGISTER: return "register";
    case ASM_PREDICATE: return "predicate";
    case ASM_NOT_PREDICATE: return "negated predicate";
    case ASM_SPECIAL: return "special";
    case ASM_INTEGER: return "integer";
    case ASM_DOUBLE:
    case ASM_FLOAT: return "float";
    case ASM_ADDRESS: return "address";
    default: return scoped && asm_token_scope(token) >= 0 ? "scope" : "label";
    }
}

static void put_operand(asm_state *a, const asm_token *token, bool scoped) {
    start(a, 4, operand_kind(token, scoped));
    put_source(a, &token->place);
    buf_char(a->tree, '\n');
}

void asm_tree_instruction(asm_state *a, const asm_statement *s) {
    size_t at = a->tree->size;
    start(a, 2, "instruction");
    put_source(a, &s->mnemonic.place);
    if (s->guard.kind != ASM_EOF)
        put_source(a, &s->guard.place);
    finish(a, at, s->mnemonic.place.line);
    if (s->hint.kind != ASM_EOF) {
        start(a, 4, "hint");
        put_source(a, &s->hint.place);
        buf_char(a->tree, '\n');
    }
    if (s->scope.kind != ASM_EOF)
        put_operand(a, &s->scope, true);
    bool scoped = isa_table[s->op].tail == ISA_TAIL_SCOPE;
    for (size_t i = 0; i < s->count && i < ASM_MAX_OPERANDS; i++)
        put_operand(a, &s->operand[i], scoped);
}
