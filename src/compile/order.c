/* W_WAVE_ORDER: a lane may load what another lane of its wave stores, with no fence or barrier
 * between the two (ir/analyse_order.c finds these pairs). */
#include "compile/compile.h"

#include <stdlib.h>

static void report(const fe_kernel *kernel, unsigned index, uint32_t later, uint32_t earlier_pc,
                   wave_diags *diags) {
    buf there = {0};
    if (!diag_has_room(diags)) { /* only counts it */
        diag_report(diags, DIAG_W_WAVE_ORDER, &DIAG_NOWHERE, "not shown");
        return;
    }
    uint32_t earlier = compile_instruction(kernel, earlier_pc);
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

/* compile_instruction for places in the order of the code: a galloping search from the last one. */
static uint32_t instruction_after(const fe_kernel *kernel, uint32_t last, uint32_t pc) {
    uint32_t step = 1, count = kernel->info.instructions;
    if (kernel->insns[last].pc > pc)
        return compile_instruction(kernel, pc);
    while (step < count - last && kernel->insns[last + step].pc <= pc) {
        last += step;
        step *= 2;
    }
    while (step /= 2)
        if (step < count - last && kernel->insns[last + step].pc <= pc)
            last += step;
    return last;
}

/* Reports once per instruction, however often it is inlined. */
static void report_all(const fe_kernel *kernel, unsigned index, const ir_func *f,
                       const ir_order *order, uint8_t *reported, wave_diags *diags) {
    uint32_t at = 0;
    for (uint32_t k = 0; k < order->count; k++) {
        const ir_meeting *m = &order->list[k];
        at = instruction_after(kernel, at, ir_at(f, m->later)->pc);
        if (!reported[at])
            report(kernel, index, at, ir_at(f, m->earlier)->pc, diags);
        reported[at] = 1;
    }
}

void compile_warn_order(const fe_kernel *kernel, unsigned index, const ir_func *f, ir_wave *wave,
                        wave_diags *diags) {
    ir_order order = {0};
    bool ok = ir_find_order(f, &(ir_order_options){.wave = wave}, &order);
    uint8_t *reported = order.count ? calloc((size_t)kernel->info.instructions + 1, 1) : NULL;
    if (ok && reported)
        report_all(kernel, index, f, &order, reported, diags);
    else if (!ok || order.count)
        compile_no_memory(kernel, diags);
    ir_free_order(&order);
    free(reported);
}
