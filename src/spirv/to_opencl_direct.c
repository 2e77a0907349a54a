/* OpenCL functions that are a few operations: integers of every width, bitwise selection, and loads
 * and stores of vectors and halves. */
#include "spirv/opencl_table.h"
#include "spirv/to_ir.h"

#include <string.h>

static ir_value op(builder *b, unsigned which, unsigned bits, ir_value x, ir_value y) {
    return to_scalar_op(b, which, bits, x, y);
}

static uint64_t most(unsigned bits, bool is_signed) {
    return to_all_ones(bits) >> is_signed;
}

static ir_value less(builder *b, unsigned bits, ir_value x, ir_value y, bool is_signed) {
    return op(b, is_signed ? SPIRV_OpSLessThan : SPIRV_OpULessThan, bits, x, y);
}

static ir_value add(builder *b, unsigned bits, ir_value x, ir_value y) {
    return op(b, SPIRV_OpIAdd, bits, x, y);
}

static ir_value sub(builder *b, unsigned bits, ir_value x, ir_value y) {
    return op(b, SPIRV_OpISub, bits, x, y);
}

/* ---- Minimum and maximum ---- */

static ir_value smaller(builder *b, unsigned bits, ir_value x, ir_value y, bool is_signed) {
    if (bits == 32 || (bits < 32 && !is_signed))
        return to_2(b, is_signed ? IR_IMIN : IR_UMIN, IR_U32, x, y);
    return to_select(b, less(b, bits, y, x, is_signed), y, x);
}

static ir_value larger(builder *b, unsigned bits, ir_value x, ir_value y, bool is_signed) {
    if (bits == 32 || (bits < 32 && !is_signed))
        return to_2(b, is_signed ? IR_IMAX : IR_UMAX, IR_U32, x, y);
    return to_select(b, less(b, bits, x, y, is_signed), y, x);
}

static ir_value difference(builder *b, unsigned bits, ir_value x, ir_value y, bool is_signed) {
    return to_select(b, less(b, bits, y, x, is_signed), sub(b, bits, x, y), sub(b, bits, y, x));
}

static ir_value absolute(builder *b, unsigned bits, ir_value x) {
    ir_value zero = to_number(b, bits, 0);
    return to_select(b, less(b, bits, x, zero, true), sub(b, bits, zero, x), x);
}

/* ---- Saturation ---- */

/* The bound of the same sign as x. */
static ir_value bound(builder *b, unsigned bits, ir_value x) {
    ir_value top = to_number(b, bits, most(bits, true)),
             bottom = to_number(b, bits, most(bits, true) + 1);
    return to_select(b, less(b, bits, x, to_number(b, bits, 0), true), bottom, top);
}

/* Overflow: the sign of both operands (the second negated, for a difference) differs from that of
 * the result. */
static ir_value add_saturated(builder *b, unsigned bits, ir_value x, ir_value y, bool is_signed) {
    ir_value r = add(b, bits, x, y);
    if (!is_signed)
        return to_select(b, less(b, bits, r, x, false), to_number(b, bits, to_all_ones(bits)), r);
    ir_value mixed = op(b, SPIRV_OpBitwiseAnd, bits, op(b, SPIRV_OpBitwiseXor, bits, x, r),
                        op(b, SPIRV_OpBitwiseXor, bits, y, r));
    return to_select(b, less(b, bits, mixed, to_number(b, bits, 0), true), bound(b, bits, x), r);
}

static ir_value sub_saturated(builder *b, unsigned bits, ir_value x, ir_value y, bool is_signed) {
    ir_value r = sub(b, bits, x, y);
    if (!is_signed)
        return to_select(b, less(b, bits, x, y, false), to_number(b, bits, 0), r);
    ir_value mixed = op(b, SPIRV_OpBitwiseAnd, bits, op(b, SPIRV_OpBitwiseXor, bits, x, y),
                        op(b, SPIRV_OpBitwiseXor, bits, x, r));
    return to_select(b, less(b, bits, mixed, to_number(b, bits, 0), true), bound(b, bits, x), r);
}

