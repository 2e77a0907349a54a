/* The disassembler: layout of the text, options, JSON, and files that do not decode. That its text
 * assembles to the same bytes is in test_roundtrip.c. */
#include "asm_helpers.h"

static const char source[] = ".kernel k\n.workgroup_size 64, 1, 1\n.local_memory 128\n"
                             "mov_sr r0, sr_lane_id\nmov_imm r1, 9\nmov_imm r1, 10\n"
                             "@p1 atomic_add r2, r3, device\ncall f\nhalt\nf: @!p0 return\n.end\n"
                             ".kernel\nnop\n.registers 8\n.end\n";

/* Returns the text, for the caller to free. */
static wave_blob listing_of(const void *data, size_t size, wave_dis_options options,
                            wave_status expected, wave_diags *diags) {
    wave_blob text;
    wave_status status = wave_disassemble(data, size, &options, &text, diags);
    cr_assert_eq(status, expected);
    return text;
}

static void expect_listing(wave_dis_options options, const char *expected) {
    assembled a = assemble(source);
    cr_assert_eq(a.status, WAVE_OK);
    wave_blob text = listing_of(a.file.data, a.file.size, options, WAVE_OK, NULL);
    cr_expect_str_eq((const char *)text.data, expected);
    wave_blob_free(&text);
    discard(&a);
}

Test(dis, the_plain_listing_is_complete) {
    expect_listing((wave_dis_options){0}, ".kernel k\n"
                                          ".registers 32\n"
                                          ".workgroup_size 64, 1, 1\n"
                                          ".local_memory 128\n"
                                          "    mov r0, sr_lane_id\n"
                                          "    mov_imm r1, 9\n"
                                          "    mov_imm r1, 0xA\n"
                                          "    @p1 atomic_add r2, r3, .device\n"
                                          "    call loc_0_0028\n"
                                          "    halt\n"
                                          "loc_0_0028:\n"
                                          "    @!p0 return\n"
                                          ".end\n"
                                          "\n"
                                          ".kernel\n"
                                          ".registers 8\n"
                                          "    nop\n"
                                          ".end\n");
}

Test(dis, offsets_and_words_can_be_shown) {
    expect_listing((wave_dis_options){.file_offsets = true, .raw = true},
                   ".kernel k\n"
                   ".registers 32\n"
                   ".workgroup_size 64, 1, 1\n"
                   ".local_memory 128\n"
                   "    0x0020: 41000420  mov r0, sr_lane_id\n"
                   "    0x0024: 41010010  mov_imm r1, 9\n"
                   "        00000009\n"
                   "    0x002C: 41010010  mov_imm r1, 0xA\n"
                   "        0000000A\n"
                   "    0x0034: 3D000201  @p1 atomic_add r2, r3, .device\n"
                   "        03000002\n"
                   "    0x003C: 3F000070  call loc_0_0028\n"
                   "        00000028\n"
                   "    0x0044: 3F000090  halt\n"
                   "loc_0_0028:\n"
                   "    0x0048: 3F000084  @!p0 return\n"
                   ".end\n"
                   "\n"
                   ".kernel\n"
                   ".registers 8\n"
                   "    0x004C: 3F0000F0  nop\n"
                   ".end\n");
}

