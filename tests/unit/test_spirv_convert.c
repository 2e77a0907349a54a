/* SPIR-V end to end: modules are loaded through the public API and run on the emulator. The values
 * follow from the specification of the instructions. */
#include "unit/spirv_text.h"

#include <wave/emu.h>

enum { BOUND = 100 };

/* 2 void, 4 uint, 5 float, 10 global float*, 11 void(global float*), 12 global uint*,
 * 13 void(global uint*, local uint*), 14 local uint*; 20 a specialisation constant 7 of SpecId 3,
 * 21 three, 22 minus five */
static const char head[] = "Capability 6; Capability 4; Capability 5; MemoryModel 1 2;"
                           "EntryPoint 6 40 \"k\"; Name 41 \"out\";";
static const char types[] =
    "Decorate 20 1 3; TypeVoid 2; TypeInt 4 32 0; TypeFloat 5 32; TypePointer 10 5 5; TypeFunction "
    "11 2 10;"
    "TypePointer 12 5 4; TypePointer 14 4 4; TypeFunction 13 2 12 14;"
    "SpecConstant 4 20 7; Constant 5 21 0x40400000; Constant 5 22 0xC0A00000;";

static const char stores_three[] = "Function 2 40 0 11; FunctionParameter 10 41; Label 42;"
                                   "Store 41 21; Return; FunctionEnd";

static const char uses_both[] =
    "Function 2 40 0 13; FunctionParameter 12 41; FunctionParameter 14 43; Label 42;"
    "Store 43 20; Load 4 50 43; Store 41 50; Return; FunctionEnd";

static spirv_text *module_of(const char *body) {
    static spirv_text t;
    spirv_text_begin(&t, BOUND);
    spirv_text_add(&t, head);
    if (body == uses_both)
        spirv_text_add(&t, "Name 43 \"room\"");
    spirv_text_add(&t, types);
    spirv_text_add(&t, body);
    return &t;
}

/* The first words of memory after a launch of one thread, with the buffer at 16. */
static void run(const void *data, size_t size, uint32_t out[4]) {
    static uint32_t memory[64];
    memset(memory, 0, sizeof memory);
    wave_diags *diags = wave_diags_create(0);
    wave_module *module;
    wave_status status = wave_module_load(data, size, NULL, &module, diags);
    cr_assert_eq(status, WAVE_OK, "%s",
                 wave_diags_count(diags) ? wave_diags_at(diags, 0)->message : "");
    wave_launch launch;
    wave_launch_init(&launch);
    launch.device_memory = (uint8_t *)memory;
    launch.device_size = sizeof memory;
    launch.initial = &(uint32_t){16};
    launch.initial_count = 1;
    cr_assert_eq(wave_emulate(module, &launch, diags), WAVE_OK, "%s",
                 wave_diags_count(diags) ? wave_diags_at(diags, 0)->message : "");
    memcpy(out, memory + 4, 4 * sizeof *out);
    wave_module_destroy(module);
    wave_diags_destroy(diags);
}

static void run_with(const char *body, const wave_spirv_options *options, uint32_t out[4]) {
    const spirv_text *t = module_of(body);
    wave_blob file;
    cr_assert_eq(wave_from_spirv(t->words, t->count * 4, options, &file, NULL), WAVE_OK);
    run(file.data, file.size, out);
    wave_blob_free(&file);
}

/* The library is needed even without an extended instruction: OpFRem has the sign of the dividend,
 * OpFMod of the divisor. */
Test(spirv_convert, remainders_need_only_the_library) {
    uint32_t out[4];
    run_with("Function 2 40 0 11; FunctionParameter 10 41; Label 42; FRem 5 50 22 21;"
             "Store 41 50; Return; FunctionEnd",
             NULL, out);
    cr_expect_eq(out[0], 0xC0000000u, "rem(-5, 3) is -2, not 0x%08X", out[0]);
    run_with("Function 2 40 0 11; FunctionParameter 10 41; Label 42; FMod 5 50 22 21;"
             "Store 41 50; Return; FunctionEnd",
             NULL, out);
    cr_expect_eq(out[0], 0x3F800000u, "mod(-5, 3) is 1, not 0x%08X", out[0]);
}

/* The memory contains a NaN; three is the smaller and the larger number. */
Test(spirv_convert, atomic_minima_and_maxima_ignore_nan) {
    static const char *const ops[] = {"AtomicFMinEXT", "AtomicFMaxEXT"};
    for (int k = 0; k < 2; k++) {
        char body[300];
        uint32_t out[4];
        snprintf(body, sizeof body,
                 "Constant 4 30 1; Constant 4 31 0; Constant 5 32 0x7FC00000; Function 2 40 0 11;"
                 "FunctionParameter 10 41; Label 42; Store 41 32; %s 5 50 41 30 31 21; Return;"
                 "FunctionEnd",
                 ops[k]);
        run_with(body, NULL, out);
        cr_expect_eq(out[0], 0x40400000u, "%s: 0x%08X", ops[k], out[0]);
    }
}

