/* Types as lists of scalars, each list made once. */
#include "spirv/to_ir.h"

enum { MOST_KEPT = 1 << 22 }; /* scalars of all types of a module */

static to_scalar scalar_of(const spirv_type *type) {
    to_scalar s = {.bits = type->bits};
    switch ((spirv_type_kind)type->kind) {
    case SPIRV_BOOL: s.type = IR_BOOL; break;
    case SPIRV_FLOAT:
        s.type = type->bits == 16 ? IR_F16 : type->bits == 32 ? IR_F32 : IR_F64;
        break;
    case SPIRV_POINTER:
        s.type = IR_U32;
        s.bits = 32;
        s.storage = (uint8_t)(type->storage + 1);
        break;
    case SPIRV_EVENT:
        s.type = IR_U32;
        s.bits = 32;
        break;
    default: s.type = type->bits == 64 ? IR_U64 : IR_U32; break;
    }
    return s;
}

static uint32_t copy_part(to_scalar *out, const to_flat *part, uint32_t offset) {
    for (uint32_t k = 0; k < part->count; k++) {
        out[k] = part->list[k];
        out[k].offset += offset;
    }
    return part->count;
}

static bool flatten(spirv_program *p, to_module *in, const spirv_type *type, to_flat *flat);

static const to_flat *part_of(spirv_program *p, to_module *in, spirv_id id) {
    const spirv_type *type = spirv_type_at(in->m, id);
    to_flat *flat = type ? &in->flat[in->m->defs[id].index] : NULL;
    if (flat && !flat->known && !flatten(p, in, type, flat))
        return NULL;
    return flat;
}

/* The reader ensures that types nest at most DEEPEST_TYPE levels deep. */
static uint32_t count_scalars(spirv_program *p, to_module *in, const spirv_type *type) {
    uint64_t count = 0;
    if (type->kind == SPIRV_STRUCT) {
        for (uint32_t k = 0; k < type->count && count <= TO_MOST_SCALARS; k++) {
            const to_flat *part = part_of(p, in, type->members[k].type);
            count = part ? count + part->count : TO_MOST_SCALARS + 1;
        }
    } else {
        const to_flat *part = part_of(p, in, type->element);
        count = part ? (uint64_t)type->count * part->count : TO_MOST_SCALARS + 1;
    }
    return count > TO_MOST_SCALARS ? UINT32_MAX : (uint32_t)count;
}

static bool flatten_parts(spirv_program *p, to_module *in, const spirv_type *type, to_flat *flat) {
    uint32_t count = count_scalars(p, in, type), at = 0;
    if (count == UINT32_MAX || p->flat_count + count > MOST_KEPT)
        return false;
    p->flat_count += count;
    to_scalar *list = arena_alloc(&p->memory, (count + (size_t)1) * sizeof *list);
    if (!list)
        return false;
    if (type->kind == SPIRV_STRUCT) {
        for (uint32_t k = 0; k < type->count; k++)
            at += copy_part(list + at, part_of(p, in, type->members[k].type),
                            type->members[k].offset);
    } else {
        const to_flat *part = part_of(p, in, type->element);
        uint32_t stride = spirv_element_size(in->m, type);
        for (uint32_t k = 0; k < type->count && part->count; k++)
            at += copy_part(list + at, part, k * stride);
    }
    *flat = (to_flat){.list = list, .count = count, .known = true};
    return true;
}

static bool flatten(spirv_program *p, to_module *in, const spirv_type *type, to_flat *flat) {
    switch ((spirv_type_kind)type->kind) {
    case SPIRV_VECTOR:
    case SPIRV_ARRAY:
    case SPIRV_STRUCT: return flatten_parts(p, in, type, flat);
    case SPIRV_VOID:
    case SPIRV_FUNCTION:
    case SPIRV_OPAQUE: *flat = (to_flat){.known = true}; return true;
    default: break;
    }
    to_scalar *one = arena_alloc(&p->memory, sizeof *one);
    if (!one)
        return false;
    *one = scalar_of(type);
    *flat = (to_flat){.list = one, .count = 1, .known = true};
    return true;
}

const to_flat *to_flat_of(spirv_program *p, to_module *in, spirv_id type) {
    return part_of(p, in, type);
}
