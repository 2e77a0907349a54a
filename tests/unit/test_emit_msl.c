/* The Metal emitter: the text of small kernels against tests/golden/msl, every operation of the IR,
 * refusals by version, and coherent memory where a fence requires it. wave-simt-test checks what
 * the text computes, scripts/check-msl.sh whether Metal would accept it. */
#include "emit/emit.h"
#include "isa/isa.h"
#include "support/count.h"
#include "support/every_op.h"
#include "support/golden.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(emit_msl, golden_texts_are_unchanged) {
    cr_expect_geq(golden_check(WAVE_TARGET_MSL), 12);
}

/* ---- Every operation ---- */

static bool is_f64(ir_op op) {
    return ir_op_involves(op, "d");
}

Test(emit_msl, prints_every_operation_but_f64) {
    static const emit_options variants[] = {{.arch = 32, .fp_fast = true},
                                            {.arch = 31, .fp_fast = true},
                                            {.arch = 30, .fp_fast = true, .bounds = true}};
    for (unsigned op = 0; op < IR_OP_COUNT; op++) {
        /* fences depend on the version, and a pointer is printed with its access: see below */
        if (every_op_needs_context((ir_op)op) || is_f64((ir_op)op) || op == IR_FENCE ||
            op == IR_LANE_FENCE || op == IR_POINTER || op == IR_BUFFER)
            continue;
        for (unsigned k = 0; k < sizeof variants / sizeof *variants; k++)
            every_op_check_c(&emit_msl, (ir_op)op, variants[k]);
    }
}

Test(emit_msl, refuses_f64) {
    for (unsigned op = 0; op < IR_OP_COUNT; op++)
        for (unsigned arch = 30; arch <= 32 && is_f64((ir_op)op); arch++)
            every_op_check_refused(&emit_msl, (ir_op)op, (emit_options){.arch = arch},
                                   "E_TARGET_F64");
}

Test(emit_msl, refuses_what_was_not_lowered) {
    static const ir_op ops[] = {IR_FSIN, IR_FCOS, IR_FEXP2, IR_FLOG2};
    for (unsigned k = 0; k < 4; k++)
        every_op_check_refused(&emit_msl, ops[k], (emit_options){0}, "E_IR");
}

/* ---- Limits ---- */

Test(emit_msl, refuses_what_exceeds_the_targets_limits) {
    every_op_check_limit(&emit_msl, (every_op_limit){32, 32, {1025, 1, 1}, 0});
    every_op_check_limit(&emit_msl, (every_op_limit){32, 32, {32, 1, 1}, 32769});
    every_op_check_limit(&emit_msl, (every_op_limit){32, 64, {32, 1, 1}, 0});
}

/* ---- Whole programs: fences and coherence ---- */

/* Returns the text of a kernel's body as Metal, or NULL; the first diagnostic's code in *code. */
static char *compile(const char *body, const char *arch, char *code, size_t size) {
    char source[1000];
    wave_compile_options o;
    wave_blob binary = {0}, text = {0};
    wave_module *module = NULL;
    wave_diags *diags = wave_diags_create(0);
    snprintf(source, sizeof source, ".kernel k\n.registers 12\n.local_memory 64\n%s\nhalt\n.end\n",
             body);
    wave_compile_init(&o);
    o.target = WAVE_TARGET_MSL;
    o.arch = arch;
    o.verify_ir = true;
    cr_assert_eq(wave_assemble(source, strlen(source), NULL, &binary, diags), WAVE_OK, "%s", body);
    cr_assert_eq(wave_module_load(binary.data, binary.size, NULL, &module, diags), WAVE_OK);
    char *copy = NULL;
    if (wave_compile(module, &o, &text, diags) == WAVE_OK) {
        copy = calloc(1, text.size + 1);
        cr_assert(copy);
        memcpy(copy, text.data, text.size);
    }
    snprintf(code, size, "%s", wave_diags_count(diags) ? wave_diags_at(diags, 0)->code : "");
    wave_blob_free(&text);
    wave_blob_free(&binary);
    wave_module_destroy(module);
    wave_diags_destroy(diags);
    return copy;
}

/* Long statements are broken into lines: replaces each break and its indent by a blank. */
static void join_lines(char *text) {
    char *to = text;
    for (const char *c = text; *c; c++)
        if (*c == '\n' ? to > text && to[-1] != ' ' : *c != ' ' || (to > text && to[-1] != ' '))
            *to++ = (char)(*c == '\n' ? ' ' : *c);
    *to = '\0';
}

/* `wanted`: a part of the text, or the code of a refusal. */
static void expect_fence(const char *body, const char *arch, const char *wanted) {
    char code[64];
    char *text = compile(body, arch, code, sizeof code);
    if (text)
        join_lines(text);
    if (strncmp(wanted, "E_", 2) == 0) {
        cr_expect(!text, "%s for %s", body, arch);
        cr_expect_str_eq(code, wanted);
    } else {
        cr_expect(text && strstr(text, wanted), "%s for %s: no %s in\n%s", body, arch, wanted,
                  text ? text : code);
    }
    free(text);
}