/* x * y + z in double width, as an upper and a lower half. */
static ir_value mad_saturated(builder *b, unsigned bits, const ir_value *x, bool is_signed) {
    ir_value zero = to_number(b, bits, 0);
    ir_value high = to_mul_high(b, bits, x[0], x[1], is_signed);
    ir_value product = op(b, SPIRV_OpIMul, bits, x[0], x[1]);
    ir_value low = add(b, bits, product, x[2]);
    ir_value carry = to_select(b, less(b, bits, low, product, false), to_number(b, bits, 1), zero);
    high = add(b, bits, high, carry);
    if (!is_signed)
        return to_select(b, op(b, SPIRV_OpIEqual, bits, high, zero), low,
                         to_number(b, bits, to_all_ones(bits)));
    ir_value sign = op(b, SPIRV_OpShiftRightArithmetic, bits, x[2], to_number(b, bits, bits - 1));
    high = add(b, bits, high, sign);
    ir_value fits =
        op(b, SPIRV_OpIEqual, bits, high,
           op(b, SPIRV_OpShiftRightArithmetic, bits, low, to_number(b, bits, bits - 1)));
    return to_select(b, fits, low, bound(b, bits, high));
}

/* ---- Averages and bits ---- */

static ir_value mean(builder *b, unsigned bits, const ir_value *x, bool is_signed, bool up) {
    ir_value half = op(b, is_signed ? SPIRV_OpShiftRightArithmetic : SPIRV_OpShiftRightLogical,
                       bits, op(b, SPIRV_OpBitwiseXor, bits, x[0], x[1]), to_number(b, bits, 1));
    return up ? sub(b, bits, op(b, SPIRV_OpBitwiseOr, bits, x[0], x[1]), half)
              : add(b, bits, op(b, SPIRV_OpBitwiseAnd, bits, x[0], x[1]), half);
}

/* Counts leading or trailing zeros; the width for 0. */
static ir_value zeros(builder *b, unsigned bits, ir_value x, bool from_top) {
    if (bits == 64) {
        ir_value low = to_resize(b, x, 64, 32, false), high = to_1(b, IR_HI64, IR_U32, x);
        ir_value first = from_top ? high : low, second = from_top ? low : high;
        ir_value n =
            to_select(b, to_2(b, IR_ICMP_EQ, IR_BOOL, first, to_u32(b, 0)),
                      to_add(b, zeros(b, 32, second, from_top), 32), zeros(b, 32, first, from_top));
        return to_resize(b, n, 32, 64, false);
    }
    if (!from_top)
        return to_2(b, IR_UMIN, IR_U32, to_1(b, IR_BITFIND, IR_U32, to_1(b, IR_BITREV, IR_U32, x)),
                    to_u32(b, bits));
    ir_value n = to_2(b, IR_UMIN, IR_U32, to_1(b, IR_BITFIND, IR_U32, x), to_u32(b, 32));
    return bits == 32 ? n : to_2(b, IR_ISUB, IR_U32, n, to_u32(b, 32 - bits));
}

static ir_value population(builder *b, unsigned bits, ir_value x) {
    if (bits < 64)
        return to_1(b, IR_BITCOUNT, IR_U32, x);
    ir_value n =
        to_2(b, IR_IADD, IR_U32, to_1(b, IR_BITCOUNT, IR_U32, to_resize(b, x, 64, 32, false)),
             to_1(b, IR_BITCOUNT, IR_U32, to_1(b, IR_HI64, IR_U32, x)));
    return to_resize(b, n, 32, 64, false);
}

static ir_value rotate(builder *b, unsigned bits, ir_value x, ir_value n) {
    ir_value back = sub(b, bits, to_number(b, bits, 0), n);
    return op(b, SPIRV_OpBitwiseOr, bits, op(b, SPIRV_OpShiftLeftLogical, bits, x, n),
              op(b, SPIRV_OpShiftRightLogical, bits, x, back));
}

static ir_value upsample(builder *b, unsigned bits, ir_value high, ir_value low) {
    if (bits == 32)
        return to_u64(b, low, high);
    return to_2(b, IR_OR, IR_U32, to_2(b, IR_SHL, IR_U32, high, to_u32(b, bits)), low);
}

static ir_value product24(builder *b, ir_value x, ir_value y, bool is_signed) {
    if (is_signed)
        return to_2(b, IR_IMUL, IR_U32, to_extend(b, x, 24), to_extend(b, y, 24));
    return to_2(b, IR_IMUL, IR_U32, to_cut(b, x, 24), to_cut(b, y, 24));
}

/* ---- Integers, one component ---- */

