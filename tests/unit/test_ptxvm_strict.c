/* The refusals of the PTX interpreter: forms that ptxas rejects, and at least one program for each
 * error. */
#include "ptxvm_helpers.h"

typedef struct {
    const char *name;
    ptxvm_status status;
    uint32_t threads;
    uint32_t checks;
    const char *code;
    const char *line; /* the instruction that the error must name; NULL: not checked */
} refusal;

enum { SEEDS = 5, OUT_BYTES = 256, D = PTXVM_DEFAULT_CHECKS };

#define TID "mov.u32 %r1, %tid.x;\n"

/* Runs each program under several schedules: the error must not depend on the order. */
static void expect_refusals(const refusal *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char text[3000];
        snprintf(text, sizeof text, "%s%s\nret;\n}\n", PTX_BEGIN, cases[i].code);
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            uint8_t out[OUT_BYTES] = {0};
            ptxvm_error error;
            ptxvm_status status =
                ptx_try(text, cases[i].threads, cases[i].checks, seed, out, sizeof out, &error);
            cr_assert_eq(status, cases[i].status, "%s: %s, not %s: %s", cases[i].name,
                         ptxvm_status_name(status), ptxvm_status_name(cases[i].status),
                         error.message);
            cr_assert_eq(error.status, status);
            if (cases[i].line) {
                cr_assert_not_null(strstr(error.instruction, cases[i].line), "%s: %s",
                                   cases[i].name, error.message);
                cr_assert(error.line > 0 && error.in_thread, "%s", cases[i].name);
            }
        }
    }
}

#define EXPECT_REFUSALS(cases) expect_refusals(cases, sizeof cases / sizeof *cases)

/* tests/ptxvm/samples/forms.txt holds ptxas's verdicts. */
Test(ptxvm_strict, forms_agree_with_ptxas) {
    unsigned accepted = 0, refused = 0;
    char *text = ptx_read(PTX_SAMPLES "forms.txt"), declarations[2000] = PTX_HEADER;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '=') {
            strcat(strcat(declarations, line + 2), "\n");
            continue;
        }
        if (line[0] == '#') {
            continue;
        }
        char program[3000];
        ptxvm_module *module;
        ptxvm_error error;
        bool ok = line[0] == 'o';
        snprintf(program, sizeof program, "%s%s\nret;\n}\n", declarations, line + 3);
        ptxvm_status status = ptxvm_parse(program, strlen(program), &module, &error);
        cr_expect((status == PTXVM_OK) == ok, "ptxas says %.2s to %s; here: %s", line, line + 3,
                  error.message);
        if (!ok && status != PTXVM_OK) {
            cr_expect_eq(error.line, 13, "%s: %s", line, error.message);
        }
        accepted += ok;
        refused += !ok;
        ptxvm_free(module);
    }
    cr_expect(accepted > 200 && refused > 100, "%u and %u forms", accepted, refused);
    free(text);
}

Test(ptxvm_strict, undeclared_names_are_refused) {
    static const refusal cases[] = {
        {"register", PTXVM_UNDECLARED, 1, D, "mov.u32 %x1, 5;", NULL},
        {"register out of its range", PTXVM_UNDECLARED, 1, D, "mov.u32 %r20, 5;", NULL},
        {"register with a leading zero", PTXVM_UNDECLARED, 1, D, "mov.u32 %r05, 5;", NULL},
        {"guard", PTXVM_UNDECLARED, 1, D, "@%q1 mov.u32 %r1, 5;", NULL},
        {"label", PTXVM_UNDECLARED, 1, D, "bra DONE;", NULL},
        {"label of another block", PTXVM_UNDECLARED, 1, D, "{ DONE: } bra DONE;", NULL},
        {"register of a closed block", PTXVM_UNDECLARED, 1, D,
         "{ .reg .b32 %t; mov.u32 %t, 1; } mov.u32 %r1, %t;", NULL},
        {"function", PTXVM_UNDECLARED, 1, D, "call helper;", NULL},
        {"variable", PTXVM_UNDECLARED, 1, D, "ld.shared.u32 %r1, [tile];", NULL},
        {"register twice", PTXVM_SYNTAX, 1, D, ".reg .b32 %r<4>;", NULL},
        {"label twice", PTXVM_SYNTAX, 1, D, "A: A: bra A;", NULL},
        {"no semicolon", PTXVM_SYNTAX, 1, D, "mov.u32 %r1, 5", NULL},
        {"bad character", PTXVM_SYNTAX, 1, D, "mov.u32 %r1, #5;", NULL},
        {"comment without end", PTXVM_SYNTAX, 1, D, "/* mov.u32 %r1, 5;", NULL},
        {"short float", PTXVM_SYNTAX, 1, D, "mov.f32 %f1, 0f3F80;", NULL},
        {"unknown instruction", PTXVM_UNSUPPORTED, 1, D, "frobnicate.u32 %r1, 5;", NULL},
        {"unknown modifier", PTXVM_UNSUPPORTED, 1, D, "mov.warm.u32 %r1, 5;", NULL},
    };
    EXPECT_REFUSALS(cases);
}

