/* The validator: every rule about instructions and nesting with its code, in every mode, and all
 * 65,536 combinations of opcode and low byte against the verdict of an independent table. */
#include "isa_verdict.h"
#include "wbin_build.h"

#include "frontend/frontend.h"

#define EXPECT(what, strict, normal, lenient, ...)                                                 \
    do {                                                                                           \
        const uint32_t expect_words[] = {__VA_ARGS__};                                             \
        wb_file expect_file = wb_code(expect_words, WB_COUNT(expect_words));                       \
        wb_expect(&expect_file, WAVE_MODE_STRICT, strict, what ", strict");                        \
        wb_expect(&expect_file, WAVE_MODE_DEFAULT, normal, what ", default");                      \
        wb_expect(&expect_file, WAVE_MODE_LENIENT, lenient, what ", lenient");                     \
        free(expect_file.bytes);                                                                   \
    } while (0)
#define EXPECT_ALWAYS(what, codes, ...) EXPECT(what, codes, codes, codes, __VA_ARGS__)

/* ---- Instructions ---- */

Test(validate, undefined_opcodes_and_modifiers_are_refused) {
    EXPECT_ALWAYS("opcode 2F", "E_OPCODE", 0x2F000000, W_HALT);
    EXPECT_ALWAYS("opcode FF", "E_OPCODE", 0xFFFFFFFF, W_HALT);
    EXPECT_ALWAYS("modifier on iadd", "E_MODIFIER", 0x00010210, W_HALT);
    EXPECT_ALWAYS("modifier 12 on frsqrt", "E_MODIFIER", 0x1B0102C0, W_HALT);
    EXPECT_ALWAYS("icmp modifier 6", "E_MODIFIER", 0x28010260, W_HALT);
    EXPECT_ALWAYS("ucmp modifier 7", "E_MODIFIER", 0x29010270, W_HALT);
    EXPECT_ALWAYS("local u128 load", "E_MODIFIER", 0x30010240, W_HALT);
    EXPECT_ALWAYS("local u128 store", "E_MODIFIER", 0x31000140, W_HALT);
}

Test(validate, reserved_bits_are_reported) {
    EXPECT("bit 3", "E_RESERVED", "W_RESERVED", "W_RESERVED", 0x07010208, W_HALT);
    EXPECT("word 1 bit 2", "E_RESERVED", "W_RESERVED", "W_RESERVED", 0x00010200, 0x03000004,
           W_HALT);
    EXPECT("word 1 bit 7", "E_RESERVED", "W_RESERVED", "W_RESERVED", 0x3D010200, 0x03000080,
           W_HALT);
    EXPECT("scope of iadd", "E_RESERVED", "W_RESERVED", "W_RESERVED", 0x00010200, 0x03000001,
           W_HALT);
    EXPECT("rs3 of iadd", "E_RESERVED", "W_RESERVED", "W_RESERVED", 0x00010200, 0x03010000, W_HALT);
    EXPECT("rs4 of imad", "E_RESERVED", "W_RESERVED", "W_RESERVED", 0x04010200, 0x03040100, W_HALT);
    EXPECT("rd of a store", "E_RESERVED", "W_RESERVED", "W_RESERVED", 0x39010100, 0x02000000,
           W_HALT);
    EXPECT("rs1 of mov_imm", "E_RESERVED", "W_RESERVED", "W_RESERVED", 0x41010110, 1, W_HALT);
    EXPECT("rs1 of halt", "E_RESERVED", "W_RESERVED", "W_RESERVED", 0x3F000190);
}

Test(validate, wrong_predicates_and_specials_are_refused) {
    EXPECT_ALWAYS("icmp p4", "E_PRED_INDEX", 0x28040200, 0x03000000, W_HALT);
    EXPECT_ALWAYS("select p4", "E_PRED_INDEX", 0x2B010400, 0x03040000, W_HALT);
    EXPECT_ALWAYS("ballot p255", "E_PRED_INDEX", 0x3E01FF50, W_HALT);
    EXPECT_ALWAYS("if p4", "E_PRED_INDEX", 0x3F000400, W_ENDIF, W_HALT);
    EXPECT_ALWAYS("if !p4", "E_PRED_INDEX", 0x3F008400, W_ENDIF, W_HALT);
    EXPECT("special 20", "E_SPECIAL", "E_SPECIAL", "E_SPECIAL?", 0x41011420, W_HALT);
    EXPECT("special 255", "E_SPECIAL", "E_SPECIAL", "E_SPECIAL?", 0x4101FF20, W_HALT);
    EXPECT("special 19", "", "", "", 0x41011320, W_HALT);
}

