// Operands of PTX instructions: as written, then checked against the instruction's type. The type
// rules are those of the PTX ISA's tables of operand types; doubtful cases follow ptxas.
#include "ptxvm/parse.h"

#include <string.h>

// ---- as written

static const struct {
    const char *name;
    uint8_t first, parts, bits;
} specials[] = {
    {"%tid", VM_TID_X, 3, 32},
    {"%ntid", VM_NTID_X, 3, 32},
    {"%ctaid", VM_CTAID_X, 3, 32},
    {"%nctaid", VM_NCTAID_X, 3, 32},
    {"%laneid", VM_LANEID, 1, 32},
    {"%warpid", VM_WARPID, 1, 32},
    {"%nwarpid", VM_NWARPID, 1, 32},
    {"%lanemask_eq", VM_LANEMASK_EQ, 1, 32},
    {"%lanemask_le", VM_LANEMASK_LE, 1, 32},
    {"%lanemask_lt", VM_LANEMASK_LT, 1, 32},
    {"%lanemask_ge", VM_LANEMASK_GE, 1, 32},
    {"%lanemask_gt", VM_LANEMASK_GT, 1, 32},
    {"%clock", VM_CLOCK, 1, 32},
    {"%clock64", VM_CLOCK64, 1, 64},
    {"%globaltimer", VM_CLOCK64, 1, 64},
    {"%smid", VM_SMID, 1, 32},
    {"%nsmid", VM_NSMID, 1, 32},
    {"%gridid", VM_GRIDID, 1, 64},
    {"%dynamic_smem_size", VM_DYNAMIC_SMEM, 1, 32},
    {"%total_smem_size", VM_TOTAL_SMEM, 1, 32},
};

// 1: a special register; 0: not one; -1: error.
static int special(vm_parser *p, const vm_token *name, raw_operand *out) {
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (!vm_token_is(name, specials[i].name)) {
            continue;
        }
        uint32_t part = 0;
        if (specials[i].parts == 3) {
            part = vm_is_dot(p, "x") ? 0 : vm_is_dot(p, "y") ? 1 : vm_is_dot(p, "z") ? 2 : 3;
            if (part == 3) {
                vm_error_at(p, name->line, PTXVM_TYPE, "%s needs .x, .y or .z", specials[i].name);
                return -1;
            }
            if (!vm_advance(p)) {
                return -1;
            }
        }
        out->kind = RAW_SPECIAL;
        out->value = specials[i].first + part;
        out->type = specials[i].bits == 64 ? VM_U64 : VM_U32;
        return 1;
    }
    return 0;
}

static bool name_operand(vm_parser *p, raw_operand *out) {
    vm_token name = p->token;
    out->name = name.text;
    out->length = name.length;
    if (!vm_advance(p)) {
        return false;
    }
    uint32_t reg;
    if (vm_token_is(&name, "_")) {
        out->kind = RAW_SINK;
        return true;
    }
    if (vm_token_is(&name, "WARP_SZ")) {
        out->kind = RAW_INT;
        out->value = PTXVM_WARP;
        return true;
    }
    if (vm_find_register(p, name.text, name.length, &out->type, &reg)) {
        out->kind = RAW_REG;
        out->value = reg;
        return true;
    }
    int found = special(p, &name, out);
    if (found) {
        return found > 0;
    }
    vm_symbol *s = vm_find(p, name.text, name.length);
    if (s && s->kind == SYM_VAR) {
        bool plus;
        int64_t more = 0;
        if (!vm_accept(p, '+', &plus) || (plus && !vm_integer(p, &more))) {
            return false;
        }
        out->kind = RAW_SYMBOL;
        out->symbol = (uint32_t)(s - p->symbols) + 1;
        out->value = (uint64_t)more;
        return true;
    }
    if (name.text[0] == '%') {
        return vm_error_at(p, name.line, PTXVM_UNDECLARED, "no register '%.*s'", (int)name.length,
                           name.text);
    }
    out->kind = RAW_NAME;
    return true;
}

static bool number_operand(vm_parser *p, raw_operand *out) {
    bool minus;
    if (!vm_accept(p, '-', &minus)) {
        return false;
    }
    vm_token t = p->token;
    out->value = t.value;
    switch (t.kind) {
    case TK_INT:
        out->kind = RAW_INT;
        out->value = minus ? 0 - t.value : t.value;
        break;
    case TK_F32:
        out->kind = RAW_F32;
        out->value ^= minus ? UINT64_C(0x80000000) : 0;
        break;
    case TK_F64:
    case TK_DECIMAL:
        out->kind = t.kind == TK_F64 ? RAW_F64 : RAW_DECIMAL;
        out->value ^= minus ? UINT64_C(1) << 63 : 0;
        break;
    default: return vm_error_at(p, t.line, PTXVM_SYNTAX, "an operand is expected");
    }
    return vm_advance(p);
}

