/* The events that observers of the emulator receive, their order, and the queries that observers
 * may make. */
#include "emu_helpers.h"

typedef struct witness {
    char log[32768];
    size_t used;
    uint32_t stop_at; /* PC at which before() returns false; 0: never */
} witness;

static void note(witness *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->log + w->used, sizeof w->log - w->used, format, args);
    va_end(args);
    if (n > 0)
        w->used += (size_t)n;
    cr_assert_lt(w->used, sizeof w->log);
}

static void on_begin(void *user, const uint32_t workgroup[3]) {
    note(user, "begin %u,%u,%u\n", workgroup[0], workgroup[1], workgroup[2]);
}

static void on_end(void *user, const uint32_t workgroup[3]) {
    note(user, "end %u,%u,%u\n", workgroup[0], workgroup[1], workgroup[2]);
}

static bool on_before(void *user, const wave_step *step) {
    witness *w = user;
    wave_blob text;
    cr_assert_eq(wave_instruction_text(step->module, step->kernel, step->pc, &text), WAVE_OK);
    note(w, "%u %02x %s %llx/%llx/%llx\n", step->wave, step->pc, (const char *)text.data,
         (unsigned long long)step->executing, (unsigned long long)step->active,
         (unsigned long long)step->live);
    wave_blob_free(&text);
    return w->stop_at == 0 || step->pc != w->stop_at;
}

static void on_after(void *user, const wave_step *step) {
    note(user, "r4=%u\n", wave_step_register(step, 4, 1));
}

static void on_access(void *user, const wave_step *step, const wave_access *access) {
    static const char *const kinds[] = {"load", "store", "atomic"};
    note(user, "%s %s lane %u at %u, %u bytes: %x, scope %u, pc %x\n",
         access->space == WAVE_SPACE_LOCAL ? "local" : "device", kinds[access->kind], access->lane,
         access->address, access->bytes, access->value[0], access->scope, step->pc);
}

static void on_barrier(void *user, const uint32_t workgroup[3], uint32_t pc) {
    note(user, "barrier %u at %02x\n", workgroup[0], pc);
}

static wave_observer full_witness(witness *w) {
    return (wave_observer){.user = w,
                           .workgroup_begin = on_begin,
                           .workgroup_end = on_end,
                           .before = on_before,
                           .after = on_after,
                           .access = on_access,
                           .barrier = on_barrier};
}

/* Three threads in waves of two. */
#define WATCHED                                                                                    \
    "mov_sr r4, sr_thread_id_x\n"  /* 00 */                                                        \
    "icmp_eq p1, r4, r0\n"         /* 04 */                                                        \
    "@!p1 local_store_u8 r4, r4\n" /* 0c */                                                        \
    "barrier\n"                    /* 14 */                                                        \
    "halt"                         /* 18 */

Test(emu_observe, events_arrive_in_order) {
    witness w = {0};
    const wave_observer observer = full_witness(&w);
    emu_case c = emu_open_code(WATCHED);
    c.launch.workgroup[0] = 3;
    c.launch.wave_width = 2;
    c.launch.observers = &observer;
    c.launch.observer_count = 1;
    emu_run_ok(&c);
    cr_expect_str_eq(w.log, "begin 0,0,0\n"
                            "0 00 mov r4, sr_thread_id_x 3/3/3\nr4=1\n"
                            "1 00 mov r4, sr_thread_id_x 1/1/1\nr4=0\n"
                            "0 04 icmp_eq p1, r4, r0 3/3/3\nr4=1\n"
                            "1 04 icmp_eq p1, r4, r0 1/1/1\nr4=0\n"
                            "0 0c @!p1 local_store_u8 r4, r4 2/3/3\n"
                            "local store lane 1 at 1, 1 bytes: 1, scope 0, pc c\nr4=1\n"
                            "1 0c @!p1 local_store_u8 r4, r4 1/1/1\n"
                            "local store lane 0 at 2, 1 bytes: 2, scope 0, pc c\nr4=0\n"
                            "0 14 barrier 3/3/3\nr4=1\n"
                            "1 14 barrier 1/1/1\nr4=0\n"
                            "barrier 0 at 14\n"
                            "0 18 halt 3/3/3\nr4=1\n"
                            "1 18 halt 1/1/1\nr4=0\n"
                            "end 0,0,0\n");
    emu_close(&c);
}

Test(emu_observe, atomics_report_the_old_value_and_the_scope) {
    witness w = {0};
    const wave_observer observer = {.user = &w, .access = on_access};
    emu_case c = emu_open_code("mov_imm r3, 5\n atomic_add r2, r0, r3, .system\n halt");
    c.launch.workgroup[0] = 2;
    c.launch.observers = &observer;
    c.launch.observer_count = 1;
    emu_run_ok(&c);
    cr_expect_str_eq(w.log, "device atomic lane 0 at 0, 4 bytes: 0, scope 3, pc 8\n"
                            "device atomic lane 1 at 0, 4 bytes: 5, scope 3, pc 8\n");
    cr_expect_eq(c.memory[0], 10);
    emu_close(&c);
}

/* Narrow stores report the stored bytes; there is no after event for an instruction that fails. */
Test(emu_observe, narrow_stores_report_their_bytes_and_failures_no_after_event) {
    witness w = {0};
    const wave_observer observer = {.user = &w, .access = on_access, .after = on_after};
    emu_case c = emu_open_code("mov_imm r4, 0x12345\n local_store_u16 r0, r4\n"
                               "local_store_u8 r0, r4\n local_store_u32 r4, r4\n halt");
    c.launch.workgroup[0] = 1;
    c.launch.observers = &observer;
    c.launch.observer_count = 1;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    cr_expect_str_eq(w.log, "r4=0\nlocal store lane 0 at 0, 2 bytes: 2345, scope 0, pc 8\nr4=0\n"
                            "local store lane 0 at 0, 1 bytes: 45, scope 0, pc 10\nr4=0\n");
    emu_close(&c);
}

