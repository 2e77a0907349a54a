/* The HIP emitter: the text of small kernels against tests/golden/hip (WAVE_UPDATE_GOLDEN=1
 * rewrites it, to be reviewed like code), every operation of the IR, refusals. wave-simt-test
 * checks what the text computes, scripts/check-hip.sh that AMD's compiler accepts it. */
#include "emit/emit.h"
#include "support/every_op.h"
#include "support/golden.h"
#include "support/missing.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(emit_hip, golden_texts_are_unchanged) {
    cr_expect_geq(golden_check(WAVE_TARGET_HIP), 12);
}

/* ---- Clang accepts it without a warning ---- */

/* All files at once, each in its own namespace: AMD's headers take most of the time. */
static void add_file(wave_target target, const char *name, void *file) {
    char path[200];
    golden_path(target, name, path, sizeof path);
    fprintf(file, "namespace %s_file {\n#include \"%s\"\n}\n", name, path);
}

Test(emit_hip, clang_accepts_the_golden_files, .timeout = 300) {
    char source[] = "/tmp/wave_golden_XXXXXX", command[600];
    if (!present_or_skip(system("sh scripts/find-clang.sh >/dev/null") == 0 &&
                             access("/usr/include/hip/hip_runtime.h", R_OK) == 0,
                         "no clang 19 with AMD's headers"))
        return;
    int descriptor = mkstemp(source);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    cr_assert(file);
    fputs("#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n#include <stdint.h>\n", file);
    golden_each(WAVE_TARGET_HIP, add_file, file);
    cr_assert_eq(fclose(file), 0);
    snprintf(command, sizeof command,
             "\"$(sh scripts/find-clang.sh)\" -x hip --cuda-device-only -nogpulib -fsyntax-only "
             "--offload-arch=gfx942 -ffp-contract=off -Wall -Wextra -Werror -I. %s",
             source);
    cr_expect_eq(system(command), 0, "clang does not accept the golden files");
    remove(source);
}

/* ---- Every operation ---- */

Test(emit_hip, prints_every_operation) {
    static const emit_options variants[] = {
        {.arch = 0x942, .wave_width = 64, .fp_fast = true},
        {.arch = 0x1100, .wave_width = 32, .fp_fast = true},
        {.arch = 0x942, .wave_width = 64, .fp_fast = true, .bounds = true}};
    for (unsigned op = 0; op < IR_OP_COUNT; op++)
        for (unsigned k = 0;
             k < sizeof variants / sizeof *variants && !every_op_needs_context_in_c((ir_op)op); k++)
            every_op_check_c(&emit_hip, (ir_op)op, variants[k]);
}

/* ---- Conditions of a value with itself ---- */

/* Stores 1 where `op` of two conditions holds, and checks the kernel's text. */
static void expect_condition(ir_op op, bool negated_first, const char *part) {
    static const emit_options options = {.arch = 0x942, .wave_width = 64, .symbol = "k"};
    emit_unit unit = {0};
    ir_func f;
    ir_init(&f);
    f.name = "k";
    f.wave_width = 64;
    f.converged = true;
    f.arg_words = 2;
    const ir_value words[2] = {ir_leaf(&f, IR_ARG, IR_U32, 0), ir_leaf(&f, IR_ARG, IR_U32, 1)};
    ir_value less = ir_make(&f, IR_ICMP_LT, IR_BOOL, words, 2, 0);
    ir_value other = ir_make(&f, IR_BNOT, IR_BOOL, &less, 1, 0);
    const ir_value both[2] = {negated_first ? other : less, negated_first ? less : other};
    const ir_value choice[3] = {ir_make(&f, op, IR_BOOL, both, 2, 0), ir_const(&f, IR_U32, 1),
                                words[0]};
    const ir_value store[2] = {words[1], ir_make(&f, IR_SELECT, IR_U32, choice, 3, 0)};
    const ir_value code[] = {less,
                             other,
                             choice[0],
                             store[1],
                             ir_make(&f, IR_STORE, IR_VOID, store, 2,
                                     ir_access_pack((ir_access){.space = IR_DEVICE, .bytes = 4})),
                             ir_make(&f, IR_HALT, IR_VOID, NULL, 0, 0)};
    for (unsigned k = 0; k < sizeof code / sizeof *code; k++)
        ir_append(&f, 1, code[k]);
    cr_assert(emit_hip.kernel(&f, &options, &unit, NULL));
    buf_char(&unit.text, '\0');
    cr_expect(strstr((const char *)unit.text.data, part), "no '%s' in:\n%s", part,
              (const char *)unit.text.data);
    ir_free(&f);
    buf_free(&unit.text);
}

/* Compilers warn about b && !b: it is always false. */
Test(emit_hip, a_condition_and_its_opposite_avoid_compiler_warnings) {
    expect_condition(IR_BAND, false, " & !");
    expect_condition(IR_BAND, true, " & ");
    expect_condition(IR_BOR, false, " | !");
    expect_condition(IR_BOR, true, " | ");
}

/* ---- Instructions in comments ---- */

static void add_nothing(void *context, uint32_t pc, buf *text, emit_line *line) {
    (void)context;
    (void)pc;
    (void)text;
    (void)line;
}

Test(emit_hip, no_comment_is_printed_where_nothing_is_known) {
    const emit_options options = {
        .arch = 0x942, .wave_width = 64, .symbol = "k", .debug = true, .instruction = add_nothing};
    emit_unit unit = {0};
    ir_func f;
    every_op_make(&f, IR_IADD, 64);
    for (ir_value v = 1; v < f.node_count; v++)
        ir_at(&f, v)->pc = 4 * v;
    cr_assert(emit_hip.kernel(&f, &options, &unit, NULL));
    buf_char(&unit.text, '\0');
    cr_expect(!strstr((const char *)unit.text.data, "// \n"), "%s", (const char *)unit.text.data);
    ir_free(&f);
    buf_free(&unit.text);
}

/* ---- Refusals ---- */

Test(emit_hip, refuses_what_was_not_lowered) {
    static const ir_op ops[] = {IR_FSIN, IR_FCOS, IR_FEXP2, IR_FLOG2};
    for (unsigned k = 0; k < 4; k++)
        every_op_check_refused(&emit_hip, ops[k], (emit_options){0}, "E_IR");
}

Test(emit_hip, refuses_what_exceeds_the_targets_limits) {
    every_op_check_limit(&emit_hip, (every_op_limit){0x942, 64, {1025, 1, 1}, 0});
    every_op_check_limit(&emit_hip, (every_op_limit){0x1100, 32, {32, 32, 2}, 0});
    every_op_check_limit(&emit_hip, (every_op_limit){0x90A, 64, {64, 1, 1}, 65537});
    every_op_check_limit(&emit_hip, (every_op_limit){0x942, 32, {64, 1, 1}, 0});
    every_op_check_limit(&emit_hip, (every_op_limit){0x1030, 16, {64, 1, 1}, 0});
    every_op_check_limit(&emit_hip, (every_op_limit){0x941, 64, {64, 1, 1}, 0});
}
