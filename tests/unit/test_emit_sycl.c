/* The SYCL emitter: the text of small kernels against tests/golden/sycl (WAVE_UPDATE_GOLDEN=1
 * rewrites it, to be reviewed like code), every operation of the IR, the parameters of a launch,
 * refusals. scripts/check-sycl.sh checks what the text computes, and that Intel's and the host's
 * compilers accept it. */
#include "emit/emit.h"
#include "support/every_op.h"
#include "support/golden.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

enum { ARCH = 1 };

Test(emit_sycl, golden_texts_are_unchanged) {
    cr_expect_geq(golden_check(WAVE_TARGET_SYCL), 12);
}

/* Workarounds for Intel's CPU device are printed only for a CPU: no text for a GPU reads a
 * volatile, and each workaround occurs in some text for a CPU. */
static void look_for_workarounds(wave_target target, const char *name, void *context) {
    unsigned *seen = context;
    char *text = golden_compile(target, name);
    bool cpu = strstr(text, "WAVE kernels for SYCL on a CPU") != NULL;
    cr_expect(cpu || !strstr(text, "volatile"), "%s", name);
    cr_expect(cpu == (strstr(text, "-fsycl-targets=spir64_x86_64") != NULL), "%s", name);
    *seen |= (strstr(text, "wave_forever()") ? 1u : 0) | (strstr(text, "wave_sign()") ? 2u : 0);
    free(text);
}

Test(emit_sycl, workarounds_are_printed_only_for_a_cpu) {
    unsigned seen = 0;
    golden_each(WAVE_TARGET_SYCL, look_for_workarounds, &seen);
    cr_expect_eq(seen, 3);
}

/* ---- Every operation ---- */

Test(emit_sycl, prints_every_operation) {
    static const emit_options variants[] = {{.wave_width = 32, .fp_fast = true},
                                            {.wave_width = 64, .fp_fast = true, .bounds = true}};
    for (unsigned op = 0; op < IR_OP_COUNT; op++)
        for (unsigned k = 0;
             k < sizeof variants / sizeof *variants && !every_op_needs_context_in_c((ir_op)op); k++)
            every_op_check_c(&emit_sycl, (ir_op)op, variants[k]);
}

/* ---- The parameters of a launch ---- */

/* Two kernels with the same code: the file's declarations decide, not the code that remains. */
static void expect_kernel(emit_options o, const uint32_t group[3], const char *parameters) {
    emit_unit unit = {0};
    ir_func f;
    every_op_make(&f, IR_IADD, 32);
    memcpy(f.workgroup, group, sizeof f.workgroup);
    f.local_memory = 64;
    o.arch = ARCH;
    o.wave_width = 32;
    o.symbol = "k";
    cr_assert(emit_sycl.kernel(&f, &o, &unit, NULL));
    buf_char(&unit.text, '\0');
    cr_expect(strstr((const char *)unit.text.data, parameters), "not '%s' in:\n%s", parameters,
              (const char *)unit.text.data);
    ir_free(&f);
    buf_free(&unit.text);
}

Test(emit_sycl, parameters_do_not_depend_on_optimisation) {
    static const uint32_t open[3] = {0, 0, 0}, fixed[3] = {8, 4, 1};
    const char *local = "sycl::ext::oneapi::experimental::work_group_memory<uint8_t[64]>";
    char text[300];
    snprintf(text, sizeof text, "%s) {", local);
    expect_kernel((emit_options){0}, open, text);
    expect_kernel((emit_options){.uses = WAVE_USES_WAVE_OPS}, fixed, text);
    snprintf(text, sizeof text, "%s, uint32_t, uint32_t) {", local);
    expect_kernel((emit_options){.uses = WAVE_USES_WAVE_OPS}, open, text);
    expect_kernel((emit_options){.uses = WAVE_USES_BARRIER}, open, text);
    snprintf(text, sizeof text, "%s, uint64_t mem_size, uint32_t *) {", local);
    expect_kernel((emit_options){.bounds = true, .assert_trap = true, .uses = WAVE_USES_ASSERT},
                  fixed, text);
    snprintf(text, sizeof text, "%s) {", local);
    expect_kernel((emit_options){.uses = WAVE_USES_ASSERT}, fixed, text);
}

/* ---- The comment about flags ---- */

/* Every flag that the runtime passes to the compiler is in the comment at the top of the text. */
Test(emit_sycl, the_comment_names_the_flags_of_the_runtime) {
    char *runtime = golden_read("runtime/sycl.cpp");
    char *text = golden_compile(WAVE_TARGET_SYCL, "if_else");
    cr_assert(runtime && text);
    const char *at = strstr(runtime, "const std::vector<std::string> options{");
    cr_assert(at);
    const char *end = strchr(at, '}');
    unsigned flags = 0;
    for (const char *flag; (flag = strstr(at, "\"-")) && flag < end; flags++) {
        char word[80];
        size_t size = strcspn(flag + 1, "\"");
        snprintf(word, sizeof word, "%.*s", (int)size, flag + 1);
        const char *comment = strstr(text, "// or at run time"), *code = strstr(text, "#include");
        const char *found = comment ? strstr(comment, word) : NULL;
        cr_expect(found && found < code, "%s is not named", word);
        at = flag + 1 + size + 1;
    }
    cr_expect_eq(flags, 4);
    free(runtime);
    free(text);
}

/* ---- Refusals ---- */

Test(emit_sycl, refuses_what_was_not_lowered) {
    static const ir_op ops[] = {IR_FSIN, IR_FCOS, IR_FEXP2, IR_FLOG2};
    for (unsigned k = 0; k < 4; k++)
        every_op_check_refused(&emit_sycl, ops[k], (emit_options){0}, "E_IR");
}

Test(emit_sycl, refuses_what_exceeds_the_targets_limits) {
    every_op_check_limit(&emit_sycl, (every_op_limit){ARCH, 32, {1025, 1, 1}, 0});
    every_op_check_limit(&emit_sycl, (every_op_limit){ARCH, 32, {32, 32, 2}, 0});
    every_op_check_limit(&emit_sycl, (every_op_limit){ARCH, 32, {64, 1, 1}, 65537});
    every_op_check_limit(&emit_sycl, (every_op_limit){ARCH, 2, {64, 1, 1}, 0});
}