/* The kernel has 64 registers. */
Test(validate, wrong_registers_are_refused) {
    EXPECT("rd", "E_REGISTER", "E_REGISTER", "E_REGISTER?", 0x07400000, W_HALT);
    EXPECT("rs1", "E_REGISTER", "E_REGISTER", "E_REGISTER?", 0x07004000, W_HALT);
    EXPECT("rs2", "E_REGISTER", "E_REGISTER", "E_REGISTER?", 0x00010200, 0x40000000, W_HALT);
    EXPECT("rs4 of bfi", "E_REGISTER", "E_REGISTER", "E_REGISTER?", 0x27010240, 0x03044000, W_HALT);
    EXPECT("r63", "", "", "", 0x073F3F00, W_HALT);
    EXPECT("pair at 62", "", "", "", 0x1F3E3E10, W_HALT);
    EXPECT("pair at 63", "E_REGISTER E_REGISTER", "E_REGISTER E_REGISTER",
           "E_REGISTER? E_REGISTER?", 0x1F3F3F10, W_HALT);
    EXPECT("quad at 60", "", "", "", 0x383C0140, W_HALT);
    EXPECT("quad at 61", "E_REGISTER", "E_REGISTER", "E_REGISTER?", 0x383D0140, W_HALT);
    EXPECT("atomic without result", "", "", "", 0x3C000200, 0x03000000, W_HALT);
    EXPECT("fragment 255 is no register", "", "", "", 0x40FFFF30, 0xFF000000, W_HALT);
    EXPECT("after a halt", "E_REGISTER", "E_REGISTER", "E_REGISTER?", W_HALT, 0x07400000);
    EXPECT("in a loop nobody leaves", "E_REGISTER", "E_REGISTER", "E_REGISTER?", W_LOOP, W_ENDLOOP,
           0x07400000, W_HALT);
}

Test(validate, the_last_of_256_registers_is_valid) {
    static const struct {
        uint32_t word;
        const char *codes;
    } rows[] = {{0x07FFFF00, ""}, {0x1FFEFE10, ""},           {0x1FFF0010, "E_REGISTER"},
                {0x38FC0140, ""}, {0x38FD0140, "E_REGISTER"}, {0x38FF0140, "E_REGISTER"}};
    for (size_t i = 0; i < WB_COUNT(rows); i++) {
        const uint32_t code[] = {rows[i].word, W_HALT};
        const wb_kernel k = {.name = "k", .registers = 256, .code = code, .words = 2};
        wb_file f = wb_build(&k, 1, 0);
        wb_expect(&f, WAVE_MODE_DEFAULT, rows[i].codes, "256 registers");
        free(f.bytes);
    }
}

Test(validate, default_register_count_is_32) {
    const uint32_t good[] = {0x071F1F00, W_HALT}, bad[] = {0x07200000, W_HALT};
    const wb_kernel kernels[] = {{.name = "good", .code = good, .words = 2},
                                 {.name = "bad", .code = bad, .words = 2}};
    wb_file f = wb_build(kernels, 2, 0);
    wb_result r = wb_load(&f, WAVE_MODE_DEFAULT);
    cr_assert_eq(wave_diags_count(r.diags), 1);
    const wave_diag *d = wave_diags_at(r.diags, 0);
    cr_expect_str_eq(d->code, "E_REGISTER");
    cr_expect_str_eq(d->kernel, "bad");
    cr_expect_eq(d->offset, 0);
    cr_expect_str_eq(d->text, "ineg r32, r0");
    wb_free(&r);
    free(f.bytes);
}