static ir_value integer(builder *b, unsigned which, unsigned bits, const ir_value *x) {
    switch (which) {
    case SPIRV_CL_s_abs: return absolute(b, bits, x[0]);
    case SPIRV_CL_u_abs: return x[0];
    case SPIRV_CL_s_abs_diff: return difference(b, bits, x[0], x[1], true);
    case SPIRV_CL_u_abs_diff: return difference(b, bits, x[0], x[1], false);
    case SPIRV_CL_s_add_sat: return add_saturated(b, bits, x[0], x[1], true);
    case SPIRV_CL_u_add_sat: return add_saturated(b, bits, x[0], x[1], false);
    case SPIRV_CL_s_sub_sat: return sub_saturated(b, bits, x[0], x[1], true);
    case SPIRV_CL_u_sub_sat: return sub_saturated(b, bits, x[0], x[1], false);
    case SPIRV_CL_s_mad_sat: return mad_saturated(b, bits, x, true);
    case SPIRV_CL_u_mad_sat: return mad_saturated(b, bits, x, false);
    case SPIRV_CL_s_hadd: return mean(b, bits, x, true, false);
    case SPIRV_CL_u_hadd: return mean(b, bits, x, false, false);
    case SPIRV_CL_s_rhadd: return mean(b, bits, x, true, true);
    case SPIRV_CL_u_rhadd: return mean(b, bits, x, false, true);
    case SPIRV_CL_s_clamp: return smaller(b, bits, larger(b, bits, x[0], x[1], true), x[2], true);
    case SPIRV_CL_u_clamp: return smaller(b, bits, larger(b, bits, x[0], x[1], false), x[2], false);
    case SPIRV_CL_s_max: return larger(b, bits, x[0], x[1], true);
    case SPIRV_CL_u_max: return larger(b, bits, x[0], x[1], false);
    case SPIRV_CL_s_min: return smaller(b, bits, x[0], x[1], true);
    case SPIRV_CL_u_min: return smaller(b, bits, x[0], x[1], false);
    case SPIRV_CL_s_mul_hi: return to_mul_high(b, bits, x[0], x[1], true);
    case SPIRV_CL_u_mul_hi: return to_mul_high(b, bits, x[0], x[1], false);
    case SPIRV_CL_s_mad_hi: return add(b, bits, to_mul_high(b, bits, x[0], x[1], true), x[2]);
    case SPIRV_CL_u_mad_hi: return add(b, bits, to_mul_high(b, bits, x[0], x[1], false), x[2]);
    case SPIRV_CL_clz: return zeros(b, bits, x[0], true);
    case SPIRV_CL_ctz: return zeros(b, bits, x[0], false);
    case SPIRV_CL_popcount: return population(b, bits, x[0]);
    case SPIRV_CL_rotate: return rotate(b, bits, x[0], x[1]);
    case SPIRV_CL_u_upsample:
    case SPIRV_CL_s_upsample: return bits < 64 ? upsample(b, bits, x[0], x[1]) : 0;
    case SPIRV_CL_s_mul24: return bits == 32 ? product24(b, x[0], x[1], true) : 0;
    case SPIRV_CL_u_mul24: return bits == 32 ? product24(b, x[0], x[1], false) : 0;
    case SPIRV_CL_s_mad24: return bits == 32 ? add(b, 32, product24(b, x[0], x[1], true), x[2]) : 0;
    case SPIRV_CL_u_mad24:
        return bits == 32 ? add(b, 32, product24(b, x[0], x[1], false), x[2]) : 0;
    default: return 0;
    }
}

/* ---- Floats and choice, one component ---- */

static ir_value copy_sign(builder *b, unsigned bits, ir_value x, ir_value y) {
    ir_value mask = to_number(b, bits, to_all_ones(bits) >> 1);
    ir_value sign = to_number(b, bits, to_all_ones(bits) ^ to_all_ones(bits) >> 1);
    ir_value v =
        op(b, SPIRV_OpBitwiseOr, bits, op(b, SPIRV_OpBitwiseAnd, bits, to_bits(b, x), mask),
           op(b, SPIRV_OpBitwiseAnd, bits, to_bits(b, y), sign));
    return to_from_bits(b, v, ir_type_of(to_func(b), x));
}

static ir_value quiet_nan(builder *b, unsigned bits, ir_value code) {
    uint64_t quiet = bits == 16 ? 0x7E00 : bits == 32 ? 0x7FC00000 : 0x7FF8000000000000;
    ir_type type = bits == 16 ? IR_F16 : bits == 32 ? IR_F32 : IR_F64;
    return to_from_bits(b, op(b, SPIRV_OpBitwiseOr, bits, code, to_number(b, bits, quiet)), type);
}