Test(ptxvm_strict, wrong_accesses_are_detected) {
    static const refusal cases[] = {
        {"past the end", PTXVM_OUT_OF_BOUNDS, 1, D, "ld.global.u32 %r1, [%rd9+256];", "ld.global"},
        {"before the start", PTXVM_OUT_OF_BOUNDS, 1, D, "ld.global.u32 %r1, [%rd9+-4];",
         "ld.global"},
        {"half past the end", PTXVM_OUT_OF_BOUNDS, 1, D,
         "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd9+256];", "ld.global.v4"},
        {"null", PTXVM_OUT_OF_BOUNDS, 1, D, "mov.u64 %rd1, 0; st.global.u32 [%rd1], 1;",
         "st.global"},
        {"32-bit wrap of the displacement does not happen", PTXVM_OUT_OF_BOUNDS, 1, D,
         "add.u64 %rd1, %rd9, 0xFFFFFFFC; st.global.u32 [%rd1+8], 1;", "st.global"},
        {"global through shared", PTXVM_OUT_OF_BOUNDS, 1, D,
         ".shared .b32 x; ld.shared.u32 %r1, [%rd9];", "ld.shared"},
        {"shared address 0", PTXVM_OUT_OF_BOUNDS, 1, D,
         ".shared .b32 x; mov.u32 %r1, 0; ld.shared.u32 %r2, [%r1];", "ld.shared"},
        {"past shared", PTXVM_OUT_OF_BOUNDS, 1, D,
         ".shared .align 4 .b8 x[8]; ld.shared.u32 %r2, [x+8];", "ld.shared"},
        {"shared used as global", PTXVM_OUT_OF_BOUNDS, 1, D,
         ".shared .align 4 .b8 x[8]; mov.u64 %rd1, x; ld.global.u32 %r2, [%rd1];", "ld.global"},
        {"shared used as generic", PTXVM_OUT_OF_BOUNDS, 1, D,
         ".shared .align 4 .b8 x[8]; mov.u64 %rd1, x; ld.u32 %r2, [%rd1];", "ld.u32"},
        {"param", PTXVM_OUT_OF_BOUNDS, 1, D, "ld.param.u64 %rd1, [out+8];", "ld.param"},
        {"local", PTXVM_OUT_OF_BOUNDS, 1, D,
         ".local .align 4 .b8 x[8]; mov.u64 %rd1, x; st.local.u32 [%rd1+8], 1;", "st.local"},
        {"atomic", PTXVM_OUT_OF_BOUNDS, 1, D, "atom.global.add.u32 %r1, [%rd9+256], 1;", "atom"},
        {"misaligned load", PTXVM_MISALIGNED, 1, D, "ld.global.u32 %r1, [%rd9+2];", "ld.global"},
        {"misaligned vector", PTXVM_MISALIGNED, 1, D, "ld.global.v2.u32 {%r1,%r2}, [%rd9+4];",
         "v2"},
        {"misaligned store", PTXVM_MISALIGNED, 1, D, "st.global.u16 [%rd9+1], 5;", "st.global"},
        {"misaligned atomic", PTXVM_MISALIGNED, 1, D, "red.global.add.u32 [%rd9+2], 1;", "red"},
        {"misaligned shared", PTXVM_MISALIGNED, 1, D,
         ".shared .align 8 .b8 x[16]; st.shared.u64 [x+4], 1;", "st.shared"},
        {"write to constants", PTXVM_READ_ONLY, 1, D,
         ".const .align 4 .u32 c[2] = {1, 2}; cvta.const.u64 %rd1, c; st.u32 [%rd1], 5;", "st.u32"},
        {"write to parameters", PTXVM_READ_ONLY, 1, D, "mov.b64 %rd1, out; st.u32 [%rd1], 5;",
         "st.u32"},
    };
    EXPECT_REFUSALS(cases);
}

