/* The race checker against a second implementation: random programs of loads, stores, atomics,
 * fences and barriers, whose events an observer records and judges by the definition itself (ISA
 * 8.1 and 8.2), as a graph of the happens-before relation. */
#include "race_programs.h"

enum { MAX_EVENTS = 2048, MAX_LANES = 32, WORDS = MAX_EVENTS / 64, MAX_PAIRS = 1 << 16 };

typedef enum event_kind { ACCESS, FENCE, BARRIER } event_kind;

typedef struct event {
    event_kind kind;
    uint32_t lanes;         /* the lanes that it belongs to, numbered across the launch */
    uint32_t lane, group;   /* of an access */
    uint32_t pc, execution; /* of an access */
    wave_access access;
    bool reads, writes;     /* of an access */
    bool release, acquire;  /* of a fence */
    uint32_t scope;         /* of a fence or atomic */
    uint64_t before[WORDS]; /* the events that happen before it */
} event;

/* Two places that race, and the bytes of the race. */
typedef struct race_pair {
    uint32_t pc[2];
    wave_space space;
    uint32_t from, to;
} race_pair;

typedef struct record {
    event events[MAX_EVENTS];
    size_t count;
    size_t last[MAX_LANES]; /* 1 + the lane's last event */
    uint32_t waves, width;  /* of a workgroup, of a wave */
    uint32_t execution;
    race_pair pairs[MAX_PAIRS];
    size_t pair_count;
    uint32_t expected[MAX_LANES]; /* of the next compare-and-swap, by lane of the wave */
    bool cas;
} record;

/* ---- The definition ---- */

static bool comes_before(const record *r, size_t a, size_t b) {
    return r->events[b].before[a / 64] >> (a % 64) & 1;
}

static void put_before(record *r, size_t a, size_t b) {
    for (size_t i = 0; i < WORDS; i++)
        r->events[b].before[i] |= r->events[a].before[i];
    r->events[b].before[a / 64] |= (uint64_t)1 << (a % 64);
}

/* Rules 1, 2 and 3: one event in the program order of all its lanes. */
static event *add_event(record *r, event_kind kind, uint32_t lanes) {
    cr_assert_lt(r->count, MAX_EVENTS);
    event *e = &r->events[r->count];
    *e = (event){.kind = kind, .lanes = lanes};
    for (uint32_t lane = 0; lane < MAX_LANES; lane++)
        if (lanes >> lane & 1) {
            if (r->last[lane])
                put_before(r, r->last[lane] - 1, r->count);
            r->last[lane] = r->count + 1;
        }
    r->count++;
    return e;
}

static bool is_atomic(const event *e) {
    return e->kind == ACCESS && e->access.kind >= WAVE_ATOMIC;
}

static uint32_t wave_of(const record *r, uint32_t lane) {
    return lane / r->width;
}

/* Whether a scope, used by lane `by`, includes lane `other`. */
static bool includes(const record *r, uint32_t scope, uint32_t by, uint32_t other) {
    if (scope == 0)
        return wave_of(r, by) == wave_of(r, other);
    return scope > 1 || wave_of(r, by) / r->waves == wave_of(r, other) / r->waves;
}

static bool include_both(const record *r, const event *e, uint32_t by, uint32_t a, uint32_t b) {
    return includes(r, e->scope, by, a) && includes(r, e->scope, by, b);
}

/* 1 + the last write of any of the bytes that atomic y reads, or 0. */
static size_t write_before(const record *r, size_t y) {
    const event *ey = &r->events[y];
    for (size_t x = y; x-- > 0;) {
        const event *ex = &r->events[x];
        if (ex->kind == ACCESS && ex->writes && ex->access.space == ey->access.space &&
            (ex->access.space == WAVE_SPACE_DEVICE || ex->group == ey->group) &&
            ex->access.address < ey->access.address + 4 &&
            ey->access.address < ex->access.address + ex->access.bytes)
            return x + 1;
    }
    return 0;
}

/* Rule 4 for acquire fence g and atomic y before it: walks the chain of writes back from y. A
 * release before one of them happens before g if every scope in between includes both lanes. */
static void receive_from(record *r, size_t y, size_t g) {
    const event *ey = &r->events[y], *eg = &r->events[g];
    size_t chain[MAX_EVENTS], links = 0;
    for (size_t x = write_before(r, y); x; x = write_before(r, x - 1)) {
        const event *ex = &r->events[x - 1];
        if (!is_atomic(ex))
            return;
        chain[links++] = x - 1;
        bool reach = include_both(r, ey, ey->lane, ex->lane, ey->lane) &&
                     include_both(r, eg, ey->lane, ex->lane, ey->lane);
        for (size_t k = 0; k < links; k++)
            reach &=
                include_both(r, &r->events[chain[k]], r->events[chain[k]].lane, ex->lane, ey->lane);
        for (size_t f = 0; reach && f < x - 1; f++) {
            const event *ef = &r->events[f];
            if (ef->kind == FENCE && ef->release && ef->lanes >> ex->lane & 1 &&
                include_both(r, ef, ex->lane, ex->lane, ey->lane))
                put_before(r, f, g);
        }
        if (!ex->reads)
            return;
    }
}

