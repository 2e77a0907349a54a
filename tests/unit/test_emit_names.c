/* Entry symbols do not collide with the declarations of the vendors' headers or with each other.
 * tests/tools/check_names.py checks that the real headers agree. */
#include "emit_hip/hip.h"
#include "emit_msl/msl.h"
#include "emit_sycl/sycl.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *symbol_of(emit_target target, const char *name, arena *memory) {
    const char *symbol = NULL;
    cr_assert(emit_symbols(target, &name, 1, memory, &symbol));
    return symbol;
}

#define CPP_KEYWORDS                                                                               \
    "alignas alignof and and_eq asm auto bitand bitor bool break "                                 \
    "case catch char char16_t char32_t char8_t class co_await "                                    \
    "co_return co_yield compl concept const const_cast consteval "                                 \
    "constexpr constinit continue decltype default delete do "                                     \
    "double dynamic_cast else enum explicit export extern false "                                  \
    "float for friend goto if inline int long mutable namespace "                                  \
    "new noexcept not not_eq nullptr operator or or_eq private "                                   \
    "protected public register reinterpret_cast requires return "                                  \
    "short signed sizeof static static_assert static_cast struct "                                 \
    "switch template this thread_local throw true try typedef "                                    \
    "typeid typename union unsigned using virtual void volatile "                                  \
    "wchar_t while xor xor_eq"

/* The lookup is a binary search: a word out of order would not be found. */
Test(emit_names, every_keyword_gets_an_underscore) {
    /* ISO C++20, [lex.key] and [lex.digraph]; for PTX and Metal, part of the lists in their
     * documents */
    static const struct {
        emit_target target;
        const char *words;
    } lists[] = {{EMIT_HIP, CPP_KEYWORDS},
                 {EMIT_SYCL, CPP_KEYWORDS},
                 {EMIT_MSL, CPP_KEYWORDS},
                 {EMIT_PTX, "abs activemask add and atom bar bfe brev clz cvt div ex2 "
                            "fma ld lg2 lop3 mad max membar min mov mul neg not or popc "
                            "prmt rcp red rem rsqrt selp set setp shf shfl shl shr sin "
                            "slct sqrt st sub tex trap vote wmma xor"},
                 {EMIT_MSL, "abs array atomic bool2 constant device float4 fragment half "
                            "half4 int2 kernel metal ray_data sampler short4 texture "
                            "thread threadgroup uchar2 uint3 ushort4 vertex visible"}};
    arena memory = {0};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (const char *at = lists[k].words; *at; at += strspn(at, " ")) {
            char name[32], expected[34];
            size_t length = strcspn(at, " ");
            snprintf(name, sizeof name, "%.*s", (int)length, at);
            snprintf(expected, sizeof expected, "%s_", name);
            cr_expect_str_eq(symbol_of(lists[k].target, name, &memory), expected);
            at += length;
        }
    arena_free(&memory);
}

Test(emit_names, names_of_headers_get_an_underscore) {
    static const struct {
        const char *name, *hip, *sycl;
    } cases[] = {{"sqrt", "sqrt_", "sqrt"},
                 {"index", "index_", "index"},
                 {"time", "time_", "time"},
                 {"linux", "linux_", "linux_"},
                 {"errno", "errno_", "errno_"},
                 {"NULL", "NULL_", "NULL_"},
                 {"float4", "float4_", "float4"},
                 {"size_t", "size_t_", "size_t_"},
                 {"read", "read_", "read"},
                 {"hipMalloc", "hipMalloc_", "hipMalloc_"},
                 {"cl_mem", "cl_mem_", "cl_mem_"},
                 {"select_impl", "select_impl", "select_impl"},
                 {"_start", "k__start", "k__start"},
                 {"__popc", "k___popc", "k___popc"},
                 {"cl", "cl", "cl_"},
                 {"vector_add", "vector_add", "vector_add"},
                 {"saxpy", "saxpy", "saxpy"},
                 {"matMul", "matMul", "matMul"},
                 {"hippo", "hippo", "hippo"},
                 {"clamp", "clamp", "clamp"},
                 {"K", "K", "K"},
                 {"t", "t", "t"}};
    arena memory = {0};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cr_expect_str_eq(symbol_of(EMIT_HIP, cases[k].name, &memory), cases[k].hip);
        cr_expect_str_eq(symbol_of(EMIT_SYCL, cases[k].name, &memory), cases[k].sycl);
    }
    cr_expect_str_eq(symbol_of(EMIT_PTX, "A7", &memory), "A7_");
    cr_expect_str_eq(symbol_of(EMIT_PTX, "_reg", &memory), "k__reg");
    arena_free(&memory);
}

