/* Control flow of the emulator: divergence, loops, calls, depth. Every program stores r10 of thread
 * t at word t; the expected words follow from the execution model of the ISA reference. */
#include "emu_helpers.h"

typedef uint32_t expected_word(uint32_t thread);

enum { THREADS = 70 };

/* The result is the same at every width: it depends only on the thread. */
static void check_code(const char *code, expected_word *expected) {
    static const uint32_t widths[] = {1, 3, 8, 31, 32, 33, 64};
    char source[8192];
    snprintf(source, sizeof source, "%s%s%s", EMU_THREAD EMU_DIGITS, code,
             "\n device_store_u32 r2, r10\n halt\n"
             "f1: @p1 return\n iadd r10, r10, r25\n return\n"
             "f2: halt\n return\n"
             "f3: loop\n iadd r10, r10, r21\n ucmp_ge p1, r10, r1\n if p1\n return\n endif\n"
             "endloop\n return\n"
             "f4: if p1\n @p2 return\n else\n @p2 halt\n endif\n iadd r10, r10, r23\n return\n");
    emu_case c = emu_open_code(source);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        c.launch.wave_width = widths[i];
        c.launch.workgroup[0] = widths[i] == 1 ? 60 : THREADS;
        memset(c.memory, 0, EMU_WORDS * sizeof *c.memory);
        emu_run_ok(&c);
        for (uint32_t t = 0; t < c.launch.workgroup[0]; t++)
            cr_expect_eq(c.memory[t], expected(t), "width %u, thread %u: %u, expected %u",
                         widths[i], t, c.memory[t], expected(t));
    }
    emu_close(&c);
}

static uint32_t below_2_halted(uint32_t t) {
    return t < 2 ? 0 : 7;
}

Test(emu_control, halt_in_a_divergent_if_ends_its_lanes) {
    check_code("ucmp_lt p1, r1, r22\n if p1\n halt\n endif\n mov r10, r27", below_2_halted);
}

Test(emu_control, a_guarded_halt_can_empty_a_branch) {
    check_code("ucmp_lt p1, r1, r22\n if p1\n @p1 halt\n mov r10, r29\n endif\n mov r10, r27",
               below_2_halted);
}

static uint32_t seven(uint32_t t) {
    (void)t;
    return 7;
}

Test(emu_control, an_if_that_no_lane_enters_is_skipped) {
    check_code("if p1\n halt\n endif\n mov r10, r27", seven);
    check_code("if p1\n barrier\n halt\n else\n mov r10, r27\n endif", seven);
}

static uint32_t both_sides(uint32_t t) {
    return t % 2 ? 1 : 2;
}

Test(emu_control, each_lane_takes_its_side_of_an_if) {
    check_code("and r3, r1, r21\n icmp_eq p1, r3, r21\n if p1\n mov r10, r21\n else\n"
               "mov r10, r22\n endif",
               both_sides);
    check_code("and r3, r1, r21\n icmp_eq p1, r3, r21\n if p1\n mov r10, r21\n endif\n"
               "@!p1 mov r10, r22",
               both_sides);
    /* The extension: a negated operand. */
    check_code("and r3, r1, r21\n icmp_eq p1, r3, r21\n if !p1\n mov r10, r22\n else\n"
               "mov r10, r21\n endif",
               both_sides);
}

/* r4 counts 1, 2, …; a lane leaves when r4 >= t, before adding to r10. */
static uint32_t rounds_before_break(uint32_t t) {
    return t < 1 ? 0 : t - 1;
}

Test(emu_control, a_lane_that_breaks_inside_an_if_stays_out) {
    check_code("loop\n iadd r4, r4, r21\n ucmp_ge p1, r4, r1\n if p1\n break p1\n endif\n"
               "iadd r10, r10, r21\n endloop",
               rounds_before_break);
}

/* r4 = 1 … 4; those with r4 + t odd are added. */
static uint32_t odd_rounds(uint32_t t) {
    return t % 2 ? 2 + 4 : 1 + 3;
}

Test(emu_control, a_divergent_continue_skips_the_rest_of_the_body) {
    check_code("loop\n iadd r4, r4, r21\n icmp_ge p2, r4, r25\n break p2\n iadd r5, r4, r1\n"
               "and r5, r5, r21\n icmp_eq p1, r5, r20\n continue p1\n iadd r10, r10, r4\n endloop",
               odd_rounds);
    check_code("loop\n iadd r4, r4, r21\n icmp_ge p2, r4, r25\n break p2\n iadd r5, r4, r1\n"
               "and r5, r5, r21\n icmp_eq p1, r5, r20\n if p1\n continue p1\n endif\n"
               "iadd r10, r10, r4\n endloop",
               odd_rounds);
}

static uint32_t continue_uniform(uint32_t t) {
    (void)t;
    return 5;
}

Test(emu_control, all_lanes_may_continue) {
    check_code("loop\n iadd r10, r10, r21\n icmp_lt p1, r10, r25\n continue p1\n"
               "icmp_eq p1, r20, r20\n break p1\n endloop",
               continue_uniform);
}

/* p2 is always true; the guard p1 lets only even threads leave in the first iteration. */
static uint32_t guarded_break(uint32_t t) {
    return t % 2 ? 3 : 1;
}

Test(emu_control, a_guarded_break_needs_guard_and_condition) {
    check_code("icmp_eq p2, r20, r20\n loop\n iadd r10, r10, r21\n and r3, r1, r21\n"
               "icmp_eq p1, r3, r20\n @p1 break p2\n icmp_ge p1, r10, r23\n @p1 break p2\n endloop",
               guarded_break);
}