/* The second element of the buffer is copied to local memory and from there to the first. */
Test(spirv_convert, asynchronous_copies_of_three_components_copy_four) {
    uint32_t out[4];
    run_with(
        "Constant 4 30 0; Constant 4 31 1; Constant 4 32 2; Constant 4 33 7; TypeVector 34 5 3;"
        "TypePointer 35 5 34; TypePointer 36 4 34; TypeEvent 37; ConstantNull 37 38;"
        "Variable 36 39 4; Function 2 40 0 11; FunctionParameter 10 41; Label 42;"
        "PtrAccessChain 10 50 41 33; Store 50 21; Bitcast 35 51 41;"
        "PtrAccessChain 35 52 51 31; GroupAsyncCopy 37 53 32 39 52 31 31 38;"
        "GroupAsyncCopy 37 54 32 51 39 31 31 53; Return; FunctionEnd",
        NULL, out);
    cr_expect_eq(out[3], 0x40400000u, "0x%08X", out[3]);
    cr_expect_eq(out[2], 0);
}

Test(spirv_convert, options_set_constants_and_local_memory) {
    const wave_spirv_local local = {"room", 64};
    const wave_spirv_spec spec = {.id = 3, .bits = 99};
    const wave_spirv_options plain = {.locals = &local, .local_count = 1};
    const wave_spirv_options special = {
        .locals = &local, .local_count = 1, .specs = &spec, .spec_count = 1};
    uint32_t out[4];
    run_with(uses_both, &plain, out);
    cr_expect_eq(out[0], 7);
    run_with(uses_both, &special, out);
    cr_expect_eq(out[0], 99);
}

/* wave_module_load accepts a SPIR-V module as it is, in either byte order. */
Test(spirv_convert, a_module_is_loaded_like_a_file) {
    const spirv_text *t = module_of(stores_three);
    uint32_t out[4], swapped[SPIRV_TEXT_WORDS];
    run(t->words, t->count * 4, out);
    cr_expect_eq(out[0], 0x40400000u);
    for (size_t k = 0; k < t->count; k++) {
        uint32_t w = t->words[k];
        swapped[k] = w << 24 | (w & 0xFF00) << 8 | (w >> 8 & 0xFF00) | w >> 24;
    }
    run(swapped, t->count * 4, out);
    cr_expect_eq(out[0], 0x40400000u);
}

/* The module with the first word that equals `before` replaced. */
static wave_status convert_with(uint32_t before, uint32_t after, char code[32]) {
    spirv_text *t = module_of(stores_three);
    size_t at = 5;
    while (t->words[at] != before)
        at++;
    t->words[at] = after;
    wave_diags *diags = wave_diags_create(0);
    wave_blob file;
    wave_module *module = NULL;
    wave_status status = wave_from_spirv(t->words, t->count * 4, NULL, &file, diags);
    snprintf(code, 32, "%s", wave_diags_count(diags) ? wave_diags_at(diags, 0)->code : "");
    if (status == WAVE_OK)
        status = wave_module_load(file.data, file.size, NULL, &module, diags);
    wave_module_destroy(module);
    wave_blob_free(&file);
    wave_diags_destroy(diags);
    return status;
}

/* WBIN has names in UTF-8: a kernel's name must be valid, other invalid names are dropped. */
Test(spirv_convert, kernel_names_must_be_utf8) {
    char code[32];
    cr_expect_eq(convert_with('k', 'j', code), WAVE_OK);
    cr_expect_eq(convert_with('k', 0xFF, code), WAVE_ERROR_INPUT);
    cr_expect_str_eq(code, "E_SPIRV_FORM");
    cr_expect_eq(convert_with('k', 0, code), WAVE_ERROR_INPUT);
    cr_expect_str_eq(code, "E_SPIRV_FORM");
    const uint32_t out = 'o' | 'u' << 8 | 't' << 16;
    cr_expect_eq(convert_with(out, 0xFF, code), WAVE_OK);
}

/* The code of the only error. */
static void check_refused(const char *text, const char *code) {
    static spirv_text t;
    spirv_text_begin(&t, BOUND);
    spirv_text_add(&t, text);
    wave_diags *diags = wave_diags_create(0);
    wave_blob file;
    cr_expect_eq(wave_from_spirv(t.words, t.count * 4, NULL, &file, diags), WAVE_ERROR_INPUT);
    cr_assert_eq(wave_diags_count(diags), 1);
    cr_expect_str_eq(wave_diags_at(diags, 0)->code, code);
    wave_diags_destroy(diags);
}

