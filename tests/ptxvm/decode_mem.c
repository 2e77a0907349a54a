// Decoding of memory instructions: ld, st, atom, red, cvta, fences. Cache hints are parsed and
// ignored.
#include "ptxvm/parse.h"

#include <string.h>

static bool take_any(vm_parser *p, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (vm_take(p, words[i])) {
            return true;
        }
    }
    return false;
}

#define TAKE_ANY(p, words) take_any(p, words, sizeof words / sizeof *words)

// Stores .cta, .gpu, .sys or .cluster in vm_insn.round. A cluster is treated as the device: it may
// contain the same blocks.
static bool take_scope(vm_parser *p) {
    static const char *const wide[] = {"gpu", "sys", "cluster"};
    p->insn->round = WEAKMEM_GROUP;
    if (vm_take(p, "cta")) {
        return true;
    }
    p->insn->round = WEAKMEM_DEVICE;
    return TAKE_ANY(p, wide);
}

// Hints such as L1::evict_last and L2::128B do not affect any result.
static void take_levels(vm_parser *p) {
    for (uint32_t i = 0; i < p->mod_count; i++) {
        const vm_token *t = &p->mods[i];
        if (t->length > 4 && (!memcmp(t->text, "L1::", 4) || !memcmp(t->text, "L2::", 4))) {
            p->mods_used |= 1u << i;
        }
    }
}

// .weak | .volatile | .relaxed.scope | .acquire.scope (or .release.scope)
static bool take_order(vm_parser *p, const char *strong) {
    bool weak = vm_take(p, "weak"), is_volatile = !weak && vm_take(p, "volatile");
    bool relaxed = !weak && !is_volatile && vm_take(p, "relaxed");
    bool ordered = !weak && !is_volatile && !relaxed && vm_take(p, strong);
    bool scope = take_scope(p);
    p->insn->mode = ordered                  ? strong[0] == 'a' ? VM_ACQUIRE : VM_RELEASE
                    : is_volatile || relaxed ? VM_STRONG
                                             : VM_WEAK;
    return (relaxed || ordered) == scope || vm_bad_modifier(p);
}

static bool take_vector(vm_parser *p) {
    p->insn->count = vm_take(p, "v2") ? 2 : vm_take(p, "v4") ? 4 : 1;
    vm_type type = vm_take_type(p);
    p->insn->type = (uint8_t)type;
    bool half = vm_types[type].class == VM_FLOAT && type != VM_F32 && type != VM_F64;
    if (type == VM_NO_TYPE || type == VM_PRED || half) {
        return vm_bad_type(p);
    }
    return p->insn->count * vm_bytes(type) <= 16 || vm_bad_type(p);
}

// The data operands of ld and st: op[1] and up.
static bool vector_data(vm_parser *p, const raw_operand *raw, bool load) {
    vm_insn *in = p->insn;
    vm_type type = (vm_type)in->type;
    if (in->count == 1) {
        return load ? vm_dest(p, 1, raw, type, OP_RELAXED | OP_SINK)
                    : vm_src(p, 1, raw, type, OP_RELAXED);
    }
    if (raw->kind != RAW_VECTOR || raw->count != in->count) {
        return vm_bad_operands(p);
    }
    for (uint32_t i = 0; i < raw->count; i++) {
        const raw_operand *part = &p->parts[raw->first + i];
        if (!(load ? vm_dest(p, i + 1, part, type, OP_RELAXED | OP_SINK)
                   : vm_src(p, i + 1, part, type, OP_RELAXED))) {
            return false;
        }
    }
    return true;
}

bool vm_d_ld(vm_parser *p) {
    static const char *const hints[] = {"ca", "cg", "cs", "lu", "cv"};
    vm_insn *in = p->insn;
    in->exec = vm_x_ld;
    if (!take_order(p, "acquire")) {
        return false;
    }
    TAKE_ANY(p, hints);
    take_levels(p);
    bool read_only = vm_take(p, "nc");
    vm_space space = vm_take_space(p);
    if (read_only && space != VM_GLOBAL) {
        return vm_bad_modifier(p);
    }
    if (!take_vector(p) || !vm_count(p, 2, 2) || !vm_address(p, 0, &p->raw[1], &space)) {
        return false;
    }
    in->space = (uint8_t)space;
    return vector_data(p, &p->raw[0], true);
}

bool vm_d_st(vm_parser *p) {
    static const char *const hints[] = {"wb", "cg", "cs", "wt"};
    vm_insn *in = p->insn;
    in->exec = vm_x_st;
    if (!take_order(p, "release")) {
        return false;
    }
    TAKE_ANY(p, hints);
    take_levels(p);
    vm_space space = vm_take_space(p);
    if (!take_vector(p) || !vm_count(p, 2, 2) || !vm_address(p, 0, &p->raw[0], &space)) {
        return false;
    }
    if (space == VM_CONST || space == VM_PARAM) {
        return vm_bad_modifier(p);
    }
    in->space = (uint8_t)space;
    return vector_data(p, &p->raw[1], false);
}

static bool atom_type_fits(uint8_t op, vm_type type) {
    bool integer = type == VM_U32 || type == VM_S32 || type == VM_U64;
    switch (op) {
    case VM_ATOM_ADD:
        return integer || type == VM_F32 || type == VM_F64 || type == VM_F16 || type == VM_F16X2;
    case VM_ATOM_MIN:
    case VM_ATOM_MAX: return integer || type == VM_S64;
    case VM_ATOM_INC:
    case VM_ATOM_DEC: return type == VM_U32;
    case VM_ATOM_CAS: return type == VM_B16 || type == VM_B32 || type == VM_B64;
    default: return type == VM_B32 || type == VM_B64;
    }
}

