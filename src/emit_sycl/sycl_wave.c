/* Wave operations as sub-group functions. Lanes past the end of the workgroup do not exist:
 * reductions and votes ignore them, a shuffle must not read from them. */
#include "emit_sycl/sycl.h"

#include "emit/c_rows.h"

const c_helper sycl_helpers[SYCL_END - C_HELPERS] = {
#include "sycl_helpers.inc"
};

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
