/* The assembler against the ISA reference: encodings, containers, statement rules, numbers, names,
 * and upstream's dialect. Diagnostics are in test_asm_diag.c. */
#include "asm_helpers.h"

#include "asm/decimal.h"
#include "support/random.h"

#include <math.h>

/* One instruction in a kernel that accepts every register. */
static assembled one(const char *instruction) {
    char source[256];
    snprintf(source, sizeof source, ".kernel k\n.registers 256\n%s\n.end\n", instruction);
    return assemble(source);
}

static void expect_words(const char *instruction, unsigned words, uint32_t word0, uint32_t word1) {
    assembled a = one(instruction);
    cr_assert_eq(a.status, WAVE_OK, "%s", instruction);
    cr_expect_eq(code_size(&a.file), words * 4, "%s", instruction);
    cr_expect_eq(word_at(&a.file, 0), word0, "%s: %08X", instruction, word_at(&a.file, 0));
    if (words == 2)
        cr_expect_eq(word_at(&a.file, 1), word1, "%s: %08X", instruction, word_at(&a.file, 1));
    discard(&a);
}

/* ---- Encodings ---- */

Test(asm, encodings_match_the_reference) {
#define ENCODING(text, words, word0, word1) expect_words(text, words, word0, word1);
#include "isa_encodings.inc"
#undef ENCODING
}

Test(asm, guards_are_encoded) {
    expect_words("@p1 iadd r1, r2, r3", 2, 0x00010201, 0x03000000);
    expect_words("@!p1 iadd r1, r2, r3", 2, 0x00010205, 0x03000000);
    expect_words("@!p0 iadd r1, r2, r3", 2, 0x00010204, 0x03000000);
    expect_words("@p0 iadd r1, r2, r3", 2, 0x00010200, 0x03000000);
    expect_words("@!p3 halt", 1, 0x3F000097, 0);
    expect_words("@p0 if p1", 1, 0x3F000100, 0);
}

Test(asm, alternative_spellings_have_the_same_encoding) {
    expect_words("mov r1, sr_lane_id", 1, 0x41010420, 0);
    expect_words("mov_sr r1, sr_lane_id", 1, 0x41010420, 0);
    expect_words("mov_sr r1, sr_num_waves", 1, 0x41010F20, 0);
    expect_words("wave_shuffle_idx r1, r2, r3", 2, 0x3E010200, 0x03000000);
    expect_words("atomic_add r1, r2, r3, device", 2, 0x3D010200, 0x03000002);
    expect_words("atomic_min r1, r2, r3, device", 2, 0x3D010220, 0x03000002);
    expect_words("atomic_load.system r1, r2", 2, 0x3D0102C0, 0x00000003);
    expect_words("atomic_add.device r1, r2, r3", 2, 0x3D010200, 0x03000002);
    expect_words("atomic_add.system r2, r3", 2, 0x3D000200, 0x03000003);
    expect_words("atomic_add.uncached.system r2, r3", 2, 0x3D000200, 0x03000003);
    expect_words("atomic_cas.workgroup r1, r2, r3, r4", 2, 0x3D010280, 0x03040001);
    expect_words("fence_acquire.workgroup", 2, 0x3F0000B0, 0x00000001);
    expect_words("fence_acquire workgroup", 2, 0x3F0000B0, 0x00000001);
    expect_words("fence_acquire\t.workgroup", 2, 0x3F0000B0, 0x00000001);
    expect_words("device_load_u32.uncached r1, r2", 1, 0x38010270, 0);
    expect_words("device_load_u32 .streaming r1, r2", 1, 0x380102C0, 0);
    expect_words("device_load_u32 .cached r1, r2", 1, 0x38010220, 0);
    expect_words("device_load_u32.cached r4, r2", 1, 0x38040220, 0);
    expect_words("nop.streaming", 1, 0x3F0000F0, 0);
    expect_words("iadd r255, r0, r007", 2, 0x00FF0000, 0x07000000);
    expect_words("mov r1,r2", 1, 0x41010200, 0);
    expect_words("mov r1 , r2 ; comment", 1, 0x41010200, 0);
    expect_words("mov r1, r2 # comment ; more", 1, 0x41010200, 0);
    expect_words("hadd r1.lo, r2, r3", 2, 0x1C010200, 0x03000000);
}

