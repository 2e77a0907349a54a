/* Every diagnostic of the assembler with its exact position, suggestions, recovery, and hostile
 * sources. Sources that assemble are in test_asm.c. */
#include "asm_helpers.h"
#include "support/random.h"

typedef struct diag_case {
    const char *line; /* line 3 of the source, inside a kernel */
    const char *expected;
    const char *hint; /* part of the hint; NULL: any */
} diag_case;

/* The case's line is the third. The expected diagnostic must be the only one. */
static void expect_case(const diag_case *c, wave_asm_options options) {
    char source[512], found[64];
    snprintf(source, sizeof source, ".kernel k\nnop\n%s\nhalt\n.end\n", c->line);
    assembled a = assemble_bytes(source, strlen(source), options);
    bool error = c->expected[0] == 'E' || options.warnings == WAVE_WARN_ERROR;
    cr_expect_eq(a.status, error ? WAVE_ERROR_INPUT : WAVE_OK, "%s", c->line);
    cr_expect_eq(wave_diags_count(a.diags), 1, "%s: %zu diagnostics", c->line,
                 wave_diags_count(a.diags));
    first_diag(&a, found, sizeof found);
    cr_expect_str_eq(found, c->expected, "%s: %s", c->line, found);
    const wave_diag *d = wave_diags_at(a.diags, 0);
    if (c->hint && d)
        cr_expect(d->hint && strstr(d->hint, c->hint), "%s: hint %s", c->line,
                  d->hint ? d->hint : "(none)");
    cr_expect_eq(a.file.data != NULL, !error, "%s: an error must not produce a file", c->line);
    discard(&a);
}

static void expect_cases(const diag_case *cases, size_t count, wave_asm_options options) {
    for (size_t i = 0; i < count; i++)
        expect_case(&cases[i], options);
}

#define CASES(cases, options) expect_cases(cases, sizeof cases / sizeof *cases, options)

Test(asm_diag, wrong_tile_instructions_are_located) {
    static const diag_case cases[] = {
        {"tile_load_a r1, r2, r3, local, row", "E_MNEMONIC 3:1", "_f16"},
        {"tile_fill_c t1, r2", "E_MNEMONIC 3:1", "_i32"},
        {"mma t0, t1, t2, t3", "E_MNEMONIC 3:1", "mma_u8_i32"},
        {"tile_load_a_i32 t0, r2, r3, local, row", "E_MNEMONIC 3:1", NULL},
        {"mma_i32_i32 t0, t1, t2, t3", "E_MNEMONIC 3:1", NULL},
        {"tile_load_a_f16 r1, r2, r3, local, row", "E_OPERAND 3:17", "t0 to t15"},
        {"tile_load_a_f16 t16, r2, r3, local, row", "E_REGISTER 3:17", "t0 to t15"},
        {"tile_load_a_f16 t99999999999999999999, r2, r3, local, row", "E_REGISTER 3:17", NULL},
        {"tile_load_a_f16 t01, r2, r3, local, row", "E_OPERAND 3:17", NULL},
        {"tile_load_a_f16 t, r2, r3, local, row", "E_OPERAND 3:17", NULL},
        {"tile_load_a_f16 t1x, r2, r3, local, row", "E_OPERAND 3:17", NULL},
        {"tile_load_a_f16 t0, t2, r3, local, row", "E_SYMBOL 3:21", NULL},
        {"tile_load_a_f16 t0, r2, r3, private, row", "E_OPERAND 3:29", NULL},
        {"tile_load_a_f16 t0, r2, r3, .device, row", "E_OPERAND 3:29", NULL},
        {"tile_load_a_f16 t0, r2, r3, row, local", "E_OPERAND 3:29", NULL},
        {"tile_load_a_f16 t0, r2, r3, local, diagonal", "E_OPERAND 3:36", NULL},
        {"tile_load_a_f16 t0, r2, r3, local", "E_OPERAND_COUNT 3:1", NULL},
        {"tile_fill_c_f32 t0, r1, r2", "E_OPERAND_COUNT 3:1", NULL},
        {"mma_f16_f32 t0, t1, t2", "E_OPERAND_COUNT 3:1", NULL},
        {"@p1 mma_f16_f32 t0, t1, t2, t3", "E_GUARD 3:1", "every lane of the wave"},
        {"iadd r1, t0, r2", "E_SYMBOL 3:10", NULL},
    };
    CASES(cases, (wave_asm_options){0});
    static const diag_case upstream[] = {
        {"mma_f16_f32 t0, t1, t2, t3", "E_COMPAT 3:1", NULL},
        {"mov_sr r1, sr_tile_m", "E_SPECIAL 3:12", NULL},
    };
    CASES(upstream, (wave_asm_options){.compat_upstream = true});
}