Test(spirv_convert, two_kernels_of_one_name_are_refused) {
    check_refused("Capability 6; Capability 4; MemoryModel 1 2; EntryPoint 6 40 \"k\";"
                  "EntryPoint 6 50 \"k\"; TypeVoid 2; TypeFunction 3 2; Function 2 40 0 3;"
                  "Label 41; Return; FunctionEnd; Function 2 50 0 3; Label 51; Return;"
                  "FunctionEnd",
                  "E_SPIRV_LAYOUT");
}

/* 65536 words: the number of words of an argument has 16 bits. */
Test(spirv_convert, arguments_that_are_too_large_are_refused) {
    check_refused("Capability 6; Capability 4; MemoryModel 1 2; EntryPoint 6 40 \"k\";"
                  "Decorate 41 38 2; TypeVoid 2; TypeInt 4 32 0; Constant 4 5 65536;"
                  "TypeArray 6 4 5; TypeStruct 7 6; TypePointer 8 7 7; TypeFunction 9 2 8;"
                  "Function 2 40 0 9; FunctionParameter 8 41; Label 42; Return; FunctionEnd",
                  "E_SPIRV_LIMIT");
}

Test(spirv_convert, addresses_in_constant_data_are_constant) {
    check_refused("Capability 6; Capability 4; MemoryModel 1 2; EntryPoint 6 40 \"k\"; TypeVoid 2;"
                  "TypeInt 4 32 0; TypePointer 12 5 4; TypePointer 15 0 12; TypeFunction 13 2 12;"
                  "Variable 12 20 5; Variable 15 21 0 20; Function 2 40 0 13;"
                  "FunctionParameter 12 41; Label 42; Load 12 50 21; Load 4 51 50; Store 41 51;"
                  "Return; FunctionEnd",
                  "E_SPIRV_FEATURE");
}

/* The address of local memory as a number, in each of three ways. */
Test(spirv_convert, no_address_is_zero) {
    static const char *const ways[] = {"ConvertPtrToU 4 52 50", "Bitcast 4 52 50",
                                       "CopyObject 4 52 51"};
    for (int k = 0; k < 3; k++) {
        static spirv_text t;
        spirv_text_begin(&t, BOUND);
        spirv_text_add(&t, "Capability 6; Capability 4; MemoryModel 1 2; EntryPoint 6 40 \"k\";"
                           "TypeVoid 2; TypeInt 4 32 0; TypePointer 12 5 4; TypeFunction 13 2 12;"
                           "TypePointer 14 4 4; Variable 14 50 4");
        if (k == 2)
            spirv_text_add(&t, "SpecConstantOp 4 51 117 50");
        spirv_text_add(&t, "Function 2 40 0 13; FunctionParameter 12 41; Label 42");
        spirv_text_add(&t, ways[k]);
        spirv_text_add(&t, "Store 41 52; Return; FunctionEnd");
        uint32_t out[4];
        run(t.words, t.count * 4, out);
        cr_expect_neq(out[0], 0, "%s", ways[k]);
    }
}

/* The addresses of a word and of a word with an alignment of 128. */
Test(spirv_convert, private_variables_have_their_alignment) {
    static spirv_text t;
    spirv_text_begin(&t, BOUND);
    spirv_text_add(&t, "Capability 6; Capability 4; MemoryModel 1 2; EntryPoint 6 40 \"k\";"
                       "Decorate 51 44 128; TypeVoid 2; TypeInt 4 32 0; TypePointer 12 5 4;"
                       "TypeFunction 13 2 12; TypePointer 15 7 4; Constant 4 33 1;"
                       "Function 2 40 0 13; FunctionParameter 12 41; Label 42; Variable 15 50 7;"
                       "Variable 15 51 7; ConvertPtrToU 4 52 50; ConvertPtrToU 4 53 51;"
                       "Store 41 52; PtrAccessChain 12 54 41 33; Store 54 53; Return; FunctionEnd");
    uint32_t out[4];
    run(t.words, t.count * 4, out);
    cr_expect_neq(out[0], 0, "no pointer to a variable is null");
    cr_expect_neq(out[0], out[1]);
    cr_expect_eq(out[1] % 128, 0, "%u", out[1]);
}

