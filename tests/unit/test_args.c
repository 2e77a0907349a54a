/* Argument words: 1 + the highest register some path reads before writing it. Every expected number
 * is derived by hand; the comments say how. */
#include "wbin_build.h"

static uint32_t words_of(const char *body) {
    char source[4000];
    int length = snprintf(source, sizeof source, ".kernel k\n.registers 64\n%s\n.end\n", body);
    cr_assert(length > 0 && (size_t)length < sizeof source);
    wave_diags *diags = wave_diags_create(0);
    wave_blob binary = {0};
    wave_status status = wave_assemble(source, (size_t)length, NULL, &binary, diags);
    cr_assert_eq(status, WAVE_OK, "%s: %s", body,
                 wave_diags_count(diags) ? wave_diags_at(diags, 0)->message : "");
    wb_result r = wb_load_with(binary.data, binary.size, (wave_load_options){0});
    cr_assert_eq(r.status, WAVE_OK, "%s: %s", body,
                 wave_diags_count(r.diags) ? wave_diags_at(r.diags, 0)->message : "");
    uint32_t words = wave_module_kernel(r.module, 0)->argument_words;
    wb_free(&r);
    wave_blob_free(&binary);
    wave_diags_destroy(diags);
    return words;
}

typedef struct program {
    uint32_t words;
    const char *body;
} program;

static void check(const program *programs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t got = words_of(programs[i].body);
        cr_expect_eq(got, programs[i].words, "%s\nexpected %u, got %u", programs[i].body,
                     programs[i].words, got);
    }
}
#define CHECK(programs) check(programs, WB_COUNT(programs))

Test(args, only_registers_read_before_a_write_count) {
    static const program programs[] = {
        {0, "halt"},
        {0, "mov_imm r1, 5\n iadd r2, r1, r1\n halt"},
        {3, "iadd r9, r1, r2\n halt"},                 /* r1, r2 */
        {1, "mov_imm r1, 1\n iadd r2, r0, r1\n halt"}, /* r0 */
        {6, "iadd r5, r5, r5\n halt"},                 /* read before its own write */
        {6, "mov r1, r5\n mov_imm r5, 0\n halt"},      /* read, then written */
        {0, "mov_imm r5, 0\n mov r1, r5\n halt"},      /* written, then read */
        {0, "mov r4, sr_lane_id\n mov r5, r4\n halt"}, /* a special register is not an argument */
        {8, "device_store_u32 r3, r7\n halt"},         /* address r3, value r7 */
        {5, "imad r9, r1, r2, r4\n halt"},             /* all three sources */
        {10, "bfi r0, r1, r2, r3, r9\n halt"},         /* the fifth operand too */
        {8, "select r0, p1, r2, r7\n halt"},           /* both, whatever the predicate */
        {3, "icmp_eq p1, r1, r2\n halt"},              /* predicates are not registers */
        {0, "wave_ballot r1, p1\n mov r2, r1\n halt"},
    };
    CHECK(programs);
}

Test(args, pairs_and_quads_count_all_their_registers) {
    static const program programs[] = {
        {8, "dadd r2, r4, r6\n halt"},                      /* r4 r5, r6 r7 */
        {2, "device_load_u64 r2, r1\n mov r9, r3\n halt"},  /* the load defines r3 */
        {2, "device_load_u128 r2, r1\n mov r9, r5\n halt"}, /* and r5 here */
        {7, "device_load_u128 r2, r1\n mov r9, r6\n halt"}, /* but not r6 */
        {8, "device_store_u128 r1, r4\n halt"},             /* r4 … r7 */
        {6, "mov_imm r4, 0\n dsqrt r0, r4\n halt"},         /* r5 of the pair */
        {0, "mov_imm r4, 0\n cvt_f64_f32 r6, r4\n dsqrt r8, r6\n halt"},
        {4, "mov_imm r1, 0\n cvt_f32_f64 r2, r2\n mov r0, r2\n halt"}, /* pair r2 r3 is read */
    };
    CHECK(programs);
}

Test(args, atomics_and_mma_read_their_addresses_and_values) {
    static const program programs[] = {
        {3, "local_atomic_add r5, r1, r2\n mov r6, r5\n halt"},             /* r5 is defined */
        {3, "local_atomic_add r1, r2\n halt"},                              /* no result */
        {3, "mov_imm r1, 0\n local_atomic_add r1, r2\n mov r3, r0\n halt"}, /* r0 is not written */
        {5, "atomic_cas r9, r2, r3, r4, .device\n halt"},
        {4, "mma_load_a r9, r2, r3\n halt"},  /* fragment 9 is not a register */
        {3, "mma_store_c r1, r2, r9\n halt"}, /* address, stride; fragment */
        {0, "mma_compute r7, r8, r9\n halt"},
    };
    CHECK(programs);
}

