/* Built-in variables: positions and sizes of the launch, from special registers. */
#include "spirv/to_ir.h"

/* A constant if the kernel declares its workgroup size. */
static ir_value size(builder *b, unsigned k) {
    uint32_t known = to_func(b)->workgroup[k];
    return known ? to_u32(b, known) : to_special(b, ISA_SR_WORKGROUP_SIZE_X + k);
}

static ir_value times(builder *b, ir_value x, ir_value y) {
    uint64_t known;
    if (ir_is_const(to_func(b), y, &known))
        return to_scale(b, x, (uint32_t)known);
    return to_2(b, IR_IMUL, IR_U32, x, y);
}

static ir_value plus(builder *b, ir_value x, ir_value y) {
    return to_2(b, IR_IADD, IR_U32, x, y);
}

static ir_value thread(builder *b, unsigned k) {
    return to_func(b)->workgroup[k] == 1 ? to_u32(b, 0) : to_special(b, ISA_SR_THREAD_ID_X + k);
}

static ir_value global_id(builder *b, unsigned k) {
    return plus(b, times(b, to_special(b, ISA_SR_WORKGROUP_ID_X + k), size(b, k)), thread(b, k));
}

static ir_value global_size(builder *b, unsigned k) {
    return times(b, to_special(b, ISA_SR_GRID_SIZE_X + k), size(b, k));
}

ir_value to_local_index(builder *b) {
    ir_value zy = plus(b, times(b, thread(b, 2), size(b, 1)), thread(b, 1));
    return plus(b, times(b, zy, size(b, 0)), thread(b, 0));
}

ir_value to_group_threads(builder *b) {
    return times(b, times(b, size(b, 0), size(b, 1)), size(b, 2));
}

static ir_value global_linear(builder *b) {
    ir_value zy = plus(b, times(b, global_id(b, 2), global_size(b, 1)), global_id(b, 1));
    return plus(b, times(b, zy, global_size(b, 0)), global_id(b, 0));
}

/* The last wave of a workgroup may have fewer lanes. */
static ir_value wave_size(builder *b) {
    ir_value width = to_special(b, ISA_SR_WAVE_WIDTH);
    ir_value before = to_2(b, IR_IMUL, IR_U32, to_special(b, ISA_SR_WAVE_ID), width);
    return to_2(b, IR_UMIN, IR_U32, width, to_2(b, IR_ISUB, IR_U32, to_group_threads(b), before));
}

/* The launch does not specify it: the number of dimensions with more than one work-item. */
static ir_value dimensions(builder *b) {
    ir_value one = to_u32(b, 1);
    ir_value y = to_2(b, IR_UCMP_GT, IR_BOOL, global_size(b, 1), one);
    ir_value z = to_2(b, IR_UCMP_GT, IR_BOOL, global_size(b, 2), one);
    return to_select(b, z, to_u32(b, 3), to_select(b, y, to_u32(b, 2), one));
}

