// Joint matrices of sycl_ext_oneapi_matrix on lanes of the CPU, with the names and the constness of Intel's header. SYCL does
// not specify where the elements are: here they are scattered over the sub-group, differently for each use. The sizes are
// those of XMX: 8 by 16 by 16 in sub-groups of 16 lanes (PVC) and 8 by 16 by 8 in sub-groups of 8 (DG2), with A and B stored
// by rows.
#ifndef SIMT_SYCL_MATRIX_HPP
#define SIMT_SYCL_MATRIX_HPP

namespace sycl {

namespace access {
enum class decorated { no, yes, legacy };
}

// A pointer with its address space.
template <class T, access::address_space Space, access::decorated> class multi_ptr {
    T *at;

  public:
    explicit multi_ptr(T *pointer) : at(pointer) {
        const uint8_t *byte = reinterpret_cast<const uint8_t *>(pointer);
        const bool local = byte >= simt_info.shared && byte < simt_info.shared_end;
        if (local != (Space == access::address_space::local_space))
            simt_fail(SIMT_OUT_OF_BOUNDS, "a pointer outside its address space");
    }
    multi_ptr operator+(size_t n) const {
        return multi_ptr(at + n);
    }
    T *get() const {
        return at;
    }
};
template <access::address_space Space, access::decorated Decorated, class T>
SIMT_INLINE multi_ptr<T, Space, Decorated> address_space_cast(T *pointer) {
    return multi_ptr<T, Space, Decorated>(pointer);
}

namespace ext::oneapi {
class bfloat16 {
    uint16_t bits;

  public:
    bfloat16() = default;
    explicit bfloat16(float value) : bits(uint16_t(simt::bits<uint32_t>(value) >> 16)) {
        if (float(*this) != value)
            simt_fail(SIMT_UNDEFINED, "a bfloat16 that must be rounded, which emitted code never needs");
    }
    operator float() const {
        return simt::bits<float>(uint32_t(bits) << 16);
    }
};
namespace this_work_item {
SIMT_INLINE sub_group get_sub_group() {
    return get_nd_item<3>().get_sub_group();
}
} // namespace this_work_item
} // namespace ext::oneapi

namespace ext::oneapi::experimental::matrix {

enum class use { a, b, accumulator };
enum class layout { row_major, col_major, ext_intel_packed, dynamic };

template <class Group, class T, use Use, size_t Rows, size_t Columns, layout Layout = layout::dynamic>
struct joint_matrix {
    static_assert(Use == use::accumulator ? Layout == layout::dynamic : Layout == layout::row_major,
                  "a layout that the hardware does not load");
    static constexpr uint32_t elements = Rows * Columns;
    T simt_part[elements / 8]; // enough for the narrowest sub-group

    joint_matrix() {
        for (T &element : simt_part)
            element = simt::from_word<T>(simt_garbage());
    }
    joint_matrix(const joint_matrix &) = delete;
    joint_matrix &operator=(const joint_matrix &) = delete;

