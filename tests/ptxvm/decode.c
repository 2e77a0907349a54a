// The list of PTX instructions, and decoding of the integer, bit and move families.
#include "ptxvm/parse.h"

#include <stdlib.h>
#include <string.h>

// Sorted by name for the binary search. sub is the initial value of vm_insn.sub, which the decode
// function may change.
static const struct {
    const char *name;
    vm_decode decode;
    uint8_t sub;
} instructions[] = {
    {"abs", vm_d_unary, VM_SUB_ABS},
    {"activemask", vm_d_activemask, 0},
    {"add", vm_d_add, VM_SUB_ADD},
    {"addc", vm_d_add, VM_SUB_ADD},
    {"and", vm_d_logic, VM_SUB_AND},
    {"atom", vm_d_atom, 1},
    {"bar", vm_d_bar, 0},
    {"barrier", vm_d_bar, 0},
    {"bfe", vm_d_field, VM_SUB_BFE},
    {"bfi", vm_d_field, VM_SUB_BFI},
    {"bfind", vm_d_bits, VM_SUB_BFIND},
    {"bra", vm_d_bra, 0},
    {"brev", vm_d_bits, VM_SUB_BREV},
    {"brkpt", vm_d_end, 2},
    {"brx", vm_d_brx, 0},
    {"call", vm_d_call, 0},
    {"clz", vm_d_bits, VM_SUB_CLZ},
    {"cnot", vm_d_logic, VM_SUB_CNOT},
    {"copysign", vm_d_copysign, 0},
    {"cos", vm_d_math, VM_SUB_COS},
    {"cvt", vm_d_cvt, 0},
    {"cvta", vm_d_cvta, 0},
    {"div", vm_d_div, VM_SUB_DIV},
    {"dp4a", vm_d_dp4a, 0},
    {"elect", vm_d_match, VM_ELECT},
    {"ex2", vm_d_math, VM_SUB_EX2},
    {"exit", vm_d_end, 1},
    {"fence", vm_d_fence, 0},
    {"fma", vm_d_fma, VM_SUB_FMA},
    {"isspacep", vm_d_isspacep, 0},
    {"ld", vm_d_ld, 0},
    {"ldu", vm_d_ld, 0},
    {"lg2", vm_d_math, VM_SUB_LG2},
    {"lop3", vm_d_logic, VM_SUB_LOP3},
    {"mad", vm_d_fma, VM_SUB_FMA},
    {"madc", vm_d_fma, VM_SUB_FMA},
    {"match", vm_d_match, VM_MATCH_ANY},
    {"max", vm_d_minmax, VM_SUB_MAX},
    {"membar", vm_d_fence, 0},
    {"min", vm_d_minmax, VM_SUB_MIN},
    {"mov", vm_d_mov, 0},
    {"mul", vm_d_mul, VM_SUB_MUL},
    {"nanosleep", vm_d_nanosleep, 0},
    {"neg", vm_d_unary, VM_SUB_NEG},
    {"not", vm_d_logic, VM_SUB_NOT},
    {"or", vm_d_logic, VM_SUB_OR},
    {"popc", vm_d_bits, VM_SUB_POPC},
    {"prefetch", vm_d_prefetch, 0},
    {"prefetchu", vm_d_prefetch, 0},
    {"prmt", vm_d_prmt, 0},
    {"rcp", vm_d_math, VM_SUB_RCP},
    {"red", vm_d_atom, 0},
    {"redux", vm_d_redux, 0},
    {"rem", vm_d_div, VM_SUB_REM},
    {"ret", vm_d_end, 0},
    {"rsqrt", vm_d_math, VM_SUB_RSQRT},
    {"sad", vm_d_field, VM_SUB_SAD},
    {"selp", vm_d_selp, 0},
    {"set", vm_d_setp, 1},
    {"setp", vm_d_setp, 0},
    {"shf", vm_d_shf, 0},
    {"shfl", vm_d_shfl, 0},
    {"shl", vm_d_shift, VM_SUB_SHL},
    {"shr", vm_d_shift, VM_SUB_SHR},
    {"sin", vm_d_math, VM_SUB_SIN},
    {"slct", vm_d_slct, 0},
    {"sqrt", vm_d_math, VM_SUB_SQRT},
    {"st", vm_d_st, 0},
    {"sub", vm_d_add, VM_SUB_SUB},
    {"subc", vm_d_add, VM_SUB_SUB},
    {"tanh", vm_d_math, VM_SUB_TANH},
    {"testp", vm_d_testp, 0},
    {"trap", vm_d_end, 2},
    {"vote", vm_d_vote, 0},
    {"wmma", vm_d_wmma, 0},
    {"xor", vm_d_logic, VM_SUB_XOR},
};

