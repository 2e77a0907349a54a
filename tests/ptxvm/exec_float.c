// Execution of float arithmetic, comparisons and conversions. Results are correctly rounded, except
// those of .approx and .full instructions, which are computed in double and counted as inexact. NaN
// results are the run's canonical NaN: PTX leaves their bits undefined.
#include "ptxvm/num.h"
#include "support/noise.h"

#include <fenv.h>

// ---- rounding in other directions

static void set_direction(vm_round round) {
    fesetround(round == VM_RZ   ? FE_TOWARDZERO
               : round == VM_RM ? FE_DOWNWARD
               : round == VM_RP ? FE_UPWARD
                                : FE_TONEAREST);
}

// volatile keeps the operation between the two calls.
static float directed32(unsigned sub, vm_round round, float x, float y, float z) {
    volatile float a = x, b = y, c = z, result;
    set_direction(round);
    switch (sub) {
    case VM_SUB_ADD: result = a + b; break;
    case VM_SUB_SUB: result = a - b; break;
    case VM_SUB_MUL: result = a * b; break;
    case VM_SUB_FMA: result = fmaf(a, b, c); break;
    case VM_SUB_DIV: result = a / b; break;
    case VM_SUB_SQRT: result = sqrtf(a); break;
    default: result = 1.0f / a; break;
    }
    set_direction(VM_RN);
    return result;
}

static double directed64(unsigned sub, vm_round round, double x, double y, double z) {
    volatile double a = x, b = y, c = z, result;
    set_direction(round);
    switch (sub) {
    case VM_SUB_ADD: result = a + b; break;
    case VM_SUB_SUB: result = a - b; break;
    case VM_SUB_MUL: result = a * b; break;
    case VM_SUB_FMA: result = fma(a, b, c); break;
    case VM_SUB_DIV: result = a / b; break;
    case VM_SUB_SQRT: result = sqrt(a); break;
    default: result = 1.0 / a; break;
    }
    set_direction(VM_RN);
    return result;
}

// ---- arithmetic

static float flush32(float value, unsigned flags) {
    if ((flags & VM_FTZ) && fpclassify(value) == FP_SUBNORMAL) {
        return copysignf(0.0f, value);
    }
    return value;
}

static double approximate(unsigned sub, double a, double b) {
    switch (sub) {
    case VM_SUB_DIV: return a / b;
    case VM_SUB_SQRT: return sqrt(a);
    case VM_SUB_RCP: return 1.0 / a;
    case VM_SUB_RSQRT: return 1.0 / sqrt(a);
    case VM_SUB_SIN: return sin(a);
    case VM_SUB_COS: return cos(a);
    case VM_SUB_LG2: return log2(a);
    case VM_SUB_EX2: return exp2(a);
    default: return tanh(a);
    }
}

// minNum and maxNum of IEEE 754-2008 with -0 below +0; .NaN propagates a NaN.
static double smaller_or_larger(double a, double b, bool smaller, bool nan) {
    if (isnan(a) || isnan(b)) {
        return nan ? (double)NAN : isnan(a) ? b : a;
    }
    if (a == b) {
        return (signbit(a) != 0) == smaller ? a : b;
    }
    return (a < b) == smaller ? a : b;
}

static uint64_t saturate(vm_format f, uint64_t bits, bool nan) {
    double value = nan ? 0 : vm_unpack(f, bits);
    return value > 0 ? (value > 1 ? vm_pack_double(f, 1, VM_RN) : bits) : 0;
}

// The largest errors that the PTX ISA documents. For sines and cosines of large arguments it
// documents none: the result is anything from -1 to 1.
static float disturb(unsigned sub, double value, float a, float b, uint32_t random) {
    const double circle = 6.2831853;
    double size = fabs((double)a);
    switch (sub) {
    case VM_SUB_DIV:
        if (isfinite(b) && fabsf(b) > 0x1p126f) {
            return isinf(a) ? NAN : copysignf(0.0f, (float)value);
        }
        return noise_ulps(value, 2, random);
    case VM_SUB_RCP: return noise_ulps(value, 1, random);
    case VM_SUB_SQRT: return noise_relative(value, 0x1p-23, random);
    case VM_SUB_RSQRT: return noise_relative(value, exp2(-22.9), random);
    case VM_SUB_EX2: return a == 0 ? 1.0f : noise_relative(value, 0x1p-22, random);
    case VM_SUB_LG2:
        return a > 0.5f && a < 2 ? noise_absolute(value, 0x1p-22, random)
                                 : noise_relative(value, 0x1p-22, random);
    case VM_SUB_SIN:
    case VM_SUB_COS:
        if (a == 0 || isnan(value)) {
            return (float)value;
        }
        return size > 50 * circle
                   ? (float)noise_direction(random)
                   : noise_absolute(value, exp2(size > circle ? -14.7 : -20.5), random);
    default: return (float)value;
    }
}

