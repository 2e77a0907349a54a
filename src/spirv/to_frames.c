/* Frames: instances of functions, and the values of ids in them. */
#include "spirv/to_ir.h"

#include <stdlib.h>

/* ---- Reading ---- */

const to_flat *to_flat_in(builder *b, spirv_id type) {
    const to_flat *flat = to_flat_of(b->p, b->frame->plan->in, type);
    if (!flat)
        to_fail(b, DIAG_E_SPIRV_LIMIT, "a value has more than %d components", TO_MOST_SCALARS);
    return flat;
}

/* The location of a global variable. */
static bool read_variable(builder *b, uint32_t index, ir_value *offset, uint8_t *space) {
    to_module *in = b->frame->plan->in;
    const spirv_variable *v = &in->m->variables[index];
    *space = v->storage == SPIRV_Input ? TO_INPUT : to_space_of_storage(v->storage);
    if (v->storage == SPIRV_Input) {
        *offset = to_u32(b, (uint64_t)index << 8);
    } else if (v->storage == SPIRV_Workgroup) {
        uint32_t *at = &b->local_offset[in == &b->p->modules[1]][index];
        const spirv_type *type = spirv_type_at(in->m, spirv_type_at(in->m, v->type)->element);
        if (!*at)
            *at = to_take_local(b, type->size, v->align) + 1;
        *offset = to_u32(b, *at - 1);
    } else if (in->variable_offset[index]) {
        *space = IR_CONSTANT;
        *offset = to_u32(b, in->variable_offset[index] - 1);
    } else {
        return to_fail(b, DIAG_E_SPIRV_FEATURE,
                       "the variable %s outlives the kernel; WAVE has no such memory", v->name);
    }
    return true;
}

static uint64_t masked(uint64_t bits, unsigned width) {
    return width < 64 ? bits & (((uint64_t)1 << width) - 1) : bits;
}

/* Fills the scalars of a constant; types nest at most DEEPEST_TYPE deep. */
static bool read_constant(builder *b, spirv_id id, const to_flat *flat, ir_value *out,
                          uint8_t *space) {
    const spirv_module *m = to_module_of(b);
    const spirv_constant *c = spirv_constant_at(m, id);
    uint32_t at = 0;
    if (c && c->kind == SPIRV_COMPOSITE) {
        /* Elements without scalars (empty structures) are not visited: there may be billions. */
        for (uint32_t k = 0; k < c->count && flat->count; k++) {
            const to_flat *part = to_flat_in(b, m->defs[c->elements[k]].type);
            if (!part || part->count > flat->count - at)
                return false;
            if (!read_constant(b, c->elements[k], part, out + at, space))
                return false;
            at += part->count;
        }
        return true;
    }
    if (c && c->kind == SPIRV_ADDRESS) {
        if (!read_variable(b, m->defs[c->variable].index, out, space))
            return false;
        *out = to_add(b, *out, (uint32_t)c->offset);
        return true;
    }
    for (uint32_t k = 0; k < flat->count; k++) {
        uint64_t bits = c && c->kind == SPIRV_SCALAR ? masked(c->bits, flat->list[k].bits) : 0;
        out[k] = ir_const(to_func(b), (ir_type)flat->list[k].type, bits);
    }
    return true;
}

static void read_slot(builder *b, uint32_t slot, to_value *out) {
    const to_frame *f = b->frame;
    const to_plan *plan = f->plan;
    out->space = f->space[slot];
    out->object = f->object[slot];
    for (uint32_t k = 0; k < out->count; k++) {
        ir_value v = plan->variable[slot] ? ssa_read(&b->s, f->base + plan->variable[slot] - 1 + k)
                                          : f->scalars[plan->first[slot] + k];
        out->v[k] = v ? v : to_zero(b, (ir_type)out->flat->list[k].type);
    }
}

