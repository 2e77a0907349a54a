/* HIP: AMD's C++. Types, spellings, and the text around a kernel's code. Wave operations are in
 * hip_wave.c; docs/reference/hip.md says why each form is exact. */
#include "emit_hip/hip.h"

#include "isa/isa.h"

#include <string.h>

/* gfx10 and gfx11 also support waves of 64 lanes, but AMD's headers reject them. */
static const emit_arch archs[] = {{"gfx942", 0x942, 65536, 64, 64, 1024},
                                  {"gfx90a", 0x90A, 65536, 64, 64, 1024},
                                  {"gfx1030", 0x1030, 65536, 32, 32, 1024},
                                  {"gfx1100", 0x1100, 65536, 32, 32, 1024},
                                  {0}};

/* ---- Tables ---- */

/* Products and sums are our own text, under its contraction pragma. The header's fmaf is not: it is
 * compiled with contraction on, so clang could fuse what is left of it when an operand is 1. */
static const c_form forms[IR_OP_COUNT] = {
    [IR_LOW16] = {.text = "__builtin_bit_cast(_Float16, (uint16_t)$0)",
                  .level = C_POSTFIX,
                  .operands = {C_UNARY}},
    [IR_ZEXT16] = {.text = "(uint32_t)__builtin_bit_cast(uint16_t, $0)", .level = C_UNARY},
    [IR_IMUL_HI] = C_CALL("__umulhi($0, $1)"),
    [IR_LMUL_HI] = C_CALL("__umul64hi($0, $1)"),
    [IR_IMIN] = {.text = "(uint32_t)min(#0, #1)", .level = C_UNARY},
    [IR_IMAX] = {.text = "(uint32_t)max(#0, #1)", .level = C_UNARY},
    [IR_UMIN] = C_CALL("min(uint32_t($0), uint32_t($1))"),
    [IR_UMAX] = C_CALL("max(uint32_t($0), uint32_t($1))"),
    [IR_BITCOUNT] = {.text = "(uint32_t)__popc($0)", .level = C_UNARY},
    [IR_BITREV] = C_CALL("__brev($0)"),

    [IR_FMA] = C_CALL("__builtin_fmaf($0, $1, $2)"),
    [IR_FABS] = C_CALL("fabsf($0)"),
    [IR_FMIN] = C_CALL("fminf($0, $1)"),
    [IR_FMAX] = C_CALL("fmaxf($0, $1)"),
    [IR_FSQRT] = C_CALL("sqrtf($0)"),
    [IR_FRSQRT] = {.text = "1.0f / sqrtf($0)", .level = C_MULTIPLY},
    [IR_FFLOOR] = C_CALL("floorf($0)"),
    [IR_FCEIL] = C_CALL("ceilf($0)"),
    [IR_FROUND] = C_CALL("rintf($0)"),
    [IR_FTRUNC] = C_CALL("truncf($0)"),

    /* The built-in returns __fp16, which would become a float in an expression. */
    [IR_HMA] = {.text = "(_Float16)__builtin_fmaf16($0, $1, $2)", .level = C_UNARY},
    [IR_HMA2] = C_HELP("wave_hma2($0, $1, $2)", HIP_HMA2),
    [IR_DMA] = C_CALL("__builtin_fma($0, $1, $2)"),
    [IR_DSQRT] = C_CALL("sqrt($0)"),
    [IR_DABS] = C_CALL("fabs($0)"),
    [IR_DMIN] = C_CALL("fmin($0, $1)"),
    [IR_DMAX] = C_CALL("fmax($0, $1)"),
    [IR_DFLOOR] = C_CALL("floor($0)"),
    [IR_DCEIL] = C_CALL("ceil($0)"),
    [IR_DROUND] = C_CALL("rint($0)"),
    [IR_DTRUNC] = C_CALL("trunc($0)"),
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
    [IR_F32] = {[IR_U32] = "__uint_as_float($0)", [IR_F16X2] = "__builtin_bit_cast(float, $0)"},
    [IR_U32] = {[IR_F32] = "__float_as_uint($0)", [IR_F16X2] = "__builtin_bit_cast(uint32_t, $0)"},
    [IR_F64] = {[IR_U64] = "__builtin_bit_cast(double, $0)"},
    [IR_U64] = {[IR_F64] = "__builtin_bit_cast(uint64_t, $0)"},
    [IR_F16] = {[IR_U32] = "__builtin_bit_cast(_Float16, (uint16_t)$0)"},
    /* The cast forces a value: given an element of a vector, clang would take the bits of the first
     * one. */
    [IR_F16X2] = {[IR_U32] = "__builtin_bit_cast(wave_half2, (uint32_t)$0)",
                  [IR_F32] = "__builtin_bit_cast(wave_half2, (float)$0)"},
};

