/* The reader of SPIR-V: accepted modules, and for every rule a module that violates it. The rules
 * and their numbers are the specification's. */
#include "frontend/wbin_ext.h"
#include "unit/spirv_text.h"

enum { BOUND = 200 };

/* A small module in parts, so that a case can add to one or replace it. */
typedef enum part { HEAD, NAMES, TYPES, CONSTANTS, START, BODY, END, PARTS } part;

static const char *const plain[PARTS] = {
    [HEAD] = "Capability 6; Capability 4; Capability 5; Capability 9; Capability 10; Capability 11;"
             "Capability 39; Capability 38;"
             "ExtInstImport 1 \"OpenCL.std\"; MemoryModel 1 2; EntryPoint 6 40 \"k\" 31;"
             "ExecutionMode 40 17 64 1 1",
    [NAMES] = "Name 41 \"out\"; Decorate 31 11 28; Decorate 20 1 7; Decorate 40 41 \"k\" 0",
    /* 2 void, 3 bool, 4 uint, 5 float, 6 ulong, 7 v4uint, 8 v4float, 9 v2uint, 10 uint*, 11 float*,
     * 12 void(uint*), 13 v3uint, 14 v3uint input*, 15 uint[4], 16 struct, 17 struct*, 18 generic*,
     * 19 local*, 21 pair, 22 v4bool, 23 uchar, 24 uint function*, 28 event, 29 v3uint*, 30 no
     * event, 47 uint(uint) */
    [TYPES] = "TypeVoid 2; TypeBool 3; TypeInt 4 32 0; TypeFloat 5 32; TypeInt 6 64 0;"
              "TypeVector 7 4 4; TypeVector 8 5 4; TypeVector 9 4 2; TypePointer 10 5 4;"
              "TypePointer 11 5 5; TypeFunction 12 2 10; TypeVector 13 4 3; TypePointer 14 1 13;"
              "Constant 4 34 4; TypeArray 15 4 34; TypeInt 23 8 0; TypeStruct 16 23 15 6;"
              "TypePointer 17 5 16; TypePointer 18 8 4; TypePointer 19 4 4; TypeStruct 21 4 4;"
              "TypeVector 22 3 4; TypePointer 24 7 4; TypeFunction 47 4 4; TypeEvent 28;"
              "TypePointer 29 5 13; ConstantNull 28 30",
    /* 20 a specialisation constant, 32 zero, 33 one, 35 1.0f, 36 {…}, 37 true, 38 ulong 2 */
    [CONSTANTS] = "SpecConstant 4 20 5; Constant 4 32 0; Constant 4 33 1; Constant 5 35 0x3F800000;"
                  "ConstantComposite 7 36 32 33 34 32; ConstantTrue 3 37; Constant 6 38 2 0;"
                  "Variable 14 31 1",
    [START] = "Function 2 40 0 12; FunctionParameter 10 41; Label 42",
    [BODY] = ("Load 13 43 31; CompositeExtract 4 44 43 0; InBoundsPtrAccessChain 10 46 41 44;"
              "IAdd 4 48 44 20; Store 46 48 2 4; Branch 60; Label 60"),
    [END] = "Return; FunctionEnd",
};

static void build(spirv_text *t, part changed, const char *text, bool replaces) {
    spirv_text_begin(t, BOUND);
    for (int k = 0; k < PARTS; k++) {
        if (k != (int)changed || !replaces)
            spirv_text_add(t, plain[k]);
        if (k == (int)changed && text)
            spirv_text_add(t, text);
    }
}

/* The code of the first diagnostic of this severity; "" when there is none. */
static const char *first_code(const wave_diags *diags, wave_severity severity) {
    for (size_t i = 0; i < wave_diags_count(diags); i++)
        if (wave_diags_at(diags, i)->severity == severity)
            return wave_diags_at(diags, i)->code;
    return "";
}

typedef struct sample {
    const char *about, *code; /* "": it is valid */
    part where;
    const char *text;
    bool replaces;
} sample;

static void check(const sample *s) {
    static spirv_text t;
    build(&t, s->where, s->text, s->replaces);
    wave_diags *diags = wave_diags_create(0);
    spirv_module m;
    bool ok = spirv_read(t.words, t.count * 4, NULL, &m, diags);
    const char *code = first_code(diags, WAVE_ERROR);
    cr_expect_eq(ok, *code == '\0', "%s", s->about);
    const char *text = wave_diags_count(diags) ? wave_diags_at(diags, 0)->message : "";
    cr_expect_str_eq(code, s->code, "%s: %s, not %s (%s)", s->about, code, s->code, text);
    spirv_module_free(&m);
    wave_diags_destroy(diags);
}

#define CHECK_ALL(samples)                                                                         \
    for (size_t k = 0; k < sizeof(samples) / sizeof *(samples); k++)                               \
    check(&(samples)[k])

/* ---- What is accepted ---- */

Test(spirv_read, the_plain_module_is_read_completely) {
    static spirv_text t;
    build(&t, HEAD, NULL, false);
    spirv_module m;
    wave_diags *diags = wave_diags_create(0);
    cr_assert(spirv_read(t.words, t.count * 4, NULL, &m, diags));
    cr_assert_eq(wave_diags_count(diags), 0);
    cr_assert_eq(m.entry_count, 1);
    const spirv_entry *entry = &m.entries[0];
    cr_expect_str_eq(entry->name, "k");
    cr_expect_eq(entry->workgroup[0], 64);
    cr_assert_eq(entry->argument_count, 1);
    cr_expect_str_eq(entry->arguments[0].name, "out");
    /* char, then 3 bytes of padding, 16 bytes, 4 of padding, a long: 32 bytes in all, as in C. */
    const spirv_type *type = spirv_type_at(&m, 16);
    cr_expect_eq(type->members[1].offset, 4);
    cr_expect_eq(type->members[2].offset, 24);
    cr_expect_eq(type->size, 32);
    cr_expect_eq(spirv_type_at(&m, 13)->size, 16);
    const spirv_function *f = &m.functions[0];
    cr_assert_eq(f->block_count, 2);
    cr_expect_eq(f->blocks[0].count, 6);
    cr_assert_eq(f->blocks[0].target_count, 1);
    cr_expect_eq(f->blocks[0].targets[0], 1);
    cr_expect_eq(m.variables[0].builtin, SPIRV_GlobalInvocationId);
    cr_expect_eq(spirv_constant_at(&m, 20)->bits, 5);
    cr_expect_eq(m.defs[48].block, 0);
    spirv_module_free(&m);
    wave_diags_destroy(diags);
}

