/* SPIR-V to the IR: refusals, by their code, and forms of control flow that clang does not
 * generate, whose IR must pass the verifier. tests/opencl tests what kernels compute. */
#include "ir/text.h"
#include "spirv/kernel.h"
#include "unit/spirv_text.h"

enum { BOUND = 400 };

/* 2 void, 3 bool, 4 uint, 10 global uint*, 12 void(global uint*), 18 generic uint*, 19 local uint*,
 * 24 private uint*, 25 void(), 26 void(local uint*), 27 uint(uint); 13, 14 and 31 the global id;
 * 32 zero, 33 one, 34 four, 37 true; 30 a local variable; 39 an import; 41 the argument */
static const char head[] =
    "Capability 6; Capability 4; Capability 5; Capability 38; MemoryModel 1 2;"
    "EntryPoint 6 40 \"k\" 31; Name 41 \"out\"; Decorate 31 11 28; Decorate 39 41 \"gone\" 1;"
    "TypeVoid 2; TypeBool 3; TypeInt 4 32 0; TypePointer 10 5 4; TypeFunction 12 2 10;"
    "TypeVector 13 4 3; TypePointer 14 1 13; TypePointer 18 8 4; TypePointer 19 4 4;"
    "TypePointer 24 7 4; TypeFunction 25 2; TypeFunction 26 2 19; TypeFunction 27 4 4;"
    "Constant 4 32 0; Constant 4 33 1; Constant 4 34 4; ConstantTrue 3 37; Constant 4 38 30000;"
    "TypeArray 15 4 38; TypePointer 16 7 15; Variable 14 31 1; Variable 19 30 4;"
    "Function 4 39 0 27; FunctionParameter 4 79; FunctionEnd;";
static const char start[] = "Function 2 40 0 12; FunctionParameter 10 41; Label 42;"
                            "Load 13 43 31; CompositeExtract 4 44 43 0; IEqual 3 45 44 32;";
static const char end[] = "Return; FunctionEnd;";

/* The code of the first error; "" when the kernel was built and is valid. */
static void check(const char *about, const char *code, const char *text, uint32_t local) {
    static spirv_text t;
    spirv_text_begin(&t, BOUND);
    spirv_text_add(&t, head);
    spirv_text_add(&t, text);
    wave_diags *diags = wave_diags_create(0);
    spirv_module m;
    const spirv_local locals[] = {{"out", local}};
    const spirv_options options = {.locals = locals, .local_count = local != 0};
    cr_assert(spirv_read(t.words, t.count * 4, &options, &m, diags), "%s: %s", about,
              wave_diags_count(diags) ? wave_diags_at(diags, 0)->message : "");
    spirv_program *p = spirv_program_create(&m, NULL, diags);
    if (p) {
        ir_func f;
        spirv_kernel kernel;
        if (spirv_build_kernel(p, 0, &options, &f, &kernel, diags))
            ir_verify(&f, "build", diags);
        ir_free(&f);
    }
    const char *found = wave_diags_count(diags) ? wave_diags_at(diags, 0)->code : "";
    cr_expect_str_eq(found, code, "%s: %s", about,
                     *found ? wave_diags_at(diags, 0)->message : "no error");
    spirv_program_destroy(p);
    spirv_module_free(&m);
    wave_diags_destroy(diags);
}

static void check_body(const char *about, const char *code, const char *body) {
    static char text[20000];
    snprintf(text, sizeof text, "%s%s;%s", start, body, end);
    check(about, code, text, 0);
}

/* ---- Values and where they are visible ---- */

Test(spirv_build, uses_must_be_dominated) {
    check_body("a value used in the other branch", "E_SPIRV_DOMINANCE",
               "BranchConditional 45 50 51; Label 50; IAdd 4 60 44 33; Branch 52;"
               "Label 51; Store 41 60; Branch 52; Label 52");
    check_body("a value of one branch used after both", "E_SPIRV_DOMINANCE",
               "BranchConditional 45 50 51; Label 50; IAdd 4 60 44 33; Branch 52;"
               "Label 51; Branch 52; Label 52; Store 41 60");
    check_body("a phi with a value of the wrong edge", "E_SPIRV_DOMINANCE",
               "BranchConditional 45 50 51; Label 50; IAdd 4 60 44 33; Branch 52;"
               "Label 51; Branch 52; Label 52; Phi 4 61 44 50 60 51; Store 41 61");
    check_body("a value used before its definition", "E_SPIRV_DOMINANCE",
               "Branch 50; Label 50; Store 41 60; IAdd 4 60 44 33");
    check_body("a value used in an unreachable block", "",
               "Branch 52; Label 51; Store 41 60; Branch 52; Label 52; IAdd 4 60 44 33");
}

