/* The machine that runs emitted HIP, MSL and SYCL on the CPU: every lane is a fiber, lanes meet at
 * wave collectives and barriers. The vendors' names in hip/, metal/ and sycl/ are implemented with
 * this header, so it is compiled as C++17 by kernels and as C11 by the machine itself (machine.c).
 *
 * A kernel calls these functions only from its lanes. None of them returns after an error: the
 * launch ends with it. */
#ifndef SIMT_SIMT_H
#define SIMT_SIMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define SIMT_NO_RETURN [[noreturn]]
extern "C" {
#else
#define SIMT_NO_RETURN _Noreturn
#endif

/* Kernels are loaded at run time and resolve these names in the program that loads them. */
#define SIMT_EXPORT __attribute__((visibility("default")))

typedef enum simt_error {
    SIMT_OK,
    SIMT_DIVERGENT_BARRIER,  /* not every thread of the workgroup reaches the same barrier */
    SIMT_PARTIAL_COLLECTIVE, /* not every lane of the wave reaches the same collective */
    SIMT_NOT_UNIFORM,        /* an operand differs within a wave where it must be uniform */
    SIMT_DEADLOCK,           /* some lanes wait forever, others loop forever */
    SIMT_ENDLESS,            /* lanes loop forever */
    SIMT_OUT_OF_BOUNDS,      /* an access outside the arena or the local memory */
    SIMT_STACK,              /* a lane's stack is too small */
    SIMT_TRAP,               /* the kernel stopped itself */
    SIMT_UNDEFINED,  /* what the vendor leaves undefined, or a feature that the chip lacks */
    SIMT_CRASH,      /* any other signal */
    SIMT_NO_COMPILE, /* the compiler rejects the text */
    SIMT_ERROR_COUNT
} simt_error;

enum { SIMT_MAX_WIDTH = 64, SIMT_MAX_THREADS = 1024 };

/* ---- The state of a lane ---- */

typedef struct simt_lane {
    uint32_t position[3]; /* in the workgroup */
    uint32_t linear;      /* the same as one number */
    uint32_t lane;        /* in the wave */
} simt_lane;

/* A matrix unit's result for a sum plus the products of `count` pairs of f16 or bf16; all are bit
 * patterns. */
typedef uint32_t simt_dot(bool bf16, const uint16_t *a, const uint16_t *b, uint32_t count,
                          uint32_t sum);

typedef struct simt_launch_info {
    uint32_t grid[3], group[3]; /* workgroups, threads */
    uint32_t workgroup[3];      /* the one that runs */
    uint32_t width;
    uint64_t exists; /* lanes of the current lane's wave: not all in a partial one */
    uint32_t waves;  /* of a workgroup */
    uint32_t gfx;    /* HIP: the chip's generation */
    const uint8_t *shared, *shared_end; /* local memory and its guards */
    simt_dot *dot;                      /* NULL: one fma after the other */
} simt_launch_info;

extern SIMT_EXPORT const simt_lane *simt_self;
extern SIMT_EXPORT simt_launch_info simt_info;

/* ---- Where lanes meet and the scheduler may switch ---- */

/* Every existing lane of the wave contributes a value; returns all values by lane, valid until the
 * lane's next collective. Lanes must agree in `site`, a number for the place in the text, and
 * `kind`, the operation's name. */
SIMT_EXPORT const uint32_t *simt_exchange(uint32_t site, const char *kind, uint32_t value);

/* The scope of a fence, its order, and the memory it applies to (bits). */
typedef enum simt_scope { SIMT_SCOPE_WAVE, SIMT_SCOPE_GROUP, SIMT_SCOPE_DEVICE } simt_scope;
enum { SIMT_ACQUIRE = 1, SIMT_RELEASE = 2 };
enum { SIMT_DEVICE = 1, SIMT_LOCAL = 2, SIMT_ALL_MEMORY = 3 };

/* All threads of the workgroup meet; their accesses to the memory of `spaces` are ordered. */
SIMT_EXPORT void simt_barrier(uint32_t site, simt_scope scope, uint32_t spaces);

/* All lanes of the wave meet. Each releases before and acquires after that, according to `order`.
 */
SIMT_EXPORT void simt_wave_barrier(uint32_t site, const char *kind, simt_scope scope,
                                   uint32_t order, uint32_t spaces);

/* A fence of one lane. Other lanes may run before it. */
SIMT_EXPORT void simt_fence(simt_scope scope, uint32_t order, uint32_t spaces);

/* Call before an atomic on `size` bytes: other lanes may run here, but none until the atomic is
 * done. */
SIMT_EXPORT void simt_atomic(const volatile void *at, size_t size);

/* Other lanes may run here. */
SIMT_EXPORT void simt_pause(void);

/* Counts loop iterations down to the next switch of lanes. */
extern SIMT_EXPORT int64_t simt_ticks;
SIMT_EXPORT void simt_tick_over(void);

/* Loops are `while (simt_tick() && condition)`: an endless one ends with an error. */
static inline bool simt_tick(void) {
    if (--simt_ticks < 0)
        simt_tick_over();
    return true;
}

/* A value that the vendor leaves undefined: a different one each time, determined by the launch's
 * seed. */
SIMT_EXPORT uint32_t simt_garbage(void);

SIMT_NO_RETURN SIMT_EXPORT void simt_fail(simt_error error, const char *message);

/* ---- The simt_entries that a unit of compiled kernels exports ---- */

typedef struct simt_params {
    uint8_t *memory;
    uint64_t memory_size;
    const uint32_t *args;
    uint32_t *status;  /* two words: 1 and the message id after an assert has failed */
    uint32_t shape[2]; /* SYCL: x and y of the workgroup, which may be launched as one row */
} simt_params;

/* SYCL: the optional parameters of a kernel. Launchers pass them by position, so they must be those
 * of the launch contract. */
enum { SIMT_TAKES_SIZE = 1, SIMT_TAKES_STATUS = 2, SIMT_TAKES_SHAPE = 4 };

typedef struct simt_entry {
    void (*call)(const simt_params *params);
    size_t arg_bytes;             /* of the argument structure; 0: the kernel takes none */
    uint8_t *shared, *shared_end; /* local memory with a guard on each side, or NULL */
    uint8_t *guards[2];
    size_t guard_bytes;
    uint32_t takes;     /* SYCL: SIMT_TAKES_… */
    size_t local_bytes; /* SYCL: of the parameter for local memory */
} simt_entry;

#ifdef __cplusplus
}
#endif

#endif