Test(emu_observe, before_can_stop_the_run) {
    witness w = {.stop_at = 0x0c};
    const wave_observer observer = {.user = &w, .before = on_before};
    emu_case c = emu_open_code("mov_imm r3, 5\n nop\n device_store_u32 r0, r3\n halt");
    c.launch.observers = &observer;
    c.launch.observer_count = 1;
    cr_expect_eq(emu_run(&c), WAVE_ERROR_INPUT);
    cr_expect_eq(wave_diags_count(c.diags), 0);
    cr_expect_eq(c.memory[0], 0);
    cr_expect_eq(c.stats.instructions, 2);
    emu_close(&c);
}

/* ---- Queries of a step ---- */

static bool ask(void *user, const wave_step *step) {
    bool *asked = user;
    if (step->pc != 0x2c)
        return true;
    *asked = true;
    uint64_t size = 0;
    cr_expect_eq(wave_step_register_count(step), 32);
    cr_expect_eq(wave_step_register(step, 1, 2), 2);
    cr_expect_eq(wave_step_register(step, 32, 0), 0);
    cr_expect_eq(wave_step_register(step, 1, 64), 0);
    cr_expect_eq(wave_step_predicate(step, 1, 2), true);
    cr_expect_eq(wave_step_predicate(step, 1, 1), false);
    cr_expect_eq(wave_step_predicate(step, 4, 2), false);
    cr_expect_eq(wave_step_local(step, &size)[8], 2);
    cr_expect_eq(size, 16384);
    cr_expect_not_null(wave_step_device(step, &size));
    cr_expect_eq(size, EMU_WORDS * 4);
    cr_expect_eq(step->group_size[0], 4);
    cr_expect_eq(step->index, 7);
    wave_blob frames;
    cr_assert_eq(wave_step_frames(step, &frames), WAVE_OK);
    const char *text = (const char *)frames.data;
    cr_expect_not_null(strstr(text, "if at 0x0024"), "%s", text);
    cr_expect_not_null(strstr(text, "loop at 0x0028"), "%s", text);
    cr_expect_lt(strstr(text, "if at"), strstr(text, "loop at"), "outermost first");
    wave_blob_free(&frames);
    return true;
}

Test(emu_observe, a_step_answers_queries_about_its_state) {
    bool asked = false;
    const wave_observer observer = {.user = &asked, .before = ask};
    emu_case c = emu_open_code(EMU_THREAD                 /* 00 to 14 */
                               "local_store_u32 r2, r1\n" /* 14 */
                               "icmp_eq p1, r1, r3\n"     /* 1c */
                               "if p1\n loop\n"           /* 24, 28 */
                               "break p1\n"               /* 2c */
                               "endloop\n endif\n halt");
    static const uint32_t words[] = {0, 0, 0, 2};
    c.launch.initial = words;
    c.launch.initial_count = 4;
    c.launch.workgroup[0] = 4;
    c.launch.observers = &observer;
    c.launch.observer_count = 1;
    emu_run_ok(&c);
    cr_expect(asked);
    emu_close(&c);
}

Test(emu_observe, instructions_have_a_text) {
    emu_case c = emu_open_code("mov_imm r3, 5\n nop\n halt");
    wave_blob text;
    cr_expect_eq(wave_instruction_text(c.module, 0, 8, &text), WAVE_OK);
    cr_expect_str_eq((const char *)text.data, "nop");
    wave_blob_free(&text);
    cr_expect_eq(wave_instruction_text(c.module, 0, 4, &text), WAVE_ERROR_USAGE);
    cr_expect_eq(wave_instruction_text(c.module, 0, 16, &text), WAVE_ERROR_USAGE);
    cr_expect_eq(wave_instruction_text(c.module, 1, 0, &text), WAVE_ERROR_USAGE);
    emu_close(&c);
}

/* Observers change nothing: results with and without one are the same, errors too. */
Test(emu_observe, observers_change_nothing) {
    static const char code[] =
        EMU_THREAD "mov_imm r3, 3\n imod r4, r1, r3\n icmp_eq p1, r4, r0\n if p1\n"
                   "local_atomic_add r5, r0, r3\n else\n @!p1 local_load_u32 r5, r2\n endif\n"
                   "device_store_u32 r2, r5\n mov_imm r6, 16300\n iadd r6, r6, r2\n"
                   "device_store_u32 r6, r5\n halt";
    witness w = {0};
    const wave_observer observer = {.user = &w, .access = on_access};
    emu_case plain = emu_open_code(code), watched = emu_open_code(code);
    watched.launch.observers = &observer;
    watched.launch.observer_count = 1;
    cr_expect_eq(emu_run(&plain), WAVE_ERROR_INPUT);
    cr_expect_eq(emu_run(&watched), WAVE_ERROR_INPUT);
    cr_expect_arr_eq(plain.memory, watched.memory, EMU_WORDS * sizeof *plain.memory);
    cr_expect_str_eq(wave_diags_at(plain.diags, 0)->message,
                     wave_diags_at(watched.diags, 0)->message);
    emu_close(&plain);
    emu_close(&watched);
}