static ir_value clamp_float(builder *b, unsigned bits, const ir_value *x) {
    ir_value y[3] = {x[0], x[1], x[2]};
    for (unsigned k = 0; k < 3 && bits == 16; k++)
        y[k] = to_1(b, IR_CVT_F32_F16, IR_F32, x[k]);
    ir_type type = bits == 64 ? IR_F64 : IR_F32;
    ir_value v = to_2(b, bits == 64 ? IR_DMAX : IR_FMAX, type, y[0], y[1]);
    v = to_2(b, bits == 64 ? IR_DMIN : IR_FMIN, type, v, y[2]);
    return bits == 16 ? to_1(b, IR_CVT_F16_F32, IR_F16, v) : v;
}

/* a ^ ((a ^ b) & c) */
static ir_value select_bits(builder *b, unsigned bits, const ir_value *x) {
    ir_value a = to_bits(b, x[0]), mixed = op(b, SPIRV_OpBitwiseXor, bits, a, to_bits(b, x[1]));
    mixed = op(b, SPIRV_OpBitwiseAnd, bits, mixed, to_bits(b, x[2]));
    return to_from_bits(b, op(b, SPIRV_OpBitwiseXor, bits, a, mixed), ir_type_of(to_func(b), x[0]));
}

/* By the sign bit for vectors, by any bit for a scalar. */
static ir_value choose(builder *b, unsigned bits, const ir_value *x, bool vector) {
    ir_value zero = to_number(b, bits, 0);
    ir_value c = vector ? op(b, SPIRV_OpSLessThan, bits, x[2], zero)
                        : op(b, SPIRV_OpINotEqual, bits, x[2], zero);
    return to_select(b, c, x[1], x[0]);
}

static ir_value component(builder *b, unsigned which, const to_value *v, const ir_value *x,
                          uint32_t k) {
    unsigned bits = v[0].flat->list[k].bits;
    switch (which) {
    case SPIRV_CL_copysign: return copy_sign(b, bits, x[0], x[1]);
    case SPIRV_CL_nan: return quiet_nan(b, bits, x[0]);
    case SPIRV_CL_fclamp: return clamp_float(b, bits, x);
    case SPIRV_CL_bitselect: return select_bits(b, bits, x);
    case SPIRV_CL_select: return choose(b, v[2].flat->list[k].bits, x, v[0].count > 1);
    default: return integer(b, which, bits, x);
    }
}

static bool build_componentwise(builder *b, unsigned which, uint32_t operands) {
    to_value *v = b->operands;
    for (uint32_t k = 0; k < operands && k < 3; k++)
        if (!to_read(b, to_word(b, 5 + k), &v[k]))
            return false;
    for (uint32_t k = 0; k < v[0].count; k++) {
        ir_value x[3] = {0};
        for (uint32_t j = 0; j < operands && j < 3; j++)
            x[j] = v[j].v[k < v[j].count ? k : 0];
        v[3].v[k] = component(b, which, v, x, k);
        if (!v[3].v[k])
            return to_fail(b, DIAG_E_SPIRV_TYPE, "%s has no form for integers of this width",
                           opencl_row_of(which).name);
    }
    to_write(b, v[3].v, v[0].count, TO_ANYWHERE);
    return true;
}

/* ---- Shuffles ---- */

/* Selects components of one or two vectors by a mask of indices, modulo their number. */
static bool build_shuffle(builder *b, bool two) {
    to_value *v = b->operands;
    to_value *mask = &v[two ? 2 : 1];
    for (unsigned k = 0; k < 2u + two; k++)
        if (!to_read(b, to_word(b, 5 + k), &v[k]))
            return false;
    uint32_t each = v[0].count == 3 ? 4 : v[0].count, all = each * (two ? 2 : 1);
    for (uint32_t k = 0; k < mask->count; k++) {
        ir_value index = to_resize(b, mask->v[k], mask->flat->list[k].bits, 32, false);
        index = to_2(b, IR_AND, IR_U32, index, to_u32(b, all - 1));
        ir_value r = v[0].v[0];
        for (uint32_t j = 1; j < all; j++)
            if (j % each < v[0].count)
                r = to_select(b, to_2(b, IR_ICMP_EQ, IR_BOOL, index, to_u32(b, j)),
                              v[j / each].v[j % each], r);
        v[3].v[k] = r;
    }
    to_write(b, v[3].v, mask->count, TO_ANYWHERE);
    return true;
}

/* ---- Loads and stores ---- */

