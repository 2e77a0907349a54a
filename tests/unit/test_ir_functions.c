/* Functions of the IR: outlining of repeated code, and inlining of functions. The expected texts
 * follow the rules in opt_outline.c: a quotient counts as 12 instructions, a call as 8 plus one per
 * input; the threshold is 768 instructions, 2048 in loops. */
#include "ir/opt.h"
#include "ir/text.h"
#include "support/ir_text.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

static const char head[] = "kernel \"k\" args 8 group 64,1,1 local 0 width 32 converged {\n";

static void read(ir_func *f, const buf *body, arena *memory) {
    wave_diags *diags = wave_diags_create(0);
    buf text = {0};
    buf_text(&text, head);
    buf_bytes(&text, body->data, body->size);
    buf_text(&text, "  halt\n}\n");
    bool parsed = ir_parse(f, (const char *)text.data, text.size, memory, diags);
    cr_assert(parsed, "%s", wave_diags_count(diags) ? wave_diags_at(diags, 0)->message : "");
    buf_free(&text);
    wave_diags_destroy(diags);
}

static void check_text(const ir_func *f, const buf *body) {
    wave_diags *diags = wave_diags_create(0);
    cr_assert(ir_verify(f, "the pass", diags), "%s", wave_diags_at(diags, 0)->message);
    wave_diags_destroy(diags);
    buf text = {0}, expected = {0};
    ir_print(f, &text);
    buf_char(&text, '\0');
    buf_text(&expected, head);
    buf_bytes(&expected, body->data, body->size);
    buf_text(&expected, "  halt\n}\n");
    buf_char(&expected, '\0');
    cr_expect_str_eq((char *)text.data, (char *)expected.data, "expected:\n%s\ngot:\n%s",
                     (char *)expected.data, (char *)text.data);
    buf_free(&text);
    buf_free(&expected);
}

/* Outlining turns `before` into `after`, and inlining turns it back. */
static void check(buf *before, buf *after) {
    arena memory = {0};
    ir_func f;
    bool same = before->size == after->size && !memcmp(before->data, after->data, after->size);
    read(&f, before, &memory);
    cr_expect_eq(ir_opt_outline(&f), !same);
    check_text(&f, after);
    cr_expect_eq(ir_opt_inline(&f), !same);
    check_text(&f, before);
    ir_free(&f);
    read(&f, after, &memory); /* the text of functions reads back */
    check_text(&f, after);
    ir_free(&f);
    buf_free(before);
    buf_free(after);
    arena_free(&memory);
}

/* ---- Repeated quotients: x / y, y / x, their sum; 25 instructions and two inputs ---- */

static void put_loads(buf *b, unsigned *v, unsigned k) {
    buf_printf(b, "  %%%u:f32 = load(device, 4, +%u) arg0\n", ++*v, 8 * k);
    buf_printf(b, "  %%%u:f32 = load(device, 4, +%u) arg0\n", ++*v, 8 * k + 4);
}

static void put_store(buf *b, unsigned v, unsigned k) {
    buf_printf(b, "  store(device, 4, +%u) arg1, %%%u\n", 4 * k, v);
}

static void put_plain(buf *b, unsigned copies) {
    unsigned v = 0;
    for (unsigned k = 0; k < copies; k++) {
        put_loads(b, &v, k);
        buf_printf(b, "  %%%u:f32 = fdiv %%%u, %%%u\n", v + 1, v - 1, v);
        buf_printf(b, "  %%%u:f32 = fdiv %%%u, %%%u\n", v + 2, v, v - 1);
        buf_printf(b, "  %%%u:f32 = fadd %%%u, %%%u\n", v + 3, v + 1, v + 2);
        put_store(b, v += 3, k);
    }
}

static const char quotients[] = "  function {\n"
                                "    %1:f32 = input(0)\n"
                                "    %2:f32 = input(1)\n"
                                "    %3:f32 = fdiv %1, %2\n"
                                "    %4:f32 = fdiv %2, %1\n"
                                "    %5:f32 = fadd %3, %4\n"
                                "    return %5\n"
                                "  }\n";

Test(ir_functions, repeated_code_becomes_a_function) {
    buf before = {0}, after = {0};
    unsigned v = 5;
    put_plain(&before, 60);
    buf_text(&after, quotients);
    for (unsigned k = 0; k < 60; k++) {
        put_loads(&after, &v, k);
        buf_printf(&after, "  %%%u:f32 = call(0) %%%u, %%%u\n", v + 1, v - 1, v);
        put_store(&after, ++v, k);
    }
    check(&before, &after);
}

/* 30 copies are 750 instructions, 31 are 775; in a loop 81 copies are 2025, 82 are 2050. */
Test(ir_functions, only_code_above_the_threshold_is_outlined) {
    static const struct {
        unsigned copies;
        bool loop, outlined;
    } cases[] = {{30, false, false}, {31, false, true}, {81, true, false}, {82, true, true}};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        arena memory = {0};
        buf text = {0};
        ir_func f;
        buf_text(&text, cases[k].loop ? "  loop {\n" : "");
        put_plain(&text, cases[k].copies);
        buf_text(&text, cases[k].loop ? "  break\n}\n" : "");
        read(&f, &text, &memory);
        cr_expect_eq(ir_opt_outline(&f), cases[k].outlined, "%u copies", cases[k].copies);
        ir_free(&f);
        buf_free(&text);
        arena_free(&memory);
    }
}

