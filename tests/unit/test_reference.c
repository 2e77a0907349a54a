/* The comparison of a target's memory with the emulator's, on which the harnesses and hwtest rely:
 * what counts as the same NaN, and that nothing else does. */
#include "runner/reference.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel that stores these two words where no expectation covers them. */
static ref_case stored(uint32_t low, uint32_t high) {
    static char source[500];
    ref_case c;
    int size = snprintf(source, sizeof source,
                        ";@ test t\n;@ widths 32\n;@ group 1\n;@ buffer o u32 4\n;@ args o\n"
                        ";@ expect o[2..3] = 0\n.kernel k\n.registers 8\n mov_imm r2, 0x%X\n"
                        " mov_imm r3, 0x%X\n device_store_u64 r0, r2\n halt\n.end\n",
                        low, high);
    cr_assert_eq(ref_open_text(&c, "t", source, (size_t)size, TF_PTX, 32), REF_READY);
    return c;
}

static bool equals(const ref_case *c, uint32_t low, uint32_t high, ref_mode mode) {
    const uint32_t words[2] = {low, high};
    char report[300];
    uint8_t *memory = ref_fresh_memory(c);
    memcpy(memory + c->run.places[0].address, words, sizeof words);
    bool same = ref_compare(c, memory, mode, report, sizeof report);
    free(memory);
    return same;
}

Test(reference, nans_of_a_target_may_have_other_bits) {
    static const struct {
        uint32_t emulator[2], target[2];
        bool same;
    } cases[] = {
        {{7, 0x7FC00000}, {7, 0x7FFFFFFF}, true}, /* f32 */
        {{7, 0xFFC00000}, {7, 0x7F800001}, true},
        {{7, 0x7FC00000}, {7, 0x7F800000}, false}, /* infinity */
        {{0, 0x7FF80000}, {0, 0xFFF80000}, true},  /* f64 */
        {{0, 0x7FF80000}, {1, 0x7FF00000}, true},
        {{0, 0x7FF80000}, {0, 0x7FF00000}, false},
        {{0x7E003C00, 7}, {0xFFFF3C00, 7}, true}, /* f16, bf16 */
        {{0x3F807FC0, 7}, {0x3F80FFFF, 7}, true},
        {{0x7E003C00, 7}, {0x7C003C00, 7}, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ref_case c = stored(cases[k].emulator[0], cases[k].emulator[1]);
        const uint32_t *t = cases[k].target;
        cr_expect_eq(equals(&c, t[0], t[1], REF_SAME_BUT_NAN), cases[k].same, "case %zu", k);
        cr_expect_not(equals(&c, t[0], t[1], REF_SAME), "case %zu", k);
        cr_expect(equals(&c, t[0], t[1], REF_EXPECTED), "case %zu", k);
        ref_close(&c);
    }
}

/* As an f64, a word before -1 belongs to a NaN. */
Test(reference, integers_that_look_like_nans_must_be_the_same) {
    ref_case c = stored(5, UINT32_MAX);
    cr_expect(equals(&c, 5, UINT32_MAX, REF_SAME_BUT_NAN));
    cr_expect_not(equals(&c, 77, UINT32_MAX, REF_SAME_BUT_NAN));
    cr_expect_not(equals(&c, 5, UINT32_MAX - 1, REF_SAME_BUT_NAN));
    ref_close(&c);
}
