/* The lane that a shuffle reads from, as an expression. */
#include "emit/c_printer.h"

static void put_lane(c_printer *p) {
    c_use(p, (c_name)C_SPECIAL_NAME(LANE_ID));
}

/* "lane - by" or "lane + by". A difference below lane 0 wraps to a large number, but a large `by`
 * may wrap around to an existing lane, so `by` is compared first. */
static void put_distance(c_printer *p, ir_value by, bool up) {
    uint32_t width = p->f->wave_width, bits;
    bool small = c_const(p, by, &bits) && bits < width;
    if (!small) {
        c_expression(p, by, C_ADD);
        buf_text(p->out, up ? " <= " : " < ");
        if (up)
            put_lane(p);
        else
            c_u32(p->out, width);
        buf_text(p->out, " ? ");
    }
    put_lane(p);
    buf_text(p->out, up ? " - " : " + ");
    c_expression(p, by, C_MULTIPLY);
    if (!small) {
        buf_text(p->out, " : ");
        c_u32(p->out, width);
    }
}

void c_source_lane(c_printer *p, ir_op op, ir_value by) {
    switch (op) {
    case IR_WAVE_SHUFFLE_UP:
    case IR_WAVE_SHUFFLE_DOWN: put_distance(p, by, op == IR_WAVE_SHUFFLE_UP); break;
    case IR_WAVE_SHUFFLE_XOR:
        put_lane(p);
        buf_text(p->out, " ^ ");
        c_expression(p, by, C_UNARY);
        break;
    default: c_expression(p, by, C_ANY); break;
    }
}