Test(validate, guards_on_control_flow_are_refused) {
    EXPECT_ALWAYS("if", "E_GUARD", W_IF_P1 | 1, W_ENDIF, W_HALT);
    EXPECT_ALWAYS("else", "E_GUARD", W_IF_P1, W_ELSE | 2, W_ENDIF, W_HALT);
    EXPECT_ALWAYS("endif", "E_GUARD", W_IF_P1, W_ENDIF | 3, W_HALT);
    EXPECT_ALWAYS("loop", "E_GUARD", W_LOOP | 4, W_BREAK_P2, W_ENDLOOP, W_HALT);
    EXPECT_ALWAYS("endloop", "E_GUARD", W_LOOP, W_BREAK_P2, W_ENDLOOP | 5, W_HALT);
    EXPECT_ALWAYS("call", "E_GUARD", W_CALL | 1, 12, W_HALT, W_RETURN);
    EXPECT_ALWAYS("barrier", "E_GUARD", W_BARRIER | 1, W_HALT);
    EXPECT_ALWAYS("break, continue, halt and return", "", W_LOOP, W_BREAK_P2 | 1, W_CONTINUE_P3 | 6,
                  W_ENDLOOP, W_HALT | 1, W_RETURN | 4, W_HALT);
}

Test(validate, truncated_instructions_are_refused) {
    EXPECT_ALWAYS("iadd", "E_TRUNCATED", W_HALT, 0x00010200);
    EXPECT_ALWAYS("only a call", "E_TRUNCATED", W_CALL);
}

Test(validate, kernels_after_a_truncated_one_are_checked) {
    const uint32_t cut[] = {W_HALT, 0x00010200}, unknown[] = {0x2F000000, W_HALT},
                   umin[] = {0x0C010200, 0x03000000, W_HALT}, good[] = {W_HALT};
    const wb_kernel kernels[] = {{.name = "first", .code = cut, .words = 2},
                                 {.name = "unknown", .code = unknown, .words = 2},
                                 {.name = "second", .code = cut, .words = 2},
                                 {.name = "umin", .code = umin, .words = 3},
                                 {.name = "good", .code = good, .words = 1}};
    static const char *const at[] = {"first", "unknown", "second", "umin"};
    wb_file f = wb_build(kernels, WB_COUNT(kernels), 0);
    for (int mode = WAVE_MODE_DEFAULT; mode <= WAVE_MODE_LENIENT; mode++)
        wb_expect(&f, (wave_mode)mode, "E_TRUNCATED E_OPCODE E_TRUNCATED E_EXTENSION",
                  (const char *const[]){"default", "strict", "lenient"}[mode]);
    wb_result r = wb_load(&f, WAVE_MODE_DEFAULT);
    cr_assert_eq(wave_diags_count(r.diags), WB_COUNT(at));
    for (size_t k = 0; k < WB_COUNT(at); k++)
        cr_expect_str_eq(wave_diags_at(r.diags, k)->kernel, at[k]);
    wb_free(&r);
    free(f.bytes);
}

Test(validate, extensions_need_the_flag) {
    static const uint32_t codes[][3] = {
        {0x0C010200, 0x03000000, W_HALT}, {0x0F010200, 0x03000000, W_HALT},
        {0x3C010290, 0x03000000, W_HALT}, {0x3D0102A0, 0x03000002, W_HALT},
        {0x3E0102C0, W_NOP, W_HALT},      {0x3F008100, W_ENDIF, W_HALT},
        {0x41000130, 7, W_HALT}};
    for (size_t i = 0; i < WB_COUNT(codes); i++) {
        const wb_kernel k = {.name = "k", .registers = 32, .code = codes[i], .words = 3};
        wb_file plain = wb_build(&k, 1, 0), extended = wb_build(&k, 1, 1);
        wb_expect(&plain, WAVE_MODE_DEFAULT, "E_EXTENSION", "default");
        wb_expect(&plain, WAVE_MODE_LENIENT, "E_EXTENSION", "lenient");
        wb_expect(&extended, WAVE_MODE_STRICT, "", "EXT");
        free(plain.bytes);
        free(extended.bytes);
    }
    EXPECT_ALWAYS("ucmp_eq needs none", "", 0x29010200, 0x03000000, W_HALT);
    EXPECT_ALWAYS("fcmp_ge needs none", "", 0x2A010250, 0x03000000, W_HALT);
}

