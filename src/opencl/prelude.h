/* Included by wave-cc before every OpenCL C source. It fixes what clang's SPIR-V back end gets
 * wrong or leaves undefined (docs/using/opencl.md): integer conversions, some atomics, fences,
 * asynchronous copies. wave-cc adds the lines that define convert_TYPE for every type, with the
 * macros below. It is a system header, so it produces neither warnings nor dependencies. */
#pragma clang system_header
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define __wave_overload __attribute__((overloadable))

/* ---- Conversions ---- */

/* The kind of a type, encoded as the size of what a function returns: 1 for 8- and 16-bit integers,
 * 2 for half and float, 4 for wider integers, 8 for double. The functions are never called. */
#define __wave_kinds(R, T)                                                                         \
    R __wave_overload __wave_kind(T);                                                              \
    R __wave_overload __wave_kind(T##2);                                                           \
    R __wave_overload __wave_kind(T##3);                                                           \
    R __wave_overload __wave_kind(T##4);                                                           \
    R __wave_overload __wave_kind(T##8);                                                           \
    R __wave_overload __wave_kind(T##16);
__wave_kinds(char, char) __wave_kinds(char, uchar) __wave_kinds(char, short)
    __wave_kinds(char, ushort) __wave_kinds(short, half) __wave_kinds(short, float)
        __wave_kinds(int, int) __wave_kinds(int, uint) __wave_kinds(int, long)
            __wave_kinds(int, ulong) __wave_kinds(long, double)
#define __wave_is_integer(v) (sizeof(__wave_kind(v)) == 1 || sizeof(__wave_kind(v)) == 4)

/* The largest value of an integer type, and the range that two integer types share. */
#define __wave_max(S)     ((S)-1 < (S)0 ? ~0ul >> (65 - 8 * sizeof(S)) : ~0ul >> (64 - 8 * sizeof(S)))
#define __wave_high(S, D) (__wave_max(S) < __wave_max(D) ? __wave_max(S) : __wave_max(D))
#define __wave_low(S, D)  ((S)-1 < (S)0 && (D)-1 < (D)0 ? -(long)__wave_high(S, D) - 1 : 0l)

/* Rounding does not affect integers; floats use clang's own function F, which is correct. */
#define __wave_round_1(T, F, x)                                                                    \
    ({                                                                                             \
        __auto_type __wave_v = (x);                                                                \
        __builtin_choose_expr(__wave_is_integer(__wave_v), (T)__wave_v, (F)(__wave_v));            \
    })
#define __wave_round_n(T, F, x)                                                                    \
    ({                                                                                             \
        __auto_type __wave_v = (x);                                                                \
        __builtin_choose_expr(__wave_is_integer(__wave_v), __builtin_convertvector(__wave_v, T),   \
                              (F)(__wave_v));                                                      \
    })

/* Integers are clamped to the range of both types. D is the scalar type of T, S of the value. */
#define __wave_clamp(S, D, v) clamp(v, (S)__wave_low(S, D), (S)__wave_high(S, D))
#define __wave_saturate_1(T, D, F, x)                                                              \
    ({                                                                                             \
        __auto_type __wave_v = (x);                                                                \
        __builtin_choose_expr(__wave_is_integer(__wave_v),                                         \
                              (T)__wave_clamp(__typeof__(__wave_v), D, __wave_v), (F)(__wave_v));  \
    })
#define __wave_saturate_n(T, D, F, x)                                                              \
    ({                                                                                             \
        __auto_type __wave_v = (x);                                                                \
        __builtin_choose_expr(                                                                     \
            __wave_is_integer(__wave_v),                                                           \
            __builtin_convertvector(__wave_clamp(__typeof__(__wave_v.s0), D, __wave_v), T),        \
            (F)(__wave_v));                                                                        \
    })

/* To half with a rounding mode: via float for types that float holds, via double for the others.
 * Integers that double cannot hold are infinite as half. */
#define __wave_half_1(F, x)                                                                        \
    ({                                                                                             \
        __auto_type __wave_v = (x);                                                                \
        __builtin_choose_expr(sizeof(__wave_kind(__wave_v)) <= 2, F((float)__wave_v),              \
                              F((double)__wave_v));                                                \
    })
#define __wave_half_n(F, N, x)                                                                     \
    ({                                                                                             \
        __auto_type __wave_v = (x);                                                                \
        __builtin_choose_expr(sizeof(__wave_kind(__wave_v)) <= 2,                                  \
                              F(__builtin_convertvector(__wave_v, float##N)),                      \
                              F(__builtin_convertvector(__wave_v, double##N)));                    \
    })

/* To double with a rounding mode: only 64-bit integers need it. */
#define __wave_double_1(M, x)                                                                      \
    ({                                                                                             \
        __auto_type __wave_v = (x);                                                                \
        __builtin_choose_expr(                                                                     \
            sizeof(__wave_kind(__wave_v)) != 4, (double)__wave_v,                                  \
            __builtin_choose_expr((__typeof__(__wave_v))-1 < (__typeof__(__wave_v))0,              \
                                  __spirv_ConvertSToF_Rdouble##M((long)__wave_v),                  \
                                  __spirv_ConvertUToF_Rdouble##M((ulong)__wave_v)));               \
    })
#define __wave_double_n(M, N, x)                                                                   \
    ({                                                                                             \
        __auto_type __wave_v = (x);                                                                \
        __builtin_choose_expr(                                                                     \
            sizeof(__wave_kind(__wave_v)) != 4, __builtin_convertvector(__wave_v, double##N),      \
            __builtin_choose_expr(                                                                 \
                (__typeof__(__wave_v.s0))-1 < (__typeof__(__wave_v.s0))0,                          \
                __spirv_ConvertSToF_Rdouble##N##M(__builtin_convertvector(__wave_v, long##N)),     \
                __spirv_ConvertUToF_Rdouble##N##M(__builtin_convertvector(__wave_v, ulong##N))));  \
    })

/* ---- Atomics: clang leaves some undefined, and drops the order and scope of others ---- */

/* Scopes and orders must be constants even without optimisation, so all of these are macros. The
 * signedness of a type is encoded as the size of a result: 1 for signed, 2 for unsigned. */
#define __wave_atomic_place(T, R, P)                                                               \
    R __wave_overload __wave_sign(const volatile P *);                                             \
    T __wave_overload __spirv_AtomicLoad(const volatile P *, int, int);                            \
    void __wave_overload __spirv_AtomicStore(volatile P *, int, int, T);                           \
    T __wave_overload __spirv_AtomicExchange(volatile P *, int, int, T);                           \
    T __wave_overload __spirv_AtomicCompareExchange(volatile P *, int, int, int, T, T);            \
    T __wave_overload __spirv_AtomicIAdd(volatile P *, int, int, T);                               \
    T __wave_overload __spirv_AtomicISub(volatile P *, int, int, T);                               \
    T __wave_overload __spirv_AtomicAnd(volatile P *, int, int, T);                                \
    T __wave_overload __spirv_AtomicOr(volatile P *, int, int, T);                                 \
    T __wave_overload __spirv_AtomicXor(volatile P *, int, int, T);                                \
    T __wave_overload __spirv_AtomicSMin(volatile P *, int, int, T);                               \
    T __wave_overload __spirv_AtomicSMax(volatile P *, int, int, T);                               \
    T __wave_overload __spirv_AtomicUMin(volatile P *, int, int, T);                               \
    T __wave_overload __spirv_AtomicUMax(volatile P *, int, int, T);
/* clang-format off */
#define __wave_atomic_space(A) \
    __wave_atomic_place(int, char, A int) \
    __wave_atomic_place(uint, short, A uint) \
    __wave_atomic_place(long, char, A long) \
    __wave_atomic_place(ulong, short, A ulong) \
    float __wave_overload __spirv_AtomicExchange(volatile A float *, int, int, float);
#define __wave_atomic_space_2(A) \
    __wave_atomic_place(int, char, A atomic_int) \
    __wave_atomic_place(uint, short, A atomic_uint) \
    __wave_atomic_place(long, char, A atomic_long) \
    __wave_atomic_place(ulong, short, A atomic_ulong) \
    float __wave_overload __spirv_AtomicExchange(volatile A atomic_float *, int, int, float); \
    float __wave_overload __spirv_AtomicLoad(const volatile A atomic_float *, int, int); \
    void __wave_overload __spirv_AtomicStore(volatile A atomic_float *, int, int, float);
__wave_atomic_space(__global)
__wave_atomic_space(__local)
#if __OPENCL_C_VERSION__ >= 200
__wave_atomic_space(__generic)
__wave_atomic_space_2(__global)
__wave_atomic_space_2(__local)
__wave_atomic_space_2(__generic)
#endif
/* clang-format on */

#define __wave_min_or_max(M, p, scope, order, v)                                                   \
    __builtin_choose_expr(sizeof(__wave_sign(p)) == 1,                                             \
                          __spirv_AtomicS##M((p), (scope), (order), (v)),                          \
                          __spirv_AtomicU##M((p), (scope), (order), (v)))
#define __wave_atomic_Min(p, scope, order, v) __wave_min_or_max(Min, p, scope, order, v)
#define __wave_atomic_Max(p, scope, order, v) __wave_min_or_max(Max, p, scope, order, v)

/* OpenCL 1.2: relaxed order, with the widest scope of the memory. */
#define __wave_widest(p)        (__wave_is_local(p) ? 2 : 1)
#define atomic_add(p, v)        __spirv_AtomicIAdd((p), __wave_widest(p), 0, (v))
#define atomic_sub(p, v)        __spirv_AtomicISub((p), __wave_widest(p), 0, (v))
#define atomic_inc(p)           __spirv_AtomicIAdd((p), __wave_widest(p), 0, 1)
#define atomic_dec(p)           __spirv_AtomicISub((p), __wave_widest(p), 0, 1)
#define atomic_xchg(p, v)       __spirv_AtomicExchange((p), __wave_widest(p), 0, (v))
#define atomic_cmpxchg(p, c, v) __spirv_AtomicCompareExchange((p), __wave_widest(p), 0, 0, (v), (c))
#define atomic_and(p, v)        __spirv_AtomicAnd((p), __wave_widest(p), 0, (v))
#define atomic_or(p, v)         __spirv_AtomicOr((p), __wave_widest(p), 0, (v))
#define atomic_xor(p, v)        __spirv_AtomicXor((p), __wave_widest(p), 0, (v))
#define atomic_min(p, v)        __wave_atomic_Min(p, __wave_widest(p), 0, v)
#define atomic_max(p, v)        __wave_atomic_Max(p, __wave_widest(p), 0, v)
#define atom_add(p, v)          atomic_add(p, v)
#define atom_sub(p, v)          atomic_sub(p, v)
#define atom_inc(p)             atomic_inc(p)
#define atom_dec(p)             atomic_dec(p)
#define atom_xchg(p, v)         atomic_xchg(p, v)
#define atom_cmpxchg(p, c, v)   atomic_cmpxchg(p, c, v)
#define atom_and(p, v)          atomic_and(p, v)
#define atom_or(p, v)           atomic_or(p, v)
#define atom_xor(p, v)          atomic_xor(p, v)
#define atom_min(p, v)          atomic_min(p, v)
#define atom_max(p, v)          atomic_max(p, v)

/* OpenCL 2.0. Orders and scopes are mapped to SPIR-V's numbers. */
#define __wave_order(o)                                                                            \
    ((o) == memory_order_relaxed   ? 0                                                             \
     : (o) == memory_order_acquire ? 2                                                             \
     : (o) == memory_order_release ? 4                                                             \
     : (o) == memory_order_acq_rel ? 8                                                             \
                                   : 16)
#define __wave_scope(s)                                                                            \
    ((s) == memory_scope_work_item    ? 4                                                          \
     : (s) == memory_scope_sub_group  ? 3                                                          \
     : (s) == memory_scope_work_group ? 2                                                          \
     : (s) == memory_scope_device     ? 1                                                          \
                                      : 0)
#define __wave_all_memory 0x300

/* The last arguments are optional: (p, v), (p, v, order) or (p, v, order, scope). */
#define __wave_fetch(F, p, v, o, s, ...)                                                           \
    F((p), __wave_scope(s), __wave_order(o) | __wave_all_memory, (v))
#define __wave_fetch_all(F, p, v)       __wave_fetch(F, p, v, memory_order_seq_cst, memory_scope_device, )
#define __wave_fetch_some(F, p, v, ...) __wave_fetch(F, p, v, __VA_ARGS__, memory_scope_device, )
#define __wave_load(p, o, s, ...)                                                                  \
    __spirv_AtomicLoad((p), __wave_scope(s), __wave_order(o) | __wave_all_memory)
#define atomic_load(p)                    __wave_load(p, memory_order_seq_cst, memory_scope_device, )
#define atomic_load_explicit(p, ...)      __wave_load(p, __VA_ARGS__, memory_scope_device, )
#define atomic_store(p, v)                __wave_fetch_all(__spirv_AtomicStore, p, v)
#define atomic_store_explicit(p, ...)     __wave_fetch_some(__spirv_AtomicStore, p, __VA_ARGS__)
#define atomic_exchange(p, v)             __wave_fetch_all(__spirv_AtomicExchange, p, v)
#define atomic_fetch_add(p, v)            __wave_fetch_all(__spirv_AtomicIAdd, p, v)
#define atomic_fetch_sub(p, v)            __wave_fetch_all(__spirv_AtomicISub, p, v)
#define atomic_fetch_and(p, v)            __wave_fetch_all(__spirv_AtomicAnd, p, v)
#define atomic_fetch_or(p, v)             __wave_fetch_all(__spirv_AtomicOr, p, v)
#define atomic_fetch_xor(p, v)            __wave_fetch_all(__spirv_AtomicXor, p, v)
#define atomic_fetch_min(p, v)            __wave_fetch_all(__wave_atomic_Min, p, v)
#define atomic_fetch_max(p, v)            __wave_fetch_all(__wave_atomic_Max, p, v)
#define atomic_exchange_explicit(p, ...)  __wave_fetch_some(__spirv_AtomicExchange, p, __VA_ARGS__)
#define atomic_fetch_add_explicit(p, ...) __wave_fetch_some(__spirv_AtomicIAdd, p, __VA_ARGS__)
#define atomic_fetch_sub_explicit(p, ...) __wave_fetch_some(__spirv_AtomicISub, p, __VA_ARGS__)
#define atomic_fetch_and_explicit(p, ...) __wave_fetch_some(__spirv_AtomicAnd, p, __VA_ARGS__)
#define atomic_fetch_or_explicit(p, ...)  __wave_fetch_some(__spirv_AtomicOr, p, __VA_ARGS__)
#define atomic_fetch_xor_explicit(p, ...) __wave_fetch_some(__spirv_AtomicXor, p, __VA_ARGS__)
#define atomic_fetch_min_explicit(p, ...) __wave_fetch_some(__wave_atomic_Min, p, __VA_ARGS__)
#define atomic_fetch_max_explicit(p, ...) __wave_fetch_some(__wave_atomic_Max, p, __VA_ARGS__)

    /* ---- Fences and barriers ---- */

    void __wave_overload __spirv_MemoryBarrier(uint, uint);
void __wave_overload __spirv_ControlBarrier(uint, uint, uint);

#define __wave_memory(flags)                                                                       \
    (((flags)&CLK_LOCAL_MEM_FENCE ? 0x100 : 0) | ((flags)&CLK_GLOBAL_MEM_FENCE ? 0x200 : 0))
#define mem_fence(flags)       __spirv_MemoryBarrier(2, 8 | __wave_memory(flags))
#define read_mem_fence(flags)  __spirv_MemoryBarrier(2, 2 | __wave_memory(flags))
#define write_mem_fence(flags) __spirv_MemoryBarrier(2, 4 | __wave_memory(flags))
#define __wave_sub_group_barrier(flags, scope, ...)                                                \
    __spirv_ControlBarrier(3, __wave_scope(scope), 16 | __wave_memory(flags))
#define sub_group_barrier(...) __wave_sub_group_barrier(__VA_ARGS__, memory_scope_sub_group, )
/* clang 22 uses the scope of the memory as the scope of execution too. */
#define __wave_work_group_barrier(flags, scope, ...)                                               \
    __spirv_ControlBarrier(2, __wave_scope(scope), 16 | __wave_memory(flags))
#if __OPENCL_C_VERSION__ >= 200
#define work_group_barrier(...) __wave_work_group_barrier(__VA_ARGS__, memory_scope_work_group, )
#endif

/* ---- Halves in memory ---- */

/* clang 22 turns this into vload_half3, which does not skip every fourth element. */
#define vloada_half3(i, p) vload_half3(0, (p) + 4 * (i))

/* ---- Memory ---- */

/* Whether a pointer points to local memory, encoded as the size of a result. */
char __wave_overload __wave_place(const volatile __local void *);
short __wave_overload __wave_place(const volatile __global void *);
#define __wave_is_local(p) (sizeof(__wave_place(p)) == 1)

/* clang 22 leaves to_global and related functions undefined. Its own declarations determine the
 * types of the results; the numbers are SPIR-V's storage classes. */
#if __OPENCL_C_VERSION__ >= 200
#define __wave_cast(storage, p)                                                                    \
    __builtin_spirv_generic_cast_to_ptr_explicit((const volatile void *)(p), storage)
#define to_global(p)  ((__typeof__(to_global(p)))__wave_cast(5, p))
#define to_local(p)   ((__typeof__(to_local(p)))__wave_cast(4, p))
#define to_private(p) ((__typeof__(to_private(p)))__wave_cast(7, p))
#define get_fence(p)  (__wave_cast(4, p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE)
#endif

/* ---- Asynchronous copies: the work-items share the copy, the wait is a barrier ---- */

/* Elements are copied as integers T of their size: the specification treats vectors of 3 components
 * like those of 4, so the fourth is copied too. The stride applies to global memory. The functions
 * are overloaded on the size, which is the length of an array that does not exist. */
/* clang-format off */
#define __wave_copy_function(T, D, S, to_stride, from_stride) \
    inline __attribute__((always_inline, nodebug)) event_t __wave_overload \
    __wave_copy(D void *__wave_to, const S void *__wave_from, size_t __wave_n, \
                size_t __wave_stride, event_t __wave_e, __private char (*__wave_size)[sizeof(T)]) { \
        size_t __wave_x = get_local_size(0), __wave_y = get_local_size(1); \
        size_t __wave_step = __wave_x * __wave_y * get_local_size(2); \
        size_t __wave_i = \
            (get_local_id(2) * __wave_y + get_local_id(1)) * __wave_x + get_local_id(0); \
        for (; __wave_i < __wave_n; __wave_i += __wave_step) \
            ((D T *)__wave_to)[__wave_i * (to_stride)] = \
                ((const S T *)__wave_from)[__wave_i * (from_stride)]; \
        return __wave_e; \
    }
#define __wave_copy_functions(T) \
    __wave_copy_function(T, __local, __global, 1, __wave_stride) \
    __wave_copy_function(T, __global, __local, __wave_stride, 1)
__wave_copy_functions(uchar);
__wave_copy_functions(ushort);
__wave_copy_functions(uint);
__wave_copy_functions(uint2);
__wave_copy_functions(uint4);
__wave_copy_functions(uint8);
__wave_copy_functions(uint16);
__wave_copy_functions(ulong16);
#define async_work_group_strided_copy(dst, src, n, stride, e) \
    ({ \
        _Static_assert(__builtin_types_compatible_p(__typeof_unqual__(*(dst)), \
                                                    __typeof_unqual__(*(src))), \
                       "the source and the destination have different types"); \
        _Static_assert(__alignof__(*(dst)) == sizeof(*(dst)), \
                       "only scalars and vectors can be copied"); \
        __wave_copy((dst), (src), (n), (stride), (e), (__private char (*)[sizeof(*(dst))])0); \
    })
#define async_work_group_copy(dst, src, n, e) async_work_group_strided_copy(dst, src, n, 1, e)
/* clang-format on */
#define wait_group_events(n, events)                                                               \
    ((void)(n), (void)(events), barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE))

/* ---- Features that WAVE does not have ----
 *
 * The SPIR-V reader rejects them, but the module has no line numbers. These warnings show the line.
 * Code that no kernel needs still compiles. clang's back end crashes at enqueue_kernel, so that is
 * an error. Each macro expands to its own name, which the preprocessor does not expand again. */

#if __OPENCL_C_VERSION__ >= 120 /* before, there are no variadic functions */
int printf(__constant const char *restrict, ...)
    __attribute__((diagnose_if(1, "WAVE has no console", "warning")));
#endif
#define image1d_t             _Pragma("GCC warning \"WAVE has no images\"") image1d_t
#define image1d_array_t       _Pragma("GCC warning \"WAVE has no images\"") image1d_array_t
#define image1d_buffer_t      _Pragma("GCC warning \"WAVE has no images\"") image1d_buffer_t
#define image2d_t             _Pragma("GCC warning \"WAVE has no images\"") image2d_t
#define image2d_array_t       _Pragma("GCC warning \"WAVE has no images\"") image2d_array_t
#define image2d_depth_t       _Pragma("GCC warning \"WAVE has no images\"") image2d_depth_t
#define image2d_array_depth_t _Pragma("GCC warning \"WAVE has no images\"") image2d_array_depth_t
#define image3d_t             _Pragma("GCC warning \"WAVE has no images\"") image3d_t
#define sampler_t             _Pragma("GCC warning \"WAVE has no samplers\"") sampler_t
#define enqueue_kernel        _Pragma("GCC error \"WAVE kernels cannot enqueue others\"") enqueue_kernel
#if __OPENCL_C_VERSION__ >= 200 /* a keyword */
#define pipe _Pragma("GCC warning \"WAVE has no pipes\"") pipe
#endif