bool to_read(builder *b, spirv_id id, to_value *out) {
    const spirv_module *m = to_module_of(b);
    const spirv_def *def = &m->defs[id];
    out->flat = def->type ? to_flat_in(b, def->type) : NULL;
    if (!out->flat)
        return to_fail(b, DIAG_E_SPIRV_FEATURE,
                       "an operand is not a value; function pointers are not supported");
    out->count = out->flat->count;
    out->space = TO_ANYWHERE;
    out->object = IR_ANY_OBJECT;
    if (def->kind == SPIRV_ID_VALUE || def->kind == SPIRV_ID_PARAMETER) {
        read_slot(b, b->frame->plan->in->slot[id], out);
        return true;
    }
    if (def->kind == SPIRV_ID_VARIABLE)
        return read_variable(b, def->index, out->v, &out->space);
    if (def->kind == SPIRV_ID_CONSTANT)
        return read_constant(b, id, out->flat, out->v, &out->space);
    return to_fail(b, DIAG_E_SPIRV_FEATURE,
                   "an operand is not a value; function pointers are not supported");
}

ir_value to_read_scalar(builder *b, spirv_id id) {
    to_value *v = &b->scalar_value;
    if (!to_read(b, id, v))
        return 0;
    if (v->count != 1) {
        to_fail(b, DIAG_E_SPIRV_TYPE, "expected a scalar");
        return 0;
    }
    return v->v[0];
}

ir_value to_read_index(builder *b, spirv_id id) {
    ir_value v = to_read_scalar(b, id);
    const spirv_type *type = v ? to_type_of(b, id) : NULL;
    return type ? to_resize(b, v, type->bits, 32, true) : v;
}

/* ---- Writing ---- */

uint8_t to_merge_spaces(uint8_t a, uint8_t b) {
    return a == b || b == TO_ANYWHERE ? a : a == TO_ANYWHERE ? b : TO_MIXED;
}

void to_bind(builder *b, to_frame *f, spirv_id id, const ir_value *v, uint32_t count,
             uint8_t space) {
    const to_plan *plan = f->plan;
    uint32_t slot = plan->in->slot[id];
    const spirv_type *type = spirv_type_of(plan->in->m, id);
    if (type && type->kind == SPIRV_POINTER && space != TO_INPUT && space >= IR_SPACE_COUNT &&
        type->storage != SPIRV_Generic && type->storage != SPIRV_UniformConstant)
        space = to_space_of_storage(type->storage);
    f->space[slot] = space;
    f->object[slot] = IR_ANY_OBJECT;
    for (uint32_t k = 0; k < count && k < plan->first[slot + 1] - plan->first[slot]; k++) {
        if (plan->variable[slot])
            ssa_write(&b->s, f->base + plan->variable[slot] - 1 + k, v[k]);
        else
            f->scalars[plan->first[slot] + k] = v[k];
    }
}

void to_write(builder *b, const ir_value *v, uint32_t count, uint8_t space) {
    to_bind(b, b->frame, b->insn->result, v, count, space);
}

uint8_t to_new_object(builder *b) {
    if (b->last_object < IR_LAST_OBJECT)
        b->last_object++;
    return b->last_object;
}

void to_point_into(builder *b, uint8_t object) {
    b->frame->object[b->frame->plan->in->slot[b->insn->result]] = object;
}

/* ---- Calls ---- */

static bool push_frame(builder *b, to_frame *f) {
    to_frame **bigger = realloc(b->frames, (b->frame_count + (size_t)1) * sizeof(void *));
    if (!bigger) {
        b->s.f->failed = true;
        return false;
    }
    b->frames = bigger;
    b->frames[b->frame_count++] = f;
    b->frame = f;
    return true;
}

/* In one block, which to_return frees: a frame may have millions of scalars, and a kernel may have
 * many calls. */
static to_frame *make_frame(builder *b, to_plan *plan) {
    const size_t slots = plan->slot_count, scalars = plan->scalar_count * sizeof(ir_value);
    to_frame *f = calloc(1, sizeof *f + scalars + 2 * slots + plan->variable_count);
    if (!f)
        return NULL;
    f->plan = plan;
    f->scalars = (ir_value *)(f + 1);
    f->space = (uint8_t *)f->scalars + scalars;
    f->object = f->space + slots;
    f->variable_space = f->object + slots;
    for (uint32_t k = 0; k < plan->variable_count; k++)
        f->variable_space[k] = TO_ANYWHERE;
    f->base = b->s.count;
    for (uint32_t k = 0; k < plan->variable_count; k++)
        ssa_variable(&b->s, (ir_type)plan->type[k], to_zero(b, (ir_type)plan->type[k]));
    f->caller = b->insn;
    f->private_base =
        (b->private_top + plan->private_align - 1) / plan->private_align * plan->private_align;
    return f;
}

