/* Accesses of 8 bytes to buffers of 64-bit elements become accesses of one value, for targets that
 * print elements:
 *
 *   loads(device, 8, +0) %4                     %9 = load64(device, 8, +0) %4
 *   %5, %6 = results                     →      %5 = lo64 %9, %6 = hi64 %9
 *   %7 = pack64 %5, %6
 *   store(device, 8, +0) %8, %10, %11           store64(device, 8, +0) %8, pack64 %10, %11
 *
 * Simplification removes the packs of unpacked values. Elements are f64 if the buffer's are and the
 * kernel computes with f64; otherwise a target need not support the type. */
#include "ir/opt.h"
#include "ir/rewrite.h"

static bool has_bit(const uint64_t bits[4], uint64_t word) {
    return word < 256 && (bits[word / 64] >> (word % 64) & 1);
}

static bool computes_in_f64(const ir_func *f) {
    for (unsigned op = 0; op < IR_OP_COUNT; op++)
        if (ir_made(f, (ir_op)op) && ir_op_involves((ir_op)op, "d"))
            return true;
    return false;
}

/* The type of the accessed element; void: none. */
static ir_type element_of(const ir_func *f, ir_value v, bool doubles) {
    ir_access a = ir_access_unpack(ir_at(f, v)->imm);
    ir_value pointer = ir_arg(f, v, 0);
    if (a.bytes != 8 || ir_op_of(f, pointer) != IR_BUFFER ||
        ir_op_of(f, ir_arg(f, pointer, 0)) != IR_ARG)
        return IR_VOID;
    uint64_t word = ir_at(f, ir_arg(f, pointer, 0))->imm;
    return has_bit(f->longs, word)                ? IR_U64
           : doubles && has_bit(f->doubles, word) ? IR_F64
                                                  : IR_VOID;
}

static void load_whole(ir_func *f, ir_map *map, ir_value v, ir_type type) {
    static const ir_op halves[2] = {IR_LO64, IR_HI64};
    ir_value address = ir_arg(f, v, 0);
    ir_value whole = ir_make_before(f, v, IR_LOAD64, type, &address, 1, ir_at(f, v)->imm);
    ir_give_name(f, whole, ir_name_of(f, v));
    ir_value bits = type == IR_U64 ? whole : ir_make_before(f, v, IR_BITCAST, IR_U64, &whole, 1, 0);
    for (ir_value r = ir_first_result(f, v); r && !f->failed; r = ir_next_result(f, r)) {
        ir_type as = ir_type_of(f, r);
        ir_value half = ir_make_before(f, v, halves[ir_at(f, r)->imm], IR_U32, &bits, 1, 0);
        map->to[r] = as == IR_U32 ? half : ir_make_before(f, v, IR_BITCAST, as, &half, 1, 0);
    }
}

/* Removes the access and the results that follow it; returns the operation after them. */
static ir_value remove_access(ir_func *f, ir_value v) {
    ir_value r = ir_first_result(f, v), next;
    for (; r; r = next) {
        next = ir_next_result(f, r);
        ir_remove(f, r);
    }
    next = ir_at(f, v)->next;
    ir_remove(f, v);
    return next;
}

static ir_value as_u32(ir_func *f, ir_value at, ir_value v) {
    return ir_type_of(f, v) == IR_U32 ? v : ir_make_before(f, at, IR_BITCAST, IR_U32, &v, 1, 0);
}

static void store_whole(ir_func *f, ir_value v, ir_type type) {
    ir_value low = as_u32(f, v, ir_arg(f, v, 1)), high = as_u32(f, v, ir_arg(f, v, 2));
    ir_value whole = ir_make_before(f, v, IR_PACK64, IR_U64, (ir_value[]){low, high}, 2, 0);
    if (type == IR_F64)
        whole = ir_make_before(f, v, IR_BITCAST, IR_F64, &whole, 1, 0);
    ir_value args[2] = {ir_arg(f, v, 0), whole};
    ir_make_before(f, v, IR_STORE64, IR_VOID, args, 2, ir_at(f, v)->imm);
}

static bool has_any(const uint64_t bits[4]) {
    return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
}

bool ir_opt_elements(ir_func *f) {
    ir_map map;
    ir_walk w;
    bool changed = false, doubles = has_any(f->doubles) && computes_in_f64(f);
    if ((!has_any(f->longs) && !doubles) || !ir_made(f, IR_BUFFER) || !ir_map_init(&map, f))
        return false;
    ir_walk_init(&w, f);
    for (ir_event e; !f->failed && (e = ir_walk_next(&w)) != IR_AT_END;) {
        ir_op op = e == IR_AT_OP && w.op < map.count ? ir_op_of(f, w.op) : IR_NONE;
        if (op != IR_LOADS && op != IR_STORE)
            continue;
        ir_type type = element_of(f, w.op, doubles);
        if (type == IR_VOID)
            continue;
        if (op == IR_LOADS)
            load_whole(f, &map, w.op, type);
        else
            store_whole(f, w.op, type);
        changed = true;
        if (f->failed)
            break;
        w.next = remove_access(f, w.op);
        w.op = 0;
    }
    if (changed && !f->failed)
        ir_map_apply(&map, f);
    ir_map_free(&map);
    if (changed && !f->failed)
        ir_opt_simplify(f);
    return changed;
}
