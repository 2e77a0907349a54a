/* The race checker against a second opinion: random programs of loads, stores, atomics, fences and
 * barriers, whose events are recorded by an observer and judged by the definition itself, as a
 * graph of what comes before what. */
#include "emu_helpers.h"

enum { MAX_EVENTS = 1024, MAX_WAVES = 16, WORDS = MAX_EVENTS / 64, MAX_PAIRS = 4096 };

typedef enum event_kind { ACCESS, FENCE, BARRIER } event_kind;

typedef struct event {
    event_kind kind;
    uint32_t wave, group; /* the wave numbered through the launch */
    uint32_t pc;
    wave_access access;
    bool writes;           /* an atomic: a compare-and-swap that failed does not */
    bool release, acquire; /* a fence */
    uint32_t scope;
    uint64_t before[WORDS]; /* everything that comes before it */
} event;

/* Two places that race, and the bytes they race for. */
typedef struct race_pair {
    uint32_t pc[2];
    wave_space space;
    uint32_t from, to;
} race_pair;

typedef struct record {
    event events[MAX_EVENTS];
    size_t count;
    size_t last[MAX_WAVES]; /* 1 + the wave's last event */
    uint32_t waves;         /* of a workgroup */
    race_pair pairs[MAX_PAIRS];
    size_t pair_count;
    uint32_t expected; /* of the compare-and-swap about to execute */
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

static event *add_event(record *r, uint32_t wave) {
    cr_assert_lt(r->count, MAX_EVENTS);
    event *e = &r->events[r->count];
    *e = (event){.wave = wave, .group = wave / r->waves};
    if (r->last[wave])
        put_before(r, r->last[wave] - 1, r->count);
    r->last[wave] = ++r->count;
    return e;
}

static bool is_atomic(const event *e) {
    return e->kind == ACCESS && e->access.kind == WAVE_ATOMIC;
}

static uint32_t reach(const event *e) {
    if (e->kind == FENCE)
        return e->scope;
    return e->access.space == WAVE_SPACE_LOCAL ? 1 : e->access.scope;
}

/* Release fence f, then atomic x of the same wave; atomic y of another wave on the same word later,
 * then acquire fence g. */
static bool is_message(const record *r, size_t f, size_t x, size_t y, size_t g) {
    const event *ef = &r->events[f], *ex = &r->events[x], *ey = &r->events[y], *eg = &r->events[g];
    uint32_t needed = ef->group == eg->group ? 1 : 2;
    return ef->kind == FENCE && ef->release && ef->wave != eg->wave && ex->wave == ef->wave &&
           ey->wave == eg->wave && is_atomic(ex) && ex->writes && is_atomic(ey) &&
           ex->access.space == ey->access.space && ex->access.address == ey->access.address &&
           (ex->access.space == WAVE_SPACE_DEVICE || ex->group == ey->group) &&
           reach(ef) >= needed && reach(ex) >= needed && reach(ey) >= needed && reach(eg) >= needed;
}

static void receive(record *r, size_t g) {
    for (size_t y = 0; y < g; y++)
        for (size_t x = 0; is_atomic(&r->events[y]) && x < y; x++)
            for (size_t f = 0; is_atomic(&r->events[x]) && f < x; f++)
                if (is_message(r, f, x, y, g))
                    put_before(r, f, g);
}

/* The bytes two accesses share; false: none. */
static bool overlap(const event *a, const event *b, race_pair *pair) {
    uint32_t a_end = a->access.address + a->access.bytes;
    uint32_t b_end = b->access.address + b->access.bytes;
    pair->space = a->access.space;
    pair->from = a->access.address > b->access.address ? a->access.address : b->access.address;
    pair->to = a_end < b_end ? a_end : b_end;
    return a->access.space == b->access.space && pair->from < pair->to &&
           (a->access.space == WAVE_SPACE_DEVICE || a->group == b->group);
}

static void judge(record *r) {
    for (size_t b = 0; b < r->count; b++)
        for (size_t a = 0; a < b; a++) {
            const event *ea = &r->events[a], *eb = &r->events[b];
            race_pair pair = {{ea->pc, eb->pc}, WAVE_SPACE_LOCAL, 0, 0};
            if (ea->kind != ACCESS || eb->kind != ACCESS || ea->wave == eb->wave ||
                (ea->access.kind != WAVE_STORE && eb->access.kind != WAVE_STORE) ||
                !overlap(ea, eb, &pair) || comes_before(r, a, b))
                continue;
            cr_assert_lt(r->pair_count, MAX_PAIRS);
            r->pairs[r->pair_count++] = pair;
        }
}

/* ---- Recording ---- */

static uint32_t wave_number(const record *r, const wave_step *step) {
    return step->workgroup[0] * r->waves + step->wave;
}

static bool on_before(void *user, const wave_step *step) {
    record *r = user;
    wave_blob text;
    if (!step->executing)
        return true;
    cr_assert_eq(wave_instruction_text(step->module, step->kernel, step->pc, &text), WAVE_OK);
    const char *name = strstr((const char *)text.data, "fence_");
    r->cas = strstr((const char *)text.data, "_cas") != NULL;
    if (r->cas) /* … addr, expected, desired: the expected value is in r12 */
        r->expected = wave_step_register(step, 12, 0);
    if (name) {
        static const char *const scopes[] = {".wave", ".workgroup", ".device", ".system"};
        event *e = add_event(r, wave_number(r, step));
        e->kind = FENCE;
        e->release = strstr(name, "release") || strstr(name, "acq_rel");
        e->acquire = strstr(name, "acquire") || strstr(name, "acq_rel");
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
    event *e = add_event(r, wave_number(r, step));
    e->kind = ACCESS;
    e->access = *access;
    e->pc = step->pc;
    e->writes = !r->cas || access->value[0] == r->expected;
}

/* One event of all waves: each goes on from it. */
static void on_barrier(void *user, const uint32_t workgroup[3], uint32_t pc) {
    record *r = user;
    uint32_t first = workgroup[0] * r->waves;
    size_t at = r->count;
    (void)pc;
    add_event(r, first)->kind = BARRIER;
    for (uint32_t wave = first + 1; wave < first + r->waves; wave++) {
        if (r->last[wave])
            put_before(r, r->last[wave] - 1, at);
        r->last[wave] = at + 1;
    }
}

/* ---- Random programs ---- */

static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static const char *choose(uint64_t *state, const char *const *from, size_t count) {
    return from[next_random(state) % count];
}

#define CHOOSE(state, ...)                                                                         \
    choose(state, (const char *const[]){__VA_ARGS__},                                              \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

typedef struct writer {
    uint64_t *state;
    char *out;
    size_t used, size;
    const char *guard;
} writer;

static void line(writer *w, const char *format, ...) {
    va_list args;
    w->used += (size_t)snprintf(w->out + w->used, w->size - w->used, "%s", w->guard);
    va_start(args, format);
    w->used += (size_t)vsnprintf(w->out + w->used, w->size - w->used, format, args);
    va_end(args);
    w->used += (size_t)snprintf(w->out + w->used, w->size - w->used, "\n");
    cr_assert_lt(w->used, w->size);
}

/* Mostly what reaches, now and then what does not. */
static const char *scope(uint64_t *state) {
    return CHOOSE(state, ".wave", ".workgroup", ".workgroup", ".device", ".device", ".device",
                  ".device", ".system");
}

static void data_access(writer *w) {
    const char *space = CHOOSE(w->state, "device", "device", "local");
    const char *width = CHOOSE(w->state, "u8", "u16", "u32", "u32", "u64");
    const char *address = CHOOSE(w->state, "r8", "r9", "r10", "r11");
    if (next_random(w->state) % 2)
        line(w, "%s_load_%s r6, %s", space, width, address);
    else
        line(w, "%s_store_%s %s, r21", space, width, address);
}

static void flag_access(writer *w) {
    const char *flag = CHOOSE(w->state, "r13", "r13", "r13", "r14");
    switch (next_random(w->state) % 5) {
    case 0: line(w, "local_atomic_add %s, r21", flag); break;
    case 1: line(w, "atomic_cas r6, %s, r12, r23, %s", flag, scope(w->state)); break;
    default: line(w, "atomic_add %s, r21, %s", flag, scope(w->state)); break;
    }
}

static void fence(writer *w, const char *kind) {
    if (next_random(w->state) % 8 == 0)
        kind = CHOOSE(w->state, "release", "acquire", "acq_rel");
    line(w, "fence_%s %s", kind, scope(w->state));
}

/* Sends, receives, does both, waits, or just touches something. */
static void phrase(writer *w) {
    uint64_t what = next_random(w->state) % 12;
    w->guard = CHOOSE(w->state, "", "@p1 ", "@!p1 ", "@p2 ", "@!p2 ", "@p3 ", "@!p3 ");
    if (what < 4) {
        data_access(w);
        fence(w, "release");
        flag_access(w);
    } else if (what < 8) {
        flag_access(w);
        fence(w, "acquire");
        data_access(w);
    } else if (what < 9) {
        fence(w, "acq_rel");
        flag_access(w);
        fence(w, "acq_rel");
    } else if (what < 11) {
        data_access(w);
    } else {
        w->guard = "";
        line(w, "barrier");
    }
}

/* r8 … r11 are addresses of data, r13 and r14 of flags; p1: wave 0, p2: workgroup 0, p3: an even
 * workgroup. */
static void random_program(uint64_t *state, char *out, size_t size) {
    static const char start[] =
        "mov_sr r0, sr_wave_id\n mov_sr r4, sr_workgroup_id_x\n" EMU_DIGITS
        "mov r8, r20\n mov r9, r24\n mov r10, r28\n mov_imm r11, 12\n mov r12, r20\n"
        "mov_imm r13, 64\n mov_imm r14, 68\n"
        "icmp_eq p1, r0, r20\n icmp_eq p2, r4, r20\n and r5, r4, r21\n icmp_eq p3, r5, r20\n";
    writer w = {.state = state, .out = out, .size = size, .guard = ""};
    line(&w, "%s", start);
    for (uint64_t phrases = 2 + next_random(state) % 6; phrases; phrases--)
        phrase(&w);
    w.guard = "";
    line(&w, "halt");
}

/* ---- Comparing ---- */

static bool same_places(const race_pair *pair, uint32_t a, uint32_t b) {
    return (pair->pc[0] == a && pair->pc[1] == b) || (pair->pc[0] == b && pair->pc[1] == a);
}

typedef struct verdict {
    bool reported[2][128]; /* bytes of local and device memory with a race that was reported */
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

/* Every byte that is raced for must be in a report. */
static void check_silence(const record *r, const char *code, const verdict *v) {
    for (size_t k = 0; k < r->pair_count; k++)
        for (uint32_t byte = r->pairs[k].from; byte < r->pairs[k].to; byte++)
            if (!v->reported[r->pairs[k].space][byte]) {
                cr_expect(false, "0x%x and 0x%x race for byte %u of space %d in\n%s",
                          r->pairs[k].pc[0], r->pairs[k].pc[1], byte, r->pairs[k].space, code);
                return;
            }
}

/* 1 when the definition finds a race. */
static int compare(uint64_t seed, uint32_t waves, uint32_t groups) {
    static record r;
    char code[4096];
    uint64_t state = seed;
    random_program(&state, code, sizeof code);
    emu_case c = emu_open_code(code);
    memset(&r, 0, sizeof r);
    r.waves = waves;
    const wave_observer observer = {
        .user = &r, .before = on_before, .access = on_access, .barrier = on_barrier};
    c.launch.wave_width = 1;
    c.launch.workgroup[0] = waves;
    c.launch.grid[0] = groups;
    c.launch.observers = &observer;
    c.launch.observer_count = 1;
    c.launch.checks = WAVE_CHECK_RACE;
    c.launch.random_schedule = seed % 3 != 0;
    c.launch.seed = seed;
    wave_status status = emu_run(&c);
    judge(&r);
    cr_expect_eq(status, r.pair_count ? WAVE_ERROR_INPUT : WAVE_OK,
                 "seed %llu, %u waves, %u workgroups: %zu races by the definition\n%s",
                 (unsigned long long)seed, waves, groups, r.pair_count, code);
    verdict v = {0};
    check_reports(&c, &r, code, &v);
    check_silence(&r, code, &v);
    emu_close(&c);
    return r.pair_count != 0;
}

/* Both verdicts must occur often, or the comparison shows nothing. */
static void compare_many(uint64_t first, uint32_t waves, uint32_t groups) {
    enum { PROGRAMS = 4000 };
    int races = 0;
    for (uint64_t i = 0; i < PROGRAMS; i++)
        races += compare(first + i, waves, groups);
    cr_expect_gt(races, PROGRAMS / 10, "%d", races);
    cr_expect_gt(PROGRAMS - races, PROGRAMS / 20, "%d", races);
}

Test(race_random, waves_of_a_workgroup) {
    compare_many(1, 3, 1);
}

Test(race_random, workgroups_of_one_wave) {
    compare_many(1000000, 1, 4);
}

Test(race_random, workgroups_of_several_waves) {
    compare_many(2000000, 2, 4);
}
