/* W_WAVE_ORDER: where a lane may load what another lane of its wave stores and no fence and no
 * barrier stands between the two (ir/analyse_order.c finds them). */
#include "compile/compile.h"

#include "ir/analyse.h"

#include <stdlib.h>

static void report(const fe_kernel *kernel, unsigned index, uint32_t later, uint32_t earlier,
                   wave_diags *diags) {
    buf there = {0};
    if (diag_has_room(diags))
        fe_insn_text(&there, &kernel->insns[earlier], kernel->insns, index);
    buf_char(&there, '\0');
    if (there.failed) {
        compile_no_memory(kernel, diags);
    } else {
        diag_place place = DIAG_NOWHERE;
        compile_report(kernel, index, later, DIAG_W_WAVE_ORDER, diags,
                       "this may read what another lane of the wave writes at 0x%04x (%s), and no "
                       "fence or barrier orders the two",
                       (unsigned)kernel->insns[earlier].pc, (const char *)there.data);
        place.kernel = kernel->info.name;
        place.offset = kernel->insns[earlier].pc;
        diag_relate(diags, &place, "%s", (const char *)there.data);
    }
    buf_free(&there);
}

/* Once for each instruction, however often it was inlined. */
static void report_all(const fe_kernel *kernel, unsigned index, const ir_func *f,
                       const ir_order *order, uint8_t *told, wave_diags *diags) {
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        ir_value earlier = e == IR_AT_OP ? order->meets[w.op] : 0;
        if (!earlier)
            continue;
        uint32_t at = compile_instruction(kernel, ir_at(f, w.op)->pc);
        if (!told[at])
            report(kernel, index, at, compile_instruction(kernel, ir_at(f, earlier)->pc), diags);
        told[at] = 1;
    }
}

void compile_warn_order(const fe_kernel *kernel, unsigned index, const ir_func *f,
                        wave_diags *diags) {
    ir_order order = {0};
    uint8_t *told = calloc((size_t)kernel->info.instructions + 1, 1);
    if (told && ir_find_order(f, &(ir_order_options){0}, &order))
        report_all(kernel, index, f, &order, told, diags);
    else
        compile_no_memory(kernel, diags);
    ir_free_order(&order);
    free(told);
}
