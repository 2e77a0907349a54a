// Module level of PTX: version lines, kernels and device functions. Variables are in variable.c,
// function bodies in body.c.
#include "ptxvm/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- kernels and functions

static bool parameters(vm_parser *p) {
    vm_function *f = p->function;
    bool more;
    if (!vm_is_punct(p, '(')) {
        return true;
    }
    if (!vm_advance(p)) {
        return false;
    }
    if (vm_is_punct(p, ')')) {
        return vm_advance(p);
    }
    do {
        if (!vm_grow((void **)&f->params, &f->param_capacity, f->param_count + 1,
                     sizeof *f->params)) {
            return vm_no_memory(p);
        }
        if (!vm_parameter(p, &f->params[f->param_count])) {
            return false;
        }
        f->param_count++;
        if (!vm_accept(p, ',', &more)) {
            return false;
        }
    } while (more);
    return vm_expect(p, ')');
}

// .reqntid 128, 1, 1 and similar, between the parameters and the body.
static bool tuning(vm_parser *p, vm_function *f) {
    while (p->token.kind == TK_DOT) {
        uint32_t *three = vm_is_dot(p, "reqntid")   ? f->entry.reqntid
                          : vm_is_dot(p, "maxntid") ? f->entry.maxntid
                                                    : NULL;
        bool number =
            vm_is_dot(p, "minnctapersm") || vm_is_dot(p, "maxnreg") || vm_is_dot(p, "maxnctapersm");
        if (!three && !number && !vm_is_dot(p, "noreturn")) {
            return vm_error_at(p, p->token.line, PTXVM_UNSUPPORTED, "directive '.%.*s'",
                               (int)p->token.length, p->token.text);
        }
        if (!vm_advance(p)) {
            return false;
        }
        bool more = three || number;
        for (unsigned i = 0; more; i++) {
            int64_t value;
            if (!vm_integer(p, &value) || !vm_accept(p, ',', &more)) {
                return false;
            }
            if (i > 2 || value < 1 || value > UINT32_MAX) {
                return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "bad size");
            }
            for (unsigned k = i; three && k < 3; k++) {
                three[k] = k == i ? (uint32_t)value : 1;
            }
        }
    }
    return true;
}

// A function may be declared before it is defined; the definition replaces the declaration.
static bool new_function(vm_parser *p, const vm_token *name, bool is_entry, vm_function **out) {
    ptxvm_module *m = p->module;
    vm_symbol *s = vm_find(p, name->text, name->length);
    if (s && s->kind == SYM_FUNCTION) {
        *out = m->functions[s->value];
        if ((*out)->has_body || (*out)->is_entry != is_entry) {
            return vm_error_at(p, name->line, PTXVM_SYNTAX, "'%s' is defined twice", (*out)->name);
        }
        (*out)->param_count = 0;
        (*out)->frame_size = 0;
        (*out)->has_result = false;
        (*out)->entry.param_bytes = 0;
        return true;
    }
    if (!vm_declare(p, SYM_FUNCTION, name->text, name->length, &s)) {
        return false;
    }
    s->value = m->function_count;
    if (!vm_grow((void **)&m->functions, &m->function_capacity, m->function_count + 1,
                 sizeof *m->functions)) {
        return vm_no_memory(p);
    }
    vm_function *f = calloc(1, sizeof *f);
    char *copy = malloc(name->length + 1);
    if (!f || !copy) {
        free(f);
        free(copy);
        return vm_no_memory(p);
    }
    memcpy(copy, name->text, name->length);
    copy[name->length] = '\0';
    f->name = copy;
    f->is_entry = is_entry;
    m->functions[m->function_count++] = f;
    *out = f;
    return true;
}

// Calls are checked against the declaration when they are parsed, so a definition must match it.
static bool same_signature(vm_parser *p, vm_function *f) {
    uint32_t signature = f->has_result ? f->result.size * 2 + 1 : 1;
    for (uint32_t i = 0; i < f->param_count; i++) {
        signature = (signature ^ f->params[i].size) * 16777619u + i + 1;
    }
    if (f->declared && f->signature != signature) {
        return vm_error_at(p, p->token.line, PTXVM_TYPE, "'%s' was declared differently", f->name);
    }
    f->declared = true;
    f->signature = signature;
    return true;
}

