/* W_ARGUMENT_GAP: without declared arguments, every register that is read before it is written
 * counts as an argument, even a mistyped number. Unread registers below it reveal the mistake. */
#include "compile/compile.h"

static bool reads(const fe_kernel *k, uint32_t r) {
    return k->reads[r / 64] >> (r % 64) & 1;
}

static void report(const fe_kernel *k, uint32_t from, uint32_t to, wave_diags *diags) {
    diag_place place = DIAG_NOWHERE;
    place.kernel = k->info.name;
    if (to - from == 1)
        diag_report(diags, DIAG_W_ARGUMENT_GAP, &place,
                    "r%u is read before it is written: that makes %u argument words, of which r%u "
                    "is never read",
                    (unsigned)to, (unsigned)k->info.argument_words, (unsigned)from);
    else
        diag_report(diags, DIAG_W_ARGUMENT_GAP, &place,
                    "r%u is read before it is written: that makes %u argument words, of which r%u "
                    "to r%u are never read",
                    (unsigned)to, (unsigned)k->info.argument_words, (unsigned)from,
                    (unsigned)to - 1);
}

static void check_kernel(const fe_kernel *k, wave_diags *diags) {
    uint32_t unread = 0;
    for (uint32_t r = 0; r < k->info.argument_words && !k->info.arguments; r++) {
        if (!reads(k, r)) {
            unread++;
            continue;
        }
        if (unread)
            report(k, r - unread, r, diags);
        unread = 0;
    }
}

wave_status wave_check_arguments(const wave_module *module, wave_diags *diags) {
    if (!module)
        return WAVE_ERROR_USAGE;
    for (size_t k = 0; k < module->kernel_count; k++)
        check_kernel(&module->kernels[k], diags);
    return WAVE_OK;
}
