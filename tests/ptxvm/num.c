// Packing and unpacking of floating-point numbers; see num.h.
#include "ptxvm/num.h"

vm_format vm_format_of(vm_type type) {
    switch (type) {
    case VM_F16:
    case VM_F16X2: return (vm_format){5, 10};
    case VM_BF16:
    case VM_BF16X2: return (vm_format){8, 7};
    case VM_F32: return (vm_format){8, 23};
    default: return (vm_format){11, 52};
    }
}

static bool round_up(vm_round round, bool negative, bool odd, bool half, bool rest) {
    switch (round) {
    case VM_RZ: return false;
    case VM_RM: return negative && (half || rest);
    case VM_RP: return !negative && (half || rest);
    default: return half && (rest || odd);
    }
}

static uint64_t overflow(vm_format f, bool negative, vm_round round) {
    uint64_t infinity = vm_mask((unsigned)f.exponent_bits) << f.fraction_bits;
    bool finite = round == VM_RZ || (round == VM_RM && !negative) || (round == VM_RP && negative);
    return finite ? infinity - 1 : infinity;
}

uint64_t vm_pack(vm_format f, bool negative, uint64_t magnitude, int exponent, bool sticky,
                 vm_round round) {
    uint64_t sign = negative ? UINT64_C(1) << (f.exponent_bits + f.fraction_bits) : 0;
    if (magnitude == 0) {
        return sign;
    }
    int bias = (1 << (f.exponent_bits - 1)) - 1, top = 63;
    while (!(magnitude >> top)) {
        top--;
    }
    // Exponent of the last bit kept: that of the fraction, or of the subnormals.
    int last = top + exponent - f.fraction_bits, lowest = 1 - bias - f.fraction_bits;
    last = last < lowest ? lowest : last;
    int shift = last - exponent;
    uint64_t kept;
    bool half = false, rest = sticky;
    if (shift <= 0) {
        kept = magnitude << -shift;
    } else if (shift > 64) {
        kept = 0;
        rest = true;
    } else {
        kept = shift == 64 ? 0 : magnitude >> shift;
        half = magnitude >> (shift - 1) & 1;
        rest = rest || (magnitude & vm_mask((unsigned)(shift - 1)));
    }
    kept += round_up(round, negative, kept & 1, half, rest);
    if (kept >> (f.fraction_bits + 1)) {
        kept >>= 1;
        last++;
    }
    if (!(kept >> f.fraction_bits)) {
        return sign | kept;
    }
    int field = last + f.fraction_bits + bias;
    if (field >= (1 << f.exponent_bits) - 1) {
        return sign | overflow(f, negative, round);
    }
    return sign | (uint64_t)field << f.fraction_bits | (kept & vm_mask((unsigned)f.fraction_bits));
}

uint64_t vm_pack_double(vm_format f, double value, vm_round round) {
    uint64_t bits = vm_f64_bits(value);
    bool negative = bits >> 63;
    int field = (int)(bits >> 52 & 0x7FF);
    uint64_t fraction = bits & vm_mask(52);
    if (field == 0x7FF) {
        uint64_t sign = (uint64_t)negative << (f.exponent_bits + f.fraction_bits);
        return sign | vm_mask((unsigned)f.exponent_bits) << f.fraction_bits;
    }
    uint64_t magnitude = field ? fraction | UINT64_C(1) << 52 : fraction;
    return vm_pack(f, negative, magnitude, (field ? field : 1) - 1075, false, round);
}

double vm_unpack(vm_format f, uint64_t bits) {
    if (f.fraction_bits == 52) {
        return vm_f64(bits);
    }
    if (f.fraction_bits == 23) {
        return (double)vm_f32(bits);
    }
    if (f.exponent_bits == 8) {
        return (double)vm_f32(bits << (23 - f.fraction_bits));
    }
    int bias = (1 << (f.exponent_bits - 1)) - 1;
    int field = (int)(bits >> f.fraction_bits & vm_mask((unsigned)f.exponent_bits));
    uint64_t fraction = bits & vm_mask((unsigned)f.fraction_bits);
    bool negative = bits >> (f.exponent_bits + f.fraction_bits) & 1;
    double value;
    if (field == (1 << f.exponent_bits) - 1) {
        value = fraction ? (double)NAN : (double)INFINITY;
    } else {
        uint64_t magnitude = field ? fraction | UINT64_C(1) << f.fraction_bits : fraction;
        value = ldexp((double)magnitude, (field ? field : 1) - bias - f.fraction_bits);
    }
    return negative ? -value : value;
}

bool vm_bits_nan(vm_format f, uint64_t bits) {
    uint64_t infinity = vm_mask((unsigned)f.exponent_bits) << f.fraction_bits;
    return (bits & vm_mask((unsigned)(f.exponent_bits + f.fraction_bits))) > infinity;
}

uint64_t vm_nan(const vm_run *run, vm_type type) {
    switch (type) {
    case VM_F16:
    case VM_F16X2: return run->nan16;
    case VM_BF16:
    case VM_BF16X2: return run->nanb16;
    case VM_F32: return run->nan32;
    default: return run->nan64;
    }
}

// The product of two halves is exact in double. The error of the sum is found by TwoSum (Knuth). If
// it is not 0, the sum is rounded to odd, so that the truncated part cannot be mistaken for a tie
// and only the second rounding counts (Boldo and Melquiond, "Emulation of FMA and Correctly Rounded
// Sums: Proved Algorithms Using Rounding to Odd").
uint64_t vm_half_fma(const vm_run *run, vm_type type, double a, double b, double c) {
    double product = a * b, sum = product + c;
    if (isnan(sum)) {
        return vm_nan(run, type);
    }
    if (isfinite(sum)) {
        double back = sum - product, error = (product - (sum - back)) + (c - back);
        uint64_t bits = vm_f64_bits(sum);
        if (error != 0 && !(bits & 1)) {
            bool outward = (error > 0) == (sum > 0);
            sum = vm_f64(outward ? bits + 1 : bits - 1);
        }
    }
    return vm_pack_double(vm_format_of(type), sum, VM_RN);
}

static float flushed(float value) {
    return fpclassify(value) == FP_SUBNORMAL ? copysignf(0.0f, value) : value;
}

uint64_t vm_float_add(const vm_run *run, vm_type type, uint64_t a, uint64_t b, bool ftz) {
    vm_format f = vm_format_of(type);
    if (type == VM_F32) {
        float x = vm_f32(a), y = vm_f32(b);
        float sum = ftz ? flushed(flushed(x) + flushed(y)) : x + y;
        return isnan(sum) ? run->nan32 : vm_f32_bits(sum);
    }
    if (type == VM_F64) {
        double sum = vm_f64(a) + vm_f64(b);
        return isnan(sum) ? run->nan64 : vm_f64_bits(sum);
    }
    uint64_t low = vm_half_fma(run, type, vm_unpack(f, a & 0xFFFF), 1, vm_unpack(f, b & 0xFFFF));
    if (vm_types[type].bits == 16) {
        return low;
    }
    return low |
           vm_half_fma(run, type, vm_unpack(f, a >> 16 & 0xFFFF), 1, vm_unpack(f, b >> 16 & 0xFFFF))
               << 16;
}
