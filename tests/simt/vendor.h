// Shared by the host versions of HIP's, Metal's and SYCL's names: places in the text, wave
// collectives, exact arithmetic. C++17 for clang; includes no library header except stdint.h,
// because every unit of kernels includes this.
#ifndef SIMT_VENDOR_H
#define SIMT_VENDOR_H

#include "../simt.h"

#include <stdint.h>

// A default argument is evaluated at the call, so two calls of the same function have different
// sites.
#define SIMT_SITE   unsigned simt_site = __builtin_LINE() * 1024u + __builtin_COLUMN()
#define SIMT_INLINE static inline __attribute__((always_inline))

// Static memory of the kernel being compiled; each kernel has its own section.
#define SIMT_SHARED static __attribute__((section(SIMT_SECTION), used))

namespace simt {

template <class To, class From> SIMT_INLINE To bits(const From &from) {
    static_assert(sizeof(To) == sizeof(From), "sizes differ");
    return __builtin_bit_cast(To, from);
}

// A value of up to 32 bits as a word, and back.
template <unsigned> struct word_of;
template <> struct word_of<1> { using type = uint8_t; };
template <> struct word_of<2> { using type = uint16_t; };
template <> struct word_of<4> { using type = uint32_t; };

template <class T> SIMT_INLINE uint32_t to_word(T value) {
    return bits<typename word_of<sizeof(T)>::type>(value);
}
template <class T> SIMT_INLINE T from_word(uint32_t word) {
    return bits<T>(static_cast<typename word_of<sizeof(T)>::type>(word));
}

// ---- Wave collectives ----

// The values of all lanes, once they have met.
struct gathered {
    const uint32_t *values;
    uint64_t exists;
    uint32_t width, lane;
    bool has(uint32_t source) const {
        return source < width && ((exists >> source) & 1);
    }
};

SIMT_INLINE gathered gather(unsigned site, const char *kind, uint32_t value) {
    const uint32_t *values = simt_exchange(site, kind, value);
    return {values, simt_info.exists, simt_info.width, simt_self->lane};
}

inline uint64_t ballot(unsigned site, const char *kind, bool bit) {
    const gathered g = gather(site, kind, bit);
    uint64_t mask = 0;
    for (uint32_t k = 0; k < g.width; k++)
        if (g.has(k) && g.values[k])
            mask |= uint64_t(1) << k;
    return mask;
}

// An operand that the vendor requires to be the same in every lane.
inline void need_uniform(const gathered &g, const char *kind) {
    for (uint32_t k = 0; k < g.width; k++)
        if (g.has(k) && g.values[k] != g.values[g.lane])
            simt_fail(SIMT_NOT_UNIFORM, kind);
}

// Folds the values of the existing lanes before `end`.
template <class Fold>
inline uint32_t fold(const gathered &g, uint32_t start, uint32_t end, Fold f) {
    uint32_t sum = start;
    for (uint32_t k = 0; k < end; k++)
        if (g.has(k))
            sum = f(sum, g.values[k]);
    return sum;
}

// ---- Integers ----

SIMT_INLINE uint32_t reverse(uint32_t x) {
    return __builtin_bitreverse32(x);
}
SIMT_INLINE uint32_t leading_zeros(uint32_t x) {
    return x ? uint32_t(__builtin_clz(x)) : 32;
}
SIMT_INLINE uint32_t trailing_zeros(uint32_t x) {
    return x ? uint32_t(__builtin_ctz(x)) : 32;
}
SIMT_INLINE uint32_t high_product(uint32_t a, uint32_t b) {
    return uint32_t((uint64_t(a) * b) >> 32);
}
SIMT_INLINE uint64_t high_product(uint64_t a, uint64_t b) {
    return uint64_t((static_cast<unsigned __int128>(a) * b) >> 64);
}

// ---- Floats ----

// One rounding: the product of two halves is exact in double; TwoSum (Knuth) gives the error of the
// sum, and a sum that is not exact is rounded to odd, so that a second rounding to far fewer bits
// is correct (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums").
inline _Float16 fma_half(_Float16 a, _Float16 b, _Float16 c) {
    const double product = double(a) * double(b), addend = double(c);
    const double sum = product + addend;
    const double part = sum - product;
    const double error = (product - (sum - part)) + (addend - part);
    uint64_t word = bits<uint64_t>(sum);
    const bool finite = (word & 0x7FF0000000000000u) != 0x7FF0000000000000u;
    if (finite && error != 0 && !(word & 1))
        word += (error > 0) == (sum > 0) ? 1 : uint64_t(-1);
    return _Float16(bits<double>(word));
}

template <class T> SIMT_INLINE bool is_nan(T x) {
    return x != x;
}
// minNum and maxNum, with -0 below +0.
template <class T> inline T minimum(T a, T b) {
    if (a == b)
        return __builtin_signbit(double(a)) ? a : b;
    return is_nan(b) || a < b ? a : b;
}
template <class T> inline T maximum(T a, T b) {
    if (a == b)
        return __builtin_signbit(double(a)) ? b : a;
    return is_nan(b) || a > b ? a : b;
}

// One element of a product of matrices of f16 or bf16: a row of A, a column of B, and the sum so
// far.
inline float dot(bool bf16, const uint16_t *a, const uint16_t *b, uint32_t count, float sum) {
    if (simt_info.dot)
        return bits<float>(simt_info.dot(bf16, a, b, count, bits<uint32_t>(sum)));
    for (uint32_t k = 0; k < count; k++) {
        const float x = bf16 ? bits<float>(uint32_t(a[k]) << 16) : float(bits<_Float16>(a[k]));
        const float y = bf16 ? bits<float>(uint32_t(b[k]) << 16) : float(bits<_Float16>(b[k]));
        sum = __builtin_fmaf(x, y, sum);
    }
    return sum;
}

// ---- Calling a kernel ----

// Bytes of the argument structure among the parameters; the vendor's header says how it is passed.
template <class T> struct argument_size;
template <class... A> constexpr size_t argument_bytes(void (*)(A...)) {
    return (size_t(0) + ... + argument_size<A>::value);
}

} // namespace simt

#endif
