/* One row per operation: the scalar helper of base/scalar.h that defines it. */
#include "ir/fold.h"

#include "base/plain_math.h"
#define SC_FMAF plain_fmaf
#define SC_FMA  plain_fma
#include "base/scalar.h"

static bool fold_integer(ir_op op, const uint64_t *x, uint64_t *out) {
    uint32_t a = (uint32_t)x[0], b = (uint32_t)x[1], c = (uint32_t)x[2], d = (uint32_t)x[3];
    switch (op) {
    case IR_IADD: *out = sc_iadd(a, b); break;
    case IR_ISUB: *out = sc_isub(a, b); break;
    case IR_IMUL: *out = sc_imul(a, b); break;
    case IR_IMUL_HI: *out = sc_imul_hi(a, b); break;
    case IR_IDIV: *out = sc_idiv(a, b); break;
    case IR_IMOD: *out = sc_imod(a, b); break;
    case IR_UDIV: *out = sc_udiv(a, b); break;
    case IR_UMOD: *out = sc_umod(a, b); break;
    case IR_INEG: *out = sc_ineg(a); break;
    case IR_IABS: *out = sc_iabs(a); break;
    case IR_IMIN: *out = sc_imin(a, b); break;
    case IR_IMAX: *out = sc_imax(a, b); break;
    case IR_UMIN: *out = sc_umin(a, b); break;
    case IR_UMAX: *out = sc_umax(a, b); break;
    case IR_AND: *out = sc_and(a, b); break;
    case IR_OR: *out = sc_or(a, b); break;
    case IR_XOR: *out = sc_xor(a, b); break;
    case IR_NOT: *out = sc_not(a); break;
    case IR_SHL: *out = sc_shl(a, b); break;
    case IR_SHR: *out = sc_shr(a, b); break;
    case IR_SAR: *out = sc_sar(a, b); break;
    case IR_BITCOUNT: *out = sc_bitcount(a); break;
    case IR_BITFIND: *out = sc_bitfind(a); break;
    case IR_BITREV: *out = sc_bitrev(a); break;
    case IR_BFE: *out = sc_bfe(a, b, c); break;
    case IR_BFI: *out = sc_bfi(a, b, c, d); break;
    case IR_PACK64: *out = (uint64_t)b << 32 | a; break;
    case IR_LO64: *out = (uint32_t)x[0]; break;
    case IR_HI64: *out = x[0] >> 32; break;
    case IR_LOW16: *out = a & 0xFFFF; break;
    case IR_ZEXT16: *out = a; break;
    case IR_BITCAST: *out = x[0]; break;
    default: return false;
    }
    return true;
}

static bool fold_compare(ir_op op, const uint64_t *x, uint64_t *out) {
    uint32_t a = (uint32_t)x[0], b = (uint32_t)x[1];
    switch (op) {
    case IR_ICMP_EQ: *out = sc_icmp_eq(a, b); break;
    case IR_ICMP_NE: *out = sc_icmp_ne(a, b); break;
    case IR_ICMP_LT: *out = sc_icmp_lt(a, b); break;
    case IR_ICMP_LE: *out = sc_icmp_le(a, b); break;
    case IR_ICMP_GT: *out = sc_icmp_gt(a, b); break;
    case IR_ICMP_GE: *out = sc_icmp_ge(a, b); break;
    case IR_UCMP_LT: *out = sc_ucmp_lt(a, b); break;
    case IR_UCMP_LE: *out = sc_ucmp_le(a, b); break;
    case IR_UCMP_GT: *out = sc_ucmp_gt(a, b); break;
    case IR_UCMP_GE: *out = sc_ucmp_ge(a, b); break;
    case IR_FCMP_EQ: *out = sc_fcmp_eq(a, b); break;
    case IR_FCMP_NE: *out = sc_fcmp_ne(a, b); break;
    case IR_FCMP_LT: *out = sc_fcmp_lt(a, b); break;
    case IR_FCMP_LE: *out = sc_fcmp_le(a, b); break;
    case IR_FCMP_GT: *out = sc_fcmp_gt(a, b); break;
    case IR_FCMP_GE: *out = sc_fcmp_ge(a, b); break;
    case IR_FCMP_ORD: *out = sc_fcmp_ord(a, b); break;
    case IR_FCMP_UNORD: *out = sc_fcmp_unord(a, b); break;
    case IR_BAND: *out = a & b; break;
    case IR_BOR: *out = a | b; break;
    case IR_BXOR: *out = a ^ b; break;
    case IR_BNOT: *out = !a; break;
    case IR_SELECT: *out = x[0] ? x[1] : x[2]; break;
    default: return false;
    }
    return true;
}