Test(validate, upstreams_cas_is_reported_and_can_be_fixed) {
    const uint32_t code[] = {0x3D010200, 0x03040002, 0x3C010200, 0x03040000, W_HALT};
    wb_file f = wb_code(code, 5);
    wb_expect(&f, WAVE_MODE_DEFAULT, "W_UPSTREAM_CAS W_UPSTREAM_CAS", "default");
    wb_expect(&f, WAVE_MODE_LENIENT, "W_UPSTREAM_CAS W_UPSTREAM_CAS", "lenient");
    wb_expect(&f, WAVE_MODE_STRICT, "E_RESERVED E_RESERVED", "strict");
    wb_result r = wb_load(&f, WAVE_MODE_DEFAULT);
    cr_assert_eq(r.status, WAVE_OK);
    cr_expect_eq(r.module->kernels[0].insns[0].op, ISA_ATOMIC_ADD);
    wb_free(&r);
    const wave_load_options fix = {.mode = WAVE_MODE_STRICT, .fix_upstream_cas = true};
    r = wb_load_with(f.bytes, f.size, fix);
    cr_assert_eq(r.status, WAVE_OK);
    cr_expect_eq(wave_diags_count(r.diags), 0);
    cr_expect_eq(r.module->kernels[0].insns[0].op, ISA_ATOMIC_CAS);
    cr_expect_eq(r.module->kernels[0].insns[0].field[ISA_FIELD_RS3], 4);
    cr_expect_eq(r.module->kernels[0].insns[0].scope, ISA_SCOPE_DEVICE);
    cr_expect_eq(r.module->kernels[0].insns[1].op, ISA_LOCAL_ATOMIC_CAS);
    wb_free(&r);
    free(f.bytes);
}

/* Data among the code is one problem, not one per word; what follows is decoded again. */
Test(validate, unknown_words_are_reported_once) {
    EXPECT_ALWAYS("a run of data", "E_OPCODE E_MODIFIER", 0xFFFFFFFF, 0xFFFFFFFF, 0xEEEEEEEE, W_NOP,
                  0x00010210, W_HALT);
    EXPECT_ALWAYS("nothing else", "E_OPCODE", 0xFFFFFFFF);
    /* The endif may belong to an if among the skipped words. */
    EXPECT_ALWAYS("no guesses after it", "E_OPCODE", 0xFFFFFFFF, W_ENDIF, W_ENDLOOP, W_HALT);
}

Test(validate, reports_say_where) {
    const uint32_t code[] = {W_NOP, 0x00010209, 0x03000000, 0x28040200, 0x03000000, W_HALT};
    wb_file f = wb_code(code, 6);
    wb_result r = wb_load(&f, WAVE_MODE_DEFAULT);
    cr_assert_eq(wave_diags_count(r.diags), 2);
    const wave_diag *d = wave_diags_at(r.diags, 0), *e = wave_diags_at(r.diags, 1);
    cr_expect_str_eq(d->kernel, "k");
    cr_expect_eq(d->offset, 4);
    cr_expect_str_eq(d->text, "@p1 iadd r1, r2, r3");
    cr_expect_eq(e->offset, 12);
    cr_expect_str_eq(e->text, "icmp_eq p4, r2, r3");
    wb_free(&r);
    free(f.bytes);
}

/* ---- Nesting ---- */

