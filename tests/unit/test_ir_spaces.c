/* Private and constant memory in the IR: the passes, the text form and the verifier. */
#include "ir/opt.h"
#include "ir/text.h"
#include "support/ir_text.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

/* The kernels of ir_check have 32 bytes of private memory and the constants 00 01 … 0F. */

Test(ir_private, words_become_values) {
    ir_check(ir_opt_private,
             "store(private, 4, +8) 0x0:u32, arg1\n%1:u32 = load(private, 4, +0) 0x8:u32\n"
             "store(device, 4, +0) arg0, %1\nhalt\n",
             "store(device, 4, +0) arg0, arg1\nhalt\n");
    /* unwritten memory is 0 here: the ISA leaves it undefined */
    ir_check(ir_opt_private,
             "%1:u32 = load(private, 4, +4) 0x0:u32\nstore(device, 4, +0) arg0, %1\nhalt\n",
             "store(device, 4, +0) arg0, 0x0:u32\nhalt\n");
}

Test(ir_private, parts_of_words_become_bit_operations) {
    ir_check(ir_opt_private,
             "store(private, 4, +0) 0x4:u32, arg1\nstore(private, 1, +2) 0x4:u32, arg2\n"
             "%1:u32 = load(private, 2, +2) 0x4:u32\n%2:u32 = load(private, 1, +0) 0x4:u32\n"
             "store(device, 8, +0) arg0, %1, %2\nhalt\n",
             "%1:u32 = bfi arg1, arg2, 0x10:u32, 0x8:u32\n%2:u32 = shr %1, 0x10:u32\n"
             "%3:u32 = and %2, 0xFFFF:u32\n%4:u32 = and %1, 0xFF:u32\n"
             "store(device, 8, +0) arg0, %3, %4\nhalt\n");
}

Test(ir_private, wide_accesses_and_floats_become_values) {
    ir_check(ir_opt_private,
             "store(private, 8, +0) 0x8:u32, arg1, arg2\nloads(private, 16, +0) 0x0:u32\n"
             "%1:u32 = result(0)\n%2:u32 = result(1)\n%3:u32 = result(2)\n%4:u32 = result(3)\n"
             "store(device, 16, +0) arg0, %4, %3, %2, %1\nhalt\n",
             "store(device, 16, +0) arg0, arg2, arg1, 0x0:u32, 0x0:u32\nhalt\n");
    ir_check(ir_opt_private,
             "%1:f32 = bitcast arg1\n%2:f32 = fadd %1, %1\nstore(private, 4, +0) 0x8:u32, %2\n"
             "%3:f32 = load(private, 4, +0) 0x8:u32\n%4:f32 = fmul %3, %3\n"
             "store(device, 4, +0) arg0, %4\nhalt\n",
             "%1:f32 = bitcast arg1\n%2:f32 = fadd %1, %1\n%3:f32 = fmul %2, %2\n"
             "store(device, 4, +0) arg0, %3\nhalt\n");
}

Test(ir_private, values_of_both_sides_of_an_if_merge) {
    ir_check(
        ir_opt_private,
        "store(private, 4, +0) 0x0:u32, arg1\n%1:bool = icmp_lt sr_thread_id_x, arg3\nif %1 {\n"
        "  store(private, 4, +0) 0x0:u32, arg2\n  yield\n} else {\n  yield\n}\n"
        "%2:u32 = load(private, 4, +0) 0x0:u32\nstore(device, 4, +0) arg0, %2\nhalt\n",
        "%1:bool = icmp_lt sr_thread_id_x, arg3\nif %1 {\n  yield arg2\n} else {\n  yield arg1\n}\n"
        "%2:u32 = result(0)\nstore(device, 4, +0) arg0, %2\nhalt\n");
}

