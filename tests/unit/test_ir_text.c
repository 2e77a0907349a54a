/* The text form of the IR: printed text reads back as the same text, and errors are reported with
 * their position. */
#include "ir/text.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse(const char *text, ir_func *f, arena *memory, wave_diags *diags) {
    return ir_parse(f, text, strlen(text), memory, diags);
}

static void check_identity(const char *text) {
    wave_diags *diags = wave_diags_create(0);
    arena memory = {0};
    buf out = {0};
    ir_func f;
    bool ok = parse(text, &f, &memory, diags);
    cr_assert(ok, "%s", wave_diags_count(diags) ? wave_diags_at(diags, 0)->message : "");
    ir_print(&f, &out);
    buf_char(&out, '\0');
    cr_expect_str_eq((char *)out.data, text);
    buf_free(&out);
    ir_free(&f);
    arena_free(&memory);
    wave_diags_destroy(diags);
}

/* Every kind of operand and attribute. */
Test(ir_text, text_is_read_back_unchanged) {
    check_identity("kernel \"a \\\"b\\\\ \\u0007\" args 3 group 8,4,2 local 65536 width 64 {\n"
                   "  %1:token = token\n"
                   "  %2:u32 = load(device, 4, +0) arg0\n"
                   "  %3:f32 = load(local, 4, -2147483648) sr_lane_id\n"
                   "  loads(device, 16, +2147483647) arg2\n"
                   "  %4:u32 = result(0)\n"
                   "  %5:u32 = result(1)\n"
                   "  %6:u32 = result(2)\n"
                   "  %7:u32 = result(3)\n"
                   "  %8:u64 = pointer %7\n"
                   "  store(device, 8, +8) %8, %4, %3\n"
                   "  %9:u32 = atomic(device, cas, system, +4) arg0, %5, %6\n"
                   "  %10:f32 = atomic(local, fadd, workgroup, +0) arg1, 0x3F800000:f32\n"
                   "  atomic(device, store, device, +0) arg0, %5\n"
                   "  fence(acq_rel, device) %1\n"
                   "  lane_fence(sc, system)\n"
                   "  assert(7) true\n"
                   "  barrier %1\n"
                   "  %11:bool = wave_any %1, false\n"
                   "  %12:f64 = bitcast 0x3FF0000000000000:u64\n"
                   "  %13:tile = mma_load arg0, arg1\n"
                   "  %14:tile = mma_compute %13, %13, 0x0:tile\n"
                   "  mma_store arg0, arg1, %14\n"
                   "  %15:f16 = low16 0xFFFFFFFF:u32\n"
                   "  if %11 {\n"
                   "    loop %9, %2 {\n"
                   "      %16:u32 = param(0)\n"
                   "      %17:u32 = param(1)\n"
                   "      if %11 {\n"
                   "        break %16\n"
                   "      } else {\n"
                   "        continue %17, %16\n"
                   "      }\n"
                   "      halt\n"
                   "    }\n"
                   "    %18:u32 = result(0)\n"
                   "    yield %18, %10\n"
                   "  } else {\n"
                   "    yield sr_mma_k, %3\n"
                   "  }\n"
                   "  %19:u32 = result(0)\n"
                   "  %20:f32 = result(1)\n"
                   "  store(device, 4, +0) %19, %20\n"
                   "  halt\n"
                   "}\n");
}

/* Cache hints and 64-bit atomics. */
Test(ir_text, optional_attributes_are_read_back) {
    check_identity("kernel \"a\" args 1 group 8,4,2 local 1024 width 64 {\n"
                   "  %1:token = token\n"
                   "  %2:u32 = load(device, 4, +0, uncached) arg0\n"
                   "  loads(device, 8, -4, streaming) arg0\n"
                   "  %3:u32 = result(0)\n"
                   "  %4:u32 = result(1)\n"
                   "  store(device, 8, +8, uncached) arg0, %2, %3\n"
                   "  %5:u64 = pack64 %3, %4\n"
                   "  %6:u64 = atomic(device, cas, system, +4, 64) arg0, %5, 0x123456789A:u64\n"
                   "  %7:u64 = atomic(local, load, workgroup, +0, 64) arg0\n"
                   "  atomic(device, store, device, -8, 64) arg0, %7\n"
                   "  %8:u64 = wave_ballot64 %1, false\n"
                   "  %9:u64 = atomic(local, imax, workgroup, +0, 64) arg0, %8\n"
                   "  halt\n"
                   "}\n");
}

