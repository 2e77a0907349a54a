// <metal_simdgroup> and the barriers of <metal_compute>. Included by metal_stdlib inside namespace metal.

enum class mem_flags : uint {
    mem_none = 0,
    mem_device = 1,
    mem_threadgroup = 2,
    mem_texture = 4,
    mem_threadgroup_imageblock = 8,
    mem_object_data = 16
};
constexpr mem_flags operator|(mem_flags a, mem_flags b) {
    return mem_flags(uint(a) | uint(b));
}
constexpr mem_flags operator&(mem_flags a, mem_flags b) {
    return mem_flags(uint(a) & uint(b));
}

void threadgroup_barrier(mem_flags) __attribute__((convergent));
void simdgroup_barrier(mem_flags) __attribute__((convergent));

// The lanes of a vote. Only an explicit conversion to vote_t yields its bits.
class simd_vote {
  public:
    typedef ulong vote_t;
    explicit constexpr simd_vote(vote_t v = 0) : bits(v) {
    }
    explicit constexpr operator vote_t() const {
        return bits;
    }
    bool all() const;
    bool any() const;

  private:
    vote_t bits;
};

// Passed by value in Metal. clang keeps temporaries in an address space on whose objects it cannot
// call member functions.
const __private simd_vote &simd_ballot(bool);
const __private simd_vote &simd_active_threads_mask();
bool simd_all(bool);
bool simd_any(bool);
bool simd_is_first();

// Scalars and vectors of integers and floats of up to 32 bits; bool and 64-bit types are rejected,
// not converted.
#define MSL_PERMUTE(T)                                                                                                 \
    T simd_broadcast(T, ushort lane);                                                                                  \
    T simd_broadcast_first(T);                                                                                         \
    T simd_shuffle(T, ushort lane);                                                                                    \
    T simd_shuffle_and_fill_down(T, T filling, ushort delta);                                                          \
    T simd_shuffle_and_fill_up(T, T filling, ushort delta);                                                            \
    T simd_shuffle_down(T, ushort delta);                                                                              \
    T simd_shuffle_rotate_down(T, ushort delta);                                                                       \
    T simd_shuffle_rotate_up(T, ushort delta);                                                                         \
    T simd_shuffle_up(T, ushort delta);                                                                                \
    T simd_shuffle_xor(T, ushort mask);
#define MSL_REDUCE(T)                                                                                                  \
    T simd_max(T);                                                                                                     \
    T simd_min(T);                                                                                                     \
    T simd_prefix_exclusive_product(T);                                                                                \
    T simd_prefix_exclusive_sum(T);                                                                                    \
    T simd_prefix_inclusive_product(T);                                                                                \
    T simd_prefix_inclusive_sum(T);                                                                                    \
    T simd_product(T);                                                                                                 \
    T simd_sum(T);
#define MSL_REDUCE_BITS(T)                                                                                             \
    T simd_and(T);                                                                                                     \
    T simd_or(T);                                                                                                      \
    T simd_xor(T);
#define MSL_SMALL_INTEGERS(macro)                                                                                      \
    MSL_EACH_WIDTH(macro, char)                                                                                        \
    MSL_EACH_WIDTH(macro, uchar)                                                                                       \
    MSL_EACH_WIDTH(macro, short)                                                                                       \
    MSL_EACH_WIDTH(macro, ushort)                                                                                      \
    MSL_EACH_WIDTH(macro, int)                                                                                         \
    MSL_EACH_WIDTH(macro, uint)
MSL_SMALL_INTEGERS(MSL_PERMUTE)
MSL_SMALL_INTEGERS(MSL_REDUCE)
MSL_SMALL_INTEGERS(MSL_REDUCE_BITS)
MSL_EACH_WIDTH(MSL_PERMUTE, half)
MSL_EACH_WIDTH(MSL_PERMUTE, float)
MSL_EACH_WIDTH(MSL_REDUCE, half)
MSL_EACH_WIDTH(MSL_REDUCE, float)

// Without these a bool or a long would be converted to one of the types above.
#define MSL_REFUSED(T)                                                                                                 \
    T simd_broadcast(T, ushort) = delete;                                                                              \
    T simd_broadcast_first(T) = delete;                                                                                \
    T simd_shuffle(T, ushort) = delete;                                                                                \
    T simd_shuffle_down(T, ushort) = delete;                                                                           \
    T simd_shuffle_rotate_down(T, ushort) = delete;                                                                    \
    T simd_shuffle_rotate_up(T, ushort) = delete;                                                                      \
    T simd_shuffle_up(T, ushort) = delete;                                                                             \
    T simd_shuffle_xor(T, ushort) = delete;                                                                            \
    T simd_max(T) = delete;                                                                                            \
    T simd_min(T) = delete;                                                                                            \
    T simd_prefix_exclusive_sum(T) = delete;                                                                           \
    T simd_prefix_inclusive_sum(T) = delete;                                                                           \
    T simd_sum(T) = delete;                                                                                            \
    T simd_and(T) = delete;                                                                                            \
    T simd_or(T) = delete;                                                                                             \
    T simd_xor(T) = delete;
MSL_REFUSED(bool)
MSL_REFUSED(long)
MSL_REFUSED(ulong)
#undef MSL_PERMUTE
#undef MSL_REDUCE
#undef MSL_REDUCE_BITS
#undef MSL_REFUSED

// <metal_simdgroup_matrix>: 8 by 8, of float and half. A class in Metal; here a vector of an odd
// size, because clang cannot copy class objects without a generic address space.
template <typename T, int Columns, int Rows> using simdgroup_matrix = T __attribute__((ext_vector_type(7)));
template <typename T, int Columns, int Rows> simdgroup_matrix<T, Columns, Rows> make_filled_simdgroup_matrix(T value);
#define MSL_MATRIX(T)                                                                                                  \
    void simdgroup_load(__private simdgroup_matrix<T, 8, 8> &, const device T *, ulong row = 8, ulong2 origin = 0,     \
                        bool transpose = false) __attribute__((convergent));                                           \
    void simdgroup_load(__private simdgroup_matrix<T, 8, 8> &, const threadgroup T *, ulong row = 8,                   \
                        ulong2 origin = 0, bool transpose = false) __attribute__((convergent));                        \
    void simdgroup_store(simdgroup_matrix<T, 8, 8>, device T *, ulong row = 8, ulong2 origin = 0,                      \
                         bool transpose = false) __attribute__((convergent));                                          \
    void simdgroup_store(simdgroup_matrix<T, 8, 8>, threadgroup T *, ulong row = 8, ulong2 origin = 0,                 \
                         bool transpose = false) __attribute__((convergent));                                          \
    void simdgroup_multiply_accumulate(__private simdgroup_matrix<float, 8, 8> &, simdgroup_matrix<T, 8, 8>,           \
                                       simdgroup_matrix<T, 8, 8>, simdgroup_matrix<float, 8, 8>)                       \
        __attribute__((convergent));
MSL_MATRIX(float)
MSL_MATRIX(half)
#undef MSL_MATRIX