    static uint32_t simt_each() {
        if (simt_info.exists != (simt_info.width == 16 ? 0xFFFFu : 0xFFu))
            simt_fail(SIMT_UNDEFINED, "a joint matrix without a whole sub-group of 8 or 16 lanes");
        return elements / simt_info.width;
    }
    // The index of the element in part k of a lane, counted by rows; the number of elements is a
    // power of two.
    static uint32_t simt_element(uint32_t lane, uint32_t k) {
        return ((lane * simt_each() + k) * 29 + 7 + 3 * uint32_t(Use)) % elements;
    }
    static size_t simt_place(uint32_t element, size_t stride, layout order) {
        const size_t row = element / Columns, column = element % Columns;
        return order == layout::col_major ? column * stride + row : row * stride + column;
    }
};

// All elements, by rows.
template <class M, class T> struct simt_whole {
    T at[M::elements];
    simt_whole(unsigned site, const char *kind, const M &m) {
        for (uint32_t k = 0; k < M::simt_each(); k++) {
            const simt::gathered g = simt::gather(site, kind, simt::to_word(m.simt_part[k]));
            for (uint32_t lane = 0; lane < g.width; lane++)
                at[M::simt_element(lane, k)] = simt::from_word<T>(g.values[lane]);
        }
    }
};

inline void simt_same_place(unsigned site, const char *kind, const void *at, size_t stride) {
    const uint32_t word = uint32_t(uintptr_t(at)) ^ uint32_t(stride) * 0x9E3779B9u;
    simt::need_uniform(simt::gather(site, kind, word), kind);
}

template <class T, size_t R, size_t C, access::address_space S, access::decorated D>
inline void joint_matrix_load(sub_group, joint_matrix<sub_group, T, use::accumulator, R, C> &m, multi_ptr<T, S, D> from,
                              size_t stride, layout order, SIMT_SITE) {
    using matrix = joint_matrix<sub_group, T, use::accumulator, R, C>;
    simt_same_place(simt_site, "joint_matrix_load", from.get(), stride);
    for (uint32_t k = 0; k < matrix::simt_each(); k++)
        m.simt_part[k] = from.get()[matrix::simt_place(matrix::simt_element(simt_self->lane, k), stride, order)];
}
template <class T, use U, size_t R, size_t C, layout L, access::address_space S, access::decorated D>
inline void joint_matrix_load(sub_group, joint_matrix<sub_group, T, U, R, C, L> &m, multi_ptr<T, S, D> from, size_t stride,
                              SIMT_SITE) {
    using matrix = joint_matrix<sub_group, T, U, R, C, L>;
    simt_same_place(simt_site, "joint_matrix_load", from.get(), stride);
    for (uint32_t k = 0; k < matrix::simt_each(); k++)
        m.simt_part[k] = from.get()[matrix::simt_place(matrix::simt_element(simt_self->lane, k), stride, L)];
}
template <class T, size_t R, size_t C, access::address_space S, access::decorated D>
inline void joint_matrix_store(sub_group, const joint_matrix<sub_group, T, use::accumulator, R, C> &m,
                               multi_ptr<T, S, D> to, size_t stride, layout order, SIMT_SITE) {
    using matrix = joint_matrix<sub_group, T, use::accumulator, R, C>;
    simt_same_place(simt_site, "joint_matrix_store", to.get(), stride);
    for (uint32_t k = 0; k < matrix::simt_each(); k++)
        to.get()[matrix::simt_place(matrix::simt_element(simt_self->lane, k), stride, order)] = m.simt_part[k];
}
template <class T, use U, size_t R, size_t C, layout L, class V>
inline void joint_matrix_fill(sub_group, joint_matrix<sub_group, T, U, R, C, L> &m, const V &value) {
    for (T &element : m.simt_part)
        element = T(value);
}
template <class T, use U, size_t R, size_t C, layout L>
inline void joint_matrix_copy(sub_group, joint_matrix<sub_group, T, U, R, C, L> &from,
                              joint_matrix<sub_group, T, U, R, C, L> &to) {
    for (uint32_t k = 0; k < from.elements / 8; k++)
        to.simt_part[k] = from.simt_part[k];
}

template <class> struct simt_is_bfloat16;
template <> struct simt_is_bfloat16<half> { static constexpr bool value = false; };
template <> struct simt_is_bfloat16<bfloat16> { static constexpr bool value = true; };

template <class T, size_t M, size_t K, size_t N, layout LA, layout LB>
inline void joint_matrix_mad(sub_group, joint_matrix<sub_group, float, use::accumulator, M, N> &d,
                             const joint_matrix<sub_group, T, use::a, M, K, LA> &a,
                             const joint_matrix<sub_group, T, use::b, K, N, LB> &b,
                             const joint_matrix<sub_group, float, use::accumulator, M, N> &c, SIMT_SITE) {
    static_assert(M == 8 && K == 16 && sizeof(T) == 2, "a size that the hardware does not have");
    using matrix_a = joint_matrix<sub_group, T, use::a, M, K, LA>;
    using matrix_b = joint_matrix<sub_group, T, use::b, K, N, LB>;
    if (simt_info.width != N)
        simt_fail(SIMT_UNDEFINED, "joint_matrix_mad with other columns than lanes");
    const simt_whole<matrix_a, T> x(simt_site, "joint_matrix_mad", a);
    const simt_whole<matrix_b, T> y(simt_site, "joint_matrix_mad", b);
    for (uint32_t k = 0; k < c.simt_each(); k++) {
        const uint32_t element = c.simt_element(simt_self->lane, k), row = element / N, column = element % N;
        uint16_t line[K], down[K];
        for (uint32_t n = 0; n < K; n++) {
            line[n] = simt::bits<uint16_t>(x.at[row * K + n]);
            down[n] = simt::bits<uint16_t>(y.at[n * N + column]);
        }
        d.simt_part[k] = simt::dot(simt_is_bfloat16<T>::value, line, down, K, c.simt_part[k]);
    }
}

} // namespace ext::oneapi::experimental::matrix

} // namespace sycl

#endif