Test(emit_msl, fences_depend_on_scope_and_version) {
    static const char *const scopes[] = {"wave", "workgroup", "device", "system"};
    static const char *const kinds[] = {"acquire", "release", "acq_rel", "sc"};
    static const char *const metal[] = {NULL, "thread_scope_threadgroup", "thread_scope_device",
                                        "thread_scope_device"};
    for (unsigned scope = 0; scope < 4; scope++)
        for (unsigned kind = 0; kind < 4; kind++) {
            char body[100], fence[200];
            snprintf(body, sizeof body, "fence_%s .%s", kinds[kind], scopes[scope]);
            snprintf(fence, sizeof fence,
                     "atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, "
                     "memory_order_seq_cst, %s);",
                     metal[scope] ? metal[scope] : "");
            expect_fence(body, "metal3.2", scope ? fence : "simdgroup_barrier(mem_flags::");
            const char *before = scope ? "E_TARGET_FENCE" : "simdgroup_barrier(mem_flags::";
            expect_fence(body, "metal3.1", before);
            expect_fence(body, "metal3.0", before);
        }
}

/* A wave barrier must be reached by all lanes, so it follows the vote, outside the divergent code.
 * A fence that needs no barrier is refused before 3.2. */
Test(emit_msl, wave_barriers_stay_outside_divergent_code) {
    static const char *const divergent = "mov r4, sr_lane_id\nucmp_lt p1, r4, r1\nif p1\n"
                                         "local_store_u32 r2, r1\nfence_acq_rel .wave\nendif";
    static const char *const uniform = "ucmp_lt p1, r0, r1\nif p1\n"
                                       "local_store_u32 r2, r1\nfence_acq_rel .wave\nendif";
    static const char *const one_lane = "mov r4, sr_lane_id\nicmp_eq p1, r4, r1\nif p1\n"
                                        "local_store_u32 r2, r1\nfence_release .device\nendif";
    static const char *const archs[] = {"metal3.0", "metal3.2"};
    for (unsigned k = 0; k < 2; k++) {
        expect_fence(divergent, archs[k], "= simd_any(");
        expect_fence(divergent, archs[k], "} simdgroup_barrier(");
        expect_fence(uniform, archs[k], "; simdgroup_barrier(");
    }
    expect_fence(one_lane, "metal3.0", "E_TARGET_FENCE");
    expect_fence(one_lane, "metal3.2", "thread_scope_device");
}

/* Every pointer into the arena that is read or written must be coherent; atomics must not. */
Test(emit_msl, memory_is_coherent_in_kernels_with_a_device_fence) {
    static const char *const body = "device_load_u32 r4, r0\natomic_add r5, r1, r4, .device\n"
                                    "fence_release .%s\niadd r4, r4, r5\ndevice_store_u32 r0, r4";
    static const struct {
        const char *scope;
        bool coherent;
    } cases[] = {{"wave", false}, {"workgroup", false}, {"device", true}, {"system", true}};
    for (unsigned k = 0; k < 4; k++) {
        char source[400], code[64];
        snprintf(source, sizeof source, body, cases[k].scope);
        char *text = compile(source, "metal3.2", code, sizeof code);
        cr_assert(text, "%s", code);
        unsigned coherent = count_text(text, "coherent(device) device "),
                 all = count_text(text, "device mem_u32 *");
        cr_expect_eq(all, 2);
        /* the parameter, the load, the store */
        cr_expect_eq(coherent, cases[k].coherent ? 3 : 0, "%s: %u\n%s", cases[k].scope, coherent,
                     text);
        cr_expect_eq(count_text(text, "(device atomic_uint *)"), 1);
        free(text);
    }
}

/* ---- Entry symbols ---- */

/* A kernel's name must not collide with functions that its own text, or another kernel's, calls. */
Test(emit_msl, kernels_do_not_take_names_of_the_library) {
    static const char *const taken[] = {"floor",    "clz",     "fma",      "simd_sum", "popcount",
                                        "atomic",   "uint3",   "half2",    "thread",   "device",
                                        "wave_cas", "mem_u32", "simd_vote"};
    static const char *const free_names[] = {"vadd", "local", "mem", "lane", "transpose"};
    const char *symbol;
    arena memory = {0};
    for (unsigned k = 0; k < sizeof taken / sizeof *taken; k++) {
        cr_assert(emit_symbols(EMIT_MSL, &taken[k], 1, &memory, &symbol));
        cr_expect(strncmp(symbol, taken[k], strlen(taken[k])) == 0 &&
                      strcmp(symbol + strlen(taken[k]), "_") == 0,
                  "%s became %s", taken[k], symbol);
    }
    for (unsigned k = 0; k < sizeof free_names / sizeof *free_names; k++) {
        cr_assert(emit_symbols(EMIT_MSL, &free_names[k], 1, &memory, &symbol));
        cr_expect_str_eq(symbol, free_names[k]);
    }
    arena_free(&memory);
}
