// The edge cases named in the ISA reference, one by one, with operands and results written out as
// bits. The other scalar tests compare with a second implementation; these compare with the text.
#include <criterion/criterion.h>
#include <inttypes.h>

#include "base/scalar.h"

#define INT_MIN32  0x80000000u
#define MINUS_ONE  0xFFFFFFFFu
#define ONE        0x3F800000u
#define MINUS_1F   0xBF800000u
#define ZERO       0x00000000u
#define MINUS_ZERO 0x80000000u
#define INF        0x7F800000u
#define MINUS_INF  0xFF800000u
#define QNAN       0x7FC00000u
#define SNAN       0x7F800001u // signalling, payload 1
#define ODD_NAN    0xFFC12345u // quiet, negative, with a payload
#define MAX_F32    0x7F7FFFFFu
#define TINY       0x00000001u // smallest subnormal

#define is32(expression, bits)                                                                     \
    do {                                                                                           \
        uint32_t got_ = (expression);                                                              \
        cr_assert_eq(got_, (uint32_t)(bits), "%s = %08" PRIX32 ", want %08" PRIX32, #expression,   \
                     got_, (uint32_t)(bits));                                                      \
    } while (0)

#define is64(expression, bits)                                                                     \
    do {                                                                                           \
        uint64_t got_ = (expression);                                                              \
        cr_assert_eq(got_, (uint64_t)(bits), "%s = %016" PRIX64, #expression, got_);               \
    } while (0)

Test(scalar_edges, integer_arithmetic_has_its_edge_values) {
    is32(sc_iadd(0xFFFFFFFFu, 2), 1);
    is32(sc_isub(0, 1), 0xFFFFFFFFu);
    is32(sc_imul(0x80000000u, 2), 0);
    is32(sc_imul_hi(0xFFFFFFFFu, 0xFFFFFFFFu), 0xFFFFFFFEu);
    is32(sc_imad(0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu), 0);
    is32(sc_idiv(17, 5), 3);
    is32(sc_idiv(0u - 17u, 5), 0u - 3u);
    is32(sc_idiv(17, 0), 0);
    is32(sc_idiv(INT_MIN32, 0), 0);
    is32(sc_idiv(INT_MIN32, MINUS_ONE), INT_MIN32);
    is32(sc_imod(17, 5), 2);
    is32(sc_imod(0u - 17u, 5), 0u - 2u);
    is32(sc_imod(17, 0u - 5u), 2);
    is32(sc_imod(17, 0), 0);
    is32(sc_imod(INT_MIN32, MINUS_ONE), 0);
    is32(sc_udiv(0xFFFFFFFFu, 2), 0x7FFFFFFFu);
    is32(sc_udiv(5, 0), 0);
    is32(sc_umod(0xFFFFFFFFu, 10), 5);
    is32(sc_umod(5, 0), 0);
    is32(sc_ineg(INT_MIN32), INT_MIN32);
    is32(sc_ineg(5), 0xFFFFFFFBu);
    is32(sc_iabs(INT_MIN32), 0x80000000u);
    is32(sc_iabs(0xFFFFFFFBu), 5);
    is32(sc_imin(MINUS_ONE, 1), MINUS_ONE);
    is32(sc_imax(MINUS_ONE, 1), 1);
    is32(sc_umin(MINUS_ONE, 1), 1);
    is32(sc_umax(MINUS_ONE, 1), MINUS_ONE);
    is32(sc_iclamp(5, 10, 20), 10);
    is32(sc_iclamp(25, 10, 20), 20);
    is32(sc_iclamp(15, 20, 10), 10); // lo > hi yields hi
    is32(sc_iclamp(0u - 7u, 0u - 5u, 3), 0u - 5u);
}

Test(scalar_edges, shifts_take_the_amount_modulo_32) {
    is32(sc_shl(1, 4), 16);
    is32(sc_shl(1, 32), 1);
    is32(sc_shl(1, 0xFFFFFFFFu), 0x80000000u);
    is32(sc_shr(0x80000000u, 63), 1);
    is32(sc_sar(0x80000000u, 4), 0xF8000000u);
    is32(sc_sar(0x80000000u, 31), 0xFFFFFFFFu);
    is32(sc_sar(0x80000000u, 32), 0x80000000u);
    is32(sc_sar(0x40000000u, 30), 1);
    is32(sc_not(0xFF00FF00u), 0x00FF00FFu);
}

Test(scalar_edges, bit_instructions_have_their_edge_values) {
    is32(sc_bitcount(0xFFFFFFFFu), 32);
    is32(sc_bitcount(0), 0);
    is32(sc_bitfind(0), 0xFFFFFFFFu);
    is32(sc_bitfind(1), 31);
    is32(sc_bitfind(0x80000000u), 0);
    is32(sc_bitfind(0xFFFFFFFFu), 0);
    is32(sc_bitfind(0x7FFFFFFFu), 1);
    is32(sc_bitfind(0x00010000u), 15);
    is32(sc_bitrev(1), 0x80000000u);
    is32(sc_bitrev(0x12345678u), 0x1E6A2C48u);
    is32(sc_bfe(0xABCD1234u, 8, 8), 0x12);
    is32(sc_bfe(0xABCD1234u, 8, 0), 0);
    is32(sc_bfe(0xABCD1234u, 0, 32), 0); // a width of 32 is a width of 0
    is32(sc_bfe(0xF0000000u, 28, 31), 0xF);
    is32(sc_bfi(0xAAAAAAAAu, 0xFF, 8, 8), 0xAAAAFFAAu);
    is32(sc_bfi(0xAAAAAAAAu, 0xFF, 8, 0), 0xAAAAAAAAu);
    is32(sc_bfi(0xAAAAAAAAu, 0xFF, 8, 32), 0xAAAAAAAAu);
    is32(sc_bfi(0, 0xFFFFFFFFu, 28, 16), 0xF0000000u); // the mask is cut off at bit 31
}

Test(scalar_edges, nan_results_are_canonical) {
    const uint32_t nans[] = {QNAN, SNAN, ODD_NAN, 0xFF800001u, 0x7FFFFFFFu};
    for (size_t i = 0; i < sizeof nans / sizeof nans[0]; i++) {
        uint32_t n = nans[i];
        is32(sc_fadd(n, ONE), QNAN);
        is32(sc_fsub(ONE, n), QNAN);
        is32(sc_fmul(n, n), QNAN);
        is32(sc_fdiv(n, ONE), QNAN);
        is32(sc_fma(ONE, ONE, n), QNAN);
        is32(sc_fma(n, ZERO, ONE), QNAN);
        is32(sc_fsqrt(n), QNAN);
        is32(sc_frsqrt(n), QNAN);
        is32(sc_frcp(n), QNAN);
        is32(sc_ffloor(n), QNAN);
        is32(sc_fceil(n), QNAN);
        is32(sc_fround(n), QNAN);
        is32(sc_ftrunc(n), QNAN);
        is32(sc_ffract(n), QNAN);
        is32(sc_fmin(n, QNAN), QNAN);
        is32(sc_fmax(ODD_NAN, n), QNAN);
        is32(sc_cvt_f16_f32(n), 0x7E00);
        is32(sc_cvt_bf16_f32(n), 0x7FC0);
        is64(sc_cvt_f64_f32(n), UINT64_C(0x7FF8000000000000));
    }
    is32(sc_fadd(INF, MINUS_INF), QNAN);
    is32(sc_fmul(INF, ZERO), QNAN);
    is32(sc_cvt_f32_f64(UINT64_C(0xFFF0000000000001)), QNAN);
    is64(sc_dadd(UINT64_C(0xFFF8000000000001), 0), UINT64_C(0x7FF8000000000000));
    is64(sc_dsqrt(UINT64_C(0xBFF0000000000000)), UINT64_C(0x7FF8000000000000));
    is32(sc_hadd(0xFE01, 0x3C00), 0x7E00);
    is32(sc_hmul2(0x7C01FE00u, 0x3C003C00u), 0x7E007E00u);
    is32(sc_badd(0xFF81, 0x3F80), 0x7FC0);
    is32(sc_bmul2(0x7F800000u, 0x00003F80u), 0x7FC00000u); // inf * 0 and 0 * 1
}

Test(scalar_edges, float_arithmetic_has_its_edge_values) {
    is32(sc_fdiv(ONE, ZERO), INF);
    is32(sc_fdiv(ONE, MINUS_ZERO), MINUS_INF);
    is32(sc_fdiv(MINUS_1F, ZERO), MINUS_INF);
    is32(sc_fdiv(ZERO, ZERO), QNAN);
    is32(sc_fdiv(ONE, 0x40400000u), 0x3EAAAAABu);         // 1/3
    is32(sc_fmul(0x00800000u, 0x3F000000u), 0x00400000u); // subnormal results are kept
    is32(sc_fadd(TINY, TINY), 0x00000002u);               // and subnormal operands too
    is32(sc_fadd(MAX_F32, MAX_F32), INF);
    is32(sc_fadd(ONE, 0x33800000u), ONE); // 1 + 2^-24 ties to even
    is32(sc_fadd(ONE, 0x33800001u), 0x3F800001u);
    is32(sc_fsub(ONE, ONE), ZERO);
    is32(sc_fadd(MINUS_ZERO, MINUS_ZERO), MINUS_ZERO);
    // (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24, which a rounded product would lose
    is32(sc_fma(0x3F800800u, 0x3F800800u, 0xBF801000u), 0x33800000u);
}

Test(scalar_edges, sign_operations_keep_nan_payloads) {
    is32(sc_fneg(SNAN), 0xFF800001u);
    is32(sc_fneg(ODD_NAN), 0x7FC12345u);
    is32(sc_fabs(ODD_NAN), 0x7FC12345u);
    is32(sc_fneg(ZERO), MINUS_ZERO);
    is32(sc_fabs(MINUS_ZERO), ZERO);
}

Test(scalar_edges, min_max_and_clamp_order_zeros_and_ignore_nans) {
    is32(sc_fmin(MINUS_ZERO, ZERO), MINUS_ZERO);
    is32(sc_fmin(ZERO, MINUS_ZERO), MINUS_ZERO);
    is32(sc_fmax(MINUS_ZERO, ZERO), ZERO);
    is32(sc_fmax(ZERO, MINUS_ZERO), ZERO);
    is32(sc_fmin(QNAN, ONE), ONE);
    is32(sc_fmin(ONE, QNAN), ONE);
    is32(sc_fmin(SNAN, ONE), ONE); // a signalling NaN counts as a quiet one
    is32(sc_fmax(ONE, SNAN), ONE);
    is32(sc_fmin(MINUS_INF, QNAN), MINUS_INF);
    is32(sc_fclamp(QNAN, ZERO, ONE), ZERO); // NaN x yields lo
    is32(sc_fclamp(0x40000000u, ZERO, ONE), ONE);
    is32(sc_fclamp(0x3F000000u, ONE, ZERO), ZERO); // lo > hi yields hi
    is32(sc_fclamp(0x40000000u, QNAN, ONE), ONE);  // a NaN is not a bound
    is32(sc_fclamp(0x40000000u, ZERO, QNAN), 0x40000000u);
}

Test(scalar_edges, roots_and_reciprocals_have_their_edge_values) {
    is32(sc_fsqrt(0x41800000u), 0x40800000u); // sqrt 16
    is32(sc_fsqrt(MINUS_ZERO), MINUS_ZERO);
    is32(sc_fsqrt(MINUS_1F), QNAN);
    is32(sc_fsqrt(INF), INF);
    is32(sc_frsqrt(ZERO), INF);
    is32(sc_frsqrt(MINUS_ZERO), MINUS_INF);
    is32(sc_frsqrt(MINUS_1F), QNAN);
    is32(sc_frsqrt(INF), ZERO);
    is32(sc_frsqrt(0x40800000u), 0x3F000000u);
    // The square root is rounded before it is inverted: the nearest f32 to 1/sqrt(6) is 3ED105EC.
    is32(sc_fsqrt(0x40C00000u), 0x401CC471u);
    is32(sc_frsqrt(0x40C00000u), 0x3ED105EBu);
    is32(sc_frcp(ZERO), INF);
    is32(sc_frcp(MINUS_ZERO), MINUS_INF);
    is32(sc_frcp(INF), ZERO);
    is32(sc_frcp(0x40400000u), 0x3EAAAAABu);
}

Test(scalar_edges, roundings_have_their_edge_values) {
    is32(sc_fceil(0xBF000000u), MINUS_ZERO);  // -0.5
    is32(sc_fround(0xBF000000u), MINUS_ZERO); // tie to even: -0
    is32(sc_ftrunc(0xBF000000u), MINUS_ZERO);
    is32(sc_ffloor(0xBF000000u), MINUS_1F);
    is32(sc_ffloor(MINUS_ZERO), MINUS_ZERO);
    is32(sc_fceil(MINUS_ZERO), MINUS_ZERO);
    is32(sc_fround(0x40200000u), 0x40000000u); // 2.5 -> 2
    is32(sc_fround(0x40600000u), 0x40800000u); // 3.5 -> 4
    is32(sc_fround(0x3EFFFFFFu), ZERO);        // just below 0.5
    is32(sc_fround(0x3F000001u), ONE);         // just above
    is32(sc_fround(0x4AFFFFFFu), 0x4B000000u); // 8388607.5
    is32(sc_fround(0x4B000001u), 0x4B000001u); // integers stay
    is32(sc_ffloor(MINUS_INF), MINUS_INF);
    is32(sc_fceil(INF), INF);
    is32(sc_ffloor(0x807FFFFFu), MINUS_1F); // a negative subnormal
    is32(sc_fceil(TINY), ONE);
    is32(sc_ffloor(0xCF000001u), 0xCF000001u); // below -2^31
}

Test(scalar_edges, fractions_and_saturation_have_their_edge_values) {
    is32(sc_ffract(0xBFA00000u), 0x3F400000u); // -1.25 -> 0.75
    is32(sc_ffract(0x3FA00000u), 0x3E800000u); // 1.25 -> 0.25
    is32(sc_ffract(MINUS_ZERO), ZERO);
    is32(sc_ffract(0x80000001u), 0x3F7FFFFFu); // would round to 1.0
    is32(sc_ffract(0xB3000000u), 0x3F7FFFFFu); // -2^-25: a tie that would round to 1.0
    is32(sc_ffract(INF), QNAN);
    is32(sc_ffract(MINUS_INF), QNAN);
    is32(sc_ffract(0xC0000000u), ZERO);
    is32(sc_fsat(QNAN), ZERO);
    is32(sc_fsat(MINUS_ZERO), ZERO);
    is32(sc_fsat(MINUS_INF), ZERO);
    is32(sc_fsat(INF), ONE);
    is32(sc_fsat(0x3F800001u), ONE);
    is32(sc_fsat(0x3F000000u), 0x3F000000u);
    is32(sc_fsat(TINY), TINY);
}

Test(scalar_edges, f16_arithmetic_has_its_edge_values) {
    is32(sc_hadd(0xFFFF3C00u, 0x12343C00u), 0x4000); // upper halves ignored, result zero-extended
    is32(sc_hadd(0x7BFF, 0x4C00), 0x7C00);           // 65504 + 16: a tie, even is infinity
    is32(sc_hadd(0x7BFF, 0x4BFF), 0x7BFF);
    is32(sc_hmul(0x7BFF, 0x4000), 0x7C00);
    is32(sc_hsub(0x3C00, 0x3C00), 0);
    is32(sc_hmul(0x0001, 0x3800), 0); // 2^-25 ties to even
    is32(sc_hmul(0x0003, 0x3800), 0x0002);
    is32(sc_hadd2(0x3C007C00u, 0x3C00FC00u), 0x40007E00u);
    // 1.0009765625 * 0.00390243530273... is 2^-8 (1 - 2^-20); with 9 (even) and 9.0078125 (odd) as
    // addends the exact sum is just below half way: a single rounding goes down in both cases.
    is32(sc_hma(0x3C01, 0x1BFE, 0x4880), 0x4880);
    is32(sc_hma(0x3C01, 0x1BFE, 0x4881), 0x4881);
    is32(sc_hma(0x7C00, 0x3C00, 0xFC00), 0x7E00);
    is32(sc_hma(0x7BFF, 0x7BFF, 0xFC00), 0xFC00);
    is32(sc_hma2(0x40003C00u, 0x40003C00u, 0x3C000000u), 0x45003C00u);
    is32(sc_cvt_f32_f16(0xABCD3C00u), ONE);
    is32(sc_cvt_f32_f16(0x0001), 0x33800000u); // 2^-24
    is32(sc_cvt_f32_f16(0x7C00), INF);
    is32(sc_cvt_f32_f16(0xFC01), QNAN);
    is32(sc_cvt_f16_f32(0x477FF000u), 0x7C00); // 65520 rounds to infinity
    is32(sc_cvt_f16_f32(0x477FEFFFu), 0x7BFF);
    is32(sc_cvt_f16_f32(MINUS_ZERO), 0x8000);
    is32(sc_cvt_f16_f32(0x33000000u), 0); // 2^-25 ties to even
    is32(sc_cvt_f16_f32(0x33000001u), 1);
}

Test(scalar_edges, brain_float_truncates) {
    is32(sc_badd(0x3F80, 0x3B80), 0x3F80); // 1 + 2^-8: half an ulp, truncated
    is32(sc_badd(0x3F81, 0x3B80), 0x3F81); // also where nearest-even would go up
    is32(sc_bmul(0xBF81, 0x3F81), 0xBF82); // toward zero for negative results too
    is32(sc_bsub(0x3F80, 0x3F80), 0);
    is32(sc_bma(0x3F80, 0x3F80, 0x3F80), 0x4000);
    is32(sc_badd2(0x3F803F80u, 0x3F80BF80u), 0x40000000u);
    is32(sc_bma2(0x3F804000u, 0x3F804000u, 0x3F803F80u), 0x400040A0u);
    is32(sc_cvt_f32_bf16(0x12347F81u), 0x7F810000u); // a bit copy, even of a signalling NaN
    is32(sc_cvt_bf16_f32(0x3FFFFFFFu), 0x3FFF);
    is32(sc_cvt_bf16_f32(SNAN), 0x7FC0); // truncation alone would make infinity of it
    is32(sc_cvt_bf16_f32(MINUS_INF), 0xFF80);
}

Test(scalar_edges, f64_arithmetic_has_its_edge_values) {
    is64(sc_dadd(UINT64_C(0x4000000000000000), UINT64_C(0x4008000000000000)),
         UINT64_C(0x4014000000000000)); // 2 + 3
    is64(sc_ddiv(UINT64_C(0xBFF0000000000000), 0), UINT64_C(0xFFF0000000000000));
    is64(sc_dsqrt(UINT64_C(0x8000000000000000)), UINT64_C(0x8000000000000000));
    is64(sc_dmul(1, UINT64_C(0x3FE0000000000000)), 0); // half the smallest subnormal
    is64(sc_dsub(UINT64_C(0x3FF0000000000000), UINT64_C(0x3FF0000000000000)), 0);
    // (1 + 2^-30)^2 - (1 + 2^-29) = 2^-60
    is64(sc_dma(UINT64_C(0x3FF0000000400000), UINT64_C(0x3FF0000000400000),
                UINT64_C(0xBFF0000000800000)),
         UINT64_C(0x3C30000000000000));
    is32(sc_cvt_f32_f64(UINT64_C(0x3FF0000010000000)), ONE); // 1 + 2^-24 ties to even
    is32(sc_cvt_f32_f64(UINT64_C(0x3FF0000010000001)), 0x3F800001u);
    is32(sc_cvt_f32_f64(UINT64_C(0x47EFFFFFF0000000)), INF);
    is64(sc_cvt_f64_f32(TINY), UINT64_C(0x36A0000000000000)); // 2^-149
}

Test(scalar_edges, integer_conversions_saturate) {
    is32(sc_cvt_f32_i32(42), 0x42280000u);
    is32(sc_cvt_f32_i32(0xFFFFFFFFu), MINUS_1F);
    is32(sc_cvt_f32_u32(0xFFFFFFFFu), 0x4F800000u);
    is32(sc_cvt_f32_i32(16777217), 0x4B800000u); // ties to even
    is32(sc_cvt_f32_i32(INT_MIN32), 0xCF000000u);
    is32(sc_cvt_i32_f32(0x42293333u), 42); // 42.3
    is32(sc_cvt_i32_f32(QNAN), 0);
    is32(sc_cvt_i32_f32(INF), 0x7FFFFFFFu);
    is32(sc_cvt_i32_f32(MINUS_INF), 0x80000000u);
    is32(sc_cvt_i32_f32(0x4F000000u), 0x7FFFFFFFu); // 2^31
    is32(sc_cvt_i32_f32(0xCF000000u), 0x80000000u); // -2^31 is in range
    is32(sc_cvt_i32_f32(0xBFFFFFFFu), 0xFFFFFFFFu); // -1.99 truncates
    is32(sc_cvt_u32_f32(QNAN), 0);
    is32(sc_cvt_u32_f32(MINUS_1F), 0);
    is32(sc_cvt_u32_f32(0xBF7FFFFFu), 0);
    is32(sc_cvt_u32_f32(0x4F000000u), 0x80000000u);
    is32(sc_cvt_u32_f32(0x4F7FFFFFu), 0xFFFFFF00u);
    is32(sc_cvt_u32_f32(0x4F800000u), 0xFFFFFFFFu);
    is32(sc_cvt_u32_f32(INF), 0xFFFFFFFFu);
    is32(sc_cvt_u32_f32(ODD_NAN), 0);
}

Test(scalar_edges, compares_order_signs_zeros_and_nans) {
    cr_assert(sc_icmp_lt(MINUS_ONE, 0) && !sc_ucmp_lt(MINUS_ONE, 0));
    cr_assert(sc_icmp_gt(0, INT_MIN32) && !sc_ucmp_gt(0, INT_MIN32));
    cr_assert(sc_fcmp_eq(MINUS_ZERO, ZERO) && !sc_fcmp_ne(ZERO, MINUS_ZERO));
    cr_assert(!sc_fcmp_lt(MINUS_ZERO, ZERO) && sc_fcmp_ge(MINUS_ZERO, ZERO));
    cr_assert(!sc_fcmp_eq(QNAN, QNAN) && sc_fcmp_ne(QNAN, QNAN));
    cr_assert(sc_fcmp_ne(ONE, SNAN));
    cr_assert(!sc_fcmp_lt(QNAN, ONE) && !sc_fcmp_le(QNAN, ONE));
    cr_assert(!sc_fcmp_gt(ONE, QNAN) && !sc_fcmp_ge(ONE, QNAN));
    cr_assert(sc_fcmp_unord(SNAN, ONE) && !sc_fcmp_ord(ONE, ODD_NAN));
    cr_assert(sc_fcmp_ord(INF, MINUS_INF) && !sc_fcmp_unord(ZERO, ONE));
    cr_assert(sc_fcmp_lt(MINUS_INF, MAX_F32) && sc_fcmp_lt(ZERO, TINY));
    is32(sc_select(true, 100, 200), 100);
    is32(sc_select(false, 100, 200), 200);
}
