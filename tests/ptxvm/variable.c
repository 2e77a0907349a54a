// Variables and kernel parameters of PTX: types, sizes, initial values, and addresses.
#include "ptxvm/parse.h"

#include <stdlib.h>
#include <string.h>

static uint64_t align_up(uint64_t value, uint64_t align) {
    return (value + align - 1) / align * align;
}

static bool take_align(vm_parser *p, uint64_t *align) {
    int64_t value;
    if (!vm_advance(p) || !vm_integer(p, &value)) {
        return false;
    }
    if (value < 1 || value > 4096 || (value & (value - 1))) {
        return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "bad alignment");
    }
    *align = (uint64_t)value;
    return true;
}

// [.align N] [.v2|.v4] .type, and .ptr .space .align N of kernel parameters.
static bool type_of_variable(vm_parser *p, vm_type *type, uint64_t *unit, uint64_t *align) {
    uint64_t lanes = 1, ignored;
    *type = VM_NO_TYPE;
    *align = 0;
    while (p->token.kind == TK_DOT) {
        if (vm_is_dot(p, "align")) {
            if (!take_align(p, *type == VM_NO_TYPE ? align : &ignored)) {
                return false;
            }
            continue;
        }
        if (vm_is_dot(p, "v2") || vm_is_dot(p, "v4")) {
            lanes = vm_is_dot(p, "v2") ? 2 : 4;
        } else if (*type != VM_NO_TYPE) {
            static const char *const pointer_words[] = {"ptr", "global", "shared", "const",
                                                        "local"};
            bool known = false;
            for (size_t i = 0; i < sizeof pointer_words / sizeof *pointer_words; i++) {
                known = known || vm_is_dot(p, pointer_words[i]);
            }
            if (!known) {
                return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "unexpected '.%.*s'",
                                   (int)p->token.length, p->token.text);
            }
        } else {
            *type = vm_type_named(p->token.text, p->token.length);
            if (*type == VM_NO_TYPE || *type == VM_PRED) {
                return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "unknown type '.%.*s'",
                                   (int)p->token.length, p->token.text);
            }
        }
        if (!vm_advance(p)) {
            return false;
        }
    }
    if (*type == VM_NO_TYPE) {
        return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "a type is expected");
    }
    *unit = vm_bytes(*type) * lanes;
    *align = *align ? *align : *unit;
    return true;
}

bool vm_take_name(vm_parser *p, vm_token *name) {
    if (p->token.kind != TK_WORD) {
        return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "a name is expected");
    }
    *name = p->token;
    return vm_advance(p);
}

// [4][8] or []; *elements is 0 for an array without a size.
static bool dimensions(vm_parser *p, uint64_t *elements) {
    bool open;
    *elements = 1;
    for (;;) {
        if (!vm_accept(p, '[', &open)) {
            return false;
        }
        if (!open) {
            return true;
        }
        int64_t n = 0;
        if (!vm_is_punct(p, ']') && !vm_integer(p, &n)) {
            return false;
        }
        if (n < 0 || (n && *elements > VM_MAX_STATIC / (uint64_t)n)) {
            return vm_error_at(p, p->token.line, PTXVM_NO_MEMORY, "array too large");
        }
        *elements *= (uint64_t)n;
        if (!vm_expect(p, ']')) {
            return false;
        }
    }
}

