/* The WBIN container: the reference's own file, every rejection rule with its code in every mode,
 * truncation at every length and every single-bit flip. */
#include "wbin_build.h"

#include "frontend/frontend.h"

static const uint32_t code_a[] = {W_NOP, W_HALT};
static const uint32_t code_b[] = {W_NOP, W_NOP, W_HALT};

static wb_file two_kernels(void) {
    const wb_kernel kernels[] = {{.name = "a", .registers = 32, .code = code_a, .words = 2},
                                 {.name = "bb",
                                  .registers = 200,
                                  .local = 128,
                                  .workgroup = {64, 2, 1},
                                  .code = code_b,
                                  .words = 3}};
    return wb_build(kernels, 2, 0);
}

/* Section 1.7 of the reference: a file of the real assembler. */
static const uint8_t golden[] = {
    0x57, 0x41, 0x56, 0x45, 0x01, 0x00, 0x00, 0x00, 0x20, 0, 0, 0, 0x14, 0, 0, 0, 0x34, 0, 0, 0,
    0x05, 0, 0, 0, 0x39, 0, 0, 0, 0x44, 0, 0, 0,
    /* code */
    0xf0, 0, 0, 0x3f, 0x90, 0, 0, 0x3f, 0xf0, 0, 0, 0x3f, 0xf0, 0, 0, 0x3f, 0x90, 0, 0, 0x3f,
    /* names and count */
    0x61, 0, 0x62, 0x62, 0, 0x02, 0, 0, 0,
    /* records */
    0x34, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x08,
    0, 0, 0, 0x36, 0, 0, 0, 0x2c, 0x01, 0, 0, 0x80, 0, 0, 0, 0x40, 0, 0, 0, 0x02, 0, 0, 0, 0x01, 0,
    0, 0, 0x08, 0, 0, 0, 0x0c, 0, 0, 0};

Test(container, the_golden_file_is_read) {
    wb_expect_with(golden, sizeof golden, (wave_load_options){0}, "E_REGISTER_COUNT", "default");
    wb_result r =
        wb_load_with(golden, sizeof golden, (wave_load_options){.mode = WAVE_MODE_LENIENT});
    cr_assert_eq(r.status, WAVE_OK);
    cr_assert_eq(wave_module_kernel_count(r.module), 2);
    const wave_kernel_info *a = wave_module_kernel(r.module, 0);
    const wave_kernel_info *b = wave_module_kernel(r.module, 1);
    cr_expect_str_eq(a->name, "a");
    cr_expect_eq(a->registers, 32);
    cr_expect_eq(a->workgroup[0], 0);
    cr_expect_eq(a->instructions, 2);
    cr_expect_str_eq(b->name, "bb");
    cr_expect_eq(b->registers, 300);
    cr_expect_eq(b->local_memory, 128);
    cr_expect_eq(b->workgroup[0], 64);
    cr_expect_eq(b->workgroup[1], 2);
    cr_expect_eq(b->code_offset, 8);
    cr_expect_eq(b->code_size, 12);
    cr_expect_eq(wave_module_find_kernel(r.module, "bb"), 1);
    cr_expect_eq(wave_module_find_kernel(r.module, "b"), -1);
    cr_expect_null(wave_module_kernel(r.module, 2));
    wb_free(&r);
}

/* The library's writer against the same bytes. */
Test(container, the_writer_produces_the_golden_file) {
    const uint8_t *code = golden + 32;
    const fe_record records[] = {
        {.name = "a", .name_length = 1, .registers = 32, .code = code, .code_size = 8},
        {.name = "bb",
         .name_length = 2,
         .registers = 300,
         .local_memory = 128,
         .workgroup = {64, 2, 1},
         .code = code + 8,
         .code_size = 12}};
    buf out = {0};
    cr_assert(fe_write_container(records, 2, false, false, false, NULL, &out));
    cr_assert_eq(out.size, sizeof golden);
    cr_expect_arr_eq(out.data, golden, sizeof golden);
    buf_free(&out);
    /* Stripped: our writer records the offset of the metadata, upstream's writes 0. */
    cr_assert(fe_write_container(records, 2, true, true, false, NULL, &out));
    cr_expect_eq(out.data[6], 1);
    cr_expect_eq(wb_get32(out.data + 16), 0);
    cr_expect_eq(wb_get32(out.data + 24), 52);
    cr_expect_eq(wb_get32(out.data + 56), 0, "no name");
    buf_free(&out);
    cr_assert(fe_write_container(records, 2, false, true, true, NULL, &out));
    cr_expect_eq(wb_get32(out.data + 24), 0);
    buf_free(&out);
}

