/* SYCL 2020 for Intel's compiler: types, spellings, atomics. Wave operations are in sycl_wave.c;
 * docs/reference/sycl.md says why each form is exact. */
#include "emit_sycl/sycl.h"

#include "emit/c_rows.h"

/* The text for CPU works around defects in the compiler of Intel's CPU device. */
enum { GPU = 1, CPU, PVC, DG2 };
static const emit_arch archs[] = {{"gpu", GPU, 65536, 4 | 8 | 16 | 32 | 64, 32, 1024},
                                  {"cpu", CPU, 65536, 4 | 8 | 16 | 32 | 64, 32, 1024},
                                  {"pvc", PVC, 131072, 16 | 32, 16, 1024},
                                  {"dg2", DG2, 65536, 8 | 16 | 32, 8, 1024},
                                  {0}};

static const c_units units[] = {
    {PVC, 16, 0, C_FLOATS, SYCL_TILE_PVC}, {DG2, 8, 0, C_FLOATS, SYCL_TILE_DG2}, {0}};

/* ---- Tables ---- */

#define CAST(to, x) "sycl::bit_cast<" to ">(" x ")"

static const c_form forms[IR_OP_COUNT] = {
    C_WORD_FORMS("sycl::", CAST, "sycl::half"),
    C_OVERLOADED_FORMS("sycl::", "sycl::half"),
    C_FLOAT_FORMS("sycl::", "", "sycl::sqrt"),
    C_DOUBLE_FORMS("sycl::"),
    [IR_IMUL_HI] = C_CALL("sycl::mul_hi($0, $1)"),
    [IR_LMUL_HI] = C_CALL("sycl::mul_hi(uint64_t($0), uint64_t($1))"),
    [IR_BITREV] = C_HELP("wave_bitrev($0)", SYCL_BITREV),
    [IR_DMA] = C_CALL("sycl::fma($0, $1, $2)"),
    [IR_DMIN] = C_HELP("wave_dmin($0, $1)", SYCL_DMIN),
    [IR_DMAX] = C_HELP("wave_dmax($0, $1)", SYCL_DMAX),
};

static const c_form fast[IR_OP_COUNT] = {
    C_FAST_FORMS("sycl::native::"),
    C_FAST_QUOTIENTS("sycl::native::"),
    [IR_FRCP] = C_CALL("sycl::native::recip($0)"),
};

/* Intel's compiler for its CPU device splits vectors of f16. It then takes more than quadratic time
 * in the number of conversions per block. */
static const c_form forms_cpu[IR_OP_COUNT] = {
    [IR_CVT_F32_F16] = C_HELP("wave_from_half($0)", SYCL_FROM_HALF),
};

/* On a CPU, native::divide, recip and rsqrt are the processor's initial approximations, accurate to
 * about 12 bits. The functions with a specified error are fast enough. */
static const c_form fast_cpu[IR_OP_COUNT] = {
    C_FAST_FORMS("sycl::native::"),
    [IR_FRSQRT] = C_CALL("sycl::rsqrt($0)"),
};

/* For a CPU. LLVM has an operation for a negated float, and Intel's CPU device does not treat its
 * result as per-thread: after a barrier, all waves have the result of the last one. */
#define NEGATED(type, bits, sign)                                                                  \
    {                                                                                              \
        .text = CAST(type, CAST(bits, "$0") " ^ " sign), .level = C_POSTFIX,                       \
        .helper = 1 + SYCL_SIGN_BIT, .names = C_BIT(SYCL_SIGN)                                     \
    }
static const c_form with_barriers[IR_OP_COUNT] = {
    [IR_FNEG] = NEGATED("float", "uint32_t", "sign"),
    [IR_DNEG] = NEGATED("double", "uint64_t", "(uint64_t)sign << 32"),
};

static const char *const bitcasts[IR_TYPE_COUNT][IR_TYPE_COUNT] = {
    C_BITCASTS(CAST, "sycl::half", "sycl::half2")};

static const c_entry names[C_NAMES] = {
    C_FLAT_NAMES,
    [SYCL_ITEM] = {"item", "const sycl::nd_item<3> &", 0},
    [SYCL_WAVE] = {"wave", "sycl::sub_group ", 0},
    [SYCL_THREAD] = {"thread", "uint32_t ", 0},
    [SYCL_SIGN] = {"sign", "uint32_t ", 0},
    C_AXES(THREAD_ID, "thread_", "uint32_t ", 0),
    C_AXES(WORKGROUP_ID, "group_", "uint32_t ", 0),
    C_AXES(WORKGROUP_SIZE, "size_", "uint32_t ", 0),
    C_AXES(GRID_SIZE, "grid_", "uint32_t ", 0),
    [C_SPECIAL_NAME(WAVE_ID)] = {"wave_id", "uint32_t ", 0},
    [C_SPECIAL_NAME(NUM_WAVES)] = {"wave_count", "uint32_t ", 0},
};

/* Vectors in a form that GCC also accepts, because a host compiler reads the text as well. */
static const char *const words[] = {
    "u32x2", "uint32_t __attribute__((vector_size(8)))",
    "f32x2", "float __attribute__((vector_size(8)))",
    "u32x4", "uint32_t __attribute__((vector_size(16)))",
    "f32x4", "float __attribute__((vector_size(16)))",
    "clz",   "sycl::clz",
    "each",  "    for (size_t k = 0; k < T::count; k++)\n        matrix::joint_matrix",
    NULL,
};

/* ---- Atomics and fences ---- */

