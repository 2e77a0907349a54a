// Host versions of the SYCL names that emitted code uses; see docs/inside/testing-simt.md. A result
// that SYCL leaves undefined is garbage determined by the launch's seed. Functions are overloaded for
// several types, so that an argument of the wrong type is ambiguous and does not compile.
#ifndef SIMT_SYCL_HPP
#define SIMT_SYCL_HPP

#include "../../vendor.h"
#include "../../fast.h"

// unit.c reads its argument, the sub-group's size, from the text.
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(...)

namespace sycl {

// ---- Values ----

using half = _Float16;

struct half2 {
    half x, y;
    friend half2 operator+(half2 a, half2 b) {
        return {half(a.x + b.x), half(a.y + b.y)};
    }
    friend half2 operator*(half2 a, half2 b) {
        return {half(a.x * b.x), half(a.y * b.y)};
    }
};

template <class To, class From> SIMT_INLINE To bit_cast(const From &from) {
    return simt::bits<To>(from);
}

// ---- Positions and sizes: x is dimension 2 ----

namespace detail {
// SYCL does not specify which threads of a row a sub-group holds: here local ids descend as lanes
// ascend.
SIMT_INLINE bool is_row() {
    return simt_info.group[1] == 1 && simt_info.group[2] == 1;
}
SIMT_INLINE uint32_t local_number() {
    return is_row() ? simt_info.group[0] - 1 - simt_self->linear : simt_self->linear;
}
SIMT_INLINE size_t along(const uint32_t *v, int dimension) {
    if (dimension < 0 || dimension > 2)
        simt_fail(SIMT_UNDEFINED, "no such dimension");
    return v[2 - dimension];
}
} // namespace detail

template <int> struct range;
template <> struct range<3> {
    const uint32_t *v;
    size_t size() const {
        return size_t(v[0]) * v[1] * v[2];
    }
};

template <int> struct group {};

struct sub_group {
    uint32_t get_local_linear_id() const {
        return simt_self->lane;
    }
    uint32_t get_group_linear_id() const {
        return simt_self->linear / simt_info.width;
    }
    // Lanes that exist: fewer in the last one of a workgroup.
    uint32_t get_local_linear_range() const {
        return uint32_t(__builtin_popcountll(simt_info.exists));
    }
};

template <int> struct nd_item;
template <> struct nd_item<3> {
    size_t get_local_id(int dimension) const {
        const uint32_t row[3] = {detail::local_number(), 0, 0};
        return detail::along(detail::is_row() ? row : simt_self->position, dimension);
    }
    size_t get_local_linear_id() const {
        return detail::local_number();
    }
    size_t get_local_range(int dimension) const {
        return detail::along(simt_info.group, dimension);
    }
    range<3> get_local_range() const {
        return {simt_info.group};
    }
    size_t get_group(int dimension) const {
        return detail::along(simt_info.workgroup, dimension);
    }
    group<3> get_group() const {
        return {};
    }
    size_t get_group_range(int dimension) const {
        return detail::along(simt_info.grid, dimension);
    }
    // Devices may end sub-groups with the rows of a workgroup.
    sub_group get_sub_group() const {
        if (!detail::is_row())
            simt_fail(SIMT_UNDEFINED, "a sub-group, but the workgroup is not one row");
        return {};
    }
};

namespace ext::oneapi::this_work_item {
template <int dimensions> SIMT_INLINE nd_item<dimensions> get_nd_item() {
    return {};
}
} // namespace ext::oneapi::this_work_item

namespace ext::oneapi::experimental {
template <class> class work_group_memory;
template <size_t bytes> class work_group_memory<uint8_t[bytes]> {
    uint8_t *at;

  public:
    explicit work_group_memory(uint8_t *memory) : at(memory) {
    }
    uint8_t (*operator&() const)[bytes] {
        return reinterpret_cast<uint8_t(*)[bytes]>(at);
    }
};
} // namespace ext::oneapi::experimental

// ---- Barriers, fences, atomics: nothing runs between simt_atomic and the operation ----

enum class memory_order { relaxed, acquire, release, acq_rel, seq_cst };
enum class memory_scope { work_item, sub_group, work_group, device, system };
namespace access {
enum class address_space { global_space, local_space, private_space, generic_space };
}

namespace detail {
SIMT_INLINE simt_scope scope_of(memory_scope scope) {
    return scope <= memory_scope::sub_group    ? SIMT_SCOPE_WAVE
           : scope == memory_scope::work_group ? SIMT_SCOPE_GROUP
                                               : SIMT_SCOPE_DEVICE;
}
SIMT_INLINE uint32_t order_of(memory_order order) {
    return order == memory_order::relaxed   ? 0u
           : order == memory_order::acquire ? uint32_t(SIMT_ACQUIRE)
           : order == memory_order::release ? uint32_t(SIMT_RELEASE)
                                            : SIMT_ACQUIRE | SIMT_RELEASE;
}
} // namespace detail

SIMT_INLINE void group_barrier(group<3>, memory_scope scope = memory_scope::work_group, SIMT_SITE) {
    simt_barrier(simt_site, detail::scope_of(scope), SIMT_ALL_MEMORY);
}
SIMT_INLINE void group_barrier(sub_group, memory_scope scope = memory_scope::sub_group, SIMT_SITE) {
    simt_wave_barrier(simt_site, "group_barrier", detail::scope_of(scope),
                      SIMT_ACQUIRE | SIMT_RELEASE, SIMT_ALL_MEMORY);
}
inline void atomic_fence(memory_order order, memory_scope scope) {
    if (scope != memory_scope::work_item)
        simt_fence(detail::scope_of(scope), detail::order_of(order), SIMT_ALL_MEMORY);
}

namespace detail {
template <class> struct is_atomic;
template <> struct is_atomic<uint32_t> {};
template <> struct is_atomic<int32_t> {};
template <> struct is_atomic<uint64_t> {};
template <> struct is_atomic<int64_t> {};
template <> struct is_atomic<float> {};
} // namespace detail

#define SIMT_FETCH(name, builtin)                                                                  \
    T name(T x) const {                                                                            \
        begin();                                                                                   \
        const T old = builtin(at, x, __ATOMIC_RELAXED);                                            \
        end();                                                                                     \
        return old;                                                                                \
    }

template <class T, memory_order order, memory_scope scope,
          access::address_space space = access::address_space::generic_space>
class atomic_ref : detail::is_atomic<T> {
    static_assert(order == memory_order::relaxed || order == memory_order::acq_rel ||
                      order == memory_order::seq_cst,
                  "SYCL's default orders");
    // A plain access may use another type for the word.
    using word = T __attribute__((may_alias));
    word *at;