/* A name with the prefix of helpers is recognised before it is looked up. */
Test(emit_names, names_of_helpers_are_reserved) {
    for (unsigned k = 0; k < C_HELPERS; k++)
        for (emit_target t = EMIT_HIP; t < EMIT_TARGET_COUNT; t++)
            cr_expect(emit_is_reserved(t, c_helpers[k].name), "%s", c_helpers[k].name);
    for (unsigned k = C_HELPERS; k < HIP_END; k++)
        cr_expect(emit_is_reserved(EMIT_HIP, hip_helpers[k - C_HELPERS].name), "%u", k);
    for (unsigned k = C_HELPERS; k < SYCL_END; k++)
        cr_expect(emit_is_reserved(EMIT_SYCL, sycl_helpers[k - C_HELPERS].name), "%u", k);
    for (unsigned k = C_HELPERS; k < MSL_END; k++)
        cr_expect(emit_is_reserved(EMIT_MSL, msl_helpers[k - C_HELPERS].name), "%u", k);
    cr_expect(!emit_is_reserved(EMIT_HIP, "wave_unknown"));
    cr_expect(!emit_is_reserved(EMIT_HIP, "mem_unknown"));
}

/* Names that a kernel's text refers to; a variable or buffer of that name would hide them. */
Test(emit_names, variables_do_not_hide_what_the_text_refers_to) {
    static const char *const names[] = {"own",
                                        "ta_f16_0",
                                        "tc_i32_12",
                                        "tb_bf16", /* its second variable: tb_bf16_2 */
                                        "atomic_store_explicit",
                                        "memory_order_relaxed",
                                        "memory_order_seq_cst"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        cr_expect(emit_is_taken(names[k]), "%s", names[k]);
    for (unsigned target = EMIT_HIP; target < EMIT_TARGET_COUNT; target++) {
        const c_target *t = emit_backends[target]->c;
        for (unsigned k = 0; k < C_NAMES; k++)
            if (t->names[k].type)
                cr_expect(emit_is_taken(t->names[k].name), "%s", t->names[k].name);
    }
    cr_expect(!emit_is_taken("owner"));
    cr_expect(!emit_is_taken("tb_row"));
}

Test(emit_names, registers_do_not_hide_what_is_printed_along_with_a_kernel) {
    static const struct {
        const char *name, *expected;
    } cases[] = {{"f_part1", "f_part1_"},
                 {"f_args", "f_args_"},
                 {"f_state", "f_state_"},
                 {"f_part", "f_part"},
                 {"_part1", NULL},
                 {"part1", "part1"},
                 {"f_part1_", NULL},
                 {"own", "own_"},
                 {"f_partition7", "f_partition7"},
                 {"f_part_1", "f_part_1_"},
                 {"f", "f"}};
    enum { COUNT = sizeof cases / sizeof *cases };
    for (unsigned k = 0; k < COUNT; k++) {
        const wave_register_name name = {.name = cases[k].name};
        const emit_arguments none = {0};
        emit_registers registers;
        arena memory = {0};
        cr_assert(emit_find_registers(&name, 1, &none, &memory, &registers));
        const char *found = registers.at[1].name;
        cr_expect(cases[k].expected ? found && strcmp(found, cases[k].expected) == 0 : !found,
                  "%s: %s", cases[k].name, found ? found : "none");
        arena_free(&memory);
    }
}

/* A kernel's auxiliary names must not be another kernel: the later one is renamed. */
Test(emit_names, a_kernel_named_like_anothers_auxiliary_is_renamed) {
    static const char *const suffixes[] = {"_args",  "_state", "_body", "_kernel", "_launch",
                                           "_local", "_mem",   "_size", "_part1",  "_part23"};
    arena memory = {0};
    for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes; k++)
        for (unsigned turn = 0; turn < 2; turn++) {
            char longer[20];
            snprintf(longer, sizeof longer, "f%s", suffixes[k]);
            const char *names[2] = {turn ? longer : "f", turn ? "f" : longer};
            const char *symbols[2];
            cr_assert(emit_symbols(EMIT_HIP, names, 2, &memory, symbols));
            cr_expect_str_eq(symbols[0], names[0]);
            char expected[24];
            snprintf(expected, sizeof expected, "%s_1", names[1]);
            cr_expect_str_eq(symbols[1], expected);
        }
    static const char *const apart[] = {"f", "f_part", "g_partx1", "g"};
    const char *symbols[4];
    cr_assert(emit_symbols(EMIT_HIP, apart, 4, &memory, symbols));
    cr_expect_str_eq(symbols[2], "g_partx1");
    cr_expect_str_eq(symbols[3], "g");
    arena_free(&memory);
}

