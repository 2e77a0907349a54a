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
    WAVE_TARGET_WBIN, /* not a vendor: optimised WBIN */
    WAVE_TARGET_COUNT,
    WAVE_TARGET_VENDORS = WAVE_TARGET_WBIN /* the targets before it compile for devices */
} wave_target;

/* "ptx" and so on; NULL when `target` is out of range. */
WAVE_API const char *wave_target_name(wave_target target);
/* The target with this name; -1 when this build does not have it. */
WAVE_API int wave_target_find(const char *name);
/* The suffix of the target's files: ".ptx". */
WAVE_API const char *wave_target_suffix(wave_target target);

/* Architectures of a target by index, the default first; NULL past the last. */
WAVE_API const char *wave_target_arch(wave_target target, unsigned index);
/* The wave widths that the architecture supports (NULL: the target's default). Each width is a
 * power of two; the result is their bitwise OR, or 0 when the target does not know the
 * architecture. */
WAVE_API uint32_t wave_target_widths(wave_target target, const char *arch);

/* ---- Queries: the constants and capabilities of the specification, without a device ---- */

typedef enum wave_constant {
    WAVE_CONSTANT_WAVE_WIDTH,
    WAVE_CONSTANT_MAX_REGISTERS,
    WAVE_CONSTANT_REGISTER_FILE_SIZE, /* bytes per core */
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

enum {
    WAVE_MMA_F16_F32 = 1,
    WAVE_MMA_BF16_F32 = 2,
    WAVE_MMA_F32_F32 = 4,
    WAVE_MMA_I8_I32 = 8,
    WAVE_MMA_U8_I32 = 16
};

/* "WAVE_WIDTH", "CAP_F64" and so on, in the order of the specification; NULL past the last. */
WAVE_API const char *wave_constant_name(unsigned index);
WAVE_API const char *wave_capability_name(unsigned index);
/* Queries an architecture (NULL: the target's default), for waves of `wave_width` lanes (0: the
 * architecture's default).
 * WAVE_ERROR_USAGE when there is no such name, architecture or width. */
WAVE_API wave_status wave_query_constant(wave_target target, const char *arch, uint32_t wave_width,
                                         const char *name, uint64_t *value);
WAVE_API wave_status wave_query_capability(wave_target target, const char *arch, const char *name,
                                           bool *present);
/* All constants and capabilities, one per line or as JSON. */
WAVE_API wave_status wave_query_format(wave_target target, const char *arch, uint32_t wave_width,
                                       bool json, wave_blob *out);
/* The names of a set of MMA_TYPES: "f16_f32 f32_f32". */
WAVE_API wave_status wave_mma_types_text(uint64_t types, wave_blob *out);

/* ---- Compiling ---- */

/* Fill with wave_compile_init, then change what differs. All pointers are borrowed. */
typedef struct wave_compile_options {
    wave_target target;
    const char *arch;           /* "sm_75"; NULL: the target's default */
    uint32_t wave_width;        /* 0: the target's default */
    const char *const *kernels; /* names of the kernels to compile, each once; NULL: all */
    size_t kernel_count;
    bool optimise;      /* -O2; otherwise only mandatory passes */
    bool fast_math;     /* the vendor's approximations, and contraction (docs/reference/math.md) */
    bool native_mma;    /* f16 and bf16 tiles round as the matrix units do; implied by fast_math */
    bool bounds;        /* check every access against the size of the memory */
    bool lockstep;      /* insert wave fences where lanes of a wave may access the same bytes */
    bool warn_order;    /* W_WAVE_ORDER where such fences are missing, unless lockstep is set */
    bool deterministic; /* fixed order of float sums, or E_ORDER (docs/reference/memory-model.md) */
    bool warn_width;    /* W_BALLOT_WIDTH where waves have more than 32 lanes */
    bool warn;          /* the other warnings of wave_check_kernels */
    bool assert_trap;   /* lanes halt where an assert fails; otherwise asserts are left out */
    bool extensions;    /* WBIN: allow ISA extensions even if the module uses none */
    bool always;        /* WBIN: use the new code even if it is not estimated to be faster */
    bool debug;         /* name the instruction that each group of lines comes from */
    bool verify_ir;     /* check the IR after every pass */
    const char *source; /* name of the input, for comments */
    const char *command; /* command line that produced the text, for its first comment */

    /* For debug, when the module has no source lines: the file name of its disassembly, as
     * wave_disassemble prints it with WAVE_MODE_LENIENT and no other option. NULL: the text then
     * has no line information. */
    const char *listing;

    const char *dump_ir; /* "build", a pass, or "all": the IR then goes to *dump */
    wave_blob *dump;
    /* Called after every pass, when not NULL. */
    void (*timed)(void *user, const char *kernel, const char *pass, double seconds,
                  uint32_t operations);
    void *user;
} wave_compile_options;

WAVE_API void wave_compile_init(wave_compile_options *options);

/* All chosen kernels in one text. On error *out is empty. */
WAVE_API wave_status wave_compile(const wave_module *module, const wave_compile_options *options,
                                  wave_blob *out, wave_diags *diags);

/* The same from the IR of one kernel, as printed by dump_ir. */
WAVE_API wave_status wave_compile_ir(const char *text, size_t size,
                                     const wave_compile_options *options, wave_blob *out,
                                     wave_diags *diags);

/* Warns (W_WAVE_ORDER) where a lane may load what another lane of its wave stores, without a fence
 * or barrier between the two. A wave_width of 0 means 32. */
WAVE_API wave_status wave_check_order(const wave_module *module, uint32_t wave_width,
                                      wave_diags *diags);

/* All the compiler's warnings: W_WAVE_ORDER unless `lockstep`, W_LOCAL_BOUNDS where a constant
 * address is outside local memory, W_ORDER where lanes sum floats in no fixed order. A wave_width
 * of 0 means 32. */
WAVE_API wave_status wave_check_kernels(const wave_module *module, uint32_t wave_width,
                                        bool lockstep, wave_diags *diags);
/* Warns (W_ARGUMENT_GAP) where a kernel that declares no arguments reads a register as an argument
 * but not the registers just before it: often a mistyped number. */
WAVE_API wave_status wave_check_arguments(const wave_module *module, wave_diags *diags);

/* JSON about the module's kernels as this target sees them: symbols, argument words, sizes, uses.
 */
WAVE_API wave_status wave_reflect(const wave_module *module, const wave_compile_options *options,
                                  wave_blob *out, wave_diags *diags);

/* A C header for host code: argument structures, sizes and symbols of the kernels. */
WAVE_API wave_status wave_host_header(const wave_module *module,
                                      const wave_compile_options *options, const char *guard,
                                      wave_blob *out, wave_diags *diags);

/* Names of the passes for dump_ir, in order; NULL past the last. */
WAVE_API const char *wave_pass_name(unsigned index);

#ifdef __cplusplus
}
#endif

#endif
