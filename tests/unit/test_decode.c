/* Decoding and printing of single instructions: every encoding of the ISA reference, and the
 * forms without an example in it. */
#include "wbin_build.h"

#include "frontend/frontend.h"

static void decode(const uint32_t *words, unsigned count, fe_insn *insn, uint32_t *size) {
    uint8_t bytes[8];
    for (unsigned i = 0; i < count; i++)
        wb_put32(bytes + 4 * i, words[i]);
    uint8_t *exact = malloc(4 * count); /* a read past the end would be detected */
    cr_assert_not_null(exact);
    memcpy(exact, bytes, 4 * count);
    fe_decode_one(exact, 4 * count, 0, insn, size);
    free(exact);
}

static void expect_text(uint32_t word0, uint32_t word1, unsigned words, const char *text) {
    fe_insn insn;
    uint32_t size;
    decode((const uint32_t[]){word0, word1}, words, &insn, &size);
    buf out = {0};
    fe_insn_text(&out, &insn, NULL, 3);
    buf_char(&out, 0);
    cr_expect_str_eq((char *)out.data, text, "%08X: expected \"%s\", got \"%s\"", word0, text,
                     (char *)out.data);
    cr_expect_eq(size, 4 * words, "%s takes %u words", text, words);
    buf_free(&out);
}

Test(decode, encodings_of_the_reference_have_their_text) {
#define ENCODING(text, words, word0, word1) expect_text(word0, word1, words, text);
#include "isa_encodings.inc"
#undef ENCODING
}

Test(decode, guards_are_decoded) {
    expect_text(0x00010204, 0x03000000, 2, "@!p0 iadd r1, r2, r3");
    expect_text(0x00010201, 0x03000000, 2, "@p1 iadd r1, r2, r3");
    expect_text(0x00010203, 0x03000000, 2, "@p3 iadd r1, r2, r3");
    expect_text(0x00010207, 0x03000000, 2, "@!p3 iadd r1, r2, r3");
    expect_text(0x3F000092, 0, 1, "@p2 halt");
}

Test(decode, immediates_from_10_on_are_hexadecimal) {
    expect_text(0x41010010, 0, 2, "mov_imm r1, 0");
    expect_text(0x41010010, 9, 2, "mov_imm r1, 9");
    expect_text(0x41010010, 10, 2, "mov_imm r1, 0xA");
    expect_text(0x41010010, 0xFFFFFFFF, 2, "mov_imm r1, 0xFFFFFFFF");
    expect_text(0x41FF0010, 0x10000000, 2, "mov_imm r255, 0x10000000");
}

Test(decode, atomics_without_a_result_omit_the_destination) {
    expect_text(0x3D000200, 0x03000002, 2, "atomic_add r2, r3, .device");
    expect_text(0x3C000200, 0x03000000, 2, "local_atomic_add r2, r3");
    expect_text(0x3D000280, 0x03040003, 2, "atomic_cas r2, r3, r4, .system");
    /* without its destination a load would read back as one with a destination */
    expect_text(0x3D0002C0, 0x00000002, 2, "atomic_load r0, r2, .device");
    expect_text(0x3C0002C0, 0x00000000, 2, "local_atomic_load r0, r2");
}

/* Diagnostics print invalid instructions too. */
Test(decode, invalid_instructions_have_a_text) {
    expect_text(0x2F123456, 0, 1, ".unknown 0x2F ; 2F123456");
    expect_text(0x00000010, 0, 1, ".unknown 0x00 ; 00000010");
    expect_text(0x41011720, 0, 1, "mov r1, sr_23");
    expect_text(0x40FF0380, 0x04FFFF00, 2, "tile_load_a t255, r3, r4, device, col");
    expect_text(0x401000C0, 0x00000600, 2, "mma t16, t0, t0, t0");
    expect_text(0x3F000400, 0, 1, "if p4");
    expect_text(0x28FF0200, 0x03000000, 2, "icmp_eq p255, r2, r3");
}

/* Words by hand from the table of ISA.md 9.2. */
Test(decode, tile_instructions_have_their_text) {
    expect_text(0x40050380, 0x04000200, 2, "tile_load_a_f16 t5, r3, r4, device, row");
    expect_text(0x400F0390, 0x04010100, 2, "tile_load_b_bf16 t15, r3, r4, local, col");
    expect_text(0x400003A0, 0x04050300, 2, "tile_load_c_i32 t0, r3, r4, device, col");
    expect_text(0x400A03B0, 0x04020000, 2, "tile_store_c_f32 t10, r3, r4, local, row");
    expect_text(0x400102C0, 0x03040300, 2, "mma_i8_i32 t1, t2, t3, t4");
    expect_text(0x400203D0, 0x00020000, 2, "tile_fill_c_f32 t2, r3");
}

Test(decode, calls_name_their_target) {
    fe_insn insn;
    uint32_t size;
    decode((const uint32_t[]){W_CALL, 0x1A2C}, 2, &insn, &size);
    cr_expect_eq(insn.imm, 0x1A2C);
    expect_text(W_CALL, 0x1A2C, 2, "call loc_3_1A2C");
    expect_text(W_CALL, 0x4, 2, "call loc_3_0004");
    expect_text(W_CALL, 0x123456, 2, "call loc_3_123456");
    /* After loading, the partner is an index and the text shows the target's position. */
    const uint32_t code[] = {W_CALL, 12, W_HALT, W_RETURN};
    wb_file f = wb_code(code, 4);
    wb_result r = wb_load(&f, WAVE_MODE_STRICT);
    cr_assert_eq(r.status, WAVE_OK);
    const fe_insn *insns = r.module->kernels[0].insns;
    buf out = {0};
    cr_expect_eq(insns[0].partner, 2);
    fe_insn_text(&out, &insns[0], insns, 0);
    buf_char(&out, 0);
    cr_expect_str_eq((char *)out.data, "call loc_0_000C");
    buf_free(&out);
    wb_free(&r);
    free(f.bytes);
}

Test(decode, fields_are_decoded) {
    fe_insn insn;
    uint32_t size;
    decode((const uint32_t[]){0x27010242, 0x03040500}, 2, &insn, &size); /* @p2 bfi r1 … r5 */
    cr_expect_eq(insn.op, ISA_BFI);
    cr_expect_eq(insn.guard, 2);
    for (unsigned i = 0; i < ISA_FIELDS; i++)
        cr_expect_eq(insn.field[i], i + 1);
    cr_expect_eq(insn.imm, 0);
    decode((const uint32_t[]){0x41010010, 0x12345678}, 2, &insn, &size);
    cr_expect_eq(insn.imm, 0x12345678);
    cr_expect_eq(insn.field[ISA_FIELD_RS2], 0, "an immediate holds no registers");
    decode((const uint32_t[]){0x3F0000D0, 0x00000003}, 2, &insn, &size);
    cr_expect_eq(insn.scope, ISA_SCOPE_SYSTEM);
}

Test(decode, a_missing_second_word_is_detected) {
    fe_insn insn;
    uint32_t size;
    decode((const uint32_t[]){0x00010200}, 1, &insn, &size);
    cr_expect_eq(insn.op, ISA_NONE);
    cr_expect_eq(insn.imm, 0x00010200);
    cr_expect_eq(size, 4);
    const uint8_t half[2] = {0};
    fe_decode_one(half, 2, 0, &insn, &size);
    cr_expect_eq(insn.op, ISA_NONE);
}