static float compute32(vm_run *run, const vm_insn *in, float a, float b, float c) {
    if (in->flags & VM_APPROX) {
        double value = approximate(in->sub, (double)a, (double)b);
        return run->options->noise ? disturb(in->sub, value, a, b, (uint32_t)vm_random(run))
                                   : (float)value;
    }
    if (in->round > VM_RN) {
        return directed32(in->sub, (vm_round)in->round, a, b, c);
    }
    switch (in->sub) {
    case VM_SUB_ADD: return a + b;
    case VM_SUB_SUB: return a - b;
    case VM_SUB_MUL: return a * b;
    case VM_SUB_FMA: return fmaf(a, b, c);
    case VM_SUB_DIV: return a / b;
    case VM_SUB_SQRT: return sqrtf(a);
    case VM_SUB_RCP: return 1.0f / a;
    case VM_SUB_NEG: return -a;
    case VM_SUB_ABS: return fabsf(a);
    default:
        return (float)smaller_or_larger((double)a, (double)b, in->sub == VM_SUB_MIN,
                                        in->flags & VM_NAN);
    }
}

// rcp and rsqrt of doubles: 20 bits of fraction, the rest 0, subnormals flushed.
static double approximate64(const vm_insn *in, double a) {
    if (fpclassify(a) == FP_SUBNORMAL && (in->flags & VM_FTZ)) {
        a = copysign(0.0, a);
    }
    double result = vm_f64(vm_f64_bits(approximate(in->sub, a, 0)) & ~UINT64_C(0xFFFFFFFF));
    bool tiny = fpclassify(result) == FP_SUBNORMAL && (in->flags & VM_FTZ);
    return tiny ? copysign(0.0, result) : result;
}

static double compute64(const vm_insn *in, double a, double b, double c) {
    if (in->flags & VM_APPROX) {
        return approximate64(in, a);
    }
    if (in->round > VM_RN) {
        return directed64(in->sub, (vm_round)in->round, a, b, c);
    }
    switch (in->sub) {
    case VM_SUB_ADD: return a + b;
    case VM_SUB_SUB: return a - b;
    case VM_SUB_MUL: return a * b;
    case VM_SUB_FMA: return fma(a, b, c);
    case VM_SUB_DIV: return a / b;
    case VM_SUB_SQRT: return sqrt(a);
    case VM_SUB_RCP: return 1.0 / a;
    case VM_SUB_NEG: return -a;
    case VM_SUB_ABS: return fabs(a);
    default: return smaller_or_larger(a, b, in->sub == VM_SUB_MIN, false);
    }
}

static double flush_half(double value, unsigned flags) {
    return (flags & VM_FTZ) && fabs(value) < 0x1p-14 ? copysign(0.0, value) : value;
}

static uint64_t compute_half(vm_run *run, const vm_insn *in, uint64_t a_bits, uint64_t b_bits,
                             uint64_t c_bits) {
    vm_type type = (vm_type)in->type;
    vm_format f = vm_format_of(type);
    double a = flush_half(vm_unpack(f, a_bits & 0xFFFF), in->flags);
    double b = flush_half(vm_unpack(f, b_bits & 0xFFFF), in->flags);
    double c = flush_half(vm_unpack(f, c_bits & 0xFFFF), in->flags);
    uint64_t result;
    switch (in->sub) {
    case VM_SUB_ADD: result = vm_half_fma(run, type, a, 1, b); break;
    case VM_SUB_SUB: result = vm_half_fma(run, type, a, 1, -b); break;
    // x + -0 is x, even for x = -0.
    case VM_SUB_MUL: result = vm_half_fma(run, type, a, b, -0.0); break;
    case VM_SUB_FMA: result = vm_half_fma(run, type, a, b, c); break;
    default: {
        double value = in->sub == VM_SUB_NEG   ? -a
                       : in->sub == VM_SUB_ABS ? fabs(a)
                       : in->sub <= VM_SUB_MAX
                           ? smaller_or_larger(a, b, in->sub == VM_SUB_MIN, in->flags & VM_NAN)
                           : approximate(in->sub, a, b);
        result = isnan(value) ? vm_nan(run, type) : vm_pack_double(f, value, VM_RN);
        break;
    }
    }
    bool nan = vm_bits_nan(f, result);
    if ((in->flags & VM_FTZ) && !nan) {
        result = vm_pack_double(f, flush_half(vm_unpack(f, result), in->flags), VM_RN);
    }
    if ((in->flags & VM_RELU) && !nan && result >> 15) {
        result = 0;
    }
    return in->flags & VM_SAT ? saturate(f, result, nan) : result;
}