/* The first argument's type in the source, when names and strings are as given. */
static unsigned source_type(const char *strings) {
    static spirv_text t;
    char names[400];
    snprintf(names, sizeof names, "%s; %s", strings, plain[NAMES]);
    build(&t, NAMES, names, true);
    spirv_module m;
    cr_assert(spirv_read(t.words, t.count * 4, NULL, &m, NULL), "%s", strings);
    unsigned type = m.entries[0].arguments[0].source_type;
    spirv_module_free(&m);
    return type;
}

Test(spirv_read, strings_have_the_types_of_arguments) {
    static const struct {
        const char *strings;
        unsigned type;
    } samples[] = {
        {"", WAVE_TYPE_COUNT},
        {"String 50 \"kernel_arg_type.k.int*,\"", WAVE_TYPE_I32},
        {"String 50 \"kernel_arg_type.k.ulong4*,\"", WAVE_TYPE_U64},
        {"String 50 \"kernel_arg_type.k.half\"", WAVE_TYPE_F16},
        {"String 50 \"kernel_arg_type.k.uchar __attribute__((ext_vector_type(2)))*,\"",
         WAVE_TYPE_U8},
        {"String 50 \"kernel_arg_type.k._Atomic(short)*,\"", WAVE_TYPE_I16},
        {"String 50 \"kernel_arg_type.k.double[4]*,\"", WAVE_TYPE_F64},
        /* A typedef is not resolved; a resolved name that is no scalar is a structure. */
        {"String 50 \"kernel_arg_type.k.real*,\"", WAVE_TYPE_COUNT},
        {"String 50 \"kernel_arg_type.k.int_pair*,\"", WAVE_TYPE_COUNT},
        {"String 50 \"kernel_arg_base_type.k.record*,\"", WAVE_TYPE_BYTES},
        {"String 50 \"kernel_arg_base_type.k.float**,\"", WAVE_TYPE_BYTES},
        {"String 50 \"kernel_arg_type.k.real*,\"; String 51 \"kernel_arg_base_type.k.float*,\"",
         WAVE_TYPE_F32},
        /* Other kernels, and strings without types. */
        {"String 50 \"kernel_arg_type.kk.int*,\"; String 51 \"kernel_arg_type.j.int*,\"",
         WAVE_TYPE_COUNT},
        {"String 50 \"kernel_arg_type.k\"; String 51 \"k.cl\"", WAVE_TYPE_COUNT},
        {"String 50 \"kernel_arg_type.k-.uint,\"; String 51 \"kernel_arg_type.k0.uint,\"; "
         "String 52 \"kernel_arg_type.k.char,\"",
         WAVE_TYPE_I8},
        {"String 50 \"kernel_arg_type.k.\"", WAVE_TYPE_COUNT},
        {"String 50 \"kernel_arg_type.k.,,\"", WAVE_TYPE_COUNT},
    };
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++)
        cr_expect_eq(source_type(samples[k].strings), samples[k].type, "%s", samples[k].strings);
}

Test(spirv_read, both_byte_orders_are_read) {
    static spirv_text t;
    build(&t, NAMES, NULL, false);
    for (size_t i = 0; i < t.count; i++) {
        uint32_t w = t.words[i];
        t.words[i] = w >> 24 | (w >> 8 & 0xFF00) | (w << 8 & 0xFF0000) | w << 24;
    }
    spirv_module m;
    cr_assert(spirv_read(t.words, t.count * 4, NULL, &m, NULL));
    cr_expect_str_eq(m.entries[0].name, "k");
    cr_expect_eq(spirv_constant_at(&m, 35)->bits, 0x3F800000);
    spirv_module_free(&m);
}

Test(spirv_read, versions_1_0_to_1_6_are_read) {
    static spirv_text t;
    for (uint32_t minor = 0; minor <= 6; minor++) {
        build(&t, NAMES, NULL, false);
        t.words[1] = 0x00010000 | minor << 8;
        spirv_module m;
        cr_expect(spirv_read(t.words, t.count * 4, NULL, &m, NULL), "1.%u", minor);
        spirv_module_free(&m);
    }
}

Test(spirv_read, specialisation_constants_can_be_set) {
    static spirv_text t;
    build(&t, CONSTANTS, "SpecConstantOp 4 90 132 20 34; SpecConstantOp 7 91 128 36 36", false);
    const spirv_spec specs[] = {{.id = 7, .bits = 11}};
    const spirv_options options = {.specs = specs, .spec_count = 1};
    spirv_module m;
    cr_assert(spirv_read(t.words, t.count * 4, &options, &m, NULL));
    cr_expect_eq(spirv_constant_at(&m, 20)->bits, 11);
    cr_expect_eq(spirv_constant_at(&m, 90)->bits, 44);
    const spirv_constant *vector = spirv_constant_at(&m, 91);
    cr_assert_eq(vector->count, 4);
    cr_expect_eq(spirv_constant_at(&m, vector->elements[2])->bits, 8);
    spirv_module_free(&m);
    const spirv_spec least[] = {{.id = 7, .bits = 0 - (UINT64_C(1) << 31), .is_signed = true}};
    const spirv_options other = {.specs = least, .spec_count = 1};
    cr_assert(spirv_read(t.words, t.count * 4, &other, &m, NULL));
    cr_expect_eq(spirv_constant_at(&m, 20)->bits, 0x80000000);
    spirv_module_free(&m);
    const spirv_spec wrong[] = {{.id = 8, .bits = 1}};
    const spirv_spec large[] = {{.id = 7, .bits = UINT64_C(1) << 32}};
    const spirv_spec real[] = {{.id = 7, .is_float = true, .number = 1.5}};
    const spirv_spec low[] = {{.id = 7, .bits = 0 - (UINT64_C(1) << 31) - 1, .is_signed = true}};
    const spirv_spec huge[] = {{.id = 7, .bits = UINT64_MAX}};
    const spirv_spec *const bad[] = {wrong, large, real, low, huge};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const spirv_options o = {.specs = bad[k], .spec_count = 1};
        wave_diags *diags = wave_diags_create(0);
        cr_expect_not(spirv_read(t.words, t.count * 4, &o, &m, diags));
        cr_expect_str_eq(first_code(diags, WAVE_ERROR), "E_SPIRV_SPEC");
        spirv_module_free(&m);
        wave_diags_destroy(diags);
    }
}

