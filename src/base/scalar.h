// Scalar semantics of the ISA: every per-lane instruction that does not access memory has one
// function sc_<mnemonic> from operand bits to result bits. Compares return bool, operations on
// pairs work on uint64_t, everything else works on the uint32_t of a register. The emulator runs
// these functions in loops over lanes and constant folding calls them; the arithmetic is defined
// nowhere else.
//
// Two rules hold throughout: results never depend on compiler flags (no contraction, no fast-math,
// no excess precision; the default floating-point environment is assumed), and NaN results of
// arithmetic are canonical: 7FC00000, 7FF8000000000000, 7E00 (f16), 7FC0 (bf16).
#ifndef WAVE_BASE_SCALAR_H
#define WAVE_BASE_SCALAR_H

#include "base/exact_math.h"
#include "base/scalar_bits.h"
#include "base/scalar_f16.h"
#include "base/scalar_f32.h"
#include "base/scalar_f64.h"
#include "base/scalar_i64.h"
#include "base/scalar_int.h"

#endif