Test(validate, wrong_nesting_is_refused) {
    EXPECT_ALWAYS("else alone", "E_ELSE", W_ELSE, W_HALT);
    EXPECT_ALWAYS("endif alone", "E_ENDIF", W_ENDIF, W_HALT);
    EXPECT_ALWAYS("endloop alone", "E_ENDLOOP", W_ENDLOOP, W_HALT);
    EXPECT_ALWAYS("second else", "E_ELSE", W_IF_P1, W_ELSE, W_ELSE, W_ENDIF, W_HALT);
    EXPECT_ALWAYS("else of a loop", "E_ELSE", W_LOOP, W_ELSE, W_BREAK_P2, W_ENDLOOP, W_HALT);
    EXPECT_ALWAYS("if loop endif endloop", "E_ENDIF", W_IF_P1, W_LOOP, W_ENDIF, W_ENDLOOP, W_HALT);
    EXPECT_ALWAYS("loop if endloop endif", "E_ENDLOOP", W_LOOP, W_IF_P1, W_ENDLOOP, W_ENDIF,
                  W_HALT);
    EXPECT_ALWAYS("if open at the end", "E_UNCLOSED", W_IF_P1, W_HALT);
    EXPECT_ALWAYS("loop and else open", "E_UNCLOSED E_UNCLOSED", W_LOOP, W_IF_P1, W_ELSE, W_HALT);
    EXPECT_ALWAYS("break outside", "E_LOOP_EXIT", W_BREAK_P2, W_HALT);
    EXPECT_ALWAYS("continue in an if", "E_LOOP_EXIT", W_IF_P1, W_CONTINUE_P3, W_ENDIF, W_HALT);
    EXPECT_ALWAYS("break after the loop", "E_LOOP_EXIT", W_LOOP, W_BREAK_P2, W_ENDLOOP, W_BREAK_P2,
                  W_HALT);
    EXPECT_ALWAYS("all at once", "E_ENDIF E_LOOP_EXIT E_ELSE E_UNCLOSED", W_ENDIF, W_BREAK_P2,
                  W_ELSE, W_LOOP, W_HALT);
    EXPECT_ALWAYS("code after halt", "", W_HALT, W_NOP);
}

Test(validate, a_missing_terminator_is_reported) {
    EXPECT_ALWAYS("none", "W_NO_TERMINATOR", W_NOP);
    EXPECT_ALWAYS("guarded halt", "W_NO_TERMINATOR", W_HALT | 1);
    EXPECT_ALWAYS("halt in an if", "W_NO_TERMINATOR", W_IF_P1, W_HALT, W_ENDIF);
    EXPECT_ALWAYS("return", "", W_RETURN);
}

Test(validate, wrong_calls_are_refused) {
    EXPECT_ALWAYS("forward", "", W_CALL, 12, W_HALT, W_RETURN);
    EXPECT_ALWAYS("backward", "", W_HALT, W_RETURN, W_CALL, 4, W_HALT);
    EXPECT_ALWAYS("to itself", "", W_CALL, 0, W_RETURN);
    EXPECT_ALWAYS("target is an if at depth 0", "", W_CALL, 12, W_HALT, W_IF_P1, W_ENDIF, W_RETURN);
    EXPECT_ALWAYS("odd offset", "E_CALL_TARGET", W_CALL, 13, W_HALT, W_RETURN);
    EXPECT_ALWAYS("after the code", "E_CALL_TARGET", W_CALL, 16, W_HALT, W_RETURN);
    EXPECT_ALWAYS("far after the code", "E_CALL_TARGET", W_CALL, 0xFFFFFFFC, W_HALT, W_RETURN);
    EXPECT_ALWAYS("into a second word", "E_CALL_TARGET", W_CALL, 4, W_HALT, W_RETURN);
    EXPECT_ALWAYS("into an if", "E_CALL_TARGET", W_CALL, 16, W_HALT, W_IF_P1, W_NOP, W_ENDIF,
                  W_RETURN);
    EXPECT_ALWAYS("at an endif", "E_CALL_TARGET", W_CALL, 16, W_HALT, W_IF_P1, W_ENDIF, W_RETURN);
    EXPECT_ALWAYS("at an else", "E_CALL_TARGET", W_CALL, 16, W_HALT, W_IF_P1, W_ELSE, W_NOP,
                  W_ENDIF, W_RETURN);
    EXPECT_ALWAYS("into an else branch", "E_CALL_TARGET", W_CALL, 20, W_HALT, W_IF_P1, W_ELSE,
                  W_NOP, W_ENDIF, W_RETURN);
    EXPECT_ALWAYS("after an endif", "", W_CALL, 20, W_HALT, W_IF_P1, W_ENDIF, W_RETURN);
    EXPECT_ALWAYS("no return", "E_FUNCTION_END", W_CALL, 12, W_HALT, W_NOP, W_HALT);
    EXPECT_ALWAYS("guarded return", "E_FUNCTION_END", W_CALL, 12, W_HALT, W_RETURN | 1, W_NOP);
    EXPECT_ALWAYS("return in an if", "E_FUNCTION_END", W_CALL, 12, W_HALT, W_IF_P1, W_RETURN,
                  W_ENDIF);
    EXPECT_ALWAYS("return before the target", "E_FUNCTION_END", W_CALL, 16, W_HALT, W_RETURN, W_NOP,
                  W_HALT);
}