static bool function(vm_parser *p, bool is_entry) {
    vm_token name = {0};
    vm_function *f = NULL;
    // A result precedes the name, so its declaration is deferred to the function's scope.
    const char *result_at = NULL;
    uint32_t result_line = 0;
    if (!vm_advance(p)) {
        return false;
    }
    if (!is_entry && vm_is_punct(p, '(')) {
        result_at = p->token.text;
        result_line = p->token.line;
        while (!vm_is_punct(p, ')')) {
            if (p->token.kind == TK_END) {
                return vm_expect(p, ')');
            }
            if (!vm_advance(p)) {
                return false;
            }
        }
        if (!vm_advance(p)) {
            return false;
        }
    }
    if (!vm_take_name(p, &name) || !new_function(p, &name, is_entry, &f)) {
        return false;
    }
    p->function = f;
    if (!vm_open_scope(p)) {
        return false;
    }
    if (result_at) {
        const char *after = p->token.text;
        uint32_t after_line = p->token.line;
        ptxvm_param result;
        p->at = result_at + 1;
        p->line = result_line;
        if (!vm_advance(p)) {
            return false;
        }
        if (!vm_is_punct(p, ')')) {
            if (!vm_parameter(p, &result)) {
                return false;
            }
            f->has_result = true;
            f->result = (vm_slot){result.offset, result.size};
        }
        p->at = after;
        p->line = after_line;
        if (!vm_advance(p)) {
            return false;
        }
    }
    if (!parameters(p) || !same_signature(p, f) || !tuning(p, f)) {
        return false;
    }
    if (vm_is_punct(p, ';')) {
        if (!vm_advance(p)) {
            return false;
        }
    } else {
        f->has_body = true;
        if (!vm_parse_body(p)) {
            return false;
        }
    }
    bool closed = vm_close_scope(p);
    p->function = NULL;
    return closed;
}

// ---- the module

static bool skip_section(vm_parser *p) {
    unsigned depth = 0;
    for (;;) {
        if (p->token.kind == TK_END) {
            return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "unterminated section");
        }
        depth += vm_is_punct(p, '{');
        bool close = vm_is_punct(p, '}');
        if (!vm_advance(p)) {
            return false;
        }
        if (close && --depth == 0) {
            return true;
        }
    }
}

static bool declaration(vm_parser *p) {
    bool is_extern = false;
    while (vm_is_dot(p, "visible") || vm_is_dot(p, "extern") || vm_is_dot(p, "weak") ||
           vm_is_dot(p, "common")) {
        is_extern = is_extern || vm_is_dot(p, "extern");
        if (!vm_advance(p)) {
            return false;
        }
    }
    if (vm_is_dot(p, "entry") || vm_is_dot(p, "func")) {
        return function(p, vm_is_dot(p, "entry"));
    }
    if (vm_is_dot(p, "global")) {
        return vm_variable(p, VM_GLOBAL, is_extern);
    }
    if (vm_is_dot(p, "const")) {
        return vm_variable(p, VM_CONST, is_extern);
    }
    if (vm_is_dot(p, "shared")) {
        return vm_variable(p, VM_SHARED, is_extern);
    }
    if (vm_is_dot(p, "section")) {
        return skip_section(p);
    }
    if (vm_is_dot(p, "pragma")) {
        return vm_advance(p) && vm_advance(p) && vm_expect(p, ';');
    }
    return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "unexpected '%.20s'", p->token.text);
}

static bool number_of_version(vm_parser *p) {
    if (p->token.kind != TK_DECIMAL) {
        return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "a version is expected");
    }
    return vm_advance(p);
}

// .target sm_75, debug
static bool names_of_target(vm_parser *p) {
    bool more = true;
    if (!vm_advance(p)) {
        return false;
    }
    while (more) {
        vm_token name = {0};
        if (!vm_take_name(p, &name) || !vm_accept(p, ',', &more)) {
            return false;
        }
    }
    return true;
}

bool vm_parse_module(vm_parser *p) {
    if (!vm_advance(p)) {
        return false;
    }
    unsigned version = 0, target = 0;
    while (p->token.kind != TK_END) {
        if (vm_is_dot(p, "version")) {
            version++;
            if (!vm_advance(p) || !number_of_version(p)) {
                return false;
            }
        } else if (vm_is_dot(p, "target")) {
            target++;
            if (!names_of_target(p)) {
                return false;
            }
        } else if (vm_is_dot(p, "file") || vm_is_dot(p, "loc")) {
            if (!vm_skip_line(p)) {
                return false;
            }
        } else if (vm_is_dot(p, "address_size")) {
            int64_t bits;
            if (!vm_advance(p) || !vm_integer(p, &bits)) {
                return false;
            }
            if (bits != 64) {
                return vm_error_at(p, p->token.line, PTXVM_UNSUPPORTED, "address size %d",
                                   (int)bits);
            }
        } else if (!version || !target) {
            return vm_error_at(p, p->token.line, PTXVM_SYNTAX,
                               ".version and .target must come first");
        } else if (!declaration(p)) {
            return false;
        }
    }
    if (!version || !target) {
        return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "no .version or no .target");
    }
    return true;
}