/* Tiles of a wave: every bank and element, both memories and layouts. */
Test(ir_text, tiles_are_read_back) {
    check_identity("kernel \"a\" args 2 group 64,1,1 local 4096 width 32 {\n"
                   "  %1:token = token\n"
                   "  %2:a_f16 = tile_load(device, row, +0) arg0, 0x20:u32, %1\n"
                   "  %3:b_f16 = tile_load(local, col, +512) arg0, 0x20:u32, %1\n"
                   "  %4:a_bf16 = tile_fill 0x0:u32, %1\n"
                   "  %5:b_bf16 = tile_fill 0x0:u32, %1\n"
                   "  %6:a_f32 = tile_fill 0x0:u32, %1\n"
                   "  %7:b_f32 = tile_fill 0x0:u32, %1\n"
                   "  %8:a_i8 = tile_fill 0x0:u32, %1\n"
                   "  %9:b_i8 = tile_fill 0x0:u32, %1\n"
                   "  %10:a_u8 = tile_fill 0x0:u32, %1\n"
                   "  %11:b_u8 = tile_fill 0x0:u32, %1\n"
                   "  %12:c_f32 = tile_fill 0x3F800000:u32, %1\n"
                   "  %13:c_i32 = tile_load(local, row, +0) arg1, 0x40:u32, %1\n"
                   "  %14:c_f32 = tile_mma(row_row) %2, %3, %12, %1\n"
                   "  %15:c_f32 = tile_mma(row_col) %4, %5, %14, %1\n"
                   "  %16:c_f32 = tile_mma(col_row) %6, %7, %15, %1\n"
                   "  %17:c_i32 = tile_mma(col_col) %8, %9, %13, %1\n"
                   "  %18:c_i32 = tile_mma(row_row) %10, %11, %17, %1\n"
                   "  loop %16 {\n"
                   "    %19:c_f32 = param(0)\n"
                   "    break %19\n"
                   "  }\n"
                   "  %20:c_f32 = result(0)\n"
                   "  tile_store(device, col, +0) arg0, 0x40:u32, %20, %1\n"
                   "  tile_store(local, row, +0) arg0, 0x40:u32, %18, %1\n"
                   "  tile_fixed(8519680) arg0, 0x20:u32, %1\n"
                   "  halt\n"
                   "}\n");
}

Test(ir_text, numbers_and_spaces_are_free) {
    const char *text = "; a comment\n"
                       "kernel \"\" args 0 group 0,0,0 local 0 width 32{ ; another\n"
                       "\n"
                       "%7:u32=iadd 0x1:u32,0x2:u32\n"
                       "\tstore( device,4,+0 ) %7 , %7\n"
                       "halt\n"
                       "}\n";
    wave_diags *diags = wave_diags_create(0);
    arena memory = {0};
    buf out = {0};
    ir_func f;
    cr_assert(parse(text, &f, &memory, diags));
    ir_print(&f, &out);
    buf_char(&out, '\0');
    cr_expect_str_eq((char *)out.data, "kernel \"\" args 0 group 0,0,0 local 0 width 32 {\n"
                                       "  %1:u32 = iadd 0x1:u32, 0x2:u32\n"
                                       "  store(device, 4, +0) %1, %1\n"
                                       "  halt\n"
                                       "}\n");
    buf_free(&out);
    ir_free(&f);
    arena_free(&memory);
    wave_diags_destroy(diags);
}

#define HEAD "kernel \"k\" args 2 group 64,1,1 local 0 width 32 {\n"

