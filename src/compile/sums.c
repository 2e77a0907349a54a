/* Float sums by atomics: because of rounding, the result depends on the order in which lanes add.
 * W_ORDER warns about them; --deterministic rejects those that cannot be ordered
 * (ir/lower_sums.c). */
#include "compile/compile.h"

#include "ir/lower.h"

#include <stdlib.h>

static const char *const reasons[] = {
    [IR_SUM_IN_ORDER] = "the lanes of a wave",
    [IR_SUM_RETURNED] = "the lanes of a wave, and the old value is used",
    [IR_SUM_OF_WAVES] = "a workgroup that may have several waves",
    [IR_SUM_OF_GRID] = "a grid, whose workgroups run in any order",
};

/* A single lane adds in program order. */
static bool is_alone(const ir_func *f, const ir_lanes *lanes, ir_value v, ir_sum sum) {
    return lanes->one && (sum == IR_SUM_IN_ORDER || sum == IR_SUM_RETURNED) &&
           lanes->one[ir_at(f, v)->region];
}

/* The nodes of a function as built are in program order. */
static void warn_about_sums(const fe_kernel *kernel, unsigned index, const ir_func *f,
                            const uint8_t *used, const ir_lanes *lanes, uint8_t *reported,
                            wave_diags *diags) {
    for (ir_value v = 1, end = f->node_count; v < end; v++) {
        if (ir_op_of(f, v) != IR_ATOMIC || !ir_at(f, v)->region)
            continue;
        ir_sum sum = ir_sum_of(f, used, v);
        if (sum == IR_SUM_NONE || is_alone(f, lanes, v, sum))
            continue;
        uint32_t at = compile_instruction(kernel, ir_at(f, v)->pc);
        if (!reported[at])
            compile_report(kernel, index, at, DIAG_W_ORDER, diags,
                           "the sum depends on the order of its additions, made by %s: another run "
                           "may round it differently",
                           reasons[sum]);
        reported[at] = 1;
    }
}

/* Whether there is any sum, and whether one is over the lanes of a wave, which requires analyses to
 * judge. */
static bool find_sums(const ir_func *f, bool *of_lanes) {
    bool any = false;
    *of_lanes = false;
    if (!ir_made(f, IR_ATOMIC))
        return false;
    for (ir_value v = 1, end = f->node_count; v < end; v++) {
        if (ir_op_of(f, v) != IR_ATOMIC)
            continue;
        ir_sum sum = ir_sum_of(f, NULL, v);
        any |= sum != IR_SUM_NONE;
        *of_lanes |= sum == IR_SUM_IN_ORDER;
    }
    return any;
}

void compile_warn_sums(const fe_kernel *kernel, unsigned index, const ir_func *f, ir_wave *wave,
                       wave_diags *diags) {
    bool of_lanes;
    if (!find_sums(f, &of_lanes))
        return;
    uint8_t *reported = calloc((size_t)kernel->info.instructions + 1, 1);
    uint8_t *used = of_lanes ? ir_find_used(f) : NULL;
    if (reported && (!of_lanes || (used && ir_find_wave(f, false, wave))))
        warn_about_sums(kernel, index, f, used, &wave->lanes, reported, diags);
    else
        compile_no_memory(kernel, diags);
    free(used);
    free(reported);
}

/* The first sum whose order cannot be fixed; 0: there is none. */
static ir_value find_refused(const ir_func *f, const uint8_t *used, ir_sum *sum) {
    for (ir_value v = ir_first_op(f); v; v = ir_next_op(f, v)) {
        *sum = ir_sum_of(f, used, v);
        if (*sum != IR_SUM_NONE && *sum != IR_SUM_IN_ORDER)
            return v;
    }
    return 0;
}

bool compile_refuse_sums(const fe_kernel *kernel, unsigned index, const ir_func *f,
                         wave_diags *diags) {
    static const char format[] =
        "the order of this sum cannot be fixed: the additions are made by %s";
    ir_sum sum = IR_SUM_NONE;
    uint8_t *used = ir_find_used(f);
    if (!used) {
        diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to compile");
        return false;
    }
    ir_value at = find_refused(f, used, &sum);
    if (at && kernel)
        compile_report(kernel, index, compile_instruction(kernel, ir_at(f, at)->pc), DIAG_E_ORDER,
                       diags, format, reasons[sum]);
    else if (at)
        diag_report(diags, DIAG_E_ORDER, &DIAG_NOWHERE, format, reasons[sum]);
    free(used);
    return !at;
}