static bool address_operand(vm_parser *p, raw_operand *out) {
    raw_operand base = {0};
    out->kind = RAW_ADDRESS;
    if (p->token.kind != TK_WORD) {
        return vm_error_at(p, p->token.line, PTXVM_TYPE,
                           "an address needs a register or a variable");
    }
    if (!name_operand(p, &base)) {
        return false;
    }
    if (base.kind == RAW_REG) {
        bool plus;
        int64_t more = 0;
        out->base = (uint32_t)base.value + 1;
        out->base_type = base.type;
        if (!vm_accept(p, '+', &plus) || (plus && !vm_integer(p, &more))) {
            return false;
        }
        out->value = (uint64_t)more;
    } else if (base.kind == RAW_SYMBOL) {
        out->symbol = base.symbol;
        out->value = base.value;
    } else {
        return vm_error_at(p, p->token.line, PTXVM_UNDECLARED, "no variable '%.*s'",
                           (int)base.length, base.name);
    }
    return vm_expect(p, ']');
}

static bool simple_operand(vm_parser *p, raw_operand *out) {
    bool negate;
    *out = (raw_operand){0};
    if (!vm_accept(p, '!', &negate)) {
        return false;
    }
    if (!(p->token.kind == TK_WORD ? name_operand(p, out) : number_operand(p, out))) {
        return false;
    }
    out->negate = negate;
    return true;
}

static bool add_part(vm_parser *p, raw_operand *list) {
    raw_operand part;
    if (!simple_operand(p, &part)) {
        return false;
    }
    if (p->part_count == PARTS_MAX) {
        return vm_error_at(p, p->token.line, PTXVM_NO_MEMORY, "too many operands");
    }
    p->parts[p->part_count++] = part;
    list->count++;
    return true;
}

static bool list_operand(vm_parser *p, raw_operand *out, raw_kind kind, char close) {
    bool more = true;
    out->kind = kind;
    out->first = p->part_count;
    if (vm_is_punct(p, close)) {
        return vm_advance(p);
    }
    while (more) {
        if (!add_part(p, out) || !vm_accept(p, ',', &more)) {
            return false;
        }
    }
    return vm_expect(p, close);
}

static bool operand(vm_parser *p, raw_operand *out) {
    bool taken;
    *out = (raw_operand){0};
    if (!vm_accept(p, '[', &taken) || taken) {
        return taken && p->error->status == PTXVM_OK && address_operand(p, out);
    }
    if (!vm_accept(p, '{', &taken) || taken) {
        return taken && p->error->status == PTXVM_OK && list_operand(p, out, RAW_VECTOR, '}');
    }
    if (!vm_accept(p, '(', &taken) || taken) {
        return taken && p->error->status == PTXVM_OK && list_operand(p, out, RAW_LIST, ')');
    }
    if (!simple_operand(p, out)) {
        return false;
    }
    if (!vm_is_punct(p, '|')) {
        return true;
    }
    if (p->part_count == PARTS_MAX) {
        return vm_error_at(p, p->token.line, PTXVM_NO_MEMORY, "too many operands");
    }
    raw_operand pair = {.kind = RAW_PAIR, .first = p->part_count, .count = 1};
    p->parts[p->part_count++] = *out;
    *out = pair;
    return vm_advance(p) && add_part(p, out);
}

bool vm_parse_operands(vm_parser *p) {
    bool more = !vm_is_punct(p, ';');
    p->raw_count = p->part_count = 0;
    while (more) {
        if (p->raw_count == RAW_MAX) {
            return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "too many operands");
        }
        if (!operand(p, &p->raw[p->raw_count++]) || !vm_accept(p, ',', &more)) {
            return false;
        }
    }
    if (!vm_is_punct(p, ';')) {
        return vm_expect(p, ';');
    }
    return true;
}

// ---- modifiers

bool vm_take(vm_parser *p, const char *word) {
    for (uint32_t i = 0; i < p->mod_count; i++) {
        if (!(p->mods_used >> i & 1) && vm_token_is(&p->mods[i], word)) {
            p->mods_used |= 1u << i;
            return true;
        }
    }
    return false;
}

