/* The extension table of WBIN files: the meaning of its sections, and every way they can be wrong.
 * The files are built byte by byte from the rules of the reference. */
#include "wbin_build.h"

#include "frontend/frontend.h"

static const uint32_t code_a[] = {W_NOP, W_NOP, W_HALT};
static const uint32_t code_b[] = {0x41010010, 5, W_HALT}; /* mov_imm r1, 5 */

typedef struct part {
    const char *tag;
    const void *bytes;
    uint32_t size;
} part;

enum { EXT = 1, TABLE = 4 + 2 * 32 };

/* Two kernels, the table after their records, and the parts after the metadata. */
static wb_file with_parts(const part *parts, uint32_t count, unsigned flags) {
    const wb_kernel kernels[] = {{.name = "a", .registers = 8, .code = code_a, .words = 3},
                                 {.name = "b", .registers = 8, .code = code_b, .words = 3}};
    wb_file f = wb_build(kernels, 2, flags);
    uint32_t table = 8 + 12 * count, end = (uint32_t)f.size + table, at = end;
    for (uint32_t i = 0; i < count; i++)
        end += parts[i].size;
    f.bytes = realloc(f.bytes, end);
    cr_assert_not_null(f.bytes);
    uint8_t *to = f.bytes + f.size;
    memcpy(to, "WEXT", 4);
    wb_put32(to + 4, count);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(to + 8 + 12 * i, parts[i].tag, 4);
        wb_put32(to + 12 + 12 * i, at);
        wb_put32(to + 16 + 12 * i, parts[i].size);
        if (parts[i].size)
            memcpy(f.bytes + at, parts[i].bytes, parts[i].size);
        at += parts[i].size;
    }
    wb_put32(f.bytes + 28, TABLE + table);
    f.size = end;
    return f;
}

static uint8_t *row_of(const wb_file *f, uint32_t index) {
    return f->bytes + f->metadata + TABLE + 8 + 12 * index;
}

#define U32(v) (uint8_t)((v)&0xFF), (uint8_t)((v) >> 8 & 0xFF), 0, 0
#define ARG(name, kind, type, access, flags, first, words)                                         \
    U32(name), kind, type, access, flags, first, 0, words, 0

/* x: an f32 buffer that is read, restrict; n: u64; then a local buffer; kernel b declares nothing.
 */
static const uint8_t args[] = {U32(5),
                               0,
                               'x',
                               0,
                               'n',
                               0,
                               0,
                               0,
                               0,
                               U32(3),
                               ARG(1, 1, 2, 1, 1, 0, 1),
                               ARG(3, 0, 3, 1, 0, 1, 2),
                               ARG(0, 2, 2, 3, 0, 3, 0),
                               U32(0)};
static const uint8_t lines[] = {
    U32(7), 0,      'k',    '.', 'w', 'a', 'v', 0,      0,      U32(2),  U32(4), U32(7), 1, 0, 3,
    0,      U32(8), U32(9), 1,   0,   0,   0,   U32(1), U32(0), U32(20), 0,      0,      0, 0};
static const uint8_t text[] = {U32(9), U32(5), 'h', 'e', 'l', 'l', 'o', 0, 0, 0, U32(2), U32(0)};
static const uint8_t priv[] = {U32(0), U32(64)};
static const uint8_t cnst[] = {1, 2, 3};
#define NAME(name, kind, number, width) U32(name), kind, number, width, 0
/* In kernel a: i is r3, v the pair r6, and a second i is p2; in b: i is r7. */
static const uint8_t regs[] = {U32(5),
                               0,
                               'i',
                               0,
                               'v',
                               0,
                               0,
                               0,
                               0,
                               U32(3),
                               NAME(1, 0, 3, 1),
                               NAME(3, 0, 6, 2),
                               NAME(1, 1, 2, 1),
                               U32(1),
                               NAME(1, 0, 7, 1)};

static const part all[] = {{"ARGS", args, sizeof args}, {"line", lines, sizeof lines},
                           {"text", text, sizeof text}, {"PRIV", priv, sizeof priv},
                           {"CNST", cnst, sizeof cnst}, {"regs", regs, sizeof regs}};
