// Decoding of arithmetic, comparisons and conversions, with PTX's rules for rounding modifiers.
#include "ptxvm/parse.h"

static bool is_float(vm_type type) {
    return vm_types[type].class == VM_FLOAT;
}

static bool is_half(vm_type type) {
    return is_float(type) && type != VM_F32 && type != VM_F64;
}

static vm_round take_round(vm_parser *p) {
    return vm_take(p, "rn")   ? VM_RN
           : vm_take(p, "rz") ? VM_RZ
           : vm_take(p, "rm") ? VM_RM
           : vm_take(p, "rp") ? VM_RP
                              : VM_NO_ROUND;
}

static bool operands(vm_parser *p, uint32_t count, vm_type dest, vm_type type, vm_type last) {
    if (!vm_count(p, count, count) || !vm_dest(p, 0, &p->raw[0], dest, 0)) {
        return false;
    }
    for (uint32_t i = 1; i < count; i++) {
        if (!vm_src(p, i, &p->raw[i], i == 3 ? last : type, 0)) {
            return false;
        }
    }
    return true;
}

// Takes the modifiers that all float instructions share; false if they do not fit the type.
static bool float_modifiers(vm_parser *p) {
    vm_insn *in = p->insn;
    in->round = (uint8_t)take_round(p);
    in->flags = (uint8_t)((vm_take(p, "ftz") ? VM_FTZ : 0) | (vm_take(p, "sat") ? VM_SAT : 0));
    vm_type type = vm_take_type(p);
    in->type = (uint8_t)type;
    if (!is_float(type)) {
        return true;
    }
    in->exec = vm_x_float;
    bool bf16 = type == VM_BF16 || type == VM_BF16X2;
    // The f64 approximations of rcp and rsqrt have .ftz in their name; vm_d_math takes it first.
    if ((in->flags && (type == VM_F64 || bf16)) || (is_half(type) && in->round > VM_RN)) {
        return vm_bad_modifier(p);
    }
    return true;
}

// Integers take none of them, except .sat where the caller allows it.
static bool integer_modifiers(vm_parser *p, bool sat_allowed) {
    if (p->insn->round || (p->insn->flags & VM_FTZ) || (p->insn->flags && !sat_allowed)) {
        return vm_bad_modifier(p);
    }
    return true;
}

static bool carry_modifiers(vm_parser *p, bool carry_in) {
    bool out = vm_take(p, "cc");
    p->insn->flags |= (uint8_t)((out ? VM_CARRY_OUT : 0) | (carry_in ? VM_CARRY_IN : 0));
    bool wide = vm_types[p->insn->type].bits >= 32;
    return !(out || carry_in) || (wide && !(p->insn->flags & VM_SAT)) || vm_bad_modifier(p);
}

bool vm_d_add(vm_parser *p) {
    vm_insn *in = p->insn;
    bool carry_in = p->mnemonic_length == 4;
    if (!float_modifiers(p)) {
        return false;
    }
    vm_type type = (vm_type)in->type;
    if (is_float(type) && !carry_in) {
        in->flags |= in->round ? 0 : VM_UNFUSED;
        return operands(p, 3, type, type, type);
    }
    if (!vm_is_integer(type)) {
        return vm_bad_type(p);
    }
    in->exec = vm_x_add;
    return integer_modifiers(p, type == VM_S32) && carry_modifiers(p, carry_in) &&
           operands(p, 3, type, type, type);
}

static bool take_half(vm_parser *p, vm_type *result) {
    vm_type type = (vm_type)p->insn->type;
    unsigned bits = vm_types[type].bits;
    *result = type;
    if (vm_take(p, "lo")) {
        p->insn->mode = VM_MUL_LO;
    } else if (vm_take(p, "hi")) {
        p->insn->mode = VM_MUL_HI;
    } else if (vm_take(p, "wide") && bits < 64) {
        bool is_signed = vm_types[type].class == VM_SINT;
        p->insn->mode = VM_MUL_WIDE;
        *result = bits == 16 ? (is_signed ? VM_S32 : VM_U32) : (is_signed ? VM_S64 : VM_U64);
    } else {
        return vm_bad_type(p);
    }
    return true;
}

bool vm_d_mul(vm_parser *p) {
    vm_insn *in = p->insn;
    vm_type result;
    if (!float_modifiers(p)) {
        return false;
    }
    vm_type type = (vm_type)in->type;
    if (is_float(type)) {
        in->flags |= in->round ? 0 : VM_UNFUSED;
        return operands(p, 3, type, type, type);
    }
    in->exec = vm_x_mul;
    return (vm_is_integer(type) || vm_bad_type(p)) && integer_modifiers(p, false) &&
           take_half(p, &result) && operands(p, 3, result, type, type);
}