Test(asm, atomics_may_omit_the_destination) {
    expect_words("local_atomic_add r2, r3", 2, 0x3C000200, 0x03000000);
    expect_words("local_atomic_cas r2, r3, r4", 2, 0x3C000280, 0x03040000);
    expect_words("atomic_add r2, r3, .workgroup", 2, 0x3D000200, 0x03000001);
    expect_words("atomic_cas r2, r3, r4, .device", 2, 0x3D000280, 0x03040002);
}

/* ---- Numbers ---- */

static uint32_t immediate(const char *text) {
    char line[128];
    snprintf(line, sizeof line, "mov_imm r1, %s", text);
    assembled a = one(line);
    cr_assert_eq(a.status, WAVE_OK, "%s", text);
    uint32_t value = word_at(&a.file, 1);
    discard(&a);
    return value;
}

Test(asm, integer_literals_are_read) {
    cr_expect_eq(immediate("0"), 0);
    cr_expect_eq(immediate("-5"), 0xFFFFFFFB);
    cr_expect_eq(immediate("1_000"), 1000);
    cr_expect_eq(immediate("1__0_"), 10);
    cr_expect_eq(immediate("4294967295"), 0xFFFFFFFF);
    cr_expect_eq(immediate("-2147483648"), 0x80000000);
    cr_expect_eq(immediate("0xdead_BEEF"), 0xDEADBEEF);
    cr_expect_eq(immediate("0x0000000000000000000000001"), 1);
    cr_expect_eq(immediate("-0x10"), 0xFFFFFFF0);
    cr_expect_eq(immediate("-0x80000000"), 0x80000000);
    cr_expect_eq(immediate("00012"), 12);
}

Test(asm, float_literals_are_read) {
    cr_expect_eq(immediate("1.0"), 0x3F800000);
    cr_expect_eq(immediate("-1.0"), 0xBF800000);
    cr_expect_eq(immediate("3.14"), 0x4048F5C3);
    cr_expect_eq(immediate("2e0"), 0x40000000);
    cr_expect_eq(immediate("1E+3"), 0x447A0000);
    cr_expect_eq(immediate("1_0.2_5e0_0"), 0x41240000);
    cr_expect_eq(immediate("1."), 0x3F800000);
    cr_expect_eq(immediate("-0.0"), 0x80000000);
    cr_expect_eq(immediate("1e-45"), 0x00000001);
    cr_expect_eq(immediate("1e-9999999999999999999"), 0);
}

static uint32_t f32(const char *text) {
    return asm_decimal_f32(text, strlen(text));
}

static uint64_t f64(const char *text) {
    return asm_decimal_f64(text, strlen(text));
}

Test(asm, float_literals_round_to_nearest_even) {
    /* 1 + 2^-24 is half way between two floats; one more digit decides. */
    cr_expect_eq(f32("1.000000059604644775390625"), 0x3F800000);
    cr_expect_eq(f32("1.00000005960464477539062499999999999999999999999999"), 0x3F800000);
    cr_expect_eq(f32("1.00000005960464477539062500000000000000000000000001"), 0x3F800001);
    cr_expect_eq(f32("1.000000178813934326171875"), 0x3F800002); /* the odd one rounds up */
    /* half of the smallest subnormal, 2^-150, and just above */
    cr_expect_eq(f32("7.006492321624085354618e-46"), 0);
    cr_expect_eq(f32("7.006492321624085354619e-46"), 1);
    cr_expect_eq(f32("1.17549421e-38"), 0x007FFFFF); /* the largest subnormal */
    cr_expect_eq(f32("1.17549435e-38"), 0x00800000);
    cr_expect_eq(f32("3.4028235e38"), 0x7F7FFFFF);
    cr_expect_eq(f32("3.40282356779733661637539395458142568447e38"), 0x7F7FFFFF);
    cr_expect_eq(f32("3.40282356779733661637539395458142568448e38"), 0x7F800000);
    cr_expect_eq(f32("-1e999"), 0xFF800000);
    cr_expect_eq(f32("16777217"), 0x4B800000);
    cr_expect_eq(f32("16777217.0000000000000000000000000001"), 0x4B800001);
    cr_expect_eq(f64("1.0"), 0x3FF0000000000000);
    cr_expect_eq(f64("3.14"), 0x40091EB851EB851F);
    cr_expect_eq(f64("2.2250738585072011e-308"), 0x000FFFFFFFFFFFFF);
    cr_expect_eq(f64("4.9e-324"), 1);
    cr_expect_eq(f64("1.7976931348623157e308"), 0x7FEFFFFFFFFFFFFF);
    cr_expect_eq(f64("1.7976931348623159e308"), 0x7FF0000000000000);
}