/* A lane mask: word k of the four. Bits below the lane, with shift amounts below 32. */
static ir_value lane_mask(builder *b, unsigned which, unsigned k) {
    if (k > 1)
        return to_u32(b, 0);
    ir_value lane = to_special(b, ISA_SR_LANE_ID), zero = to_u32(b, 0),
             ones = to_u32(b, UINT32_MAX);
    ir_value here =
        to_2(b, IR_ICMP_EQ, IR_BOOL, to_2(b, IR_SHR, IR_U32, lane, to_u32(b, 5)), to_u32(b, k));
    ir_value bit = to_2(b, IR_SHL, IR_U32, to_u32(b, 1), lane); /* modulo 32 */
    ir_value equal = to_select(b, here, bit, zero);
    ir_value below = to_select(
        b, here, to_2(b, IR_ISUB, IR_U32, bit, to_u32(b, 1)),
        to_select(b, to_2(b, IR_UCMP_GE, IR_BOOL, lane, to_u32(b, 32 * (k + 1))), ones, zero));
    ir_value up_to = to_2(b, IR_OR, IR_U32, below, equal);
    /* lanes that exist: the first `width` */
    ir_value width = to_special(b, ISA_SR_WAVE_WIDTH);
    ir_value all =
        to_select(b, to_2(b, IR_UCMP_GE, IR_BOOL, width, to_u32(b, 32 * (k + 1))), ones,
                  to_select(b, to_2(b, IR_UCMP_LT, IR_BOOL, width, to_u32(b, 32 * k)), zero,
                            to_2(b, IR_ISUB, IR_U32, to_2(b, IR_SHL, IR_U32, to_u32(b, 1), width),
                                 to_u32(b, 1))));
    switch (which) {
    case SPIRV_SubgroupEqMask: return equal;
    case SPIRV_SubgroupLtMask: return below;
    case SPIRV_SubgroupLeMask: return up_to;
    case SPIRV_SubgroupGtMask: return to_2(b, IR_AND, IR_U32, all, to_1(b, IR_NOT, IR_U32, up_to));
    default: return to_2(b, IR_AND, IR_U32, all, to_1(b, IR_NOT, IR_U32, below));
    }
}

static ir_value component(builder *b, int which, unsigned k) {
    switch (which) {
    case SPIRV_NumWorkgroups: return to_special(b, ISA_SR_GRID_SIZE_X + k);
    case SPIRV_WorkgroupSize:
    case SPIRV_EnqueuedWorkgroupSize: return size(b, k);
    case SPIRV_WorkgroupId: return to_special(b, ISA_SR_WORKGROUP_ID_X + k);
    case SPIRV_LocalInvocationId: return thread(b, k);
    case SPIRV_GlobalInvocationId: return global_id(b, k);
    case SPIRV_LocalInvocationIndex: return to_local_index(b);
    case SPIRV_WorkDim: return dimensions(b);
    case SPIRV_GlobalSize: return global_size(b, k);
    case SPIRV_GlobalOffset: return to_u32(b, 0);
    case SPIRV_GlobalLinearId: return global_linear(b);
    case SPIRV_SubgroupSize: return wave_size(b);
    case SPIRV_SubgroupMaxSize: return to_special(b, ISA_SR_WAVE_WIDTH);
    case SPIRV_NumSubgroups:
    case SPIRV_NumEnqueuedSubgroups: return to_special(b, ISA_SR_NUM_WAVES);
    case SPIRV_SubgroupId: return to_special(b, ISA_SR_WAVE_ID);
    case SPIRV_SubgroupLocalInvocationId: return to_special(b, ISA_SR_LANE_ID);
    case SPIRV_SubgroupEqMask:
    case SPIRV_SubgroupGeMask:
    case SPIRV_SubgroupGtMask:
    case SPIRV_SubgroupLeMask:
    case SPIRV_SubgroupLtMask: return lane_mask(b, (unsigned)which, k);
    default: return 0;
    }
}

bool to_builtin(builder *b, const spirv_variable *v, const to_flat *flat, ir_value *out) {
    for (uint32_t k = 0; k < flat->count; k++) {
        const to_scalar *s = &flat->list[k];
        bool is_mask = v->builtin >= SPIRV_SubgroupEqMask && v->builtin <= SPIRV_SubgroupLtMask;
        if (s->type != IR_U32 && s->type != IR_U64)
            return to_fail(b, DIAG_E_SPIRV_TYPE,
                           "the built-in variable %s (BuiltIn %d) does not consist of integers",
                           v->name, v->builtin);
        ir_value x = k < 3 || is_mask ? component(b, v->builtin, k) : to_u32(b, 0);
        if (!x)
            return to_fail(b, DIAG_E_SPIRV_FEATURE, "WAVE has no built-in variable %s (BuiltIn %d)",
                           v->name, v->builtin);
        out[k] = to_resize(b, x, 32, s->bits, false);
    }
    return true;
}
