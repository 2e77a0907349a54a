// Host versions of the HIP names that emitted code uses, with the semantics of AMD's hardware.
// See docs/inside/testing-simt.md.
#ifndef SIMT_HIP_RUNTIME_H
#define SIMT_HIP_RUNTIME_H

#include "../../vendor.h"
#include "../../fast.h"

// A hint does not affect results, and clang 19 crashes on some hints, such as one for a byte that
// is loaded and stored as a word. These are functions because a value may contain commas in braces.
#define __builtin_nontemporal_load  simt_hinted_load
#define __builtin_nontemporal_store simt_hinted_store
template <class T> SIMT_INLINE T simt_hinted_load(const T *from) {
    return *from;
}
template <class V, class T> SIMT_INLINE void simt_hinted_store(V value, T *to) {
    *to = (T)value;
}

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__      inline
#define __launch_bounds__(...)
#define __shared__ SIMT_SHARED
// `static … alignas(16) T x` is not C++; the attribute is allowed anywhere.
#define alignas(n) __attribute__((aligned(n)))

// ---- Positions and sizes ----

struct simt_dim {
    uint32_t x, y, z;
};
SIMT_INLINE simt_dim simt_dim_of(const uint32_t *v) {
    return {v[0], v[1], v[2]};
}
#define threadIdx simt_dim_of(simt_self->position)
#define blockIdx  simt_dim_of(simt_info.workgroup)
#define blockDim  simt_dim_of(simt_info.group)
#define gridDim   simt_dim_of(simt_info.grid)
#define warpSize  int(simt_info.width)

SIMT_INLINE uint32_t __lane_id() {
    return simt_self->lane;
}

// ---- Barriers, fences ----

SIMT_INLINE void __syncthreads(SIMT_SITE) {
    simt_barrier(simt_site, SIMT_SCOPE_GROUP, SIMT_ALL_MEMORY);
}
SIMT_INLINE bool simt_same_text(const char *a, const char *b) {
    return __builtin_strcmp(a, b) == 0;
}
inline void simt_amdgcn_fence(int order, const char *scope) {
    const unsigned orders = order == __ATOMIC_ACQUIRE   ? SIMT_ACQUIRE
                            : order == __ATOMIC_RELEASE ? SIMT_RELEASE
                            : order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST
                                ? SIMT_ACQUIRE | SIMT_RELEASE
                                : 0u;
    const bool wide = simt_same_text(scope, "") || simt_same_text(scope, "agent");
    const bool group = simt_same_text(scope, "workgroup"), wave = simt_same_text(scope, "wavefront");
    if (!orders || !(wide || group || wave))
        simt_fail(SIMT_UNDEFINED, "no such fence");
    simt_fence(wide ? SIMT_SCOPE_DEVICE : group ? SIMT_SCOPE_GROUP : SIMT_SCOPE_WAVE, orders,
               SIMT_ALL_MEMORY);
}
#define __builtin_amdgcn_fence simt_amdgcn_fence
SIMT_INLINE void __threadfence() {
    simt_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}
SIMT_INLINE void __threadfence_block() {
    simt_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}
SIMT_INLINE void __threadfence_system() {
    simt_amdgcn_fence(__ATOMIC_SEQ_CST, "");
}
#define __builtin_amdgcn_sched_barrier(mask) static_assert((mask) == 0, "nothing may move over it")
// A barrier that does not order memory.
SIMT_INLINE void simt_s_barrier(SIMT_SITE) {
    simt_barrier(simt_site, SIMT_SCOPE_GROUP, 0);
}
#define __builtin_amdgcn_s_barrier simt_s_barrier
// The lanes of a wave execute it together, as they do the fence before it. Only this machine
// executes their fences one after the other, so all lanes acquire after they have met. It does not
// release; the fence does.
SIMT_INLINE void simt_amdgcn_wave_barrier(SIMT_SITE) {
    simt_wave_barrier(simt_site, "wave_barrier", SIMT_SCOPE_WAVE, SIMT_ACQUIRE, SIMT_ALL_MEMORY);
}
#define __builtin_amdgcn_wave_barrier simt_amdgcn_wave_barrier
#define __builtin_amdgcn_s_sleep(n)     simt_pause()