/* The C library rounds correctly too: the same answer for many random texts. */
Test(asm, floats_agree_with_the_c_library) {
    uint64_t state = 12345;
    for (int i = 0; i < 20000; i++) {
        char text[96];
        random_mmix(&state);
        unsigned digits = 1 + (unsigned)(state >> 33) % 40;
        int exponent = (int)(state >> 40 & 127) - 75;
        size_t used = 0;
        for (unsigned k = 0; k < digits; k++) {
            random_mmix(&state);
            text[used++] = (char)('0' + (state >> 35) % 10);
            if (k == 0)
                text[used++] = '.';
        }
        snprintf(text + used, sizeof text - used, "e%d", exponent);
        float narrow = strtof(text, NULL);
        double wide = strtod(text, NULL);
        uint32_t narrow_bits;
        uint64_t wide_bits;
        memcpy(&narrow_bits, &narrow, sizeof narrow);
        memcpy(&wide_bits, &wide, sizeof wide);
        cr_assert_eq(f32(text), narrow_bits, "%s", text);
        cr_assert_eq(f64(text), wide_bits, "%s", text);
    }
}

Test(asm, every_digit_of_a_float_counts) {
    size_t digits = 100000;
    char *text = malloc(digits + 8);
    cr_assert_not_null(text);
    memset(text, '0', digits);
    memcpy(text, "1.000000059604644775390625", 26);
    text[digits - 1] = '1'; /* far after the tie, and still above it */
    cr_expect_eq(asm_decimal_f32(text, digits), 0x3F800001);
    text[digits - 1] = '0';
    cr_expect_eq(asm_decimal_f32(text, digits), 0x3F800000);
    free(text);
}

/* ---- Statements ---- */

static void expect_code(const char *body, const uint32_t *words, size_t count) {
    char source[512];
    snprintf(source, sizeof source, ".kernel k\n%s\n.end\n", body);
    assembled a = assemble(source);
    cr_assert_eq(a.status, WAVE_OK, "%s", body);
    cr_assert_eq(code_size(&a.file), count * 4, "%s", body);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(word_at(&a.file, i), words[i], "%s: word %zu", body, i);
    discard(&a);
}