#define SPECIAL(id) [C_SPECIAL_NAME(id)]
static const c_entry names[C_NAMES] = {
    [C_MEM] = {"mem", "uint8_t *", 0},
    [C_ARGS] = {"args", "const %_args &", 0},
    [C_LOCAL] = {"local", "uint8_t *", 0},
    [C_SIZE] = {"mem_size", "uint64_t ", 0},
    [C_STATUS] = {"status", "uint32_t *", 0},
    [C_PRIVATE] = {"own", "uint8_t *", 0},
    [HIP_THREAD] = {"thread", "uint32_t ", 0},
    [HIP_LANES] = {"lanes", "uint32_t ", 0},
    SPECIAL(THREAD_ID_X) = {"threadIdx.x", NULL, 0},
    SPECIAL(THREAD_ID_Y) = {"threadIdx.y", NULL, 0},
    SPECIAL(THREAD_ID_Z) = {"threadIdx.z", NULL, 0},
    SPECIAL(WORKGROUP_ID_X) = {"blockIdx.x", NULL, 0},
    SPECIAL(WORKGROUP_ID_Y) = {"blockIdx.y", NULL, 0},
    SPECIAL(WORKGROUP_ID_Z) = {"blockIdx.z", NULL, 0},
    SPECIAL(WORKGROUP_SIZE_X) = {"blockDim.x", NULL, 0},
    SPECIAL(WORKGROUP_SIZE_Y) = {"blockDim.y", NULL, 0},
    SPECIAL(WORKGROUP_SIZE_Z) = {"blockDim.z", NULL, 0},
    SPECIAL(GRID_SIZE_X) = {"gridDim.x", NULL, 0},
    SPECIAL(GRID_SIZE_Y) = {"gridDim.y", NULL, 0},
    SPECIAL(GRID_SIZE_Z) = {"gridDim.z", NULL, 0},
    SPECIAL(LANE_ID) = {"lane", "uint32_t ", 0},
    SPECIAL(WAVE_ID) = {"wave", "uint32_t ", 0},
    SPECIAL(NUM_WAVES) = {"waves", "uint32_t ", 0},
};
#undef SPECIAL

static const char *const words[] = {
    "function", "static __device__ inline",
    "alias",    "__attribute__((may_alias))",
    "u32x2",    "uint32_t __attribute__((ext_vector_type(2)))",
    "f32x2",    "float __attribute__((ext_vector_type(2)))",
    "u32x4",    "uint32_t __attribute__((ext_vector_type(4)))",
    "f32x4",    "float __attribute__((ext_vector_type(4)))",
    "clz",      "__clz",
    "floor",    "floorf",
    "as_float", "__uint_as_float",
    "as_uint",  "__float_as_uint",
    "ull",      "ull",
    "half",     "_Float16",
    NULL,
};

/* ---- Atomics ---- */

static const char *scope_of(ir_access a) {
    static const char *const scopes[ISA_SCOPE_COUNT] = {
        "__HIP_MEMORY_SCOPE_WAVEFRONT", "__HIP_MEMORY_SCOPE_WORKGROUP", "__HIP_MEMORY_SCOPE_AGENT",
        "__HIP_MEMORY_SCOPE_SYSTEM"};
    return scopes[a.space == IR_LOCAL ? ISA_SCOPE_WORKGROUP : a.scope];
}

static void put_value(c_printer *p, ir_value x, unsigned type, bool negated) {
    if (type == C_MEM_I32 || type == C_MEM_I64) {
        c_signed(p, x, C_ANY);
        return;
    }
    buf_text(p->out, negated ? "0u - " : "");
    c_bitcast(p, c_atomic_value(type), x, negated ? C_MULTIPLY : C_ANY);
}

