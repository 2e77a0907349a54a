/* Statements: labels, directives, and instructions up to their list of operands. A statement need
 * not end at a newline; after an error the rest of the line is skipped. */
#include "asm/asm.h"

#include <stdlib.h>
#include <string.h>

static void advance(asm_state *a) {
    asm_lexer_next(&a->lexer, &a->token);
}

/* Goes on at the next line. */
static void recover(asm_state *a) {
    if (a->token.kind == ASM_NEWLINE || a->token.kind == ASM_EOF)
        return;
    asm_lexer_skip_line(&a->lexer);
    advance(a);
}

static bool token_is(const asm_token *token, const char *text) {
    return strlen(text) == token->place.length &&
           memcmp(token->place.at, text, token->place.length) == 0;
}

bool asm_grow(asm_state *a, void **list, size_t count, size_t *room, size_t element) {
    if (count < *room)
        return true;
    size_t wanted = *room ? *room * 2 : 16;
    void *grown = realloc(*list, wanted * element);
    if (!grown) {
        a->failed = true;
        return false;
    }
    *list = grown;
    *room = wanted;
    return true;
}

/* ---- Names of directives, hints and scopes ---- */

typedef enum directive {
    DIRECTIVE_NONE,
    DIRECTIVE_KERNEL,
    DIRECTIVE_END,
    DIRECTIVE_REGISTERS,
    DIRECTIVE_LOCAL_MEMORY,
    DIRECTIVE_WORKGROUP_SIZE,
    DIRECTIVE_COUNT
} directive;

static const char *const directive_name[DIRECTIVE_COUNT] = {
    "", ".kernel", ".end", ".registers", ".local_memory", ".workgroup_size"};
static const char *const hint_name[] = {".cached", ".uncached", ".streaming"};
static const char *const scope_name[] = {".wave", ".workgroup", ".device", ".system"};
enum { HINTS = 3 };

static directive find_directive(const asm_token *token) {
    for (directive d = DIRECTIVE_KERNEL; d < DIRECTIVE_COUNT; d++)
        if (token_is(token, directive_name[d]))
            return d;
    return DIRECTIVE_NONE;
}

static bool is_hint(const asm_token *token) {
    for (size_t i = 0; i < HINTS; i++)
        if (token_is(token, hint_name[i]))
            return true;
    return false;
}

int asm_find_scope(const char *name, size_t length) {
    for (int i = 0; i < ISA_SCOPE_COUNT; i++)
        if (strlen(isa_scope_name[i]) == length && memcmp(isa_scope_name[i], name, length) == 0)
            return i;
    return -1;
}

int asm_token_scope(const asm_token *token) {
    if (token->kind == ASM_DIRECTIVE)
        return asm_find_scope(token->place.at + 1, token->place.length - 1);
    return token->kind == ASM_NAME ? asm_find_scope(token->place.at, token->place.length) : -1;
}

/* ---- Labels ---- */

static ASM_COLD void parse_label(asm_state *a) {
    asm_token label = a->token;
    advance(a);
    bool created;
    asm_name *entry = asm_names_insert(&a->label_names, label.place.at, label.place.length,
                                       (uint32_t)a->label_count, &created);
    if (!entry) {
        a->failed = true;
        return;
    }
    if (!created) {
        asm_error(&a->reporter, DIAG_E_DUPLICATE_LABEL, &label.place, NULL,
                  "label '%.*s' is already defined on line %u", asm_shown(label.place.length),
                  label.place.at, a->labels[entry->value].place.line);
        return;
    }
    if (!asm_grow(a, (void **)&a->labels, a->label_count, &a->label_room, sizeof *a->labels))
        return;
    uint32_t kernel = a->open ? (uint32_t)a->kernel_count - 1 : ASM_NO_KERNEL;
    size_t start = a->open ? a->kernels[kernel].code_start : a->code.size;
    a->labels[a->label_count++] =
        (asm_label){.place = label.place,
                    .kernel = kernel,
                    .offset = a->compat ? a->upstream_pc : (uint32_t)(a->code.size - start)};
    if (a->tree)
        asm_tree_label(a, &label);
}

