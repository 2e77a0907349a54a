/* Wave operations as sub-group functions, and the text of the helpers. Lanes past the end of the
 * workgroup do not exist: reductions and votes ignore them, a shuffle must not read from them. */
#include "emit_sycl/sycl.h"

#include "emit/c_rows.h"

/* ---- Helpers ---- */

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

/* ---- Operations ---- */

/* Calls with the sub-group as their first operand. */
#define WAVE(text_)                                                                                \
    { .text = text_, .names = C_BIT(SYCL_WAVE) }
#define WAVE_HELP(text_, which)                                                                    \
    { .text = text_, .helper = 1 + (which), .names = C_BIT(SYCL_WAVE) }
#define REDUCE(with) WAVE("sycl::reduce_over_group(wave, $0, sycl::" with "<uint32_t>())")

/* A broadcast reads from the lane that the first one names. */
const c_form sycl_waves[IR_OP_COUNT] = {
    C_SHUFFLES("wave, ", "", SYCL_SHUFFLE, C_BIT(SYCL_WAVE)),
    [IR_WAVE_BROADCAST] =
        WAVE_HELP("wave_shuffle(wave, $0, sycl::group_broadcast(wave, $1))", SYCL_SHUFFLE),
    [IR_WAVE_BALLOT] = WAVE_HELP("wave_ballot(wave, $0)", SYCL_BALLOT),
    [IR_WAVE_BALLOT64] = WAVE_HELP("wave_ballot64(wave, $0)", SYCL_BALLOT64),
    [IR_WAVE_ANY] = WAVE("sycl::any_of_group(wave, $0)"),
    [IR_WAVE_ALL] = WAVE("sycl::all_of_group(wave, $0)"),
    [IR_WAVE_PREFIX_SUM] =
        WAVE("sycl::exclusive_scan_over_group(wave, $0, sycl::plus<uint32_t>())"),
    [IR_WAVE_REDUCE_ADD] = REDUCE("plus"),
    [IR_WAVE_REDUCE_MIN] = REDUCE("minimum"),
    [IR_WAVE_REDUCE_MAX] = REDUCE("maximum"),
    [IR_WAVE_REDUCE_AND] = REDUCE("bit_and"),
    [IR_WAVE_REDUCE_OR] = REDUCE("bit_or"),
    [IR_WAVE_REDUCE_XOR] = REDUCE("bit_xor"),
};

const c_form sycl_constant_shuffles[C_SHUFFLE_COUNT] = {
    [C_SHUFFLE_OF(IR_WAVE_SHUFFLE_XOR)] = WAVE("sycl::permute_group_by_xor(wave, $0, $1)"),
};

const c_form sycl_uniform_shuffles[C_SHUFFLE_COUNT] = {
    [C_SHUFFLE_OF(IR_WAVE_BROADCAST)] = WAVE_HELP("wave_shuffle(wave, $0, $1)", SYCL_SHUFFLE),
};
