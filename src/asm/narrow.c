/* Doubles to the narrower floats of the machine, rounded once. */
#include "asm/narrow.h"
#include "asm/decimal.h"

#include <string.h>

uint64_t asm_narrow(double value, unsigned exponent_bits, unsigned fraction_bits) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t sign = bits >> 63 << (exponent_bits + fraction_bits);
    uint64_t infinity = ((UINT64_C(1) << exponent_bits) - 1) << fraction_bits;
    int exponent = (int)(bits >> 52 & 0x7FF);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent == 0x7FF)
        return sign | infinity | (fraction ? UINT64_C(1) << (fraction_bits - 1) : 0);
    int bias = (1 << (exponent_bits - 1)) - 1;
    int target = exponent - 1023 + bias; /* the exponent field it would have */
    uint64_t significand = exponent ? fraction | UINT64_C(1) << 52 : 0;
    unsigned drop = 52 - fraction_bits;
    if (target <= 0) { /* subnormal there */
        if (target < -(int)fraction_bits - 1)
            return sign;
        drop += (unsigned)(1 - target);
        target = 0;
    }
    if (drop > 63)
        return sign;
    uint64_t kept = significand >> drop, rest = significand & ((UINT64_C(1) << drop) - 1);
    uint64_t half = UINT64_C(1) << (drop - 1);
    kept += rest > half || (rest == half && (kept & 1));
    /* A carry out of the fraction correctly increments the exponent. */
    uint64_t made = target ? ((uint64_t)(target - 1) << fraction_bits) + kept : kept;
    return sign | (made < infinity ? made : infinity);
}

uint64_t asm_double_bits(const asm_value *value, unsigned size) {
    double number = value->is_float ? value->number : (double)value->integer;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return size == 8 ? bits : size == 4 ? asm_narrow(number, 8, 23) : asm_narrow(number, 5, 10);
}

uint64_t asm_float_bits(const asm_token *token, unsigned size) {
    if (size == 4)
        return asm_decimal_f32(token->place.at, token->place.length);
    uint64_t bits = asm_decimal_f64(token->place.at, token->place.length);
    asm_value value = {.is_float = true};
    memcpy(&value.number, &bits, sizeof bits);
    return asm_double_bits(&value, size);
}
