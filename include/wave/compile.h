/* The cross-compiler of libwave: a validated module in, the source text of a target out. */
#ifndef WAVE_COMPILE_H
#define WAVE_COMPILE_H

#include <wave/wave.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wave_target {
    WAVE_TARGET_PTX,
    WAVE_TARGET_HIP,
    WAVE_TARGET_SYCL,
    WAVE_TARGET_MSL,
    WAVE_TARGET_COUNT
} wave_target;

/* "ptx" and so on; NULL for a number that is none. */
WAVE_API const char *wave_target_name(wave_target target);
/* -1 when there is no such target in this build. */
WAVE_API int wave_target_find(const char *name);
/* What a file of the target is called: ".ptx". */
WAVE_API const char *wave_target_suffix(wave_target target);

/* Architectures of a target by index, the default first; NULL behind the last. */
WAVE_API const char *wave_target_arch(wave_target target, unsigned index);
/* Lanes that a wave may have there, as a sum of powers of two; 0 when the target does not know the
 * architecture. NULL is the default one. */
WAVE_API uint32_t wave_target_widths(wave_target target, const char *arch);

/* ---- Queries: the constants and capabilities of the specification, without a device ---- */

typedef enum wave_constant {
    WAVE_CONSTANT_WAVE_WIDTH,
    WAVE_CONSTANT_MAX_REGISTERS,
    WAVE_CONSTANT_REGISTER_FILE_SIZE, /* bytes, of a core */
    WAVE_CONSTANT_LOCAL_MEMORY_SIZE,
    WAVE_CONSTANT_MAX_WORKGROUP_SIZE,
    WAVE_CONSTANT_MAX_WORKGROUPS_PER_CORE,
    WAVE_CONSTANT_MAX_WAVES_PER_CORE,
    WAVE_CONSTANT_DEVICE_MEMORY_SIZE, /* without a device: what a kernel can address */
    WAVE_CONSTANT_CLUSTER_SIZE,
    WAVE_CONSTANT_MAX_CALL_DEPTH,
    WAVE_CONSTANT_MIN_DIVERGENCE_DEPTH,
    WAVE_CONSTANT_MMA_M,
    WAVE_CONSTANT_MMA_N,
    WAVE_CONSTANT_MMA_K,
    WAVE_CONSTANT_MMA_TYPES, /* a set of WAVE_MMA_… bits */
    WAVE_CONSTANT_COUNT
} wave_constant;

typedef enum wave_capability {
    WAVE_CAPABILITY_F64,
    WAVE_CAPABILITY_ATOMIC_64,
    WAVE_CAPABILITY_ATOMIC_F32,
    WAVE_CAPABILITY_MMA,
    WAVE_CAPABILITY_RECURSION,
    WAVE_CAPABILITY_CLUSTER,
    WAVE_CAPABILITY_COUNT
} wave_capability;

enum { WAVE_MMA_F16_F32 = 1, WAVE_MMA_BF16_F32 = 2, WAVE_MMA_F32_F32 = 4 };

/* "WAVE_WIDTH", "CAP_F64" and so on, in the order of the specification; NULL behind the last. */
WAVE_API const char *wave_constant_name(unsigned index);
WAVE_API const char *wave_capability_name(unsigned index);
/* Of an architecture (NULL: the target's default), for waves of `wave_width` lanes (0: its own).
 * WAVE_ERROR_USAGE when there is no such name, architecture or width. */
WAVE_API wave_status wave_query_constant(wave_target target, const char *arch, uint32_t wave_width,
                                         const char *name, uint64_t *value);
WAVE_API wave_status wave_query_capability(wave_target target, const char *arch, const char *name,
                                           bool *present);
/* All of them, one a line or as JSON. */
WAVE_API wave_status wave_query_format(wave_target target, const char *arch, uint32_t wave_width,
                                       bool json, wave_blob *out);
/* The set of MMA_TYPES by name: "f16_f32 f32_f32". */
WAVE_API wave_status wave_mma_types_text(uint64_t types, wave_blob *out);