// fma, mad and madc.
bool vm_d_fma(vm_parser *p) {
    vm_insn *in = p->insn;
    vm_type result;
    if (!float_modifiers(p)) {
        return false;
    }
    vm_type type = (vm_type)in->type;
    bool is_mad = p->mnemonic[0] == 'm', carry_in = p->mnemonic_length == 4;
    if (is_float(type) && !carry_in && !(is_mad && is_half(type))) {
        if (!is_mad && is_half(type) && vm_take(p, "relu")) {
            in->flags |= VM_RELU;
        }
        return (in->round || vm_bad_modifier(p)) && operands(p, 4, type, type, type);
    }
    if (!is_mad || !vm_is_integer(type)) {
        return vm_bad_type(p);
    }
    in->exec = vm_x_mul;
    if (!take_half(p, &result)) {
        return false;
    }
    bool sat = type == VM_S32 && in->mode == VM_MUL_HI;
    return integer_modifiers(p, sat) && carry_modifiers(p, carry_in) &&
           operands(p, 4, result, type, result);
}

bool vm_d_div(vm_parser *p) {
    vm_insn *in = p->insn;
    bool approx = vm_take(p, "approx"), full = vm_take(p, "full");
    if (!float_modifiers(p)) {
        return false;
    }
    vm_type type = (vm_type)in->type;
    if (vm_is_integer(type)) {
        in->exec = vm_x_div;
        return (!(approx || full) || vm_bad_modifier(p)) && integer_modifiers(p, false) &&
               operands(p, 3, type, type, type);
    }
    if (in->sub == VM_SUB_REM || (type != VM_F32 && type != VM_F64)) {
        return vm_bad_type(p);
    }
    in->flags |= approx || full ? VM_APPROX : 0;
    if ((in->round != 0) + approx + full != 1 || (in->flags & VM_SAT) ||
        (type == VM_F64 && !in->round)) {
        return vm_bad_modifier(p);
    }
    return operands(p, 3, type, type, type);
}

bool vm_d_unary(vm_parser *p) {
    vm_insn *in = p->insn;
    if (!float_modifiers(p)) {
        return false;
    }
    vm_type type = (vm_type)in->type;
    if (in->round || (in->flags & VM_SAT)) {
        return vm_bad_modifier(p);
    }
    if (!is_float(type)) {
        in->exec = vm_x_int2;
        if (!vm_is_integer(type) || vm_types[type].class != VM_SINT || in->flags) {
            return vm_bad_type(p);
        }
    }
    return operands(p, 2, type, type, type);
}

bool vm_d_minmax(vm_parser *p) {
    vm_insn *in = p->insn;
    bool nan = vm_take(p, "NaN");
    if (!float_modifiers(p)) {
        return false;
    }
    vm_type type = (vm_type)in->type;
    if (in->round || (in->flags & VM_SAT)) {
        return vm_bad_modifier(p);
    }
    in->flags |= nan ? VM_NAN : 0;
    if (!is_float(type)) {
        in->exec = vm_x_int2;
        if (!vm_is_integer(type) || in->flags) {
            return vm_bad_type(p);
        }
    }
    return (!(nan && type == VM_F64) || vm_bad_modifier(p)) && operands(p, 3, type, type, type);
}

// rcp, sqrt: rounded or approximate; the others only approximate.
bool vm_d_math(vm_parser *p) {
    vm_insn *in = p->insn;
    bool approx = vm_take(p, "approx");
    bool double_type = p->mod_count && vm_token_is(&p->mods[p->mod_count - 1], "f64");
    bool flush = approx && double_type && vm_take(p, "ftz");
    if (!float_modifiers(p)) {
        return false;
    }
    in->flags |= flush ? VM_FTZ : 0;
    vm_type type = (vm_type)in->type;
    bool exact = in->sub == VM_SUB_SQRT || in->sub == VM_SUB_RCP;
    bool wide =
        type == VM_F64 && (approx ? in->sub == VM_SUB_RCP || in->sub == VM_SUB_RSQRT : exact);
    bool half = (type == VM_F16 || type == VM_F16X2) && approx &&
                (in->sub == VM_SUB_EX2 || in->sub == VM_SUB_TANH);
    if (type != VM_F32 && !wide && !half) {
        return vm_bad_type(p);
    }
    in->flags |= approx ? VM_APPROX : 0;
    if ((in->round != 0) + approx != 1 || (in->round && !exact) || (in->flags & VM_SAT) ||
        (half && (in->flags & VM_FTZ)) || (wide && approx && !flush && in->sub == VM_SUB_RCP)) {
        return vm_bad_modifier(p);
    }
    return operands(p, 2, type, type, type);
}

