/* Finds the first access in which two runs differ. Waves are interleaved differently, so accesses
 * are compared lane by lane: the first run records a log of one number per access, the second is
 * compared with it, and a third retrieves the access at the point of divergence. Workgroups run one
 * after another in every schedule, so lanes are only distinguished within their workgroup. */
#include "emu/sweep.h"

#include <stdlib.h>
#include <string.h>

enum { STREAMS = ISA_MAX_WAVES * ISA_MAX_WIDTH, BEGIN = STREAMS, MOST_ENTRIES = 1 << 23 };

typedef struct entry {
    uint64_t hash;
    uint32_t stream; /* lane of the workgroup; BEGIN: a workgroup starts here */
} entry;

typedef struct sweep_log {
    const sweep_question *question;
    const fe_insn *insns;
    entry *at;
    size_t count, capacity;
    bool full, failed;

    const struct sweep_log *expected; /* when this run is compared with another */
    size_t begin, end;                /* of the workgroup, in the expected log */
    size_t *order;                    /* its entries, grouped by stream */
    size_t first[STREAMS + 1], seen[STREAMS];

    bool find; /* retrieve access number `wanted` */
    size_t wanted;
    bool stop;
    bool differs, has_last;
    size_t place; /* in the expected log, of the access that differs; SIZE_MAX: none */
    sweep_access last;
} sweep_log;

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static bool writes(const wave_access *a) {
    return a->kind == WAVE_STORE || a->kind == WAVE_ATOMIC || a->kind == WAVE_ATOMIC_STORE;
}

/* The old value of an atomic that discards it is not observable. */
static bool is_value_seen(const sweep_log *log, const wave_step *step, const wave_access *a) {
    return a->kind != WAVE_ATOMIC || log->insns[step->index].field[ISA_FIELD_RD] != 0;
}

static uint64_t hash_of(const sweep_log *log, const wave_step *step, const wave_access *a) {
    uint64_t hash = mix(step->pc, a->lane);
    if (log->question->mode == SWEEP_BYTE) {
        for (int k = 0; k < 3; k++)
            hash = mix(hash, step->workgroup[k]);
        return mix(hash, step->wave);
    }
    hash = mix(mix(mix(hash, (uint64_t)a->space), (uint64_t)a->kind), a->address);
    for (uint32_t k = 0; k < (a->bytes + 3) / 4 && is_value_seen(log, step, a); k++)
        hash = mix(hash, a->value[k]);
    return hash;
}

/* ---- The log ---- */

static void add(sweep_log *log, uint32_t stream, uint64_t hash) {
    if (log->count == log->capacity) {
        size_t capacity = log->capacity ? 2 * log->capacity : 1024;
        log->full |= capacity > MOST_ENTRIES;
        entry *grown = log->full ? NULL : realloc(log->at, capacity * sizeof *grown);
        log->failed |= !grown && !log->full;
        log->stop |= !grown;
        if (!grown)
            return;
        log->at = grown;
        log->capacity = capacity;
    }
    log->at[log->count++] = (entry){hash, stream};
}

/* ---- Comparison with the expected log ---- */

/* The entries of the next workgroup, grouped by stream. */
static void take_workgroup(sweep_log *log) {
    const sweep_log *e = log->expected;
    size_t end = log->end < e->count ? log->end + 1 : log->end;
    log->begin = end;
    memset(log->first, 0, sizeof log->first);
    memset(log->seen, 0, sizeof log->seen);
    for (; end < e->count && e->at[end].stream != BEGIN; end++)
        log->first[e->at[end].stream + 1]++;
    log->end = end;
    for (size_t k = 0; k < STREAMS; k++)
        log->first[k + 1] += log->first[k];
    size_t *grown = realloc(log->order, (end - log->begin + 1) * sizeof *grown);
    log->failed |= !grown;
    log->stop |= !grown;
    if (!grown)
        return;
    log->order = grown;
    for (size_t k = log->begin; k < end; k++) {
        uint32_t stream = e->at[k].stream;
        log->order[log->first[stream] + log->seen[stream]++] = k;
    }
    memset(log->seen, 0, sizeof log->seen);
}

