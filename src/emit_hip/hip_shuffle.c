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

/* gfx9: the DPP controls that read lane ^ mask, applied in sequence. */
static const uint16_t row_controls[16][2] = {
    [1] = {0xB1},         /* quad_perm 1, 0, 3, 2 */
    [2] = {0x4E},         /* quad_perm 2, 3, 0, 1 */
    [3] = {0x1B},         /* quad_perm 3, 2, 1, 0 */
    [4] = {0x141, 0x1B},  /* 7 ^ 3 */
    [5] = {0x141, 0x4E},  /* 7 ^ 2 */
    [6] = {0x141, 0xB1},  /* 7 ^ 1 */
    [7] = {0x141},        /* row_half_mirror */
    [8] = {0x128},        /* row_ror 8 */
    [9] = {0x128, 0xB1},  /* 8 ^ 1 */
    [10] = {0x128, 0x4E}, /* 8 ^ 2 */
    [11] = {0x128, 0x1B}, /* 8 ^ 3 */
    [12] = {0x140, 0x1B}, /* 15 ^ 3 */
    [13] = {0x140, 0x4E}, /* 15 ^ 2 */
    [14] = {0x140, 0xB1}, /* 15 ^ 1 */
    [15] = {0x140},       /* row_mirror */
};
enum { ROW_XMASK = 0x160 };

static void put_row(c_printer *p, unsigned control) {
    c_need(p, HIP_ROW);
    buf_text(p->out, "wave_row<0x");
    buf_hex(p->out, control, 2);
    buf_text(p->out, ">(");
}

/* False: neither DPP nor a swizzle can express the mask. */
static bool put_mask(c_printer *p, ir_value v, uint32_t mask) {
    const uint16_t *two = row_controls[mask % 16];
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

/* ---- All of them ---- */

/* The form of a read from one lane for all; NULL: the table's. */
static const c_form *read_form(const c_printer *p, ir_value source, bool uniform) {
    static const c_form exists = {.text = "(uint32_t)__builtin_amdgcn_readlane((int)$0, $1)",
                                  .operands = {C_UNARY, C_ANY}};
    static const c_form read = C_HELP("wave_read($0, $1, @lanes)", HIP_READ);
    uint32_t bits;
    if (p->whole && c_const(p, source, &bits) && bits < p->f->wave_width)
        return &exists;
    return uniform ? &read : NULL;
}

bool hip_shuffle(c_printer *p, ir_value v) {
    static const c_form permute = {.text = "wave_permute($0, lane ^ $1)",
                                   .operands = {C_ANY, C_UNARY},
                                   .helper = 1 + HIP_PERMUTE,
                                   .names = C_LANE};
    ir_op op = ir_op_of(p->f, v);
    ir_value by = ir_arg(p->f, v, 2);
    bool by_lane = op == IR_WAVE_BROADCAST || op == IR_WAVE_SHUFFLE;
    bool uniform = by_lane && c_is_uniform(p, by);
    uint32_t mask;
    const c_form *form = NULL;
    if (op == IR_WAVE_BROADCAST || (op == IR_WAVE_SHUFFLE && uniform)) {
        form = read_form(p, by, uniform);
    } else if (op == IR_WAVE_SHUFFLE_XOR && c_const(p, by, &mask) && mask < p->f->wave_width) {
        if (put_mask(p, v, mask))
            return true;
        form = &permute;
    }
    if (form)
        c_assign(p, v, form, ir_args(p->f, v) + 1);
    return form;
}
