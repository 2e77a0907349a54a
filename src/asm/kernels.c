/* .kernel and .end, and the quoted texts of directives. */
#include "asm/asm.h"

#include "base/text.h"

#include <string.h>

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Reads \" \\ \n \t and \xHH. Returns the length, or -1 for an invalid escape. */
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
            } else if (next == 'n' || next == 't') {
                c = next == 'n' ? '\n' : '\t';
            } else {
                return -1;
            }
        }
        to[used++] = c;
    }
    return (long)used;
}

const char *asm_unquote(asm_state *a, const asm_token *token, size_t *length) {
    char *text = arena_alloc(&a->memory, token->place.length);
    if (!text) {
        a->failed = true;
        return NULL;
    }
    long used = unescape(token->place.at + 1, token->place.length - 2, text);
    if (used < 0) {
        asm_error(&a->reporter, DIAG_E_SYNTAX, &token->place,
                  "the escapes in a quoted string are \\\" \\\\ \\n \\t and \\xHH",
                  "unknown escape in the quoted string");
        return NULL;
    }
    text[used] = '\0';
    *length = (size_t)used;
    return text;
}

/* The name between the quotes; false when an error was reported. */
static bool read_quoted(asm_state *a, const asm_token *token, asm_kernel *kernel) {
    if (a->compat) {
        asm_error(&a->reporter, DIAG_E_COMPAT, &token->place, NULL,
                  "quoted kernel names are an extension");
        return false;
    }
    const char *name = asm_unquote(a, token, &kernel->name_length);
    if (!name)
        return false;
    size_t used = kernel->name_length;
    if (used == 0 || memchr(name, '\0', used) || !text_is_utf8(name, used)) {
        asm_error(&a->reporter, DIAG_E_NAME, &token->place,
                  "kernel names are non-empty UTF-8 without NUL",
                  used == 0 ? "the kernel name is empty" : "the kernel name is not valid UTF-8");
        return false;
    }
    kernel->name = name;
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
                  "'%.*s' is a register, not a kernel name", asm_shown(token.place.length),
                  token.place.at);
        return false;
    default:
        asm_error(&a->reporter, DIAG_E_KERNEL, &token.place, NULL,
                  "expected the name of the kernel");
        return false;
    }
    kernel->place = token.place;
    asm_advance(a);
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
    a->outside_reported = false;
    asm_leave_scope(a, 0);
    kernel->code_size = a->code.size - kernel->code_start;
    asm_close_lines(a, kernel);
    if (kernel->code_size == 0 && a->reporter.errors == a->errors_before)
        asm_error(&a->reporter, DIAG_E_KERNEL, &kernel->place, "a kernel ends with halt",
                  "the kernel has no instructions");
}

void asm_parse_kernel(asm_state *a, const asm_token *name) {
    if (a->open) {
        asm_error(&a->reporter, DIAG_E_KERNEL, &name->place,
                  "close the previous kernel with .end; kernels do not nest",
                  ".kernel inside the kernel of line %u",
                  a->kernels[a->kernel_count - 1].place.line);
        a->open = false;
        asm_leave_scope(a, 0);
    }
    asm_retire_kernel(a);
    a->errors_before = a->reporter.errors;
    a->register_top = 0;
    a->registers = (asm_registers){.first_fixup = a->fixup_count, .first_symbol = a->symbols.count};
    asm_kernel kernel = {.place = name->place,
                         .registers = ISA_DEFAULT_REGISTERS,
                         .code_start = a->code.size,
                         .argument_start = a->argument_count,
                         .name_start = a->register_name_count,
                         .line_start = a->line_records.size / sizeof(fe_line)};
    bool good = parse_kernel_name(a, &kernel);
    check_kernel_name(a, &kernel);
    if (!asm_grow(a, (void **)&a->kernels, a->kernel_count, &a->kernel_room, sizeof *a->kernels))
        return;
    a->kernels[a->kernel_count++] = kernel;
    asm_enter_scope(a);
    a->open = true; /* also after an error: what follows belongs to it */
    if (a->tree)
        asm_tree_kernel(a, &kernel);
    if (!good)
        asm_recover(a);
}

void asm_parse_end(asm_state *a, const asm_token *name) {
    if (a->open) {
        close_kernel(a);
        if (a->tree)
            asm_tree_end(a);
        return;
    }
    if (!a->outside_reported)
        asm_error(&a->reporter, DIAG_E_KERNEL, &name->place, NULL, ".end without an open .kernel");
    a->outside_reported = false;
}