#define CODE(body, ...)                                                                            \
    expect_code(body, (const uint32_t[]){__VA_ARGS__},                                             \
                sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

Test(asm, statements_need_no_newline) {
    CODE("f: return", 0x3F000080);
    CODE("a: b: c : return", 0x3F000080);
    CODE("iadd r0, r1, r2 nop", 0x00000100, 0x02000000, 0x3F0000F0);
    CODE("mov r1, r2 mov r3, r4", 0x41010200, 0x41030400);
    CODE("iadd r0, r1, r2nop", 0x00000100, 0x02000000, 0x3F0000F0);
    CODE("nop @p1 halt", 0x3F0000F0, 0x3F000091);
    CODE("nop f: halt", 0x3F0000F0, 0x3F000090);
    CODE("nop .registers 5 halt", 0x3F0000F0, 0x3F000090);
    CODE("fence_acquire .device nop", 0x3F0000B0, 0x00000002, 0x3F0000F0);
    CODE("nop\r\nhalt\r", 0x3F0000F0, 0x3F000090);
    CODE("\t\n\n ; only a comment\nnop#x\n", 0x3F0000F0);
}

Test(asm, the_last_line_needs_no_newline) {
    assembled a = assemble(".kernel k nop.end");
    cr_expect_eq(a.status, WAVE_OK);
    cr_expect_eq(code_size(&a.file), 4);
    discard(&a);
}

Test(asm, labels_are_exact_and_relative_to_the_kernel) {
    assembled a = assemble(".kernel a\nnop\n.end\n"
                           ".kernel b\n"
                           "iadd r1, r2, r3\n" /* at 0 */
                           "mov_imm r1, 5\n"   /* at 8 */
                           "call func\n"       /* at 16 */
                           "call back\n"       /* at 24 */
                           "back: call end\n"  /* at 32 */
                           "halt\n"            /* at 40 */
                           "func:\nnop\n"      /* at 44 */
                           "return\n"          /* at 48 */
                           "end:\n.end\n");    /* at 52 */
    cr_assert_eq(a.status, WAVE_OK);
    cr_expect_eq(word_at(&a.file, 1 + 5), 44);
    cr_expect_eq(word_at(&a.file, 1 + 7), 32);
    cr_expect_eq(word_at(&a.file, 1 + 9), 52);
    discard(&a);
}

Test(asm, a_call_takes_an_offset) {
    expect_words("call 0x24", 2, 0x3F000070, 0x24);
}

Test(asm, the_reference_example_has_the_expected_size) {
    size_t size;
    uint8_t *source = read_file("tests/golden/forms.wave", &size);
    assembled a = assemble_bytes((char *)source, size, (wave_asm_options){0});
    cr_assert_eq(a.status, WAVE_OK);
    cr_expect_eq(wave_diags_count(a.diags), 0);
    /* ISA reference 10.5: 39 instructions, of which these take one word: mov_sr, mov, ineg, two
     * loads, ballot, any, reduce_add, if, else, endif, loop, break, continue, endloop, barrier,
     * wait, nop, halt, return. */
    cr_expect_eq(code_size(&a.file), 20 * 4 + 19 * 8);
    free(source);
    discard(&a);
}

/* ---- Directives and the container ---- */

Test(asm, directives_belong_to_the_kernel_started_last) {
    assembled a = assemble(".kernel k\nnop\n.registers 5\n.registers 7\n.end\n"
                           ".local_memory 64\n.workgroup_size 8, 4, 2\n");
    cr_assert_eq(a.status, WAVE_OK);
    size_t record = u32_at(&a.file, 24) + 4;
    cr_expect_eq(u32_at(&a.file, record + 4), 7);
    cr_expect_eq(u32_at(&a.file, record + 8), 64);
    cr_expect_eq(u32_at(&a.file, record + 12), 8);
    cr_expect_eq(u32_at(&a.file, record + 16), 4);
    cr_expect_eq(u32_at(&a.file, record + 20), 2);
    discard(&a);
}

Test(asm, directive_values_are_truncated_to_32_bits) {
    assembled a = assemble(".kernel k\nnop\n.registers 4294967304\n.end\n");
    cr_assert_eq(a.status, WAVE_OK);
    cr_expect_eq(u32_at(&a.file, u32_at(&a.file, 24) + 8), 8);
    cr_expect_str_eq(wave_diags_at(a.diags, 0)->code, "W_DIRECTIVE");
    discard(&a);
}

static void expect_golden(const char *stem) {
    char path[64];
    size_t source_size, size;
    snprintf(path, sizeof path, "tests/golden/%s.wave", stem);
    uint8_t *source = read_file(path, &source_size);
    snprintf(path, sizeof path, "tests/golden/%s.wbin", stem);
    uint8_t *bytes = read_file(path, &size);
    assembled a =
        assemble_bytes((char *)source, source_size, (wave_asm_options){.compat_upstream = true});
    cr_assert_eq(a.status, WAVE_OK);
    cr_assert_eq(a.file.size, size);
    cr_expect_arr_eq(a.file.data, bytes, size);
    free(source);
    free(bytes);
    discard(&a);
}

Test(asm, files_match_upstreams_byte_for_byte) {
    expect_golden("allops");
    expect_golden("multikernel");
}

Test(asm, a_stripped_file_has_no_symbols) {
    const char *source = ".kernel k\nnop\nhalt\n.end\n";
    assembled a = assemble_bytes(source, strlen(source), (wave_asm_options){.no_symbols = true});
    cr_assert_eq(a.status, WAVE_OK);
    cr_expect_eq(a.file.size, 32 + 8 + 36);
    cr_expect_eq(u32_at(&a.file, 16), 0);
    cr_expect_eq(u32_at(&a.file, 20), 0);
    cr_expect_eq(u32_at(&a.file, 24), 40);
    cr_expect_eq(u32_at(&a.file, 44), 0); /* name_offset */
    assembled anonymous = assemble(".kernel\nnop\nhalt\n.end\n");
    cr_assert_eq(anonymous.file.size, a.file.size);
    cr_expect_arr_eq(anonymous.file.data, a.file.data, a.file.size);
    discard(&anonymous);
    discard(&a);
    a = assemble_bytes(source, strlen(source),
                       (wave_asm_options){.no_symbols = true, .compat_upstream = true});
    cr_expect_eq(u32_at(&a.file, 24), 0); /* upstream's defect */
    discard(&a);
}

Test(asm, kernel_names_may_be_quoted_or_missing) {
    assembled a =
        assemble(".kernel \"r1\"\nnop\n.end\n.kernel\nnop\n.end\n"
                 ".kernel \"a\\\"b\\\\\\x0a \xC3\xA9;\"\nnop\n.end\n.kernel if\nnop\n.end");
    cr_assert_eq(a.status, WAVE_OK);
    static const char names[] = "r1\0a\"b\\\n \xC3\xA9;\0if";
    cr_assert_eq(u32_at(&a.file, 20), sizeof names);
    cr_expect_arr_eq(a.file.data + u32_at(&a.file, 16), names, sizeof names);
    size_t records = u32_at(&a.file, 24) + 4, symbols = u32_at(&a.file, 16);
    cr_expect_eq(u32_at(&a.file, records), symbols);
    cr_expect_eq(u32_at(&a.file, records + 32), 0);
    cr_expect_eq(u32_at(&a.file, records + 64), symbols + 3);
    discard(&a);
}

Test(asm, the_extension_flag_follows_the_code) {
    static const char *const extended[] = {"umin r1, r2, r3", "if !p1\nendif", "assert p0, 1",
                                           "wave_reduce_or r1, r2", "atomic_fadd.wave r1, r2, r3"};
    static const char *const plain[] = {"imin r1, r2, r3", "if p1\nendif", "ucmp_eq p1, r2, r3",
                                        "fcmp_ge p1, r2, r3", "wave_shuffle_idx r1, r2, r3"};
    for (size_t i = 0; i < 5; i++) {
        assembled a = one(extended[i]);
        cr_expect_eq(u32_at(&a.file, 4), 0x00010001, "%s", extended[i]);
        discard(&a);
        a = one(plain[i]);
        cr_expect_eq(u32_at(&a.file, 4), 0x00000001, "%s", plain[i]);
        discard(&a);
    }
}

/* ---- Upstream's dialect ---- */

Test(asm, compat_counts_label_offsets_like_upstream) {
    /* There iadd counts 4 and imad 8, and the counter continues across kernels. */
    assembled a = assemble_compat(".kernel a\nnop\n.end\n"
                                  ".kernel b\niadd r1, r2, r3\nimad r1, r2, r3, r4\n"
                                  "call f\nhalt\nf: return\n.end\n");
    cr_assert_eq(a.status, WAVE_OK);
    cr_expect_eq(word_at(&a.file, 1 + 5), 4 + 4 + 8 + 8 + 4);
    discard(&a);
    a = assemble_compat(".kernel a\ng: return\n.end\n.kernel b\ncall g\nhalt\n.end\n");
    cr_assert_eq(a.status, WAVE_OK, "labels of other kernels pass");
    cr_expect_eq(word_at(&a.file, 2), 0);
    discard(&a);
}

Test(asm, compat_reproduces_upstreams_defects) {
    assembled a = assemble_compat(".kernel k\natomic_cas r1, r2, r3, r4, .device\n"
                                  "mov_imm r1, 3.14\nhadd r1, r2.hi, r3.lo\n.end\n");
    cr_assert_eq(a.status, WAVE_OK);
    cr_expect_eq(word_at(&a.file, 0), 0x3D010200);
    cr_expect_eq(word_at(&a.file, 1), 0x03040002);
    cr_expect_eq(word_at(&a.file, 3), 0x51EB851F);
    cr_expect_eq(word_at(&a.file, 4), 0x1C010200);
    discard(&a);
}