/* p + index * stride */
static bool place_of(builder *b, uint32_t index_word, uint32_t stride, to_pointer *p) {
    ir_value index = to_read_index(b, to_word(b, index_word));
    if (!index || !to_read_pointer(b, to_word(b, index_word + 1), p))
        return false;
    if (p->space >= IR_SPACE_COUNT)
        return to_fail(b, DIAG_E_SPIRV_TYPE, "expected a pointer to memory");
    uint64_t known;
    index = to_scale(b, index, stride);
    p->offset = ir_is_const(to_func(b), index, &known) ? to_add(b, p->offset, (uint32_t)known)
                                                       : to_2(b, IR_IADD, IR_U32, p->offset, index);
    return true;
}

static bool build_vector_load(builder *b) {
    const to_flat *flat = to_flat_in(b, b->insn->type);
    to_pointer p;
    if (!flat || !flat->count)
        return false;
    uint32_t size = flat->list[0].bits / 8u;
    if (!place_of(b, 5, size * flat->count, &p))
        return false;
    to_load(b, p, flat, size, b->operands[0].v);
    to_write(b, b->operands[0].v, flat->count, TO_ANYWHERE);
    return true;
}

static bool build_vector_store(builder *b) {
    to_value *v = &b->operands[0];
    to_pointer p;
    if (!to_read(b, to_word(b, 5), v))
        return false;
    uint32_t size = v->flat->list[0].bits / 8u;
    if (!place_of(b, 6, size * v->count, &p))
        return false;
    if (p.space == IR_CONSTANT)
        return to_fail(b, DIAG_E_SPIRV_TYPE, "store to memory that cannot be written");
    to_store(b, p, v->flat, size, v->v);
    return true;
}

/* Halves in memory, floats or doubles in values. */
static uint32_t half_stride(uint32_t count, bool aligned) {
    return 2 * (aligned && count == 3 ? 4 : count);
}

static bool build_half_load(builder *b, bool aligned) {
    const to_flat *flat = to_flat_in(b, b->insn->type);
    to_pointer p;
    if (!flat || !place_of(b, 5, half_stride(flat->count, aligned), &p))
        return false;
    for (uint32_t k = 0; k < flat->count; k++) {
        const to_scalar s = {.offset = 2 * k, .type = IR_F16, .bits = 16};
        ir_value half = to_load_scalar(b, p, &s, 2);
        b->operands[0].v[k] = flat->list[k].bits == 64   ? to_1(b, IR_CVT_F64_F16, IR_F64, half)
                              : flat->list[k].bits == 32 ? to_1(b, IR_CVT_F32_F16, IR_F32, half)
                                                         : half;
    }
    to_write(b, b->operands[0].v, flat->count, TO_ANYWHERE);
    return true;
}

static bool build_half_store(builder *b, bool aligned, bool has_mode) {
    to_value *v = &b->operands[0];
    to_pointer p;
    if (!to_read(b, to_word(b, 5), v) || !place_of(b, 6, half_stride(v->count, aligned), &p))
        return false;
    if (p.space == IR_CONSTANT)
        return to_fail(b, DIAG_E_SPIRV_TYPE, "store to memory that cannot be written");
    unsigned mode = has_mode && to_has_word(b, 8) ? to_word(b, 8) : SPIRV_RTE;
    for (uint32_t k = 0; k < v->count; k++) {
        const to_scalar s = {.offset = 2 * k, .type = IR_F16, .bits = 16};
        to_store_scalar(b, p, &s, 2, to_narrow(b, v->v[k], v->flat->list[k].bits, 16, mode));
    }
    return true;
}

bool to_opencl_direct(builder *b, unsigned which, const char *operands) {
    switch (which) {
    case SPIRV_CL_vloadn: return build_vector_load(b);
    case SPIRV_CL_vstoren: return build_vector_store(b);
    case SPIRV_CL_vload_half:
    case SPIRV_CL_vload_halfn: return build_half_load(b, false);
    case SPIRV_CL_vloada_halfn: return build_half_load(b, true);
    case SPIRV_CL_vstore_half:
    case SPIRV_CL_vstore_halfn: return build_half_store(b, false, false);
    case SPIRV_CL_vstore_half_r:
    case SPIRV_CL_vstore_halfn_r: return build_half_store(b, false, true);
    case SPIRV_CL_vstorea_halfn: return build_half_store(b, true, false);
    case SPIRV_CL_vstorea_halfn_r: return build_half_store(b, true, true);
    case SPIRV_CL_shuffle: return build_shuffle(b, false);
    case SPIRV_CL_shuffle2: return build_shuffle(b, true);
    case SPIRV_CL_prefetch: return true;
    default: return build_componentwise(b, which, (uint32_t)strlen(operands) - 2);
    }
}