static void receive(record *r, size_t g) {
    for (size_t y = 0; y < g; y++)
        if (is_atomic(&r->events[y]) && r->events[y].reads &&
            r->events[g].lanes >> r->events[y].lane & 1)
            receive_from(r, y, g);
}

/* The bytes that two accesses share; false: none. */
static bool overlap(const event *a, const event *b, race_pair *pair) {
    uint32_t a_end = a->access.address + a->access.bytes;
    uint32_t b_end = b->access.address + b->access.bytes;
    pair->space = a->access.space;
    pair->from = a->access.address > b->access.address ? a->access.address : b->access.address;
    pair->to = a_end < b_end ? a_end : b_end;
    return a->access.space == b->access.space && pair->from < pair->to &&
           (a->access.space == WAVE_SPACE_DEVICE || a->group == b->group);
}

static bool may_conflict(const record *r, const event *a, const event *b) {
    if (a->lane == b->lane || (!a->writes && !b->writes))
        return false;
    if (a->execution == b->execution && a->access.kind == WAVE_STORE)
        return false;
    return !(is_atomic(a) && is_atomic(b) && a->access.address == b->access.address &&
             includes(r, a->scope, a->lane, b->lane) && includes(r, b->scope, b->lane, a->lane));
}

static void judge(record *r) {
    for (size_t b = 0; b < r->count; b++)
        for (size_t a = 0; a < b; a++) {
            const event *ea = &r->events[a], *eb = &r->events[b];
            race_pair pair = {{ea->pc, eb->pc}, WAVE_SPACE_LOCAL, 0, 0};
            if (ea->kind != ACCESS || eb->kind != ACCESS || !may_conflict(r, ea, eb) ||
                !overlap(ea, eb, &pair) || comes_before(r, a, b))
                continue;
            cr_assert_lt(r->pair_count, MAX_PAIRS);
            r->pairs[r->pair_count++] = pair;
        }
}

/* ---- Recording ---- */

static uint32_t first_lane(const record *r, const wave_step *step) {
    return (step->workgroup[0] * r->waves + step->wave) * r->width;
}

static bool on_before(void *user, const wave_step *step) {
    record *r = user;
    wave_blob text;
    r->execution++;
    if (!step->executing)
        return true;
    cr_assert_eq(wave_instruction_text(step->module, step->kernel, step->pc, &text), WAVE_OK);
    const char *name = strstr((const char *)text.data, "fence_");
    r->cas = strstr((const char *)text.data, "_cas") != NULL;
    for (uint32_t lane = 0; r->cas && lane < r->width; lane++) /* it is in r12 */
        r->expected[lane] = wave_step_register(step, 12, lane);
    if (name) {
        static const char *const scopes[] = {".wave", ".workgroup", ".device", ".system"};
        bool both = strstr(name, "acq_rel") || strstr(name, "fence_sc");
        event *e = add_event(r, FENCE, (uint32_t)step->executing << first_lane(r, step));
        e->release = strstr(name, "release") || both;
        e->acquire = strstr(name, "acquire") || both;
        for (uint32_t i = 0; i < 4; i++)
            if (strstr(name, scopes[i]))
                e->scope = i;
        if (e->acquire)
            receive(r, r->count - 1);
    }
    wave_blob_free(&text);
    return true;
}

static void on_access(void *user, const wave_step *step, const wave_access *access) {
    record *r = user;
    const uint32_t lane = first_lane(r, step) + access->lane;
    event *e = add_event(r, ACCESS, (uint32_t)1 << lane);
    e->lane = lane;
    e->group = step->workgroup[0];
    e->execution = r->execution;
    e->access = *access;
    e->scope = access->space == WAVE_SPACE_LOCAL ? 1 : access->scope;
    e->pc = step->pc;
    e->reads = access->kind != WAVE_STORE && access->kind != WAVE_ATOMIC_STORE;
    e->writes = access->kind != WAVE_LOAD && access->kind != WAVE_ATOMIC_LOAD &&
                (!r->cas || access->value[0] == r->expected[access->lane]);
}