/* ---- Kernels ---- */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Reads \" \\ and \xHH. Returns the length, or -1 when an escape is wrong. */
static long unescape(const char *text, size_t length, char *to) {
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (c == '\\') {
            char next = i + 1 < length ? text[++i] : '\0';
            if (next == 'x' && i + 2 < length && hex_digit(text[i + 1]) >= 0 &&
                hex_digit(text[i + 2]) >= 0) {
                c = (char)(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
                i += 2;
            } else if (next == '"' || next == '\\') {
                c = next;
            } else {
                return -1;
            }
        }
        to[used++] = c;
    }
    return (long)used;
}

/* The name between the quotes; false when an error was reported. */
static bool read_quoted(asm_state *a, const asm_token *token, asm_kernel *kernel) {
    size_t length = token->place.length - 2;
    if (a->compat) {
        asm_error(&a->reporter, DIAG_E_COMPAT, &token->place, NULL,
                  "quoted kernel names are an extension");
        return false;
    }
    char *name = arena_alloc(&a->memory, length + 1);
    if (!name) {
        a->failed = true;
        return false;
    }
    long used = unescape(token->place.at + 1, length, name);
    if (used < 0) {
        asm_error(&a->reporter, DIAG_E_SYNTAX, &token->place,
                  "a quoted name knows \\\" \\\\ and \\xHH", "unknown escape in the kernel name");
        return false;
    }
    if (used == 0 || memchr(name, '\0', (size_t)used) || !asm_is_utf8(name, (size_t)used)) {
        asm_error(&a->reporter, DIAG_E_NAME, &token->place,
                  "kernel names are non-empty UTF-8 without NUL",
                  used == 0 ? "the kernel name is empty" : "the kernel name is not valid text");
        return false;
    }
    kernel->name = name;
    kernel->name_length = (size_t)used;
    return true;
}

static bool parse_kernel_name(asm_state *a, asm_kernel *kernel) {
    asm_token token = a->token;
    switch (token.kind) {
    case ASM_NAME:
        kernel->name = token.place.at;
        kernel->name_length = token.place.length;
        break;
    case ASM_STRING:
        if (!read_quoted(a, &token, kernel))
            return false;
        break;
    case ASM_NEWLINE:
    case ASM_EOF:
        if (a->compat)
            asm_error(&a->reporter, DIAG_E_COMPAT, &kernel->place, NULL,
                      "a .kernel without a name is an extension");
        return !a->compat;
    case ASM_BAD: return false;
    case ASM_REGISTER:
    case ASM_PREDICATE:
    case ASM_SPECIAL:
        asm_error(&a->reporter, DIAG_E_KERNEL, &token.place, "write it in quotes",
                  "'%.*s' reads as a register, not as a kernel name", asm_shown(token.place.length),
                  token.place.at);
        return false;
    default:
        asm_error(&a->reporter, DIAG_E_KERNEL, &token.place, NULL,
                  "expected the name of the kernel");
        return false;
    }
    kernel->place = token.place;
    advance(a);
    return true;
}

static void check_kernel_name(asm_state *a, const asm_kernel *kernel) {
    bool created;
    if (!kernel->name)
        return;
    const asm_name *entry = asm_names_insert(&a->kernel_names, kernel->name, kernel->name_length,
                                             (uint32_t)a->kernel_count, &created);
    if (!entry)
        a->failed = true;
    else if (!created)
        asm_error(&a->reporter, DIAG_E_DUPLICATE_NAME, &kernel->place, NULL,
                  "kernel '%.*s' is already defined on line %u", asm_shown(kernel->name_length),
                  kernel->name, a->kernels[entry->value].place.line);
}

static void close_kernel(asm_state *a) {
    asm_kernel *kernel = &a->kernels[a->kernel_count - 1];
    a->open = false;
    a->outside_told = false;
    kernel->code_size = a->code.size - kernel->code_start;
    if (kernel->code_size == 0 && a->reporter.errors == a->errors_before)
        asm_error(&a->reporter, DIAG_E_KERNEL, &kernel->place, "a kernel ends with halt",
                  "the kernel has no instructions");
}