Test(spirv_build, values_can_leave_loops) {
    check_body("a value that leaves two loops", "",
               "Branch 50; Label 50; Phi 4 60 32 42 61 53; Branch 51;"
               "Label 51; Phi 4 62 60 50 63 51; IAdd 4 63 62 33; ULessThan 3 64 63 34;"
               "BranchConditional 64 51 53; Label 53; IAdd 4 61 63 60;"
               "ULessThan 3 65 61 34; BranchConditional 65 50 54; Label 54; Store 41 63;"
               "Store 41 61");
    check_body("two values that are swapped", "",
               "Branch 50; Label 50; Phi 4 60 32 42 61 50; Phi 4 61 33 42 60 50;"
               "ULessThan 3 64 60 44; BranchConditional 64 50 54; Label 54; Store 41 60");
    check_body("values that leave two loops at once", "",
               "Branch 50; Label 50; Phi 4 60 32 42 61 53; Branch 51;"
               "Label 51; Phi 4 62 60 50 63 52; IAdd 4 63 62 33; ULessThan 3 64 63 34;"
               "BranchConditional 64 52 55; Label 52; ULessThan 3 66 62 44;"
               "BranchConditional 66 51 53; Label 53; IAdd 4 61 63 60; Branch 50;"
               "Label 55; Phi 4 67 63 51; Store 41 67; Store 41 60");
}

Test(spirv_build, unusual_control_flow_is_structured) {
    check_body("a loop with two entries", "",
               "BranchConditional 45 50 51; Label 50; Phi 4 60 32 42 61 51; IAdd 4 62 60 33;"
               "Branch 51; Label 51; Phi 4 61 33 42 62 50; ULessThan 3 63 61 34;"
               "BranchConditional 63 50 52; Label 52; Store 41 61");
    check_body("a loop that never ends", "",
               "Branch 50; Label 50; Store 41 44; Branch 50; Label 51");
    check_body("a switch with one block for several cases", "",
               "Switch 44 50 1 51 2 51 3 52 4 50; Label 50; Branch 53; Label 51; Branch 53;"
               "Label 52; Branch 53; Label 53; Phi 4 60 32 50 33 51 34 52; Store 41 60");
    check_body("a branch to one block both ways", "",
               "BranchConditional 45 50 50; Label 50; Phi 4 60 33 42; Store 41 60");
}

/* ---- Pointers ---- */

Test(spirv_build, a_generic_pointer_must_have_one_storage_class) {
    check_body("a pointer to one of two storage classes", "E_GENERIC_POINTER",
               "PtrCastToGeneric 18 60 41; PtrCastToGeneric 18 61 30; Select 18 62 45 60 61;"
               "Load 4 63 62; Store 41 63");
    check_body("two pointers to one storage class", "",
               "PtrCastToGeneric 18 60 41; PtrAccessChain 10 66 41 33; PtrCastToGeneric 18 61 66;"
               "Select 18 62 45 60 61; Load 4 63 62; Store 41 63");
    check_body("a pointer carried by a loop", "",
               "PtrCastToGeneric 18 60 41; Branch 50; Label 50; Phi 18 61 60 42 62 50;"
               "PtrAccessChain 18 62 61 33; Load 4 63 62; IEqual 3 64 63 32;"
               "BranchConditional 64 51 50; Label 51; Store 41 63");
    check_body("null, because the pointer points to another storage class", "",
               "PtrCastToGeneric 18 60 41; GenericCastToPtrExplicit 19 61 60 4;"
               "PtrCastToGeneric 18 62 61; PtrCastToGeneric 18 63 30; Select 18 64 45 62 63;"
               "Load 4 65 64; Store 41 65");
    check_body("a storage class that changes in a loop", "E_GENERIC_POINTER",
               "PtrCastToGeneric 18 60 41; PtrCastToGeneric 18 65 30; Branch 50;"
               "Label 50; Phi 18 61 60 42 65 50; Load 4 63 61; IEqual 3 64 63 32;"
               "BranchConditional 64 51 50; Label 51; Store 41 63");
}

