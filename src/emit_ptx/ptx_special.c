/* Special registers, and those that are read again after a loop:
 *
 *   mov.u32 %r1, %ctaid.x;              mov.u32 %r1, %ctaid.x;
 *   … %r1 …                             … %r1 …
 *   $loop_1:                            $loop_1:
 *   …                            →      …
 *   $loop_1_end:                        $loop_1_end:
 *   … %r1 …                             mov.u32 %r1, %ctaid.x;
 *                                       … %r1 …
 *
 * This is rematerialisation (Briggs, Cooper and Torczon, 1992): the value does not occupy a
 * register in the loop, and reading it again costs one instruction. ptxas does not do it by itself.
 */
#include "emit_ptx/ptx.h"

static const char *const special_registers[ISA_SPECIAL_COUNT] = {
    [ISA_SR_THREAD_ID_X] = "%tid.x",       [ISA_SR_THREAD_ID_Y] = "%tid.y",
    [ISA_SR_THREAD_ID_Z] = "%tid.z",       [ISA_SR_WORKGROUP_ID_X] = "%ctaid.x",
    [ISA_SR_WORKGROUP_ID_Y] = "%ctaid.y",  [ISA_SR_WORKGROUP_ID_Z] = "%ctaid.z",
    [ISA_SR_WORKGROUP_SIZE_X] = "%ntid.x", [ISA_SR_WORKGROUP_SIZE_Y] = "%ntid.y",
    [ISA_SR_WORKGROUP_SIZE_Z] = "%ntid.z", [ISA_SR_GRID_SIZE_X] = "%nctaid.x",
    [ISA_SR_GRID_SIZE_Y] = "%nctaid.y",    [ISA_SR_GRID_SIZE_Z] = "%nctaid.z",
    [ISA_SR_LANE_ID] = "%laneid",
};

bool ptx_has_special(unsigned special) {
    return special_registers[special] != NULL;
}

void ptx_load_special(ptx *p, ptx_operand d, unsigned special) {
    ptx_line(p, "mov.u32 $, ", d);
    ptx_end_line(p, special_registers[special], "", "");
}

/* Those that are read again. Sizes are in constant memory, from where they cost nothing. */
static const uint8_t coordinates[PTX_COORDINATES] = {
    ISA_SR_THREAD_ID_X,    ISA_SR_THREAD_ID_Y,    ISA_SR_THREAD_ID_Z,
    ISA_SR_WORKGROUP_ID_X, ISA_SR_WORKGROUP_ID_Y, ISA_SR_WORKGROUP_ID_Z,
};

/* From sm_80 on ptxas chooses numbers of registers by other rules, and the effect is mixed. With
 * 1,024 threads there are only 64 registers: ptxas then reads %tid again inside the loop as well,
 * and spills. */
static bool reads_again(const ptx *p) {
    const uint32_t *group = p->f->workgroup;
    return p->o->arch < PTX_WIDE_FROM && ir_made(p->f, IR_LOOP) && group[0] &&
           group[0] * group[1] * group[2] < 1024;
}

static ir_value outermost_loop(const ptx *p, ir_value v) {
    ir_value loop = 0;
    while ((v = p->m.loop[ir_at(p->f, v)->region]) != 0)
        loop = v;
    return loop;
}

static ir_region body_of(const ptx *p, ir_value loop) {
    return ir_at(p->f, loop)->regions[0];
}

/* Coordinates that are used after an outermost loop. */
static uint8_t used_after(const ptx *p, ir_value loop) {
    uint32_t end = p->m.life[p->f->regions[body_of(p, loop)].last].start;
    uint8_t set = 0;
    for (unsigned k = 0; k < PTX_COORDINATES; k++)
        if (p->coordinate[k] && p->m.life[p->coordinate[k]].end > end)
            set |= (uint8_t)(1U << k);
    return set;
}

/* A loop that uses a coordinate itself keeps it in a register anyway. */
static void leave_out_used(ptx *p, unsigned k) {
    ir_value loop;
    for (uint32_t use = p->m.use[p->coordinate[k]]; use; use = p->m.uses[use].next)
        if ((loop = outermost_loop(p, p->m.uses[use].user)) != 0)
            p->again[body_of(p, loop)] &= (uint8_t) ~(1U << k);
}

void ptx_find_again(ptx *p, const ir_value *special) {
    if (!reads_again(p))
        return;
    bool any = false;
    for (unsigned k = 0; k < PTX_COORDINATES; k++)
        any |= (p->coordinate[k] = special[coordinates[k]]) != 0;
    if (!any)
        return;
    for (uint32_t at = 0; at < p->m.op_count; at++) {
        ir_value v = p->m.ops[at];
        if (ir_op_of(p->f, v) == IR_LOOP && !p->m.loop[ir_at(p->f, v)->region])
            p->again[body_of(p, v)] = used_after(p, v);
    }
    for (unsigned k = 0; k < PTX_COORDINATES; k++)
        if (p->coordinate[k])
            leave_out_used(p, k);
}

void ptx_read_again(ptx *p, ir_value loop) {
    for (unsigned k = 0; k < PTX_COORDINATES; k++)
        if (p->again[body_of(p, loop)] >> k & 1)
            ptx_load_special(p, ptx_dest(p, p->coordinate[k]), coordinates[k]);
}
