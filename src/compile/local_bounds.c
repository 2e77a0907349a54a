/* W_LOCAL_BOUNDS: a local access whose address is the same in every run and outside the workgroup's
 * memory. Addresses that depend on anything are left to the emulator and --bounds. */
#include "compile/compile.h"

#include "compile/known.h"
#include "isa/tile.h"

#include <stdlib.h>

enum { LANE_TILE_ROWS = 4, LANE_TILE_ROW_BYTES = 16 };

/* Pieces of equal length, `stride` bytes apart. */
typedef struct pieces {
    uint64_t address, stride;
    uint32_t bytes, count;
} pieces;

/* The pieces of local memory that an operation accesses, if known. */
static bool find_pieces(const known *k, ir_value v, pieces *p) {
    const ir_func *f = k->f;
    ir_access a = ir_access_unpack(ir_at(f, v)->imm);
    ir_type tile;
    *p = (pieces){.bytes = a.bytes, .count = 1};
    switch (ir_op_of(f, v)) {
    case IR_LOAD:
    case IR_LOADS:
    case IR_STORE:
    case IR_ATOMIC: return a.space == IR_LOCAL && known_constant(k, ir_arg(f, v, 0), &p->address);
    case IR_MMA_LOAD:
    case IR_MMA_STORE:
        p->bytes = LANE_TILE_ROW_BYTES;
        p->count = LANE_TILE_ROWS;
        break;
    case IR_TILE_LOAD:
    case IR_TILE_STORE:
        tile = ir_type_of(f, ir_op_of(f, v) == IR_TILE_LOAD ? v : ir_arg(f, v, 2));
        p->bytes = ISA_TILE_SIDE * ir_element_bytes[ir_tile_element(tile)];
        p->count = ISA_TILE_SIDE;
        if (a.space != IR_LOCAL)
            return false;
        break;
    default: return false;
    }
    return known_constant(k, ir_arg(f, v, 0), &p->address) &&
           known_constant(k, ir_arg(f, v, 1), &p->stride);
}

/* The first piece that is out of bounds; false when all are in bounds. */
static bool outside(const known *k, ir_value v, uint64_t *address, uint32_t *bytes) {
    pieces p;
    if (!find_pieces(k, v, &p))
        return false;
    *address = p.address;
    *bytes = p.bytes;
    for (uint32_t n = 0; n < p.count; n++) {
        if (*address + p.bytes > k->f->local_memory)
            return true;
        *address = (uint32_t)(*address + p.stride);
    }
    return false;
}

/* Reports once per instruction, however often it is inlined. */
static void check_accesses(known *k, const fe_kernel *kernel, unsigned index, uint8_t *reported,
                           wave_diags *diags) {
    for (ir_value v = ir_first_op(k->f); v; v = ir_next_op(k->f, v)) {
        uint64_t address;
        uint32_t bytes;
        known_learn(k, v);
        if (!ir_has(k->f, v, IR_READS | IR_WRITES) || !outside(k, v, &address, &bytes))
            continue;
        uint32_t at = compile_instruction(kernel, ir_at(k->f, v)->pc);
        if (!reported[at])
            compile_report(kernel, index, at, DIAG_W_LOCAL_BOUNDS, diags,
                           "%u bytes at %u are outside the %u bytes of local memory",
                           (unsigned)bytes, (unsigned)address, (unsigned)k->f->local_memory);
        reported[at] = 1;
    }
}

void compile_warn_local_bounds(const fe_kernel *kernel, unsigned index, const ir_func *f,
                               wave_diags *diags) {
    known k;
    if (!f->local_memory)
        return;
    bool ok = known_open(&k, f, false);
    uint8_t *reported = calloc((size_t)kernel->info.instructions + 1, 1);
    if (ok && reported)
        check_accesses(&k, kernel, index, reported, diags);
    else
        compile_no_memory(kernel, diags);
    free(reported);
    known_close(&k);
}