Test(container, kernels_are_found) {
    wb_file f = two_kernels();
    wb_result r = wb_load(&f, WAVE_MODE_STRICT);
    cr_assert_eq(r.status, WAVE_OK);
    cr_expect_eq(wave_diags_count(r.diags), 0);
    cr_expect_eq(wave_module_find_kernel(r.module, "a"), 0);
    wb_free(&r);
    free(f.bytes);
}

/* One change to a valid file, and the verdict of each mode. The offset is relative to the header
 * ('h'), the symbols ('s') or the metadata ('m'). */
typedef struct change {
    const char *what;
    char section;
    unsigned offset, size;
    uint32_t value;
    const char *strict, *lenient;
} change;

static const change changes[] = {
    {"magic", 'h', 0, 1, 'w', "E_MAGIC", "E_MAGIC"},
    {"magic's last byte", 'h', 3, 1, 'F', "E_MAGIC", "E_MAGIC"},
    {"version 0", 'h', 4, 2, 0, "E_VERSION", "E_VERSION"},
    {"version 2", 'h', 4, 2, 2, "E_VERSION", "E_VERSION"},
    {"EXT is defined", 'h', 6, 2, 1, "", ""},
    {"flag 1", 'h', 6, 2, 2, "E_FLAGS", "E_FLAGS"},
    {"flag 15", 'h', 6, 2, 0x8000, "E_FLAGS", "E_FLAGS"},
    {"code in the header", 'h', 8, 4, 28, "E_OVERLAP E_MODIFIER", "E_OVERLAP? E_MODIFIER"},
    {"misaligned code", 'h', 8, 4, 33, "E_ALIGNMENT E_OVERLAP", "E_ALIGNMENT E_OVERLAP?"},
    {"code after the file", 'h', 8, 4, 0xFFFFFFF0, "E_SECTION", "E_SECTION"},
    {"misaligned code size", 'h', 12, 4, 18, "E_ALIGNMENT E_KERNEL_CODE",
     "E_ALIGNMENT E_KERNEL_CODE"},
    {"code size wraps", 'h', 12, 4, 0xFFFFFFF4, "E_SECTION", "E_SECTION"},
    {"code into the symbols", 'h', 12, 4, 24, "E_OVERLAP", "E_OVERLAP?"},
    {"symbols after the file", 'h', 16, 4, 0x10000, "E_SECTION", "E_SECTION"},
    {"symbols wrap", 'h', 20, 4, 0xFFFFFFFF, "E_SECTION", "E_SECTION"},
    {"symbols into the metadata", 'h', 20, 4, 6, "E_OVERLAP", "E_OVERLAP?"},
    {"metadata after the file", 'h', 24, 4, 0x7FFFFFFF, "E_SECTION", "E_SECTION"},
    {"metadata too large", 'h', 28, 4, 69, "E_SECTION", "E_SECTION"},
    {"no room for a count", 'h', 28, 4, 3, "E_META_SIZE E_TRAILING", "E_META_SIZE E_TRAILING?"},
    {"metadata too small", 'h', 28, 4, 67, "E_META_SIZE E_TRAILING", "E_META_SIZE E_TRAILING?"},
    {"no kernels", 'm', 0, 4, 0, "E_NO_KERNELS", "E_NO_KERNELS"},
    {"one kernel fewer", 'm', 0, 4, 1, "", ""},
    {"three kernels", 'm', 0, 4, 3, "E_META_SIZE", "E_META_SIZE"},
    {"a count that wraps", 'm', 0, 4, 0x08000000, "E_META_SIZE", "E_META_SIZE"},
    {"the largest count", 'm', 0, 4, 0xFFFFFFFF, "E_META_SIZE", "E_META_SIZE"},
    {"anonymous", 'm', 4, 4, 0, "", ""},
    {"name in the header", 'm', 4, 4, 1, "E_NAME W_NAME", "E_NAME? W_NAME"},
    {"name after the file", 'm', 4, 4, 0x10000, "E_NAME", "E_NAME?"},
    {"name ends after the symbols", 's', 4, 1, 'x', "E_NAME W_NAME", "E_NAME? W_NAME"},
    {"empty name", 's', 0, 1, 0, "E_NAME", "E_NAME?"},
    {"name is not UTF-8", 's', 0, 1, 0xFF, "E_NAME W_NAME", "E_NAME? W_NAME"},
    {"name ends in half a letter", 's', 3, 1, 0xC3, "E_NAME W_NAME", "E_NAME? W_NAME"},
    {"name is not an identifier", 's', 0, 1, '1', "W_NAME", "W_NAME"},
    {"same names", 'm', 36, 4, 52, "E_DUPLICATE_NAME", "E_DUPLICATE_NAME?"},
    {"default registers", 'm', 8, 4, 0, "", ""},
    {"256 registers", 'm', 8, 4, 256, "", ""},
    {"257 registers", 'm', 8, 4, 257, "E_REGISTER_COUNT", "E_REGISTER_COUNT?"},
    {"65536 bytes", 'm', 12, 4, 65536, "", ""},
    {"65537 bytes", 'm', 12, 4, 65537, "E_LOCAL_SIZE", "E_LOCAL_SIZE"},
    {"only x", 'm', 16, 4, 64, "E_WORKGROUP_SIZE", "E_WORKGROUP_SIZE"},
    {"1024 threads", 'm', 48, 4, 512, "", ""},
    {"1026 threads", 'm', 48, 4, 513, "E_WORKGROUP_SIZE", "E_WORKGROUP_SIZE"},
    {"threads wrap", 'm', 48, 4, 0x80000000, "E_WORKGROUP_SIZE", "E_WORKGROUP_SIZE"},
    {"z is 0", 'm', 56, 4, 0, "E_WORKGROUP_SIZE", "E_WORKGROUP_SIZE"},
    {"misaligned kernel", 'm', 28, 4, 2, "E_ALIGNMENT", "E_ALIGNMENT"},
    {"kernel after the code", 'm', 28, 4, 16, "E_KERNEL_CODE", "E_KERNEL_CODE"},
    {"kernel offset wraps", 'm', 28, 4, 0xFFFFFFFC, "E_KERNEL_CODE", "E_KERNEL_CODE"},
    {"misaligned kernel size", 'm', 32, 4, 7, "E_ALIGNMENT W_NO_TERMINATOR",
     "E_ALIGNMENT W_NO_TERMINATOR"},
    {"kernel without code", 'm', 32, 4, 0, "E_KERNEL_CODE", "E_KERNEL_CODE"},
    {"kernel size wraps", 'm', 32, 4, 0xFFFFFFFC, "E_KERNEL_CODE", "E_KERNEL_CODE"},
    {"kernels share code", 'm', 32, 4, 20, "E_KERNEL_CODE", "E_KERNEL_CODE"},
};