/* ---- Functions ---- */

Test(spirv_build, recursion_and_missing_functions_are_refused) {
    static char text[20000];
    snprintf(text, sizeof text, "%sFunctionCall 4 60 70 44; Store 41 60;%s%s", start, end,
             "Function 4 70 0 27; FunctionParameter 4 71; Label 72; FunctionCall 4 73 70 71;"
             "ReturnValue 73; FunctionEnd;");
    check("a function that calls itself", "E_RECURSION", text, 0);
    snprintf(text, sizeof text, "%sFunctionCall 4 60 39 44; Store 41 60;%s", start, end);
    check("a function that is only imported", "E_SPIRV_IMPORT", text, 0);
    snprintf(text, sizeof text, "%sFunctionCall 4 60 70 44; Store 41 60;%s%s", start, end,
             "Function 4 70 0 27; FunctionParameter 4 71; Label 72; IEqual 3 73 71 32;"
             "BranchConditional 73 74 75; Label 74; ReturnValue 33; Label 75; Branch 76;"
             "Label 76; Branch 76; FunctionEnd;");
    check("a function that may never return", "", text, 0);
}

/* Thirty functions, each of which calls the next one twice. */
Test(spirv_build, exponential_inlining_is_refused) {
    static char text[20000];
    size_t at = (size_t)snprintf(text, sizeof text, "%sFunctionCall 4 60 100 44; Store 41 60;%s",
                                 start, end);
    for (unsigned k = 0; k < 30; k++) {
        unsigned f = 100 + k * 6, next = k < 29 ? f + 6 : 0;
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "Function 4 %u 0 27; FunctionParameter 4 %u; Label %u;", f, f + 1,
                               f + 2);
        if (next)
            at += (size_t)snprintf(text + at, sizeof text - at,
                                   "FunctionCall 4 %u %u %u; FunctionCall 4 %u %u %u;", f + 3, next,
                                   f + 1, f + 4, next, f + 3);
        at += (size_t)snprintf(text + at, sizeof text - at, "ReturnValue %u; FunctionEnd;",
                               next ? f + 4 : f + 1);
    }
    check("two to the power of thirty calls", "E_INLINE_LIMIT", text, 0);
}

/* ---- Memory ---- */

Test(spirv_build, sizes_of_local_and_private_memory_are_checked) {
    const char *local =
        "Function 2 40 0 26; FunctionParameter 19 41; Label 42; Store 41 33; Return; FunctionEnd";
    check("a local argument of unknown size", "E_SPIRV_LOCAL", local, 0);
    check("a local argument with a size", "", local, 64);
    check("a local argument that is too large", "E_SPIRV_LIMIT", local, 70000);
    static char text[2000];
    snprintf(text, sizeof text,
             "Function 2 40 0 12; FunctionParameter 10 41; Label 42; Variable 16 60 7;"
             "Load 4 61 41; InBoundsAccessChain 24 62 60 61; Load 4 63 62; Store 41 63;%s",
             end);
    check("too much private memory", "E_SPIRV_LIMIT", text, 0);
}

/* ---- Words and types that the instruction does not have ---- */

Test(spirv_build, superfluous_words_are_not_operands) {
    check_body("a load with another word", "W_SPIRV", "AtomicLoad 4 60 41 33 32 0x7FFFFFFF");
    check_body("an increment with another word", "W_SPIRV",
               "AtomicIIncrement 4 60 41 33 32 0x7FFFFFFF");
}

Test(spirv_build, logical_copies_consist_of_the_same_types) {
    check_body("a bool from an integer", "E_SPIRV_TYPE", "CopyLogical 3 60 44");
    check_body("an integer", "", "CopyLogical 4 60 44; Store 41 60");
}