/* Nothing in the modules has a name. */
Test(spirv_convert, messages_name_what_has_no_name) {
    static const char *const cases[][2] = {
        {"Decorate 31 11 44; TypeVoid 2; TypeInt 4 32 0; TypePointer 14 1 4; TypeFunction 11 2;"
         "Variable 14 31 1; Function 2 40 0 11; Label 42; Load 4 43 31; Return; FunctionEnd",
         "OpLoad at word 46 in k: WAVE has no built-in variable %31 (BuiltIn 44)"},
        {"TypeVoid 2; TypeInt 4 32 0; TypePointer 14 8 4; TypeFunction 11 2 14;"
         "Function 2 40 0 11; FunctionParameter 14 41; Label 42; Return; FunctionEnd",
         "OpFunction at word 32 in k: the argument (without a name) points to memory that a host "
         "cannot provide"},
        {"TypeVoid 2; TypeInt 4 32 0; Constant 4 5 1 2; TypeFunction 11 2; Function 2 40 0 11;"
         "Label 42; Return; FunctionEnd",
         "OpConstant at word 24: a number of 32 bits is one word long"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static spirv_text t;
        spirv_text_begin(&t, BOUND);
        spirv_text_add(&t, "Capability 6; Capability 4; Capability 38; MemoryModel 1 2;"
                           "EntryPoint 6 40 \"k\"");
        spirv_text_add(&t, cases[k][0]);
        wave_diags *diags = wave_diags_create(0);
        wave_blob file;
        cr_expect_neq(wave_from_spirv(t.words, t.count * 4, NULL, &file, diags), WAVE_OK);
        cr_assert_eq(wave_diags_count(diags), 1);
        cr_expect_str_eq(wave_diags_at(diags, 0)->message, cases[k][1]);
        wave_diags_destroy(diags);
    }
}

/* A call of the import 39, a uint(uint), reaches the definition 70 of the same name. */
Test(spirv_convert, imports_have_the_type_of_the_definition) {
    static const struct {
        const char *code, *text;
    } cases[] = {
        {"", "Function 4 70 0 20; FunctionParameter 4 71; Label 72; ReturnValue 71"},
        {"E_SPIRV_IMPORT", "Function 4 71 0 20; FunctionParameter 4 70; Label 72; ReturnValue 70"},
        {"E_SPIRV_TYPE", "Function 2 70 0 21; Label 72; Return"},
        {"E_SPIRV_TYPE", "Function 4 70 0 22; FunctionParameter 4 71; FunctionParameter 4 73;"
                         "Label 72; ReturnValue 71"},
        {"E_SPIRV_TYPE", "Function 4 70 0 23; FunctionParameter 3 71; Label 72; ReturnValue 25"},
        {"E_SPIRV_TYPE", "Function 3 70 0 24; FunctionParameter 4 71; Label 72; ReturnValue 26"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static spirv_text t;
        spirv_text_begin(&t, BOUND);
        spirv_text_add(&t, "Capability 6; Capability 4; Capability 5; MemoryModel 1 2;"
                           "EntryPoint 6 40 \"k\"; Decorate 39 41 \"f\" 1; Decorate 70 41 \"f\" 0;"
                           "TypeVoid 2; TypeBool 3; TypeInt 4 32 0; TypePointer 10 5 4;"
                           "TypeFunction 11 2 10; TypeFunction 20 4 4; TypeFunction 21 2;"
                           "TypeFunction 22 4 4 4; TypeFunction 23 4 3; TypeFunction 24 3 4;"
                           "Constant 4 25 0; ConstantTrue 3 26;"
                           "Function 4 39 0 20; FunctionParameter 4 79; FunctionEnd;"
                           "Function 2 40 0 11; FunctionParameter 10 41; Label 42; Load 4 44 41;"
                           "FunctionCall 4 60 39 44; Store 41 60; Return; FunctionEnd");
        spirv_text_add(&t, cases[k].text);
        spirv_text_add(&t, "FunctionEnd");
        wave_diags *diags = wave_diags_create(0);
        wave_blob file = {0};
        wave_from_spirv(t.words, t.count * 4, NULL, &file, diags);
        cr_expect_str_eq(wave_diags_count(diags) ? wave_diags_at(diags, 0)->code : "",
                         cases[k].code, "%s", cases[k].text);
        wave_blob_free(&file);
        wave_diags_destroy(diags);
    }
}

Test(spirv_convert, errors_leave_nothing) {
    const spirv_text *t = module_of(uses_both);
    wave_blob file;
    wave_diags *diags = wave_diags_create(0);
    cr_expect_eq(wave_from_spirv(t->words, t->count * 4, NULL, &file, diags), WAVE_ERROR_INPUT);
    cr_expect_null(file.data);
    cr_assert_eq(wave_diags_count(diags), 1);
    cr_expect_str_eq(wave_diags_at(diags, 0)->code, "E_SPIRV_LOCAL");
    cr_expect_eq(wave_from_spirv(NULL, 4, NULL, &file, diags), WAVE_ERROR_USAGE);
    wave_diags_destroy(diags);
}