static bool initial_value(vm_parser *p, vm_type type, uint64_t *bits) {
    bool minus;
    if (!vm_accept(p, '-', &minus)) {
        return false;
    }
    vm_token t = p->token;
    double number = 0;
    memcpy(&number, &t.value, sizeof number);
    *bits = t.value;
    if (t.kind == TK_WORD) {
        bool call = vm_is_word(p, "generic");
        if (call && (!vm_advance(p) || !vm_expect(p, '('))) {
            return false;
        }
        vm_symbol *s = vm_find(p, p->token.text, p->token.length);
        if (!s || s->kind != SYM_VAR || s->space == VM_SHARED) {
            return vm_error_at(p, t.line, PTXVM_UNDECLARED, "no variable '%.*s'",
                               (int)p->token.length, p->token.text);
        }
        *bits = s->value;
        if (!vm_advance(p) || (call && !vm_expect(p, ')'))) {
            return false;
        }
        bool plus;
        int64_t more = 0;
        if (!vm_accept(p, '+', &plus) || (plus && !vm_integer(p, &more))) {
            return false;
        }
        *bits += (uint64_t)more;
        return true;
    }
    if (t.kind == TK_INT) {
        *bits = minus ? 0 - t.value : t.value;
        if (type == VM_F32 || type == VM_F64) {
            return vm_error_at(p, t.line, PTXVM_TYPE, "an integer for a float variable");
        }
    } else if (t.kind == TK_DECIMAL || t.kind == TK_F64) {
        float narrow = (float)(minus ? -number : number);
        uint32_t narrow_bits;
        memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
        *bits = type == VM_F32 ? narrow_bits : t.value ^ (minus ? UINT64_C(1) << 63 : 0);
    } else if (t.kind != TK_F32 || minus) {
        return vm_error_at(p, t.line, PTXVM_SYNTAX, "bad initial value");
    }
    return vm_advance(p);
}

// = value, or = { values, in nested braces }; missing values are 0.
static bool initial_values(vm_parser *p, vm_type type, uint8_t *bytes, uint64_t size) {
    uint64_t at = 0;
    unsigned depth = 0;
    do {
        bool taken;
        if (!vm_accept(p, '{', &taken)) {
            return false;
        }
        if (taken) {
            depth++;
            continue;
        }
        if (!vm_is_punct(p, '}')) {
            uint64_t bits;
            if (!initial_value(p, type, &bits)) {
                return false;
            }
            if (at + vm_bytes(type) > size) {
                return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "too many initial values");
            }
            for (unsigned i = 0; i < vm_bytes(type); i++) {
                bytes[at++] = (uint8_t)(bits >> (8 * i));
            }
        }
        while (depth && vm_is_punct(p, '}')) {
            depth--;
            if (!vm_advance(p)) {
                return false;
            }
        }
        if (depth && !vm_expect(p, ',')) {
            return false;
        }
    } while (depth);
    return true;
}

static bool reserve(vm_parser *p, vm_image *image, uint64_t align, uint64_t size, uint64_t *at) {
    uint64_t offset = align_up(image->size, align < 16 ? 16 : align);
    if (offset + size > VM_MAX_STATIC) {
        return vm_error_at(p, p->token.line, PTXVM_NO_MEMORY, "too much static memory");
    }
    if (offset + size > image->capacity) {
        uint64_t capacity = (offset + size) * 2;
        uint8_t *bytes = realloc(image->bytes, capacity);
        if (!bytes) {
            return vm_no_memory(p);
        }
        image->bytes = bytes;
        image->capacity = capacity;
    }
    if (offset + size > image->size) {
        memset(image->bytes + image->size, 0, offset + size - image->size);
    }
    image->size = offset + size;
    *at = offset;
    return true;
}

static bool bump(vm_parser *p, uint32_t *size, uint64_t align, uint64_t bytes, uint64_t *at) {
    *at = align_up(*size, align);
    if (*at + bytes > VM_MAX_STATIC / 16) {
        return vm_error_at(p, p->token.line, PTXVM_NO_MEMORY, "too much memory");
    }
    *size = (uint32_t)(*at + bytes);
    return true;
}