static void parse_kernel(asm_state *a, const asm_token *name) {
    if (a->open) {
        asm_error(&a->reporter, DIAG_E_KERNEL, &name->place,
                  "close the kernel before with .end; kernels do not nest",
                  ".kernel inside the kernel of line %u",
                  a->kernels[a->kernel_count - 1].place.line);
        a->open = false;
    }
    a->errors_before = a->reporter.errors;
    a->register_top = 0;
    asm_kernel kernel = {
        .place = name->place, .registers = ISA_DEFAULT_REGISTERS, .code_start = a->code.size};
    bool good = parse_kernel_name(a, &kernel);
    check_kernel_name(a, &kernel);
    if (!asm_grow(a, (void **)&a->kernels, a->kernel_count, &a->kernel_room, sizeof *a->kernels))
        return;
    a->kernels[a->kernel_count++] = kernel;
    a->open = true; /* also after an error, for what follows belongs to it */
    if (a->tree)
        asm_tree_kernel(a, &kernel);
    if (!good)
        recover(a);
}

static void parse_end(asm_state *a, const asm_token *name) {
    if (a->open) {
        close_kernel(a);
        if (a->tree)
            asm_tree_end(a);
        return;
    }
    if (!a->outside_told)
        asm_error(&a->reporter, DIAG_E_KERNEL, &name->place, NULL, ".end without an open .kernel");
    a->outside_told = false;
}

/* ---- Directives with numbers ---- */

/* Exactly `count` integers with commas between them; false when an error was reported. */
static bool parse_integers(asm_state *a, const asm_token *name, asm_token *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && a->token.kind == ASM_COMMA)
            advance(a);
        else if (i > 0)
            break;
        if (a->token.kind == ASM_BAD)
            return false;
        if (a->token.kind != ASM_INTEGER) {
            const asm_place *place = a->token.kind == ASM_NEWLINE || a->token.kind == ASM_EOF
                                         ? &name->place
                                         : &a->token.place;
            asm_error(&a->reporter, DIAG_E_DIRECTIVE, place, NULL, "%.*s takes %s",
                      (int)name->place.length, name->place.at,
                      count == 1 ? "an integer" : "three integers, separated by commas");
            return false;
        }
        values[i] = a->token;
        advance(a);
        if (i + 1 == count)
            return true;
    }
    if (a->token.kind != ASM_BAD)
        asm_error(&a->reporter, DIAG_E_DIRECTIVE, &name->place, NULL,
                  "%.*s takes three integers, separated by commas", (int)name->place.length,
                  name->place.at);
    return false;
}

static uint32_t directive_value(asm_state *a, const asm_token *value) {
    if (value->value < 0 || value->value > (int64_t)UINT32_MAX)
        asm_warning(&a->reporter, DIAG_W_DIRECTIVE, &value->place, NULL,
                    "the value is cut to 32 bits: %u", (unsigned)(uint32_t)value->value);
    return (uint32_t)value->value;
}

static void parse_setting(asm_state *a, const asm_token *name, directive which) {
    asm_token values[3];
    size_t count = which == DIRECTIVE_WORKGROUP_SIZE ? 3 : 1;
    if (!parse_integers(a, name, values, count)) {
        recover(a);
        return;
    }
    if (a->tree)
        asm_tree_directive(a, name, values, count);
    if (a->kernel_count == 0) {
        asm_warning(&a->reporter, DIAG_W_DIRECTIVE, &name->place,
                    "directives belong to the kernel started last; move it behind .kernel",
                    "%.*s before any .kernel has no effect", (int)name->place.length,
                    name->place.at);
        return;
    }
    asm_kernel *kernel = &a->kernels[a->kernel_count - 1];
    if (which == DIRECTIVE_REGISTERS) {
        kernel->registers = directive_value(a, &values[0]);
        kernel->registers_at = values[0].place;
    } else if (which == DIRECTIVE_LOCAL_MEMORY) {
        kernel->local_memory = directive_value(a, &values[0]);
        kernel->local_at = values[0].place;
    } else {
        for (size_t i = 0; i < 3; i++)
            kernel->workgroup[i] = directive_value(a, &values[i]);
        kernel->workgroup_at = name->place;
    }
}

