/* wave_emulate_seeds names the seed, the byte and the access. The expected answer follows from the
 * programs: one has no race, in one a lane sees another value, in one only the order of two stores
 * differs. */
#include "emu_helpers.h"

/* Two waves of one lane. */
static emu_case open_waves(const char *code) {
    emu_case c = emu_open_threads(code, 2, 1);
    c.launch.random_schedule = true;
    c.launch.seed = 1;
    return c;
}

static wave_status sweep(emu_case *c, uint64_t runs) {
    const wave_sweep how = {
        .runs = runs, .schedules = c->launch.random_schedule, .memories = c->launch.scoped_memory};
    emu_start(c);
    return wave_emulate_seeds(c->module, &c->launch, &how, c->diags);
}

/* Each thread writes its own word, with a barrier between two steps. */
Test(sweep, a_program_without_a_race_passes) {
    emu_case c = open_waves(EMU_THREAD "mov_imm r3, 4\n xor r4, r2, r3\n local_store_u32 r2, r1\n"
                                       "barrier\n local_load_u32 r5, r4\n"
                                       "device_store_u32 r2, r5\n halt");
    cr_expect_eq(sweep(&c, 50), WAVE_OK);
    cr_expect_eq(wave_diags_count(c.diags), 0);
    cr_expect(c.memory[0] == 1 && c.memory[1] == 0);
    cr_expect_eq(c.stats.waves, 2);
    emu_close(&c);
}

/* Wave 0 stores 7 late; wave 1 reads the word and stores the value at 64. In the default order wave
 * 1 reads earlier: its load is the first access that can differ, at 0x38. */
Test(sweep, a_load_that_sees_another_value_is_named) {
    emu_case c = open_waves("mov_sr r1, sr_wave_id\n mov_imm r2, 0\n mov_imm r3, 7\n"
                            "mov_imm r6, 64\n icmp_eq p1, r1, r2\n if p1\n nop\n nop\n"
                            "device_store_u32 r2, r3\n else\n device_load_u32 r5, r2\n"
                            "device_store_u32 r6, r5\n endif\n halt");
    cr_expect_eq(sweep(&c, 50), WAVE_ERROR_INPUT);
    const wave_diag *d = emu_expect_error(&c, "E_SCHEDULE", "leaves 0x07 at 0x40");
    cr_expect(strstr(d->message, "--schedule="), "%s", d->message);
    cr_expect(strstr(d->message, "the plain order 0x00"), "%s", d->message);
    cr_expect(strstr(d->message, "lane 0 of wave 1 in workgroup (0,0,0) loads 0x7 at device 0x0; "
                                 "in the plain order lane 0 of wave 1 in workgroup (0,0,0) loads "
                                 "0x0 at device 0x0"),
              "%s", d->message);
    cr_expect(d->text && strstr(d->text, "device_load_u32 r5, r2"));
    cr_expect_eq(c.memory[16], 7); /* the seed's result */
    emu_close(&c);
}

/* Both waves store their number to one word: no lane observes a difference. */
Test(sweep, two_stores_in_another_order_are_named) {
    emu_case c = open_waves("mov_sr r1, sr_wave_id\n mov_imm r2, 8\n device_store_u32 r2, r1\n"
                            "halt");
    cr_expect_eq(sweep(&c, 50), WAVE_ERROR_INPUT);
    const wave_diag *d = emu_expect_error(&c, "E_SCHEDULE",
                                          "leaves 0x00 at 0x8, the plain order "
                                          "0x01");
    cr_expect(strstr(d->message, "the first store to it in another order: lane 0 of wave 1"), "%s",
              d->message);
    cr_expect(strstr(d->message, "in the plain order lane 0 of wave 0"), "%s", d->message);
    emu_close(&c);
}

/* The sum is the same in every order: discarded old values of atomics do not count. */
Test(sweep, a_sum_by_atomics_does_not_depend_on_the_schedule) {
    emu_case c = open_waves("mov_sr r1, sr_wave_id\n mov_imm r2, 8\n mov_imm r3, 5\n"
                            "atomic_add r0, r2, r3, .device\n halt");
    cr_expect_eq(sweep(&c, 50), WAVE_OK);
    cr_expect_eq(c.memory[2], 10);
    emu_close(&c);
}

/* Without a fence a lane may or may not see what another lane of its wave stored: ISA.md 8.1. */
Test(sweep, a_missing_fence_shows_in_scoped_memory) {
    emu_case c = emu_open_threads(EMU_THREAD "mov_imm r3, 4\n xor r4, r2, r3\n"
                                             "device_store_u32 r2, r3\n device_load_u32 r5, r4\n"
                                             "mov_imm r6, 64\n iadd r6, r6, r2\n"
                                             "device_store_u32 r6, r5\n halt",
                                  2, 2);
    c.launch.scoped_memory = true;
    c.launch.memory_seed = 1;
    cr_expect_eq(sweep(&c, 50), WAVE_ERROR_INPUT);
    const wave_diag *d = emu_expect_error(&c, "E_SCHEDULE", "--memory=scoped:");
    cr_expect(strstr(d->message, "loads 0x0 at device"), "%s", d->message);
    cr_expect(strstr(d->message, "loads 0x4 at device"), "%s", d->message);
    emu_close(&c);
}

/* A run that fails only under a seed: its own error is reported too. */
Test(sweep, the_error_of_a_failing_seed_is_reported) {
    emu_case c = open_waves("mov_sr r1, sr_wave_id\n mov_imm r2, 0\n mov_imm r3, 7\n"
                            "icmp_eq p1, r1, r2\n if p1\n nop\n nop\n device_store_u32 r2, r3\n"
                            "else\n device_load_u32 r5, r2\n icmp_eq p2, r5, r2\n assert p2, 3\n"
                            "endif\n halt");
    cr_expect_eq(sweep(&c, 50), WAVE_ERROR_INPUT);
    cr_expect_not_null(emu_find(&c, "E_SCHEDULE"));
    cr_expect_not_null(emu_find(&c, "E_ASSERT"));
    emu_close(&c);
}

Test(sweep, wrong_calls_are_refused) {
    emu_case c = open_waves("halt");
    const wave_sweep none = {.runs = 1, .memories = true};
    cr_expect_eq(wave_emulate_seeds(c.module, &c.launch, &none, c.diags), WAVE_ERROR_USAGE);
    cr_expect_eq(wave_emulate_seeds(c.module, &c.launch, NULL, c.diags), WAVE_ERROR_USAGE);
    c.launch.wave_width = 65;
    cr_expect_eq(sweep(&c, 1), WAVE_ERROR_USAGE);
    emu_expect_error(&c, "E_LAUNCH", "wave width 65 is out of range");
    emu_close(&c);
}
