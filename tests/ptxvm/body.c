// Function bodies of PTX: blocks, register and variable declarations, labels, guards, instructions.
// Instructions are decoded in decode.c.
#include "ptxvm/parse.h"

#include <stdlib.h>
#include <string.h>

#define MAX_REGS 1000000u

// .reg .b32 %r<10>, %x;
static bool registers(vm_parser *p) {
    if (!vm_advance(p)) {
        return false;
    }
    vm_type type =
        p->token.kind == TK_DOT ? vm_type_named(p->token.text, p->token.length) : VM_NO_TYPE;
    if (type == VM_NO_TYPE || vm_types[type].bits == 8) {
        // ptxas accepts 8-bit registers, but only ld, st and cvt may use them, and no compiler //
        // emits them.
        return vm_error_at(p, p->token.line, PTXVM_UNSUPPORTED, "register type '%.*s'",
                           (int)p->token.length, p->token.text);
    }
    bool more;
    if (!vm_advance(p)) {
        return false;
    }
    do {
        vm_token name = p->token;
        bool range;
        if (name.kind != TK_WORD) {
            return vm_error_at(p, name.line, PTXVM_SYNTAX, "a register name is expected");
        }
        if (!vm_advance(p) || !vm_accept(p, '<', &range)) {
            return false;
        }
        int64_t count = 1;
        if (range && (!vm_integer(p, &count) || !vm_expect(p, '>'))) {
            return false;
        }
        if (count < 1 || count > MAX_REGS || p->function->reg_count + (uint64_t)count > MAX_REGS) {
            return vm_error_at(p, name.line, PTXVM_NO_MEMORY, "too many registers");
        }
        vm_symbol *s;
        if (!vm_declare(p, range ? SYM_REG_RANGE : SYM_REG, name.text, name.length, &s)) {
            return false;
        }
        s->type = type;
        s->value = p->function->reg_count;
        s->count = (uint32_t)count;
        p->function->reg_count += (uint32_t)count;
        if (!vm_accept(p, ',', &more)) {
            return false;
        }
    } while (more);
    return vm_expect(p, ';');
}

static bool guard(vm_parser *p, vm_insn *insn) {
    bool taken;
    vm_type type;
    uint32_t reg;
    if (!vm_accept(p, '@', &taken) || !taken) {
        return !taken && p->error->status == PTXVM_OK;
    }
    if (!vm_accept(p, '!', &taken)) {
        return false;
    }
    insn->guard_negate = taken;
    if (p->token.kind != TK_WORD ||
        !vm_find_register(p, p->token.text, p->token.length, &type, &reg)) {
        return vm_error_at(p, p->token.line, PTXVM_UNDECLARED, "no register '%.*s'",
                           (int)p->token.length, p->token.text);
    }
    if (type != VM_PRED) {
        return vm_error_at(p, p->token.line, PTXVM_TYPE, "a guard must be a predicate");
    }
    insn->guard = reg + 1;
    return vm_advance(p);
}

static bool new_insn(vm_parser *p) {
    vm_function *f = p->function;
    if (!vm_grow((void **)&f->code, &f->code_capacity, f->code_count + 1, sizeof *f->code)) {
        return vm_no_memory(p);
    }
    p->insn = &f->code[f->code_count];
    memset(p->insn, 0, sizeof *p->insn);
    return true;
}

static bool instruction(vm_parser *p) {
    if (!new_insn(p)) {
        return false;
    }
    const char *start = p->token.text;
    p->insn->line = p->token.line;
    if (!guard(p, p->insn)) {
        return false;
    }
    if (p->token.kind != TK_WORD) {
        return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "unexpected '%.20s'", p->token.text);
    }
    p->mnemonic = p->token.text;
    p->mnemonic_length = p->token.length;
    p->mod_count = p->mods_used = 0;
    if (!vm_advance(p)) {
        return false;
    }
    while (p->token.kind == TK_DOT) {
        if (p->mod_count == MODS_MAX) {
            return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "too many modifiers");
        }
        p->mods[p->mod_count++] = p->token;
        if (!vm_advance(p)) {
            return false;
        }
    }
    if (!vm_parse_operands(p)) {
        return false;
    }
    p->insn->text = (uint32_t)(start - p->module->text);
    p->insn->text_length = (uint32_t)(p->token.text - start);
    if (!vm_decode_instruction(p)) {
        return false;
    }
    p->function->code_count++;
    return vm_expect(p, ';');
}

