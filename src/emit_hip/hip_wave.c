/* Wave operations for AMD. Lanes past the end of the workgroup do not exist: ds_bpermute reads 0
 * from them and DPP keeps the first operand. Shuffles with better forms than those of the table are
 * in hip_shuffle.c. */
#include "emit_hip/hip.h"

#include "emit/c_rows.h"

const c_helper hip_helpers[HIP_END - C_HELPERS] = {
#include "hip_helpers.inc"
};

#define REDUCE(id, name, none)                                                                     \
    [IR_WAVE_REDUCE_##id] = C_HELP("wave_reduce_" name "($0, @lanes, " none ")", HIP_REDUCE_##id)

/* A lane that is not known to be the same in all lanes is read from the first of them. */
const c_form hip_waves[IR_OP_COUNT] = {
    C_SHUFFLES("", ", @width", HIP_SHUFFLE, 0),
    [IR_WAVE_BROADCAST] =
        {.text = "wave_read($0, (uint32_t)__builtin_amdgcn_readfirstlane((int)$1), @lanes)",
         .operands = {C_ANY, C_UNARY},
         .helper = 1 + HIP_READ},
    [IR_WAVE_BALLOT] = C_CALL("(uint32_t)__ballot($0)"),
    [IR_WAVE_BALLOT64] = C_CALL("(uint64_t)__ballot($0)"),
    [IR_WAVE_ANY] = C_CALL("__ballot($0) != 0"),
    [IR_WAVE_ALL] = C_CALL("__ballot(!0) == 0"),
    [IR_WAVE_PREFIX_SUM] = {.text = "wave_prefix_sum($0, lane, @width)",
                            .helper = 1 + HIP_PREFIX_SUM,
                            .names = C_LANE},
    REDUCE(ADD, "add", "0u"),
    REDUCE(MIN, "min", "0xFFFFFFFFu"),
    REDUCE(MAX, "max", "0u"),
    REDUCE(AND, "and", "0xFFFFFFFFu"),
    REDUCE(OR, "or", "0u"),
    REDUCE(XOR, "xor", "0u"),
};
