/* The PTX emitter: the text of small kernels against tests/golden/ptx (WAVE_UPDATE_GOLDEN=1
 * rewrites it, to be reviewed like code), every operation of the IR, refusals.
 * wave-ptx-test checks what the text computes. */
#include "emit/emit.h"
#include "isa/isa.h"
#include "ptxvm/ptxvm.h"
#include "support/count.h"
#include "support/emit_whole.h"
#include "support/every_op.h"
#include "support/golden.h"
#include "support/ir_text.h"
#include "support/missing.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The text ---- */

Test(emit_ptx, golden_texts_are_unchanged) {
    cr_expect_geq(golden_check(WAVE_TARGET_PTX), 12);
}

/* ---- ptxas accepts it without any output ---- */

static void check_ptxas(wave_target target, const char *name, void *context) {
    char command[1200], file[200];
    (void)context;
    golden_path(target, name, file, sizeof file);
    char *text = golden_read(file);
    cr_assert(text);
    unsigned arch = strstr(text, ".target sm_80") ? 80 : 75;
    free(text);
    snprintf(command, sizeof command,
             "ptxas=$(sh scripts/find-ptxas.sh) && cubin=$(mktemp) || exit 1; "
             "out=$(\"$ptxas\" -arch=sm_%u -o \"$cubin\" '%s' 2>&1); status=$?; "
             "rm -f \"$cubin\"; test $status -eq 0 && test -z \"$out\" || "
             "{ echo \"$out\" >&2; exit 1; }",
             arch, file);
    cr_expect_eq(system(command), 0, "ptxas does not accept %s for sm_%u", file, arch);
}

Test(emit_ptx, ptxas_accepts_the_golden_files) {
    if (has_ptxas())
        golden_each(WAVE_TARGET_PTX, check_ptxas, NULL);
}

/* ---- --bounds ---- */

/* The kernel reads a word, keeps it in local memory, adds it to its origin and stores the two words
 * that it finds in local memory. */
static void check_bounds(const ptxvm_module *module, uint32_t at, uint32_t local,
                         const uint32_t expected[4]) {
    struct {
        uint64_t mem;
        uint32_t args[2];
        uint64_t size;
    } params = {0x10000, {at, local}, 16};
    uint32_t memory[4] = {5, 6, 7, 8};
    const ptxvm_range range = {.address = 0x10000, .host = memory, .size = sizeof memory};
    ptxvm_launch_options o = ptxvm_default_options("bounds");
    ptxvm_error error;
    o.params = &params;
    o.param_bytes = sizeof params;
    o.ranges = &range;
    o.range_count = 1;
    o.shared_fill = 0;
    cr_expect_eq(ptxvm_launch(module, &o, NULL, &error), PTXVM_OK, "%s", error.message);
    for (unsigned k = 0; k < 4; k++)
        cr_expect_eq(memory[k], expected[k], "at %u, local %u: word %u is %u", at, local, k,
                     memory[k]);
}

Test(emit_ptx, bounds_keep_every_access_inside) {
    char *text = golden_compile(WAVE_TARGET_PTX, "bounds");
    ptxvm_module *module = NULL;
    ptxvm_error error;
    cr_assert_eq(ptxvm_parse(text, strlen(text), &module, &error), PTXVM_OK);
    check_bounds(module, 8, 0, (uint32_t[]){5, 6, 7, 0});
    check_bounds(module, 12, 0, (uint32_t[]){5, 6, 7, 16}); /* the pair does not fit */
    check_bounds(module, 16, 0, (uint32_t[]){5, 6, 7, 8});
    check_bounds(module, 0xFFFFFFFC, 0, (uint32_t[]){5, 6, 7, 8});
    check_bounds(module, 8, 252, (uint32_t[]){5, 6, 0, 0}); /* the word fits, the pair does not */
    check_bounds(module, 8, 256, (uint32_t[]){5, 6, 0, 0});
    check_bounds(module, 0, 0xFFFFFFFC, (uint32_t[]){0, 0, 7, 8});
    ptxvm_free(module);
    free(text);
}

/* ---- Every operation ---- */

static bool print_with(ir_op op, emit_options o, buf *text) {
    ir_func f;
    every_op_make(&f, op, 32);
    cr_assert(!f.failed);
    o.symbol = "every";
    o.assert_trap = true;
    o.uses = WAVE_USES_ASSERT;
    bool ok = emit_whole(&emit_ptx, &f, &o, text, NULL);
    ir_free(&f);
    return ok;
}