static uint8_t *place(const wb_file *f, const change *c) {
    uint32_t base = c->section == 's' ? f->symbols : c->section == 'm' ? f->metadata : 0;
    return f->bytes + base + c->offset;
}

Test(container, every_rule_has_its_code) {
    for (size_t i = 0; i < WB_COUNT(changes); i++) {
        const change *c = &changes[i];
        wb_file f = two_kernels();
        for (unsigned b = 0; b < c->size; b++)
            place(&f, c)[b] = (uint8_t)(c->value >> (8 * b));
        wb_expect(&f, WAVE_MODE_DEFAULT, c->strict, c->what);
        wb_expect(&f, WAVE_MODE_STRICT, c->strict, c->what);
        wb_expect(&f, WAVE_MODE_LENIENT, c->lenient, c->what);
        free(f.bytes);
    }
}

/* The last name of a file may be unterminated: an error in every mode. */
Test(container, a_name_without_an_end_is_refused) {
    const wb_kernel k = {.name = "name", .registers = 32, .code = code_a, .words = 2};
    wb_file f = wb_build(&k, 1, 0);
    /* Swap the sections: the symbols go last, and lose their NUL. */
    uint8_t swapped[200];
    memcpy(swapped, f.bytes, 32 + 8);
    memcpy(swapped + 40, f.bytes + f.metadata, 36);
    memcpy(swapped + 76, "name", 4);
    wb_put32(swapped + 16, 76);
    wb_put32(swapped + 20, 4);
    wb_put32(swapped + 24, 40);
    wb_put32(swapped + 44, 76);
    wb_expect_with(swapped, 80, (wave_load_options){0}, "E_NAME", "default");
    wb_expect_with(swapped, 80, (wave_load_options){.mode = WAVE_MODE_LENIENT}, "E_NAME",
                   "lenient");
    swapped[79] = 0;
    wb_expect_with(swapped, 80, (wave_load_options){.mode = WAVE_MODE_STRICT}, "", "ended");
    free(f.bytes);
}