static void compare(sweep_log *log, uint32_t stream, uint64_t hash) {
    const sweep_log *e = log->expected;
    size_t at = log->first[stream] + log->seen[stream]++;
    bool there = at < log->first[stream + 1];
    if (there && e->at[log->order[at]].hash == hash)
        return;
    bool unknown = !there && e->full; /* the log ends before the run does */
    log->full |= unknown;
    log->differs = !unknown;
    log->place = there ? log->order[at] : SIZE_MAX;
    log->stop = true;
}

/* ---- Watching ---- */

static bool before(void *user, const wave_step *step) {
    (void)step;
    return !((const sweep_log *)user)->stop;
}

static void workgroup_begin(void *user, const uint32_t workgroup[3]) {
    sweep_log *log = user;
    bool first = !workgroup[0] && !workgroup[1] && !workgroup[2];
    if (log->question->mode == SWEEP_BYTE && !first)
        return; /* a single stream for all of them */
    if (log->expected)
        take_workgroup(log);
    else
        add(log, BEGIN, 0);
}

static void keep(sweep_log *log, const wave_step *step, const wave_access *a) {
    log->has_last = true;
    log->last = (sweep_access){.wave = step->wave, .pc = step->pc, .access = *a};
    memcpy(log->last.workgroup, step->workgroup, sizeof log->last.workgroup);
}

static void on_access(void *user, const wave_step *step, const wave_access *a) {
    sweep_log *log = user;
    const sweep_question *q = log->question;
    bool one = q->mode == SWEEP_BYTE;
    if (log->stop || (one && (a->space != WAVE_SPACE_DEVICE || !writes(a) || q->byte < a->address ||
                              q->byte - a->address >= a->bytes)))
        return;
    uint32_t stream = one ? 0 : step->wave * ISA_MAX_WIDTH + a->lane;
    if (log->find && log->count == log->wanted) {
        keep(log, step, a);
        log->stop = true;
    } else if (log->expected) {
        keep(log, step, a);
        compare(log, stream, hash_of(log, step, a));
    } else {
        add(log, stream, hash_of(log, step, a));
    }
}

static void watch(sweep_log *log, const wave_launch *launch) {
    const wave_observer observer = {
        .user = log, .before = before, .workgroup_begin = workgroup_begin, .access = on_access};
    wave_launch own = *launch;
    if (own.device_size)
        memcpy(own.device_memory, log->question->before, (size_t)own.device_size);
    own.observers = &observer;
    own.observer_count = 1;
    own.stats = NULL;
    own.profile = NULL;
    own.checks = 0;
    if (wave_emulate(log->question->module, &own, NULL) == WAVE_ERROR_MEMORY)
        log->failed = true;
}

static sweep_log *make(const sweep_question *q) {
    sweep_log *log = calloc(1, sizeof *log);
    if (log) {
        log->question = q;
        log->insns = q->module->kernels[q->plain->kernel].insns;
    }
    return log;
}

static void destroy(sweep_log *log) {
    if (!log)
        return;
    free(log->at);
    free(log->order);
    free(log);
}

/* The access of the plain order at the point of divergence. */
static bool find_plain(const sweep_question *q, size_t place, sweep_answer *answer) {
    sweep_log *log = make(q);
    bool ok = log != NULL;
    if (ok) {
        log->find = true;
        log->wanted = place;
        watch(log, q->plain);
        ok = !log->failed;
        answer->has_plain = log->has_last;
        answer->plain = log->last;
    }
    destroy(log);
    return ok;
}

bool sweep_compare(const sweep_question *question, sweep_answer *answer) {
    sweep_log *plain = make(question), *other = make(question);
    bool ok = plain && other;
    *answer = (sweep_answer){0};
    if (ok) {
        watch(plain, question->plain);
        other->expected = plain;
        watch(other, question->other);
        ok = !plain->failed && !other->failed;
        answer->differs = other->differs;
        answer->has_other = other->has_last;
        answer->other = other->last;
        answer->too_many = other->full;
        if (ok && other->differs && other->place != SIZE_MAX)
            ok = find_plain(question, other->place, answer);
    }
    destroy(plain);
    destroy(other);
    return ok;
}