static bool take_compare(vm_parser *p, bool *unsigned_only, bool *float_only) {
    static const char *const names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                        "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    static const char *const unsigned_names[] = {"lo", "ls", "hi", "hs"};
    *unsigned_only = *float_only = false;
    for (uint8_t i = 0; i < 14; i++) {
        if (vm_take(p, names[i])) {
            p->insn->mode = i;
            *float_only = i >= VM_EQU;
            return true;
        }
    }
    for (uint8_t i = 0; i < 4; i++) {
        if (vm_take(p, unsigned_names[i])) {
            p->insn->mode = VM_LT + i;
            *unsigned_only = true;
            return true;
        }
    }
    return vm_bad_modifier(p);
}

static bool set_result_fits(vm_type result, vm_type type) {
    bool word = result == VM_U32 || result == VM_S32;
    switch (type) {
    case VM_F16:
    case VM_BF16: return word || result == type || result == VM_U16 || result == VM_S16;
    case VM_F16X2:
    case VM_BF16X2: return word || result == type;
    default: return word || result == VM_F32 || result == VM_F16;
    }
}

// setp, and set with in->sub = 1.
bool vm_d_setp(vm_parser *p) {
    vm_insn *in = p->insn;
    bool set = in->sub, unsigned_only, float_only;
    if (!take_compare(p, &unsigned_only, &float_only)) {
        return false;
    }
    in->sub = vm_take(p, "and")   ? VM_BOOL_AND
              : vm_take(p, "or")  ? VM_BOOL_OR
              : vm_take(p, "xor") ? VM_BOOL_XOR
                                  : VM_BOOL_NONE;
    in->flags = vm_take(p, "ftz") ? VM_FTZ : 0;
    vm_type result = set ? vm_take_type(p) : VM_PRED;
    vm_type type = vm_take_type(p);
    vm_type_info info = vm_types[type];
    in->type = (uint8_t)type;
    in->type2 = (uint8_t)result;
    in->exec = set ? vm_x_set : vm_x_setp;
    if (type == VM_NO_TYPE || type == VM_PRED || info.bits < 16 ||
        (set && !set_result_fits(result, type))) {
        return vm_bad_type(p);
    }
    bool float_type = info.class == VM_FLOAT;
    if ((unsigned_only && info.class != VM_UINT) || (float_only && !float_type) ||
        (info.class == VM_BITS && in->mode > VM_NE) ||
        (in->flags && type != VM_F32 && type != VM_F16 && type != VM_F16X2)) {
        return vm_bad_modifier(p);
    }
    bool packed = !set && (type == VM_F16X2 || type == VM_BF16X2);
    uint32_t count = in->sub ? 4 : 3;
    if (!vm_count(p, count, count)) {
        return false;
    }
    const raw_operand *first = &p->raw[0];
    if (first->kind == RAW_PAIR) {
        if (set || !vm_dest(p, 0, &p->parts[first->first], VM_PRED, OP_SINK) ||
            !vm_dest(p, 4, &p->parts[first->first + 1], VM_PRED, OP_SINK)) {
            return vm_bad_operands(p);
        }
    } else if (packed || !vm_dest(p, 0, first, result, 0)) {
        return vm_bad_operands(p);
    }
    return vm_src(p, 1, &p->raw[1], type, 0) && vm_src(p, 2, &p->raw[2], type, 0) &&
           (!in->sub || vm_src(p, 3, &p->raw[3], VM_PRED, 0));
}

bool vm_d_testp(vm_parser *p) {
    static const char *const tests[] = {"finite",     "infinite", "number",
                                        "notanumber", "normal",   "subnormal"};
    vm_insn *in = p->insn;
    in->exec = vm_x_testp;
    in->mode = 255;
    for (uint8_t i = 0; i < 6; i++) {
        if (vm_take(p, tests[i])) {
            in->mode = i;
        }
    }
    vm_type type = vm_take_type(p);
    in->type = (uint8_t)type;
    if (in->mode == 255 || (type != VM_F32 && type != VM_F64)) {
        return vm_bad_type(p);
    }
    return operands(p, 2, VM_PRED, type, type);
}