// atom with in->sub = 1, red with 0.
bool vm_d_atom(vm_parser *p) {
    static const char *const names[] = {"add", "and", "or",  "xor", "exch",
                                        "cas", "min", "max", "inc", "dec"};
    vm_insn *in = p->insn;
    bool result = in->sub, found = false;
    in->exec = vm_x_atom;
    in->mode = vm_take(p, "acquire")   ? VM_ACQUIRE
               : vm_take(p, "release") ? VM_RELEASE
               : vm_take(p, "acq_rel") ? VM_ACQUIRE | VM_RELEASE
                                       : VM_STRONG;
    if (in->mode == VM_STRONG) {
        vm_take(p, "relaxed");
    }
    take_scope(p);
    take_levels(p);
    vm_space space = vm_take_space(p);
    if (space != VM_GENERIC && space != VM_GLOBAL && space != VM_SHARED) {
        return vm_bad_modifier(p);
    }
    for (uint8_t i = 0; i < 10 && !found; i++) {
        found = vm_take(p, names[i]);
        in->sub = i;
    }
    vm_take(p, "noftz");
    vm_type type = vm_take_type(p);
    in->type = (uint8_t)type;
    bool two = in->sub == VM_ATOM_EXCH || in->sub == VM_ATOM_CAS;
    if (!found || !atom_type_fits(in->sub, type) || (two && !result)) {
        return vm_bad_type(p);
    }
    uint32_t at = result ? 1 : 0, values = in->sub == VM_ATOM_CAS ? 2 : 1;
    if (!vm_count(p, at + 1 + values, at + 1 + values) ||
        (result && !vm_dest(p, 1, &p->raw[0], type, OP_SINK)) ||
        !vm_address(p, 0, &p->raw[at], &space)) {
        return false;
    }
    in->space = (uint8_t)space;
    return vm_src(p, 2, &p->raw[at + 1], type, 0) &&
           (values == 1 || vm_src(p, 3, &p->raw[at + 2], type, 0));
}

bool vm_d_cvta(vm_parser *p) {
    vm_insn *in = p->insn;
    in->exec = vm_x_cvta;
    in->mode = vm_take(p, "to");
    vm_space space = vm_take_space(p);
    in->space = (uint8_t)space;
    if (space == VM_GENERIC || vm_take_type(p) != VM_U64) {
        return vm_bad_type(p);
    }
    if (!vm_count(p, 2, 2)) {
        return false;
    }
    if (p->raw[1].kind == RAW_SYMBOL) {
        vm_space declared = p->symbols[p->raw[1].symbol - 1].space;
        if (in->mode || declared != space) {
            return vm_bad_operands(p);
        }
    }
    return vm_dest(p, 0, &p->raw[0], VM_U64, 0) && vm_src(p, 1, &p->raw[1], VM_U64, OP_SYMBOL);
}

bool vm_d_isspacep(vm_parser *p) {
    p->insn->exec = vm_x_isspacep;
    p->insn->space = (uint8_t)vm_take_space(p);
    return vm_count(p, 2, 2) && vm_dest(p, 0, &p->raw[0], VM_PRED, 0) &&
           vm_src(p, 1, &p->raw[1], VM_U64, 0);
}

// A prefetch has no effect that a program can observe, so its address is not checked.
bool vm_d_prefetch(vm_parser *p) {
    vm_space space = vm_take_space(p);
    p->insn->exec = vm_x_nop;
    take_levels(p);
    vm_take(p, "L1");
    vm_take(p, "L2");
    return vm_count(p, 1, 1) && vm_address(p, 0, &p->raw[0], &space);
}

// A proxy fence orders a kind of access that the interpreter does not have.
bool vm_d_fence(vm_parser *p) {
    static const char *const wide[] = {"gl", "sys"};
    vm_insn *in = p->insn;
    in->exec = vm_x_fence;
    in->mode = VM_ACQUIRE | VM_RELEASE;
    if (p->mnemonic[0] == 'm') {
        in->round = vm_take(p, "cta") ? WEAKMEM_GROUP : WEAKMEM_DEVICE;
        return (in->round == WEAKMEM_GROUP || TAKE_ANY(p, wide) || vm_bad_modifier(p)) &&
               vm_count(p, 0, 0);
    }
    if (vm_take(p, "proxy")) {
        static const char *const proxies[] = {"alias", "async", "async.global",
                                              "async.shared::cta"};
        TAKE_ANY(p, proxies);
        in->exec = vm_x_nop;
        return vm_count(p, 0, 0);
    }
    if (!vm_take(p, "sc") && !vm_take(p, "acq_rel")) {
        in->mode = vm_take(p, "acquire")   ? VM_ACQUIRE
                   : vm_take(p, "release") ? VM_RELEASE
                                           : VM_ACQUIRE | VM_RELEASE;
    }
    return (take_scope(p) || vm_bad_modifier(p)) && vm_count(p, 0, 0);
}

bool vm_d_nanosleep(vm_parser *p) {
    p->insn->exec = vm_x_nop;
    return (vm_take_type(p) == VM_U32 || vm_bad_type(p)) && vm_count(p, 1, 1) &&
           vm_src(p, 0, &p->raw[0], VM_U32, 0);
}
