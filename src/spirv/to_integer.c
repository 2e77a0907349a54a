/* Integers of all widths in values of 32 and 64 bits, and small helpers used by every file. */
#include "spirv/to_ir.h"

ir_value to_add(builder *b, ir_value x, uint32_t constant) {
    uint64_t bits;
    if (!constant)
        return x;
    if (ir_is_const(to_func(b), x, &bits))
        return to_u32(b, bits + constant);
    return to_2(b, IR_IADD, IR_U32, x, to_u32(b, constant));
}

ir_value to_scale(builder *b, ir_value x, uint32_t factor) {
    uint64_t bits;
    if (factor == 1)
        return x;
    if (ir_is_const(to_func(b), x, &bits))
        return to_u32(b, bits * factor);
    for (unsigned k = 1; k < 32; k++)
        if (factor == 1u << k)
            return to_2(b, IR_SHL, IR_U32, x, to_u32(b, k));
    return to_2(b, IR_IMUL, IR_U32, x, to_u32(b, factor));
}

ir_value to_not(builder *b, ir_value x) {
    uint64_t bits;
    if (ir_is_const(to_func(b), x, &bits))
        return ir_const(to_func(b), IR_BOOL, !bits);
    return to_1(b, IR_BNOT, IR_BOOL, x);
}

ir_value to_extend(builder *b, ir_value x, unsigned bits) {
    uint64_t known;
    if (bits >= 32)
        return x;
    if (ir_is_const(to_func(b), x, &known)) {
        uint64_t sign = (uint64_t)1 << (bits - 1);
        return to_u32(b, ((known & (2 * sign - 1)) ^ sign) - sign);
    }
    ir_value amount = to_u32(b, 32 - bits);
    return to_2(b, IR_SAR, IR_U32, to_2(b, IR_SHL, IR_U32, x, amount), amount);
}

ir_value to_cut(builder *b, ir_value x, unsigned bits) {
    uint64_t known;
    if (bits >= 32)
        return x;
    if (ir_is_const(to_func(b), x, &known))
        return to_u32(b, known & ((1u << bits) - 1));
    return to_2(b, IR_AND, IR_U32, x, to_u32(b, (1u << bits) - 1));
}

ir_value to_u64(builder *b, ir_value low, ir_value high) {
    uint64_t l, h;
    if (ir_is_const(to_func(b), low, &l) && ir_is_const(to_func(b), high, &h))
        return ir_const(to_func(b), IR_U64, l | h << 32);
    return to_2(b, IR_PACK64, IR_U64, low, high);
}

static ir_value low_word(builder *b, ir_value x) {
    uint64_t known;
    if (ir_is_const(to_func(b), x, &known))
        return to_u32(b, known);
    return to_1(b, IR_LO64, IR_U32, x);
}

ir_value to_resize(builder *b, ir_value x, unsigned from, unsigned to, bool is_signed) {
    if (from == to)
        return x;
    if (from == 64)
        return to_cut(b, low_word(b, x), to);
    if (is_signed)
        x = to_extend(b, x, from);
    if (to < 64)
        return to_cut(b, x, to);
    ir_value high = is_signed ? to_2(b, IR_SAR, IR_U32, x, to_u32(b, 31)) : to_u32(b, 0);
    return to_u64(b, x, high);
}

ir_value to_bits(builder *b, ir_value x) {
    uint64_t known;
    ir_type type = ir_type_of(to_func(b), x);
    if (type == IR_U32 || type == IR_U64)
        return x;
    if (type == IR_BOOL)
        return to_select(b, x, to_u32(b, 1), to_u32(b, 0));
    ir_type to = type == IR_F64 ? IR_U64 : IR_U32;
    if (ir_is_const(to_func(b), x, &known))
        return ir_const(to_func(b), to, known);
    return to_1(b, type == IR_F16 ? IR_ZEXT16 : IR_BITCAST, to, x);
}

ir_value to_from_bits(builder *b, ir_value x, ir_type type) {
    uint64_t known;
    if (type == IR_U32 || type == IR_U64)
        return x;
    if (type == IR_BOOL)
        return to_2(b, IR_ICMP_NE, IR_BOOL, x, to_u32(b, 0));
    if (ir_is_const(to_func(b), x, &known))
        return ir_const(to_func(b), type, type == IR_F16 ? known & 0xFFFF : known);
    return to_1(b, type == IR_F16 ? IR_LOW16 : IR_BITCAST, type, x);
}