bool vm_d_copysign(vm_parser *p) {
    vm_type type = vm_take_type(p);
    p->insn->exec = vm_x_copysign;
    p->insn->type = (uint8_t)type;
    return type == VM_F32 || type == VM_F64 ? operands(p, 3, type, type, type) : vm_bad_type(p);
}

// ---- cvt

static vm_round take_integer_round(vm_parser *p) {
    return vm_take(p, "rni")   ? VM_RNI
           : vm_take(p, "rzi") ? VM_RZI
           : vm_take(p, "rmi") ? VM_RMI
           : vm_take(p, "rpi") ? VM_RPI
                               : VM_NO_ROUND;
}

// Which rounding modifier a conversion must have: 0 none, 1 float, 2 integer, 3 integer or none.
static unsigned rounding_needed(vm_type to, vm_type from) {
    unsigned to_bits = vm_types[to].bits, from_bits = vm_types[from].bits;
    if (!is_float(to)) {
        return is_float(from) ? 2 : 0;
    }
    if (!is_float(from)) {
        return 1;
    }
    if (to == from) {
        return 3;
    }
    return to_bits <= from_bits ? 1 : 0;
}

static bool saturation_possible(vm_type to, vm_type from) {
    vm_type_info t = vm_types[to], f = vm_types[from];
    if (is_float(to)) {
        return to != VM_BF16;
    }
    if (is_float(from)) {
        return true;
    }
    if (t.class == f.class) {
        return t.bits < f.bits;
    }
    return f.class == VM_SINT || t.bits <= f.bits;
}

// cvt.rn.f16x2.f32 d, a, b: a into the upper half.
static bool packed_cvt(vm_parser *p, vm_type to) {
    vm_insn *in = p->insn;
    in->count = 2;
    if (in->type2 != VM_F32 || (in->round != VM_RN && in->round != VM_RZ) || in->flags & ~VM_RELU) {
        return vm_bad_type(p);
    }
    return vm_count(p, 3, 3) && vm_dest(p, 0, &p->raw[0], to, 0) &&
           vm_src(p, 1, &p->raw[1], VM_F32, 0) && vm_src(p, 2, &p->raw[2], VM_F32, 0);
}

bool vm_d_cvt(vm_parser *p) {
    vm_insn *in = p->insn;
    vm_round integer = take_integer_round(p);
    vm_round rounding = integer ? integer : take_round(p);
    in->exec = vm_x_cvt;
    in->round = (uint8_t)rounding;
    in->count = 1;
    in->flags = (uint8_t)((vm_take(p, "ftz") ? VM_FTZ : 0) | (vm_take(p, "sat") ? VM_SAT : 0) |
                          (vm_take(p, "relu") ? VM_RELU : 0));
    vm_type to = vm_take_type(p), from = vm_take_type(p);
    in->type = (uint8_t)to;
    in->type2 = (uint8_t)from;
    if (from == VM_NO_TYPE || vm_types[to].class <= VM_BITS || vm_types[from].class <= VM_BITS) {
        return vm_bad_type(p);
    }
    if (to == VM_F16X2 || to == VM_BF16X2) {
        return packed_cvt(p, to);
    }
    if (from == VM_F16X2 || from == VM_BF16X2) {
        return vm_bad_type(p);
    }
    unsigned needed = rounding_needed(to, from);
    bool fits = needed == 0   ? !rounding
                : needed == 1 ? rounding && !integer
                : needed == 2 ? integer != VM_NO_ROUND
                              : integer || !rounding;
    bool ftz_fits = !(in->flags & VM_FTZ) || to == VM_F32 || from == VM_F32;
    bool relu_fits = !(in->flags & VM_RELU) || (from == VM_F32 && (to == VM_F16 || to == VM_BF16));
    if (!fits || !ftz_fits || !relu_fits ||
        ((in->flags & VM_SAT) && !saturation_possible(to, from))) {
        return vm_bad_modifier(p);
    }
    unsigned flags = from == VM_BF16 ? 0 : OP_RELAXED;
    flags |= needed == 0 && !is_float(to) ? OP_SPECIAL : 0;
    return vm_count(p, 2, 2) && vm_dest(p, 0, &p->raw[0], to, to == VM_BF16 ? 0 : OP_RELAXED) &&
           vm_src(p, 1, &p->raw[1], from, flags);
}