static const struct {
    const char *text;
    uint32_t line, column; /* 0: the verifier's error, which has no position in the text */
    const char *message;
} errors[] = {
    {"", 1, 1, "expected 'kernel'"},
    {"kernel \"k", 1, 10, "the name is not terminated"},
    {"kernel \"k\" args 257", 1, 17, "number too large"},
    {"kernel \"k\" args 1 group 64,32,1 local", 1, 32, "more than 1024 threads"},
    {"kernel \"k\" args 1 group 1,1,1 local 0 width 33 {", 1, 47,
     "the wave width is not a power of two"},
    {HEAD, 2, 1, "the kernel is not closed"},
    {HEAD "halt\n}\nx", 4, 1, "unexpected text after the kernel"},
    {HEAD "  nothing\n}\n", 2, 3, "expected an operation"},
    {HEAD "  arg arg0\n}\n", 2, 3, "expected an operation"},
    {HEAD "  %1:u32 = iadd %2, arg0\n", 2, 17, "%2 is not defined yet"},
    {HEAD "  %1:u32 = iadd arg0, arg2\n", 2, 26, "number too large"},
    {HEAD "  %1:u33 = iadd arg0, arg0\n", 2, 6, "unknown name 'u33'"},
    {HEAD "  %1:u32 = iadd arg0, 0x1FFFFFFFF:u32\n", 2, 38, "not a valid constant of type u32"},
    {HEAD "  %1:u32 = iadd arg0, 0x1:token\n", 2, 32, "not a valid constant of type token"},
    {HEAD "  %1:u32 = load(device, 3, +0) arg0\n", 2, 26, "an access cannot have 3 bytes"},
    {HEAD "  %1:u32 = load(device, 4, 0) arg0\n", 2, 28, "expected '+'"},
    {HEAD "  %1:u32 = load(far, 4, +0) arg0\n", 2, 17, "unknown name 'far'"},
    {HEAD "  iadd arg0, arg1\n", 2, 18, "the value needs a number"},
    {HEAD "  %1:u32 = halt\n", 2, 16, "the operation has no value"},
    {HEAD "  halt halt\n", 2, 8, "expected a value"},
    {HEAD "  halt }\n", 2, 8, "expected a value"},
    {HEAD "  %1:u32 = result(0)\n", 2, 21, "a result must follow an if, a loop or loads"},
    {HEAD "  if true {\n yield\n }\n", 4, 3, "expected 'else'"},
    {HEAD "  %1:u32 = not arg0\n  %1:u32 = not arg0\n", 3, 3, "%1 cannot be defined here"},
    {HEAD "  %1:u32 = iadd arg0, true\nhalt\n}\n", 0, 0,
     "after parsing, operation 3 (iadd): has an operand of the wrong type"},
    {HEAD "  break\n}\n", 0, 0, "after parsing, operation 1 (break): is outside a loop"},
};

Test(ir_text, errors_have_a_position) {
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++) {
        wave_diags *diags = wave_diags_create(0);
        arena memory = {0};
        ir_func f;
        cr_expect(!parse(errors[k].text, &f, &memory, diags), "%s", errors[k].text);
        cr_assert_eq(wave_diags_count(diags), 1, "%s", errors[k].text);
        const wave_diag *d = wave_diags_at(diags, 0);
        cr_expect_str_eq(d->message, errors[k].message);
        cr_expect(d->line == errors[k].line && d->column == errors[k].column, "%s: at %u:%u",
                  errors[k].message, d->line, d->column);
        ir_free(&f);
        arena_free(&memory);
        wave_diags_destroy(diags);
    }
}

/* Nesting is bounded, and therefore time is too. */
Test(ir_text, deep_nesting_is_refused) {
    size_t depth = 100000, n = 0, size = depth * 10 + 100;
    char *text = malloc(size);
    cr_assert(text);
    n += (size_t)snprintf(text, size, HEAD);
    for (size_t k = 0; k < depth; k++)
        n += (size_t)snprintf(text + n, size - n, "loop {\n");
    wave_diags *diags = wave_diags_create(0);
    arena memory = {0};
    ir_func f;
    cr_expect(!ir_parse(&f, text, n, &memory, diags));
    cr_expect_str_eq(wave_diags_at(diags, 0)->message, "nested too deeply");
    ir_free(&f);
    arena_free(&memory);
    wave_diags_destroy(diags);
    free(text);
}
