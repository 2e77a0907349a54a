/* WBIN from the IR: the instructions of small functions, every operation, cyclic moves, running out
 * of registers, the preserved parts of a file. */
#include "emit_wbin/emit_wbin.h"
#include "ir/text.h"

#include <criterion/criterion.h>
#include <wave/compile.h>
#include <wave/emu.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "kernel \"k\" args 4 group 0,0,0 local 1024 private 32 constant 0A0B0C0D width 0 {\n"

/* ---- Helpers ---- */

static wave_blob compile_body(const char *body, bool extensions) {
    wave_compile_options o;
    wave_blob out = {0};
    buf text = {0};
    wave_diags *diags = wave_diags_create(0);
    wave_compile_init(&o);
    o.target = WAVE_TARGET_WBIN;
    o.optimise = false;
    o.verify_ir = true;
    o.extensions = extensions;
    buf_text(&text, HEAD);
    buf_text(&text, body);
    buf_text(&text, "}\n");
    wave_status status = wave_compile_ir((const char *)text.data, text.size, &o, &out, diags);
    cr_assert(status == WAVE_OK, "%s: %s", body,
              wave_diags_count(diags) ? wave_diags_at(diags, 0)->message : "?");
    wave_diags_destroy(diags);
    buf_free(&text);
    return out;
}