/* One event of all lanes of the workgroup. */
static void on_barrier(void *user, const uint32_t workgroup[3], uint32_t pc) {
    record *r = user;
    const uint32_t count = r->waves * r->width;
    (void)pc;
    add_event(r, BARRIER, (((uint32_t)1 << count) - 1) << workgroup[0] * count);
}

/* ---- Comparing ---- */

static bool same_places(const race_pair *pair, uint32_t a, uint32_t b) {
    return (pair->pc[0] == a && pair->pc[1] == b) || (pair->pc[0] == b && pair->pc[1] == a);
}

typedef struct verdict {
    bool reported[2][1024]; /* bytes of local and device memory with a reported race */
} verdict;

/* Every report must be a race by the definition. */
static void check_reports(const emu_case *c, const record *r, const char *code, verdict *v) {
    for (size_t i = 0; i < wave_diags_count(c->diags); i++) {
        const wave_diag *d = wave_diags_at(c->diags, i);
        if (strcmp(d->code, "E_RACE") != 0)
            continue;
        const char *other = strstr(d->message, "races with");
        const char *pc = other ? strstr(other, "PC 0x") : NULL;
        cr_assert_not_null(pc);
        uint32_t there = (uint32_t)strtoul(pc + 3, NULL, 16);
        bool found = false;
        for (size_t k = 0; k < r->pair_count; k++) {
            const race_pair *pair = &r->pairs[k];
            if (!same_places(pair, (uint32_t)d->offset, there))
                continue;
            found = true;
            for (uint32_t byte = pair->from; byte < pair->to; byte++)
                v->reported[pair->space][byte] = true;
        }
        cr_expect(found, "%s\nis no race in\n%s", d->message, code);
    }
}

/* Every raced byte must be in a report. */
static bool all_reported(const record *r, const verdict *v) {
    for (size_t k = 0; k < r->pair_count; k++)
        for (uint32_t byte = r->pairs[k].from; byte < r->pairs[k].to; byte++)
            if (!v->reported[r->pairs[k].space][byte])
                return false;
    return true;
}

/* 1 when the definition finds a race. */
static int compare(uint64_t seed, uint32_t width, uint32_t waves, uint32_t groups) {
    static record r;
    char code[4096];
    uint64_t state = seed;
    random_program(&state, width == 1, code, sizeof code);
    emu_case c = emu_open_code(code);
    memset(r.last, 0, sizeof r.last);
    r.count = r.pair_count = 0;
    r.waves = waves;
    r.width = width;
    const wave_observer observer = {
        .user = &r, .before = on_before, .access = on_access, .barrier = on_barrier};
    c.launch.wave_width = width;
    c.launch.workgroup[0] = waves * width;
    c.launch.grid[0] = groups;
    c.launch.observers = &observer;
    c.launch.observer_count = 1;
    c.launch.checks = WAVE_CHECK_RACE;
    c.launch.random_schedule = seed % 3 != 0;
    c.launch.seed = seed;
    wave_status status = emu_run(&c);
    judge(&r);
    verdict v = {0};
    check_reports(&c, &r, code, &v);
    cr_expect(status == WAVE_OK || r.pair_count, "seed %llu: a false alarm in\n%s",
              (unsigned long long)seed, code);
    cr_expect(all_reported(&r, &v), "seed %llu: a race is not reported in\n%s",
              (unsigned long long)seed, code);
    emu_close(&c);
    return r.pair_count != 0;
}

/* Both verdicts must occur often, or the comparison proves nothing. */
static void compare_many(uint64_t first, uint32_t width, uint32_t waves, uint32_t groups) {
    enum { PROGRAMS = 2000 };
    int races = 0;
    for (uint64_t i = 0; i < PROGRAMS; i++)
        races += compare(first + i, width, waves, groups);
    cr_expect_gt(races, PROGRAMS / 10, "%d", races);
    cr_expect_gt(PROGRAMS - races, PROGRAMS / 50, "%d", races);
}

Test(race_random, verdicts_agree_for_the_waves_of_a_workgroup) {
    compare_many(1, 1, 3, 1);
}

Test(race_random, verdicts_agree_for_workgroups_of_one_wave) {
    compare_many(1000000, 1, 1, 4);
}

Test(race_random, verdicts_agree_for_workgroups_of_several_waves) {
    compare_many(2000000, 1, 2, 4);
}

Test(race_random, verdicts_agree_for_the_lanes_of_a_wave) {
    compare_many(3000000, 4, 1, 1);
}

Test(race_random, verdicts_agree_for_the_lanes_of_several_waves) {
    compare_many(4000000, 2, 3, 1);
}

Test(race_random, verdicts_agree_for_lanes_waves_and_workgroups) {
    compare_many(5000000, 2, 2, 3);
}