enum { ALL = sizeof all / sizeof *all };

static void expect_arguments(const wave_module *m) {
    const wave_kernel_info *a = wave_module_kernel(m, 0), *b = wave_module_kernel(m, 1);
    cr_assert_eq(a->arguments, 3);
    cr_expect_eq(a->argument_words, 3);
    cr_expect_eq(b->arguments, 0);
    cr_expect_eq(b->private_memory, 64);
    const wave_argument *x = wave_module_argument(m, 0, 0), *n = wave_module_argument(m, 0, 1);
    cr_expect_str_eq(x->name, "x");
    cr_expect(x->kind == WAVE_ARGUMENT_BUFFER && x->type == WAVE_TYPE_F32);
    cr_expect(x->access == WAVE_ARGUMENT_READ && x->flags == WAVE_ARGUMENT_RESTRICT);
    cr_expect_str_eq(n->name, "n");
    cr_expect(n->type == WAVE_TYPE_U64 && n->first_word == 1 && n->words == 2);
    cr_expect_str_eq(wave_module_argument(m, 0, 2)->name, "");
    cr_expect_null(wave_module_argument(m, 0, 3));
    cr_expect_null(wave_module_argument(m, 1, 0));
    cr_expect_null(wave_module_argument(m, 2, 0));
}

static void expect_lines(const wave_module *m) {
    wave_source_place p;
    cr_expect_not(wave_module_source(m, 0, 0, &p), "no record holds there");
    cr_assert(wave_module_source(m, 0, 4, &p));
    cr_expect_str_eq(p.file, "k.wav");
    cr_expect(p.line == 7 && p.column == 3);
    cr_assert(wave_module_source(m, 0, 8, &p));
    cr_expect(p.line == 9 && p.column == 0);
    cr_assert(wave_module_source(m, 1, 8, &p), "a record holds until the next one");
    cr_expect(p.line == 20 && *p.file == '\0');
    cr_expect_not(wave_module_source(m, 2, 0, &p));
}

static void expect_register(const wave_module *m, size_t kernel, size_t index, const char *name,
                            bool predicate, unsigned number, unsigned width) {
    const wave_register_name *r = wave_module_register(m, kernel, index);
    cr_assert_not_null(r);
    cr_expect_str_eq(r->name, name);
    cr_expect(r->predicate == predicate && r->number == number && r->width == width);
}

static void expect_registers(const wave_module *m) {
    expect_register(m, 0, 0, "i", false, 3, 1);
    expect_register(m, 0, 1, "v", false, 6, 2);
    expect_register(m, 0, 2, "i", true, 2, 1);
    cr_expect_null(wave_module_register(m, 0, 3));
    expect_register(m, 1, 0, "i", false, 7, 1);
    cr_expect_null(wave_module_register(m, 1, 1));
    cr_expect_null(wave_module_register(m, 2, 0));
}

Test(wbin_ext, everything_is_read) {
    wb_file f = with_parts(all, ALL, EXT);
    for (int mode = WAVE_MODE_DEFAULT; mode <= WAVE_MODE_LENIENT; mode++) {
        wb_result r = wb_load(&f, (wave_mode)mode);
        char codes[200];
        cr_expect_str_eq(wb_codes(r.diags, codes, sizeof codes), "");
        cr_assert_eq(r.status, WAVE_OK);
        expect_arguments(r.module);
        expect_lines(r.module);
        expect_registers(r.module);
        size_t size;
        const char *message = wave_module_message(r.module, 9, &size);
        cr_assert(message && size == 5);
        cr_expect_arr_eq(message, "hello", 5);
        cr_expect(wave_module_message(r.module, 2, &size) && size == 0);
        cr_expect_null(wave_module_message(r.module, 3, &size));
        const void *constants = wave_module_constants(r.module, &size);
        cr_assert_eq(size, 3);
        cr_expect_arr_eq(constants, cnst, 3);
        wb_free(&r);
    }
    free(f.bytes);
}