static vm_step check_exactness(vm_run *run, vm_thread *t, const vm_insn *in) {
    if (in->flags & VM_APPROX) {
        run->stats.inexact++;
        if (run->options->checks & PTXVM_CHECK_INEXACT) {
            return vm_fail(run, t, in, PTXVM_INEXACT, "the result's bits are not specified");
        }
    } else {
        run->stats.unfused++;
        if (run->options->checks & PTXVM_CHECK_UNFUSED) {
            return vm_fail(run, t, in, PTXVM_UNFUSED, "no rounding modifier: ptxas may fuse it");
        }
    }
    return VM_NEXT;
}

vm_step vm_x_float(vm_run *run, vm_thread *t, const vm_insn *in) {
    if ((in->flags & (VM_APPROX | VM_UNFUSED)) && check_exactness(run, t, in) == VM_ERROR) {
        return VM_ERROR;
    }
    uint64_t a = vm_source(run, t, &in->op[1]);
    uint64_t b = in->op[2].kind != VM_O_NONE ? vm_source(run, t, &in->op[2]) : 0;
    uint64_t c = in->op[3].kind != VM_O_NONE ? vm_source(run, t, &in->op[3]) : 0;
    uint64_t result;
    if (in->type == VM_F32) {
        unsigned flags = in->flags;
        float value = compute32(run, in, flush32(vm_f32(a), flags), flush32(vm_f32(b), flags),
                                flush32(vm_f32(c), flags));
        bool nan = isnan(value);
        result = nan ? run->nan32 : vm_f32_bits(flush32(value, flags));
        if (flags & VM_SAT) {
            result = saturate(vm_format_of(VM_F32), result, nan);
        }
    } else if (in->type == VM_F64) {
        double value = compute64(in, vm_f64(a), vm_f64(b), vm_f64(c));
        result = isnan(value) ? run->nan64 : vm_f64_bits(value);
    } else {
        result = compute_half(run, in, a, b, c);
        if (vm_types[in->type].bits == 32) {
            result |= compute_half(run, in, a >> 16, b >> 16, c >> 16) << 16;
        }
    }
    vm_write(t, &in->op[0], result);
    return VM_NEXT;
}

// ---- comparisons

// order: -1, 0, 1, or 2 for unordered.
static bool holds(unsigned compare, int order) {
    switch (compare) {
    case VM_EQ: return order == 0;
    case VM_NE: return order == -1 || order == 1;
    case VM_LT: return order == -1;
    case VM_LE: return order == -1 || order == 0;
    case VM_GT: return order == 1;
    case VM_GE: return order == 0 || order == 1;
    case VM_EQU: return order == 0 || order == 2;
    case VM_NEU: return order != 0;
    case VM_LTU: return order == -1 || order == 2;
    case VM_LEU: return order != 1;
    case VM_GTU: return order == 1 || order == 2;
    case VM_GEU: return order != -1;
    case VM_NUM: return order != 2;
    default: return order == 2;
    }
}

static int order_of(const vm_insn *in, uint64_t a, uint64_t b) {
    vm_type type = (vm_type)in->type;
    vm_type_info info = vm_types[type];
    if (info.class == VM_FLOAT) {
        vm_format f = vm_format_of(type);
        double x = vm_unpack(f, a), y = vm_unpack(f, b);
        if (type == VM_F32) {
            x = (double)flush32((float)x, in->flags);
            y = (double)flush32((float)y, in->flags);
        } else if (type != VM_F64) {
            x = flush_half(x, in->flags);
            y = flush_half(y, in->flags);
        }
        return isnan(x) || isnan(y) ? 2 : (x > y) - (x < y);
    }
    if (info.class == VM_SINT) {
        int64_t x = vm_sign_extend(a, info.bits), y = vm_sign_extend(b, info.bits);
        return (x > y) - (x < y);
    }
    return (a > b) - (a < b);
}