static void unknown_directive(asm_state *a, const asm_token *name) {
    char hint[ASM_HINT_SIZE];
    asm_suggestion s = asm_suggest(&a->reporter, name->place.at, name->place.length);
    for (directive d = DIRECTIVE_KERNEL; d < DIRECTIVE_COUNT; d++)
        asm_suggest_try(&s, directive_name[d], strlen(directive_name[d]));
    asm_error(&a->reporter, DIAG_E_DIRECTIVE, &name->place,
              asm_suggest_hint(&s, hint,
                               "directives are .kernel .end .registers .local_memory "
                               ".workgroup_size"),
              "unknown directive '%.*s'", asm_shown(name->place.length), name->place.at);
    a->outside_told = true; /* it may have been a .kernel: the lines below are not to blame */
    recover(a);
}

static ASM_COLD void parse_directive(asm_state *a) {
    asm_token name = a->token;
    directive which = find_directive(&name);
    advance(a);
    switch (which) {
    case DIRECTIVE_KERNEL: parse_kernel(a, &name); break;
    case DIRECTIVE_END: parse_end(a, &name); break;
    case DIRECTIVE_REGISTERS:
    case DIRECTIVE_LOCAL_MEMORY:
    case DIRECTIVE_WORKGROUP_SIZE: parse_setting(a, &name, which); break;
    default: unknown_directive(a, &name);
    }
}

/* ---- Instructions ---- */

static bool starts_operand(const asm_token *token) {
    switch (token->kind) {
    case ASM_REGISTER:
    case ASM_PREDICATE:
    case ASM_NOT_PREDICATE:
    case ASM_SPECIAL:
    case ASM_INTEGER:
    case ASM_FLOAT:
    case ASM_NAME: return true;
    case ASM_DIRECTIVE: return asm_token_scope(token) >= 0;
    default: return false;
    }
}

/* A dotted word where only a hint, a scope or a new directive can stand. */
static ASM_COLD bool check_dotted(asm_state *a) {
    const asm_token *token = &a->token;
    if (token->kind != ASM_DIRECTIVE || find_directive(token) != DIRECTIVE_NONE)
        return true;
    char hint[ASM_HINT_SIZE];
    asm_suggestion s = asm_suggest(&a->reporter, token->place.at, token->place.length);
    for (size_t i = 0; i < ISA_SCOPE_COUNT; i++)
        asm_suggest_try(&s, scope_name[i], strlen(scope_name[i]));
    for (size_t i = 0; i < HINTS; i++)
        asm_suggest_try(&s, hint_name[i], strlen(hint_name[i]));
    asm_error(&a->reporter, DIAG_E_OPERAND, &token->place,
              asm_suggest_hint(&s, hint, "scopes are .wave .workgroup .device .system"),
              "'%.*s' is not a scope%s", asm_shown(token->place.length), token->place.at,
              is_hint(token) ? "; a hint stands directly behind the mnemonic" : "");
    return false;
}

/* The hint, and the scope where it is written as a suffix of an instruction with other operands:
 * a fence has none, its scope is an operand in either spelling. */
static ASM_COLD bool parse_suffixes(asm_state *a, asm_statement *s) {
    const isa_desc *desc = &isa_table[s->op];
    bool scoped = desc->tail == ISA_TAIL_SCOPE && desc->role[ISA_FIELD_RS1] != ISA_ROLE_NONE;
    while (a->token.kind == ASM_DIRECTIVE) {
        if (s->hint.kind == ASM_EOF && is_hint(&a->token)) {
            s->hint = a->token;
        } else if (scoped && s->scope.kind == ASM_EOF && asm_token_scope(&a->token) >= 0) {
            s->scope = a->token;
            if (a->compat) {
                asm_error(&a->reporter, DIAG_E_COMPAT, &a->token.place, NULL,
                          "a scope behind the mnemonic is an extension");
                return false;
            }
        } else {
            break;
        }
        advance(a);
    }
    return true;
}