/* The writer reproduces the file that was read: messages ordered by id. */
Test(wbin_ext, the_writer_reproduces_the_file) {
    static const uint8_t sorted[] = {U32(2), U32(0), U32(9), U32(5), 'h', 'e',
                                     'l',    'l',    'o',    0,      0,   0};
    part parts[ALL];
    memcpy(parts, all, sizeof all);
    parts[2].bytes = sorted;
    wb_file f = with_parts(parts, ALL, EXT);
    arena memory = {0};
    fe_container c;
    cr_assert(fe_read_container(f.bytes, f.size, NULL, &memory, &c, NULL));
    buf out = {0};
    cr_assert(fe_write_container(c.records, 2, false, false, false, &c.extras, &out));
    cr_assert_eq(out.size, f.size);
    cr_expect_arr_eq(out.data, f.bytes, f.size);
    buf_free(&out);
    arena_free(&memory);
    free(f.bytes);
}

static void expect_all_modes(const wb_file *f, const char *codes, const char *where) {
    for (int mode = WAVE_MODE_DEFAULT; mode <= WAVE_MODE_LENIENT; mode++)
        wb_expect(f, (wave_mode)mode, codes, where);
}

Test(wbin_ext, bad_tables_are_refused) {
    static const struct {
        const char *what;
        uint32_t row, field, value;
    } tests[] = {{"outside the file", 4, 8, 4},      {"size wraps", 4, 8, 0xFFFFFFFF},
                 {"offset wraps", 4, 4, 0xFFFFFFFF}, {"before the metadata", 0, 4, 32},
                 {"on another section", 3, 4, 0}, /* 0: of section 0 */
                 {"tag twice", 3, 0, 0x54534E43}};
    for (size_t i = 0; i < WB_COUNT(tests); i++) {
        wb_file f = with_parts(all, ALL, EXT);
        uint32_t value = tests[i].value ? tests[i].value : wb_get32(row_of(&f, 0) + 4);
        wb_put32(row_of(&f, tests[i].row) + tests[i].field, value);
        wb_result r = wb_load(&f, WAVE_MODE_LENIENT);
        cr_expect_eq(r.status, WAVE_ERROR_INPUT, "%s", tests[i].what);
        cr_expect_str_eq(wave_diags_at(r.diags, 0)->code, "E_EXT_TABLE", "%s", tests[i].what);
        wb_free(&r);
        free(f.bytes);
    }
}

Test(wbin_ext, the_size_of_the_table_is_checked) {
    wb_file f = with_parts(all, ALL, EXT);
    wb_put32(f.bytes + f.metadata + TABLE + 4, 65);
    wb_expect(&f, WAVE_MODE_DEFAULT, "E_EXT_TABLE E_TRAILING", "65 sections");
    wb_expect(&f, WAVE_MODE_LENIENT, "E_EXT_TABLE E_TRAILING?", "65 sections");
    free(f.bytes);
    f = with_parts(all, 0, 0);
    expect_all_modes(&f, "", "an empty table");
    wb_put32(f.bytes + f.metadata + TABLE + 4, 1);
    expect_all_modes(&f, "E_EXT_TABLE", "the table does not fit");
    f.size -= 4;
    wb_put32(f.bytes + 28, TABLE + 4);
    expect_all_modes(&f, "E_EXT_TABLE", "no count");
    f.bytes[f.size - 1] = 'X';
    expect_all_modes(&f, "", "other bytes after the records");
    free(f.bytes);
}

Test(wbin_ext, unknown_tags_are_refused_only_in_upper_case) {
    const part unknown[] = {{"ABCD", cnst, 3}}, lower[] = {{"abcd", cnst, 3}},
               odd[] = {{"\0\033[1", cnst, 3}};
    wb_file f = with_parts(unknown, 1, EXT);
    expect_all_modes(&f, "E_EXT_SECTION", "unknown, upper case");
    free(f.bytes);
    f = with_parts(odd, 1, EXT);
    expect_all_modes(&f, "E_EXT_SECTION", "no letter");
    free(f.bytes);
    f = with_parts(lower, 1, 0);
    expect_all_modes(&f, "", "unknown, lower case");
    free(f.bytes);
    f = with_parts(all + 3, 1, 0);
    expect_all_modes(&f, "E_EXTENSION", "upper case without EXT");
    free(f.bytes);
    f = with_parts(all + 1, 1, 0);
    expect_all_modes(&f, "", "line needs no EXT");
    free(f.bytes);
    f = with_parts(all + 5, 1, 0);
    expect_all_modes(&f, "", "regs needs no EXT");
    free(f.bytes);
}