static void put_atomic(c_printer *p, ir_value v) {
    static const char *const calls[IR_ATOMIC_COUNT] = {
        [IR_ATOMIC_ADD] = "fetch_add",  [IR_ATOMIC_SUB] = "fetch_add",
        [IR_ATOMIC_MIN] = "fetch_min",  [IR_ATOMIC_MAX] = "fetch_max",
        [IR_ATOMIC_AND] = "fetch_and",  [IR_ATOMIC_OR] = "fetch_or",
        [IR_ATOMIC_XOR] = "fetch_xor",  [IR_ATOMIC_EXCHANGE] = "exchange",
        [IR_ATOMIC_FADD] = "fetch_add", [IR_ATOMIC_IMIN] = "fetch_min",
        [IR_ATOMIC_IMAX] = "fetch_max", [IR_ATOMIC_LOAD] = "load",
        [IR_ATOMIC_STORE] = "store",
    };
    ir_access a = ir_access_unpack(ir_at(p->f, v)->imm);
    unsigned type = c_atomic_type(p, v);
    bool compares = a.atomic == IR_ATOMIC_CAS;
    if (compares) {
        c_need(p, a.bytes == 8 ? HIP_CAS64 : HIP_CAS);
        buf_text(p->out, a.bytes == 8 ? "wave_cas64<" : "wave_cas<");
        buf_text(p->out, scope_of(a));
        buf_text(p->out, ">(");
    } else {
        /* A cast whose result is unused would be a warning. */
        bool used = p->m.kind[v] != MAT_UNUSED;
        buf_text(p->out, used ? c_atomic_cast(type) : "");
        buf_text(p->out, "__hip_atomic_");
        buf_text(p->out, calls[a.atomic]);
        buf_char(p->out, '(');
    }
    c_address(p, v, type);
    buf_text(p->out, ", ");
    if (a.atomic != IR_ATOMIC_LOAD) {
        put_value(p, ir_arg(p->f, v, 1), type, a.atomic == IR_ATOMIC_SUB);
        buf_text(p->out, ", ");
    }
    if (compares) {
        c_bitcast(p, c_atomic_value(type), ir_arg(p->f, v, 2), C_ANY);
    } else {
        buf_text(p->out, "__ATOMIC_RELAXED, ");
        buf_text(p->out, scope_of(a));
    }
    buf_char(p->out, ')');
}

/* ---- Around the code ---- */

/* Letters that the name (printed twice), mem_size and status may add before the line is
 * broken. */
enum { LONG_SIGNATURE = 32 };

static void put_signature(c_printer *p, buf *out) {
    static const c_name order[] = {C_MEM, C_ARGS, C_SIZE, C_STATUS};
    uint32_t threads = emit_group_threads(p->f);
    size_t letters = 2 * strlen(p->o->symbol) + (c_is_passed(p, C_SIZE) ? 20 : 0) +
                     (c_is_passed(p, C_STATUS) ? 18 : 0);
    const char *separator = "";
    buf_printf(out, "extern \"C\" __global__ void __launch_bounds__(%u)%s%s(",
               threads ? threads : 1024, letters > LONG_SIGNATURE ? "\n" : " ", p->o->symbol);
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        const c_entry *entry = &p->t->names[order[k]];
        if (!c_is_passed(p, order[k]))
            continue;
        buf_text(out, separator);
        c_parameter(p, order[k] == C_ARGS ? "%_args " : entry->type,
                    c_refers_to(p, order[k]) ? entry->name : NULL, out);
        separator = ", ";
    }
    buf_text(out, ") {\n");
}

static bool one_dimensional(const ir_func *f) {
    return f->workgroup[1] == 1 && f->workgroup[2] == 1;
}

/* The number of the thread in its workgroup. */
static void put_linear(const ir_func *f, buf *out) {
    const uint32_t *group = f->workgroup;
    if (one_dimensional(f))
        buf_text(out, "threadIdx.x");
    else if (group[0] && group[2] == 1)
        buf_printf(out, "threadIdx.x + threadIdx.y * %uu", group[0]);
    else if (group[0])
        buf_printf(out, "threadIdx.x + (threadIdx.y + threadIdx.z * %uu) * %uu", group[1],
                   group[0]);
    else
        buf_text(out, "threadIdx.x + (threadIdx.y + threadIdx.z * blockDim.y) * blockDim.x");
}