/* n ifs, n endifs, halt. */
static wb_file nested(size_t n, bool closed) {
    size_t words = n * (closed ? 2 : 1) + 1;
    uint32_t *code = malloc(words * sizeof *code);
    cr_assert_not_null(code);
    for (size_t i = 0; i < n; i++)
        code[i] = W_IF_P1;
    for (size_t i = n; i < words; i++)
        code[i] = W_ENDIF;
    code[words - 1] = W_HALT;
    wb_file f = wb_code(code, words);
    free(code);
    return f;
}

Test(validate, nesting_is_limited_to_256_levels) {
    static const struct {
        size_t depth;
        const char *codes;
    } rows[] = {{32, ""},
                {33, "W_DEPTH"},
                {256, "W_DEPTH"},
                {257, "W_DEPTH E_DEPTH"},
                {100000, "W_DEPTH E_DEPTH"}};
    for (size_t i = 0; i < WB_COUNT(rows); i++) {
        wb_file f = nested(rows[i].depth, true);
        wb_expect(&f, WAVE_MODE_DEFAULT, rows[i].codes, "nested ifs");
        if (rows[i].depth <= 256) {
            wb_result r = wb_load(&f, WAVE_MODE_DEFAULT);
            cr_assert_eq(r.status, WAVE_OK);
            cr_expect_eq(wave_module_kernel(r.module, 0)->max_depth, rows[i].depth);
            wb_free(&r);
        }
        free(f.bytes);
    }
    wb_file f = nested(100000, false);
    wb_expect(&f, WAVE_MODE_DEFAULT, "W_DEPTH E_DEPTH", "never closed");
    free(f.bytes);
}

Test(validate, control_flow_finds_its_partner) {
    const uint32_t code[] = {W_IF_P1,    W_NOP,     W_ELSE,        W_LOOP,    W_IF_P1,
                             W_BREAK_P2, W_ENDIF,   W_CONTINUE_P3, W_LOOP,    W_NOP,
                             W_BREAK_P2, W_ENDLOOP, W_BREAK_P2,    W_ENDLOOP, W_ENDIF,
                             W_CALL,     72,        W_HALT,        W_RETURN};
    wb_file f = wb_code(code, WB_COUNT(code));
    wb_result r = wb_load(&f, WAVE_MODE_STRICT);
    cr_assert_eq(r.status, WAVE_OK);
    const fe_insn *insns = r.module->kernels[0].insns;
    static const uint32_t pairs[][2] = {{0, 2},  {2, 14}, {14, 0}, {3, 13}, {4, 6},
                                        {5, 3},  {6, 4},  {7, 3},  {8, 11}, {10, 8},
                                        {11, 8}, {12, 3}, {13, 3}, {15, 17}};
    for (size_t i = 0; i < WB_COUNT(pairs); i++)
        cr_expect_eq(insns[pairs[i][0]].partner, pairs[i][1], "instruction %u: partner %u",
                     pairs[i][0], insns[pairs[i][0]].partner);
    cr_expect_eq(wave_module_kernel(r.module, 0)->max_depth, 3);
    cr_expect_eq(insns[17].pc, 72);
    wb_free(&r);
    free(f.bytes);
}

