/* Conversions of the upstream compiler, whose direction is reversed: read as intended on request,
 * and detected where a file looks like upstream's. Words are written from the ISA's table: 2C, rd,
 * rs1, modifier << 4. */
#include "frontend/frontend.h"
#include "isa/isa.h"

#include "wbin_build.h"

#define CVT(modifier, rd, rs1)                                                                     \
    (0x2C000000u | (uint32_t)(rd) << 16 | (uint32_t)(rs1) << 8 | (uint32_t)(modifier) << 4)
#define IADD(rd, a, b)     (uint32_t)((rd) << 16 | (a) << 8), (uint32_t)(b) << 24
#define STORE(addr, value) 0x39000020u | (uint32_t)(addr) << 8, (uint32_t)(value) << 24
#define LOAD(rd, addr)     0x38000020u | (uint32_t)((rd) << 16 | (addr) << 8)
#define MOV(rd, rs1)       0x41000000u | (uint32_t)((rd) << 16 | (rs1) << 8)
#define FADD(rd, a, b)     0x10000000u | (uint32_t)((rd) << 16 | (a) << 8), (uint32_t)(b) << 24
#define SHL(rd, a, b)      0x24000000u | (uint32_t)((rd) << 16 | (a) << 8), (uint32_t)(b) << 24
#define LIKE_UPSTREAM      .name = "k", .registers = 64, .workgroup = {256, 1, 1}

/* ---- --fix-upstream-cvt ---- */

Test(upstream_cvt, each_direction_is_reversed) {
    static const uint8_t reversed[10] = {2, 3, 0, 1, 5, 4, 7, 6, 9, 8};
    const wave_load_options fix = {.mode = WAVE_MODE_STRICT, .fix_upstream_cvt = true};
    for (unsigned modifier = 0; modifier < 10; modifier++) {
        const uint32_t code[] = {CVT(modifier, 1, 4), W_HALT};
        wb_file f = wb_code(code, 2);
        wb_result plain = wb_load(&f, WAVE_MODE_STRICT), fixed = wb_load_with(f.bytes, f.size, fix);
        cr_assert(plain.module && fixed.module);
        unsigned op = plain.module->kernels[0].insns[0].op;
        unsigned other = fixed.module->kernels[0].insns[0].op;
        cr_expect_eq(op, isa_by_encoding[0x2C << 4 | modifier]);
        cr_expect_eq(other, isa_by_encoding[0x2C << 4 | reversed[modifier]]);
        cr_expect_eq(fixed.module->kernels[0].insns[0].field[ISA_FIELD_RD], 1);
        cr_expect_eq(fixed.module->kernels[0].insns[0].field[ISA_FIELD_RS1], 4);
        wb_free(&plain);
        wb_free(&fixed);
        free(f.bytes);
    }
}

/* Modifier 6 reads a pair and modifier 7 writes one: the register checks are swapped. */
Test(upstream_cvt, pairs_change_sides) {
    const uint32_t narrow[] = {CVT(6, 1, 7), W_HALT}, wide[] = {CVT(7, 7, 1), W_HALT};
    const wb_kernel kernels[] = {{.name = "k", .registers = 8, .code = narrow, .words = 2},
                                 {.name = "k", .registers = 8, .code = wide, .words = 2}};
    const wave_load_options fix = {.fix_upstream_cvt = true};
    for (unsigned k = 0; k < 2; k++) {
        wb_file f = wb_build(&kernels[k], 1, 0);
        wb_result plain = wb_load(&f, WAVE_MODE_DEFAULT),
                  fixed = wb_load_with(f.bytes, f.size, fix);
        cr_expect_eq(plain.status, WAVE_ERROR_INPUT, "r7 and r8 are named");
        cr_expect_eq(fixed.status, WAVE_OK, "r7 alone is named");
        wb_free(&plain);
        wb_free(&fixed);
        free(f.bytes);
    }
}

Test(upstream_cvt, the_disassembler_shows_the_fixed_direction) {
    const uint32_t code[] = {CVT(0, 1, 4), W_HALT};
    wb_file f = wb_code(code, 2);
    wave_blob text;
    wave_dis_options options = {.load = {.fix_upstream_cvt = true}};
    cr_assert_eq(wave_disassemble(f.bytes, f.size, &options, &text, NULL), WAVE_OK);
    cr_expect(strstr((char *)text.data, "cvt_i32_f32 r1, r4"), "%s", (char *)text.data);
    wave_blob_free(&text);
    free(f.bytes);
}