/* The set holds two entries for a symbol that looks like an auxiliary name: none may be lost, and
 * the search must end. */
Test(emit_names, many_names_that_look_like_parts_are_kept) {
    enum { COUNT = 20000 };
    char(*text)[20] = calloc(COUNT, sizeof *text);
    const char **names = calloc(COUNT, sizeof *names), **symbols = calloc(COUNT, sizeof *symbols);
    arena memory = {0};
    cr_assert(text && names && symbols);
    for (unsigned k = 0; k < COUNT; k++) {
        snprintf(text[k], sizeof text[k], "n%u_part%u", k / 2, k);
        names[k] = text[k];
    }
    cr_assert(emit_symbols(EMIT_HIP, names, COUNT, &memory, symbols));
    for (unsigned k = 0; k < COUNT; k++)
        cr_assert_str_eq(symbols[k], names[k]);
    arena_free(&memory);
    free(symbols);
    free(names);
    free(text);
}

Test(emit_names, symbols_fit_the_target_and_differ) {
    static const char *const names[] = {"vadd",   "", "add",    "add_",          "a.b",
                                        "kernel", "", "9lives", "wave_kernel_6", "k_ax2Eb"};
    static const char *const ptx[] = {
        "vadd",   "wave_kernel_1",   "add__2",   "add_",          "k_ax2Eb_4",
        "kernel", "wave_kernel_6_6", "k_9lives", "wave_kernel_6", "k_ax2Eb"};
    enum { COUNT = sizeof names / sizeof *names };
    const char *symbols[COUNT];
    arena memory = {0};
    cr_assert(emit_symbols(EMIT_PTX, names, COUNT, &memory, symbols));
    for (unsigned k = 0; k < COUNT; k++)
        cr_expect_str_eq(symbols[k], ptx[k]);
    cr_assert(emit_symbols(EMIT_MSL, names, COUNT, &memory, symbols));
    cr_expect_str_eq(symbols[2], "add");
    cr_expect_str_eq(symbols[5], "kernel_");
    const char *first = "";
    cr_assert(emit_symbols(EMIT_HIP, &first, 1, &memory, symbols));
    cr_expect_str_eq(symbols[0], "wave_kernel");
    first = "main";
    cr_assert(emit_symbols(EMIT_SYCL, &first, 1, &memory, symbols));
    cr_expect_str_eq(symbols[0], "main_");
    arena_free(&memory);
}
