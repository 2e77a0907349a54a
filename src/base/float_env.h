/* The floating-point environment of the calling thread: saved, set to the default that all
 * arithmetic here assumes (to nearest even, subnormals kept, no traps), and restored. On x86-64
 * floats and doubles depend only on MXCSR, so that wavec need not be linked with libm. */
#ifndef BASE_FLOAT_ENV_H
#define BASE_FLOAT_ENV_H

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
typedef unsigned float_env;

static inline float_env float_env_begin(void) {
    float_env before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1F80);
    return before;
}

static inline void float_env_end(float_env before) {
    __builtin_ia32_ldmxcsr(before);
}
#else
#include <fenv.h>

typedef fenv_t float_env;

static inline float_env float_env_begin(void) {
    float_env before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    return before;
}

static inline void float_env_end(float_env before) {
    fesetenv(&before);
}
#endif

#endif