static bool parse_operands(asm_state *a, asm_statement *s) {
    if (!starts_operand(&a->token))
        return a->token.kind != ASM_BAD && check_dotted(a);
    for (;;) {
        if (s->count < ASM_MAX_OPERANDS)
            s->operand[s->count] = a->token;
        s->count++;
        bool more = asm_lexer_take_comma(&a->lexer);
        advance(a);
        if (!more)
            return a->token.kind != ASM_BAD;
        if (starts_operand(&a->token))
            continue;
        if (a->token.kind != ASM_BAD && check_dotted(a))
            asm_error(&a->reporter, DIAG_E_SYNTAX, &a->token.place, NULL,
                      "expected an operand after ','");
        return false;
    }
}

static ASM_COLD void unknown_mnemonic(asm_state *a, const asm_token *name) {
    char hint[ASM_HINT_SIZE];
    asm_suggestion s = asm_suggest(&a->reporter, name->place.at, name->place.length);
    for (unsigned op = 1; op < ISA_OP_COUNT; op++)
        asm_suggest_try(&s, isa_table[op].mnemonic, strlen(isa_table[op].mnemonic));
    asm_error(&a->reporter, DIAG_E_MNEMONIC, &name->place, asm_suggest_hint(&s, hint, NULL),
              "unknown instruction '%.*s'", asm_shown(name->place.length), name->place.at);
}

/* The mnemonic, looked up; false when an error was reported. */
static bool parse_mnemonic(asm_state *a, asm_statement *s) {
    const asm_token *name = &a->token;
    if (name->kind != ASM_NAME) {
        if (name->kind != ASM_BAD)
            asm_error(&a->reporter, DIAG_E_SYNTAX, &name->place, NULL,
                      "expected an instruction after the guard");
        return false;
    }
    s->mnemonic = *name;
    s->op = isa_names_find(&a->mnemonics, name->place.at, name->place.length);
    if (s->op == ISA_NONE) {
        unknown_mnemonic(a, name);
        return false;
    }
    if (!a->open) {
        if (!a->outside_told)
            asm_error(&a->reporter, DIAG_E_KERNEL, &name->place, "start a kernel with .kernel NAME",
                      "instruction outside a kernel");
        a->outside_told = true;
        return false;
    }
    advance(a);
    return true;
}

static void parse_instruction(asm_state *a) {
    asm_statement s;
    s.guard.kind = ASM_EOF;
    s.hint.kind = ASM_EOF;
    s.scope.kind = ASM_EOF;
    s.count = 0;
    if (a->token.kind == ASM_GUARD) {
        s.guard = a->token;
        advance(a);
    }
    if (!parse_mnemonic(a, &s) || (a->token.kind == ASM_DIRECTIVE && !parse_suffixes(a, &s)) ||
        !parse_operands(a, &s)) {
        recover(a);
        return;
    }
    if (a->tree)
        asm_tree_instruction(a, &s);
    if (!asm_encode(a, &s))
        recover(a);
    else if (a->lines)
        buf_bytes(a->lines, &s.mnemonic.place.line, sizeof s.mnemonic.place.line);
}

/* ---- The whole file ---- */

static void unexpected(asm_state *a) {
    const asm_token *token = &a->token;
    bool colon = token->kind == ASM_COLON || (a->lexer.at < a->lexer.end && *a->lexer.at == ':');
    if (token->kind != ASM_BAD)
        asm_error(&a->reporter, DIAG_E_SYNTAX, &token->place,
                  colon ? "a label is an identifier; r0, p0, sr_x and numbers are not" : NULL,
                  "expected an instruction, a label or a directive, not '%.*s'",
                  asm_shown(token->place.length), token->place.at);
    recover(a);
}

void asm_parse(asm_state *a) {
    advance(a);
    while (a->token.kind != ASM_EOF && !a->failed) {
        switch (a->token.kind) {
        case ASM_NEWLINE: advance(a); break;
        case ASM_DIRECTIVE: parse_directive(a); break;
        case ASM_LABEL: parse_label(a); break;
        case ASM_GUARD:
        case ASM_NAME: parse_instruction(a); break;
        default: unexpected(a);
        }
    }
    if (!a->open)
        return;
    asm_error(&a->reporter, DIAG_E_KERNEL, &a->kernels[a->kernel_count - 1].place,
              "add .end after its last instruction", "the kernel is not closed");
}