static void put_threads(const ir_func *f, buf *out) {
    if (f->workgroup[0])
        buf_printf(out, "%uu", emit_group_threads(f));
    else
        buf_text(out, "blockDim.x * blockDim.y * blockDim.z");
}

/* Wave numbers are the same in all lanes. A scalar read (readfirstlane) tells the compiler. */
static void put_prologue(c_printer *p, buf *out) {
    const ir_func *f = p->f;
    uint32_t width = f->wave_width;
    bool lanes = c_refers_to(p, (c_name)HIP_LANES);
    bool wave = c_refers_to(p, (c_name)C_SPECIAL_NAME(WAVE_ID));
    if (c_refers_to(p, C_LOCAL))
        buf_printf(out, "    alignas(16) __shared__ uint8_t local[%u];\n", f->local_memory);
    if (c_refers_to(p, C_PRIVATE))
        buf_printf(out, "    alignas(16) uint8_t own[%u];\n", emit_private_bytes(f));
    if (lanes || wave) {
        buf_text(out, "    const uint32_t thread = ");
        put_linear(f, out);
        buf_text(out, ";\n");
    }
    if (c_refers_to(p, (c_name)C_SPECIAL_NAME(LANE_ID))) {
        if (one_dimensional(f))
            buf_printf(out, "    const uint32_t lane = threadIdx.x & %uu;\n", width - 1);
        else
            buf_text(out, "    const uint32_t lane = __lane_id();\n");
    }
    if (wave)
        buf_printf(out,
                   "    const uint32_t wave = (uint32_t)__builtin_amdgcn_readfirstlane((int)"
                   "(thread / %uu));\n",
                   width);
    if (c_refers_to(p, (c_name)C_SPECIAL_NAME(NUM_WAVES))) {
        buf_text(out, "    const uint32_t waves = (");
        put_threads(f, out);
        buf_printf(out, " + %uu) / %uu;\n", width - 1, width);
    }
    if (lanes) {
        buf_text(out, "    const uint32_t lanes = min(");
        put_threads(f, out);
        buf_printf(out,
                   " - (uint32_t)__builtin_amdgcn_readfirstlane((int)(thread & ~%uu)), %uu);\n",
                   width - 1, width);
    }
}

static const c_target target = {
    .types = {[IR_BOOL] = "bool",
              [IR_U32] = "uint32_t",
              [IR_F32] = "float",
              [IR_U64] = "uint64_t",
              [IR_F64] = "double",
              [IR_F16] = "_Float16",
              [IR_F16X2] = "wave_half2",
              C_TILE_TYPES},
    .pointer = "uint8_t *",
    .device = "",
    .local = "",
    .own = "",
    .constant = "const ",
    .constants = "(const uint8_t *)" EMIT_CONSTANTS,
    .constant_array = "alignas(16) static __constant__ const uint32_t",
    .function = "static __device__ inline ",
    .apart = "static __device__ __attribute__((noinline)) ",
    .structure = EMIT_STRUCTURE_WHOLE,
    .restricted = "__restrict__ ",
    .state = "%_state &",
    .vectors = {"{", "}"},
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
    .statement = hip_statement,
    .need_tiles = hip_need_tiles,
    .hinted = {"__builtin_nontemporal_load(", "__builtin_nontemporal_store("},
    .atomic = put_atomic,
    .fail_helper = HIP_FAIL,
    .signature = put_signature,
    .prologue = put_prologue,
};

/* ---- The target ---- */

static bool kernel(const ir_func *f, const emit_options *o, emit_unit *unit, wave_diags *diags) {
    if (!emit_within_limits(&emit_hip, f, o, diags))
        return false;
    if (ir_made(f, IR_HADD2) || ir_made(f, IR_HMUL2))
        unit->used |= C_BIT(HIP_HALF2);
    return c_print_kernel(&target, f, o, unit, diags);
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

static bool reserves(const char *name) {
    return c_is_helper(&target, name);
}

const emit_backend emit_hip = {.name = "hip",
                               .suffix = ".hip",
                               .archs = archs,
                               .units = hip_units,
                               .kernel = kernel,
                               .top = top,
                               .reserves = reserves};