Test(asm_diag, wrong_characters_and_numbers_are_located) {
    static const diag_case cases[] = {
        {"nop $", "E_CHARACTER 3:5", NULL},
        {"nop \x01", "E_CHARACTER 3:5", "text"},
        {"\xC3\xA9: nop", "E_CHARACTER 3:1", "ASCII"},
        {"mov_imm r1, .5", "E_CHARACTER 3:13", "digit before"},
        {"mov_imm r1, 1.5.2", "E_CHARACTER 3:16", NULL},
        {"mov_imm r1, 0X10", "E_NUMBER 3:13", "0x"},
        {"mov_imm r1, 0x", "E_NUMBER 3:13", NULL},
        {"mov_imm r1, 0x__", "E_NUMBER 3:13", NULL},
        {"mov_imm r1, 1e", "E_NUMBER 3:13", NULL},
        {"mov_imm r1, 1e+", "E_NUMBER 3:13", NULL},
        {"mov_imm r1, 9223372036854775808", "E_NUMBER 3:13", NULL},
        {"mov_imm r1, 0x10000000000000000", "E_NUMBER 3:13", NULL},
        {"mov_imm r1, -9223372036854775809", "E_NUMBER 3:13", NULL},
        {"@ p1 nop", "E_SYNTAX 3:1", "@p1"},
        {"@!q1 nop", "E_SYMBOL 3:3", "p0 to p3"},
        {"if ! p1", "E_EXPRESSION 3:6", NULL},
        {"mov r1.xy, r2", "E_OPERAND 3:5", ".lo"},
        {"mov r1, srx", "E_SYMBOL 3:9", "names come"},
        {".end .kernel \"abc", "E_SYNTAX 3:14", NULL},
    };
    CASES(cases, (wave_asm_options){0});
}

Test(asm_diag, wrong_statements_are_located) {
    static const diag_case cases[] = {
        {"iad r1, r2, r3", "E_MNEMONIC 3:1", "'iadd'"},
        {"  devcie_load_u32 r1, r2", "E_MNEMONIC 3:3", "'device_load_u32'"},
        {"Nop", "E_MNEMONIC 3:1", "'nop'"},
        {"IMULL r1, r2, r3", "E_MNEMONIC 3:1", "'imul'"},
        {"5", "E_SYNTAX 3:1", NULL},
        {", nop", "E_SYNTAX 3:1", NULL},
        {"r1: nop", "E_SYNTAX 3:1", "label"},
        {"mov_imm r1, 5 6", "E_SYNTAX 3:15", NULL},
        {"@p1", "E_SYNTAX 3:4", NULL},
        {"@p1 f: nop", "E_SYNTAX 3:5", NULL},
        {"iadd r1, r2,", "E_SYNTAX 3:13", NULL},
        {"iadd r1,, r2", "E_SYNTAX 3:9", NULL},
        {"nop nop", "E_OPERAND_COUNT 3:1", "own"},
        {"iadd r1, r2", "E_OPERAND_COUNT 3:1", NULL},
        {"iadd r1, r2, r3, r4", "E_OPERAND_COUNT 3:1", NULL},
        {"iadd r1, r2, r3, r4, r5, r6, r7, r8", "E_OPERAND_COUNT 3:1", NULL},
        {"iadd r1 r2, r3", "E_OPERAND_COUNT 3:1", "comma"},
        {"  if", "E_OPERAND_COUNT 3:3", NULL},
        {"atomic_add r1, r2, r3", "E_OPERAND_COUNT 3:1", ".device"},
        {"atomic_add.device r1, r2, r3, .device", "E_OPERAND_COUNT 3:1", NULL},
        {"fence_acquire", "E_OPERAND_COUNT 3:1", ".device"},
        {"local_atomic_add r1", "E_OPERAND_COUNT 3:1", NULL},
        {"atomic_load r1, .device", "E_OPERAND_COUNT 3:1", NULL},
        {"atomic_load.device r1", "E_OPERAND_COUNT 3:1", NULL},
        {"atomic_load r1, r2", "E_OPERAND_COUNT 3:1", ".device"},
        {"local_atomic_load r1", "E_OPERAND_COUNT 3:1", NULL},
        {"atomic_store r1, r2, r3, .device", "E_OPERAND_COUNT 3:1", NULL},
        {"local_atomic_store r1, r2, r3", "E_OPERAND_COUNT 3:1", NULL},
        {"fence_sc", "E_OPERAND_COUNT 3:1", ".device"},
    };
    CASES(cases, (wave_asm_options){0});
}