static bool fold_f32(ir_op op, const uint64_t *x, uint64_t *out) {
    uint32_t a = (uint32_t)x[0], b = (uint32_t)x[1], c = (uint32_t)x[2];
    switch (op) {
    case IR_FADD: *out = sc_fadd(a, b); break;
    case IR_FSUB: *out = sc_fsub(a, b); break;
    case IR_FMUL: *out = sc_fmul(a, b); break;
    case IR_FMA: *out = sc_fma(a, b, c); break;
    case IR_FDIV: *out = sc_fdiv(a, b); break;
    case IR_FNEG: *out = sc_fneg(a); break;
    case IR_FABS: *out = sc_fabs(a); break;
    case IR_FMIN: *out = sc_fmin(a, b); break;
    case IR_FMAX: *out = sc_fmax(a, b); break;
    case IR_FSQRT: *out = sc_fsqrt(a); break;
    case IR_FRCP: *out = sc_frcp(a); break;
    case IR_FRSQRT: *out = sc_frsqrt(a); break;
    case IR_FFLOOR: *out = sc_ffloor(a); break;
    case IR_FCEIL: *out = sc_fceil(a); break;
    case IR_FROUND: *out = sc_fround(a); break;
    case IR_FTRUNC: *out = sc_ftrunc(a); break;
    case IR_FFRACT: *out = sc_ffract(a); break;
    case IR_FSAT: *out = sc_fsat(a); break;
    case IR_FSIN: *out = sc_fsin(a); break;
    case IR_FCOS: *out = sc_fcos(a); break;
    case IR_FEXP2: *out = sc_fexp2(a); break;
    case IR_FLOG2: *out = sc_flog2(a); break;
    default: return false;
    }
    return true;
}

static bool fold_half(ir_op op, const uint64_t *x, uint64_t *out) {
    uint32_t a = (uint32_t)x[0], b = (uint32_t)x[1], c = (uint32_t)x[2];
    switch (op) {
    case IR_HADD: *out = sc_hadd(a, b); break;
    case IR_HSUB: *out = sc_hsub(a, b); break;
    case IR_HMUL: *out = sc_hmul(a, b); break;
    case IR_HMA: *out = sc_hma(a, b, c); break;
    case IR_HADD2: *out = sc_hadd2(a, b); break;
    case IR_HMUL2: *out = sc_hmul2(a, b); break;
    case IR_HMA2: *out = sc_hma2(a, b, c); break;
    default: return false;
    }
    return true;
}

/* 64-bit operands; a shift amount has 32 bits. */
static bool fold_u64(ir_op op, const uint64_t *x, uint64_t *out) {
    uint32_t by = (uint32_t)x[1];
    switch (op) {
    case IR_LADD: *out = sc_ladd(x[0], x[1]); break;
    case IR_LSUB: *out = sc_lsub(x[0], x[1]); break;
    case IR_LMUL: *out = sc_lmul(x[0], x[1]); break;
    case IR_LMUL_HI: *out = sc_lmul_hi(x[0], x[1]); break;
    case IR_LDIV: *out = sc_ldiv(x[0], x[1]); break;
    case IR_LMOD: *out = sc_lmod(x[0], x[1]); break;
    case IR_LUDIV: *out = sc_ludiv(x[0], x[1]); break;
    case IR_LUMOD: *out = sc_lumod(x[0], x[1]); break;
    case IR_LSHL: *out = sc_lshl(x[0], by); break;
    case IR_LSHR: *out = sc_lshr(x[0], by); break;
    case IR_LSAR: *out = sc_lsar(x[0], by); break;
    case IR_LCMP_EQ: *out = sc_lcmp_eq(x[0], x[1]); break;
    case IR_LCMP_NE: *out = sc_lcmp_ne(x[0], x[1]); break;
    case IR_LCMP_LT: *out = sc_lcmp_lt(x[0], x[1]); break;
    case IR_LCMP_LE: *out = sc_lcmp_le(x[0], x[1]); break;
    case IR_LCMP_GT: *out = sc_lcmp_gt(x[0], x[1]); break;
    case IR_LCMP_GE: *out = sc_lcmp_ge(x[0], x[1]); break;
    case IR_LUCMP_LT: *out = sc_lucmp_lt(x[0], x[1]); break;
    case IR_LUCMP_LE: *out = sc_lucmp_le(x[0], x[1]); break;
    case IR_LUCMP_GT: *out = sc_lucmp_gt(x[0], x[1]); break;
    case IR_LUCMP_GE: *out = sc_lucmp_ge(x[0], x[1]); break;
    default: return false;
    }
    return true;
}

