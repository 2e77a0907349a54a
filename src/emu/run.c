/* The scheduler: which wave executes next, barriers, the end of a workgroup, observers around each
 * instruction. What an instruction does is in control.c, lanes.h and the rest. */
#include "emu/machine.h"
#include "emu/views.h"

void emu_end_wave(emu_machine *m, emu_wave *w) {
    m->ready &= ~((uint64_t)1 << w->number);
    m->ended |= (uint64_t)1 << w->number;
}

static void limit_reached(emu_machine *m, const emu_wave *w) {
    const uint64_t limit = m->launch->max_instructions;
    emu_fail(m, w, w->next, EMU_NO_LANE, DIAG_E_LIMIT,
             "instruction limit exceeded: %llu wave-instructions executed in this workgroup, the "
             "limit is %llu",
             (unsigned long long)(limit - m->left), (unsigned long long)limit);
    m->status = WAVE_ERROR_LIMIT;
}

/* ---- Observers ---- */

static void describe_step(emu_machine *m, const emu_wave *w, const emu_insn *in, uint64_t lanes) {
    wave_step *step = &m->step;
    step->wave = w->number;
    step->index = emu_index(m, in);
    step->pc = m->kernel->insns[step->index].pc;
    step->live = w->live;
    step->active = w->active;
    step->executing = lanes;
}

static bool tell_before(emu_machine *m) {
    for (size_t i = 0; i < m->observer_count; i++) {
        const wave_observer *o = &m->observers[i];
        if (o->before && !o->before(o->user, &m->step)) {
            m->status = WAVE_ERROR_INPUT;
            m->ready = 0;
            return false;
        }
    }
    return true;
}

static void tell_after(const emu_machine *m) {
    for (size_t i = 0; i < m->observer_count; i++)
        if (m->observers[i].after)
            m->observers[i].after(m->observers[i].user, &m->step);
}

static void tell_barrier(const emu_machine *m, uint32_t pc) {
    for (size_t i = 0; i < m->observer_count; i++)
        if (m->observers[i].barrier)
            m->observers[i].barrier(m->observers[i].user, m->workgroup, pc);
}

/* ---- One instruction ---- */

static inline void execute(emu_machine *m, emu_wave *w, emu_insn *in, uint64_t lanes) {
    m->left--;
    in->executions++;
    in->lanes += lanes == w->all ? w->count : emu_lane_count(lanes);
    w->next = in + 1;
    in->run(m, w, in, lanes);
}

static inline void step(emu_machine *m, emu_wave *w) {
    emu_insn *in = w->next;
    if (m->left != 0)
        execute(m, w, in, emu_executing(w, in));
    else if (in->run == emu_end_of_code)
        execute(m, w, in, w->active);
    else
        limit_reached(m, w);
}

static void watched_step(emu_machine *m, emu_wave *w) {
    emu_insn *in = w->next;
    if (in->run == emu_end_of_code || m->left == 0) {
        step(m, w);
        return;
    }
    uint64_t lanes = emu_executing(w, in);
    describe_step(m, w, in, lanes);
    if (!tell_before(m))
        return;
    execute(m, w, in, lanes);
    if (m->status == WAVE_OK)
        tell_after(m);
}

/* ---- When no wave is ready ---- */

static void deadlock(emu_machine *m) {
    const emu_wave *w = &m->waves[emu_lowest(m->waiting)];
    uint32_t ended = emu_lowest(m->ended);
    emu_fail(m, w, w->next, EMU_NO_LANE, DIAG_E_DEADLOCK,
             "deadlock detected: this wave waits at a barrier and wave %u has ended", ended);
}

/* All waves wait: they must be at the same barrier, otherwise it is an error. */
static void release(emu_machine *m) {
    const emu_insn *first = m->waves[0].next;
    const fe_insn *insns = m->kernel->insns;
    for (uint32_t i = 1; i < m->wave_count; i++) {
        const emu_wave *w = &m->waves[i];
        if (w->next != first) {
            emu_fail(m, w, w->next, EMU_NO_LANE, DIAG_E_BARRIER_MISMATCH,
                     "this wave waits at a different barrier than wave 0, which waits at 0x%04x",
                     insns[emu_index(m, first)].pc);
            return;
        }
    }
    tell_barrier(m, insns[emu_index(m, first)].pc);
    if (m->views)
        emu_views_barrier(m);
    for (uint32_t i = 0; i < m->wave_count; i++)
        m->waves[i].next++;
    m->ready = m->waiting;
    m->waiting = 0;
}

/* True when there are waves to run again. */
static bool settle(emu_machine *m) {
    if (m->status != WAVE_OK || m->waiting == 0)
        return false;
    if (m->ended != 0)
        deadlock(m);
    else
        release(m);
    return m->status == WAVE_OK;
}

/* ---- Schedules ---- */

/* One instruction per turn, in the order of the waves, continuing after the last wave that ran. A
 * sweep is one turn of each wave; a wave that is no longer ready drops out of it. Sweeps over quiet
 * instructions are batched. */
static EMU_OUTLINE void run_in_turn(emu_machine *m) {
    uint64_t sweep = m->ready;
    uint32_t last = 0;
    for (;;) {
        if ((sweep & (sweep - 1)) == 0 && sweep == m->ready) {
            /* A single wave needs no turns. */
            last = emu_lowest(sweep);
            emu_wave *const w = &m->waves[last];
            do {
                const uint64_t length = emu_quiet_length(m, w);
                if (length > 1 && length <= m->left)
                    emu_run_quiet_wave(m, w, length);
                step(m, w);
            } while (m->ready == sweep);
        } else if (sweep == m->ready && emu_quiet_length(m, &m->waves[emu_lowest(sweep)]) > 1) {
            emu_run_quiet_waves(m);
        }
        for (sweep &= m->ready; sweep; sweep &= m->ready & (sweep - 1)) {
            last = emu_lowest(sweep);
            step(m, &m->waves[last]);
        }
        sweep = m->ready;
        if (sweep == 0) {
            if (!settle(m))
                return;
            sweep = m->ready & (~(uint64_t)1 << last);
            if (sweep == 0)
                sweep = m->ready;
        }
    }
}

static uint32_t random_wave(emu_machine *m) {
    uint64_t ready = m->ready;
    uint64_t nth = (emu_next_random(&m->random) >> 32) * emu_lane_count(ready) >> 32;
    while (nth-- > 0)
        ready &= ready - 1;
    return emu_lowest(ready);
}

/* Any schedule, with or without observers, choosing a wave for each instruction. */
static void run_general(emu_machine *m) {
    uint32_t last = m->wave_count - 1;
    for (;;) {
        if (m->ready == 0) {
            if (!settle(m))
                return;
        }
        if (m->launch->random_schedule) {
            last = random_wave(m);
        } else {
            uint64_t later = m->ready & (~(uint64_t)1 << last);
            last = emu_lowest(later ? later : m->ready);
        }
        if (m->observer_count)
            watched_step(m, &m->waves[last]);
        else
            step(m, &m->waves[last]);
    }
}

void emu_run_workgroup(emu_machine *m) {
    for (size_t i = 0; i < m->observer_count; i++)
        if (m->observers[i].workgroup_begin)
            m->observers[i].workgroup_begin(m->observers[i].user, m->workgroup);

    if (m->launch->random_schedule || m->observer_count)
        run_general(m);
    else
        run_in_turn(m);
    if (m->views)
        emu_views_end_workgroup(m);

    for (size_t i = 0; i < m->observer_count; i++)
        if (m->observers[i].workgroup_end)
            m->observers[i].workgroup_end(m->observers[i].user, m->workgroup);
}