Test(asm_diag, wrong_operands_are_located) {
    static const diag_case cases[] = {
        {"iadd r1, p1, r3", "E_OPERAND 3:10", NULL},
        {"iadd r1, R2, r3", "E_SYMBOL 3:10", "'r2'"},
        {"iadd r1, rl, r3", "E_SYMBOL 3:10", "r0 to r255"},
        {"mma_compute r1, x, r3", "E_OPERAND 3:17", "r0 to r255"},
        {"if q", "E_SYMBOL 3:4", "p0 to p3"},
        {"mov_sr r1, lane_id", "E_OPERAND 3:12", "sr_lane_id"},
        {"mov_sr r1, r2", "E_OPERAND 3:12", NULL},
        {"icmp_eq r1, r2, r3", "E_OPERAND 3:9", NULL},
        {"select r1, !p1, r2, r3", "E_OPERAND 3:12", "negate"},
        {"mov_imm r1, r2", "E_OPERAND 3:13", NULL},
        {"assert p1, 1.5", "E_OPERAND 3:12", NULL},
        {"call r1", "E_OPERAND 3:6", NULL},
        {"atomic_add r1, r2, r3, .devise", "E_OPERAND 3:24", "'.device'"},
        {"atomic_add r1, r2, r3, devise", "E_OPERAND 3:24", "'device'"},
        {"fence_acquire .wrkgroup", "E_OPERAND 3:15", "'.workgroup'"},
        {"device_load_u32.cachd r1, r2", "E_OPERAND 3:16", "'.cached'"},
        {"device_load_u32 r1, .cached", "E_OPERAND 3:21", NULL},
        {"iadd.device r1, r2, r3", "E_OPERAND_COUNT 3:1", NULL},
        {"iadd r256, r2, r3", "E_REGISTER 3:6", "r255"},
        {"iadd r99999999999999999999, r2, r3", "E_REGISTER 3:6", "r255"},
        {"if p4", "E_PRED_INDEX 3:4", "p3"},
        {"if !p4", "E_PRED_INDEX 3:4", "p3"},
        {"@p4 nop", "E_PRED_INDEX 3:1", "p3"},
        {"mov r1, sr_lan_id", "E_SPECIAL 3:9", "'sr_lane_id'"},
        {"mov r1, sr_thread_id_w", "E_SPECIAL 3:9", "'sr_thread_id_"},
        {"mov_imm r1, 4294967296", "E_IMMEDIATE 3:13", "4294967295"},
        {"mov_imm r1, -2147483649", "E_IMMEDIATE 3:13", "-2147483648"},
        {"call -4", "E_IMMEDIATE 3:6", NULL},
        {"@p1 if p2", "E_GUARD 3:1", NULL},
        {"@!p0 barrier", "E_GUARD 3:1", NULL},
        {"call lost", "E_LABEL 3:6", NULL},
        {"function: call funtcion", "E_LABEL 3:16", "'function'"},
        {"f: f: nop", "E_DUPLICATE_LABEL 3:4", "rename"},
    };
    CASES(cases, (wave_asm_options){0});
}