Test(validate, used_features_are_recorded) {
    static const struct {
        uint32_t word0, word1;
        unsigned words;
        uint32_t uses;
    } rows[] = {
        {0x00010200, 0x03000000, 2, 0},
        {0x1C010200, 0x03000000, 2, WAVE_USES_F16},
        {0x2C010240, 0, 1, WAVE_USES_F16},
        {0x2E010200, 0x03000000, 2, WAVE_USES_BF16},
        {0x2C010290, 0, 1, WAVE_USES_BF16},
        {0x1E020400, 0x06000000, 2, WAVE_USES_F64},
        {0x2C010260, 0, 1, WAVE_USES_F64},
        {0x30010200, 0, 1, WAVE_USES_LOCAL},
        {0x32010200, 0, 1, WAVE_USES_PRIVATE},
        {0x33000200, 0x03000000, 2, WAVE_USES_PRIVATE},
        {0x34010200, 0, 1, WAVE_USES_CONSTANT},
        {0x44010200, 0x04000000, 2, WAVE_USES_F64},
        {0x460102C0, 0, 1, WAVE_USES_F64 | WAVE_USES_F16},
        {0x3C010200, 0x03000000, 2, WAVE_USES_LOCAL | WAVE_USES_ATOMIC},
        {0x3D010200, 0x03000002, 2, WAVE_USES_ATOMIC},
        {0x48020100, 0x04000000, 2, WAVE_USES_LOCAL | WAVE_USES_ATOMIC | WAVE_USES_ATOMIC_64},
        {0x490201C0, 0x00000002, 2, WAVE_USES_ATOMIC | WAVE_USES_ATOMIC_64},
        {0x3E0201F0, 0, 1, WAVE_USES_WAVE_OPS},
        {0x38020170, 0, 1, 0},
        {0x3E010290, 0, 1, WAVE_USES_WAVE_OPS},
        {W_BARRIER, 0, 1, WAVE_USES_BARRIER},
        {0x40010200, 0x03000000, 2, WAVE_USES_MMA | WAVE_USES_LOCAL},
        {0x40010230, 0x03000000, 2, WAVE_USES_MMA},
        {W_CALL, 12, 2, WAVE_USES_CALL},
        {0x41000130, 7, 2, WAVE_USES_ASSERT},
        {0x38030120, 0, 1, 0}};
    for (size_t i = 0; i < WB_COUNT(rows); i++) {
        uint32_t code[4] = {rows[i].word0, rows[i].words == 2 ? rows[i].word1 : W_NOP, W_HALT,
                            W_RETURN};
        const wb_kernel k = {.name = "k", .registers = 32, .code = code, .words = 4};
        wb_file f = wb_build(&k, 1, 1);
        wb_result r = wb_load(&f, WAVE_MODE_STRICT);
        cr_assert_eq(r.status, WAVE_OK, "%08X", rows[i].word0);
        cr_expect_eq(wave_module_kernel(r.module, 0)->uses, rows[i].uses, "%08X: 0x%X",
                     rows[i].word0, wave_module_kernel(r.module, 0)->uses);
        wb_free(&r);
        free(f.bytes);
    }
}

/* ---- Every opcode with every low byte ---- */

static unsigned code_bit(const char *code) {
    static const struct {
        const char *code;
        unsigned bit;
    } names[] = {{"E_OPCODE", V_OPCODE},         {"E_MODIFIER", V_MODIFIER},
                 {"E_RESERVED", V_RESERVED},     {"W_RESERVED", V_RESERVED},
                 {"E_PRED_INDEX", V_PRED_INDEX}, {"E_EXTENSION", V_EXTENSION},
                 {"E_SPECIAL", V_SPECIAL},       {"E_REGISTER", V_REGISTER},
                 {"E_GUARD", V_GUARD},           {"W_UPSTREAM_CAS", V_CAS}};
    for (size_t i = 0; i < WB_COUNT(names); i++)
        if (strcmp(code, names[i].code) == 0)
            return names[i].bit;
    return 0; /* nesting and terminators: not properties of the single instruction */
}

static void compare(wb_file *f, uint32_t word0, uint32_t word1, unsigned registers, bool extended) {
    wb_put32(f->bytes + 32, word0);
    wb_put32(f->bytes + 36, word1);
    wave_diags *diags = wave_diags_create(0);
    wave_module *module;
    wave_module_load(f->bytes, f->size, NULL, &module, diags);
    unsigned got = 0;
    for (size_t i = 0; i < wave_diags_count(diags); i++)
        if (wave_diags_at(diags, i)->offset == 0)
            got |= code_bit(wave_diags_at(diags, i)->code);
    unsigned want = verdict_of(word0, word1, registers, extended);
    cr_expect_eq(got, want, "%08X %08X: expected 0x%X, got 0x%X", word0, word1, want, got);
    wave_module_destroy(module);
    wave_diags_destroy(diags);
}