/* One changed byte or a truncation makes the content invalid. */
typedef struct content_test {
    const char *what;
    unsigned part;
    uint32_t at; /* of the byte that changes; UINT32_MAX: the section loses its last byte */
    uint8_t value;
} content_test;

static const content_test bad_contents[] = {
    {"pool longer than the section", 0, 1, 0xFF},
    {"empty pool", 0, 0, 0},
    {"pool does not start with NUL", 0, 4, 'y'},
    {"pool does not end with NUL", 0, 8, 'y'},
    {"names are not UTF-8", 0, 5, 0xFF},
    {"padding", 0, 9, 1},
    {"count of arguments", 0, 12, 4},
    {"huge count of arguments", 0, 15, 0xFF},
    {"name outside the pool", 0, 16, 5},
    {"name inside a name", 0, 16, 2},
    {"kind", 0, 20, 3},
    {"type", 0, 21, 13},
    {"access", 0, 22, 4},
    {"flags", 0, 23, 4},
    {"gap", 0, 24, 1},
    {"words of a buffer", 0, 26, 2},
    {"words of a u64", 0, 38, 1},
    {"cut", 0, UINT32_MAX, 0},
    {"file outside the pool", 1, 24, 2},
    {"lines do not ascend", 1, 28, 4},
    {"line outside the kernel", 1, 28, 12},
    {"line inside a word", 1, 16, 3},
    {"cut", 1, UINT32_MAX, 0},
    {"text runs out", 2, 4, 60},
    {"text padding", 2, 14, 1},
    {"ids repeat", 2, 16, 9},
    {"cut", 2, UINT32_MAX, 0},
    {"too much private memory", 3, 6, 2},
    {"cut", 3, UINT32_MAX, 0},
    {"count of names", 5, 12, 4},
    {"huge count of names", 5, 15, 0xFF},
    {"name outside the pool", 5, 16, 5},
    {"name inside a name", 5, 16, 2},
    {"no name", 5, 16, 0},
    {"kind", 5, 20, 2},
    {"register outside the kernel", 5, 21, 8},
    {"pair that ends outside the kernel", 5, 29, 7},
    {"predicate", 5, 37, 4},
    {"width", 5, 22, 3},
    {"no width", 5, 22, 0},
    {"wide predicate", 5, 38, 2},
    {"byte that is not used", 5, 23, 1},
    {"cut", 5, UINT32_MAX, 0},
};

Test(wbin_ext, bad_contents_are_reported) {
    for (size_t i = 0; i < WB_COUNT(bad_contents); i++) {
        const content_test *t = &bad_contents[i];
        uint8_t bytes[200];
        part one = all[t->part];
        memcpy(bytes, one.bytes, one.size);
        one.bytes = bytes;
        if (t->at == UINT32_MAX)
            one.size--;
        else
            bytes[t->at] = t->value;
        wb_file f = with_parts(&one, 1, EXT);
        char where[100];
        snprintf(where, sizeof where, "%s: %s", one.tag, t->what);
        bool ignorable = one.tag[0] >= 'a';
        const char *codes = ignorable ? "W_EXT_SECTION" : "E_EXT_SECTION";
        wb_expect(&f, WAVE_MODE_DEFAULT, codes, where);
        wb_expect(&f, WAVE_MODE_LENIENT, codes, where);
        wb_expect(&f, WAVE_MODE_STRICT, "E_EXT_SECTION", where);
        free(f.bytes);
    }
}