Test(container, trailing_bytes_are_accepted_only_in_lenient_mode) {
    wb_file f = two_kernels();
    f.bytes = realloc(f.bytes, f.size + 1);
    f.bytes[f.size++] = 0;
    wb_expect(&f, WAVE_MODE_DEFAULT, "E_TRAILING", "default");
    wb_expect(&f, WAVE_MODE_STRICT, "E_TRAILING", "strict");
    wb_expect(&f, WAVE_MODE_LENIENT, "E_TRAILING?", "lenient");
    free(f.bytes);
}

/* The output of upstream's assembler with --no-symbols: the metadata exists, its offset is 0. */
Test(container, stripped_files_of_upstream_need_compat) {
    const wb_kernel k = {.registers = 32, .code = code_a, .words = 2};
    wb_file f = wb_build(&k, 1, 0);
    wb_expect(&f, WAVE_MODE_STRICT, "", "ours");
    wb_put32(f.bytes + 24, 0);
    const wave_load_options strict = {.mode = WAVE_MODE_STRICT, .compat = true};
    wb_expect(&f, WAVE_MODE_DEFAULT, "E_META_OFFSET", "default");
    wb_expect(&f, WAVE_MODE_STRICT, "E_META_OFFSET", "strict");
    wb_expect(&f, WAVE_MODE_LENIENT, "E_META_OFFSET?", "lenient");
    wb_expect_with(f.bytes, f.size, strict, "E_META_OFFSET?", "compat");
    wb_result r = wb_load_with(f.bytes, f.size, strict);
    cr_assert_eq(r.status, WAVE_OK);
    cr_expect_str_eq(wave_module_kernel(r.module, 0)->name, "");
    wb_free(&r);
    free(f.bytes);
}

Test(container, repaired_names_are_utf8) {
    wb_file f = two_kernels();
    f.bytes[f.symbols] = 0xFF;
    wb_result r = wb_load(&f, WAVE_MODE_LENIENT);
    cr_assert_eq(r.status, WAVE_OK);
    cr_expect_str_eq(wave_module_kernel(r.module, 0)->name, "\xEF\xBF\xBD");
    wb_free(&r);
    free(f.bytes);
}

Test(container, utf8_is_checked_strictly) {
    static const struct {
        const char *name;
        bool good;
    } names[] = {{"\xC3\xA4", true},
                 {"\xE2\x82\xAC", true},
                 {"\xF0\x9F\x8C\x8A", true},
                 {"\xF4\x8F\xBF\xBF", true},
                 {"\xC0\x80", false},
                 {"\xC1\xBF", false},
                 {"\xE0\x9F\xBF", false},
                 {"\xED\xA0\x80", false},
                 {"\xED\x9F\xBF", true},
                 {"\xF0\x8F\xBF\xBF", false},
                 {"\xF4\x90\x80\x80", false},
                 {"\xF5\x80\x80\x80", false},
                 {"\x80", false},
                 {"a\xE2\x82", false}};
    for (size_t i = 0; i < WB_COUNT(names); i++) {
        const wb_kernel k = {.name = names[i].name, .registers = 32, .code = code_a, .words = 2};
        wb_file f = wb_build(&k, 1, 0);
        wb_expect(&f, WAVE_MODE_STRICT, names[i].good ? "W_NAME" : "E_NAME W_NAME", names[i].name);
        free(f.bytes);
    }
}

/* Loading many records that point into one long string must not take time proportional to the
 * product of their number and its length. */