Test(ir_private, loops_carry_what_they_store) {
    ir_check(ir_opt_private,
             "loop 0x0:u32 {\n  %1:u32 = param(0)\n  %2:u32 = load(private, 4, +4) 0x0:u32\n"
             "  %3:u32 = iadd %2, %1\n  store(private, 4, +4) 0x0:u32, %3\n"
             "  %4:bool = icmp_ge %1, arg1\n  if %4 {\n    break\n  } else {\n    yield\n  }\n"
             "  %5:u32 = iadd %1, 0x1:u32\n  continue %5\n}\n"
             "%6:u32 = load(private, 4, +4) 0x0:u32\nstore(device, 4, +0) arg0, %6\nhalt\n",
             "loop 0x0:u32, 0x0:u32 {\n  %1:u32 = param(0)\n  %2:u32 = param(1)\n"
             "  %3:u32 = iadd %2, %1\n  %4:bool = icmp_ge %1, arg1\n  if %4 {\n    break %3\n"
             "  } else {\n    yield\n  }\n  %5:u32 = iadd %1, 0x1:u32\n  continue %5, %3\n}\n"
             "%6:u32 = result(0)\nstore(device, 4, +0) arg0, %6\nhalt\n");
}

/* A single unknown, misaligned or outside address keeps all of it in memory. */
Test(ir_private, an_unknown_address_keeps_the_memory) {
    static const char *const accesses[] = {
        "load(private, 4, +0) arg2", "load(private, 4, +0) 0x2:u32",
        "load(private, 4, +0) 0x20:u32", "load(private, 4, +0) 0xFFFFFFFC:u32",
        "load(private, 2, +0) 0x3:u32"};
    for (size_t k = 0; k < sizeof accesses / sizeof *accesses; k++) {
        char text[400];
        snprintf(
            text, sizeof text,
            "store(private, 4, +0) 0x0:u32, arg1\n%%1:u32 = %s\n"
            "%%2:u32 = load(private, 4, +0) 0x0:u32\nstore(device, 8, +0) arg0, %%1, %%2\nhalt\n",
            accesses[k]);
        ir_check_same(ir_opt_private, text);
    }
}

Test(ir_private, stores_that_nothing_loads_are_removed) {
    ir_check(ir_opt_private,
             "store(private, 4, +0) arg2, arg1\nstore(device, 4, +0) arg0, arg1\nhalt\n",
             "store(device, 4, +0) arg0, arg1\nhalt\n");
}

/* Accesses with different objects never touch the same value, even in the same memory: frames of
 * functions that are called one after the other share it. */
Test(ir_private, an_object_is_promoted_next_to_one_that_stays) {
    ir_check(ir_opt_private,
             "store(private, 4, +0, object 1) 0x0:u32, arg1\n"
             "store(private, 4, +0, object 2) arg2, arg3\n"
             "%1:u32 = load(private, 4, +0, object 1) 0x0:u32\n"
             "%2:u32 = load(private, 4, +0, object 2) 0x0:u32\n"
             "store(device, 8, +0) arg0, %1, %2\nhalt\n",
             "store(private, 4, +0, object 2) arg2, arg3\n"
             "%1:u32 = load(private, 4, +0, object 2) 0x0:u32\n"
             "store(device, 8, +0) arg0, arg1, %1\nhalt\n");
    ir_check(ir_opt_private,
             "store(private, 4, +0, object 1) 0x4:u32, arg1\n"
             "store(private, 4, +0, object 2) 0x4:u32, arg2\n"
             "%1:u32 = load(private, 4, +0, object 1) 0x4:u32\n"
             "%2:u32 = load(private, 4, +0, object 2) 0x4:u32\n"
             "store(device, 8, +0) arg0, %1, %2\nhalt\n",
             "store(device, 8, +0) arg0, arg1, arg2\nhalt\n");
    ir_check(ir_opt_private,
             "store(private, 4, +0, object 1) arg2, arg1\n"
             "%1:u32 = load(private, 4, +0, object 2) arg3\n"
             "store(device, 4, +0) arg0, %1\nhalt\n",
             "%1:u32 = load(private, 4, +0, object 2) arg3\n"
             "store(device, 4, +0) arg0, %1\nhalt\n");
}