static bool combine(vm_run *run, const vm_thread *t, const vm_insn *in, bool value) {
    if (in->sub == VM_BOOL_NONE) {
        return value;
    }
    bool other = vm_predicate(run, t, &in->op[3]);
    return in->sub == VM_BOOL_AND  ? value && other
           : in->sub == VM_BOOL_OR ? value || other
                                   : value != other;
}

vm_step vm_x_setp(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t a = vm_source(run, t, &in->op[1]), b = vm_source(run, t, &in->op[2]);
    bool first, second;
    if (in->type == VM_F16X2 || in->type == VM_BF16X2) {
        first = holds(in->mode, order_of(in, a & 0xFFFF, b & 0xFFFF));
        second = holds(in->mode, order_of(in, a >> 16, b >> 16));
    } else {
        first = holds(in->mode, order_of(in, a, b));
        second = !first;
    }
    first = combine(run, t, in, first);
    if (in->op[4].kind != VM_O_NONE) {
        vm_write(t, &in->op[4], combine(run, t, in, second));
    }
    vm_write(t, &in->op[0], first);
    return VM_NEXT;
}

vm_step vm_x_set(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t a = vm_source(run, t, &in->op[1]), b = vm_source(run, t, &in->op[2]);
    vm_type result = (vm_type)in->type2;
    bool packed = in->type == VM_F16X2 || in->type == VM_BF16X2;
    uint64_t yes = vm_types[result].class == VM_FLOAT
                       ? vm_pack_double(vm_format_of(result), 1, VM_RN)
                       : vm_mask(packed ? 16 : vm_types[result].bits);
    uint64_t value;
    if (packed) {
        bool low = combine(run, t, in, holds(in->mode, order_of(in, a & 0xFFFF, b & 0xFFFF)));
        bool high = combine(run, t, in, holds(in->mode, order_of(in, a >> 16, b >> 16)));
        value = (high ? yes << 16 : 0) | (low ? yes : 0);
    } else {
        value = combine(run, t, in, holds(in->mode, order_of(in, a, b))) ? yes : 0;
    }
    vm_write(t, &in->op[0], value);
    return VM_NEXT;
}

vm_step vm_x_testp(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t bits = vm_source(run, t, &in->op[1]);
    int class = in->type == VM_F32 ? fpclassify(vm_f32(bits)) : fpclassify(vm_f64(bits));
    bool value = false;
    switch (in->mode) {
    case VM_TEST_FINITE: value = class != FP_INFINITE && class != FP_NAN; break;
    case VM_TEST_INFINITE: value = class == FP_INFINITE; break;
    case VM_TEST_NUMBER: value = class != FP_NAN; break;
    case VM_TEST_NOTANUMBER: value = class == FP_NAN; break;
    // Zero counts as normal here, as the PTX ISA specifies.
    case VM_TEST_NORMAL: value = class == FP_NORMAL || class == FP_ZERO; break;
    default: value = class == FP_SUBNORMAL; break;
    }
    vm_write(t, &in->op[0], value);
    return VM_NEXT;
}

// Combines the sign of a with the magnitude of b.
vm_step vm_x_copysign(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t a = vm_source(run, t, &in->op[1]), b = vm_source(run, t, &in->op[2]);
    uint64_t sign = UINT64_C(1) << (vm_types[in->type].bits - 1);
    vm_write(t, &in->op[0], (a & sign) | (b & ~sign & vm_mask(vm_types[in->type].bits)));
    return VM_NEXT;
}

// ---- conversions

static double to_integral(double value, unsigned round) {
    return round == VM_RNI   ? nearbyint(value)
           : round == VM_RMI ? floor(value)
           : round == VM_RPI ? ceil(value)
                             : trunc(value);
}