/* Inner loop: t % 4 iterations for each of 3 outer iterations. */
static uint32_t nested(uint32_t t) {
    return 3 * (t % 4);
}

Test(emu_control, nested_loops_keep_their_counts) {
    check_code("and r3, r1, r23\n loop\n icmp_ge p1, r5, r23\n break p1\n iadd r5, r5, r21\n"
               "mov r4, r20\n loop\n icmp_ge p2, r4, r3\n break p2\n iadd r4, r4, r21\n"
               "iadd r10, r10, r21\n endloop\n endloop",
               nested);
}

static uint32_t return_some(uint32_t t) {
    return t % 2 ? 0 : 5;
}

Test(emu_control, return_is_per_lane) {
    check_code("and r3, r1, r21\n icmp_eq p1, r3, r21\n call f1", return_some);
}

/* All lanes of the branch halt in the function: the call ends without reaching the return. */
Test(emu_control, a_call_ends_when_all_its_lanes_halt) {
    check_code("ucmp_lt p1, r1, r22\n if p1\n call f2\n mov r10, r29\n endif\n mov r10, r27",
               below_2_halted);
}

/* The code after the call is not executed either: no lane would reach a barrier there. */
Test(emu_control, nothing_is_executed_after_such_a_call) {
    check_code("ucmp_lt p1, r1, r22\n if p1\n call f2\n barrier\n call f3\n endif\n"
               "mov r10, r27",
               below_2_halted);
}

static uint32_t at_least_one(uint32_t t) {
    return t < 1 ? 1 : t;
}

Test(emu_control, a_lane_can_return_from_a_loop) {
    check_code("call f3", at_least_one);
}

/* t % 4: 0 adds 3 (else side, kept), 1 adds 3 (if side, kept), 2 halts, 3 returns. */
static uint32_t mixed_exits(uint32_t t) {
    static const uint32_t expected[] = {3 + 1, 3 + 1, 0, 0 + 1};
    return expected[t % 4];
}

Test(emu_control, returns_and_halts_mix_in_a_function) {
    check_code("and r3, r1, r21\n icmp_eq p1, r3, r21\n and r3, r1, r22\n icmp_eq p2, r3, r22\n"
               "call f4\n iadd r10, r10, r21",
               mixed_exits);
}

/* Called in a loop: frames of one function do not affect another. */
static uint32_t twice(uint32_t t) {
    return t % 2 ? 0 : 10;
}

Test(emu_control, a_function_can_be_called_in_a_loop) {
    check_code("and r3, r1, r21\n icmp_eq p1, r3, r21\n loop\n icmp_ge p2, r4, r22\n break p2\n"
               "iadd r4, r4, r21\n call f1\n endloop",
               twice);
}

Test(emu_control, end_of_code_is_a_halt) {
    emu_case c = emu_open_code(EMU_THREAD "device_store_u32 r2, r1");
    emu_run_ok(&c);
    cr_expect_eq(c.memory[31], 31);
    emu_close(&c);
}

/* ---- Depth ---- */

static emu_case open_nested(const char *before, unsigned levels, const char *inside,
                            const char *after) {
    size_t room = 1 << 16;
    char *source = malloc(room);
    cr_assert_not_null(source);
    size_t at = (size_t)snprintf(source, room, ".kernel k\n.registers 32\n%s", before);
    for (unsigned i = 0; i < levels; i++)
        at += (size_t)snprintf(source + at, room - at, "if p1\n");
    at += (size_t)snprintf(source + at, room - at, "%s", inside);
    for (unsigned i = 0; i < levels; i++)
        at += (size_t)snprintf(source + at, room - at, "endif\n");
    snprintf(source + at, room - at, "%s\n.end\n", after);
    emu_case c = emu_open(source);
    free(source);
    return c;
}

Test(emu_control, control_flow_nests_256_deep) {
    emu_case c = open_nested(EMU_THREAD "icmp_eq p1, r1, r1\n mov_imm r3, 9\n", 256,
                             "device_store_u32 r2, r3\n", "halt");
    emu_run_ok(&c);
    for (uint32_t t = 0; t < 32; t++)
        cr_expect_eq(c.memory[t], 9);
    emu_close(&c);
}

/* Each activation of f opens 40 levels: those of the seventh exceed 256. */
Test(emu_control, control_depth_counts_across_calls) {
    emu_case c = open_nested("icmp_eq p1, r1, r1\n call f\n halt\n f:\n", 40, "call f\n", "return");
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    emu_expect_error(&c, "E_CONTROL_DEPTH", "stack overflow");
    emu_close(&c);
}

/* r3 counts the activations; the recursion ends when it has reached r4. */
#define RECURSION(levels)                                                                          \
    EMU_THREAD "mov_imm r4, " #levels "\n mov_imm r5, 1\n call f\n device_store_u32 r2, r3\n"      \
               "halt\n f: iadd r3, r3, r5\n icmp_lt p1, r3, r4\n if p1\n call f\n endif\n return"

Test(emu_control, calls_nest_eight_deep) {
    emu_case c = emu_open_code(RECURSION(8));
    emu_run_ok(&c);
    cr_expect_eq(c.memory[5], 8);
    emu_close(&c);

    c = emu_open_code(RECURSION(9));
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    const wave_diag *d = emu_expect_error(&c, "E_CALL_DEPTH", "stack overflow");
    cr_expect_str_eq(d->kernel, "k");
    emu_close(&c);
}