Test(ptxvm_strict, dynamic_shared_memory_has_bounds) {
    ptxvm_module *module = ptx_parse(PTX_HEADER ".extern .shared .align 16 .b8 dyn[];\n"
                                                ".entry k() { st.shared.u32 [dyn+12], 5; ret; }");
    ptxvm_launch_options options = ptxvm_default_options("k");
    ptxvm_error error;
    cr_expect_eq(ptxvm_launch(module, &options, NULL, &error), PTXVM_OUT_OF_BOUNDS);
    options.dynamic_shared_bytes = 12;
    cr_expect_eq(ptxvm_launch(module, &options, NULL, &error), PTXVM_OUT_OF_BOUNDS);
    options.dynamic_shared_bytes = 16;
    cr_expect_eq(ptxvm_launch(module, &options, NULL, &error), PTXVM_OK, "%s", error.message);
    ptxvm_free(module);
}

Test(ptxvm_strict, reads_of_uninitialised_registers_are_detected) {
    static const refusal cases[] = {
        {"source", PTXVM_UNINITIALISED, 1, D, "add.u32 %r1, %r1, 1;", "add.u32"},
        {"guard", PTXVM_UNINITIALISED, 1, D, "@%p1 mov.u32 %r1, 1;", "mov.u32"},
        {"address", PTXVM_UNINITIALISED, 1, D, "ld.global.u32 %r1, [%rd1];", "ld.global"},
        {"stored value", PTXVM_UNINITIALISED, 1, D, "st.global.u32 [%rd9], %r5;", "st.global"},
        {"only some threads", PTXVM_UNINITIALISED, 64, D,
         TID "setp.lt.u32 %p1, %r1, 63; @%p1 mov.u32 %r2, 1; not.b32 %r3, %r2;", "not.b32"},
        {"shuffled value", PTXVM_UNINITIALISED, 32, D, "shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;",
         "shfl"},
        {"not checked", PTXVM_OK, 1, 0, "add.u32 %r1, %r1, 1; @%p1 mov.u32 %r1, 1;", NULL},
        {"the value that selp leaves", PTXVM_OK, 1, D,
         "setp.eq.u32 %p1, 1, 1; selp.b32 %r1, 5, %r2, %p1;", NULL},
    };
    EXPECT_REFUSALS(cases);
}

/* Lanes 0-15 jump over the first of two code sequences. */
#define SPLIT(upper, lower)                                                                        \
    TID "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra LOW;\n" upper "\nbra DONE;\nLOW:\n" lower "\nDONE:\n"

Test(ptxvm_strict, wrong_masks_are_detected) {
    static const refusal cases[] = {
        {"not in its mask", PTXVM_NOT_IN_MASK, 32, D,
         "mov.u32 %r1, 1; shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xFFFF;", "shfl"},
        {"not in its mask, barrier", PTXVM_NOT_IN_MASK, 32, D, "bar.warp.sync 0x7FFFFFFF;",
         "bar.warp"},
        {"never arrive", PTXVM_OK, 32, D,
         SPLIT("vote.sync.ballot.b32 %r2, 1, 0xFFFF0000;", "vote.sync.ballot.b32 %r2, 1, 0xFFFF;"),
         NULL},
        {"full mask in a branch, the others leave", PTXVM_OK, 32, D,
         SPLIT("vote.sync.ballot.b32 %r2, 1, -1;", "exit;"), NULL},
        {"full mask in a branch", PTXVM_SYNC_MISMATCH, 32, D,
         SPLIT("vote.sync.ballot.b32 %r2, 1, -1;", "vote.sync.any.pred %p2, 1, -1;"), "vote"},
        {"same operation in two places", PTXVM_SYNC_MISMATCH, 32, D,
         SPLIT("vote.sync.ballot.b32 %r2, 1, -1;", "vote.sync.ballot.b32 %r2, 1, -1;"), "vote"},
        {"same operation in two places, allowed", PTXVM_OK, 32, 0,
         SPLIT("vote.sync.ballot.b32 %r2, 1, -1;", "vote.sync.ballot.b32 %r2, 1, -1;"), NULL},
        {"different masks at one place", PTXVM_SYNC_MISMATCH, 32, D,
         TID "setp.lt.u32 %p1, %r1, 16; selp.b32 %r2, 0x0001FFFF, 0xFFFFFFFF, %p1;\n"
             "bar.warp.sync %r2;",
         "bar.warp"},
        {"the others wait at a barrier", PTXVM_SYNC_DEADLOCK, 32, D,
         SPLIT("vote.sync.ballot.b32 %r2, 1, -1;", "bar.sync 0;"), "vote"},
        {"each waits for the next", PTXVM_SYNC_DEADLOCK, 3, D,
         TID "setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1;\n"
             "@%p1 bra A;\n@%p2 bra B;\nbar.warp.sync 5;\nbra E;\n"
             "A: bar.warp.sync 3;\nbra E;\nB: bar.warp.sync 6;\nE:\n",
         "bar.warp"},
        {"exited lanes", PTXVM_MASK_LANES, 32, D | PTXVM_CHECK_MASK_LANES,
         TID "setp.eq.u32 %p1, %r1, 7;\n@%p1 exit;\nbar.warp.sync -1;", "bar.warp"},
        {"missing lanes", PTXVM_MASK_LANES, 20, D | PTXVM_CHECK_MASK_LANES, "bar.warp.sync -1;",
         "bar.warp"},
        {"missing lanes, allowed", PTXVM_OK, 20, D, "bar.warp.sync -1;", NULL},
    };
    EXPECT_REFUSALS(cases);
}

