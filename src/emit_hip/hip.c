/* HIP: AMD's C++. Types, spellings, and the text around a kernel's code. Wave operations are in
 * hip_wave.c; docs/reference/hip.md says why each form is exact. */
#include "emit_hip/hip.h"

#include "emit/c_rows.h"

#include <string.h>

enum { GFX90A = 0x90A, GFX942 = 0x942, GFX1030 = 0x1030, GFX1100 = 0x1100 };

/* gfx10 and gfx11 also support waves of 64 lanes, but AMD's headers reject them. */
static const emit_arch archs[] = {{"gfx942", GFX942, 65536, 64, 64, 1024},
                                  {"gfx90a", GFX90A, 65536, 64, 64, 1024},
                                  {"gfx1030", GFX1030, 65536, 32, 32, 1024},
                                  {"gfx1100", GFX1100, 65536, 32, 32, 1024},
                                  {0}};

static const c_units units[] = {
    {GFX942, 64, 1u << IR_ELEMENT_I8, C_FLOATS, HIP_TILE_942},
    {GFX90A, 64, 1u << IR_ELEMENT_I8, C_FLOATS, HIP_TILE_90A},
    {GFX1100, 32, 1u << IR_ELEMENT_I8 | 1u << IR_ELEMENT_U8, C_FLOATS, HIP_TILE_WMMA},
    {0}};

/* ---- Tables ---- */

#define CAST(to, x) "__builtin_bit_cast(" to ", " x ")"

/* Products and sums are our own text, under its contraction pragma. The header's fmaf is not: it is
 * compiled with contraction on, so clang could fuse what is left of it when an operand is 1. */
static const c_form forms[IR_OP_COUNT] = {
    C_WORD_FORMS("", CAST, "_Float16"),
    C_FLOAT_FORMS("", "f", "sqrtf"),
    C_DOUBLE_FORMS(""),
    [IR_IMUL_HI] = C_CALL("__umulhi($0, $1)"),
    [IR_LMUL_HI] = C_CALL("__umul64hi($0, $1)"),
    [IR_UMIN] = C_CALL("min(uint32_t($0), uint32_t($1))"),
    [IR_UMAX] = C_CALL("max(uint32_t($0), uint32_t($1))"),
    [IR_BITCOUNT] = {.text = "(uint32_t)__popc($0)", .level = C_UNARY},
    [IR_BITREV] = C_CALL("__brev($0)"),

    [IR_FMA] = C_CALL("__builtin_fmaf($0, $1, $2)"),
    [IR_FMIN] = C_CALL("fminf($0, $1)"),
    [IR_FMAX] = C_CALL("fmaxf($0, $1)"),
    /* The built-in returns __fp16, which would become a float in an expression. */
    [IR_HMA] = {.text = "(_Float16)__builtin_fmaf16($0, $1, $2)", .level = C_UNARY},
    [IR_HMA2] = C_HELP("wave_hma2($0, $1, $2)", HIP_HMA2),
    [IR_DMA] = C_CALL("__builtin_fma($0, $1, $2)"),
    [IR_DMIN] = C_CALL("fmin($0, $1)"),
    [IR_DMAX] = C_CALL("fmax($0, $1)"),
    [IR_CVT_F16_F32] = C_HELP("wave_narrow($0)", HIP_NARROW),
};

/* Single hardware instructions. */
static const c_form fast[IR_OP_COUNT] = {
    [IR_FDIV] = {.text = "$0 * __builtin_amdgcn_rcpf($1)",
                 .level = C_MULTIPLY,
                 .operands = {C_MULTIPLY, C_ANY}},
    [IR_FSQRT] = C_CALL("__builtin_amdgcn_sqrtf($0)"),
    [IR_FRCP] = C_CALL("__builtin_amdgcn_rcpf($0)"),
    [IR_FRSQRT] = C_CALL("__builtin_amdgcn_rsqf($0)"),
    [IR_FFRACT] = C_CALL("__builtin_amdgcn_fractf($0)"),
    [IR_FSIN] = C_CALL("__sinf($0)"),
    [IR_FCOS] = C_CALL("__cosf($0)"),
    [IR_FEXP2] = C_HELP("wave_exp2($0)", HIP_EXP2),
    [IR_FLOG2] = C_CALL("__log2f($0)"),
};

