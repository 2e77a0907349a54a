/* See ir_text.h. */
#include "support/ir_text.h"

#include "ir/opt.h"
#include "ir/text.h"

#include <criterion/criterion.h>

#include <string.h>

static const char head[] = "kernel \"k\" args 8 group 64,1,1 local 4096 private 32 constant "
                           "000102030405060708090A0B0C0D0E0F width 32 converged {\n";

/* Prints the kernel's body, without its indentation. */
static void print_body(const ir_func *f, buf *out) {
    buf text = {0};
    ir_print(f, &text);
    buf_char(&text, '\0');
    cr_assert(!text.failed);
    const char *line = strchr((char *)text.data, '\n') + 1;
    for (const char *end; (end = strchr(line, '\n')) && *line != '}'; line = end + 1) {
        buf_bytes(out, line + 2, (size_t)(end - line - 2));
        buf_char(out, '\n');
    }
    buf_char(out, '\0');
    buf_free(&text);
}

void ir_read(ir_func *f, const char *body, arena *memory) {
    wave_diags *diags = wave_diags_create(0);
    buf text = {0};
    buf_text(&text, head);
    buf_text(&text, body);
    buf_text(&text, "}\n");
    bool parsed = ir_parse(f, (const char *)text.data, text.size, memory, diags);
    cr_assert(parsed, "%s", wave_diags_count(diags) ? wave_diags_at(diags, 0)->message : "");
    buf_free(&text);
    wave_diags_destroy(diags);
}

void ir_check(bool (*pass)(ir_func *f), const char *before, const char *after) {
    wave_diags *diags = wave_diags_create(0);
    arena memory = {0};
    buf result = {0};
    ir_func f;
    ir_read(&f, before, &memory);
    bool changed = pass(&f);
    cr_assert(ir_verify(&f, "the pass", diags), "%s", wave_diags_at(diags, 0)->message);
    ir_opt_dead_code(&f);
    cr_assert(ir_verify(&f, "dead code", diags), "%s", wave_diags_at(diags, 0)->message);
    print_body(&f, &result);
    cr_expect_str_eq((char *)result.data, after, "expected:\n%s\ngot:\n%s", after,
                     (char *)result.data);
    cr_expect_eq(changed, strcmp(before, after) != 0, "the pass must say whether it did anything");
    buf_free(&result);
    ir_free(&f);
    arena_free(&memory);
    wave_diags_destroy(diags);
}

void ir_check_same(bool (*pass)(ir_func *f), const char *text) {
    ir_check(pass, text, text);
}

unsigned ir_count_after(bool (*pass)(ir_func *f), const char *text, ir_op op) {
    wave_diags *diags = wave_diags_create(0);
    arena memory = {0};
    ir_func f;
    ir_read(&f, text, &memory);
    pass(&f);
    cr_assert(ir_verify(&f, "the pass", diags), "%s", wave_diags_at(diags, 0)->message);
    unsigned count = 0;
    ir_walk w;
    ir_walk_init(&w, &f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;)
        count += e == IR_AT_OP && ir_op_of(&f, w.op) == op;
    ir_free(&f);
    arena_free(&memory);
    wave_diags_destroy(diags);
    return count;
}