static bool fold_f64(ir_op op, const uint64_t *x, uint64_t *out) {
    switch (op) {
    case IR_DADD: *out = sc_dadd(x[0], x[1]); break;
    case IR_DSUB: *out = sc_dsub(x[0], x[1]); break;
    case IR_DMUL: *out = sc_dmul(x[0], x[1]); break;
    case IR_DMA: *out = sc_dma(x[0], x[1], x[2]); break;
    case IR_DDIV: *out = sc_ddiv(x[0], x[1]); break;
    case IR_DSQRT: *out = sc_dsqrt(x[0]); break;
    case IR_DNEG: *out = sc_dneg(x[0]); break;
    case IR_DABS: *out = sc_dabs(x[0]); break;
    case IR_DFLOOR: *out = sc_dfloor(x[0]); break;
    case IR_DCEIL: *out = sc_dceil(x[0]); break;
    case IR_DROUND: *out = sc_dround(x[0]); break;
    case IR_DTRUNC: *out = sc_dtrunc(x[0]); break;
    case IR_DMIN: *out = sc_dmin(x[0], x[1]); break;
    case IR_DMAX: *out = sc_dmax(x[0], x[1]); break;
    case IR_DCMP_EQ: *out = sc_dcmp_eq(x[0], x[1]); break;
    case IR_DCMP_NE: *out = sc_dcmp_ne(x[0], x[1]); break;
    case IR_DCMP_LT: *out = sc_dcmp_lt(x[0], x[1]); break;
    case IR_DCMP_LE: *out = sc_dcmp_le(x[0], x[1]); break;
    case IR_DCMP_GT: *out = sc_dcmp_gt(x[0], x[1]); break;
    case IR_DCMP_GE: *out = sc_dcmp_ge(x[0], x[1]); break;
    case IR_DCMP_ORD: *out = sc_dcmp_ord(x[0], x[1]); break;
    case IR_DCMP_UNORD: *out = sc_dcmp_unord(x[0], x[1]); break;
    default: return false;
    }
    return true;
}

static bool fold_conversion(ir_op op, const uint64_t *x, uint64_t *out) {
    uint32_t a = (uint32_t)x[0];
    switch (op) {
    case IR_CVT_F32_I32: *out = sc_cvt_f32_i32(a); break;
    case IR_CVT_F32_U32: *out = sc_cvt_f32_u32(a); break;
    case IR_CVT_I32_F32: *out = sc_cvt_i32_f32(a); break;
    case IR_CVT_U32_F32: *out = sc_cvt_u32_f32(a); break;
    case IR_CVT_F32_F16: *out = sc_cvt_f32_f16(a); break;
    case IR_CVT_F16_F32: *out = sc_cvt_f16_f32(a); break;
    case IR_CVT_F32_F64: *out = sc_cvt_f32_f64(x[0]); break;
    case IR_CVT_F64_F32: *out = sc_cvt_f64_f32(a); break;
    case IR_CVT_F64_I32: *out = sc_cvt_f64_i32(a); break;
    case IR_CVT_F64_U32: *out = sc_cvt_f64_u32(a); break;
    case IR_CVT_I32_F64: *out = sc_cvt_i32_f64(x[0]); break;
    case IR_CVT_U32_F64: *out = sc_cvt_u32_f64(x[0]); break;
    case IR_CVT_F64_I64: *out = sc_cvt_f64_i64(x[0]); break;
    case IR_CVT_F64_U64: *out = sc_cvt_f64_u64(x[0]); break;
    case IR_CVT_I64_F64: *out = sc_cvt_i64_f64(x[0]); break;
    case IR_CVT_U64_F64: *out = sc_cvt_u64_f64(x[0]); break;
    case IR_CVT_F32_I64: *out = sc_cvt_f32_i64(x[0]); break;
    case IR_CVT_F32_U64: *out = sc_cvt_f32_u64(x[0]); break;
    case IR_CVT_I64_F32: *out = sc_cvt_i64_f32(a); break;
    case IR_CVT_U64_F32: *out = sc_cvt_u64_f32(a); break;
    case IR_CVT_F16_F64: *out = sc_cvt_f16_f64(x[0]); break;
    case IR_CVT_F64_F16: *out = sc_cvt_f64_f16(a); break;
    default: return false;
    }
    return true;
}

bool ir_fold(ir_op op, ir_type type, const uint64_t *args, uint64_t *out) {
    if (type == IR_TILE)
        return false;
    return fold_integer(op, args, out) || fold_compare(op, args, out) || fold_f32(op, args, out) ||
           fold_half(op, args, out) || fold_u64(op, args, out) || fold_f64(op, args, out) ||
           fold_conversion(op, args, out);
}