/* The second quotient is also stored: the rest is too small. */
Test(ir_functions, code_whose_values_are_used_elsewhere_stays) {
    buf before = {0}, after = {0};
    for (unsigned side = 0; side < 2; side++) {
        buf *b = side ? &after : &before;
        unsigned v = 0;
        for (unsigned k = 0; k < 60; k++) {
            put_loads(b, &v, k);
            buf_printf(b, "  %%%u:f32 = fdiv %%%u, %%%u\n", v + 1, v - 1, v);
            buf_printf(b, "  %%%u:f32 = fdiv %%%u, %%%u\n", v + 2, v, v - 1);
            buf_printf(b, "  %%%u:f32 = fadd %%%u, %%%u\n", v + 3, v + 1, v + 2);
            put_store(b, v + 1, k);
            put_store(b, v + 2, k + 100);
            put_store(b, v += 3, k + 200);
        }
    }
    check(&before, &after);
}

/* ---- Constants: one differs, the other does not ---- */

static void put_with_constants(buf *b, unsigned *v, unsigned from, const char *second) {
    buf_printf(b, "  %%%u:f32 = fdiv %%%u, %s\n", *v + 1, from, second);
    buf_printf(b, "  %%%u:f32 = fdiv 0x40400000:f32, %%%u\n", *v + 2, *v + 1);
    buf_printf(b, "  %%%u:f32 = fdiv %%%u, %%%u\n", *v + 3, *v + 2, *v + 1);
    *v += 3;
}

Test(ir_functions, constants_that_differ_become_inputs) {
    buf before = {0}, after = {0};
    unsigned v = 0, w = 5;
    char number[24];
    buf_text(&after, "  function {\n"
                     "    %1:f32 = input(0)\n"
                     "    %2:f32 = input(1)\n"
                     "    %3:f32 = fdiv %1, %2\n"
                     "    %4:f32 = fdiv 0x40400000:f32, %3\n"
                     "    %5:f32 = fdiv %4, %3\n"
                     "    return %5\n"
                     "  }\n");
    for (unsigned k = 0; k < 40; k++) {
        snprintf(number, sizeof number, "0x%X:f32", 0x40000000u + k);
        put_loads(&before, &v, k);
        put_with_constants(&before, &v, v - 1, number);
        put_store(&before, v, k);
        put_loads(&after, &w, k);
        buf_printf(&after, "  %%%u:f32 = call(0) %%%u, %s\n", w + 1, w - 1, number);
        put_store(&after, ++w, k);
    }
    check(&before, &after);
}

/* ---- An if inside a function; its condition is an input ---- */

static void put_if(buf *b, unsigned *v, const char *indent, const char *condition, unsigned x) {
    buf_printf(b, "%sif %s {\n", indent, condition);
    buf_printf(b, "%s  %%%u:f32 = fdiv 0x40400000:f32, %%%u\n", indent, *v + 1, x);
    buf_printf(b, "%s  %%%u:f32 = fdiv %%%u, %%%u\n", indent, *v + 2, x, *v + 1);
    buf_printf(b, "%s  yield %%%u\n%s} else {\n", indent, *v + 2, indent);
    buf_printf(b, "%s  %%%u:f32 = fdiv %%%u, 0x40A00000:f32\n", indent, *v + 3, x);
    buf_printf(b, "%s  yield %%%u\n%s}\n", indent, *v + 3, indent);
    buf_printf(b, "%s%%%u:f32 = result(0)\n", indent, *v + 4);
    *v += 4;
}

Test(ir_functions, an_if_can_be_part_of_a_function) {
    buf before = {0}, after = {0};
    unsigned v = 1, w = 7;
    buf_text(&before, "  %1:bool = ucmp_lt sr_thread_id_x, arg2\n");
    buf_text(&after, "  function {\n    %1:bool = input(0)\n    %2:f32 = input(1)\n");
    put_if(&after, &(unsigned){2}, "    ", "%1", 2);
    buf_text(&after, "    return %6\n  }\n  %7:bool = ucmp_lt sr_thread_id_x, arg2\n");
    for (unsigned k = 0; k < 40; k++) {
        buf_printf(&before, "  %%%u:f32 = load(device, 4, +%u) arg0\n", ++v, 4 * k);
        put_if(&before, &v, "  ", "%1", v);
        put_store(&before, v, k);
        buf_printf(&after, "  %%%u:f32 = load(device, 4, +%u) arg0\n", ++w, 4 * k);
        buf_printf(&after, "  %%%u:f32 = call(0) %%7, %%%u\n", w + 1, w);
        put_store(&after, ++w, k);
    }
    check(&before, &after);
}