Test(ptxvm_strict, wrong_barriers_are_detected) {
    static const refusal cases[] = {
        {"one warp does not come", PTXVM_BARRIER_DEADLOCK, 64, D,
         TID "setp.lt.u32 %p1, %r1, 32;\n@%p1 bar.sync 1;\nbar.sync 0;", "bar.sync"},
        {"too few for the count", PTXVM_BARRIER_DEADLOCK, 32, D, "bar.sync 1, 64;", "bar.sync"},
        {"two barriers in a warp", PTXVM_BARRIER_MISMATCH, 32, D,
         SPLIT("bar.sync 0;", "bar.sync 0;"), "bar.sync"},
        {"two barriers in a warp, not aligned", PTXVM_OK, 32, D,
         SPLIT("barrier.sync 0;", "barrier.sync 0;"), NULL},
        {"two counts", PTXVM_BARRIER_MISMATCH, 64, D,
         TID "setp.lt.u32 %p1, %r1, 32; selp.b32 %r2, 64, 96, %p1;\nbar.sync 1, %r2;", "bar.sync"},
        {"bad number", PTXVM_BARRIER_MISMATCH, 1, D, "mov.u32 %r1, 16; bar.sync %r1;", "bar.sync"},
        {"two lines", PTXVM_BARRIER_MISMATCH, 64, D | PTXVM_CHECK_SAME_BARRIER,
         TID "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra LOW;\nbar.sync 0;\nbra DONE;\nLOW: bar.sync "
             "0;\nDONE:",
         "bar.sync"},
        {"two lines, allowed", PTXVM_OK, 64, D,
         TID "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra LOW;\nbar.sync 0;\nbra DONE;\nLOW: bar.sync "
             "0;\nDONE:",
         NULL},
        {"exited threads", PTXVM_BARRIER_EXITED, 64, D | PTXVM_CHECK_EXITED_BARRIER,
         TID "setp.eq.u32 %p1, %r1, 5;\n@%p1 exit;\nbar.sync 0;", "bar.sync"},
        {"exited threads, allowed", PTXVM_OK, 64, D,
         TID "setp.eq.u32 %p1, %r1, 5;\n@%p1 exit;\nbar.sync 0;", NULL},
    };
    EXPECT_REFUSALS(cases);
}