/* Private memory is a stack: functions called one after the other share it. */
static void take_private(builder *b, to_frame *f) {
    uint64_t top = (uint64_t)f->private_base + f->plan->private_size;
    f->private_before = b->private_top;
    if (!f->plan->private_size)
        return;
    b->private_top = top > INT32_MAX ? INT32_MAX : (uint32_t)top;
    if (b->private_top > b->s.f->private_memory)
        b->s.f->private_memory = b->private_top;
}

/* An argument passed by value is a pointer to the caller's copy; the callee gets its own copy,
 * which it may modify. */
static bool copy_argument(builder *b, const spirv_module *m, spirv_id parameter, to_value *arg) {
    const spirv_type *pointer = spirv_type_at(m, m->defs[parameter].type);
    const spirv_type *type = pointer ? spirv_type_at(m, pointer->element) : NULL;
    if (!type || arg->count != 1 || arg->space >= IR_SPACE_COUNT)
        return true;
    const uint32_t align = type->align ? type->align : 1;
    const uint64_t at = ((uint64_t)b->private_top + align - 1) / align * align;
    const uint64_t top = at + type->size;
    b->private_top = top > INT32_MAX ? INT32_MAX : (uint32_t)top;
    if (b->private_top > b->s.f->private_memory)
        b->s.f->private_memory = b->private_top;
    const to_pointer from = {arg->v[0], arg->space, arg->object},
                     to = {to_u32(b, (uint32_t)at), IR_PRIVATE, to_new_object(b)};
    arg->v[0] = to.offset;
    arg->space = to.space;
    arg->object = to.object;
    return to_copy_bytes(b, to, from, type->size, align);
}

bool to_call(builder *b, to_module *in, uint32_t function, to_value *args, uint32_t count) {
    if (b->frame_count >= TO_DEEPEST_CALL)
        return to_fail(b, DIAG_E_INLINE_LIMIT, "calls nest more than %d levels deep",
                       TO_DEEPEST_CALL);
    if (b->frame_count && in->is_kernel[function])
        return to_fail(b, DIAG_E_SPIRV_FEATURE, "a kernel cannot be called");
    to_plan *plan = to_plan_of(b->p, in, function, b->diags);
    if (!plan) {
        b->failed = true;
        return false;
    }
    b->work += 8;
    to_frame *f = make_frame(b, plan);
    if (!f || b->s.f->failed || !push_frame(b, f)) {
        free(f);
        b->s.f->failed = true;
        return false;
    }
    take_private(b, f);
    for (uint32_t k = 0; k < count && k < plan->function->parameter_count; k++) {
        const spirv_id id = plan->function->parameters[k];
        if (spirv_has_attribute(in->m, id, SPIRV_ByVal) && !copy_argument(b, in->m, id, &args[k]))
            return false;
        to_bind(b, f, id, args[k].v, args[k].count, args[k].space);
        f->object[in->slot[id]] = args[k].object;
    }
    return true;
}

void to_return(builder *b) {
    to_frame *f = b->frame;
    const to_plan *plan = f->plan;
    const to_flat *flat = to_flat_of(b->p, plan->in, plan->function->result);
    uint32_t count = flat ? flat->count : 0;
    ir_value *v = b->edge_value.v;
    for (uint32_t k = 0; k < count; k++)
        v[k] = ssa_read(&b->s, f->base + plan->result + k);
    uint8_t space = count ? f->variable_space[plan->result] : TO_ANYWHERE;
    for (uint32_t k = 0; k < plan->variable_count; k++)
        b->s.unused[f->base + k] = true;
    b->private_top = f->private_before;
    b->frame_count--;
    b->frame = b->frame_count ? b->frames[b->frame_count - 1] : NULL;
    b->insn = f->caller;
    free(f);
    if (!b->frame || b->s.dead)
        return;
    if (b->insn->op == SPIRV_OpExtInst || b->insn->op == SPIRV_OpFRem ||
        b->insn->op == SPIRV_OpFMod) {
        if (to_opencl_returned(b, v, count))
            b->frame->insn--; /* repeat for the next component */
    } else if (b->insn->result) {
        to_write(b, v, count, space);
    }
}