/* 2^64 - 1 is a number, not -1; 2^24 + 1 is exact in f64, but not in f32. */
Test(spirv_read, integers_specialise_floats) {
    static const struct {
        spirv_spec spec;
        uint64_t bits;
    } cases[] = {{{.id = 9, .bits = UINT64_MAX}, 0x5F800000},
                 {{.id = 9, .bits = UINT64_MAX, .is_signed = true}, 0xBF800000},
                 {{.id = 9, .bits = (1 << 24) + 1}, 0x4B800000},
                 /* Just above halfway between two f32, and in f64 just halfway */
                 {{.id = 9, .bits = (UINT64_C(1) << 60) + (UINT64_C(1) << 36) + 1}, 0x5D800001}};
    static spirv_text t;
    spirv_text_begin(&t, BOUND);
    for (int k = 0; k < PARTS; k++) {
        spirv_text_add(&t, plain[k]);
        if (k == NAMES)
            spirv_text_add(&t, "Decorate 90 1 9");
        if (k == CONSTANTS)
            spirv_text_add(&t, "SpecConstant 5 90 0");
    }
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const spirv_options options = {.specs = &cases[k].spec, .spec_count = 1};
        spirv_module m;
        cr_assert(spirv_read(t.words, t.count * 4, &options, &m, NULL));
        cr_expect_eq(spirv_constant_at(&m, 90)->bits, cases[k].bits, "%zu: 0x%llX", k,
                     (unsigned long long)spirv_constant_at(&m, 90)->bits);
        spirv_module_free(&m);
    }
}

/* Operation, operands, expected: by hand. Numbers of type 23 have 8 bits. */
Test(spirv_read, specialisation_operations_are_folded) {
    static const struct {
        const char *text;
        uint64_t bits;
    } cases[] = {
        {"Constant 23 100 200; Constant 23 101 100; SpecConstantOp 23 110 128 100 101", 44},
        {"Constant 23 100 200; Constant 23 101 7; SpecConstantOp 23 110 135 100 101", 248},
        {"Constant 23 100 200; Constant 23 101 9; SpecConstantOp 23 110 138 100 101", 254},
        {"Constant 23 100 200; Constant 23 101 9; SpecConstantOp 23 110 139 100 101", 7},
        {"Constant 23 100 200; Constant 23 101 2; SpecConstantOp 23 110 195 100 101", 242},
        {"Constant 23 100 200; SpecConstantOp 4 110 114 100", 0xFFFFFFC8},
        {"Constant 23 100 200; SpecConstantOp 4 110 113 100", 200},
        {"Constant 23 100 200; Constant 23 101 7; SpecConstantOp 3 110 177 100 101", 1},
        {"Constant 23 100 200; Constant 23 101 7; SpecConstantOp 3 110 176 100 101", 0},
        {"SpecConstantOp 4 110 169 37 33 34", 1},
        {"SpecConstantOp 5 110 129 35 35", 0x40000000},
        {"SpecConstantOp 5 110 127 35", 0xBF800000},
        {"SpecConstantOp 4 110 110 35", 1},
        {"SpecConstantOp 4 110 81 36 2", 4},
        {"SpecConstantOp 4 110 124 35", 0x3F800000},
        {"SpecConstantOp 7 109 79 36 36 2 1 4294967295 6; SpecConstantOp 4 110 81 109 3", 4},
        {"SpecConstantOp 7 109 82 33 36 0; SpecConstantOp 4 110 81 109 0", 1},
        /* -2^63, and the next number below it */
        {"TypeFloat 98 64; Constant 98 100 0 0xC3E00000; SpecConstantOp 6 110 110 100", UINT64_C(1)
                                                                                            << 63},
        {"TypeFloat 98 64; Constant 98 100 0 0xC3E00001; SpecConstantOp 6 110 110 100", 0},
        {"Constant 5 100 0xC3000000; SpecConstantOp 23 110 110 100", 0x80},
        {"Constant 5 100 0xC3010000; SpecConstantOp 23 110 110 100", 0},
        /* 1 + 2^-11 + 2^-40: more than halfway between two f16, but f32 cannot tell */
        {"TypeFloat 98 64; TypeFloat 99 16; Constant 98 100 0x1000 0x3FF00200;"
         "SpecConstantOp 99 110 115 100",
         0x3C01},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static spirv_text t;
        build(&t, CONSTANTS, cases[k].text, false);
        wave_diags *diags = wave_diags_create(0);
        spirv_module m;
        bool ok = spirv_read(t.words, t.count * 4, NULL, &m, diags);
        cr_expect(ok, "%s: %s", cases[k].text, ok ? "" : wave_diags_at(diags, 0)->message);
        if (ok)
            cr_expect_eq(spirv_constant_at(&m, 110)->bits, cases[k].bits, "%s: %llx", cases[k].text,
                         (unsigned long long)spirv_constant_at(&m, 110)->bits);
        spirv_module_free(&m);
        wave_diags_destroy(diags);
    }
}

