/* SYCL 2020 for Intel's compiler: types, spellings, atomics. docs/reference/sycl.md says why each
 * form is exact. */
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
static const c_form beside_barriers[IR_OP_COUNT] = {
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

#define EXCHANGE      "at.compare_exchange_strong(expected, desired)"
#define WIDE(columns) "namespace wave_tile {\nenum : size_t { wide = " columns " };\n}\n"

/* The minimum or maximum of two doubles. */
#define CHOICE(name, note, most, compare, both)                                                    \
    note "@function double " name "(double a, double b) {\n"                                       \
         "    double " most " = a " compare " b || b != b ? a : b;\n"                              \
         "    uint64_t both = sycl::bit_cast<uint64_t>(a) " both " sycl::bit_cast<uint64_t>(b);\n" \
         "    return a == b ? sycl::bit_cast<double>(both) : " most ";\n"                          \
         "}\n"

const c_helper sycl_helpers[SYCL_END - C_HELPERS] = {
    C_TEXT(SYCL_TILE_PVC, "wave_tile", C_BIT(SYCL_TILE), WIDE("16")),
    C_TEXT(SYCL_TILE_DG2, "wave_tile", C_BIT(SYCL_TILE), WIDE("8")),
    C_TEXT(SYCL_TILE, "wave_tile", C_BIT(SYCL_TILE_REST), sycl_tile),
    C_TEXT(SYCL_TILE_REST, "wave_tile", 0, sycl_tile_rest),
    C_TEXT(
        SYCL_BITREV, "wave_bitrev", 0,
        "// The bits in opposite order, four at a time. SYCL has no function for it, and exchanges "
        "by\n"
        "// shifts become an instruction that Intel's run-time compiler cannot translate.\n"
        "@function uint32_t wave_bitrev(uint32_t a) {\n"
        "    uint32_t b = 0;\n"
        "    for (uint32_t k = 0; k < 32u; k += 4u)\n"
        "        b = b << 4 | (uint32_t)(0xF7B3D591E6A2C480ull >> (4u * (a >> k & 15u)) & 15u);\n"
        "    return b;\n"
        "}\n"),
    C_TEXT(
        SYCL_FROM_HALF, "wave_from_half", 0,
        "// The exponent is moved to its place, and corrected by an exact product: subnormals "
        "too.\n"
        "@function float wave_from_half(sycl::half a) {\n"
        "    uint32_t bits = sycl::bit_cast<uint16_t>(a), size = bits & 0x7FFFu;\n"
        "    uint32_t special = size > 0x7C00u ? 0x7FC00000u : size == 0x7C00u ? 0x7F800000u : "
        "0u;\n"
        "    float b = sycl::bit_cast<float>(size << 13) * 0x1p112f;\n"
        "    return sycl::bit_cast<float>(sycl::bit_cast<uint32_t>(b) | special | (bits & 0x8000u) "
        "<< 16);\n"
        "}\n"),
    C_TEXT(SYCL_DMIN, "wave_dmin", 0, CHOICE("wave_dmin", C_LEAST_TEXT, "least", "<", "|")),
    C_TEXT(SYCL_DMAX, "wave_dmax", 0, CHOICE("wave_dmax", C_MOST_TEXT, "most", ">", "&")),
    C_TEXT(
        SYCL_FOREVER, "wave_forever", 0,
        "// Always true, but opaque to the compiler: Intel's CPU device loses threads next to a\n"
        "// loop without an exit, even if nothing reaches the loop, and may assume that a result\n"
        "// of a loop is the same in all threads.\n"
        "@function bool wave_forever() {\n"
        "    volatile bool yes = true;\n"
        "    return yes;\n"
        "}\n"),
    C_TEXT(
        SYCL_SIGN_BIT, "wave_sign", 0,
        "// The sign bit of a float, opaque to the compiler: Intel's CPU device loses the sign of\n"
        "// -x across a barrier if it is an operation on floats.\n"
        "@function uint32_t wave_sign() {\n"
        "    volatile uint32_t bit = 0x80000000u;\n"
        "    return bit;\n"
        "}\n"),
    C_TEXT(SYCL_HIDDEN, "wave_hidden", 0,
           "// x, but opaque to the compiler: Intel's CPU compiler crashes on loops that rotate "
           "values\n"
           "// that are initially the same in all threads.\n"
           "template <typename word, typename value> @function value wave_hidden(value x) {\n"
           "    volatile word bits = sycl::bit_cast<word>(x);\n"
           "    word same = bits;\n"
           "    return sycl::bit_cast<value>(same);\n"
           "}\n"),
    C_TEXT(SYCL_ATOMIC, "wave_atomic", 0,
           "// A word of the arena, shared by the threads of the scope.\n"
           "template <typename word, sycl::memory_scope scope>\n"
           "using wave_atomic = sycl::atomic_ref<word, sycl::memory_order::relaxed, scope,\n"
           "                                     sycl::access::address_space::global_space>;\n"),
    C_TEXT(
        SYCL_LOCAL_ATOMIC, "wave_local_atomic", 0,
        "// A word of local memory.\n"
        "template <typename word>\n"
        "using wave_local_atomic =\n"
        "    sycl::atomic_ref<word, sycl::memory_order::relaxed, sycl::memory_scope::work_group,\n"
        "                     sycl::access::address_space::local_space>;\n"),
    C_TEXT(SYCL_CAS, "wave_cas", 0,
           "// The old value; `desired` is stored where it was `expected`.\n" C_CAS_TEXT(
               "wave_cas", "uint32_t", "typename place", "place ", EXCHANGE)),
    C_TEXT(SYCL_CAS64, "wave_cas64", 0,
           "// The same for 64 bits.\n" C_CAS_TEXT("wave_cas64", "uint64_t", "typename place",
                                                   "place ", EXCHANGE)),
    C_TEXT(SYCL_FADD, "wave_fadd", 0,
           "// Adds a float; the old value. A device's own float atomics may flush subnormals.\n"
           "template <typename place>\n"
           "@function float wave_fadd(place at, float x) {\n"
           "    uint32_t old = at.load();\n"
           "    while (!at.compare_exchange_strong(\n"
           "        old, @asuint(@asfloat(old) + x))) {\n"
           "    }\n"
           "    return @asfloat(old);\n"
           "}\n"),
    C_TEXT(SYCL_FAIL, "wave_fail", 0,
           C_FAIL_TEXT("sycl::atomic_ref<uint32_t, sycl::memory_order::relaxed, "
                       "sycl::memory_scope::device>(*status)\n"
                       "            .compare_exchange_strong(none, 1u)")),
    C_TEXT(SYCL_SHUFFLE, "wave_shuffle", 0,
           "// x of another lane; 0 when there is none of that number.\n"
           "@function uint32_t wave_shuffle(sycl::sub_group wave, uint32_t x, uint32_t lane) {\n"
           "    bool exists = lane < wave.get_local_linear_range();\n"
           "    uint32_t y = sycl::select_from_group(wave, x, exists ? lane : 0u);\n"
           "    return exists ? y : 0u;\n"
           "}\n"),
    C_TEXT(SYCL_BALLOT, "wave_ballot", 0,
           "// One bit for each of the lanes 0 to 31.\n"
           "@function uint32_t wave_ballot(sycl::sub_group wave, bool vote) {\n"
           "    uint32_t lane = wave.get_local_linear_id();\n"
           "    uint32_t bit = vote && lane < 32u ? 1u << (lane & 31u) : 0u;\n"
           "    return sycl::reduce_over_group(wave, bit, sycl::bit_or<uint32_t>());\n"
           "}\n"),
    C_TEXT(SYCL_BALLOT64, "wave_ballot64", 0,
           "// One bit for each lane.\n"
           "@function uint64_t wave_ballot64(sycl::sub_group wave, bool vote) {\n"
           "    uint64_t bit = (uint64_t)vote << wave.get_local_linear_id();\n"
           "    return sycl::reduce_over_group(wave, bit, sycl::bit_or<uint64_t>());\n"
           "}\n"),
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
    .contract = sycl_contract,
    .signature = sycl_signature,
    .values = sycl_values,
    .tail = sycl_tail,
};

/* ---- The target ---- */

static bool kernel(const ir_func *f, const emit_options *o, emit_unit *unit, wave_diags *diags) {
    c_target t = target;
    if (o->arch == CPU) {
        t.forever = "wave_forever()";
        t.forever_helper = SYCL_FOREVER;
        t.find_loops = sycl_find_loops;
        t.beside_barriers = beside_barriers;
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
