// AMD's matrix instructions on lanes of the CPU. The positions of the elements follow the equations
// of AMD's Matrix Instruction Calculator, independently of the emitter's table: a lane l holds row
// (of A) or column (of B) l % 16, and N elements of K from l / 16 * N on; a wave of 32 holds all of
// K in each half. Floats are summed by simt::dot, integers wrap.
#ifndef SIMT_HIP_MATRIX_H
#define SIMT_HIP_MATRIX_H

namespace simt {

enum matrix_element { MATRIX_F16, MATRIX_BF16, MATRIX_I8, MATRIX_U8 };

// The registers of a factor in all lanes.
template <unsigned Words> struct matrix_factor {
    uint32_t words[Words][64];
    uint32_t bits(unsigned lane, unsigned element, unsigned bytes) const {
        const unsigned at = element * bytes;
        return words[at / 4][lane] >> (8 * (at % 4)) & (bytes == 2 ? 0xFFFFu : 0xFFu);
    }
};

template <class T>
inline matrix_factor<sizeof(T) / 4> matrix_gather(unsigned site, const char *kind, const T &part) {
    struct raw { uint32_t w[sizeof(T) / 4]; };
    const raw own = bits<raw>(part);
    matrix_factor<sizeof(T) / 4> all;
    for (unsigned w = 0; w < sizeof(T) / 4; w++) {
        const gathered g = gather(site, kind, own.w[w]);
        for (unsigned lane = 0; lane < g.width; lane++) {
            if (!g.has(lane))
                simt_fail(SIMT_UNDEFINED, "a matrix instruction in a wave that is not full");
            all.words[w][lane] = g.values[lane];
        }
    }
    return all;
}

inline int32_t matrix_integer(matrix_element element, uint32_t word) {
    return element == MATRIX_I8 ? int32_t(int8_t(word)) : int32_t(word);
}

template <matrix_element Element, unsigned LaneRows, unsigned RegisterRows, class F, class S>
inline S matrix_product(unsigned site, const char *kind, const F &a, const F &b, S c) {
    constexpr unsigned bytes = Element == MATRIX_F16 || Element == MATRIX_BF16 ? 2 : 1;
    constexpr unsigned each = sizeof(F) / bytes, registers = sizeof(S) / 4;
    const auto all_a = matrix_gather(site, kind, a), all_b = matrix_gather(site, kind, b);
    const unsigned lane = simt_self->lane, column = lane % 16;
    constexpr unsigned depth = each == 16 ? 16 : each * 4; // four groups of lanes; or each group holds all of K
    if (simt_info.width != (each == 16 ? 32u : 64u))
        simt_fail(SIMT_UNDEFINED, "a matrix instruction of another wave width");
    for (unsigned r = 0; r < registers; r++) {
        const unsigned row = lane / 16 * LaneRows + r * RegisterRows;
        uint16_t x[depth], y[depth];
        for (unsigned k = 0; k < depth; k++) {
            x[k] = uint16_t(all_a.bits(row + 16 * (k / each), k % each, bytes));
            y[k] = uint16_t(all_b.bits(column + 16 * (k / each), k % each, bytes));
        }
        if constexpr (bytes == 2)
            c[r] = dot(Element == MATRIX_BF16, x, y, depth, c[r]);
        for (unsigned k = 0; k < depth && bytes == 1; k++)
            c[r] = int32_t(uint32_t(c[r]) + uint32_t(matrix_integer(Element, x[k]) * matrix_integer(Element, y[k])));
    }
    return c;
}

} // namespace simt

#define SIMT_MFMA(name, element)                                                                                       \
    template <class F, class S> SIMT_INLINE S simt_##name(F a, F b, S c, int, int, int, SIMT_SITE) {                   \
        return simt::matrix_product<simt::element, 4, 1>(simt_site, #name, a, b, c);                                   \
    }
SIMT_MFMA(mfma_f16, MATRIX_F16)
SIMT_MFMA(mfma_bf16, MATRIX_BF16)
SIMT_MFMA(mfma_i8, MATRIX_I8)
#undef SIMT_MFMA
#define __builtin_amdgcn_mfma_f32_16x16x16f16     simt_mfma_f16
#define __builtin_amdgcn_mfma_f32_16x16x16bf16_1k simt_mfma_bf16
#define __builtin_amdgcn_mfma_i32_16x16x16i8      simt_mfma_i8
#define __builtin_amdgcn_mfma_i32_16x16x32_i8     simt_mfma_i8

template <class F, class S> SIMT_INLINE S simt_wmma_f16(F a, F b, S c, SIMT_SITE) {
    return simt::matrix_product<simt::MATRIX_F16, 1, 2>(simt_site, "wmma_f16", a, b, c);
}
template <class F, class S> SIMT_INLINE S simt_wmma_bf16(F a, F b, S c, SIMT_SITE) {
    return simt::matrix_product<simt::MATRIX_BF16, 1, 2>(simt_site, "wmma_bf16", a, b, c);
}
template <class F, class S>
SIMT_INLINE S simt_wmma_iu8(bool sign, F a, bool other, F b, S c, bool clamp, SIMT_SITE) {
    if (sign != other || clamp)
        simt_fail(SIMT_UNDEFINED, "wmma_iu8 in a mode that emitted code never uses");
    return sign ? simt::matrix_product<simt::MATRIX_I8, 1, 2>(simt_site, "wmma_i8", a, b, c)
                : simt::matrix_product<simt::MATRIX_U8, 1, 2>(simt_site, "wmma_u8", a, b, c);
}
#define __builtin_amdgcn_wmma_f32_16x16x16_f16_w32  simt_wmma_f16
#define __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32 simt_wmma_bf16
#define __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32  simt_wmma_iu8

#endif
