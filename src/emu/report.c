/* Run-time errors and warnings: who (workgroup, wave, lane, thread), where (kernel, PC, the
 * instruction as text) and what. */
#include "emu/draft.h"
#include "emu/machine.h"

#include <stdarg.h>
#include <stdlib.h>

/* A program may warn at every instruction; the list must keep room for the error that follows. */
enum { MOST_WARNINGS = 64 };

static void append_who(buf *out, const emu_machine *m, const emu_wave *w, uint32_t lane) {
    buf_printf(out, "workgroup (%u,%u,%u), wave %u", m->workgroup[0], m->workgroup[1],
               m->workgroup[2], w->number);
    if (lane != EMU_NO_LANE) {
        const uint32_t *x = w->regs + (size_t)(m->registers + EMU_ROW_THREAD_X) * m->stride;
        const uint32_t *y = w->regs + (size_t)(m->registers + EMU_ROW_THREAD_Y) * m->stride;
        const uint32_t *z = w->regs + (size_t)(m->registers + EMU_ROW_THREAD_Z) * m->stride;
        buf_printf(out, ", lane %u, thread (%u,%u,%u)", lane, x[lane], y[lane], z[lane]);
    }
    buf_text(out, ": ");
}

static void report(emu_machine *m, const emu_wave *w, const emu_insn *in, uint32_t lane,
                   diag_code code, const char *format, va_list args) {
    const fe_kernel *kernel = m->kernel;
    const fe_insn *insn = &kernel->insns[emu_index(m, in)];
    buf message = {0}, text = {0};
    append_who(&message, m, w, lane);
    buf_vprintf(&message, format, args);
    fe_insn_text(&text, insn, kernel->insns, (unsigned)m->launch->kernel);
    if (message.failed || text.failed) {
        diag_report(m->diags, code, &DIAG_NOWHERE, "at 0x%04x", insn->pc);
    } else {
        diag_place place = DIAG_NOWHERE;
        place.kernel = kernel->info.name;
        place.offset = insn->pc;
        place.text = (const char *)text.data;
        place.text_length = text.size;
        diag_report(m->diags, code, &place, "%.*s", (int)message.size, (const char *)message.data);
    }
    buf_free(&message);
    buf_free(&text);
}

void emu_fail(emu_machine *m, const emu_wave *w, const emu_insn *in, uint32_t lane, diag_code code,
              const char *format, ...) {
    if (m->drafting) {
        emu_draft_abandon(m);
        return;
    }
    m->status = WAVE_ERROR_INPUT;
    m->ready = 0;
    va_list args;
    va_start(args, format);
    report(m, w, in, lane, code, format, args);
    va_end(args);
}

void emu_warn(emu_machine *m, const emu_wave *w, const emu_insn *in, uint32_t lane,
              emu_warning which, diag_code code, const char *format, ...) {
    if (m->drafting) {
        emu_draft_abandon(m);
        return;
    }
    uint8_t *warned = &m->warned[emu_index(m, in)];
    if (*warned & which || m->warnings == MOST_WARNINGS)
        return;
    *warned = (uint8_t)(*warned | which);
    m->warnings++;
    va_list args;
    va_start(args, format);
    report(m, w, in, lane, code, format, args);
    va_end(args);
}
