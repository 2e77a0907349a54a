// Floating-point formats in integers: packing with any of PTX's rounding modes, and unpacking.
// Every value of f16, bf16 and f32 is exactly representable as a double, so unpacking is exact.
#ifndef PTXVM_NUM_H
#define PTXVM_NUM_H

#include "ptxvm/vm.h"

#include <math.h>
#include <string.h>

typedef struct {
    int exponent_bits, fraction_bits;
} vm_format;

vm_format vm_format_of(vm_type type);
// magnitude · 2^exponent, plus a fraction of that bit if sticky, rounded to the format.
uint64_t vm_pack(vm_format format, bool negative, uint64_t magnitude, int exponent, bool sticky,
                 vm_round round);
// Neither handles NaN: vm_pack_double takes a number or an infinity.
uint64_t vm_pack_double(vm_format format, double value, vm_round round);
double vm_unpack(vm_format format, uint64_t bits);
bool vm_bits_nan(vm_format format, uint64_t bits);
uint64_t vm_nan(const vm_run *run, vm_type type);
// One half of a packed or plain f16/bf16 operation, correctly rounded: a·b + c.
uint64_t vm_half_fma(const vm_run *run, vm_type type, double a, double b, double c);
// Float addition of atom and red.
uint64_t vm_float_add(const vm_run *run, vm_type type, uint64_t a, uint64_t b, bool ftz);

static inline float vm_f32(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static inline uint32_t vm_f32_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double vm_f64(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t vm_f64_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