    void begin() const {
        if (order != memory_order::relaxed)
            simt_fence(detail::scope_of(scope), SIMT_RELEASE, SIMT_ALL_MEMORY);
        simt_atomic(at, sizeof(T));
    }
    void end() const {
        if (order != memory_order::relaxed)
            simt_fence(detail::scope_of(scope), SIMT_ACQUIRE, SIMT_ALL_MEMORY);
    }

  public:
    explicit atomic_ref(T &place) : at(&place) {
        const uint8_t *byte = reinterpret_cast<const uint8_t *>(&place);
        const bool local = byte >= simt_info.shared && byte < simt_info.shared_end;
        if (local ? space == access::address_space::global_space
                  : space == access::address_space::local_space)
            simt_fail(SIMT_OUT_OF_BOUNDS, "an atomic outside its address space");
        if (reinterpret_cast<uintptr_t>(byte) % sizeof(T))
            simt_fail(SIMT_UNDEFINED, "an atomic that is not aligned");
    }
    T load() const {
        T value;
        begin();
        __atomic_load(at, &value, __ATOMIC_RELAXED);
        end();
        return value;
    }
    void store(T value) const {
        begin();
        __atomic_store(at, &value, __ATOMIC_RELAXED);
    }
    SIMT_FETCH(exchange, __atomic_exchange_n)
    SIMT_FETCH(fetch_add, __atomic_fetch_add)
    SIMT_FETCH(fetch_sub, __atomic_fetch_sub)
    SIMT_FETCH(fetch_min, __atomic_fetch_min)
    SIMT_FETCH(fetch_max, __atomic_fetch_max)
    SIMT_FETCH(fetch_and, __atomic_fetch_and)
    SIMT_FETCH(fetch_or, __atomic_fetch_or)
    SIMT_FETCH(fetch_xor, __atomic_fetch_xor)
    bool compare_exchange_strong(T &expected, T desired) const {
        begin();
        const bool equal = __atomic_compare_exchange_n(at, &expected, desired, false,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        end();
        return equal;
    }
};

// ---- Functions of a sub-group: all lanes that exist meet ----

SIMT_INLINE bool any_of_group(sub_group, bool predicate, SIMT_SITE) {
    return simt::ballot(simt_site, "any_of_group", predicate) != 0;
}
SIMT_INLINE bool all_of_group(sub_group, bool predicate, SIMT_SITE) {
    return simt::ballot(simt_site, "all_of_group", predicate) == simt_info.exists;
}

namespace detail {
template <class T> SIMT_INLINE T value_of(const simt::gathered &g, uint32_t source) {
    return simt::from_word<T>(g.has(source) ? g.values[source] : simt_garbage());
}
} // namespace detail

template <class T> SIMT_INLINE T select_from_group(sub_group, T x, size_t lane, SIMT_SITE) {
    const simt::gathered g = simt::gather(simt_site, "select_from_group", simt::to_word(x));
    return detail::value_of<T>(g, lane < g.width ? uint32_t(lane) : g.width);
}
template <class T> SIMT_INLINE T group_broadcast(sub_group, T x, SIMT_SITE) {
    const simt::gathered g = simt::gather(simt_site, "group_broadcast", simt::to_word(x));
    return detail::value_of<T>(g, 0);
}
// The mask must be the same in the whole sub-group.
template <class T> inline T permute_group_by_xor(sub_group, T x, uint32_t mask, SIMT_SITE) {
    const simt::gathered masks = simt::gather(simt_site, "permute_group_by_xor's mask", mask);
    simt::need_uniform(masks, "permute_group_by_xor with different masks");
    const simt::gathered g = simt::gather(simt_site, "permute_group_by_xor", simt::to_word(x));
    return detail::value_of<T>(g, g.lane ^ mask);
}

#define SIMT_FUNCTION_OBJECT(name, expression)                                                     \
    template <class T> struct name {                                                               \
        using type = T;                                                                            \
        T operator()(T a, T b) const {                                                             \
            return expression;                                                                     \
        }                                                                                          \
    };
SIMT_FUNCTION_OBJECT(plus, T(a + b))
SIMT_FUNCTION_OBJECT(minimum, a < b ? a : b)
SIMT_FUNCTION_OBJECT(maximum, a > b ? a : b)
SIMT_FUNCTION_OBJECT(bit_and, T(a &b))
SIMT_FUNCTION_OBJECT(bit_or, T(a | b))
SIMT_FUNCTION_OBJECT(bit_xor, T(a ^ b))

namespace detail {
template <class, class> struct same;
template <class T> struct same<T, T> { using type = T; };

// `start` and the values of the existing lanes from `first` to before `end`.
template <class Operation, class T>
inline T fold(const simt::gathered &g, uint32_t first, T start, uint32_t end, Operation f) {
    T sum = start;
    for (uint32_t k = first; k < end; k++)
        if (g.has(k))
            sum = f(sum, simt::from_word<T>(g.values[k]));
    return sum;
}
} // namespace detail

template <class T, class Operation>
inline typename detail::same<T, typename Operation::type>::type
reduce_over_group(sub_group, T x, Operation f, SIMT_SITE) {
    const simt::gathered g = simt::gather(simt_site, "reduce_over_group", simt::to_word(x));
    const uint32_t first = uint32_t(__builtin_ctzll(g.exists));
    return detail::fold(g, first + 1, simt::from_word<T>(g.values[first]), g.width, f);
}
// Values of 64 bits are exchanged a half at a time.
template <class Operation>
inline typename detail::same<uint64_t, typename Operation::type>::type
reduce_over_group(sub_group, uint64_t x, Operation f, SIMT_SITE) {
    uint32_t low[64];
    const simt::gathered lower = simt::gather(simt_site, "reduce_over_group", uint32_t(x));
    for (uint32_t k = 0; k < lower.width; k++)
        low[k] = lower.values[k];
    const simt::gathered g =
        simt::gather(simt_site, "reduce_over_group's upper half", uint32_t(x >> 32));
    uint64_t sum = 0;
    bool any = false;
    for (uint32_t k = 0; k < g.width; k++) {
        const uint64_t value = uint64_t(g.values[k]) << 32 | low[k];
        if (g.has(k)) {
            sum = any ? f(sum, value) : value;
            any = true;
        }
    }
    return sum;
}
template <class T> inline T exclusive_scan_over_group(sub_group, T x, plus<T> f, SIMT_SITE) {
    const simt::gathered g = simt::gather(simt_site, "exclusive_scan_over_group", simt::to_word(x));
    return detail::fold(g, 0, T(0), g.lane, f);
}

// ---- Integers ----

SIMT_INLINE uint32_t mul_hi(uint32_t a, uint32_t b) {
    return simt::high_product(a, b);
}
SIMT_INLINE uint64_t mul_hi(uint64_t a, uint64_t b) {
    return simt::high_product(a, b);
}
SIMT_INLINE int32_t mul_hi(int32_t a, int32_t b) {
    return int32_t((int64_t(a) * b) >> 32);
}
SIMT_INLINE uint32_t popcount(uint32_t x) {
    return uint32_t(__builtin_popcount(x));
}
SIMT_INLINE uint32_t clz(uint32_t x) {
    return simt::leading_zeros(x);
}
template <class T> T popcount(T) = delete;
template <class T> T clz(T) = delete;

#define SIMT_MIN_MAX(T)                                                                            \
    SIMT_INLINE T min(T a, T b) {                                                                  \
        return a < b ? a : b;                                                                      \
    }                                                                                              \
    SIMT_INLINE T max(T a, T b) {                                                                  \
        return a > b ? a : b;                                                                      \
    }
SIMT_MIN_MAX(int32_t)
SIMT_MIN_MAX(uint32_t)

// ---- Floats ----

#define SIMT_FLOAT(name)                                                                           \
    SIMT_INLINE float name(float x) {                                                              \
        return __builtin_##name##f(x);                                                             \
    }                                                                                              \
    SIMT_INLINE double name(double x) {                                                            \
        return __builtin_##name(x);                                                                \
    }
SIMT_FLOAT(fabs)
SIMT_FLOAT(sqrt)
SIMT_FLOAT(floor)
SIMT_FLOAT(ceil)
SIMT_FLOAT(rint)
SIMT_FLOAT(trunc)

SIMT_INLINE float fma(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
SIMT_INLINE double fma(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
SIMT_INLINE half fma(half a, half b, half c) {
    return simt::fma_half(a, b, c);
}
SIMT_INLINE half2 fma(half2 a, half2 b, half2 c) {
    return {simt::fma_half(a.x, b.x, c.x), simt::fma_half(a.y, b.y, c.y)};
}

SIMT_INLINE float rsqrt(float x) {
    return simt::fast_rsqrt(x, 2);
}

// The errors of these functions are implementation-defined. The harness uses the limits of OpenCL C for the functions
// without native_, and 2^-12 for sin and cos: the error of Intel's CPU device is 2^-12.7.
namespace native {
SIMT_INLINE float sin(float x) {
    return simt::fast_wave(__builtin_sin(double(x)), x, 3.1415927, 0x1p-12);
}
SIMT_INLINE float cos(float x) {
    return simt::fast_wave(__builtin_cos(double(x)), x, 3.1415927, 0x1p-12);
}
SIMT_INLINE float exp2(float x) {
    return simt::fast_exp2(x, 3);
}
SIMT_INLINE float log2(float x) {
    return simt::fast_log2(x, 0x1p-21, 3);
}
SIMT_INLINE float sqrt(float x) {
    return simt::fast_sqrt(x, 3);
}
SIMT_INLINE float rsqrt(float x) {
    return simt::fast_rsqrt(x, 2);
}
SIMT_INLINE float recip(float x) {
    return simt::fast_reciprocal(x, 2.5);
}
SIMT_INLINE float divide(float a, float b) {
    return simt::fast_divide(a, b, 2.5);
}
} // namespace native

} // namespace sycl

#include "matrix.hpp"

// ---- Calling a kernel: a parameter's type determines what is passed; their order is fixed ----

namespace simt {

struct sources {
    const simt_params *params;
    uint8_t *local;
};

// `left`: parameters from this one to the last.
template <class T> struct parameter { // the argument structure
    static_assert(__is_class(T) && sizeof(T) % 4 == 0, "no parameter of the launch contract");
    static constexpr unsigned rank = 1, takes = 0;
    static constexpr size_t local = 0;
    static T from(const sources &s, size_t) {
        T value;
        __builtin_memcpy(&value, s.params->args, sizeof value);
        return value;
    }
};
#define SIMT_PARAMETER(T, number, bits, value)                                                     \
    template <> struct parameter<T> {                                                              \
        static constexpr unsigned rank = number, takes = bits;                                     \
        static constexpr size_t local = 0;                                                         \
        static T from(const sources &s, size_t left) {                                             \
            return value;                                                                          \
        }                                                                                          \
    };
SIMT_PARAMETER(uint8_t *, 0, 0, s.params->memory)
SIMT_PARAMETER(uint64_t, 3, SIMT_TAKES_SIZE, s.params->memory_size)
SIMT_PARAMETER(uint32_t *, 4, SIMT_TAKES_STATUS, s.params->status)
SIMT_PARAMETER(uint32_t, 5, SIMT_TAKES_SHAPE, s.params->shape[2 - left])

template <size_t bytes>
struct parameter<sycl::ext::oneapi::experimental::work_group_memory<uint8_t[bytes]>> {
    using type = sycl::ext::oneapi::experimental::work_group_memory<uint8_t[bytes]>;
    static constexpr unsigned rank = 2, takes = 0;
    static constexpr size_t local = bytes;
    static type from(const sources &s, size_t) {
        return type(s.local);
    }
};

template <class T> struct argument_size {
    static constexpr size_t value = parameter<T>::rank == 1 ? sizeof(T) : 0;
};
template <class... A> constexpr size_t local_bytes(void (*)(A...)) {
    return (size_t(0) + ... + parameter<A>::local);
}
template <class... A> constexpr uint32_t takes(void (*)(A...)) {
    return (0u | ... | parameter<A>::takes);
}

// Launchers pass arguments by position: the memory first, each kind once, the shape as the last
// two.
template <class... A> constexpr bool in_order() {
    constexpr size_t count = sizeof...(A);
    const unsigned ranks[count] = {parameter<A>::rank...};
    if (ranks[0] != 0)
        return false;
    for (size_t k = 1; k < count; k++)
        if (ranks[k] == 5 ? k + 2 < count || ranks[count - 2] != 5 : ranks[k] <= ranks[k - 1])
            return false;
    return true;
}

template <class T, T...> struct indices {};
template <class... A, size_t... index>
SIMT_INLINE void pass(void (*kernel)(A...), const sources &s, indices<size_t, index...>) {
    kernel(parameter<A>::from(s, sizeof...(A) - index)...);
}
template <class... A>
inline void call(void (*kernel)(A...), uint32_t width, const simt_params *p, uint8_t *local) {
    static_assert(in_order<A...>(), "parameters out of order");
    if (width != simt_info.width)
        simt_fail(SIMT_UNDEFINED, "the kernel's sub_group_size is not the width of the launch");
    pass(kernel, {p, local}, __make_integer_seq<indices, size_t, sizeof...(A)>());
}

} // namespace simt

// Last: an endless loop ends with an error, and lanes take turns in any loop.
#define while(...) while (simt_tick() && (__VA_ARGS__))

#endif
