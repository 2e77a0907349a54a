/* Random structured programs: a thread's result does not depend on the other threads of its wave.
 * At width 1 there is no divergence, so every other width is checked against plain sequential
 * execution; a random schedule and an observer must not matter either. */
#include "emu_helpers.h"
#include "support/random.h"

enum { SOURCE_ROOM = 1 << 16, FUNCTIONS = 3, THREADS = 40 };

typedef struct author {
    uint64_t state;
    char *text;
    size_t used;
    unsigned depth;    /* of ifs and loops, in this function */
    unsigned loops;    /* open, in this function */
    unsigned function; /* 0: main; a function calls only later ones */
    unsigned budget;   /* statements left */
} author;

static uint32_t pick(author *a, uint32_t below) {
    return (uint32_t)(random_next(&a->state) >> 33) % below;
}

static void say(author *a, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(a->text + a->used, SOURCE_ROOM - a->used, format, args);
    va_end(args);
    cr_assert(n > 0 && (size_t)n < SOURCE_ROOM - a->used);
    a->used += (size_t)n;
}

/* r1 … r4 are the thread's values; r5 is the address where it stores r1; r6 = 4. */
static void plain_statement(author *a) {
    static const char *const operations[] = {"iadd", "isub", "imul", "xor", "shr", "umax", "fadd"};
    static const char *const guards[] = {"", "", "", "@p1 ", "@!p2 ", "@!p0 "};
    static const char *const compares[] = {"icmp_lt", "ucmp_ge", "icmp_ne", "fcmp_lt"};
    const char *guard = guards[pick(a, 6)];
    switch (pick(a, 4)) {
    case 0:
        say(a, "%s%s p%u, r%u, r%u\n", guard, compares[pick(a, 4)], pick(a, 3), 1 + pick(a, 4),
            1 + pick(a, 4));
        break;
    case 1: say(a, "%sdevice_store_u32 r5, r%u\n", guard, 1 + pick(a, 4)); break;
    default:
        say(a, "%s%s r%u, r%u, r%u\n", guard, operations[pick(a, 7)], 1 + pick(a, 4),
            1 + pick(a, 4), 1 + pick(a, 6));
    }
}

static void exit_statement(author *a) {
    static const char *const guards[] = {"", "@p1 ", "@!p2 "};
    const char *guard = guards[pick(a, 3)];
    switch (pick(a, 4)) {
    case 0:
        if (a->loops)
            say(a, "%sbreak %sp%u\n", guard, pick(a, 2) ? "!" : "", pick(a, 3));
        break;
    case 1:
        if (a->loops)
            say(a, "%scontinue p%u\n", guard, pick(a, 3));
        break;
    case 2: say(a, "%s%s\n", guards[1 + pick(a, 2)], pick(a, 4) ? "return" : "halt"); break;
    default:
        if (a->function < FUNCTIONS)
            say(a, "call f%u\n", a->function + 1 + pick(a, FUNCTIONS - a->function));
    }
}

static void statements(author *a);

static void if_statement(author *a) {
    a->depth++;
    say(a, "if %sp%u\n", pick(a, 3) ? "" : "!", pick(a, 3));
    statements(a);
    if (pick(a, 2)) {
        say(a, "else\n");
        statements(a);
    }
    say(a, "endif\n");
    a->depth--;
}

/* The counter, in a register of this nesting level and function, ends the loop after a few
 * iterations despite any continue: p3 is used for nothing else. */
static void loop_statement(author *a) {
    const unsigned counter = 10 + a->function * 5 + a->depth, rounds = 1 + pick(a, 4);
    a->depth++;
    a->loops++;
    say(a, "mov_imm r%u, 0\n loop\n mov_imm r7, 1\n iadd r%u, r%u, r7\n", counter, counter,
        counter);
    say(a, "mov_imm r7, %u\n ucmp_gt p3, r%u, r7\n break p3\n", rounds, counter);
    statements(a);
    say(a, "endloop\n");
    a->loops--;
    a->depth--;
}

static void statements(author *a) {
    for (uint32_t count = 1 + pick(a, 5); count > 0 && a->budget > 0; count--) {
        a->budget--;
        const uint32_t kind = pick(a, 10);
        if (kind < 5 || a->depth >= 4)
            plain_statement(a);
        else if (kind < 7)
            exit_statement(a);
        else if (kind < 9)
            if_statement(a);
        else
            loop_statement(a);
    }
}

static void write_source(author *a, uint64_t seed) {
    *a = (author){.state = seed, .text = a->text, .budget = 60};
    say(a, ".kernel k\n.registers 32\n" EMU_THREAD "mov r5, r2\n mov_imm r6, 4\n mov r3, r1\n"
           "icmp_lt p1, r1, r6\n and r8, r1, r6\n icmp_eq p2, r8, r6\n");
    while (a->budget > 20)
        statements(a);
    say(a, "device_store_u32 r5, r1\n halt\n");
    for (a->function = 1; a->function <= FUNCTIONS; a->function++) {
        say(a, "f%u:\n", a->function);
        a->budget = 12;
        statements(a);
        say(a, "return\n");
    }
    say(a, ".end\n");
}

static bool watch(void *user, const wave_step *step) {
    (void)user;
    return (step->executing & ~step->active) == 0 && (step->active & ~step->live) == 0;
}

Test(emu_random, lanes_do_not_affect_each_other) {
    static const uint32_t widths[] = {2, 7, 8, 32, 40, 64};
    static const wave_observer watcher = {.before = watch};
    author a = {.text = malloc(SOURCE_ROOM)};
    cr_assert_not_null(a.text);
    uint32_t alone[THREADS];
    uint64_t executed = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        write_source(&a, seed);
        emu_case c = emu_open(a.text);
        c.launch.workgroup[0] = THREADS;
        c.launch.wave_width = 1;
        emu_run_ok(&c);
        memcpy(alone, c.memory, sizeof alone);
        executed += c.stats.lane_ops;
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            memset(c.memory, 0, sizeof alone);
            c.launch.wave_width = widths[i];
            c.launch.random_schedule = i & 1;
            c.launch.seed = seed;
            c.launch.observers = &watcher;
            c.launch.observer_count = i & 1;
            emu_run_ok(&c);
            cr_assert_arr_eq(c.memory, alone, sizeof alone, "seed %llu, width %u:\n%s",
                             (unsigned long long)seed, widths[i], a.text);
        }
        emu_close(&c);
    }
    cr_expect_gt(executed, 400 * THREADS * 20, "the programs do something");
    free(a.text);
}