// Assigns the variable its address; for frame and local variables an offset.
static bool place(vm_parser *p, vm_symbol *s, uint64_t align, uint64_t size, bool is_extern) {
    ptxvm_module *m = p->module;
    uint64_t at = 0;
    bool in_entry = p->function && p->function->is_entry;
    s->count = (uint32_t)size;
    switch (s->space) {
    case VM_GLOBAL:
        if (!reserve(p, &m->globals, align, size, &at)) {
            return false;
        }
        s->value = VM_GLOBAL_BASE + at;
        return true;
    case VM_CONST:
        if (!reserve(p, &m->constants, align, size, &at)) {
            return false;
        }
        s->value = VM_CONST_BASE + at;
        return true;
    case VM_SHARED:
        if (is_extern && size == 0) {
            s->value = VM_DYNAMIC_BASE;
            return true;
        }
        if (!bump(p, in_entry ? &p->function->shared_size : &m->module_shared, align, size, &at)) {
            return false;
        }
        s->value = (in_entry ? VM_SHARED_BASE : VM_MODULE_SHARED) + at;
        return true;
    case VM_LOCAL: return bump(p, &p->function->local_size, align, size, &s->value);
    default: return bump(p, &p->function->frame_size, align, size, &s->value);
    }
}

bool vm_variable(vm_parser *p, vm_space space, bool is_extern) {
    vm_type type;
    uint64_t unit, align, elements;
    bool more = true;
    if (!vm_advance(p) || !type_of_variable(p, &type, &unit, &align)) {
        return false;
    }
    while (more) {
        vm_token name = {0};
        vm_symbol *s;
        if (!vm_take_name(p, &name) || !dimensions(p, &elements) ||
            !vm_declare(p, SYM_VAR, name.text, name.length, &s)) {
            return false;
        }
        s->space = space;
        s->type = type;
        if (elements > VM_MAX_STATIC / 32) {
            return vm_error_at(p, name.line, PTXVM_NO_MEMORY, "array too large");
        }
        if (elements == 0 && !(is_extern && space == VM_SHARED)) {
            return vm_error_at(p, name.line, PTXVM_SYNTAX, "an array without a size");
        }
        uint64_t size = elements * unit;
        if (!place(p, s, align, size, is_extern)) {
            return false;
        }
        uint64_t address = s->value;
        bool equals;
        if (!vm_accept(p, '=', &equals)) {
            return false;
        }
        if (equals) {
            vm_image *image = space == VM_CONST ? &p->module->constants : &p->module->globals;
            uint64_t base = space == VM_CONST ? VM_CONST_BASE : VM_GLOBAL_BASE;
            if (space != VM_CONST && space != VM_GLOBAL) {
                return vm_error_at(p, name.line, PTXVM_SYNTAX,
                                   "this space takes no initial values");
            }
            if (!initial_values(p, type, image->bytes + (address - base), size)) {
                return false;
            }
        }
        if (!vm_accept(p, ',', &more)) {
            return false;
        }
    }
    return vm_expect(p, ';');
}

bool vm_parameter(vm_parser *p, ptxvm_param *out) {
    vm_type type;
    uint64_t unit, align, elements;
    vm_token name = {0};
    vm_function *f = p->function;
    if (!vm_is_dot(p, "param")) {
        return vm_error_at(p, p->token.line, PTXVM_UNSUPPORTED, "only .param parameters are known");
    }
    if (!vm_advance(p) || !type_of_variable(p, &type, &unit, &align) || !vm_take_name(p, &name) ||
        !dimensions(p, &elements)) {
        return false;
    }
    uint64_t size = elements * unit, at;
    uint32_t *end = f->is_entry ? &f->entry.param_bytes : &f->frame_size;
    if (size > 32764 || !bump(p, end, align, size, &at)) {
        return vm_error_at(p, name.line, PTXVM_NO_MEMORY, "parameter too large");
    }
    *out = (ptxvm_param){name.text, name.length, (uint32_t)at, (uint32_t)size, (uint32_t)align};
    vm_symbol *s;
    if (!vm_declare(p, SYM_VAR, name.text, name.length, &s)) {
        return false;
    }
    s->space = f->is_entry ? VM_PARAM : VM_FRAME_PARAM;
    s->type = type;
    s->value = f->is_entry ? VM_PARAM_WINDOW + at : at;
    s->count = (uint32_t)size;
    return true;
}