vm_type vm_take_type(vm_parser *p) {
    for (uint32_t i = 0; i < p->mod_count; i++) {
        vm_type type =
            p->mods_used >> i & 1 ? VM_NO_TYPE : vm_type_named(p->mods[i].text, p->mods[i].length);
        if (type != VM_NO_TYPE) {
            p->mods_used |= 1u << i;
            return type;
        }
    }
    return VM_NO_TYPE;
}

vm_space vm_take_space(vm_parser *p) {
    return vm_take(p, "global")                                ? VM_GLOBAL
           : vm_take(p, "shared") || vm_take(p, "shared::cta") ? VM_SHARED
           : vm_take(p, "const")                               ? VM_CONST
           : vm_take(p, "local")                               ? VM_LOCAL
           : vm_take(p, "param") || vm_take(p, "param::entry") || vm_take(p, "param::func")
               ? VM_PARAM
               : VM_GENERIC;
}

bool vm_mods_done(vm_parser *p) {
    for (uint32_t i = 0; i < p->mod_count; i++) {
        if (!(p->mods_used >> i & 1)) {
            return vm_error_at(p, p->insn->line, PTXVM_UNSUPPORTED, "modifier '.%.*s' of '%.*s'",
                               (int)p->mods[i].length, p->mods[i].text, (int)p->mnemonic_length,
                               p->mnemonic);
        }
    }
    return true;
}

// ---- checked

bool vm_bad_operands(vm_parser *p) {
    return vm_error_at(p, p->insn->line, PTXVM_TYPE, "operands do not fit '%.*s'",
                       (int)p->insn->text_length, p->module->text + p->insn->text);
}

bool vm_bad_type(vm_parser *p) {
    return vm_error_at(p, p->insn->line, PTXVM_TYPE, "'%.*s' does not have this type",
                       (int)p->mnemonic_length, p->mnemonic);
}

bool vm_bad_modifier(vm_parser *p) {
    return vm_error_at(p, p->insn->line, PTXVM_TYPE, "illegal or missing modifier of '%.*s'",
                       (int)p->insn->text_length, p->module->text + p->insn->text);
}

bool vm_count(vm_parser *p, uint32_t low, uint32_t high) {
    if (p->raw_count < low || p->raw_count > high) {
        return vm_error_at(p, p->insn->line, PTXVM_TYPE, "wrong number of operands for '%.*s'",
                           (int)p->mnemonic_length, p->mnemonic);
    }
    return true;
}

static bool agree(vm_type instruction, vm_type reg, bool relaxed) {
    vm_type_info i = vm_types[instruction], r = vm_types[reg];
    if (i.class == VM_TRUTH || r.class == VM_TRUTH) {
        return i.class == r.class;
    }
    if (relaxed ? r.bits < i.bits : r.bits != i.bits) {
        return false;
    }
    switch (i.class) {
    case VM_BITS: return true;
    case VM_FLOAT: return r.class == VM_BITS || reg == instruction;
    default: return r.class != VM_FLOAT;
    }
}

bool vm_dest(vm_parser *p, uint32_t slot, const raw_operand *raw, vm_type type, unsigned flags) {
    vm_operand *op = &p->insn->op[slot];
    if (raw->kind == RAW_SINK && (flags & OP_SINK)) {
        op->kind = VM_O_NONE;
        return true;
    }
    if (raw->kind != RAW_REG || raw->negate || !agree(type, raw->type, flags & OP_RELAXED)) {
        return vm_bad_operands(p);
    }
    *op = (vm_operand){VM_O_REG, 0, (uint8_t)raw->type, (uint32_t)raw->value, 0};
    return true;
}

static bool immediate(vm_parser *p, const raw_operand *raw, vm_type type, uint64_t *bits) {
    double number;
    float narrow;
    uint32_t narrow_bits;
    vm_class class = vm_types[type].class;
    if (raw->kind == RAW_INT) {
        if (class == VM_FLOAT) {
            return vm_bad_operands(p);
        }
        *bits = class == VM_TRUTH ? raw->value != 0 : raw->value & vm_mask(vm_types[type].bits);
        return true;
    }
    if (class == VM_BITS) {
        *bits = raw->value;
        bool fits =
            (raw->kind == RAW_F32 && type == VM_B32) || (raw->kind == RAW_F64 && type == VM_B64);
        return fits || vm_bad_operands(p);
    }
    if (type != VM_F32 && type != VM_F64) {
        return vm_bad_operands(p);
    }
    if (raw->kind == RAW_F32) {
        narrow_bits = (uint32_t)raw->value;
        memcpy(&narrow, &narrow_bits, sizeof narrow);
        number = (double)narrow;
    } else {
        memcpy(&number, &raw->value, sizeof number);
        narrow = (float)number;
        memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    }
    if (type == VM_F32) {
        *bits = narrow_bits;
    } else {
        memcpy(bits, &number, sizeof *bits);
    }
    return true;
}