Test(asm_diag, wrong_directives_are_located) {
    static const diag_case cases[] = {
        {".registrs 5", "E_DIRECTIVE 3:1", "'.registers'"},
        {".registers", "E_DIRECTIVE 3:1", NULL},
        {".registers r1", "E_DIRECTIVE 3:12", NULL},
        {".registers 1.5", "E_DIRECTIVE 3:12", NULL},
        {".workgroup_size 1, 2", "E_DIRECTIVE 3:1", NULL},
        {".workgroup_size 1 2 3", "E_DIRECTIVE 3:1", NULL},
        {".registers 257", "E_REGISTER_COUNT 3:12", NULL},
        {".local_memory 65537", "E_LOCAL_SIZE 3:15", NULL},
        {".workgroup_size 1, 0, 1", "E_WORKGROUP_SIZE 3:1", NULL},
        {".workgroup_size 1025, 1, 1", "E_WORKGROUP_SIZE 3:1", NULL},
        {".workgroup_size 65536, 65536, 1", "E_WORKGROUP_SIZE 3:1", NULL},
        {".workgroup_size 4294967295, 4294967295, 4294967295", "E_WORKGROUP_SIZE 3:1", NULL},
        {".registers -4294967264", "W_DIRECTIVE 3:12", NULL}, /* 32 */
    };
    static const diag_case plain[] = {{".registers 256\n.local_memory 65536\n"
                                       ".workgroup_size 1024, 1, 1\n@p0 nop",
                                       "W_P0_GUARD 6:1", NULL}};
    CASES(cases, (wave_asm_options){0});
    CASES(plain, (wave_asm_options){0});
}

static void expect_first(const char *source, const char *expected, size_t count) {
    assembled a = assemble(source);
    char found[64];
    first_diag(&a, found, sizeof found);
    cr_expect_str_eq(found, expected, "%s: %s", source, found);
    cr_expect_eq(wave_diags_count(a.diags), count, "%s", source);
    discard(&a);
}

Test(asm_diag, wrong_kernels_are_located) {
    expect_first("", "E_NO_KERNELS 0:0", 1);
    expect_first("; nothing\n", "E_NO_KERNELS 0:0", 1);
    expect_first(".kernel a\n.end\n", "E_KERNEL 1:9", 1);
    expect_first(".kernel a\nnop\n", "E_KERNEL 1:9", 1);
    expect_first(".kernel a\nnop\n.kernel b\nnop\n.end\n", "E_KERNEL 3:1", 1);
    expect_first(".kernel r1\nnop\n.end\n", "E_KERNEL 1:9", 1);
    expect_first(".kernel sr_x\nnop\n.end\n", "E_KERNEL 1:9", 1);
    expect_first(".kernel a:\nnop\n.end\n", "E_KERNEL 1:9", 1);
    expect_first(".kernel \"\"\nnop\n.end\n", "E_NAME 1:9", 1);
    expect_first(".kernel \"a\\x00\"\nnop\n.end\n", "E_NAME 1:9", 1);
    expect_first(".kernel \"\xFF\"\nnop\n.end\n", "E_NAME 1:9", 1);
    expect_first(".kernel \"\\q\"\nnop\n.end\n", "E_SYNTAX 1:9", 1);
    expect_first("nop\nnop\nnop\n", "E_KERNEL 1:1", 1); /* once, not for every line */
    expect_first(".end\n", "E_KERNEL 1:1", 1);
    expect_first(".kernel a\nnop\n.end\n.end\n", "E_KERNEL 4:1", 1);
    expect_first(".kernel a\nnop\n.end\n.kernel a\nnop\n.end\n", "E_DUPLICATE_NAME 4:9", 1);
    expect_first(".registers 5\n.kernel a\nnop\n.end\n", "W_DIRECTIVE 1:1", 1);
    expect_first(".kernal a\nnop\nhalt\n.end\n", "E_DIRECTIVE 1:1", 1); /* no cascade */
    expect_first(".kernel a\nf: return\n.end\n.kernel b\ncall f\n.end\n", "E_LABEL 5:6", 1);
    expect_first("f:\n.kernel b\ncall f\n.end\n", "E_LABEL 3:6", 1);
    expect_first(".kernel a\niad r1, r2, r3\n.end\n", "E_MNEMONIC 2:1", 1);
    /* An incomplete expression does not swallow the next line. */
    expect_first(".kernel a\nmov r1, (\niad r1, r2, r3\n.end\n", "E_EXPRESSION 2:10", 2);
    expect_first(".kernel a\nmov r1, 1 +\niad r1, r2, r3\n.end\n", "E_EXPRESSION 2:12", 2);
    expect_first(".constant t\n.u32\n.kernel a\nhalt\n.end\n", "E_EXPRESSION 2:5", 1);
    expect_first(".constant t\n.u32 1,\n.kernel a\nhalt\n.end\n", "E_EXPRESSION 2:8", 1);
    expect_first(".kernel a\n.assert\n.end\n.kernel b\nhalt\n.end\n", "E_DIRECTIVE 2:1", 1);
}