Test(container, overlapping_names_are_bounded) {
    enum { KERNELS = 20000, NAME = 1000000 };
    wb_kernel *kernels = calloc(KERNELS, sizeof *kernels);
    char *name = malloc(NAME + 1);
    cr_assert(kernels && name);
    memset(name, 'n', NAME);
    name[NAME] = 0;
    for (size_t i = 0; i < KERNELS; i++)
        kernels[i] = (wb_kernel){.registers = 32, .code = code_a, .words = 2};
    kernels[0].name = name;
    wb_file f = wb_build(kernels, KERNELS, 0);
    for (uint32_t i = 1; i < KERNELS; i++)
        wb_put32(f.bytes + f.metadata + 4 + 32 * i, f.symbols + i);
    wb_result r = wb_load(&f, WAVE_MODE_DEFAULT);
    cr_expect_eq(r.status, WAVE_ERROR_INPUT);
    cr_expect_str_eq(wave_diags_at(r.diags, 0)->code, "E_NAME");
    wb_free(&r);
    free(f.bytes);
    free(kernels);
    free(name);
}

Test(container, files_smaller_than_a_header_are_refused) {
    static const char magic[] = "WAVE";
    for (size_t size = 0; size <= 4; size++)
        wb_expect_with(magic, size, (wave_load_options){0}, "E_TOO_SMALL", "prefix");
    wb_expect_with("ELF!", 4, (wave_load_options){0}, "E_MAGIC", "another file");
}

static void load_all_modes(const uint8_t *bytes, size_t size) {
    for (int mode = WAVE_MODE_DEFAULT; mode <= WAVE_MODE_LENIENT; mode++) {
        /* A copy of exactly this size: the sanitizer detects a read past the end. */
        uint8_t *copy = malloc(size ? size : 1);
        cr_assert_not_null(copy);
        memcpy(copy, bytes, size);
        wb_result r = wb_load_with(copy, size, (wave_load_options){.mode = (wave_mode)mode});
        wb_free(&r);
        free(copy);
    }
}

Test(container, every_truncation_is_refused) {
    wb_file f = two_kernels();
    for (size_t size = 0; size < f.size; size++) {
        wb_result r = wb_load_with(f.bytes, size, (wave_load_options){0});
        cr_expect_eq(r.status, WAVE_ERROR_INPUT, "%zu bytes", size);
        wb_free(&r);
        load_all_modes(f.bytes, size);
    }
    free(f.bytes);
}

/* A file with control flow, calls, immediates, pairs and two kernels. */
static wb_file rich_file(void) {
    static const uint32_t main_code[] = {0x41010F20, /* mov r1, sr_num_waves */
                                         0x41020010,
                                         0x12345678, /* mov_imm r2, … */
                                         0x28010220,
                                         0x02000000, /* icmp_lt p1, r2, r2 */
                                         W_IF_P1,
                                         0x00010200,
                                         0x03000000,
                                         W_ELSE,
                                         W_NOP,
                                         W_ENDIF,
                                         W_LOOP,
                                         W_BREAK_P2,
                                         W_ENDLOOP,
                                         0x1E020400,
                                         0x06000000, /* dadd r2, r4, r6 */
                                         0x3D010200,
                                         0x03000002, /* atomic_add … .device */
                                         W_CALL,
                                         84,
                                         W_HALT,
                                         /* 84: */ 0x38040140,
                                         W_RETURN};
    const wb_kernel kernels[] = {
        {.name = "main", .registers = 32, .code = main_code, .words = WB_COUNT(main_code)},
        {.name = "b", .registers = 8, .workgroup = {8, 8, 1}, .code = code_b, .words = 3}};
    return wb_build(kernels, 2, 0);
}

Test(container, every_bit_flip_is_survived) {
    wb_file f = rich_file();
    wb_expect(&f, WAVE_MODE_STRICT, "", "unchanged");
    for (size_t bit = 0; bit < f.size * 8; bit++) {
        f.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        load_all_modes(f.bytes, f.size);
        f.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    free(f.bytes);
}

Test(container, wrong_calls_of_the_api_are_refused) {
    wave_module *module = NULL;
    const wave_load_options bad = {.mode = (wave_mode)7};
    cr_expect_eq(wave_module_load("WAVE", 4, NULL, NULL, NULL), WAVE_ERROR_USAGE);
    cr_expect_eq(wave_module_load(NULL, 4, NULL, &module, NULL), WAVE_ERROR_USAGE);
    cr_expect_eq(wave_module_load("WAVE", 4, &bad, &module, NULL), WAVE_ERROR_USAGE);
    cr_expect_eq(wave_module_load("WAVE", 4, NULL, &module, NULL), WAVE_ERROR_INPUT);
    cr_expect_null(module);
    wave_module_destroy(NULL);
}