Test(args, a_guarded_write_defines_nothing) {
    static const program programs[] = {
        {6, "@p1 mov_imm r5, 0\n mov r1, r5\n halt"}, /* the write may not happen */
        {6, "@p1 mov_imm r5, 0\n @!p1 mov_imm r5, 1\n mov r1, r5\n halt"}, /* not proved */
        {0, "mov_imm r5, 0\n @p1 mov r1, r5\n halt"},
        {6, "@p1 mov r1, r5\n halt"}, /* a guarded read is a read */
        {6, "@!p0 device_load_u64 r4, r1\n mov r9, r5\n halt"},
        {2, "@p1 halt\n mov r9, r1\n halt"}, /* some lanes continue */
    };
    CHECK(programs);
}

Test(args, a_register_is_defined_when_every_branch_defines_it) {
    static const program programs[] = {
        {6, "if p1\n mov_imm r5, 0\n endif\n mov r1, r5\n halt"}, /* one path only */
        {0, "if p1\n mov_imm r5, 0\n else\n mov_imm r5, 1\n endif\n mov r1, r5\n halt"}, /* both */
        {6, "if p1\n else\n mov_imm r5, 1\n endif\n mov r1, r5\n halt"},
        {0, "if p1\n mov_imm r5, 0\n mov r1, r5\n endif\n halt"}, /* defined inside */
        {6, "if p1\n mov r1, r5\n else\n mov_imm r5, 1\n endif\n halt"},
        {0, "if p1\n halt\n else\n mov_imm r5, 1\n endif\n mov r1, r5\n halt"}, /* else only */
        {0, "if p1\n halt\n else\n return\n endif\n mov r1, r5\n halt"},        /* unreachable */
        {0, "if p1\n if p2\n mov_imm r5, 0\n else\n mov_imm r5, 1\n endif\n else\n mov_imm r5, 2\n"
            " endif\n mov r1, r5\n halt"},
        {6, "if p1\n if p2\n mov_imm r5, 0\n endif\n else\n mov_imm r5, 2\n endif\n mov r1, r5\n"
            " halt"},
    };
    CHECK(programs);
}

Test(args, unreachable_reads_do_not_count) {
    static const program programs[] = {
        {0, "halt\n mov r1, r5"},
        {0, "return\n mov r1, r5"},
        {6, "@p1 halt\n mov r1, r5\n halt"},
        {0, "loop\n nop\n endloop\n mov r1, r5\n halt"}, /* no lane leaves the loop */
        {0, "if p1\n halt\n mov r1, r5\n endif\n halt"},
    };
    CHECK(programs);
}

Test(args, a_read_before_the_first_write_in_a_loop_counts) {
    static const program programs[] = {
        /* In the first iteration r5 is read before it is written. */
        {6, "loop\n mov r1, r5\n mov_imm r5, 0\n break p1\n endloop\n halt"},
        {0, "loop\n mov_imm r5, 0\n mov r1, r5\n break p1\n endloop\n halt"},
        /* The break leaves before the write. */
        {6, "loop\n break p1\n mov_imm r5, 0\n endloop\n mov r1, r5\n halt"},
        /* All breaks come after it. */
        {0, "loop\n mov_imm r5, 0\n break p1\n break p2\n endloop\n mov r1, r5\n halt"},
        /* One of two breaks comes before it. */
        {6, "loop\n break p2\n mov_imm r5, 0\n break p1\n endloop\n mov r1, r5\n halt"},
        /* A continue skips the write, but the next round starts before it again. */
        {0, "loop\n continue p1\n mov_imm r5, 0\n break p2\n endloop\n mov r1, r5\n halt"},
        /* r5 is read at the head by a lane that continued without writing it. */
        {6, "loop\n mov r1, r5\n continue p1\n mov_imm r5, 0\n break p2\n endloop\n halt"},
        /* The inner break does not leave the outer loop. */
        {0, "loop\n loop\n break p1\n endloop\n mov_imm r5, 0\n break p2\n endloop\n mov r1, r5\n"
            " halt"},
        /* The write in the inner loop is before its only break. */
        {0, "loop\n loop\n mov_imm r5, 0\n break p1\n endloop\n mov r1, r5\n break p2\n endloop\n"
            " halt"},
        /* A break inside an if of the loop. */
        {6, "loop\n if p1\n break p1\n else\n mov_imm r5, 0\n endif\n break p2\n endloop\n"
            " mov r1, r5\n halt"},
        {0, "loop\n halt\n endloop\n mov r1, r5\n halt"},
    };
    CHECK(programs);
}