#define SCOPES                                                                                     \
    { "sub_group", "work_group", "device", "system" }

static const c_atomics atomics = {
    .text = "@object.@name(@value)",
    .help = "@helper(@object@values)",
    .objects = {[IR_LOCAL] = "wave_local_atomic<@word>(@element)",
                [IR_DEVICE] = "wave_atomic<@word, sycl::memory_scope::@scope>(@element)"},
    .object_helpers = {[IR_LOCAL] = SYCL_LOCAL_ATOMIC, [IR_DEVICE] = SYCL_ATOMIC},
    .words = {[C_MEM_U32] = "uint32_t",
              [C_MEM_I32] = "int32_t",
              [C_MEM_F32] = "float",
              [C_MEM_U64] = "uint64_t",
              [C_MEM_I64] = "int64_t"},
    .scopes = SCOPES,
    .cas = {SYCL_CAS, SYCL_CAS},
    .cas64 = {SYCL_CAS64, SYCL_CAS64},
    .fadd = {SYCL_FADD, SYCL_FADD},
    .fast_fadd = {true, true},
    .casts_unused = true,
};

/* Acquire and release print the same order: Intel's CPU device rejects a module that contains both
 * as broken. */
static const c_fences fences = {
    .barrier = {.text = "sycl::group_barrier(item.get_group())", .names = C_BIT(SYCL_ITEM)},
    .sync = {{.text = "sycl::group_barrier(wave, sycl::memory_scope::sub_group)",
              .names = C_BIT(SYCL_WAVE)}},
    .fence = "sycl::atomic_fence(sycl::memory_order::@order, sycl::memory_scope::@scope)",
    .orders = {"acq_rel", "seq_cst"},
    .scopes = SCOPES,
};

static const c_target target = {
    C_FLAT_TARGET,
    .types = {C_TYPES("sycl::half", "sycl::half2")},
    .constant_array = "alignas(16) static constexpr uint32_t",
    .function = "static inline ",
    .apart = "static __attribute__((noinline)) ",
    .component = {"[0]", "[1]", "[2]", "[3]"},
    .half = "sycl::half(",
    .forms = forms,
    .fast = fast,
    .bitcasts = bitcasts,
    .names = names,
    .helpers = sycl_helpers,
    .helper_count = SYCL_END - C_HELPERS,
    .words = words,
    .waves = sycl_waves,
    .constant_shuffles = sycl_constant_shuffles,
    .uniform_shuffles = sycl_uniform_shuffles,
    .fences = &fences,
    .units = units,
    .tile_elements = {[IR_ELEMENT_F16] = "sycl::half",
                      [IR_ELEMENT_BF16] = "sycl::ext::oneapi::bfloat16",
                      [IR_ELEMENT_F32] = "float"},
    .tile_pointers =
        {[IR_LOCAL] = "wave_tile::local((% *)(", [IR_DEVICE] = "wave_tile::device((% *)("},
    .atomics = &atomics,
    .fail_helper = SYCL_FAIL,
    .values = sycl_values,
    .parameters = sycl_parameters,
    .lists = sycl_lists,
    .contract = sycl_contract,
    .signature = sycl_signature,
    .tail = sycl_entries,
};

/* ---- The target ---- */

static bool kernel(const ir_func *f, const emit_options *o, emit_unit *unit, wave_diags *diags) {
    c_target t = target;
    if (o->arch == CPU) {
        t.forever = "wave_forever()";
        t.forever_helper = SYCL_FOREVER;
        t.find_loops = sycl_find_loops;
        t.with_barriers = with_barriers;
        t.of_arch = forms_cpu;
        t.fast = fast_cpu;
        t.hide_helper = SYCL_HIDDEN;
    }
    return emit_within_limits(&emit_sycl, f, o, diags) && c_print_kernel(&t, f, o, unit, diags);
}

static void top(const emit_options *o, const emit_unit *unit, buf *out) {
    bool cpu = o->arch == CPU;
    const emit_arch title = {.name = cpu ? "SYCL on a CPU" : "SYCL on a GPU"};
    c_print_title(o, &title, out);
    buf_printf(out,
               "// Compile with icpx -fsycl -O3 -ffp-contract=off -fp-model=precise "
               "-fno-finite-loops\n//   -foffload-fp32-prec-div -foffload-fp32-prec-sqrt%s\n",
               cpu ? " -fsycl-targets=spir64_x86_64" : "");
    buf_text(out, "// or at run time, with WAVE_SYCL_RTC defined and -ffp-contract=off "
                  "-fno-fast-math -fno-finite-loops\n"
                  "//   -fno-discard-value-names.\n");
    if (unit->uses & EMIT_USES_F16)
        buf_text(out, "// The device must have sycl::aspect::fp16.\n");
    if (unit->uses & EMIT_USES_F64)
        buf_text(out, "// The device must have sycl::aspect::fp64.\n");
    if (unit->uses & EMIT_USES_ATOMIC64)
        buf_text(out, "// The device must have sycl::aspect::atomic64.\n");
    buf_text(out, "\n#include <stdint.h>\n#include <sycl/sycl.hpp>\n\n"
                  "#ifdef __clang__\n"
                  "// No fused multiply-adds but those written as fma.\n"
                  "#pragma clang fp contract(off)\n"
                  "#endif\n");
    c_print_helpers(&target, unit, out);
}

const emit_backend emit_sycl = {.name = "sycl",
                                .suffix = ".sycl.cpp",
                                .archs = archs,
                                .c = &target,
                                .kernel = kernel,
                                .top = top};
