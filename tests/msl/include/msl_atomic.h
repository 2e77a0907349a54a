// <metal_atomic>. Included by metal_stdlib inside namespace metal.

enum memory_order {
    memory_order_relaxed = 0,
#if __METAL_VERSION__ >= 320
    memory_order_seq_cst = 5
#endif
};

#if __METAL_VERSION__ >= 320
enum thread_scope { thread_scope_thread, thread_scope_simdgroup, thread_scope_threadgroup, thread_scope_device };
void atomic_thread_fence(mem_flags, memory_order, thread_scope = thread_scope_device);
#endif

// Accessible only through the functions below: it cannot be read, written or copied.
template <typename T> struct msl_atomic {
    msl_atomic() = default;
    msl_atomic(const __private msl_atomic &) = delete;
    void operator=(const __private msl_atomic &) = delete;
    void operator=(T) = delete;

  private:
    T value;
};

// clang uses these names for types of OpenCL.
#define atomic_int metal::msl_atomic<int>
#define atomic_uint metal::msl_atomic<uint>
#define atomic_float metal::msl_atomic<float>

#define MSL_RELAXED(order) __attribute__((enable_if((order) == memory_order_relaxed, "only memory_order_relaxed")))

#define MSL_ATOMIC_ACCESS(space, T)                                                                                    \
    void atomic_store_explicit(volatile space msl_atomic<T> *, T, memory_order order) MSL_RELAXED(order);              \
    T atomic_load_explicit(const volatile space msl_atomic<T> *, memory_order order) MSL_RELAXED(order);               \
    T atomic_exchange_explicit(volatile space msl_atomic<T> *, T, memory_order order) MSL_RELAXED(order);              \
    bool atomic_compare_exchange_weak_explicit(volatile space msl_atomic<T> *, thread T *expected, T,                  \
                                               memory_order success, memory_order failure)                             \
        MSL_RELAXED(success) MSL_RELAXED(failure);
#define MSL_ATOMIC_SUM(space, T)                                                                                       \
    T atomic_fetch_add_explicit(volatile space msl_atomic<T> *, T, memory_order order) MSL_RELAXED(order);             \
    T atomic_fetch_sub_explicit(volatile space msl_atomic<T> *, T, memory_order order) MSL_RELAXED(order);
#define MSL_ATOMIC_MODIFY(space, T)                                                                                    \
    T atomic_fetch_and_explicit(volatile space msl_atomic<T> *, T, memory_order order) MSL_RELAXED(order);             \
    T atomic_fetch_max_explicit(volatile space msl_atomic<T> *, T, memory_order order) MSL_RELAXED(order);             \
    T atomic_fetch_min_explicit(volatile space msl_atomic<T> *, T, memory_order order) MSL_RELAXED(order);             \
    T atomic_fetch_or_explicit(volatile space msl_atomic<T> *, T, memory_order order) MSL_RELAXED(order);              \
    T atomic_fetch_xor_explicit(volatile space msl_atomic<T> *, T, memory_order order) MSL_RELAXED(order);
#define MSL_ATOMIC_INTEGER(space, T) MSL_ATOMIC_ACCESS(space, T) MSL_ATOMIC_SUM(space, T) MSL_ATOMIC_MODIFY(space, T)
MSL_ATOMIC_INTEGER(device, int)
MSL_ATOMIC_INTEGER(device, uint)
MSL_ATOMIC_INTEGER(threadgroup, int)
MSL_ATOMIC_INTEGER(threadgroup, uint)
// Floats: device memory only, addition and subtraction only (Metal 3.0).
MSL_ATOMIC_ACCESS(device, float)
MSL_ATOMIC_SUM(device, float)
#undef MSL_ATOMIC_INTEGER
#undef MSL_ATOMIC_MODIFY
#undef MSL_ATOMIC_SUM
#undef MSL_ATOMIC_ACCESS