Test(ptxvm_strict, traps_limits_and_inexact_operations_are_reported) {
    static const refusal cases[] = {
        {"trap", PTXVM_TRAP, 40, D, TID "setp.eq.u32 %p1, %r1, 33;\n@%p1 trap;", "trap"},
        {"endless loop", PTXVM_LIMIT, 2, D, "AGAIN: bra AGAIN;", "bra"},
        {"mul without .rn", PTXVM_UNFUSED, 1, PTXVM_ALL_CHECKS,
         "mov.f32 %f1, 1.5; mul.f32 %f2, %f1, %f1;", "mul.f32"},
        {"add.f16 without .rn", PTXVM_UNFUSED, 1, PTXVM_ALL_CHECKS,
         "mov.b16 %h1, 5; add.f16 %h2, %h1, %h1;", "add.f16"},
        {"with .rn", PTXVM_OK, 1, PTXVM_ALL_CHECKS, "mov.f32 %f1, 1.5; mul.rn.f32 %f2, %f1, %f1;",
         NULL},
        {"approx", PTXVM_INEXACT, 1, PTXVM_ALL_CHECKS, "mov.f32 %f1, 1.5; sin.approx.f32 %f2, %f1;",
         "sin"},
        {"approx, allowed", PTXVM_OK, 1, D, "mov.f32 %f1, 1.5; sin.approx.f32 %f2, %f1;", NULL},
        {"branch table", PTXVM_OUT_OF_BOUNDS, 1, D,
         "mov.u32 %r1, 2;\nT: .branchtargets A, B;\nbrx.idx %r1, T;\nA: B:", "brx"},
    };
    EXPECT_REFUSALS(cases);
}

static ptxvm_status parse_only(const char *text, ptxvm_error *error) {
    ptxvm_module *module;
    ptxvm_status status = ptxvm_parse(text, strlen(text), &module, error);
    ptxvm_free(module);
    return status;
}

