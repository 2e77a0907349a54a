/* One component of one SPIR-V operation. */
#ifndef CLMATH_MODULE_OPS_H
#define CLMATH_MODULE_OPS_H

#include <stdbool.h>
#include <stdint.h>

/* `bits` is the width of the operands, `to` that of the result. False: not known here. */
bool clmath_integer_op(uint32_t op, unsigned bits, unsigned to, uint64_t a, uint64_t b,
                       uint64_t *out);
bool clmath_float_op(uint32_t op, unsigned bits, unsigned to, uint64_t a, uint64_t b,
                     uint64_t *out);
/* Instruction `number` of OpenCL.std */
bool clmath_extended_op(uint32_t number, unsigned bits, const uint64_t *operands, uint64_t *out);

#endif