Test(asm_diag, warnings_can_be_errors_or_turned_off) {
    static const diag_case cases[] = {
        {"@p0 nop", "W_P0_GUARD 3:1", NULL},
        {"iadd r1, r2.lo, r3", "W_HALF 3:10", NULL},
        {"hadd r1.lo, r2, r3", "W_HALF 3:6", ".hi keeps"}, /* 3.1: zero-extended */
        {"local_atomic_add r0, r1, r2", "W_ATOMIC_R0 3:18", NULL},
        {"atomic_cas.wave r0, r1, r2, r3", "W_ATOMIC_R0 3:17", NULL},
        {"atomic_load r0, r1, .device", "W_ATOMIC_R0 3:13", NULL},
        {"local_atomic_load r0, r1", "W_ATOMIC_R0 3:19", NULL},
        {"atomic64_load r0, r1, .device", "W_ATOMIC_R0 3:15", NULL},
        {"local_atomic64_add r0, r1, r2", "W_ATOMIC_R0 3:20", NULL},
        {"nop.streaming", "W_HINT 3:4", "device_load_"},
        {"local_load_u32.cached r1, r2", "W_HINT 3:15", NULL},
        {"atomic_add.uncached.device r1, r2", "W_HINT 3:11", NULL},
        {"atomic64_add r31, r1, r2, .device", "W_REGISTER 3:14", NULL},
        {"wave_ballot64 r31, p0", "W_REGISTER 3:15", NULL},
        {"iadd r1, r32, r40", "W_REGISTER 3:10", ".registers"},
        {"dadd r0, r2, r31", "W_REGISTER 3:14", NULL},
        {"device_load_u128 r29, r0", "W_REGISTER 3:18", NULL},
        {"mov_imm r1, 3.5e38", "W_IMMEDIATE 3:13", NULL},
        {".registers 4294967297", "W_DIRECTIVE 3:12", NULL},
    };
    CASES(cases, (wave_asm_options){0});
    CASES(cases, (wave_asm_options){.warnings = WAVE_WARN_ERROR});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char source[256];
        snprintf(source, sizeof source, ".kernel k\n%s\n.end\n", cases[i].line);
        assembled a =
            assemble_bytes(source, strlen(source), (wave_asm_options){.warnings = WAVE_WARN_NONE});
        bool empty = cases[i].line[0] == '.'; /* a directive alone is no kernel */
        cr_expect_eq(a.status, empty ? WAVE_ERROR_INPUT : WAVE_OK, "%s", cases[i].line);
        cr_expect_eq(wave_diags_total(a.diags, WAVE_WARNING), 0, "%s", cases[i].line);
        discard(&a);
    }
}

/* The declared count may follow the use, even after .end; 0 means the default of 32. */
Test(asm_diag, the_register_warning_knows_the_last_directive) {
    expect_first(".kernel k\nmov r40, r41\n.end\n.registers 42\n", "none", 0);
    expect_first(".kernel k\n.registers 64\nmov r40, r41\n.registers 8\n.end\n", "W_REGISTER 3:5",
                 1);
    expect_first(".kernel k\n.registers 0\nmov r31, r31\n.end\n", "none", 0);
    expect_first(".kernel k\n.registers 0\nmov r31, r32\n.end\n", "W_REGISTER 3:10", 1);
    expect_first(".kernel k\n.registers 256\ndadd r254, r254, r255\n.end\n", "W_REGISTER 3:18", 1);
    expect_first(".kernel k\nmma_compute r200, r201, r202\n.end\n", "none", 0); /* fragments */
    expect_first(".kernel a\nmov r1, r50\n.end\n.kernel b\nmov r1, r60\nmov r61, r1\n.end\n",
                 "W_REGISTER 2:9", 2);
}