/* Errors that show only when the code is known: b's second word is not an instruction. */
Test(wbin_ext, lines_must_be_at_starts_of_instructions) {
    uint8_t bytes[sizeof lines];
    memcpy(bytes, lines, sizeof lines);
    bytes[44] = 4;
    const part one = {"line", bytes, sizeof bytes};
    wb_file f = with_parts(&one, 1, 0);
    wb_expect(&f, WAVE_MODE_DEFAULT, "W_EXT_SECTION", "inside an instruction");
    wb_expect(&f, WAVE_MODE_STRICT, "E_EXT_SECTION", "inside an instruction");
    wb_result r = wb_load(&f, WAVE_MODE_DEFAULT);
    wave_source_place p;
    cr_expect_not(wave_module_source(r.module, 1, 8, &p));
    cr_expect(wave_module_source(r.module, 0, 4, &p), "the other kernel keeps its lines");
    wb_free(&r);
    free(f.bytes);
}

Test(wbin_ext, sizes_beyond_the_limits_are_refused) {
    static const uint8_t zeros[65537];
    part one = {"CNST", zeros, 65536};
    wb_file f = with_parts(&one, 1, EXT);
    expect_all_modes(&f, "", "65536 bytes of constants");
    free(f.bytes);
    one.size = 65537;
    f = with_parts(&one, 1, EXT);
    expect_all_modes(&f, "E_EXT_SECTION", "65537 bytes of constants");
    free(f.bytes);
    static const uint8_t wide[] = {U32(1), 0, 0, 0, 0, U32(1), ARG(0, 0, 12, 1, 0, 0, 9), U32(0)};
    one = (part){"ARGS", wide, sizeof wide};
    f = with_parts(&one, 1, EXT);
    expect_all_modes(&f, "E_EXT_SECTION", "nine words, eight registers");
    free(f.bytes);
}

/* iadd r3, r1, r2 of a kernel that declares one word: r1 and r2 are not arguments, and read 0. */
Test(wbin_ext, reads_of_undeclared_arguments_are_reported) {
    static const uint32_t code[] = {0x00030100, 0x02000000, W_HALT};
    static const uint8_t one_word[] = {U32(1), 0, 0, 0, 0, U32(1), ARG(0, 0, 0, 1, 0, 0, 1)};
    const wb_kernel k = {.name = "k", .registers = 8, .code = code, .words = 3};
    wb_file f = wb_build(&k, 1, EXT);
    uint32_t size = (uint32_t)f.size + 20;
    f.bytes = realloc(f.bytes, size + sizeof one_word);
    cr_assert_not_null(f.bytes);
    uint8_t *to = f.bytes + f.size;
    memcpy(to, "WEXT\1\0\0\0ARGS", 12);
    wb_put32(to + 12, size);
    wb_put32(to + 16, sizeof one_word);
    memcpy(f.bytes + size, one_word, sizeof one_word);
    wb_put32(f.bytes + 28, 36 + 20);
    f.size = size + sizeof one_word;
    wb_expect(&f, WAVE_MODE_DEFAULT, "W_UNDEFINED_REGISTER", "default");
    wb_result r = wb_load(&f, WAVE_MODE_DEFAULT);
    cr_expect_eq(wave_module_kernel(r.module, 0)->argument_words, 1);
    cr_expect(strstr(wave_diags_at(r.diags, 0)->message, "r1 "), "the first of them is named");
    wb_free(&r);
    r = wb_load(&f, WAVE_MODE_STRICT);
    cr_expect_eq(r.status, WAVE_ERROR_INPUT);
    wb_free(&r);
    free(f.bytes);
}

/* Every truncation and every flipped bit: no crash, no endless loop (run under the sanitizers). */
Test(wbin_ext, damage_never_crashes_the_reader) {
    wb_file f = with_parts(all, ALL, EXT);
    for (size_t size = 0; size < f.size; size++) {
        uint8_t *copy = malloc(size ? size : 1);
        cr_assert_not_null(copy);
        memcpy(copy, f.bytes, size);
        wb_result r = wb_load_with(copy, size, (wave_load_options){0});
        cr_expect_eq(r.status, WAVE_ERROR_INPUT, "cut to %zu bytes", size);
        wb_free(&r);
        free(copy);
    }
    for (size_t bit = 0; bit < f.size * 8; bit++) {
        f.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        wb_result r = wb_load(&f, WAVE_MODE_LENIENT);
        wb_free(&r);
        f.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(f.bytes);
}