/* Compares the instructions, without directives, leading blanks and the contents of sections. */
static void expect_code(const char *body, const char *want) {
    wave_blob binary = compile_body(body, false), text = {0};
    const wave_dis_options options = {0};
    cr_assert(wave_disassemble(binary.data, binary.size, &options, &text, NULL) == WAVE_OK);
    buf got = {0};
    for (char *line = strtok((char *)text.data, "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, "    ", 4) == 0 && line[4] != '.') {
            buf_text(&got, line + strspn(line, " "));
            buf_char(&got, '\n');
        }
    buf_char(&got, '\0');
    cr_expect(strcmp((const char *)got.data, want) == 0, "%s\ngives\n%sinstead of\n%s", body,
              (const char *)got.data, want);
    buf_free(&got);
    wave_blob_free(&binary);
    wave_blob_free(&text);
}

/* The word at 0 of device memory after one wave of four lanes has run with these arguments. */
static uint32_t run(const wave_blob *binary, const uint32_t args[4]) {
    uint8_t memory[256] = {0};
    wave_launch launch;
    wave_module *module = NULL;
    cr_assert(wave_module_load(binary->data, binary->size, NULL, &module, NULL) == WAVE_OK);
    wave_launch_init(&launch);
    launch.workgroup[0] = launch.wave_width = 4;
    launch.device_memory = memory;
    launch.device_size = sizeof memory;
    launch.initial = args;
    launch.initial_count = 4;
    cr_assert(wave_emulate(module, &launch, NULL) == WAVE_OK);
    wave_module_destroy(module);
    uint32_t word;
    memcpy(&word, memory, sizeof word);
    return word;
}

/* ---- Instructions ---- */

Test(emit_wbin, sums_of_products_become_imad) {
    expect_code("%1:u32 = shl sr_thread_id_x, 0x2:u32\n%2:u32 = iadd %1, arg0\n"
                "store(device, 4, +0) %2, arg3\nhalt\n",
                "mov r1, sr_thread_id_x\nmov_imm r2, 4\nimad r0, r1, r2, r0\n"
                "device_store_u32 r0, r3\nhalt\n");
}

Test(emit_wbin, small_ifs_become_guards) {
    expect_code(
        "%1:bool = icmp_lt arg1, arg2\nif %1 {\n  store(device, 4, +0) arg0, arg3\n  yield\n"
        "} else {\n  yield\n}\nhalt\n",
        "icmp_lt p1, r1, r2\n@p1 device_store_u32 r0, r3\nhalt\n");
    /* the old value is already in the register of the result */
    expect_code("%1:bool = icmp_lt arg1, arg2\nif %1 {\n  %2:u32 = load(device, 4, +0) arg0\n"
                "  yield %2\n} else {\n  yield arg3\n}\n%3:u32 = result(0)\n"
                "store(device, 4, +0) arg0, %3\nhalt\n",
                "icmp_lt p1, r1, r2\n@p1 device_load_u32 r3, r0\ndevice_store_u32 r0, r3\nhalt\n");
}

/* No else and no moves: the value that the second side yields stays where it is. */
Test(emit_wbin, values_change_in_place) {
    expect_code("%9:token = token\n%1:bool = icmp_lt arg1, arg2\nif %1 {\n  barrier %9\n"
                "  %2:u32 = iadd arg3, arg1\n  yield %2\n} else {\n  yield arg3\n}\n"
                "%3:u32 = result(0)\nstore(device, 4, +0) arg0, %3\nhalt\n",
                "icmp_lt p0, r1, r2\nif p0\nbarrier\niadd r3, r3, r1\nendif\n"
                "device_store_u32 r0, r3\nhalt\n");
}

/* arg2 and arg3 are never read, so their registers are free; a guarded move that is never executed
 * keeps the kernel at four arguments. */
Test(emit_wbin, loops_count_in_place) {
    expect_code("loop 0x0:u32 {\n  %1:u32 = param(0)\n  %2:bool = icmp_ge %1, arg1\n  if %2 {\n"
                "    break %1\n  } else {\n    yield\n  }\n  %3:u32 = iadd %1, 0x1:u32\n"
                "  continue %3\n}\n%4:u32 = result(0)\nstore(device, 4, +0) arg0, %4\nhalt\n",
                "@p1 mov r3, r3\nmov_imm r2, 1\nmov_imm r3, 0\nloop\nicmp_ge p1, r3, r1\nbreak p1\n"
                "iadd r3, r3, r2\nendloop\ndevice_store_u32 r0, r3\nhalt\n");
}

/* Four arguments, of which the code reads one. Predicates are false at the start. */
Test(emit_wbin, unread_arguments_are_named_after_the_end) {
    expect_code("store(device, 4, +0) arg0, arg0\nhalt\n",
                "device_store_u32 r0, r0\n@!p0 halt\nmov r3, r3\nhalt\n");
}

Test(emit_wbin, one_register_holds_a_constant_used_twice) {
    expect_code("store(device, 8, +0) 0x0:u32, 0x0:u32, arg3\nhalt\n",
                "mov r1, r3\nmov_imm r0, 0\ndevice_store_u64 r0, r0\nhalt\n");
}

Test(emit_wbin, part_of_a_quad_is_used_as_a_pair) {
    expect_code("loads(device, 16, +0) arg1\n%1:u32 = result(0)\n%2:u32 = result(1)\n"
                "%3:u32 = result(2)\n%4:u32 = result(3)\nstore(device, 8, +0) arg0, %3, %4\nhalt\n",
                "@p1 mov r3, r3\ndevice_load_u128 r1, r1\ndevice_store_u64 r0, r3\nhalt\n");
}

/* The result starts as the second word of a pair whose first word its instruction reads: it must
 * not take the first word's register. */
Test(emit_wbin, guarded_results_spare_the_rest_of_a_pair) {
    expect_code(
        "loads(device, 8, +0) arg1\n%1:u32 = result(0)\n%2:u32 = result(1)\n"
        "%3:bool = icmp_lt arg2, arg3\nif %3 {\n  %4:u32 = iadd %1, arg2\n  yield %4\n"
        "} else {\n  yield %2\n}\n%5:u32 = result(0)\nstore(device, 4, +0) arg1, %5\n"
        "store(device, 4, +0) arg2, %5\nstore(device, 4, +0) arg3, arg0\nhalt\n",
        "device_load_u64 r4, r1\nicmp_lt p1, r2, r3\nmov r6, r5\n@p1 iadd r6, r4, r2\n"
        "device_store_u32 r1, r6\ndevice_store_u32 r2, r6\ndevice_store_u32 r3, r0\nhalt\n");
}

Test(emit_wbin, a_select_under_its_own_condition_is_folded) {
    expect_code("%1:bool = icmp_lt arg1, arg3\n%2:u32 = select %1, arg1, arg2\nif %1 {\n"
                "  store(device, 4, +0) arg0, %2\n  yield\n} else {\n  yield\n}\nhalt\n",
                "icmp_lt p1, r1, r3\n@p1 device_store_u32 r0, r1\nhalt\n");
}

Test(emit_wbin, opposite_conditions_share_one_compare) {
    expect_code(
        "%1:bool = icmp_eq arg1, arg2\nif %1 {\n  store(device, 4, +0) arg0, arg3\n  yield\n"
        "} else {\n  yield\n}\n%2:bool = icmp_ne arg1, arg2\nif %2 {\n"
        "  store(device, 4, +0) arg0, arg1\n  yield\n} else {\n  yield\n}\nhalt\n",
        "icmp_eq p1, r1, r2\n@p1 device_store_u32 r0, r3\n@!p1 device_store_u32 r0, r1\n"
        "halt\n");
}

Test(emit_wbin, shifts_reuse_a_constant_in_a_register) {
    expect_code("%1:u32 = imul arg1, 0x8:u32\n%2:u32 = shl arg2, 0x3:u32\n%3:u32 = xor %1, %2\n"
                "%4:u32 = xor %3, arg3\nstore(device, 4, +0) arg0, %4\nhalt\n",
                "mov_imm r4, 8\nimul r1, r1, r4\nimul r2, r2, r4\nxor r1, r1, r2\n"
                "xor r1, r1, r3\ndevice_store_u32 r0, r1\nhalt\n");
}

Test(emit_wbin, an_assert_that_holds_does_not_fail) {
    wave_blob binary = compile_body("%1:bool = icmp_lt arg1, arg2\n%2:bool = bnot %1\nif %2 {\n"
                                    "  assert(7) false\n  halt\n} else {\n  yield\n}\n"
                                    "store(device, 4, +0) arg0, arg3\nhalt\n",
                                    false);
    const uint32_t args[4] = {0, 1, 2, 99};
    cr_expect(run(&binary, args) == 99);
    wave_blob_free(&binary);
}

/* ---- Every operation has instructions ---- */

static const char *operand_of(char letter) {
    switch (letter) {
    case 't': return "%1";
    case 'b': return "%2";
    case 'f': return "%3";
    case 'q': return "%4";
    case 'd': return "%5";
    case 'h': return "%6";
    case 'H': return "%7";
    default: return "arg1";
    }
}

static const char *type_of(char letter) {
    switch (letter) {
    case 'b': return "bool";
    case 'f': return "f32";
    case 'q': return "u64";
    case 'd': return "f64";
    case 'h': return "f16";
    case 'H': return "f16x2";
    default: return "u32";
    }
}

/* Stores the value of a type. */
static void put_use(buf *body, char letter) {
    switch (letter) {
    case 'b': buf_text(body, "%9:u32 = select %8, arg1, arg2\n"); break;
    case 'd': buf_text(body, "%10:u64 = bitcast %8\n%9:u32 = hi64 %10\n"); break;
    case 'q': buf_text(body, "%9:u32 = hi64 %8\n"); break;
    case 'h': buf_text(body, "%9:u32 = zext16 %8\n"); break;
    case 'u': buf_text(body, "%9:u32 = iadd %8, %8\n"); break;
    default: buf_text(body, "%9:u32 = bitcast %8\n"); break;
    }
    buf_text(body, "store(device, 4, +0) arg0, %9\nhalt\n");
}

Test(emit_wbin, every_pure_operation_has_instructions) {
    unsigned count = 0;
    for (unsigned op = IR_NONE + 1; op < IR_OP_COUNT; op++) {
        const char *signature = ir_ops[op].signature;
        bool plain = (ir_ops[op].flags & IR_PURE) && !(ir_ops[op].flags & (IR_LEAF | IR_UNIQUE)) &&
                     strpbrk(signature, "xyTk*") == NULL && op != IR_BUFFER;
        if (!plain)
            continue;
        buf body = {0};
        buf_text(&body, "%1:token = token\n%2:bool = icmp_lt arg1, arg2\n%3:f32 = bitcast arg1\n"
                        "%4:u64 = pack64 arg1, arg2\n%5:f64 = bitcast %4\n%6:f16 = low16 arg1\n"
                        "%7:f16x2 = bitcast arg1\n");
        buf_printf(&body, "%%8:%s = %s ", type_of(signature[0]), ir_ops[op].name);
        for (const char *letter = signature + 2; *letter; letter++)
            buf_printf(&body, "%s%s", letter == signature + 2 ? "" : ", ", operand_of(*letter));
        buf_char(&body, '\n');
        put_use(&body, signature[0]);
        buf_char(&body, '\0');
        wave_blob binary = compile_body((const char *)body.data, false);
        const uint32_t args[4] = {0, 3, 5, 7};
        run(&binary, args);
        wave_blob_free(&binary);
        buf_free(&body);
        count++;
    }
    cr_expect(count > 130, "%u operations", count);
}

/* ---- Cyclic moves ---- */

/* After n rotations of (a, b, c) to (b, c, a), the first value is the one with index n modulo 3. */
Test(emit_wbin, cyclic_moves_of_parameters_are_correct) {
    wave_blob binary = compile_body(
        "loop 0x0:u32, 0x64:u32, 0x65:u32, 0x66:u32 {\n  %1:u32 = param(0)\n  %2:u32 = param(1)\n"
        "  %3:u32 = param(2)\n  %4:u32 = param(3)\n  %5:bool = icmp_ge %1, arg1\n  if %5 {\n"
        "    break %2\n  } else {\n    yield\n  }\n  %6:u32 = iadd %1, 0x1:u32\n"
        "  continue %6, %3, %4, %2\n}\n%7:u32 = result(0)\nstore(device, 4, +0) arg0, %7\nhalt\n",
        false);
    for (uint32_t n = 0; n < 7; n++)
        cr_expect(run(&binary, (uint32_t[4]){0, n}) == 0x64 + n % 3, "%u turns", n);
    wave_blob_free(&binary);
}

/* Two predicates that are swapped, and one that is inverted. */
Test(emit_wbin, cyclic_moves_of_predicates_are_correct) {
    wave_blob binary = compile_body(
        "loop 0x0:u32, true, false, false {\n  %1:u32 = param(0)\n  %2:bool = param(1)\n"
        "  %3:bool = param(2)\n  %4:bool = param(3)\n  %5:bool = icmp_ge %1, arg1\n  if %5 {\n"
        "    break %2, %3, %4\n  } else {\n    yield\n  }\n  %6:u32 = iadd %1, 0x1:u32\n"
        "  %7:bool = bnot %4\n  continue %6, %3, %2, %7\n}\n%8:bool = result(0)\n"
        "%9:bool = result(1)\n%10:bool = result(2)\n%11:u32 = select %8, 0x1:u32, 0x0:u32\n"
        "%12:u32 = select %9, 0x2:u32, 0x0:u32\n%13:u32 = select %10, 0x4:u32, 0x0:u32\n"
        "%14:u32 = iadd %11, %12\n%15:u32 = iadd %14, %13\nstore(device, 4, +0) arg0, %15\nhalt\n",
        false);
    for (uint32_t n = 0; n < 4; n++)
        cr_expect(run(&binary, (uint32_t[4]){0, n}) == (n % 2 ? 2u : 1u) + (n % 2 ? 4u : 0u),
                  "%u turns", n);
    wave_blob_free(&binary);
}

/* ---- Running out of registers ---- */

enum { MANY = 300 };

/* MANY products of arguments, all live before the first is added up. */
static void put_pressure(buf *out) {
    buf_text(out, HEAD);
    for (unsigned k = 0; k < MANY; k++)
        buf_printf(out, "%%%u:u32 = imul_hi arg1, %s\n%%%u:u32 = xor %%%u, 0x%X:u32\n", 2 * k + 1,
                   k % 2 ? "arg2" : "arg3", 2 * k + 2, 2 * k + 1, k);
    buf_printf(out, "%%1000:u32 = iadd %%2, %%4\n");
    for (unsigned k = 2; k < MANY; k++)
        buf_printf(out, "%%%u:u32 = iadd %%%u, %%%u\n", 1000 + k - 1, 1000 + k - 2, 2 * k + 2);
    buf_printf(out, "store(device, 4, +0) arg0, %%%u\nhalt\n}\n", 1000 + MANY - 2);
}

static bool add_pressure(bool extensions, uint32_t registers, buf *file, wave_diags *diags) {
    buf text = {0};
    arena memory = {0};
    ir_func f;
    put_pressure(&text);
    const wbin_settings settings = {.extensions = extensions, .registers = registers};
    wbin_unit *unit = wbin_unit_create(&settings);
    cr_assert(ir_parse(&f, (const char *)text.data, text.size, &memory, diags));
    bool ok = wbin_add_kernel(unit, &f, &(wbin_kernel){.name = "k"}, diags) &&
              wbin_write(unit, file, diags);
    ir_free(&f);
    wbin_unit_destroy(unit);
    arena_free(&memory);
    buf_free(&text);
    return ok;
}

Test(emit_wbin, too_many_values_are_refused_without_extensions) {
    buf file = {0};
    wave_diags *diags = wave_diags_create(0);
    cr_expect(!add_pressure(false, 0, &file, diags));
    cr_expect(file.size == 0);
    cr_expect_str_eq(wave_diags_at(diags, 0)->code, "E_REGISTERS");
    wave_diags_destroy(diags);
    buf_free(&file);
}

Test(emit_wbin, too_many_values_spill) {
    static const uint32_t limits[] = {0, 64, 16, 8};
    const uint32_t args[4] = {0, 0x80000000u, 12, 20};
    uint32_t want = 0;
    for (unsigned k = 0; k < MANY; k++) /* the upper half of half of 2^32 times the argument */
        want += (k % 2 ? args[2] / 2 : args[3] / 2) ^ k;
    for (unsigned k = 0; k < sizeof limits / sizeof *limits; k++) {
        buf file = {0};
        wave_diags *diags = wave_diags_create(0);
        cr_assert(add_pressure(true, limits[k], &file, diags), "%u registers", limits[k]);
        cr_expect(file.data[6] == 1, "private memory needs the EXT flag");
        const wave_blob binary = {file.data, file.size};
        cr_expect(run(&binary, args) == want, "%u registers", limits[k]);
        wave_diags_destroy(diags);
        buf_free(&file);
    }
}

/* ---- The file ---- */

Test(emit_wbin, extensions_are_used_only_where_needed) {
    wave_blob plain = compile_body("store(device, 4, +0) arg0, arg1\nhalt\n", true);
    wave_blob needs =
        compile_body("%1:u32 = udiv arg1, arg2\nstore(device, 4, +0) arg0, %1\nhalt\n", false);
    wave_module *module = NULL;
    cr_expect(needs.data[6] == 1);
    cr_assert(wave_module_load(plain.data, plain.size, NULL, &module, NULL) == WAVE_OK);
    const wave_kernel_info *info = wave_module_kernel(module, 0);
    cr_expect_str_eq(info->name, "k");
    cr_expect(info->argument_words == 4);
    cr_expect(info->private_memory == 32);
    wave_module_destroy(module);
    wave_blob_free(&plain);
    wave_blob_free(&needs);
}

Test(emit_wbin, lines_follow_the_instructions) {
    static const char source[] = ".kernel k\n  mov_imm r5, 7\n  nop\n  mov_imm r6, 64\n"
                                 "  iadd r7, r0, r6\n  device_store_u32 r7, r5\n  halt\n.end\n";
    const wave_asm_options assemble = {.debug = true, .file = "k.wave"};
    wave_compile_options o;
    wave_blob binary = {0}, out = {0};
    wave_module *module = NULL, *after = NULL;
    wave_source_place place;
    wave_compile_init(&o);
    o.target = WAVE_TARGET_WBIN;
    cr_assert(wave_assemble(source, strlen(source), &assemble, &binary, NULL) == WAVE_OK);
    cr_assert(wave_module_load(binary.data, binary.size, NULL, &module, NULL) == WAVE_OK);
    cr_assert(wave_compile(module, &o, &out, NULL) == WAVE_OK);
    cr_assert(wave_module_load(out.data, out.size, NULL, &after, NULL) == WAVE_OK);
    uint32_t size = wave_module_kernel(after, 0)->code_size;
    cr_assert(wave_module_source(after, 0, size - 4, &place)); /* halt */
    cr_expect(place.line == 7);
    cr_expect_str_eq(place.file, "k.wave");
    cr_assert(wave_module_source(after, 0, size - 12, &place)); /* the store */
    cr_expect(place.line == 6);
    wave_module_destroy(module);
    wave_module_destroy(after);
    wave_blob_free(&binary);
    wave_blob_free(&out);
}