Test(asm_diag, upstream_has_no_extensions) {
    static const diag_case cases[] = {
        {"umin r1, r2, r3", "E_COMPAT 3:1", NULL},
        {"ucmp_eq p1, r2, r3", "E_COMPAT 3:1", NULL},
        {"fcmp_ge p1, r2, r3", "E_COMPAT 3:1", NULL},
        {"wave_shuffle_idx r1, r2, r3", "E_COMPAT 3:1", NULL},
        {"assert p1, 3", "E_COMPAT 3:1", NULL},
        {"atomic_load r1, r2, .device", "E_COMPAT 3:1", NULL},
        {"fence_sc .device", "E_COMPAT 3:1", NULL},
        {"if !p1", "E_COMPAT 3:4", NULL},
        {"mov r1, r255", "E_COMPAT 3:9", NULL},
        {"mov_imm r1, -0x10", "E_COMPAT 3:13", NULL},
        {"atomic_add.device r1, r2, r3", "E_COMPAT 3:11", NULL},
        {"call 16", "E_OPERAND 3:6", NULL},
        {".end .kernel\nnop", "E_COMPAT 3:6", NULL},
        {".end .kernel \"b\" nop", "E_COMPAT 3:14", NULL},
    };
    CASES(cases, (wave_asm_options){.compat_upstream = true});
}

Test(asm_diag, diagnostics_include_the_source_line_and_the_length) {
    assembled a = assemble(".kernel k\n\tiadd r1, \xFF, r3 ; a tab and a bad byte\r\n.end\n");
    const wave_diag *d = wave_diags_at(a.diags, 0);
    cr_assert_not_null(d);
    cr_expect_str_eq(d->code, "E_CHARACTER");
    cr_expect_eq(d->column, 11);
    cr_expect_eq(d->length, 1);
    cr_expect_str_eq(d->text, "\tiadd r1, ?, r3 ; a tab and a bad byte");
    discard(&a);
}

Test(asm_diag, wrong_calls_of_the_api_are_refused) {
    wave_blob out;
    cr_expect_eq(wave_assemble("x", 1, NULL, NULL, NULL), WAVE_ERROR_USAGE);
    cr_expect_eq(wave_assemble(NULL, 1, NULL, &out, NULL), WAVE_ERROR_USAGE);
    cr_expect_eq(wave_assemble(NULL, 0, NULL, &out, NULL), WAVE_ERROR_INPUT);
    cr_expect_eq(wave_assemble("x", 1, NULL, &out, NULL), WAVE_ERROR_INPUT);
    cr_expect_null(out.data);
}

/* ---- Hostile sources ---- */

Test(asm_diag, binary_garbage_is_refused) {
    size_t size = 1 << 20;
    char *source = malloc(size);
    cr_assert_not_null(source);
    uint64_t state = 99;
    for (size_t i = 0; i < size; i++) {
        source[i] = (char)(random_mmix(&state) >> 56);
    }
    assembled a = assemble_bytes(source, size, (wave_asm_options){0});
    cr_expect_eq(a.status, WAVE_ERROR_INPUT);
    cr_expect_eq(wave_diags_count(a.diags), 100);
    cr_expect_gt(wave_diags_total(a.diags, WAVE_ERROR), 1000);
    free(source);
    discard(&a);
}

Test(asm_diag, a_nul_byte_is_an_error) {
    static const char source[] = ".kernel k\nnop\0nop\n.end\n";
    assembled a = assemble_bytes(source, sizeof source - 1, (wave_asm_options){0});
    char found[64];
    first_diag(&a, found, sizeof found);
    cr_expect_str_eq(found, "E_CHARACTER 2:4");
    cr_expect_str_eq(wave_diags_at(a.diags, 0)->text, "nop?nop");
    discard(&a);
}

/* A line of 10 MB: of one name, of blanks, of statements, of errors. */
Test(asm_diag, lines_of_ten_megabytes_are_handled) {
    size_t size = 10000000;
    char *source = malloc(size + 64);
    cr_assert_not_null(source);
    memcpy(source, ".kernel k\n", 10);
    memset(source + 10, 'x', size);
    assembled a = assemble_bytes(source, size + 10, (wave_asm_options){0});
    cr_expect_str_eq(wave_diags_at(a.diags, 0)->code, "E_MNEMONIC");
    discard(&a);
    memset(source + 10, ' ', size);
    memcpy(source + 10 + size, "\nnop\n.end\n", 10);
    a = assemble_bytes(source, size + 20, (wave_asm_options){0});
    cr_expect_eq(a.status, WAVE_OK);
    discard(&a);
    static const char statement[] = "mov r1,r2 ";
    for (size_t i = 0; i < size; i += 10)
        memcpy(source + 10 + i, statement, 10);
    a = assemble_bytes(source, size + 20, (wave_asm_options){0});
    cr_expect_eq(a.status, WAVE_OK);
    cr_expect_eq(code_size(&a.file), size / 10 * 4 + 4);
    discard(&a);
    static const char wrong[] = "mov r1,p2 ";
    for (size_t i = 0; i < size; i += 10)
        memcpy(source + 10 + i, wrong, 10);
    a = assemble_bytes(source, size + 20, (wave_asm_options){0});
    cr_expect_eq(a.status, WAVE_ERROR_INPUT);
    discard(&a);
    free(source);
}