// ---- Votes ----

SIMT_INLINE uint64_t __ballot(int predicate, SIMT_SITE) {
    return simt::ballot(simt_site, "ballot", predicate != 0);
}
SIMT_INLINE int __any(int predicate, SIMT_SITE) {
    return simt::ballot(simt_site, "any", predicate != 0) != 0;
}
SIMT_INLINE int __all(int predicate, SIMT_SITE) {
    return simt::ballot(simt_site, "all", predicate != 0) == simt_info.exists;
}
SIMT_INLINE uint64_t simt_ballot_w64(bool predicate, SIMT_SITE) {
    return simt::ballot(simt_site, "ballot_w64", predicate);
}
SIMT_INLINE uint32_t simt_ballot_w32(bool predicate, SIMT_SITE) {
    if (simt_info.width != 32)
        simt_fail(SIMT_UNDEFINED, "ballot_w32 in a wave of 64");
    return uint32_t(simt::ballot(simt_site, "ballot_w32", predicate));
}
#define __builtin_amdgcn_ballot_w64 simt_ballot_w64
#define __builtin_amdgcn_ballot_w32 simt_ballot_w32

// Bits of the mask below this lane, counted onto a sum.
SIMT_INLINE uint32_t simt_mbcnt_lo(uint32_t mask, uint32_t sum) {
    const uint32_t lane = simt_self->lane;
    return sum + uint32_t(__builtin_popcount(lane < 32 ? mask & ((1u << lane) - 1) : mask));
}
SIMT_INLINE uint32_t simt_mbcnt_hi(uint32_t mask, uint32_t sum) {
    const uint32_t lane = simt_self->lane;
    return sum + uint32_t(lane < 32 ? 0 : __builtin_popcount(mask & ((1u << (lane - 32)) - 1)));
}
#define __builtin_amdgcn_mbcnt_lo simt_mbcnt_lo
#define __builtin_amdgcn_mbcnt_hi simt_mbcnt_hi

// ---- Matrices ----

#include "matrix.h"

// ---- Values of other lanes ----

// Bits 7:2 of the address are the lane, modulo the wave. A lane that does not exist yields 0.
SIMT_INLINE int simt_bpermute(int address, int value, SIMT_SITE) {
    const simt::gathered g = simt::gather(simt_site, "ds_bpermute", uint32_t(value));
    const uint32_t source = ((uint32_t(address) >> 2) & 63) % g.width;
    return g.has(source) ? int(g.values[source]) : 0;
}
#define __builtin_amdgcn_ds_bpermute simt_bpermute

// The lane's number is a scalar register. A lane that does not exist holds garbage.
inline int simt_readlane(int value, int lane, SIMT_SITE) {
    const simt::gathered lanes = simt::gather(simt_site, "readlane's lane", uint32_t(lane));
    simt::need_uniform(lanes, "readlane of different lanes");
    const simt::gathered g = simt::gather(simt_site, "readlane", uint32_t(value));
    const uint32_t source = uint32_t(lane) % g.width;
    return int(g.has(source) ? g.values[source] : simt_garbage());
}
SIMT_INLINE int simt_readfirstlane(int value, SIMT_SITE) {
    const simt::gathered g = simt::gather(simt_site, "readfirstlane", uint32_t(value));
    return int(g.values[__builtin_ctzll(g.exists)]);
}
#define __builtin_amdgcn_readlane      simt_readlane
#define __builtin_amdgcn_readfirstlane simt_readfirstlane

// Bit 15 set: four lanes, two bits for each. Else in 32 lanes: and, or, xor with five bits each.
inline int simt_swizzle(int value, int pattern, SIMT_SITE) {
    const simt::gathered g = simt::gather(simt_site, "ds_swizzle", uint32_t(value));
    const uint32_t p = uint32_t(pattern);
    uint32_t source;
    if (p & 0x8000u) {
        if (p >> 8 != 0x80u)
            simt_fail(SIMT_UNDEFINED, "this mode of ds_swizzle is not on every chip");
        source = (g.lane & ~3u) | ((p >> (2 * (g.lane & 3))) & 3);
    } else {
        source = (((g.lane & 31 & p) | ((p >> 5) & 31)) ^ ((p >> 10) & 31)) | (g.lane & 32);
    }
    return g.has(source) ? int(g.values[source]) : 0;
}
#define __builtin_amdgcn_ds_swizzle simt_swizzle