Test(dis, the_json_listing_is_complete) {
    expect_listing(
        (wave_dis_options){.json = true},
        "{\"extended\":false,\"stripped\":false,\"sections\":[],\"kernels\":[\n"
        "{\"index\":0,\"name\":\"k\",\"registers\":32,\"workgroup_size\":[64,1,1],"
        "\"local_memory\":128,\"code_offset\":0,\"code_size\":44,\"instructions\":[\n"
        "  {\"pc\":0,\"offset\":32,\"words\":[\"0x41000420\"],\"guard\":null,"
        "\"mnemonic\":\"mov_sr\",\"operands\":[\"r0\",\"sr_lane_id\"],"
        "\"text\":\"mov r0, sr_lane_id\"},\n"
        "  {\"pc\":4,\"offset\":36,\"words\":[\"0x41010010\",\"0x00000009\"],\"guard\":null,"
        "\"mnemonic\":\"mov_imm\",\"operands\":[\"r1\",\"9\"],\"text\":\"mov_imm r1, 9\"},\n"
        "  {\"pc\":12,\"offset\":44,\"words\":[\"0x41010010\",\"0x0000000A\"],\"guard\":null,"
        "\"mnemonic\":\"mov_imm\",\"operands\":[\"r1\",\"0xA\"],\"text\":\"mov_imm r1, 0xA\"},\n"
        "  {\"pc\":20,\"offset\":52,\"words\":[\"0x3D000201\",\"0x03000002\"],\"guard\":\"@p1\","
        "\"mnemonic\":\"atomic_add\",\"operands\":[\"r2\",\"r3\",\".device\"],"
        "\"text\":\"@p1 atomic_add r2, r3, .device\"},\n"
        "  {\"pc\":28,\"offset\":60,\"words\":[\"0x3F000070\",\"0x00000028\"],\"guard\":null,"
        "\"mnemonic\":\"call\",\"operands\":[\"loc_0_0028\"],\"text\":\"call loc_0_0028\"},\n"
        "  {\"pc\":36,\"offset\":68,\"words\":[\"0x3F000090\"],\"guard\":null,"
        "\"mnemonic\":\"halt\",\"operands\":[],\"text\":\"halt\"},\n"
        "  {\"pc\":40,\"offset\":72,\"label\":\"loc_0_0028\",\"words\":[\"0x3F000084\"],"
        "\"guard\":\"@!p0\",\"mnemonic\":\"return\",\"operands\":[],\"text\":\"@!p0 return\"}]},\n"
        "{\"index\":1,\"name\":null,\"registers\":8,\"workgroup_size\":[0,0,0],"
        "\"local_memory\":0,\"code_offset\":44,\"code_size\":4,\"instructions\":[\n"
        "  {\"pc\":0,\"offset\":76,\"words\":[\"0x3F0000F0\"],\"guard\":null,"
        "\"mnemonic\":\"nop\",\"operands\":[],\"text\":\"nop\"}]}]}\n");
}

/* The same characters with and without colours. */
Test(dis, colors_only_add_escapes) {
    assembled a = assemble(source);
    wave_blob plain = listing_of(a.file.data, a.file.size, (wave_dis_options){0}, WAVE_OK, NULL);
    wave_blob bright =
        listing_of(a.file.data, a.file.size, (wave_dis_options){.color = true}, WAVE_OK, NULL);
    size_t kept = 0;
    for (size_t i = 0; i < bright.size; i++) {
        if (bright.data[i] == 0x1B)
            while (bright.data[i] != 'm')
                i++;
        else
            bright.data[kept++] = bright.data[i];
    }
    cr_expect_gt(bright.size, plain.size);
    cr_assert_eq(kept, plain.size);
    cr_expect(memcmp(bright.data, plain.data, kept) == 0);
    wave_blob_free(&plain);
    wave_blob_free(&bright);
    discard(&a);
}

/* ---- Words that do not decode ---- */

/* A file with one kernel of these words. */
static wave_blob with_words(const uint32_t *words, size_t count) {
    char text[512] = ".kernel k\n";
    for (size_t i = 0; i < count; i++)
        strcat(text, "nop\n");
    strcat(text, ".end\n");
    assembled a = assemble(text);
    cr_assert_eq(a.status, WAVE_OK);
    for (size_t i = 0; i < count * 4; i++)
        a.file.data[32 + i] = (uint8_t)(words[i / 4] >> (i % 4 * 8));
    wave_diags_destroy(a.diags);
    return a.file;
}

Test(dis, unknown_words_are_listed_and_reported) {
    static const uint32_t words[] = {0x3F0000F0, 0x2F000000, 0x1B0102F0, 0x3F0000F0, 0x00010200};
    wave_blob file = with_words(words, 5);
    wave_diags *diags = wave_diags_create(0);
    wave_blob text =
        listing_of(file.data, file.size, (wave_dis_options){0}, WAVE_ERROR_INPUT, diags);
    cr_expect_str_eq((const char *)text.data, ".kernel k\n.registers 32\n    nop\n"
                                              "    .unknown 0x2F ; 2F000000\n"
                                              "    .unknown 0x1B ; 1B0102F0\n"
                                              "    nop\n"
                                              "    .unknown 0x00 ; 00010200\n.end\n");
    cr_assert_eq(wave_diags_count(diags), 3);
    static const char *const codes[] = {"E_OPCODE", "E_MODIFIER", "E_TRUNCATED"};
    static const int64_t offsets[] = {4, 8, 16};
    for (size_t i = 0; i < 3; i++) {
        cr_expect_str_eq(wave_diags_at(diags, i)->code, codes[i]);
        cr_expect_eq(wave_diags_at(diags, i)->offset, offsets[i]);
        cr_expect_str_eq(wave_diags_at(diags, i)->kernel, "k");
    }
    wave_blob_free(&text);
    text = listing_of(file.data, file.size, (wave_dis_options){.json = true, .raw = true},
                      WAVE_ERROR_INPUT, NULL);
    cr_expect(strstr((const char *)text.data,
                     "{\"pc\":4,\"offset\":36,\"words\":[\"0x2F000000\"],\"guard\":null,"
                     "\"mnemonic\":null,\"operands\":[],\"text\":\".unknown 0x2F ; 2F000000\"}"));
    wave_blob_free(&text);
    wave_blob_free(&file);
    wave_diags_destroy(diags);
}