// NAME: .branchtargets L1, L2; a jump table for brx.idx.
static bool branch_targets(vm_parser *p, const vm_token *name) {
    vm_function *f = p->function;
    vm_symbol *s;
    bool more;
    uint32_t first = f->target_count;
    if (!vm_advance(p)) {
        return false;
    }
    do {
        if (!vm_grow((void **)&f->targets, &f->target_capacity, f->target_count + 1,
                     sizeof *f->targets)) {
            return vm_no_memory(p);
        }
        f->targets[f->target_count] = 0;
        if (p->token.kind != TK_WORD) {
            return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "a label is expected");
        }
        if (!vm_add_fixup(p, p->token.text, p->token.length, f->target_count++, true) ||
            !vm_advance(p) || !vm_accept(p, ',', &more)) {
            return false;
        }
    } while (more);
    if (!vm_declare(p, SYM_TARGETS, name->text, name->length, &s)) {
        return false;
    }
    s->value = first;
    s->count = f->target_count - first;
    return vm_expect(p, ';');
}

static bool is_label(const vm_parser *p) {
    if (p->token.kind != TK_WORD) {
        return false;
    }
    const char *s = p->at;
    while (*s == ' ' || *s == '\t') {
        s++;
    }
    return *s == ':' && s[1] != ':';
}

static bool label(vm_parser *p) {
    vm_token name = p->token;
    vm_symbol *s;
    if (!vm_advance(p) || !vm_expect(p, ':')) {
        return false;
    }
    if (vm_is_dot(p, "branchtargets")) {
        return branch_targets(p, &name);
    }
    if (!vm_declare(p, SYM_LABEL, name.text, name.length, &s)) {
        return false;
    }
    s->value = p->function->code_count;
    return true;
}

static bool directive(vm_parser *p) {
    if (vm_is_dot(p, "reg")) {
        return registers(p);
    }
    if (vm_is_dot(p, "loc") || vm_is_dot(p, "file")) {
        return vm_skip_line(p);
    }
    if (vm_is_dot(p, "pragma")) {
        return vm_advance(p) && vm_advance(p) && vm_expect(p, ';');
    }
    static const struct {
        const char *word;
        vm_space space;
    } spaces[] = {{"shared", VM_SHARED},
                  {"local", VM_LOCAL},
                  {"param", VM_FRAME_PARAM},
                  {"const", VM_CONST},
                  {"global", VM_GLOBAL}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (vm_is_dot(p, spaces[i].word)) {
            return vm_variable(p, spaces[i].space, false);
        }
    }
    return vm_error_at(p, p->token.line, PTXVM_UNSUPPORTED, "directive '.%.*s'",
                       (int)p->token.length, p->token.text);
}

// Falling off the end of a body means ret.
static bool closing_return(vm_parser *p) {
    if (!new_insn(p)) {
        return false;
    }
    p->insn->exec = vm_x_ret;
    p->insn->line = p->token.line;
    p->function->code_count++;
    return true;
}

bool vm_parse_body(vm_parser *p) {
    uint32_t depth = p->scope;
    if (!vm_expect(p, '{')) {
        return false;
    }
    for (;;) {
        if (p->token.kind == TK_END) {
            return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "unterminated function");
        }
        bool fine;
        if (vm_is_punct(p, '{')) {
            fine = vm_open_scope(p) && vm_advance(p);
        } else if (vm_is_punct(p, '}')) {
            if (p->scope == depth) {
                return closing_return(p) && vm_advance(p);
            }
            fine = vm_close_scope(p) && vm_advance(p);
        } else if (p->token.kind == TK_DOT) {
            fine = directive(p);
        } else if (is_label(p)) {
            fine = label(p);
        } else {
            fine = instruction(p);
        }
        if (!fine) {
            return false;
        }
    }
}