enum { SIMT_NO_LANE = 256 };

// The lane that a DPP control reads, or SIMT_NO_LANE. A row is 16 lanes.
inline uint32_t simt_dpp_source(uint32_t control, uint32_t lane) {
    const uint32_t row = lane & ~15u, in = lane & 15, n = control & 15;
    if (control <= 0xFF) // quad_perm
        return (lane & ~3u) | ((control >> (2 * (lane & 3))) & 3);
    if (control >= 0x101 && control <= 0x10F) // row_shl: from higher lanes
        return in + n < 16 ? lane + n : SIMT_NO_LANE;
    if (control >= 0x111 && control <= 0x11F) // row_shr
        return in >= n ? lane - n : SIMT_NO_LANE;
    if (control >= 0x121 && control <= 0x12F) // row_ror
        return row | ((in + 16 - n) & 15);
    if (control == 0x140) // row_mirror
        return row | (15 - in);
    if (control == 0x141) // row_half_mirror
        return (lane & ~7u) | (7 - (lane & 7));
    if (control == 0x138 && simt_info.gfx == 9) // wave_shr 1
        return lane ? lane - 1 : SIMT_NO_LANE;
    if (control == 0x142 && simt_info.gfx == 9) // row_bcast15: into the next row
        return lane >= 16 ? row - 1 : SIMT_NO_LANE;
    if (control == 0x143 && simt_info.gfx == 9) // row_bcast31
        return lane >= 32 ? 31 : SIMT_NO_LANE;
    if (control >= 0x150 && control <= 0x15F && simt_info.gfx >= 10) // row_share
        return row | n;
    if (control >= 0x160 && control <= 0x16F && simt_info.gfx >= 10) // row_xmask
        return row | (in ^ n);
    simt_fail(SIMT_UNDEFINED, "this chip has no such DPP control");
}

// Lanes outside the masks, and those without a source unless bound_ctrl says 0, keep `old`.
inline int simt_update_dpp(int old, int value, int control, int row_mask, int bank_mask,
                           bool bound_control, SIMT_SITE) {
    const simt::gathered g = simt::gather(simt_site, "dpp", uint32_t(value));
    if (!((row_mask >> (g.lane / 16)) & 1) || !((bank_mask >> ((g.lane / 4) & 3)) & 1))
        return old;
    const uint32_t source = simt_dpp_source(uint32_t(control), g.lane);
    if (g.has(source))
        return int(g.values[source]);
    return bound_control ? 0 : old;
}
#define __builtin_amdgcn_update_dpp simt_update_dpp
#define __builtin_amdgcn_mov_dpp(value, control, row_mask, bank_mask, bound_control)               \
    simt_update_dpp(int(simt_garbage()), value, control, row_mask, bank_mask, bound_control)

// gfx10: from the other row of the same 32 lanes, the lane that the selectors name, four bits each.
// Without fetch_inactive a lane that does not exist yields 0 or `old`, depending on bound_ctrl.
inline uint32_t simt_permlanex16(uint32_t old, uint32_t value, uint32_t low, uint32_t high,
                                 bool fetch_inactive, bool bound_control, SIMT_SITE) {
    if (simt_info.gfx < 10 || fetch_inactive)
        simt_fail(SIMT_UNDEFINED, "permlanex16 needs gfx10, and lanes that exist");
    const simt::gathered g = simt::gather(simt_site, "permlanex16", value);
    const uint32_t select = g.lane & 8 ? high : low;
    const uint32_t source = ((g.lane & ~15u) ^ 16u) | ((select >> (4 * (g.lane & 7))) & 15);
    if (g.has(source))
        return g.values[source];
    return bound_control ? 0 : old;
}
#define __builtin_amdgcn_permlanex16 simt_permlanex16

// ---- Atomics: nothing runs between simt_atomic and the operation ----