Test(spirv_read, addresses_of_variables_fold) {
    static spirv_text t;
    build(&t, CONSTANTS,
          "TypePointer 100 5 15; Variable 100 101 5; SpecConstantOp 10 102 70 101 32 34;"
          "SpecConstantOp 11 103 124 102; SpecConstantOp 4 104 117 103",
          false);
    spirv_module m;
    wave_diags *diags = wave_diags_create(0);
    cr_assert(spirv_read(t.words, t.count * 4, NULL, &m, diags), "%s",
              wave_diags_at(diags, 0)->message);
    const spirv_constant *c = spirv_constant_at(&m, 104);
    cr_expect_eq(c->kind, SPIRV_ADDRESS);
    cr_expect_eq(c->variable, 101);
    cr_expect_eq(c->offset, 16);
    spirv_module_free(&m);
    wave_diags_destroy(diags);
}

Test(spirv_read, instructions_have_source_lines) {
    static spirv_text whole;
    spirv_text_begin(&whole, BOUND);
    for (int k = 0; k < PARTS; k++) {
        spirv_text_add(&whole, plain[k]);
        if (k == HEAD)
            spirv_text_add(&whole, "String 199 \"k.cl\"");
        if (k == BODY)
            spirv_text_add(&whole, "Line 199 7 3; Branch 61; Label 61; Line 199 8 1;"
                                   "IAdd 4 49 44 44; NoLine; IAdd 4 50 44 44");
    }
    spirv_module m;
    cr_assert(spirv_read(whole.words, whole.count * 4, NULL, &m, NULL));
    const spirv_place *at = &m.places[m.insns[m.defs[49].insn].place];
    cr_expect_str_eq(at->file, "k.cl");
    cr_expect_eq(at->line, 8);
    cr_expect_eq(at->column, 1);
    cr_expect_eq(m.insns[m.defs[50].insn].place, 0);
    cr_expect_eq(m.insns[m.defs[61].insn].place, 0, "a block ends the place");
    spirv_module_free(&m);
}

/* Invalid output of clang: accepted with a warning. */
Test(spirv_read, invalid_output_of_clang_is_accepted_with_a_warning) {
    static const sample samples[] = {
        {"a constant null of four words", "", CONSTANTS, "ConstantNull 4 90 0", false},
        {"an addition with a word too many", "", BODY, "IAdd 4 90 44 44 9", false},
        {"equal widths", "", BODY, "UConvert 4 90 44", false},
        {"any of integers", "", BODY, "Any 3 90 36", false},
        {"a folded sum with a word too many", "", CONSTANTS,
         "SpecConstantOp 4 90 128 33 33 0x7FFFFFFF", false},
    };
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        static spirv_text t;
        build(&t, samples[k].where, samples[k].text, false);
        wave_diags *diags = wave_diags_create(0);
        spirv_module m;
        cr_expect(spirv_read(t.words, t.count * 4, NULL, &m, diags), "%s", samples[k].about);
        cr_expect_str_eq(first_code(diags, WAVE_WARNING), "W_SPIRV", "%s", samples[k].about);
        spirv_module_free(&m);
        wave_diags_destroy(diags);
    }
}

/* ---- What is refused ---- */