static void sweep(bool extended, const uint8_t (*edges)[2], size_t count, uint32_t word1) {
    enum { REGISTERS = 40 };
    /* Where there is no second word, the words after the first are separate instructions. */
    const uint32_t code[] = {0, 0, W_HALT, W_HALT};
    const wb_kernel k = {.name = "k", .registers = REGISTERS, .code = code, .words = 4};
    wb_file f = wb_build(&k, 1, extended);
    for (unsigned opcode = 0; opcode < 256; opcode++)
        for (unsigned low = 0; low < 256; low++)
            for (size_t e = 0; e < count; e++) {
                uint32_t word0 = (uint32_t)opcode << 24 | (uint32_t)edges[e][0] << 16 |
                                 (uint32_t)edges[e][1] << 8 | low;
                const verdict_row *row = verdict_find(opcode, low >> 4);
                compare(&f, word0, row && row->words == 2 ? word1 : W_HALT, REGISTERS, extended);
            }
    free(f.bytes);
}

Test(validate, every_opcode_and_low_byte_has_the_expected_verdict) {
    static const uint8_t edges[][2] = {{0, 0}, {39, 19}, {40, 20}, {3, 0x83}, {4, 4}};
    sweep(false, edges, WB_COUNT(edges), 0);
}

Test(validate, every_opcode_and_low_byte_with_extensions_has_the_expected_verdict) {
    static const uint8_t edges[][2] = {{1, 0x80}, {38, 37}, {255, 255}};
    sweep(true, edges, WB_COUNT(edges), 0x01020003);
}

/* The other fields: every value of every byte of word 1, one encoding after the other. */
Test(validate, every_second_word_has_the_expected_verdict) {
    const uint32_t code[] = {0, 0, W_HALT, W_HALT};
    const wb_kernel k = {.name = "k", .registers = 40, .code = code, .words = 4};
    wb_file f = wb_build(&k, 1, 1);
    for (size_t i = 0; i < VERDICT_ROWS; i++) {
        const verdict_row *row = &verdict_rows[i];
        if (row->words == 1)
            continue;
        uint32_t word0 = (uint32_t)row->opcode << 24 | (uint32_t)row->modifier << 4;
        for (unsigned byte = 0; byte < 4; byte++)
            for (uint32_t value = 0; value < 256; value++)
                compare(&f, word0, value << (8 * byte), 40, true);
    }
    free(f.bytes);
}

/* ---- Size ---- */

/* 200 MB of one instruction load in linear time and 16 bytes per instruction besides the file. */
Test(validate, two_hundred_megabytes_load_in_linear_time) {
#if defined(__SANITIZE_ADDRESS__)
    cr_skip_test("too slow under the sanitizers");
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    cr_skip_test("too slow under the sanitizers");
#endif
#endif
    enum { WORDS = 50000000 };
    uint32_t *code = malloc(WORDS * sizeof *code);
    cr_assert_not_null(code);
    for (size_t i = 0; i < WORDS - 1; i++)
        code[i] = 0x41010200; /* mov r1, r2 */
    code[WORDS - 1] = W_HALT;
    wb_file f = wb_code(code, WORDS);
    free(code);
    wb_result r = wb_load(&f, WAVE_MODE_STRICT);
    cr_assert_eq(r.status, WAVE_OK);
    cr_expect_eq(wave_module_kernel(r.module, 0)->instructions, WORDS);
    cr_expect_eq(wave_module_kernel(r.module, 0)->argument_words, 3);
    wb_free(&r);
    free(f.bytes);
}

/* The list of problems is bounded, the count is not. */
Test(validate, a_million_problems_are_counted_and_a_hundred_kept) {
    enum { WORDS = 1000000 };
    uint32_t *code = malloc(WORDS * sizeof *code);
    cr_assert_not_null(code);
    for (size_t i = 0; i < WORDS; i++)
        code[i] = W_ENDIF;
    wb_file f = wb_code(code, WORDS);
    wb_result r = wb_load(&f, WAVE_MODE_DEFAULT);
    cr_expect_eq(wave_diags_count(r.diags), 100);
    cr_expect_eq(wave_diags_total(r.diags, WAVE_ERROR), WORDS);
    wb_free(&r);
    free(f.bytes);
    free(code);
}