/* An access without an object may touch any of them. */
Test(ir_private, an_access_without_an_object_joins_all) {
    ir_check_same(ir_opt_private, "store(private, 4, +0, object 1) 0x0:u32, arg1\n"
                                  "store(private, 4, +0) arg2, arg3\n"
                                  "%1:u32 = load(private, 4, +0, object 1) 0x0:u32\n"
                                  "store(device, 4, +0) arg0, %1\nhalt\n");
    ir_check(ir_opt_private,
             "store(private, 4, +0, object 1) 0x0:u32, arg1\n"
             "store(private, 4, +0) 0x0:u32, arg2\n"
             "%1:u32 = load(private, 4, +0, object 1) 0x0:u32\n"
             "store(device, 4, +0) arg0, %1\nhalt\n",
             "store(device, 4, +0) arg0, arg2\nhalt\n");
}

Test(ir_constants, known_addresses_are_read) {
    ir_check(
        ir_opt_constants,
        "%1:u32 = load(constant, 4, +2) 0x2:u32\n%2:u32 = load(constant, 1, +0) 0xF:u32\n"
        "loads(constant, 8, +0) 0x8:u32\n%3:u32 = result(0)\n%4:u32 = result(1)\n"
        "store(device, 16, +0) arg0, %1, %2, %3, %4\nhalt\n",
        "store(device, 16, +0) arg0, 0x7060504:u32, 0xF:u32, 0xB0A0908:u32, 0xF0E0D0C:u32\nhalt\n");
    ir_check_same(ir_opt_constants,
                  "%1:u32 = load(constant, 4, +0) 0xD:u32\n%2:u32 = load(constant, 4, +0) arg1\n"
                  "%3:u32 = load(constant, 1, +0) 0xFFFFFFFF:u32\n"
                  "store(device, 16, +0) arg0, %1, %2, %3, %3\nhalt\n");
}

/* Private loads are equal until a private store, constant ones always. */
Test(ir_number, private_and_constant_loads_are_numbered) {
    ir_check(
        ir_opt_number,
        "%1:u32 = load(private, 4, +0) arg1\n%2:u32 = load(constant, 4, +0) arg1\n"
        "store(device, 4, +0) arg0, %1\n%3:u32 = load(private, 4, +0) arg1\n"
        "%4:u32 = load(constant, 4, +0) arg1\nstore(device, 16, +0) arg0, %1, %2, %3, %4\nhalt\n",
        "%1:u32 = load(private, 4, +0) arg1\n%2:u32 = load(constant, 4, +0) arg1\n"
        "store(device, 4, +0) arg0, %1\nstore(device, 16, +0) arg0, %1, %2, %1, %2\nhalt\n");
    ir_check_same(ir_opt_number,
                  "%1:u32 = load(private, 4, +0) arg1\nstore(private, 4, +0) arg2, arg3\n"
                  "%2:u32 = load(private, 4, +0) arg1\nstore(device, 8, +0) arg0, %1, %2\nhalt\n");
}

static void refuses(const char *statement) {
    char text[300];
    ir_func f;
    arena memory = {0};
    wave_diags *diags = wave_diags_create(0);
    snprintf(text, sizeof text,
             "kernel \"k\" args 8 group 64,1,1 local 64 private 32 constant 0001 width 32 {\n  "
             "%s\n  halt\n}\n",
             statement);
    cr_expect(!ir_parse(&f, text, strlen(text), &memory, diags), "%s", statement);
    ir_free(&f);
    arena_free(&memory);
    wave_diags_destroy(diags);
}

Test(ir_verify, accesses_that_a_memory_does_not_have_are_refused) {
    refuses("store(constant, 4, +0) arg0, arg1");
    refuses("%1:u32 = atomic(private, add, workgroup, +0) arg0, arg1");
    refuses("%1:u32 = atomic(constant, load, workgroup, +0) arg0");
    refuses("%1:u64 = pointer arg0\n  %2:u32 = load(private, 4, +0) %1");
    refuses("store(device, 4, +0, object 1) arg0, arg1");
    refuses("store(private, 4, +0, object 256) arg0, arg1");
    refuses("store(private, 4, +0, streaming, 3) arg0, arg1");
}