Test(emit_ptx, prints_every_operation) {
    static const emit_options variants[] = {{.arch = 75, .fp_fast = true},
                                            {.arch = 80, .fp_fast = true},
                                            {.arch = 75, .fp_fast = true, .bounds = true}};
    for (unsigned op = 0; op < IR_OP_COUNT; op++)
        for (unsigned k = 0;
             k < sizeof variants / sizeof *variants && !every_op_needs_context((ir_op)op); k++) {
            buf text = {0};
            ptxvm_module *module = NULL;
            ptxvm_error error;
            cr_expect(print_with((ir_op)op, variants[k], &text), "%s is not printed",
                      ir_ops[op].name);
            cr_expect_eq(ptxvm_parse((char *)text.data, text.size, &module, &error), PTXVM_OK,
                         "%s: %s", ir_ops[op].name, error.message);
            ptxvm_free(module);
            buf_free(&text);
        }
}

Test(emit_ptx, refuses_what_was_not_lowered) {
    static const ir_op ops[] = {IR_FSIN, IR_FCOS, IR_FEXP2, IR_FLOG2};
    for (unsigned k = 0; k < 4; k++)
        every_op_check_refused(&emit_ptx, ops[k], (emit_options){0}, "E_IR");
}

/* ---- Refusals ---- */

Test(emit_ptx, refuses_what_exceeds_the_targets_limits) {
    every_op_check_limit(&emit_ptx, (every_op_limit){75, 32, {1025, 1, 1}, 0});
    every_op_check_limit(&emit_ptx, (every_op_limit){75, 32, {1, 1, 65}, 0});
    every_op_check_limit(&emit_ptx, (every_op_limit){75, 32, {32, 1, 1}, 65537});
    every_op_check_limit(&emit_ptx, (every_op_limit){75, 64, {32, 1, 1}, 0});
    every_op_check_limit(&emit_ptx, (every_op_limit){74, 32, {32, 1, 1}, 0});
}

/* ---- The workgroup's size ---- */

static void size_is_printed(uint32_t x, uint32_t y, uint32_t z, const char *line) {
    buf text = {0};
    ir_func f;
    every_op_make(&f, IR_IADD, 32);
    const uint32_t group[3] = {x, y, z};
    memcpy(f.workgroup, group, sizeof group);
    const emit_options o = {.arch = 75, .symbol = "k"};
    cr_assert(emit_whole(&emit_ptx, &f, &o, &text, NULL));
    buf_bytes(&text, "", 1);
    cr_expect(strstr((const char *)text.data, line), "%u %u %u: no line %s", x, y, z, line);
    ir_free(&f);
    buf_free(&text);
}

/* 1,024 threads in several rows of whole warps have the bound only. */
Test(emit_ptx, the_workgroup_size_is_printed) {
    size_is_printed(0, 0, 0, "\n.maxntid 1024, 1, 1\n");
    size_is_printed(256, 1, 1, "\n.reqntid 256, 1, 1\n");
    size_is_printed(1024, 1, 1, "\n.reqntid 1024, 1, 1\n");
    size_is_printed(16, 64, 1, "\n.reqntid 16, 64, 1\n");
    size_is_printed(32, 16, 1, "\n.reqntid 32, 16, 1\n");
    size_is_printed(32, 32, 1, "\n.maxntid 32, 32, 1\n");
    size_is_printed(64, 4, 4, "\n.maxntid 64, 4, 4\n");
}

/* ---- Reading coordinates again after a loop ---- */

static unsigned reads_of(const char *special, unsigned arch, uint32_t rows, const char *body) {
    buf text = {0};
    arena memory = {0};
    ir_func f;
    ir_read(&f, body, &memory);
    memcpy(f.workgroup, (const uint32_t[]){32, rows, 1}, sizeof f.workgroup);
    const emit_options o = {.arch = arch, .symbol = "k"};
    cr_assert(emit_whole(&emit_ptx, &f, &o, &text, NULL));
    buf_bytes(&text, "", 1);
    unsigned count = count_text((const char *)text.data, special);
    ir_free(&f);
    buf_free(&text);
    arena_free(&memory);
    return count;
}

/* The golden file read_again.ptx shows the places. */
Test(emit_ptx, coordinates_are_read_again_after_a_loop) {
    static const char before_and_after[] = "loop sr_thread_id_y {\n"
                                           "  %1:u32 = param(0)\n"
                                           "  %2:bool = icmp_ge %1, arg0\n"
                                           "  if %2 {\n"
                                           "    break\n"
                                           "  } else {\n"
                                           "    yield\n"
                                           "  }\n"
                                           "  %3:u32 = iadd %1, sr_thread_id_x\n"
                                           "  continue %3\n"
                                           "}\n"
                                           "store(device, 4, +0) sr_thread_id_x, sr_thread_id_y\n"
                                           "halt\n";
    cr_expect_eq(reads_of("%tid.y", 75, 4, before_and_after), 2);
    cr_expect_eq(reads_of("%tid.x", 75, 4, before_and_after), 1, "the loop uses it");
    cr_expect_eq(reads_of("%tid.y", 75, 32, before_and_after), 1, "1,024 threads");
    cr_expect_eq(reads_of("%tid.y", 80, 4, before_and_after), 1, "sm_80");
}