static const char *const bitcasts[IR_TYPE_COUNT][IR_TYPE_COUNT] = {
    [IR_F32] = {[IR_U32] = "__uint_as_float($0)", [IR_F16X2] = CAST("float", "$0")},
    [IR_U32] = {[IR_F32] = "__float_as_uint($0)", [IR_F16X2] = CAST("uint32_t", "$0")},
    [IR_F64] = {[IR_U64] = CAST("double", "$0")},
    [IR_U64] = {[IR_F64] = CAST("uint64_t", "$0")},
    [IR_F16] = {[IR_U32] = CAST("_Float16", "(uint16_t)$0")},
    /* The cast forces a value: given an element of a vector, clang would take the bits of the first
     * one. */
    [IR_F16X2] =
        {[IR_U32] = CAST("wave_half2", "(uint32_t)$0"), [IR_F32] = CAST("wave_half2", "(float)$0")},
};

static const c_entry names[C_NAMES] = {
    C_FLAT_NAMES,
    [HIP_THREAD] = {"thread", "uint32_t ", 0},
    [HIP_LANES] = {"lanes", "uint32_t ", 0},
    C_AXES(THREAD_ID, "threadIdx.", NULL, 0),
    C_AXES(WORKGROUP_ID, "blockIdx.", NULL, 0),
    C_AXES(WORKGROUP_SIZE, "blockDim.", NULL, 0),
    C_AXES(GRID_SIZE, "gridDim.", NULL, 0),
    [C_SPECIAL_NAME(WAVE_ID)] = {"wave", "uint32_t ", 0},
    [C_SPECIAL_NAME(NUM_WAVES)] = {"waves", "uint32_t ", 0},
};

static const char *const words[] = {
    "u32x2",    "uint32_t __attribute__((ext_vector_type(2)))",
    "f32x2",    "float __attribute__((ext_vector_type(2)))",
    "u32x4",    "uint32_t __attribute__((ext_vector_type(4)))",
    "f32x4",    "float __attribute__((ext_vector_type(4)))",
    "clz",      "__clz",
    "template", "template <class T> static __device__ inline",
    "put",      "__attribute__((unused)) __device__ inline void put",
    "each",     "#pragma unroll\n    for (uint32_t r = 0; r < sizeof(T) / 4; r++)\n       ",
    NULL,
};

/* ---- Atomics ---- */

static const c_atomics atomics = {
    .text = "__hip_atomic_@name(@object@values, __ATOMIC_RELAXED, @scope)",
    .help = "@helper<@scope>(@object@values)",
    .objects = {"@pointer", "@pointer"},
    .scopes = {"__HIP_MEMORY_SCOPE_WAVEFRONT", "__HIP_MEMORY_SCOPE_WORKGROUP",
               "__HIP_MEMORY_SCOPE_AGENT", "__HIP_MEMORY_SCOPE_SYSTEM"},
    .cas = {HIP_CAS, HIP_CAS},
    .cas64 = {HIP_CAS64, HIP_CAS64},
    .lacks_sub = true,
};

/* ---- Barrier and fences ---- */

/* The lanes of a wave run together and share a cache, so `sync` only keeps the compiler from moving
 * accesses.
 *
 * Accesses that a barrier or workgroup fence orders must be visible to a later device-scope release
 * by another wave. Such a release waits only for the stores of its own wave, and on gfx9 the
 * barrier does not wait for device memory. So in kernels with such a release, every wave first
 * waits for its own stores. */
static const c_fences fences = {
    .barrier = C_CALL("__syncthreads()"),
    .sync = {C_CALL("__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, \"wavefront\")"),
             C_CALL("__builtin_amdgcn_wave_barrier()")},
    .fence = "__builtin_amdgcn_fence(@order, \"@scope\")",
    .orders = {"__ATOMIC_ACQ_REL", "__ATOMIC_SEQ_CST"},
    .scopes = {"wavefront", "workgroup", "agent", ""},
    .release = C_CALL("__builtin_amdgcn_fence(__ATOMIC_RELEASE, \"agent\")"),
};

/* ---- Around the code ---- */

#define SIGNATURE(space)                                                                           \
    "extern \"C\" __global__ void __launch_bounds__(@most)" space "@symbol(@parameters) {\n"
static const c_text signature[] = {{0, SIGNATURE(" ")}, {0}};
static const c_text long_signature[] = {{0, SIGNATURE("\n")}, {0}};

static const c_list lists[] = {{"parameters", 0, ", "}, {0}};
static const c_parameter_row parameters[] = {{C_MEM, 0, {"uint8_t *@name"}},
                                             {C_ARGS, 0, {"@symbol_args@name"}},
                                             {C_SIZE, 0, {"uint64_t@name"}},
                                             {C_STATUS, 0, {"uint32_t *@name"}},
                                             {0}};

