// Scalar and vector types, address spaces, as_type, and the constructors of vectors. Included by metal_stdlib.

// Address spaces. `constant` and `kernel` are keywords of OpenCL with the meaning they have in Metal.
#define device __global
#define threadgroup __local
#define thread __private
#if __METAL_VERSION__ >= 320
#define coherent(scope) MSL_COHERENT_##scope
#define MSL_COHERENT_device // the only scope that exists
#else
#define coherent(scope) coherent_needs_metal_3_2
#endif

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;
typedef ulong size_t;
typedef long ptrdiff_t;

#define MSL_VECTORS(type)                                                                                              \
    typedef type type##2 __attribute__((ext_vector_type(2)));                                                          \
    typedef type type##3 __attribute__((ext_vector_type(3)));                                                          \
    typedef type type##4 __attribute__((ext_vector_type(4)));
MSL_VECTORS(char)
MSL_VECTORS(uchar)
MSL_VECTORS(short)
MSL_VECTORS(ushort)
MSL_VECTORS(int)
MSL_VECTORS(uint)
MSL_VECTORS(long)
MSL_VECTORS(ulong)
MSL_VECTORS(half)
MSL_VECTORS(float)
#undef MSL_VECTORS

// uint2(a, b): clang has no constructors of vectors; a function-like macro does not affect other
// uses of the type.
#define MSL_CONSTRUCTORS(type)                                                                                         \
    type##2 msl_make_##type##2(type);                                                                                  \
    type##2 msl_make_##type##2(type, type);                                                                            \
    type##3 msl_make_##type##3(type);                                                                                  \
    type##3 msl_make_##type##3(type, type, type);                                                                      \
    type##3 msl_make_##type##3(type##2, type);                                                                         \
    type##3 msl_make_##type##3(type, type##2);                                                                         \
    type##4 msl_make_##type##4(type);                                                                                  \
    type##4 msl_make_##type##4(type, type, type, type);                                                                \
    type##4 msl_make_##type##4(type##2, type##2);                                                                      \
    type##4 msl_make_##type##4(type##3, type);                                                                         \
    type##4 msl_make_##type##4(type, type##3);
MSL_CONSTRUCTORS(char)
MSL_CONSTRUCTORS(uchar)
MSL_CONSTRUCTORS(short)
MSL_CONSTRUCTORS(ushort)
MSL_CONSTRUCTORS(int)
MSL_CONSTRUCTORS(uint)
MSL_CONSTRUCTORS(long)
MSL_CONSTRUCTORS(ulong)
MSL_CONSTRUCTORS(half)
MSL_CONSTRUCTORS(float)
#undef MSL_CONSTRUCTORS
#define char2(...) msl_make_char2(__VA_ARGS__)
#define char3(...) msl_make_char3(__VA_ARGS__)
#define char4(...) msl_make_char4(__VA_ARGS__)
#define uchar2(...) msl_make_uchar2(__VA_ARGS__)
#define uchar3(...) msl_make_uchar3(__VA_ARGS__)
#define uchar4(...) msl_make_uchar4(__VA_ARGS__)
#define short2(...) msl_make_short2(__VA_ARGS__)
#define short3(...) msl_make_short3(__VA_ARGS__)
#define short4(...) msl_make_short4(__VA_ARGS__)
#define ushort2(...) msl_make_ushort2(__VA_ARGS__)
#define ushort3(...) msl_make_ushort3(__VA_ARGS__)
#define ushort4(...) msl_make_ushort4(__VA_ARGS__)
#define int2(...) msl_make_int2(__VA_ARGS__)
#define int3(...) msl_make_int3(__VA_ARGS__)
#define int4(...) msl_make_int4(__VA_ARGS__)
#define uint2(...) msl_make_uint2(__VA_ARGS__)
#define uint3(...) msl_make_uint3(__VA_ARGS__)
#define uint4(...) msl_make_uint4(__VA_ARGS__)
#define long2(...) msl_make_long2(__VA_ARGS__)
#define ulong2(...) msl_make_ulong2(__VA_ARGS__)
#define half2(...) msl_make_half2(__VA_ARGS__)
#define half3(...) msl_make_half3(__VA_ARGS__)
#define half4(...) msl_make_half4(__VA_ARGS__)
#define float2(...) msl_make_float2(__VA_ARGS__)
#define float3(...) msl_make_float3(__VA_ARGS__)
#define float4(...) msl_make_float4(__VA_ARGS__)
// The same for wavec's names of types that may alias.
#define mem_u32x2(...) msl_make_uint2(__VA_ARGS__)
#define mem_u32x4(...) msl_make_uint4(__VA_ARGS__)
#define mem_f32x2(...) msl_make_float2(__VA_ARGS__)
#define mem_f32x4(...) msl_make_float4(__VA_ARGS__)

// Reinterprets bits; the sizes must match, which clang checks.
template <typename To, typename From> To as_type(From from) {
    return __builtin_astype(from, To);
}
