/* Runs of quiet instructions: those that read and write only registers of their own wave. The order
 * in which waves execute them is not observable, so each wave executes a whole run in one turn. The
 * result and the counts are the same as with one instruction per turn.
 *
 * Counting uses a difference array: a run is added where it starts and subtracted where it ends.
 * The prefix sums are the counts (emu_count_quiet). */
#include "emu/machine.h"

#include <stdlib.h>

enum { LONGEST_RUN = 1 << 16 }; /* a run that exceeds what is left of the limit is not batched */

bool emu_find_quiet(emu_machine *m) {
    const uint32_t count = m->kernel->info.instructions;
    m->quiet = calloc((size_t)count + 1, sizeof *m->quiet);
    if (!m->quiet)
        return false;
    for (uint32_t i = count; i-- > 0;) {
        const uint64_t after = m->quiet[i + 1].length;
        if (isa_table[m->code[i].op].flags & ISA_PURE)
            m->quiet[i].length = after < LONGEST_RUN ? after + 1 : LONGEST_RUN;
    }
    return true;
}

/* The number of instructions that all ready waves can execute quietly. */
static uint64_t common_length(const emu_machine *m, uint64_t ready, uint32_t *waves) {
    const emu_insn *const first = m->waves[emu_lowest(ready)].next;
    uint64_t length = m->quiet[emu_index(m, first)].length;
    for (*waves = 1; (ready &= ready - 1) != 0; ++*waves) {
        const emu_insn *const next = m->waves[emu_lowest(ready)].next;
        if (next == first)
            continue;
        const uint64_t other = m->quiet[emu_index(m, next)].length;
        length = length < other ? length : other;
    }
    return length;
}

static void count_run(emu_quiet *from, uint64_t length, uint32_t lanes) {
    from->executions++;
    from->lanes += lanes;
    from[length].executions--;
    from[length].lanes -= lanes;
}

static EMU_OUTLINE void run_guarded(emu_machine *m, emu_wave *w, emu_insn *in) {
    const uint64_t lanes = emu_executing(w, in);
    in->lanes += (uint64_t)emu_lane_count(lanes) - emu_lane_count(w->active);
    in->run(m, w, in, lanes);
}

void emu_run_quiet_wave(emu_machine *m, emu_wave *w, uint64_t length) {
    emu_insn *in = w->next, *const end = in + length;
    const uint64_t active = w->active;
    count_run(&m->quiet[emu_index(m, in)], length,
              active == w->all ? w->count : emu_lane_count(active));
    w->next = end;
    m->left -= length;
    do {
        if (in->guard)
            run_guarded(m, w, in);
        else
            in->run(m, w, in, active);
    } while (++in != end);
}

void emu_run_quiet_waves(emu_machine *m) {
    uint32_t waves;
    const uint64_t length = common_length(m, m->ready, &waves);
    if (length == 0 || length * waves > m->left)
        return;
    for (uint64_t ready = m->ready; ready; ready &= ready - 1)
        emu_run_quiet_wave(m, &m->waves[emu_lowest(ready)], length);
}

void emu_count_quiet(emu_machine *m) {
    uint64_t executions = 0, lanes = 0;
    for (uint32_t i = 0; i <= m->kernel->info.instructions; i++) {
        emu_quiet *const q = &m->quiet[i];
        m->code[i].executions += executions += q->executions;
        m->code[i].lanes += lanes += q->lanes;
        q->executions = q->lanes = 0;
    }
}
