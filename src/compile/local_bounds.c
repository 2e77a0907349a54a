/* W_LOCAL_BOUNDS: a local access whose address is the same in every run, and outside the memory
 * that the workgroup has. Addresses that depend on anything are the emulator's business, and
 * --bounds'.
 */
#include "compile/compile.h"

#include "ir/fold.h"

#include <stdlib.h>

enum { MOST_ARGS = 4, TILE_ROWS = 4, TILE_ROW_BYTES = 16 };

/* By value: its bits, where they are known. */
typedef struct constants {
    const ir_func *f;
    uint64_t *bits;
    uint8_t *known;
} constants;

static bool get(const constants *c, ir_value v, uint64_t *bits) {
    *bits = c->bits[v];
    return ir_is_const(c->f, v, bits) || c->known[v];
}

static void learn(constants *c, ir_value v) {
    uint64_t args[MOST_ARGS] = {0};
    size_t count = ir_at(c->f, v)->arg_count;
    if (!ir_has(c->f, v, IR_PURE) || count == 0 || count > MOST_ARGS)
        return;
    for (unsigned k = 0; k < count; k++)
        if (!get(c, ir_arg(c->f, v, k), &args[k]))
            return;
    c->known[v] = ir_fold(ir_op_of(c->f, v), ir_type_of(c->f, v), args, &c->bits[v]);
}

/* The first byte of a known access that does not exist; false when there is none. */
static bool outside(const constants *c, ir_value v, uint64_t *address, uint32_t *bytes) {
    const ir_func *f = c->f;
    ir_op op = ir_op_of(f, v);
    bool tile = op == IR_MMA_LOAD || op == IR_MMA_STORE;
    uint64_t stride = 0;
    if (!tile && op != IR_LOAD && op != IR_LOADS && op != IR_STORE && op != IR_ATOMIC)
        return false;
    ir_access a = ir_access_unpack(ir_at(f, v)->imm);
    if ((!tile && a.space != IR_LOCAL) || !get(c, ir_arg(f, v, 0), address) ||
        (tile && !get(c, ir_arg(f, v, 1), &stride)))
        return false;
    *bytes = tile ? TILE_ROW_BYTES : a.bytes;
    for (unsigned row = 0; row < (tile ? TILE_ROWS : 1); row++) {
        if (*address + *bytes > f->local_memory)
            return true;
        *address = (uint32_t)(*address + stride);
    }
    return false;
}

/* Once for each instruction, however often it was inlined. */
static void look(constants *c, const fe_kernel *kernel, unsigned index, uint8_t *told,
                 wave_diags *diags) {
    ir_walk w;
    ir_walk_init(&w, c->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        uint64_t address;
        uint32_t bytes;
        if (e != IR_AT_OP)
            continue;
        learn(c, w.op);
        if (!outside(c, w.op, &address, &bytes))
            continue;
        uint32_t at = compile_instruction(kernel, ir_at(c->f, w.op)->pc);
        if (!told[at])
            compile_report(kernel, index, at, DIAG_W_LOCAL_BOUNDS, diags,
                           "%u bytes at %u are outside the %u bytes of local memory",
                           (unsigned)bytes, (unsigned)address, (unsigned)c->f->local_memory);
        told[at] = 1;
    }
}

void compile_warn_local_bounds(const fe_kernel *kernel, unsigned index, const ir_func *f,
                               wave_diags *diags) {
    if (!f->local_memory)
        return;
    constants c = {
        .f = f, .bits = calloc(f->node_count, sizeof *c.bits), .known = calloc(f->node_count, 1)};
    uint8_t *told = calloc((size_t)kernel->info.instructions + 1, 1);
    if (c.bits && c.known && told)
        look(&c, kernel, index, told, diags);
    else
        compile_no_memory(kernel, diags);
    free(told);
    free(c.known);
    free(c.bits);
}
