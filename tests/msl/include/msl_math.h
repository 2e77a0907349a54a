// <metal_integer>, <metal_math>, <metal_relational>. Included by metal_stdlib inside namespace metal.

// A scalar type and its vectors.
#define MSL_EACH_WIDTH(macro, type) macro(type) macro(type##2) macro(type##3) macro(type##4)
#define MSL_EACH_INTEGER(macro)                                                                                        \
    MSL_EACH_WIDTH(macro, char)                                                                                        \
    MSL_EACH_WIDTH(macro, uchar)                                                                                       \
    MSL_EACH_WIDTH(macro, short)                                                                                       \
    MSL_EACH_WIDTH(macro, ushort)                                                                                      \
    MSL_EACH_WIDTH(macro, int)                                                                                         \
    MSL_EACH_WIDTH(macro, uint)                                                                                        \
    MSL_EACH_WIDTH(macro, long)                                                                                        \
    MSL_EACH_WIDTH(macro, ulong)

#define MSL_INTEGER_FUNCTIONS(T)                                                                                       \
    T addsat(T, T);                                                                                                    \
    T clamp(T, T, T);                                                                                                  \
    T clz(T);                                                                                                          \
    T ctz(T);                                                                                                          \
    T extract_bits(T, uint offset, uint bits);                                                                         \
    T hadd(T, T);                                                                                                      \
    T insert_bits(T base, T insert, uint offset, uint bits);                                                           \
    T madhi(T, T, T);                                                                                                  \
    T madsat(T, T, T);                                                                                                 \
    T max(T, T);                                                                                                       \
    T max3(T, T, T);                                                                                                   \
    T min(T, T);                                                                                                       \
    T min3(T, T, T);                                                                                                   \
    T mulhi(T, T);                                                                                                     \
    T popcount(T);                                                                                                     \
    T reverse_bits(T);                                                                                                 \
    T rhadd(T, T);                                                                                                     \
    T rotate(T, T);                                                                                                    \
    T subsat(T, T);
MSL_EACH_INTEGER(MSL_INTEGER_FUNCTIONS)
#undef MSL_INTEGER_FUNCTIONS

// abs and absdiff of a signed type return the unsigned type.
#define MSL_ABSOLUTE(S, U)                                                                                             \
    U abs(S);                                                                                                          \
    U abs(U);                                                                                                          \
    U absdiff(S, S);                                                                                                   \
    U absdiff(U, U);
#define MSL_ABSOLUTE_WIDTHS(S, U) MSL_ABSOLUTE(S, U) MSL_ABSOLUTE(S##2, U##2) MSL_ABSOLUTE(S##3, U##3) MSL_ABSOLUTE(S##4, U##4)
MSL_ABSOLUTE_WIDTHS(char, uchar)
MSL_ABSOLUTE_WIDTHS(short, ushort)
MSL_ABSOLUTE_WIDTHS(int, uint)
MSL_ABSOLUTE_WIDTHS(long, ulong)
#undef MSL_ABSOLUTE_WIDTHS
#undef MSL_ABSOLUTE

// In metal:: for half and float; also in precise:: and fast:: for float.
#define MSL_FLOAT_FUNCTIONS(T)                                                                                         \
    T abs(T);                                                                                                          \
    T ceil(T);                                                                                                         \
    T clamp(T, T, T);                                                                                                  \
    T cos(T);                                                                                                          \
    T divide(T, T);                                                                                                    \
    T exp(T);                                                                                                          \
    T exp2(T);                                                                                                         \
    T fabs(T);                                                                                                         \
    T floor(T);                                                                                                        \
    T fmax(T, T);                                                                                                      \
    T fmin(T, T);                                                                                                      \
    T fmod(T, T);                                                                                                      \
    T fract(T);                                                                                                        \
    T log(T);                                                                                                          \
    T log2(T);                                                                                                         \
    T max(T, T);                                                                                                       \
    T min(T, T);                                                                                                       \
    T pow(T, T);                                                                                                       \
    T rint(T);                                                                                                         \
    T round(T);                                                                                                        \
    T rsqrt(T);                                                                                                        \
    T saturate(T);                                                                                                     \
    T sin(T);                                                                                                          \
    T sqrt(T);                                                                                                         \
    T trunc(T);
#define MSL_PLAIN_FLOAT_FUNCTIONS(T)                                                                                   \
    T copysign(T, T);                                                                                                  \
    T fdim(T, T);                                                                                                      \
    T fma(T, T, T);                                                                                                    \
    T mix(T, T, T);                                                                                                    \
    T sign(T);                                                                                                         \
    T step(T, T);
MSL_EACH_WIDTH(MSL_FLOAT_FUNCTIONS, half)
MSL_EACH_WIDTH(MSL_FLOAT_FUNCTIONS, float)
MSL_EACH_WIDTH(MSL_PLAIN_FLOAT_FUNCTIONS, half)
MSL_EACH_WIDTH(MSL_PLAIN_FLOAT_FUNCTIONS, float)
namespace precise {
MSL_EACH_WIDTH(MSL_FLOAT_FUNCTIONS, float)
}
namespace fast {
MSL_EACH_WIDTH(MSL_FLOAT_FUNCTIONS, float)
}
#undef MSL_FLOAT_FUNCTIONS
#undef MSL_PLAIN_FLOAT_FUNCTIONS

#define MSL_RELATIONAL(T)                                                                                              \
    bool isfinite(T);                                                                                                  \
    bool isinf(T);                                                                                                     \
    bool isnan(T);                                                                                                     \
    bool isnormal(T);                                                                                                  \
    bool isordered(T, T);                                                                                              \
    bool isunordered(T, T);                                                                                            \
    bool signbit(T);
MSL_RELATIONAL(half)
MSL_RELATIONAL(float)
#undef MSL_RELATIONAL

// select(a, b, c): b where c is true.
#define MSL_SELECT(T) T select(T, T, bool);
MSL_SELECT(char)
MSL_SELECT(uchar)
MSL_SELECT(short)
MSL_SELECT(ushort)
MSL_SELECT(int)
MSL_SELECT(uint)
MSL_SELECT(long)
MSL_SELECT(ulong)
MSL_SELECT(half)
MSL_SELECT(float)
#undef MSL_SELECT

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define MAXFLOAT 0x1.fffffep127f