/* Two lines of a macro that invokes itself could report two million errors (found by fuzzing). */
Test(asm_diag, macros_end_after_a_thousand_errors) {
    assembled a = assemble(".macro m\niad r1\nm\nm\n.endm\n.kernel k\nm\nm\niad r2\n.end\n");
    cr_expect_eq(a.status, WAVE_ERROR_INPUT);
    cr_expect_gt(wave_diags_total(a.diags, WAVE_ERROR), 1000);
    cr_expect_lt(wave_diags_total(a.diags, WAVE_ERROR), 1100);
    discard(&a);
}

Test(asm_diag, a_million_errors_are_counted_and_a_hundred_kept) {
    size_t lines = 1000000;
    char *source = malloc(lines * 5 + 16);
    cr_assert_not_null(source);
    memcpy(source, ".kernel k\n", 10);
    for (size_t i = 0; i < lines; i++)
        memcpy(source + 10 + 5 * i, "nopp\n", 5);
    assembled a = assemble_bytes(source, 10 + 5 * lines, (wave_asm_options){0});
    cr_expect_eq(a.status, WAVE_ERROR_INPUT);
    cr_expect_eq(wave_diags_count(a.diags), 100);
    cr_expect_eq(wave_diags_total(a.diags, WAVE_ERROR), lines + 1); /* and the missing .end */
    free(source);
    discard(&a);
}

Test(asm_diag, a_hundred_thousand_labels_are_resolved) {
    enum { LABELS = 100000 };
    char *source = malloc((size_t)LABELS * 48 + 64), *at = source;
    cr_assert_not_null(source);
    at += sprintf(at, ".kernel k\n");
    for (int i = 0; i < LABELS; i++)
        at += sprintf(at, "call label_%d\n", LABELS - 1 - i);
    for (int i = 0; i < LABELS; i++)
        at += sprintf(at, "label_%d: return\n", i);
    at += sprintf(at, ".end\n");
    assembled a = assemble_bytes(source, (size_t)(at - source), (wave_asm_options){0});
    cr_assert_eq(a.status, WAVE_OK);
    for (size_t i = 0; i < LABELS; i += 997)
        cr_expect_eq(word_at(&a.file, 2 * i + 1), LABELS * 8 + (LABELS - 1 - i) * 4);
    discard(&a);
    /* With all calls misspelt, the search for similar names stays bounded. */
    for (char *c = source; (c = strstr(c, "call label")); c += 10)
        memcpy(c, "call lable", 10);
    a = assemble_bytes(source, (size_t)(at - source), (wave_asm_options){0});
    cr_expect_eq(wave_diags_total(a.diags, WAVE_ERROR), LABELS);
    cr_expect(strstr(wave_diags_at(a.diags, 0)->hint, "'label_"));
    discard(&a);
    free(source);
}

/* Labels that share a long prefix, the worst case of every map of strings. */
Test(asm_diag, long_common_prefixes_of_labels_cost_little) {
    enum { LABELS = 2000, LENGTH = 1000 };
    char *source = malloc((size_t)LABELS * (LENGTH + 16) + 64), *at = source;
    cr_assert_not_null(source);
    at += sprintf(at, ".kernel k\nnop\n");
    for (int i = 0; i < LABELS; i++) {
        memset(at, 'a', LENGTH);
        at += LENGTH;
        at += sprintf(at, "%d:\n", i);
    }
    at += sprintf(at, ".end\n");
    assembled a = assemble_bytes(source, (size_t)(at - source), (wave_asm_options){0});
    cr_expect_eq(a.status, WAVE_OK);
    discard(&a);
    free(source);
}