/* Files that the validator rejects are still listed. */
Test(dis, invalid_but_decodable_code_is_listed) {
    static const uint32_t words[] = {0x3F000020, 0x28090200, 0x03000000, 0x3F000101, 0x41010F28};
    wave_blob file = with_words(words, 5);
    wave_blob text = listing_of(file.data, file.size, (wave_dis_options){0}, WAVE_OK, NULL);
    cr_expect_str_eq((const char *)text.data, ".kernel k\n.registers 32\n    endif\n"
                                              "    icmp_eq p9, r2, r3\n"
                                              "    @p1 if p1\n"
                                              "    mov r1, sr_num_waves\n.end\n");
    wave_blob_free(&text);
    wave_blob_free(&file);
}

Test(dis, upstreams_compare_and_swap_is_reported_and_can_be_fixed) {
    static const uint32_t words[] = {0x3D010200, 0x03040002, 0x3C010200, 0x03040000};
    wave_blob file = with_words(words, 4);
    wave_diags *diags = wave_diags_create(0);
    wave_blob text = listing_of(file.data, file.size, (wave_dis_options){0}, WAVE_OK, diags);
    cr_expect(strstr((const char *)text.data, "    atomic_add r1, r2, r3, .device\n"));
    cr_assert_eq(wave_diags_count(diags), 2);
    cr_expect_str_eq(wave_diags_at(diags, 0)->code, "W_UPSTREAM_CAS");
    wave_blob_free(&text);
    text = listing_of(file.data, file.size, (wave_dis_options){.load = {.fix_upstream_cas = true}},
                      WAVE_OK, NULL);
    cr_expect(strstr((const char *)text.data, "    atomic_cas r1, r2, r3, r4, .device\n"
                                              "    local_atomic_cas r1, r2, r3, r4\n"));
    wave_blob_free(&text);
    wave_blob_free(&file);
    wave_diags_destroy(diags);
}

Test(dis, bad_containers_are_refused) {
    wave_blob text;
    wave_diags *diags = wave_diags_create(0);
    cr_expect_eq(wave_disassemble("WAVE", 4, NULL, &text, diags), WAVE_ERROR_INPUT);
    cr_expect_null(text.data);
    cr_expect_str_eq(wave_diags_at(diags, 0)->code, "E_TOO_SMALL");
    cr_expect_eq(wave_disassemble(NULL, 0, NULL, &text, NULL), WAVE_ERROR_INPUT);
    cr_expect_eq(wave_disassemble(NULL, 4, NULL, &text, NULL), WAVE_ERROR_USAGE);
    cr_expect_eq(wave_disassemble("WAVE", 4, NULL, NULL, NULL), WAVE_ERROR_USAGE);
    wave_diags_destroy(diags);
}

/* In upstream's stripped files the offset of the metadata is lost. */
Test(dis, upstreams_stripped_files_need_compat) {
    static const char text[] = ".kernel k\nnop\n.end\n";
    assembled a = assemble_bytes(text, sizeof text - 1,
                                 (wave_asm_options){.compat_upstream = true, .no_symbols = true});
    wave_blob out =
        listing_of(a.file.data, a.file.size, (wave_dis_options){0}, WAVE_ERROR_INPUT, NULL);
    cr_expect_null(out.data);
    out = listing_of(a.file.data, a.file.size, (wave_dis_options){.load = {.compat = true}},
                     WAVE_OK, NULL);
    cr_expect_str_eq((const char *)out.data, ".kernel\n.registers 32\n    nop\n.end\n");
    wave_blob_free(&out);
    discard(&a);
}