static bool symbol_source(vm_parser *p, vm_operand *op, const raw_operand *raw, vm_type type) {
    const vm_symbol *s = &p->symbols[raw->symbol - 1];
    vm_type_info info = vm_types[type];
    // Shared addresses fit 32 bits; the others are 64 bits wide.
    if (info.class == VM_FLOAT || info.bits < 32 || (info.bits == 32 && s->space != VM_SHARED)) {
        return vm_bad_operands(p);
    }
    if (s->space == VM_FRAME_PARAM) {
        return vm_error_at(p, p->insn->line, PTXVM_UNSUPPORTED, "address of a .param variable");
    }
    *op = (vm_operand){s->space == VM_LOCAL ? VM_O_LOCAL : VM_O_IMM, 0, (uint8_t)type, 0,
                       s->value + raw->value};
    return true;
}

bool vm_src(vm_parser *p, uint32_t slot, const raw_operand *raw, vm_type type, unsigned flags) {
    vm_operand *op = &p->insn->op[slot];
    if (raw->negate && type != VM_PRED) {
        return vm_bad_operands(p);
    }
    switch (raw->kind) {
    case RAW_REG:
        if (!agree(type, raw->type, flags & OP_RELAXED)) {
            return vm_bad_operands(p);
        }
        *op = (vm_operand){VM_O_REG, raw->negate, (uint8_t)raw->type, (uint32_t)raw->value, 0};
        return true;
    case RAW_INT:
    case RAW_F32:
    case RAW_F64:
    case RAW_DECIMAL:
        *op = (vm_operand){VM_O_IMM, raw->negate, (uint8_t)type, 0, 0};
        return (!(flags & OP_NO_IMM) || vm_bad_operands(p)) && immediate(p, raw, type, &op->imm);
    case RAW_SPECIAL:
        *op = (vm_operand){VM_O_SPECIAL, 0, (uint8_t)raw->type, (uint32_t)raw->value, 0};
        return ((flags & OP_SPECIAL) && agree(type, raw->type, flags & OP_RELAXED)) ||
               vm_bad_operands(p);
    case RAW_SYMBOL:
        return (flags & OP_SYMBOL) ? symbol_source(p, op, raw, type) : vm_bad_operands(p);
    case RAW_NAME:
        return vm_error_at(p, p->insn->line, PTXVM_UNDECLARED, "no name '%.*s'", (int)raw->length,
                           raw->name);
    default: return vm_bad_operands(p);
    }
}

bool vm_address(vm_parser *p, uint32_t slot, const raw_operand *raw, vm_space *space) {
    vm_operand *op = &p->insn->op[slot];
    if (raw->kind != RAW_ADDRESS) {
        return vm_bad_operands(p);
    }
    if (raw->base) {
        vm_type_info info = vm_types[raw->base_type];
        bool narrow =
            info.bits == 32 && (*space == VM_SHARED || *space == VM_LOCAL || *space == VM_CONST);
        if (info.class == VM_FLOAT || info.class == VM_TRUTH || (info.bits != 64 && !narrow)) {
            return vm_error_at(p, p->insn->line, PTXVM_TYPE,
                               "a register of this type cannot be an address");
        }
        *op = (vm_operand){VM_O_REG, 0, (uint8_t)raw->base_type, raw->base - 1, raw->value};
        return true;
    }
    const vm_symbol *s = &p->symbols[raw->symbol - 1];
    if (*space == VM_PARAM && s->space == VM_FRAME_PARAM) {
        *space = VM_FRAME_PARAM;
    }
    if (s->space != *space) {
        bool generic = *space == VM_GENERIC && (s->space == VM_GLOBAL || s->space == VM_CONST);
        if (!generic) {
            return vm_error_at(p, p->insn->line, PTXVM_TYPE, "'%.*s' is not in this state space",
                               (int)s->length, s->name);
        }
    }
    *op = (vm_operand){s->space == VM_LOCAL ? VM_O_LOCAL : VM_O_IMM, 0, VM_U64, 0,
                       s->value + raw->value};
    return true;
}
