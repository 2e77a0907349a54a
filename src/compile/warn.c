/* Warnings about kernels that compile: those of order.c, local_bounds.c and sums.c, and the one
 * about ballots, for compilation and for wavec --check. Also the reporting functions they share. */
#include "compile/compile.h"

#include "ir/build.h"

#include <stdarg.h>

enum { DEFAULT_WIDTH = 32 };

/* ---- Reports ---- */

uint32_t compile_instruction(const fe_kernel *kernel, uint32_t pc) {
    uint32_t low = 0, high = kernel->info.instructions;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(kernel->insns[middle].pc <= pc ? &low : &high) = middle;
    }
    return low;
}

void compile_no_memory(const fe_kernel *kernel, wave_diags *diags) {
    diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to check %s",
                kernel->info.name);
}

void compile_report(const fe_kernel *kernel, unsigned index, uint32_t instruction, diag_code code,
                    wave_diags *diags, const char *format, ...) {
    buf text = {0}, message = {0};
    va_list arguments;
    if (!diag_has_room(diags)) { /* only counts it */
        diag_report(diags, code, &DIAG_NOWHERE, "not shown");
        return;
    }
    fe_insn_text(&text, &kernel->insns[instruction], kernel->insns, index);
    va_start(arguments, format);
    buf_vprintf(&message, format, arguments);
    va_end(arguments);
    buf_char(&message, '\0');
    if (text.failed || message.failed) {
        compile_no_memory(kernel, diags);
    } else {
        diag_place place = DIAG_NOWHERE;
        place.kernel = kernel->info.name;
        place.offset = kernel->insns[instruction].pc;
        place.text = (const char *)text.data;
        place.text_length = text.size;
        diag_report(diags, code, &place, "%s", (const char *)message.data);
    }
    buf_free(&text);
    buf_free(&message);
}

/* ---- Checking ---- */

static void warn_ballots(const fe_kernel *kernel, unsigned index, uint32_t width,
                         wave_diags *diags) {
    for (uint32_t k = 0; k < kernel->info.instructions && width > 32; k++)
        if (kernel->insns[k].op == ISA_WAVE_BALLOT)
            compile_report(kernel, index, k, DIAG_W_BALLOT_WIDTH, diags,
                           "wave_ballot covers lanes 0 to 31, but the target's waves have %u lanes",
                           (unsigned)width);
}

void compile_warn(const fe_kernel *kernel, unsigned index, const ir_func *f, unsigned warnings,
                  wave_diags *diags) {
    ir_wave wave = {0};
    if (warnings & COMPILE_WARN_WAVE_ORDER)
        compile_warn_order(kernel, index, f, &wave, diags);
    if (warnings & COMPILE_WARN_LOCAL_BOUNDS)
        compile_warn_local_bounds(kernel, index, f, diags);
    if (warnings & COMPILE_WARN_SUMS)
        compile_warn_sums(kernel, index, f, &wave, diags);
    if (warnings & COMPILE_WARN_BALLOTS)
        warn_ballots(kernel, index, f->wave_width, diags);
    ir_free_wave(&wave);
}

/* Kernels that cannot be compiled (recursion, too much inlining) are skipped: the compiler reports
 * them. */
static void check_kernel(const fe_kernel *kernel, unsigned index, uint32_t width, unsigned warnings,
                         wave_diags *diags) {
    ir_func f;
    diag_scope own;
    bool ok = ir_build(&f, kernel, index, width, IR_BUILD_ASSERTS | IR_BUILD_LIVE,
                       diag_begin(&own, NULL));
    bool memory =
        ok ? f.failed && !f.too_large : diag_end(&own, WAVE_ERROR_INPUT) == WAVE_ERROR_MEMORY;
    if (memory)
        compile_no_memory(kernel, diags);
    else if (ok && !f.failed)
        compile_warn(kernel, index, &f, warnings, diags);
    ir_free(&f);
}

static wave_status check(const wave_module *module, uint32_t wave_width, unsigned warnings,
                         wave_diags *diags) {
    diag_scope scope;
    if (!module || wave_width > ISA_MAX_WIDTH)
        return WAVE_ERROR_USAGE;
    diags = diag_begin(&scope, diags);
    for (size_t k = 0; k < module->kernel_count; k++) {
        size_t before = diags->count;
        check_kernel(&module->kernels[k], (unsigned)k, wave_width ? wave_width : DEFAULT_WIDTH,
                     warnings, diags);
        fe_locate(&module->extras, &module->kernels[k].extras, diags, before);
    }
    return diag_end(&scope, WAVE_ERROR_INPUT) == WAVE_ERROR_MEMORY ? WAVE_ERROR_MEMORY : WAVE_OK;
}

wave_status wave_check_order(const wave_module *module, uint32_t wave_width, wave_diags *diags) {
    return check(module, wave_width, COMPILE_WARN_WAVE_ORDER, diags);
}

wave_status wave_check_kernels(const wave_module *module, uint32_t wave_width, bool lockstep,
                               wave_diags *diags) {
    const unsigned all = COMPILE_WARN_WAVE_ORDER | COMPILE_WARN_LOCAL_BOUNDS | COMPILE_WARN_SUMS |
                         COMPILE_WARN_BALLOTS;
    return check(module, wave_width, lockstep ? all & ~(unsigned)COMPILE_WARN_WAVE_ORDER : all,
                 diags);
}