static uint64_t float_to_integer(const vm_insn *in, double value) {
    vm_type_info to = vm_types[in->type];
    bool is_signed = to.class == VM_SINT;
    if (isnan(value)) {
        bool zero = in->type2 != VM_F64 && to.bits != 64;
        return zero ? 0 : UINT64_C(1) << (to.bits - 1);
    }
    value = to_integral(value, in->round);
    double limit = ldexp(1.0, is_signed ? to.bits - 1 : to.bits);
    if (value >= limit) {
        return vm_mask(to.bits) >> (is_signed ? 1 : 0);
    }
    if (is_signed) {
        return value < -limit ? UINT64_C(1) << (to.bits - 1) : (uint64_t)(int64_t)value;
    }
    return value <= 0 ? 0 : (uint64_t)value;
}

static uint64_t integer_to_integer(const vm_insn *in, uint64_t bits) {
    vm_type_info to = vm_types[in->type], from = vm_types[in->type2];
    bool from_signed = from.class == VM_SINT, to_signed = to.class == VM_SINT;
    uint64_t value =
        from_signed ? (uint64_t)vm_sign_extend(bits, from.bits) : bits & vm_mask(from.bits);
    if (!(in->flags & VM_SAT)) {
        return value;
    }
    uint64_t largest = vm_mask(to.bits) >> (to_signed ? 1 : 0);
    if (from_signed && (int64_t)value < 0) {
        int64_t least = to_signed ? -(int64_t)largest - 1 : 0;
        return (int64_t)value < least ? (uint64_t)least : value;
    }
    return value > largest ? largest : value;
}

static uint64_t to_float(const vm_run *run, const vm_insn *in, uint64_t bits, vm_type to,
                         vm_type from) {
    vm_format f = vm_format_of(to);
    vm_type_info info = vm_types[from];
    uint64_t result;
    bool nan = false;
    if (info.class != VM_FLOAT) {
        int64_t value = info.class == VM_SINT ? vm_sign_extend(bits, info.bits) : 0;
        bool negative = value < 0;
        uint64_t magnitude = info.class == VM_SINT
                                 ? (negative ? 0 - (uint64_t)value : (uint64_t)value)
                                 : bits & vm_mask(info.bits);
        result = vm_pack(f, negative, magnitude, 0, false, (vm_round)in->round);
    } else {
        double value = vm_unpack(vm_format_of(from), bits & vm_mask(info.bits));
        nan = isnan(value);
        if (from == VM_F32) {
            value = (double)flush32((float)value, in->flags);
        }
        if (in->round >= VM_RNI) {
            value = to_integral(value, in->round);
        }
        result = nan ? vm_nan(run, to) : vm_pack_double(f, value, (vm_round)in->round);
        if (to == VM_F32 && !nan) {
            result = vm_f32_bits(flush32(vm_f32(result), in->flags));
        }
    }
    if ((in->flags & VM_RELU) && !nan && result >> (vm_types[to].bits - 1)) {
        result = 0;
    }
    return in->flags & VM_SAT ? saturate(f, result, nan) : result;
}

static vm_step packed_cvt(vm_run *run, vm_thread *t, const vm_insn *in) {
    vm_type half = in->type == VM_F16X2 ? VM_F16 : VM_BF16;
    uint64_t high = to_float(run, in, vm_source(run, t, &in->op[1]), half, VM_F32);
    uint64_t low = to_float(run, in, vm_source(run, t, &in->op[2]), half, VM_F32);
    vm_write(t, &in->op[0], high << 16 | low);
    return VM_NEXT;
}

vm_step vm_x_cvt(vm_run *run, vm_thread *t, const vm_insn *in) {
    if (in->count == 2) {
        return packed_cvt(run, t, in);
    }
    uint64_t bits = vm_source(run, t, &in->op[1]), result;
    vm_type_info to = vm_types[in->type];
    if (to.class == VM_FLOAT) {
        result = to_float(run, in, bits, (vm_type)in->type, (vm_type)in->type2);
    } else if (vm_types[in->type2].class == VM_FLOAT) {
        double value =
            vm_unpack(vm_format_of((vm_type)in->type2), bits & vm_mask(vm_types[in->type2].bits));
        if (in->type2 == VM_F32) {
            value = (double)flush32((float)value, in->flags);
        }
        result = float_to_integer(in, value);
    } else {
        result = integer_to_integer(in, bits);
    }
    if (to.class == VM_SINT) {
        result = (uint64_t)vm_sign_extend(result, to.bits) & vm_mask(vm_types[in->op[0].type].bits);
    } else {
        result &= vm_mask(to.bits);
    }
    vm_write(t, &in->op[0], result);
    return VM_NEXT;
}