#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT    2
#define __HIP_MEMORY_SCOPE_WORKGROUP    3
#define __HIP_MEMORY_SCOPE_AGENT        4
#define __HIP_MEMORY_SCOPE_SYSTEM       5
// Operands are evaluated first: they may load.
#define SIMT_HIP_ATOMIC(p, ...)                                                                    \
    ({                                                                                             \
        auto simt_at = (p);                                                                        \
        simt_atomic(simt_at, sizeof *simt_at);                                                     \
        __VA_ARGS__;                                                                               \
    })
#define SIMT_HIP_UPDATE(builtin, p, v)                                                             \
    ({                                                                                             \
        auto simt_value = (v);                                                                     \
        SIMT_HIP_ATOMIC(p, builtin(simt_at, simt_value, __ATOMIC_RELAXED));                        \
    })
#define __hip_atomic_load(p, ...)        SIMT_HIP_ATOMIC(p, __atomic_load_n(simt_at, __ATOMIC_RELAXED))
#define __hip_atomic_store(p, v, ...)     SIMT_HIP_UPDATE(__atomic_store_n, p, v)
#define __hip_atomic_exchange(p, v, ...)  SIMT_HIP_UPDATE(__atomic_exchange_n, p, v)
#define __hip_atomic_fetch_add(p, v, ...) SIMT_HIP_UPDATE(__atomic_fetch_add, p, v)
#define __hip_atomic_fetch_min(p, v, ...) SIMT_HIP_UPDATE(__atomic_fetch_min, p, v)
#define __hip_atomic_fetch_max(p, v, ...) SIMT_HIP_UPDATE(__atomic_fetch_max, p, v)
#define __hip_atomic_fetch_and(p, v, ...) SIMT_HIP_UPDATE(__atomic_fetch_and, p, v)
#define __hip_atomic_fetch_or(p, v, ...) SIMT_HIP_UPDATE(__atomic_fetch_or, p, v)
#define __hip_atomic_fetch_xor(p, v, ...) SIMT_HIP_UPDATE(__atomic_fetch_xor, p, v)
#define __hip_atomic_compare_exchange_strong(p, expected, desired, ...)                            \
    ({                                                                                             \
        auto simt_expected = (expected);                                                           \
        auto simt_desired = (desired);                                                             \
        SIMT_HIP_ATOMIC(p, __atomic_compare_exchange_n(simt_at, simt_expected, simt_desired,       \
                                                       false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
    })

// ---- Integers ----

SIMT_INLINE int __popc(uint32_t x) {
    return __builtin_popcount(x);
}
SIMT_INLINE int __popcll(uint64_t x) {
    return __builtin_popcountll(x);
}
SIMT_INLINE int __clz(int x) {
    return int(simt::leading_zeros(uint32_t(x)));
}
SIMT_INLINE int __ffs(int x) {
    return __builtin_ffs(x);
}
SIMT_INLINE uint32_t __brev(uint32_t x) {
    return simt::reverse(x);
}
SIMT_INLINE uint32_t __umulhi(uint32_t a, uint32_t b) {
    return simt::high_product(a, b);
}
SIMT_INLINE uint64_t __umul64hi(uint64_t a, uint64_t b) {
    return simt::high_product(a, b);
}
#define SIMT_INTEGER_MIN_MAX(T)                                                                    \
    SIMT_INLINE T min(T a, T b) {                                                                  \
        return a < b ? a : b;                                                                      \
    }                                                                                              \
    SIMT_INLINE T max(T a, T b) {                                                                  \
        return a > b ? a : b;                                                                      \
    }
SIMT_INTEGER_MIN_MAX(int32_t)
SIMT_INTEGER_MIN_MAX(uint32_t)
SIMT_INTEGER_MIN_MAX(int64_t)
SIMT_INTEGER_MIN_MAX(uint64_t)

// ---- Floats ----

SIMT_INLINE float __uint_as_float(uint32_t x) {
    return simt::bits<float>(x);
}
SIMT_INLINE uint32_t __float_as_uint(float x) {
    return simt::bits<uint32_t>(x);
}
SIMT_INLINE float __int_as_float(int x) {
    return simt::bits<float>(x);
}
SIMT_INLINE int __float_as_int(float x) {
    return simt::bits<int>(x);
}
SIMT_INLINE double __longlong_as_double(long long x) {
    return simt::bits<double>(x);
}
SIMT_INLINE long long __double_as_longlong(double x) {
    return simt::bits<long long>(x);
}

// -0 is below +0, which the host's library need not guarantee.
SIMT_INLINE float simt_fminf(float a, float b) {
    return simt::minimum(a, b);
}
SIMT_INLINE float simt_fmaxf(float a, float b) {
    return simt::maximum(a, b);
}
SIMT_INLINE double simt_fmin(double a, double b) {
    return simt::minimum(a, b);
}
SIMT_INLINE double simt_fmax(double a, double b) {
    return simt::maximum(a, b);
}
#define fmin           simt_fmin
#define fmax           simt_fmax
#define fminf          simt_fminf
#define fmaxf          simt_fmaxf
#define __builtin_fminf simt_fminf
#define __builtin_fmaxf simt_fmaxf
#define fmaf   __builtin_fmaf
#define fma    __builtin_fma
#define sqrtf  __builtin_sqrtf
#define sqrt   __builtin_sqrt
#define floorf __builtin_floorf
#define ceilf  __builtin_ceilf
#define rintf  __builtin_rintf
#define truncf __builtin_truncf
#define fabsf  __builtin_fabsf
#define fabs   __builtin_fabs
#define floor  __builtin_floor
#define ceil   __builtin_ceil
#define rint   __builtin_rint
#define trunc  __builtin_trunc
// Hardware instructions. AMD does not document the errors of v_sin and v_cos; their range is 256
// revolutions.
#define exp2f(x)   simt::fast_exp2(x, 1)
#define __log2f(x) simt::fast_log2(x, 0x1p-23, 1)
#define __sinf(x)  simt::fast_wave(__builtin_sin(double(x)), x, 1608, 0x1p-13)
#define __cosf(x)  simt::fast_wave(__builtin_cos(double(x)), x, 1608, 0x1p-13)
#define __builtin_amdgcn_rcpf(x)  simt::fast_reciprocal(x, 1)
#define __builtin_amdgcn_rsqf(x)  simt::fast_rsqrt(x, 1)
#define __builtin_amdgcn_sqrtf(x) simt::fast_sqrt(x, 1)
SIMT_INLINE float simt_fract(float x) {
    const float rest = x - __builtin_floorf(x);
    return rest >= 1 ? 0x1.fffffep-1f : rest;
}
#define __builtin_amdgcn_fractf simt_fract

typedef _Float16 simt_half2 __attribute__((ext_vector_type(2)));
SIMT_INLINE _Float16 simt_fmaf16(_Float16 a, _Float16 b, _Float16 c) {
    return simt::fma_half(a, b, c);
}
SIMT_INLINE simt_half2 simt_fmaf16(simt_half2 a, simt_half2 b, simt_half2 c) {
    return simt_half2{simt::fma_half(a.x, b.x, c.x), simt::fma_half(a.y, b.y, c.y)};
}
SIMT_INLINE float simt_fmaf16(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
#define __builtin_fmaf16          simt_fmaf16
#define __builtin_elementwise_fma simt_fmaf16

#define __builtin_trap() simt_fail(SIMT_TRAP, "the kernel stops itself")
#define __trap()         __builtin_trap()

// ---- Calling a kernel: the type of a parameter determines what is passed ----

namespace simt {
template <class T> struct argument_size {
    static constexpr size_t value = __is_class(T) ? sizeof(T) : 0;
};
template <class T> struct parameter {
    static T from(const simt_params *p) {
        T value;
        static_assert(sizeof(T) % 4 == 0, "argument words");
        __builtin_memcpy(&value, p->args, sizeof value);
        return value;
    }
};
template <> struct parameter<uint8_t *> {
    static uint8_t *from(const simt_params *p) {
        return p->memory;
    }
};
template <> struct parameter<uint64_t> {
    static uint64_t from(const simt_params *p) {
        return p->memory_size;
    }
};
template <> struct parameter<uint32_t *> {
    static uint32_t *from(const simt_params *p) {
        return p->status;
    }
};
template <class... A> inline void call(void (*kernel)(A...), const simt_params *p) {
    kernel(parameter<A>::from(p)...);
}
} // namespace simt

// Last: an endless loop ends with an error, and lanes take turns in any loop.
#define while(...) while (simt_tick() && (__VA_ARGS__))

#endif