Test(ptxvm_strict, wrong_modules_are_refused) {
    ptxvm_error error;
    static const struct {
        ptxvm_status status;
        const char *text;
    } cases[] = {
        {PTXVM_SYNTAX, ""},
        {PTXVM_SYNTAX, ".version 7.5\n"},
        {PTXVM_SYNTAX, ".version sm_75\n.target sm_75\n"},
        {PTXVM_SYNTAX, ".version 7.5\n.target \"sm_75\"\n"},
        {PTXVM_OK, ".version 7.5 .target sm_75, debug .address_size 64 .entry k() { ret; }"},
        {PTXVM_OK,
         PTX_HEADER ".file 1 \"a b.wave\"\n.entry k() {\n.loc 1 5 0\n.pragma \"nounroll\";\n"
                    "ret; // done\n}\n.section .debug_str\n{\nx:\n.b8 1,2\n.b64 y+4\n}\n"},
        {PTXVM_SYNTAX, ".entry k() { ret; }"},
        {PTXVM_SYNTAX, PTX_HEADER ".entry k() { ret;"},
        {PTXVM_SYNTAX, PTX_HEADER ".entry k() { ret; } }"},
        {PTXVM_SYNTAX, PTX_HEADER ".entry k() { ret; } .entry k() { ret; }"},
        {PTXVM_SYNTAX, PTX_HEADER ".global .u32 x[2] = {1, 2, 3};"},
        {PTXVM_SYNTAX, PTX_HEADER ".global .u32 x[];"},
        {PTXVM_TYPE, PTX_HEADER ".func f(.param .b32 a); .func f(.param .b64 a) { ret; }"},
        {PTXVM_TYPE,
         PTX_HEADER ".func f(.param .b32 a); .entry k() { .param .b64 x; call f, (x); }"},
        {PTXVM_TYPE, PTX_HEADER ".func f(.param .b32 a); .entry k() { call f; }"},
        {PTXVM_UNSUPPORTED, PTX_HEADER ".func f() { call f; ret; }"},
        {PTXVM_UNSUPPORTED,
         PTX_HEADER ".func g(); .func f() { call g; ret; } .func g() { call f; ret; }"},
        {PTXVM_UNSUPPORTED, ".version 7.5\n.target sm_75\n.address_size 32\n"},
        {PTXVM_NO_MEMORY, PTX_HEADER ".entry k() { .reg .b32 %r<2000000>; ret; }"},
        {PTXVM_NO_MEMORY, PTX_HEADER ".global .b8 x[1000000000000];"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(parse_only(cases[i].text, &error), cases[i].status, "%s: %s", cases[i].text,
                     error.message);
    }
    static const char zero[] = PTX_HEADER "\0.entry k() { ret; }";
    ptxvm_module *module;
    cr_expect_eq(ptxvm_parse(zero, sizeof zero - 1, &module, &error), PTXVM_SYNTAX);
}

Test(ptxvm_strict, deep_blocks_are_refused) {
    char text[1000] = PTX_HEADER ".entry k() ";
    ptxvm_error error;
    for (int i = 0; i < 200; i++) {
        strcat(text, "{");
    }
    cr_expect_eq(parse_only(text, &error), PTXVM_NO_MEMORY, "%s", error.message);
}

/* Truncating or changing a module anywhere must yield an error or a module, never a crash. */
Test(ptxvm_strict, damaged_text_never_crashes_the_parser) {
    static const char *const names[] = {"calls.ptx", "half.ptx", "compact.ptx"};
    for (size_t n = 0; n < 3; n++) {
        char path[100];
        snprintf(path, sizeof path, PTX_SAMPLES "%s", names[n]);
        char *text = ptx_read(path);
        size_t length = strlen(text);
        unsigned refused = 0;
        for (size_t i = 0; i < length; i += 7) {
            ptxvm_module *module;
            ptxvm_error error;
            refused += ptxvm_parse(text, i, &module, &error) != PTXVM_OK;
            ptxvm_free(module);
            char old = text[i];
            text[i] = "%{};,.09[x"[i % 10];
            ptxvm_parse(text, length, &module, &error);
            ptxvm_free(module);
            text[i] = old;
        }
        cr_expect(refused > length / 14, "%u of %zu", refused, length / 7);
        free(text);
    }
}

Test(ptxvm_strict, wrong_launch_arguments_are_refused) {
    ptxvm_module *module = ptx_parse(PTX_HEADER ".entry k(.param .u64 out) .reqntid 32 { ret; }\n"
                                                ".entry m() .maxntid 64 { ret; }");
    uint64_t address = PTX_BUFFER(0);
    uint32_t memory[4] = {0};
    ptxvm_range ranges[2] = {{address, memory, 16, false}, {address + 8, memory, 16, false}};
    ptxvm_launch_options good = ptxvm_default_options("k"), bad;
    ptxvm_error error;
    good.block[0] = 32;
    good.params = &address;
    good.param_bytes = 8;
    good.ranges = ranges;
    good.range_count = 1;
    cr_assert_eq(ptxvm_launch(module, &good, NULL, &error), PTXVM_OK, "%s", error.message);
#define EXPECT_BAD(change)                                                                         \
    bad = good;                                                                                    \
    change;                                                                                        \
    cr_expect_eq(ptxvm_launch(module, &bad, NULL, &error), PTXVM_ARGUMENT, #change)
    EXPECT_BAD(bad.entry = "kk");
    EXPECT_BAD(bad.block[0] = 64);
    EXPECT_BAD(bad.block[1] = 0);
    EXPECT_BAD(bad.grid[2] = 0);
    EXPECT_BAD(bad.param_bytes = 4);
    EXPECT_BAD(bad.params = NULL);
    EXPECT_BAD(bad.range_count = 2);
    EXPECT_BAD(ranges[0].address = 0);
    bad = ptxvm_default_options("m");
    bad.block[0] = 65;
    cr_expect_eq(ptxvm_launch(module, &bad, NULL, &error), PTXVM_ARGUMENT);
    bad.block[0] = 64;
    cr_expect_eq(ptxvm_launch(module, &bad, NULL, &error), PTXVM_OK);
    ptxvm_free(module);
}

/* The report names the position: line, block, thread, instruction. */
Test(ptxvm_strict, an_error_names_line_block_thread_and_instruction) {
    ptxvm_module *module = ptx_parse(
        PTX_HEADER ".entry k()\n{\n" PTX_REGS "mov.u32 %r1, %tid.y; mov.u32 %r2, %ctaid.x;\n"
                   "setp.eq.u32 %p1, %r1, 2; setp.eq.and.u32 %p1, %r2, 3, %p1;\n"
                   "@%p1   trap ;\n}\n");
    ptxvm_launch_options options = ptxvm_default_options("k");
    ptxvm_error error;
    options.grid[0] = 5;
    options.block[1] = 3;
    cr_assert_eq(ptxvm_launch(module, &options, NULL, &error), PTXVM_TRAP);
    cr_expect_eq(error.line, 10);
    cr_expect(error.in_thread);
    cr_expect_eq(error.block[0], 3);
    cr_expect_eq(error.thread[1], 2);
    cr_expect_str_eq(error.instruction, "@%p1 trap");
    cr_expect_not_null(strstr(error.message, "line 10: TRAP: block (3,0,0) thread (0,2,0)"));
    ptxvm_free(module);
}