Test(spirv_read, wrong_headers_are_refused) {
    static const struct {
        size_t word;
        uint32_t value;
    } cases[] = {{0, 1}, {1, 0x00020000}, {1, 0x00010700}, {1, 0x01010400},
                 {3, 0}, {3, 0x400000},   {4, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static spirv_text t;
        build(&t, HEAD, NULL, false);
        t.words[cases[k].word] = cases[k].value;
        wave_diags *diags = wave_diags_create(0);
        spirv_module m;
        cr_expect_not(spirv_read(t.words, t.count * 4, NULL, &m, diags));
        cr_expect_str_eq(first_code(diags, WAVE_ERROR), "E_SPIRV_HEADER", "case %zu", k);
        spirv_module_free(&m);
        wave_diags_destroy(diags);
    }
}

/* Every prefix is invalid in some way and none is fatal. */
Test(spirv_read, truncated_modules_are_refused) {
    static spirv_text t;
    build(&t, HEAD, NULL, false);
    for (size_t size = 0; size < t.count * 4; size++) {
        spirv_module m;
        uint8_t *copy = malloc(size ? size : 1); /* of its exact size, for ASan */
        memcpy(copy, t.words, size);
        cr_expect_not(spirv_read(copy, size, NULL, &m, NULL), "%zu bytes", size);
        spirv_module_free(&m);
        free(copy);
    }
}

/* Changes one word at a time to each of these values. */
Test(spirv_read, changed_words_never_crash_the_reader) {
    static const uint32_t values[] = {0,       1,       2,          31,         40,
                                      42,      60,      199,        200,        0xFFFF,
                                      0x10000, 0x20001, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
    static spirv_text t;
    build(&t, HEAD, NULL, false);
    for (size_t at = 3; at < t.count; at++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            uint32_t before = t.words[at];
            t.words[at] = values[k];
            spirv_module m;
            wave_diags *diags = wave_diags_create(0);
            bool ok = spirv_read(t.words, t.count * 4, NULL, &m, diags);
            cr_expect_eq(ok, wave_diags_total(diags, WAVE_ERROR) == 0);
            spirv_module_free(&m);
            wave_diags_destroy(diags);
            t.words[at] = before;
        }
}

Test(spirv_read, malformed_instructions_are_refused) {
    static const sample samples[] = {
        {"no such opcode", "E_SPIRV_FORM", BODY, "Nop #1 ; Nop; IAdd #9 4 90 44 44 1 1 1 1", false},
        {"too few words", "E_SPIRV_FORM", BODY, "IAdd 4 90 44", false},
        {"no result", "E_SPIRV_FORM", BODY, "IAdd 4", false},
        {"more words than are left", "E_SPIRV_FORM", END, "Nop #60000", false},
        {"an unterminated string", "E_SPIRV_FORM", NAMES, "Name 41 0x41414141", true},
        {"a store with half an access", "E_SPIRV_FORM", BODY, "Store 46 48 2", false},
        {"a phi with half a pair", "E_SPIRV_FORM", BODY, "Phi 4 90 44 42 44", false},
        {"no group operation 9", "E_SPIRV_FORM", BODY, "GroupIAdd 4 90 33 9 44", false},
        {"no function 300", "E_SPIRV_FORM", BODY, "ExtInst 5 90 1 300 35", false},
        {"a number of two words", "E_SPIRV_FORM", CONSTANTS, "Constant 4 90 1 2", false},
        {"a decoration without its operand", "E_SPIRV_FORM", NAMES, "Decorate 41 44", false},
        {"an unterminated linkage name", "E_SPIRV_FORM", NAMES, "Decorate 41 41 0x41414141", false},
        {"two sizes", "E_SPIRV_FORM", HEAD, "ExecutionMode 40 18 1 1", false},
        {"a size of 0", "E_SPIRV_FORM", HEAD, "ExecutionMode 40 17 1 0 1", false},
        {"ids of sizes as literals", "E_SPIRV_FORM", HEAD,
         "ExecutionMode 40 38 0x7FFFFFFF 0x7FFFFFFF 0x7FFFFFFF", false},
        {"literal sizes as ids", "E_SPIRV_FORM", HEAD, "ExecutionModeId 40 17 33 33 33", false},
        {"a shuffle of nothing", "E_SPIRV_FORM", BODY, "VectorShuffle 9 90 36 36 0 8", false},
        {"a global variable of a function", "E_SPIRV_FORM", CONSTANTS, "Variable 24 90 7", false},
        {"a local variable of a workgroup", "E_SPIRV_FORM", START, "Variable 19 90 4", false},
        {"an input without a name", "E_SPIRV_FORM", CONSTANTS, "Variable 14 90 1", false},
    };
    CHECK_ALL(samples);
}

Test(spirv_read, wrong_layouts_are_refused) {
    static const sample samples[] = {
        {"a late capability", "E_SPIRV_LAYOUT", NAMES, "Capability 6", false},
        {"a second memory model", "E_SPIRV_LAYOUT", HEAD, "MemoryModel 1 2", false},
        {"a type in a function", "E_SPIRV_LAYOUT", BODY, "TypeInt 90 16 0", false},
        {"a name after types", "E_SPIRV_LAYOUT", TYPES, "Name 41 \"x\"", false},
        {"an addition outside a function", "E_SPIRV_LAYOUT", CONSTANTS, "IAdd 4 90 33 33", false},
        {"code after a branch", "E_SPIRV_LAYOUT", BODY, "Branch 60; IAdd 4 90 44 44", false},
        {"a block without a terminator", "E_SPIRV_LAYOUT", BODY, "Label 90", false},
        {"a function in a function", "E_SPIRV_LAYOUT", START, "Function 2 90 0 12", false},
        {"a function without an end", "E_SPIRV_LAYOUT", END, "Return", true},
        {"a late parameter", "E_SPIRV_LAYOUT", BODY, "Branch 60; FunctionParameter 10 90", false},
        {"a function without blocks", "E_SPIRV_LAYOUT", END,
         "Function 2 90 0 12; FunctionParameter 10 91; FunctionEnd", false},
        {"no memory model", "E_SPIRV_LAYOUT", HEAD, "Capability 6; EntryPoint 6 40 \"k\"", true},
        {"a branch to the first block", "E_SPIRV_LAYOUT", BODY, "Branch 42; Label 90", false},
        {"a phi in the first block", "E_SPIRV_LAYOUT", START, "Phi 4 90", false},
        {"a late phi", "E_SPIRV_LAYOUT", BODY, "Nop; IAdd 4 91 44 44; Phi 4 90 44 42", false},
        {"a phi without its predecessor", "E_SPIRV_LAYOUT", BODY, "Phi 4 90", false},
        {"a phi with a block that is not a predecessor", "E_SPIRV_LAYOUT", BODY, "Phi 4 90 44 60",
         false},
        {"a phi with two values for one predecessor", "E_SPIRV_LAYOUT", BODY,
         "Phi 4 90 44 42 33 42", false},
        {"a variable in the second block", "E_SPIRV_LAYOUT", BODY, "Variable 24 90 7", false},
        {"a call of OpenCL's functions outside a function", "E_SPIRV_LAYOUT", CONSTANTS,
         "ExtInst 5 90 1 19 35", false},
    };
    CHECK_ALL(samples);
}

Test(spirv_read, wrong_ids_are_refused) {
    static const sample samples[] = {
        {"defined twice", "E_SPIRV_ID", BODY, "IAdd 4 44 44 44", false},
        {"a result not below the bound", "E_SPIRV_ID", BODY, "IAdd 4 200 44 44", false},
        {"an operand not below the bound", "E_SPIRV_ID", BODY, "IAdd 4 90 44 4000000000", false},
        {"a type of 0", "E_SPIRV_ID", BODY, "IAdd 0 90 44 44", false},
        {"never defined", "E_SPIRV_ID", BODY, "IAdd 4 90 44 150", false},
        {"a type as a value", "E_SPIRV_ID", BODY, "IAdd 4 90 44 4", false},
        {"a label as a value", "E_SPIRV_ID", BODY, "IAdd 4 90 44 42", false},
        {"a value as a type", "E_SPIRV_ID", BODY, "IAdd 44 90 44 44", false},
        {"a value as a label", "E_SPIRV_ID", BODY, "Branch 44; Label 90", false},
        {"a value as a function", "E_SPIRV_ID", BODY, "FunctionCall 2 90 44 41", false},
        {"a value as a set", "E_SPIRV_ID", BODY, "ExtInst 5 90 44 19 35", false},
        {"a scope that is not constant", "E_SPIRV_ID", BODY, "MemoryBarrier 44 32", false},
        {"a type before it is defined", "E_SPIRV_ID", TYPES, "TypeVector 90 91 4; TypeInt 91 16 0",
         false},
        {"a structure in itself", "E_SPIRV_ID", TYPES, "TypeStruct 90 90", false},
        {"a constant of itself", "E_SPIRV_ID", CONSTANTS, "ConstantComposite 9 90 90 90", false},
        {"a name of nothing", "E_SPIRV_ID", NAMES, "Name 150 \"x\"", true},
        {"a group of nothing", "E_SPIRV_ID", NAMES, "GroupDecorate 41 41", false},
        {"another function's value", "E_SPIRV_ID", END,
         "Function 2 90 0 12; FunctionParameter 10 91; Label 92; IAdd 4 93 44 44; Return;"
         "FunctionEnd",
         false},
        {"another function's label", "E_SPIRV_ID", END,
         "Function 2 90 0 12; FunctionParameter 10 91; Label 92; Branch 60; FunctionEnd", false},
    };
    CHECK_ALL(samples);
}

Test(spirv_read, wrong_types_are_refused) {
    static const sample samples[] = {
        {"float and integer", "E_SPIRV_TYPE", BODY, "IAdd 4 90 44 35", false},
        {"two widths", "E_SPIRV_TYPE", BODY, "IAdd 4 90 44 38", false},
        {"vector and scalar", "E_SPIRV_TYPE", BODY, "IAdd 7 90 36 44", false},
        {"the result's width", "E_SPIRV_TYPE", BODY, "IAdd 6 90 44 44", false},
        {"a bool of a vector", "E_SPIRV_TYPE", BODY, "IEqual 3 90 36 36", false},
        {"a condition of an integer", "E_SPIRV_TYPE", BODY, "BranchConditional 44 60 60; Label 90",
         false},
        {"loads another type", "E_SPIRV_TYPE", BODY, "Load 5 90 46", false},
        {"loads from an integer", "E_SPIRV_TYPE", BODY, "Load 4 90 44", false},
        {"stores another type", "E_SPIRV_TYPE", BODY, "Store 46 35", false},
        {"stores to an input", "E_SPIRV_TYPE", BODY, "Store 31 43", false},
        {"copies another type", "E_SPIRV_TYPE", BODY, "CopyMemory 46 31", false},
        {"no such member", "E_SPIRV_TYPE", BODY, "Bitcast 17 90 41; AccessChain 10 91 90 34",
         false},
        {"a member by a variable", "E_SPIRV_TYPE", BODY,
         "Bitcast 17 90 41; AccessChain 10 91 90 44", false},
        {"a chain into an integer", "E_SPIRV_TYPE", BODY, "AccessChain 10 90 41 32", false},
        {"a chain to another storage class", "E_SPIRV_TYPE", BODY, "PtrAccessChain 19 90 41 32",
         false},
        {"a chain to another type", "E_SPIRV_TYPE", BODY, "PtrAccessChain 11 90 41 32", false},
        {"no such part", "E_SPIRV_TYPE", BODY, "CompositeExtract 4 90 36 4", false},
        {"a part of a number", "E_SPIRV_TYPE", BODY, "CompositeExtract 4 90 44 0", false},
        {"inserts another type", "E_SPIRV_TYPE", BODY, "CompositeInsert 7 90 35 36 0", false},
        {"too few parts", "E_SPIRV_TYPE", BODY, "CompositeConstruct 7 90 44 44 44", false},
        {"a shuffle into another size", "E_SPIRV_TYPE", BODY, "VectorShuffle 9 90 36 36 0", false},
        {"a bit cast to another size", "E_SPIRV_TYPE", BODY, "Bitcast 6 90 44", false},
        {"a bit cast to another class", "E_SPIRV_TYPE", BODY, "Bitcast 19 90 41", false},
        {"a generic pointer from nowhere", "E_SPIRV_TYPE", BODY, "PtrCastToGeneric 10 90 41",
         false},
        {"a select between two types", "E_SPIRV_TYPE", BODY, "Select 4 90 37 44 35", false},
        {"a select by a vector", "E_SPIRV_TYPE", BODY, "IEqual 22 90 36 36; Select 4 91 90 44 44",
         false},
        {"a carry without a pair", "E_SPIRV_TYPE", BODY, "IAddCarry 9 90 44 44", false},
        {"a phi of two types", "E_SPIRV_TYPE", BODY, "Phi 4 90 35 42", false},
        {"an atomic on another type", "E_SPIRV_TYPE", BODY, "AtomicIAdd 6 90 46 33 32 38", false},
        {"a call with another argument", "E_SPIRV_TYPE", BODY, "FunctionCall 2 90 40 44", false},
        {"a call without its argument", "E_SPIRV_TYPE", BODY, "FunctionCall 2 90 40", false},
        {"returns a value", "E_SPIRV_TYPE", END, "ReturnValue 44; FunctionEnd", true},
        {"returns nothing", "E_SPIRV_TYPE", END,
         "Return; FunctionEnd; Function 4 90 0 47; FunctionParameter 4 91; Label 92; Return;"
         "FunctionEnd",
         true},
        {"a vector of pointers", "E_SPIRV_TYPE", TYPES, "TypeVector 90 10 4", false},
        {"a vector of five", "E_SPIRV_TYPE", TYPES, "TypeVector 90 4 5", false},
        {"an array of void", "E_SPIRV_TYPE", TYPES, "TypeArray 90 2 34", false},
        {"an array of nothing", "E_SPIRV_TYPE", CONSTANTS, "TypeArray 90 4 32", false},
        {"an array of 1.0 elements", "E_SPIRV_TYPE", CONSTANTS, "TypeArray 90 4 35", false},
        {"a structure with void", "E_SPIRV_TYPE", TYPES, "TypeStruct 90 2", false},
        {"a function of void", "E_SPIRV_TYPE", TYPES, "TypeFunction 90 2 2", false},
        {"a width without its capability", "E_SPIRV_TYPE", TYPES, "TypeInt 90 16 0", false},
        {"a composite with too few parts", "E_SPIRV_TYPE", CONSTANTS,
         "ConstantComposite 7 90 32 32", false},
        {"a composite with a float", "E_SPIRV_TYPE", CONSTANTS, "ConstantComposite 9 90 32 35",
         false},
        {"true as a number", "E_SPIRV_TYPE", CONSTANTS, "ConstantTrue 4 90", false},
        {"a null function", "E_SPIRV_TYPE", CONSTANTS, "ConstantNull 12 90", false},
        {"a variable of another class", "E_SPIRV_TYPE", CONSTANTS, "Variable 10 90 4", false},
        {"another initialiser", "E_SPIRV_TYPE", CONSTANTS, "Variable 19 90 4 35", false},
        {"a function of another type", "E_SPIRV_TYPE", END,
         "Return; FunctionEnd; Function 2 90 0 4; Label 92; Return; FunctionEnd", true},
        {"another parameter", "E_SPIRV_TYPE", END,
         "Return; FunctionEnd; Function 2 90 0 12; FunctionParameter 4 91; Label 92; Return;"
         "FunctionEnd",
         true},
        {"a float as a scope", "E_SPIRV_TYPE", BODY, "MemoryBarrier 35 32", false},
        {"a mask of two words", "E_SPIRV_TYPE", BODY, "GroupNonUniformBallot 9 90 34 37", false},
        {"exp of an integer", "E_SPIRV_TYPE", BODY, "ExtInst 4 90 1 19 44", false},
        {"a long exponent", "E_SPIRV_TYPE", BODY, "ExtInst 5 90 1 34 35 38", false},
        {"a long power", "E_SPIRV_TYPE", BODY, "ExtInst 5 90 1 49 35 38", false},
        {"a long root", "E_SPIRV_TYPE", BODY, "ExtInst 5 90 1 54 35 38", false},
        {"a long logarithm", "E_SPIRV_TYPE", BODY, "ExtInst 6 90 1 33 35", false},
        {"a folded bit cast to fewer bits", "E_SPIRV_TYPE", CONSTANTS, "SpecConstantOp 4 90 124 38",
         false},
        {"a long code of a float NaN", "E_SPIRV_TYPE", BODY, "ExtInst 5 90 1 46 38", false},
        {"upsample to the same width", "E_SPIRV_TYPE", BODY, "ExtInst 4 90 1 164 44 44", false},
        {"upsample of two widths", "E_SPIRV_TYPE", BODY, "ExtInst 6 90 1 164 44 38", false},
        {"a choice of vectors by one integer", "E_SPIRV_TYPE", BODY, "ExtInst 7 90 1 187 36 36 44",
         false},
        {"a choice of bools", "E_SPIRV_TYPE", BODY, "ExtInst 3 90 1 187 37 37 44", false},
        {"bits of bools", "E_SPIRV_TYPE", BODY, "ExtInst 3 90 1 186 37 37 37", false},
        {"a mask of floats", "E_SPIRV_TYPE", BODY, "ConvertUToF 8 90 36; ExtInst 7 91 1 182 36 90",
         false},
        {"a shuffle of other components", "E_SPIRV_TYPE", BODY, "ExtInst 8 90 1 182 36 36", false},
        {"a shuffle of two sizes", "E_SPIRV_TYPE", BODY,
         "VectorShuffle 9 90 36 36 0 1; ExtInst 7 91 1 183 36 90 36", false},
        {"sincos to integers", "E_SPIRV_TYPE", BODY, "ExtInst 5 90 1 58 35 46", false},
        {"sincos to a built-in variable", "E_SPIRV_TYPE", BODY, "ExtInst 5 90 1 58 35 31", false},
        {"frexp to a float", "E_SPIRV_TYPE", BODY, "Bitcast 11 90 46; ExtInst 5 91 1 31 35 90",
         false},
        {"remquo to a float", "E_SPIRV_TYPE", BODY, "Bitcast 11 90 46; ExtInst 5 91 1 52 35 35 90",
         false},
        {"an asynchronous copy of a built-in variable", "E_SPIRV_TYPE", BODY,
         "Bitcast 29 90 46; GroupAsyncCopy 28 91 34 90 31 33 33 30", false},
    };
    CHECK_ALL(samples);
}

/* The linkage type is the word after the name; further words mean nothing. */
Test(spirv_read, the_linkage_type_follows_the_name) {
    static const struct {
        const char *linkage;
        bool imported;
    } cases[] = {{"\"name\" 1", true},
                 {"\"name\" 0", false},
                 {"\"name\" 1 0", true},
                 {"\"name\" 0 1", false},
                 {"\"nam\" 1 0", true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static spirv_text t;
        char text[100];
        snprintf(text, sizeof text, "Decorate 31 41 %s", cases[k].linkage);
        build(&t, NAMES, text, false);
        spirv_module m;
        cr_assert(spirv_read(t.words, t.count * 4, NULL, &m, NULL), "%s", text);
        cr_expect_eq(m.variables[0].imported, cases[k].imported, "%s", text);
        spirv_module_free(&m);
    }
}

Test(spirv_read, unsupported_models_and_features_are_refused) {
    static const sample samples[] = {
        {"64-bit pointers", "E_SPIRV_MODEL", HEAD, "Capability 6; MemoryModel 2 2", true},
        {"Vulkan", "E_SPIRV_MODEL", HEAD, "Capability 6; MemoryModel 0 1", true},
        {"images", "E_SPIRV_FEATURE", TYPES, "TypeImage 90 2 1 0 0 0 0 0", false},
        {"samplers", "E_SPIRV_FEATURE", TYPES, "TypeSampler 90", false},
        {"pipes", "E_SPIRV_FEATURE", TYPES, "TypePipe 90 0", false},
        {"queues", "E_SPIRV_FEATURE", TYPES, "TypeQueue 90", false},
        {"the capability of images", "E_SPIRV_FEATURE", HEAD, "Capability 13; MemoryModel 1 2",
         true},
        {"an unknown capability", "E_SPIRV_FEATURE", HEAD, "Capability 9999; MemoryModel 1 2",
         true},
        {"an unknown instruction set", "E_SPIRV_FEATURE", HEAD, "ExtInstImport 90 \"GLSL.std.450\"",
         true},
        {"integers of 128 bits", "E_SPIRV_FEATURE", TYPES, "TypeInt 90 128 0", false},
        {"storage of graphics", "E_SPIRV_FEATURE", TYPES, "TypePointer 90 12 4", false},
        {"a mode of graphics", "E_SPIRV_FEATURE", HEAD, "ExecutionMode 40 7", false},
        {"a size of sub-groups", "E_SPIRV_FEATURE", HEAD, "ExecutionMode 40 35 16", false},
        {"a number of sub-groups", "E_SPIRV_FEATURE", HEAD, "ExecutionMode 40 36 4", false},
        {"a fragment shader", "E_SPIRV_FEATURE", HEAD,
         "Capability 6; Capability 4; Capability 5; Capability 11; Capability 39; Capability 38;"
         "ExtInstImport 1 \"OpenCL.std\"; MemoryModel 1 2; EntryPoint 4 40 \"k\"",
         true},
        {"8-bit atomics are not supported", "E_SPIRV_FEATURE", BODY,
         "UConvert 23 90 44; AtomicIAdd 23 91 46 33 32 90", false},
        {"no kernels", "E_NO_KERNELS", HEAD,
         "Capability 6; Capability 4; Capability 5; Capability 11; Capability 39; Capability 38;"
         "ExtInstImport 1 \"OpenCL.std\"; MemoryModel 1 2",
         true},
        {"arithmetic on an address", "E_SPIRV_FEATURE", CONSTANTS,
         "TypePointer 100 5 15; Variable 100 101 5; SpecConstantOp 4 102 117 101;"
         "SpecConstantOp 4 103 128 102 102",
         false},
        /* Operations whose operands are not only constants */
        {"a folded cast of an integer from a pointer", "E_SPIRV_FEATURE", CONSTANTS,
         "SpecConstantOp 4 90 117 38", false},
        {"a folded call", "E_SPIRV_FEATURE", CONSTANTS, "SpecConstantOp 4 90 57 40", false},
        {"a folded sum of a group", "E_SPIRV_FEATURE", CONSTANTS, "SpecConstantOp 4 90 264 33 0 33",
         false},
        {"a folded cast to a storage class", "E_SPIRV_FEATURE", CONSTANTS,
         "SpecConstantOp 4 90 123 33 0x7FFFFFFF", false},
    };
    CHECK_ALL(samples);
}

/* The divisor has 64 bits, of which the division uses 32: they are 0. */
Test(spirv_read, folded_division_by_zero_is_zero) {
    static const char *const cases[] = {"SpecConstantOp 4 90 134 33 89",
                                        "SpecConstantOp 4 90 135 33 89",
                                        "SpecConstantOp 4 90 138 33 89"};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static spirv_text t;
        char text[100];
        snprintf(text, sizeof text, "Constant 6 89 0 1; %s", cases[k]);
        build(&t, CONSTANTS, text, false);
        spirv_module m;
        cr_assert(spirv_read(t.words, t.count * 4, NULL, &m, NULL));
        cr_expect_eq(spirv_constant_at(&m, 90)->bits, 0);
        spirv_module_free(&m);
    }
}

/* ---- Sizes ---- */

Test(spirv_read, types_too_large_or_too_deep_are_refused) {
    static const sample large = {"2 GiB", "E_SPIRV_LIMIT", CONSTANTS,
                                 "Constant 4 90 0x40000000; TypeArray 91 4 90", false};
    check(&large);
    static char deep[65 * 40] = "";
    for (int k = 0; k < 65; k++)
        sprintf(deep + strlen(deep), "TypeStruct %d %d;", 100 + k, k ? 99 + k : 4);
    const sample nested = {"65 levels", "E_SPIRV_LIMIT", CONSTANTS, deep, false};
    check(&nested);
}

/* Groups of n decorations on n ids are n * n decorations in about 4n words. */
Test(spirv_read, groups_do_not_multiply) {
    enum { MANY = 60000 };
    uint32_t *words = malloc((MANY * 4 + 100) * sizeof *words);
    static spirv_text t;
    build(&t, HEAD, NULL, false);
    spirv_text head;
    spirv_text_begin(&head, BOUND);
    spirv_text_add(&head, plain[HEAD]);
    spirv_text_add(&head, plain[NAMES]);
    memcpy(words, head.words, head.count * 4);
    size_t n = head.count;
    for (int k = 0; k < MANY / 2; k++) {
        words[n++] = 3u << 16 | SPIRV_OpDecorate;
        words[n++] = 150;
        words[n++] = SPIRV_Dec_Restrict;
    }
    words[n++] = 2u << 16 | SPIRV_OpDecorationGroup;
    words[n++] = 150;
    words[n++] = (uint32_t)(MANY + 2) << 16 | SPIRV_OpGroupDecorate;
    words[n++] = 150;
    for (int k = 0; k < MANY; k++)
        words[n++] = 41;
    memcpy(words + n, t.words + head.count, (t.count - head.count) * 4);
    n += t.count - head.count;
    spirv_module m;
    wave_diags *diags = wave_diags_create(0);
    cr_expect_not(spirv_read(words, n * 4, NULL, &m, diags));
    cr_expect_str_eq(first_code(diags, WAVE_ERROR), "E_SPIRV_LIMIT");
    spirv_module_free(&m);
    wave_diags_destroy(diags);
    free(words);
}

Test(spirv_read, the_table_is_sorted) {
    int before = -1;
#define OP(number, name, section, operands)                                                        \
    cr_expect_gt(number, before, "Op" #name);                                                      \
    before = number;
#define REFUSED(number, name, feature) OP(number, name, ANY, "")
#include "spirv/ops.def"
#undef OP
#undef REFUSED
}