/* ---- Compiling ---- */

/* Fill with wave_compile_init, then change what differs. All pointers are borrowed. */
typedef struct wave_compile_options {
    wave_target target;
    const char *arch;           /* "sm_75"; NULL: the target's default */
    uint32_t wave_width;        /* 0: the target's */
    const char *const *kernels; /* names of those to compile, each once; NULL: all */
    size_t kernel_count;
    bool optimise;       /* -O2; otherwise only what must be done */
    bool fast_math;      /* the vendor's fsin, fcos, fexp2 and flog2 instead of exact ones */
    bool bounds;         /* check every access against the size of the memory */
    bool lockstep;       /* wave fences where lanes of a wave may meet each other's bytes */
    bool warn_order;     /* W_WAVE_ORDER where they lack, unless lockstep puts them there */
    bool deterministic;  /* float sums in a fixed order, or E_ORDER: docs/memory-model.md */
    bool warn;           /* the other warnings of wave_check_kernels */
    bool assert_trap;    /* lanes halt where an assert fails; otherwise asserts are left out */
    bool debug;          /* say which instruction each group of lines comes from */
    bool verify_ir;      /* check the IR after every pass */
    const char *source;  /* name of the input, for comments */
    const char *command; /* how the text was made, for its first comment */

    /* For debug, when the module does not know the lines of its source: what its disassembly is
     * called, as wave_disassemble makes it with WAVE_MODE_LENIENT and no other option. NULL: no
     * lines are told then. */
    const char *listing;

    const char *dump_ir; /* "build", a pass, or "all": the IR then goes to *dump */
    wave_blob *dump;
    /* Told after every pass, when not NULL. */
    void (*timed)(void *user, const char *kernel, const char *pass, double seconds,
                  uint32_t operations);
    void *user;
} wave_compile_options;

WAVE_API void wave_compile_init(wave_compile_options *options);

/* All chosen kernels in one text. On error *out is empty. */
WAVE_API wave_status wave_compile(const wave_module *module, const wave_compile_options *options,
                                  wave_blob *out, wave_diags *diags);

/* The same from the IR of one kernel, as dump_ir gives it. */
WAVE_API wave_status wave_compile_ir(const char *text, size_t size,
                                     const wave_compile_options *options, wave_blob *out,
                                     wave_diags *diags);

/* Warns (W_WAVE_ORDER) where a lane may load what another lane of its wave stores and no fence and
 * no barrier stands between the two. 0 lanes: 32. */
WAVE_API wave_status wave_check_order(const wave_module *module, uint32_t wave_width,
                                      wave_diags *diags);

/* All the compiler's warnings: W_WAVE_ORDER unless `lockstep`, W_LOCAL_BOUNDS where a constant
 * address is outside local memory, W_ORDER where lanes sum floats in no fixed order. 0 lanes: 32.
 */
WAVE_API wave_status wave_check_kernels(const wave_module *module, uint32_t wave_width,
                                        bool lockstep, wave_diags *diags);
/* Warns (W_ARGUMENT_GAP) where a kernel that declares no arguments reads a register as one and none
 * of those right before it: often a mistyped number. */
WAVE_API wave_status wave_check_arguments(const wave_module *module, wave_diags *diags);

/* JSON about the module's kernels as this target sees them: symbols, argument words, sizes, uses.
 */
WAVE_API wave_status wave_reflect(const wave_module *module, const wave_compile_options *options,
                                  wave_blob *out, wave_diags *diags);

/* A C header for host code: argument structures, sizes and symbols of the kernels. */
WAVE_API wave_status wave_host_header(const wave_module *module,
                                      const wave_compile_options *options, const char *guard,
                                      wave_blob *out, wave_diags *diags);

/* Names of the passes for dump_ir, in order; NULL behind the last. */
WAVE_API const char *wave_pass_name(unsigned index);

#ifdef __cplusplus
}
#endif

#endif