/* ---- W_UPSTREAM_CVT ---- */

static void expect_of(const wb_kernel *kernels, size_t count, unsigned flags, bool fix,
                      const char *expected, const char *what) {
    char codes[400];
    wb_file f = wb_build(kernels, count, flags);
    wb_result r = wb_load_with(f.bytes, f.size, (wave_load_options){.fix_upstream_cvt = fix});
    cr_expect_str_eq(wb_codes(r.diags, codes, sizeof codes), expected, "%s: %s", what, codes);
    wb_free(&r);
    free(f.bytes);
}

#define EXPECT(expected, what, ...)                                                                \
    do {                                                                                           \
        const uint32_t code[] = {__VA_ARGS__, W_HALT};                                             \
        const wb_kernel k = {LIKE_UPSTREAM, .code = code, .words = WB_COUNT(code)};                \
        expect_of(&k, 1, 0, false, expected, what);                                                \
        expect_of(&k, 1, 0, true, "", what);                                                       \
    } while (0)

Test(upstream_cvt, a_float_used_as_an_address_is_reported) {
    EXPECT("W_UPSTREAM_CVT", "at once", CVT(0, 1, 4), STORE(1, 2));
    EXPECT("W_UPSTREAM_CVT", "unsigned, a load", CVT(1, 1, 4), LOAD(2, 1));
    EXPECT("W_UPSTREAM_CVT", "scaled and added", CVT(0, 1, 4), SHL(1, 1, 5), IADD(6, 0, 1),
           LOAD(7, 6));
    EXPECT("W_UPSTREAM_CVT", "moved", CVT(0, 1, 4), MOV(9, 1), STORE(9, 1));
    EXPECT("W_UPSTREAM_CVT", "from f64", CVT(6, 1, 4), STORE(1, 2));
    EXPECT("W_UPSTREAM_CVT", "once for a file", CVT(0, 1, 4), STORE(1, 2), CVT(0, 3, 4),
           STORE(3, 2));
    EXPECT("W_UPSTREAM_CVT", "by an atomic", CVT(0, 1, 4), 0x3D020100u, 0x03000002u);
}

Test(upstream_cvt, other_uses_are_not_reported) {
    EXPECT("", "a float is stored", CVT(0, 1, 4), STORE(2, 1));
    EXPECT("", "an integer is the address", CVT(2, 1, 4), STORE(1, 2));
    EXPECT("", "the float becomes an integer again", CVT(0, 1, 4), FADD(1, 1, 1), CVT(2, 1, 1),
           STORE(1, 2));
    EXPECT("", "a pair is no address", CVT(7, 1, 4), STORE(1, 2));
    EXPECT("", "something else is written there first", CVT(0, 1, 4), MOV(1, 5), STORE(1, 2));
    EXPECT("", "the store comes first", STORE(1, 2), CVT(0, 1, 4));
    EXPECT("", "a load gives a new value", CVT(0, 1, 4), LOAD(1, 5), STORE(1, 2));
}

Test(upstream_cvt, only_files_like_upstreams_are_checked) {
    const uint32_t code[] = {CVT(0, 1, 4), STORE(1, 2), W_HALT};
    const wb_kernel like = {LIKE_UPSTREAM, .code = code, .words = WB_COUNT(code)};
    wb_kernel other = like;
    expect_of(&like, 1, 0, false, "W_UPSTREAM_CVT", "like it");
    other.workgroup[0] = 128;
    expect_of(&other, 1, 0, false, "", "another workgroup");
    other = like;
    other.local = 64;
    expect_of(&other, 1, 0, false, "", "local memory");
    wb_kernel two[] = {like, like};
    two[1].name = "other";
    expect_of(two, 2, 0, false, "", "two kernels");
    const uint32_t guarded[] = {CVT(0, 1, 4) | 1, STORE(1, 2), W_HALT};
    other = (wb_kernel){LIKE_UPSTREAM, .code = guarded, .words = WB_COUNT(guarded)};
    expect_of(&other, 1, 0, false, "", "a guard, which that compiler never writes");
}