/* Whether the name (printed twice), mem_size and status are too long for one line. */
static bool is_long(const emit_options *o) {
    enum { MOST_LETTERS = 32 };
    return 2 * strlen(o->symbol) + (o->bounds ? 20 : 0) + (emit_has_status(o) ? 18 : 0) >
           MOST_LETTERS;
}

/* Wave numbers are the same in all lanes. A scalar read (readfirstlane) tells the compiler. */
static const c_value values[] = {
    {HIP_THREAD, C_IF_LINE, 0, "threadIdx.x"},
    {HIP_THREAD, C_IF_FIXED | C_IF_PLANE, 0, "threadIdx.x + threadIdx.y * @x"},
    {HIP_THREAD, C_IF_FIXED, 0, "threadIdx.x + (threadIdx.y + threadIdx.z * @y) * @x"},
    {HIP_THREAD, 0, 0, "threadIdx.x + (threadIdx.y + threadIdx.z * blockDim.y) * blockDim.x"},
    {C_SPECIAL_NAME(LANE_ID), C_IF_LINE, 0, "threadIdx.x & @last"},
    {C_SPECIAL_NAME(LANE_ID), 0, 0, "__lane_id()"},
    {C_SPECIAL_NAME(WAVE_ID), 0, C_BIT(HIP_THREAD),
     "(uint32_t)__builtin_amdgcn_readfirstlane((int)(thread / @width))"},
    {C_SPECIAL_NAME(NUM_WAVES), 0, 0, "(@threads + @last) / @width"},
    {HIP_LANES, 0, C_BIT(HIP_THREAD),
     "min(@threads - (uint32_t)__builtin_amdgcn_readfirstlane((int)(thread & ~@last)), @width)"},
    {0}};

static const c_target target = {
    C_FLAT_TARGET,
    .types = {C_TYPES("_Float16", "wave_half2")},
    .constant_array = "alignas(16) static __constant__ const uint32_t",
    .local_array = "alignas(16) __shared__ uint8_t local",
    .function = "static __device__ inline ",
    .apart = "static __device__ __attribute__((noinline)) ",
    .component = {".x", ".y", ".z", ".w"},
    .pause = "__builtin_amdgcn_sched_barrier(0);",
    .half = "_Float16(",
    .forms = forms,
    .fast = fast,
    .bitcasts = bitcasts,
    .names = names,
    .helpers = hip_helpers,
    .helper_count = HIP_END - C_HELPERS,
    .words = words,
    .waves = hip_waves,
    .constant_shuffles = hip_constant_shuffles,
    .uniform_shuffles = hip_uniform_shuffles,
    .exchange = hip_exchange,
    .lanes = (c_name)HIP_LANES,
    .fences = &fences,
    .units = units,
    .tile_columns = true,
    .hinted = {"__builtin_nontemporal_load(", "__builtin_nontemporal_store("},
    .atomics = &atomics,
    .fail_helper = HIP_FAIL,
    .signature = signature,
    .lists = lists,
    .parameters = parameters,
    .values = values,
    .threads = "blockDim.x * blockDim.y * blockDim.z",
};

/* ---- The target ---- */

static bool kernel(const ir_func *f, const emit_options *o, emit_unit *unit, wave_diags *diags) {
    if (!emit_within_limits(&emit_hip, f, o, diags))
        return false;
    if (ir_made(f, IR_HADD2) || ir_made(f, IR_HMUL2))
        unit->used |= C_BIT(HIP_HALF2);
    c_target t = target;
    if (is_long(o))
        t.signature = long_signature;
    return c_print_kernel(&t, f, o, unit, diags);
}

static void top(const emit_options *o, const emit_unit *unit, buf *out) {
    const emit_arch *arch = emit_arch_of(&emit_hip, o->arch);
    c_print_title(o, arch, out);
    buf_printf(out,
               "// Compile with hipcc --offload-arch=%s -O3 -ffp-contract=off -fno-finite-loops\n",
               arch->name);
    buf_text(out, "\n#include <hip/hip_runtime.h>\n");
    if (unit->uses & EMIT_USES_F16)
        buf_text(out, "#include <hip/hip_fp16.h>\n");
    buf_text(out, "#include <stdint.h>\n\n// No fused multiply-adds but those written as fma.\n"
                  "#pragma clang fp contract(off)\n");
    c_print_helpers(&target, unit, out);
}

const emit_backend emit_hip = {
    .name = "hip", .suffix = ".hip", .archs = archs, .c = &target, .kernel = kernel, .top = top};
