/* Shuffles for AMD. All existing lanes of the wave execute them; a lane that does not exist reads
 * as 0.
 *
 * lane ^ constant within a row of 16 is a DPP modifier, which is free where the compiler can attach
 * it to the instruction that uses the value. gfx10 and later have all masks (row_xmask). gfx9 has
 * some (quad_perm, mirrors, half a rotation); the others are two of these in sequence, if the
 * intermediate lane is known to exist. The other row of 16 is v_permlanex16 on gfx10 and later.
 * Masks below 32 use ds_swizzle, which needs no address; everything else is ds_bpermute. A lane
 * number that is the same in all lanes is read into a scalar register. */
#include "emit_hip/hip.h"

enum { GFX10 = 0x1000 };

/* ---- By a constant mask ---- */

/* gfx9: the DPP controls that read lane ^ mask, applied in sequence; the second may be 0. Rows are
 * mirrored or rotated by 8, then quads permuted. */
static void find_controls(uint32_t mask, unsigned controls[2]) {
    static const uint16_t quads[4] = {0, 0xB1, 0x4E, 0x1B}; /* quad_perm, ^ 1, 2, 3 */
    static const uint16_t rows[4] = {
        [1] = 0x141, /* row_half_mirror, ^ 7 */
        [2] = 0x128, /* row_ror 8, ^ 8 */
        [3] = 0x140, /* row_mirror, ^ 15 */
    };
    unsigned row = mask / 4 % 4, quad = quads[(row & 1 ? ~mask : mask) % 4];
    controls[0] = row ? rows[row] : quad;
    controls[1] = row ? quad : 0;
}
enum { ROW_XMASK = 0x160 };

static void put_row(c_printer *p, unsigned control) {
    c_need(p, HIP_ROW);
    buf_text(p->out, "wave_row<0x");
    buf_hex(p->out, control, 2);
    buf_text(p->out, ">(");
}

/* False: neither DPP nor a swizzle can express the mask. */
static bool put_mask(c_printer *p, ir_value v, uint32_t mask) {
    unsigned two[2];
    find_controls(mask, two);
    bool later = p->o->arch >= GFX10, row = mask > 0 && mask < 16;
    bool twice = !later && two[1];
    if (mask == 0 || mask >= 32)
        return false;
    c_begin(p, v);
    if (row && (!twice || p->whole)) {
        put_row(p, later && two[1] ? ROW_XMASK | mask : two[0]);
        if (twice)
            put_row(p, two[1]);
    } else {
        bool other_row = mask == 16 && later;
        c_need(p, other_row ? HIP_OTHER_ROW : HIP_SWIZZLE);
        twice = false;
        if (other_row)
            buf_text(p->out, "wave_other_row(");
        else
            buf_printf(p->out, "wave_swizzle<%u>(", (unsigned)mask);
    }
    c_expression(p, ir_arg(p->f, v, 1), C_ANY);
    buf_text(p->out, twice ? "))" : ")");
    c_end(p);
    return true;
}

void hip_exchange(c_printer *p, ir_value v, uint32_t mask) {
    static const c_form permute = {.text = "wave_permute($0, lane ^ $1)",
                                   .operands = {C_ANY, C_UNARY},
                                   .helper = 1 + HIP_PERMUTE,
                                   .names = C_LANE};
    if (!put_mask(p, v, mask))
        c_assign(p, v, &permute, ir_args(p->f, v) + 1);
}

/* ---- From one lane for all ---- */

#define READ_LANE                                                                                  \
    {                                                                                              \
        .text = "(uint32_t)__builtin_amdgcn_readlane((int)$0, $1)", .operands = { C_UNARY, C_ANY } \
    }
const c_form hip_constant_shuffles[C_SHUFFLE_COUNT] = {
    [C_SHUFFLE_OF(IR_WAVE_SHUFFLE)] = READ_LANE,
    [C_SHUFFLE_OF(IR_WAVE_BROADCAST)] = READ_LANE,
};

const c_form hip_uniform_shuffles[C_SHUFFLE_COUNT] = {
    [C_SHUFFLE_OF(IR_WAVE_SHUFFLE)] = C_HELP("wave_read($0, $1, @lanes)", HIP_READ),
    [C_SHUFFLE_OF(IR_WAVE_BROADCAST)] = C_HELP("wave_read($0, $1, @lanes)", HIP_READ),
};
