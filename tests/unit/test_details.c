/* Details that planted defects showed to be untested: texts of messages, the fairness of
 * random schedules, the data passed to observers, the digits of ratios. */
#include "asm_helpers.h"
#include "emu/profile.h"
#include "emu_helpers.h"
#include "ir/ir.h"

/* ---- Assembler ---- */

static void expect_message(const char *source, const char *words) {
    assembled a = assemble(source);
    const wave_diag *d = wave_diags_at(a.diags, 0);
    cr_assert_eq(a.status, WAVE_ERROR_INPUT, "%s", source);
    cr_assert_not_null(d);
    cr_expect_not_null(strstr(d->message, words), "\"%s\" is not in \"%s\"", words, d->message);
    discard(&a);
}

Test(details, wrong_counts_list_the_operands) {
    expect_message(".kernel k\niadd r1, r2\nhalt\n.end\n",
                   "iadd takes 3 operands (register, register, register), not 2");
    expect_message(".kernel k\natomic_add r1\nhalt\n.end\n",
                   "([register], register, register, scope)");
    expect_message(".kernel k\nicmp_eq r1\nhalt\n.end\n", "(predicate, register, register)");
    expect_message(".kernel k\ndadd r2\nhalt\n.end\n",
                   "(register pair, register pair, register pair)");
    expect_message(".kernel k\nmov_imm r2\nhalt\n.end\n", "(register, number)");
    expect_message(".kernel k\ncall\nhalt\n.end\n", "call takes 1 operand (label), not 0");
    expect_message(".kernel k\nmma_compute\nhalt\n.end\n", "fragment (written as a register)");
    expect_message(".kernel k\ndevice_load_u128 r4\nhalt\n.end\n", "(register quad, register)");
}

/* One name is a prefix of the other; the text after it must not matter. */
Test(details, a_label_is_not_found_by_its_prefix) {
    static const char *const uses[] = {"call f\n", "call f ; a comment\n", "call f\t\n",
                                       "call f;\n", "call f\r\n"};
    for (size_t k = 0; k < sizeof uses / sizeof *uses; k++) {
        char source[200];
        snprintf(source, sizeof source,
                 ".kernel k\n%shalt\nf:\nreturn\nf1:\nreturn\nff:\nreturn\nf_:\nreturn\n.end\n",
                 uses[k]);
        assembled a = assemble(source);
        cr_assert_eq(a.status, WAVE_OK, "%s", uses[k]);
        cr_expect_eq(word_at(&a.file, 1), 12); /* a call has two words, halt one */
        discard(&a);
    }
}

/* ---- Validator ---- */

/* Loads "nop, iadd, halt" with `first` as the first word; returns the messages. */
static wave_diags *load_with(uint32_t first) {
    assembled a = assemble(".kernel k\nnop\niadd r1, r2, r3\nhalt\n.end\n");
    cr_assert_eq(a.status, WAVE_OK);
    for (unsigned k = 0; k < 4; k++)
        a.file.data[32 + k] = (uint8_t)(first >> 8 * k);
    wave_diags *diags = wave_diags_create(0);
    wave_module *module;
    cr_assert_eq(wave_module_load(a.file.data, a.file.size, NULL, &module, diags),
                 WAVE_ERROR_INPUT);
    discard(&a);
    return diags;
}

Test(details, unknown_words_are_named_in_the_message) {
    wave_diags *diags = load_with(0xFE000000u);
    cr_expect_eq(wave_diags_count(diags), 1);
    cr_expect_str_eq(wave_diags_at(diags, 0)->message, "opcode 0xFE is not defined");
    wave_diags_destroy(diags);
    /* loads from local memory have few modifiers */
    diags = load_with(0x300000B0u);
    cr_expect_str_eq(wave_diags_at(diags, 0)->code, "E_MODIFIER");
    cr_expect_str_eq(wave_diags_at(diags, 0)->message, "opcode 0x30 has no modifier 11");
    wave_diags_destroy(diags);
}

/* An unknown word before the last instruction, which ends at the end of the code. */
Test(details, an_unknown_word_before_the_last_instruction_is_reported) {
    assembled a = assemble(".kernel k\nhalt\niadd r1, r2, r3\n.end\n");
    memset(a.file.data + 32, 0xFE, 4);
    wave_diags *diags = wave_diags_create(0);
    wave_module *module;
    cr_assert_eq(wave_module_load(a.file.data, a.file.size, NULL, &module, diags),
                 WAVE_ERROR_INPUT);
    cr_expect_str_eq(wave_diags_at(diags, 0)->message, "opcode 0xFE is not defined");
    wave_diags_destroy(diags);
    discard(&a);
}

/* ---- Emulator ---- */

static bool note_first(void *user, const wave_step *step) {
    int *first = user;
    if (*first < 0)
        *first = (int)step->wave;
    return true;
}