bool vm_decode_instruction(vm_parser *p) {
    size_t low = 0, high = sizeof instructions / sizeof *instructions;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *name = instructions[middle].name;
        int order = strncmp(p->mnemonic, name, p->mnemonic_length);
        if (order == 0) {
            order = name[p->mnemonic_length] ? -1 : 0;
        }
        if (order == 0) {
            p->insn->sub = instructions[middle].sub;
            return instructions[middle].decode(p) && vm_mods_done(p);
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return vm_error_at(p, p->insn->line, PTXVM_UNSUPPORTED, "instruction '%.*s'",
                       (int)p->mnemonic_length, p->mnemonic);
}

// Operands d, a, b …, all of the same type.
static bool same(vm_parser *p, uint32_t count, vm_type type) {
    if (!vm_count(p, count, count) || !vm_dest(p, 0, &p->raw[0], type, 0)) {
        return false;
    }
    for (uint32_t i = 1; i < count; i++) {
        if (!vm_src(p, i, &p->raw[i], type, 0)) {
            return false;
        }
    }
    return true;
}

bool vm_d_mov(vm_parser *p) {
    vm_insn *in = p->insn;
    vm_type type = vm_take_type(p);
    in->type = (uint8_t)type;
    if (type == VM_NO_TYPE || (type != VM_PRED && vm_types[type].bits < 16)) {
        return vm_bad_type(p);
    }
    if (!vm_count(p, 2, 2)) {
        return false;
    }
    raw_operand *vector = p->raw[0].kind == RAW_VECTOR   ? &p->raw[0]
                          : p->raw[1].kind == RAW_VECTOR ? &p->raw[1]
                                                         : NULL;
    if (!vector) {
        in->exec = vm_x_mov;
        return vm_dest(p, 0, &p->raw[0], type, 0) &&
               vm_src(p, 1, &p->raw[1], type, OP_SPECIAL | OP_SYMBOL);
    }
    unsigned bits = vm_types[type].bits;
    if (vm_types[type].class != VM_BITS || (vector->count != 2 && vector->count != 4)) {
        return vm_bad_operands(p);
    }
    unsigned part = bits / vector->count;
    vm_type part_type = part == 16 ? VM_B16 : part == 32 ? VM_B32 : VM_NO_TYPE;
    if (part_type == VM_NO_TYPE) {
        return vm_bad_operands(p);
    }
    in->count = (uint8_t)vector->count;
    in->mode = (uint8_t)part;
    bool unpack = vector == &p->raw[0];
    in->exec = unpack ? vm_x_unpack : vm_x_pack;
    for (uint32_t i = 0; i < vector->count; i++) {
        const raw_operand *raw = &p->parts[vector->first + i];
        if (!(unpack ? vm_dest(p, i + 1, raw, part_type, OP_SINK)
                     : vm_src(p, i + 1, raw, part_type, 0))) {
            return false;
        }
    }
    return unpack ? vm_src(p, 0, &p->raw[1], type, 0) : vm_dest(p, 0, &p->raw[0], type, 0);
}

bool vm_d_logic(vm_parser *p) {
    vm_insn *in = p->insn;
    vm_type type = vm_take_type(p);
    bool pred = type == VM_PRED && in->sub != VM_SUB_CNOT && in->sub != VM_SUB_LOP3;
    in->type = (uint8_t)type;
    in->exec = vm_x_logic;
    if (!pred && type != VM_B16 && type != VM_B32 && type != VM_B64) {
        return vm_bad_type(p);
    }
    if (in->sub == VM_SUB_LOP3) {
        if (type != VM_B32) {
            return vm_bad_type(p);
        }
        return vm_count(p, 5, 5) && vm_dest(p, 0, &p->raw[0], type, 0) &&
               vm_src(p, 1, &p->raw[1], type, 0) && vm_src(p, 2, &p->raw[2], type, 0) &&
               vm_src(p, 3, &p->raw[3], type, 0) &&
               (p->raw[4].kind == RAW_INT || vm_bad_operands(p)) &&
               vm_src(p, 4, &p->raw[4], VM_U32, 0);
    }
    return same(p, in->sub >= VM_SUB_NOT ? 2 : 3, type);
}

bool vm_d_shift(vm_parser *p) {
    vm_insn *in = p->insn;
    vm_type type = vm_take_type(p);
    vm_type_info info = vm_types[type];
    in->type = (uint8_t)type;
    in->exec = vm_x_shift;
    bool fits = info.class == VM_BITS || (in->sub == VM_SUB_SHR && vm_is_integer(type));
    if (type == VM_NO_TYPE || !fits || info.bits < 16) {
        return vm_bad_type(p);
    }
    return vm_count(p, 3, 3) && vm_dest(p, 0, &p->raw[0], type, 0) &&
           vm_src(p, 1, &p->raw[1], type, 0) && vm_src(p, 2, &p->raw[2], VM_U32, 0);
}

bool vm_d_shf(vm_parser *p) {
    vm_insn *in = p->insn;
    in->exec = vm_x_shift;
    in->sub = vm_take(p, "l") ? VM_SUB_SHF_L : VM_SUB_SHF_R;
    if (in->sub == VM_SUB_SHF_R && !vm_take(p, "r")) {
        return vm_bad_type(p);
    }
    in->mode = vm_take(p, "wrap");
    if ((!in->mode && !vm_take(p, "clamp")) || vm_take_type(p) != VM_B32) {
        return vm_bad_type(p);
    }
    in->type = VM_B32;
    return same(p, 4, VM_B32);
}

bool vm_d_bits(vm_parser *p) {
    vm_insn *in = p->insn;
    in->mode = in->sub == VM_SUB_BFIND && vm_take(p, "shiftamt");
    vm_type type = vm_take_type(p);
    vm_type_info info = vm_types[type];
    bool class = in->sub == VM_SUB_BFIND ? vm_is_integer(type) : info.class == VM_BITS;
    in->type = (uint8_t)type;
    in->exec = vm_x_bits;
    if (!class || info.bits < 32) {
        return vm_bad_type(p);
    }
    return vm_count(p, 2, 2) &&
           vm_dest(p, 0, &p->raw[0], in->sub == VM_SUB_BREV ? type : VM_U32, 0) &&
           vm_src(p, 1, &p->raw[1], type, 0);
}

bool vm_d_field(vm_parser *p) {
    vm_insn *in = p->insn;
    vm_type type = vm_take_type(p);
    vm_type_info info = vm_types[type];
    in->type = (uint8_t)type;
    in->exec = vm_x_field;
    if (in->sub == VM_SUB_SAD) {
        return vm_is_integer(type) ? same(p, 4, type) : vm_bad_type(p);
    }
    bool class = in->sub == VM_SUB_BFE ? vm_is_integer(type) : info.class == VM_BITS;
    if (!class || info.bits < 32) {
        return vm_bad_type(p);
    }
    uint32_t values = in->sub == VM_SUB_BFE ? 2 : 3;
    if (!vm_count(p, values + 2, values + 2) || !vm_dest(p, 0, &p->raw[0], type, 0)) {
        return false;
    }
    for (uint32_t i = 1; i < values + 2; i++) {
        if (!vm_src(p, i, &p->raw[i], i < values ? type : VM_U32, 0)) {
            return false;
        }
        if (i >= values && in->op[i].kind == VM_O_IMM && in->op[i].imm > 255) {
            return vm_bad_operands(p);
        }
    }
    return true;
}

bool vm_d_prmt(vm_parser *p) {
    static const char *const modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    vm_insn *in = p->insn;
    in->exec = vm_x_prmt;
    in->type = VM_B32;
    if (vm_take_type(p) != VM_B32) {
        return vm_bad_type(p);
    }
    for (uint8_t i = 0; i < 6; i++) {
        if (vm_take(p, modes[i])) {
            in->mode = i + 1;
        }
    }
    return same(p, 4, VM_B32);
}

bool vm_d_dp4a(vm_parser *p) {
    vm_insn *in = p->insn;
    vm_type a = vm_take_type(p), b = vm_take_type(p);
    in->exec = vm_x_dp4a;
    in->type = (uint8_t)a;
    in->type2 = (uint8_t)b;
    if ((a != VM_U32 && a != VM_S32) || (b != VM_U32 && b != VM_S32)) {
        return vm_bad_type(p);
    }
    vm_type result = a == VM_S32 || b == VM_S32 ? VM_S32 : VM_U32;
    return vm_count(p, 4, 4) && vm_dest(p, 0, &p->raw[0], result, 0) &&
           vm_src(p, 1, &p->raw[1], VM_B32, 0) && vm_src(p, 2, &p->raw[2], VM_B32, 0) &&
           vm_src(p, 3, &p->raw[3], result, 0);
}

bool vm_d_selp(vm_parser *p) {
    vm_type type = vm_take_type(p);
    p->insn->exec = vm_x_selp;
    p->insn->type = (uint8_t)type;
    bool half = vm_types[type].class == VM_FLOAT && type != VM_F32 && type != VM_F64;
    if (type == VM_PRED || vm_types[type].bits < 16 || half) {
        return vm_bad_type(p);
    }
    return vm_count(p, 4, 4) && vm_dest(p, 0, &p->raw[0], type, 0) &&
           vm_src(p, 1, &p->raw[1], type, 0) && vm_src(p, 2, &p->raw[2], type, 0) &&
           vm_src(p, 3, &p->raw[3], VM_PRED, 0);
}

bool vm_d_slct(vm_parser *p) {
    vm_insn *in = p->insn;
    in->flags = vm_take(p, "ftz") ? VM_FTZ : 0;
    vm_type type = vm_take_type(p), by = vm_take_type(p);
    in->exec = vm_x_slct;
    in->type = (uint8_t)type;
    in->type2 = (uint8_t)by;
    if (type == VM_PRED || vm_types[type].bits < 16 || (by != VM_S32 && by != VM_F32)) {
        return vm_bad_type(p);
    }
    return vm_count(p, 4, 4) && vm_dest(p, 0, &p->raw[0], type, 0) &&
           vm_src(p, 1, &p->raw[1], type, 0) && vm_src(p, 2, &p->raw[2], type, 0) &&
           vm_src(p, 3, &p->raw[3], by, 0);
}