Test(args, calls_carry_reads_and_writes_across_functions) {
    static const program programs[] = {
        /* The function reads r5 before it is written. */
        {6, "call f\n halt\n f: mov r1, r5\n return"},
        {0, "mov_imm r5, 0\n call f\n halt\n f: mov r1, r5\n return"},
        /* The function defines r5 for its caller. */
        {0, "call f\n mov r1, r5\n halt\n f: mov_imm r5, 0\n return"},
        {6, "call f\n mov r1, r5\n halt\n f: @p1 mov_imm r5, 0\n return"},
        /* A return before the write: some lanes return without it. */
        {6, "call f\n mov r1, r5\n halt\n f: if p1\n return\n endif\n mov_imm r5, 0\n return"},
        {6, "call f\n mov r1, r5\n halt\n f: @p1 return\n mov_imm r5, 0\n return"},
        /* Both returns come after a write. */
        {0, "call f\n mov r1, r5\n halt\n f: if p1\n mov_imm r5, 1\n return\n endif\n"
            " mov_imm r5, 0\n return"},
        /* A function that never returns ends the caller's path too. */
        {0, "call f\n mov r1, r5\n halt\n f: halt\n return"},
        /* The function is never called, so none of it is executed. */
        {0, "halt\n f: mov r1, r5\n return"},
        /* Two functions in one: g is the tail of f. */
        {8, "call g\n call f\n halt\n f: mov_imm r7, 1\n g: mov r1, r7\n return"},
        {0, "call f\n call g\n halt\n f: mov_imm r7, 1\n g: mov r1, r7\n return"},
        /* A chain in reverse order. */
        {0, "call f\n mov r1, r5\n halt\n h: mov_imm r5, 0\n return\n g: call h\n return\n"
            " f: call g\n return"},
        {6, "call f\n halt\n h: mov r1, r5\n return\n g: call h\n return\n f: call g\n return"},
        /* A call in a loop and in a branch. */
        {6, "loop\n call f\n break p1\n endloop\n halt\n f: if p1\n mov r1, r5\n endif\n return"},
        {6, "if p1\n call f\n endif\n mov r1, r5\n halt\n f: mov_imm r5, 0\n return"},
    };
    CHECK(programs);
}

Test(args, recursive_functions_are_analysed) {
    static const program programs[] = {
        /* Lanes return through the if without r5, or through the call, which ends the same way. */
        {6, "call f\n mov r1, r5\n halt\n f: if p1\n return\n endif\n call f\n mov_imm r5, 0\n"
            " return"},
        {0, "call f\n mov r1, r5\n halt\n f: mov_imm r5, 0\n if p1\n call f\n endif\n return"},
        /* Never returns: f calls itself forever. */
        {0, "call f\n mov r1, r5\n halt\n f: call f\n return"},
        /* r6 is read only one level down, after r5 was written by the first. */
        {7, "call f\n halt\n f: if p1\n mov r1, r6\n return\n endif\n mov_imm r5, 0\n call f\n"
            " return"},
        /* Each level writes the register the next one reads, except the first. */
        {6, "call f\n halt\n f: mov r1, r5\n mov_imm r5, 0\n if p1\n call f\n endif\n return"},
        /* Two functions that call each other; the one below is called from above. */
        {7, "call f\n halt\n g: mov r1, r6\n if p1\n call f\n endif\n return\n"
            " f: mov_imm r5, 0\n call g\n return"},
    };
    CHECK(programs);
}

/* Registers that do not exist read as 0 in lenient mode: they are not arguments. */
Test(args, registers_that_do_not_exist_are_no_arguments) {
    const uint32_t code[] = {0x07400200, /* ineg r64, r2 */
                             0x07014100, /* ineg r1, r65 */
                             W_HALT};
    wb_file f = wb_code(code, 3);
    wb_result r = wb_load(&f, WAVE_MODE_LENIENT);
    cr_assert_eq(r.status, WAVE_OK);
    cr_expect_eq(wave_module_kernel(r.module, 0)->argument_words, 3);
    wb_free(&r);
    free(f.bytes);
}

Test(args, all_256_registers_may_be_arguments) {
    const uint32_t code[] = {0x0700FF00, W_HALT}; /* ineg r0, r255 */
    const wb_kernel k = {.name = "k", .registers = 256, .code = code, .words = 2};
    wb_file f = wb_build(&k, 1, 0);
    wb_result r = wb_load(&f, WAVE_MODE_STRICT);
    cr_assert_eq(r.status, WAVE_OK);
    cr_expect_eq(wave_module_kernel(r.module, 0)->argument_words, 256);
    wb_free(&r);
    free(f.bytes);
}

/* Each function falls through into the next one, and all share one return. */
Test(args, hundreds_of_thousands_of_functions_are_analysed) {
    enum { FUNCTIONS = 200000 };
    uint32_t *code = malloc((size_t)(FUNCTIONS * 3 + 3) * sizeof *code);
    cr_assert_not_null(code);
    size_t at = 0;
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        code[at++] = W_CALL;
        code[at++] = (FUNCTIONS * 2 + 1 + i) * 4;
    }
    code[at++] = W_HALT;
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        code[at++] = 0x41010200; /* mov r1, r2 */
    code[at++] = W_RETURN;
    wb_file f = wb_code(code, at);
    wb_result r = wb_load(&f, WAVE_MODE_DEFAULT);
    cr_assert_eq(r.status, WAVE_OK);
    cr_expect_eq(wave_module_kernel(r.module, 0)->argument_words, 3);
    wb_free(&r);
    free(f.bytes);
    free(code);
}