/* Each wave runs first under some seed. */
Test(details, random_schedules_are_fair) {
    emu_case c = emu_open_code("nop\nhalt");
    bool seen[4] = {false};
    int first;
    const wave_observer observer = {.user = &first, .before = note_first};
    c.launch.workgroup[0] = 128;
    c.launch.random_schedule = true;
    c.launch.observers = &observer;
    c.launch.observer_count = 1;
    for (c.launch.seed = 1; c.launch.seed <= 100; c.launch.seed++) {
        first = -1;
        emu_run_ok(&c);
        cr_assert(first >= 0 && first < 4);
        seen[first] = true;
    }
    for (unsigned k = 0; k < 4; k++)
        cr_expect(seen[k], "wave %u never starts", k);
    emu_close(&c);
}

typedef struct scopes {
    unsigned loads, stores, atomics, atomic_loads, atomic_stores, wrong;
} scopes;

static void note_scope(void *user, const wave_step *step, const wave_access *access) {
    scopes *s = user;
    (void)step;
    bool plain = access->kind == WAVE_LOAD || access->kind == WAVE_STORE;
    uint32_t expected = plain ? 0 : 2;
    *(access->kind == WAVE_LOAD          ? &s->loads
      : access->kind == WAVE_STORE       ? &s->stores
      : access->kind == WAVE_ATOMIC_LOAD ? &s->atomic_loads
      : access->kind == WAVE_ATOMIC      ? &s->atomics
                                         : &s->atomic_stores) += 1;
    if (access->kind == WAVE_ATOMIC_STORE) /* the stored value, not the previous one */
        s->wrong += access->value[0] != 5;
    s->wrong += access->scope != expected;
}

Test(details, only_atomics_have_a_scope) {
    emu_case c = emu_open_code(EMU_THREAD "device_load_u32 r3, r2\ndevice_store_u32 r2, r3\n"
                                          "local_store_u32 r2, r3\nlocal_load_u32 r4, r2\n"
                                          "atomic_add r5, r2, r1, .device\nmov_imm r6, 5\n"
                                          "atomic_load r5, r2, .device\n"
                                          "atomic_store r2, r6, .device\nhalt");
    scopes seen = {0};
    const wave_observer observer = {.user = &seen, .access = note_scope};
    c.launch.observers = &observer;
    c.launch.observer_count = 1;
    emu_run_ok(&c);
    cr_expect_eq(seen.wrong, 0);
    cr_expect_eq(seen.loads, 64);
    cr_expect_eq(seen.stores, 64);
    cr_expect_eq(seen.atomics, 32);
    cr_expect_eq(seen.atomic_loads, 32);
    cr_expect_eq(seen.atomic_stores, 32);
    emu_close(&c);
}

static void expect_ratio(uint64_t a, uint64_t b, unsigned decimals, const char *expected) {
    buf text = {0};
    profile_ratio(&text, a, b, decimals);
    buf_char(&text, '\0');
    cr_assert(!text.failed);
    cr_expect_str_eq((const char *)text.data, expected);
    buf_free(&text);
}

Test(details, ratios_are_rounded_to_the_requested_digits) {
    expect_ratio(1, 8, 3, "0.125");
    expect_ratio(1, 3, 4, "0.3333");
    expect_ratio(2, 3, 2, "0.67");
    expect_ratio(22, 7, 5, "3.14286");
    expect_ratio(999, 1000, 2, "1.00");
    expect_ratio(7, 0, 1, "0.0");
    expect_ratio(5, 2, 0, "3");
    expect_ratio(UINT64_MAX, UINT64_MAX, 2, "1.00");
    expect_ratio(UINT64_MAX / 4, UINT64_MAX, 2, "0.25");
}

/* ---- IR ---- */

/* The operands passed in may be another operation's, in a pool that moves while it grows. */
Test(details, operands_may_come_from_the_pool_itself) {
    enum { COUNT = 5000, COPIES = 300 };
    static ir_value args[COUNT];
    ir_func f;
    ir_init(&f);
    for (uint32_t k = 0; k < COUNT; k++)
        args[k] = ir_const(&f, IR_U32, k * 3);
    ir_value v = ir_make(&f, IR_YIELD, IR_VOID, args, COUNT, 0);
    for (unsigned k = 0; k < COPIES; k++)
        v = ir_make(&f, IR_YIELD, IR_VOID, ir_args(&f, v), COUNT, 0);
    cr_assert(!f.failed);
    for (unsigned k = 0; k < COUNT; k++)
        cr_assert_eq(ir_arg(&f, v, k), args[k]);
    ir_free(&f);
}

/* More operations than a kernel may have: a separate error, not out of memory. */
Test(details, the_number_of_operations_is_limited) {
    ir_func f;
    wave_diags *diags = wave_diags_create(0);
    ir_init(&f);
    f.node_limit = 1000;
    for (uint32_t k = 0; k < 2000; k++)
        ir_make(&f, IR_HALT, IR_VOID, NULL, 0, 0);
    cr_expect(f.failed && f.too_large);
    cr_expect_eq(ir_make(&f, IR_HALT, IR_VOID, NULL, 0, 0), 0);
    cr_expect_eq(f.node_count, 1000);
    ir_report_failure(&f, diags);
    cr_assert_eq(wave_diags_count(diags), 1);
    cr_expect_str_eq(wave_diags_at(diags, 0)->code, "E_SIZE_LIMIT");
    wave_diags_destroy(diags);
    ir_free(&f);
}
