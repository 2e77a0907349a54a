/* W_WAVE_ORDER: where a lane may load what another lane of its wave stores and no fence and no
 * barrier stands between the two (ir/analyse_order.c finds them). */
#include "compile/compile.h"

#include "ir/analyse.h"
#include "ir/build.h"

#include <stdlib.h>

/* The instruction at an offset; they are stored by rising offset. */
static uint32_t instruction_at(const fe_kernel *k, uint32_t pc) {
    uint32_t low = 0, high = k->info.instructions;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(k->insns[middle].pc <= pc ? &low : &high) = middle;
    }
    return low;
}

static void no_memory(const fe_kernel *kernel, wave_diags *diags) {
    diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to check %s",
                kernel->info.name);
}

static void report(const fe_kernel *kernel, unsigned index, uint32_t later, uint32_t earlier,
                   wave_diags *diags) {
    buf here = {0}, there = {0};
    if (!diag_has_room(diags)) { /* it is counted */
        diag_report(diags, DIAG_W_WAVE_ORDER, &DIAG_NOWHERE, "lanes of a wave may meet");
        return;
    }
    fe_insn_text(&here, &kernel->insns[later], kernel->insns, index);
    fe_insn_text(&there, &kernel->insns[earlier], kernel->insns, index);
    buf_char(&there, '\0');
    if (here.failed || there.failed) {
        no_memory(kernel, diags);
    } else {
        diag_place place = DIAG_NOWHERE;
        place.kernel = kernel->info.name;
        place.offset = kernel->insns[later].pc;
        place.text = (const char *)here.data;
        place.text_length = here.size;
        diag_report(diags, DIAG_W_WAVE_ORDER, &place,
                    "this may read what another lane of the wave writes at 0x%04x (%s), and no "
                    "fence or barrier orders the two",
                    (unsigned)kernel->insns[earlier].pc, (const char *)there.data);
        place.offset = kernel->insns[earlier].pc;
        diag_relate(diags, &place, "%s", (const char *)there.data);
    }
    buf_free(&here);
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
        uint32_t at = instruction_at(kernel, ir_at(f, w.op)->pc);
        if (!told[at])
            report(kernel, index, at, instruction_at(kernel, ir_at(f, earlier)->pc), diags);
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
        no_memory(kernel, diags);
    ir_free_order(&order);
    free(told);
}

enum { DEFAULT_WIDTH = 32 };

/* What cannot be compiled (recursion, too much inlining) is not looked at: the compiler tells. */
static void check_kernel(const fe_kernel *kernel, unsigned index, uint32_t width,
                         wave_diags *diags) {
    ir_func f;
    diag_scope own;
    bool ok = ir_build(&f, kernel, index, width, true, diag_begin(&own, NULL));
    bool memory =
        ok ? f.failed && !f.too_large : diag_end(&own, WAVE_ERROR_INPUT) == WAVE_ERROR_MEMORY;
    if (memory)
        no_memory(kernel, diags);
    else if (ok && !f.failed)
        compile_warn_order(kernel, index, &f, diags);
    ir_free(&f);
}

wave_status wave_check_order(const wave_module *module, uint32_t wave_width, wave_diags *diags) {
    diag_scope scope;
    if (!module || wave_width > ISA_MAX_WIDTH)
        return WAVE_ERROR_USAGE;
    diags = diag_begin(&scope, diags);
    for (size_t k = 0; k < module->kernel_count; k++) {
        size_t before = diags->count;
        check_kernel(&module->kernels[k], (unsigned)k, wave_width ? wave_width : DEFAULT_WIDTH,
                     diags);
        fe_locate(&module->extras, &module->kernels[k].extras, diags, before);
    }
    return diag_end(&scope, WAVE_ERROR_INPUT) == WAVE_ERROR_MEMORY ? WAVE_ERROR_MEMORY : WAVE_OK;
}
