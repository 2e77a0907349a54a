/* Replaces loads from constant memory at known addresses by constants.
 *
 *   %1 = load(constant, 4, +8) 0x10          the four bytes at 24, as a constant
 *
 * The bytes are those of the file. Accesses outside of them remain loads. One walk. */
#include "ir/opt.h"
#include "ir/rewrite.h"

/* Little-endian, at most four bytes. */
static uint32_t bytes_at(const ir_func *f, uint64_t at, unsigned bytes) {
    uint32_t word = 0;
    for (unsigned k = 0; k < bytes; k++)
        word |= (uint32_t)f->constants[at + k] << 8 * k;
    return word;
}

/* The address it reads; false when unknown or out of range. */
static bool place_of(const ir_func *f, ir_value v, uint64_t *at) {
    ir_access a = ir_access_unpack(ir_at(f, v)->imm);
    uint64_t address;
    if (a.space != IR_CONSTANT || !ir_is_const(f, ir_arg(f, v, 0), &address))
        return false;
    int64_t sum = (int64_t)address + a.offset;
    *at = (uint64_t)sum;
    return sum >= 0 && *at + a.bytes <= f->constant_size;
}

static void replace(ir_func *f, ir_map *map, ir_value v, uint32_t bits) {
    map->to[v] = ir_const(f, ir_type_of(f, v), bits);
    ir_remove(f, v);
}

/* The words of a wide load are handled one by one; dead-code elimination removes the load
 * itself. */
static bool visit(ir_func *f, ir_map *map, ir_value v) {
    ir_op op = ir_op_of(f, v);
    ir_value load = op == IR_RESULT ? ir_arg(f, v, 0) : v;
    uint64_t at;
    if (ir_op_of(f, load) != (op == IR_RESULT ? IR_LOADS : IR_LOAD) || !place_of(f, load, &at))
        return false;
    bool part = op == IR_RESULT;
    replace(f, map, v,
            part ? bytes_at(f, at + 4 * ir_at(f, v)->imm, 4)
                 : bytes_at(f, at, ir_access_unpack(ir_at(f, v)->imm).bytes));
    return true;
}

bool ir_opt_constants(ir_func *f) {
    ir_map map;
    bool changed = false;
    if (!f->constant_size || !(ir_made(f, IR_LOAD) || ir_made(f, IR_LOADS)) ||
        !ir_map_init(&map, f))
        return false;
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; !f->failed && (e = ir_walk_next(&w)) != IR_AT_END;)
        if (e == IR_AT_OP)
            changed |= visit(f, &map, w.op);
    if (changed && !f->failed)
        ir_map_apply(&map, f);
    ir_map_free(&map);
    return changed;
}
