/* Where values are kept: sequential copies have the effect of a parallel copy, and values share a
 * place only while that is safe. */
#include "emit/materialise.h"
#include "support/random.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

enum { MOST = 12 };

static bool never(const mat *m, ir_value v, bool once) {
    (void)m, (void)v, (void)once;
    return false;
}

static bool if_once(const mat *m, ir_value v, bool once) {
    (void)m, (void)v;
    return once;
}

static const bool nothing[IR_OP_COUNT], products[IR_OP_COUNT] = {[IR_IMUL] = true};
static const mat_target plain = {.may_inline = nothing, .inlines = never, .max_depth = 4};
static const mat_target fusing = {.may_inline = products, .inlines = if_once, .max_depth = 4};

static ir_value put(ir_func *f, ir_region r, ir_op op, const ir_value *args, size_t count,
                    uint64_t imm) {
    ir_type type = ir_ops[op].signature[0] == 'v' ? IR_VOID : IR_U32;
    ir_value v = ir_make(f, op, type, args, count, imm);
    ir_append(f, r, v);
    return v;
}

/* loop arg0 … { params; continue values }; returns the continue. */
static ir_value make_loop(ir_func *f, ir_value *params, unsigned count, const uint8_t *source) {
    ir_value init[MOST], next[MOST];
    ir_init(f);
    f->name = "k";
    f->arg_words = MOST;
    for (unsigned k = 0; k < count; k++)
        init[k] = ir_leaf(f, IR_ARG, IR_U32, k);
    ir_value loop = put(f, 1, IR_LOOP, init, count, 0);
    ir_region body = ir_new_region(f, loop);
    ir_at(f, loop)->regions[0] = body;
    for (unsigned k = 0; k < count; k++)
        params[k] = put(f, body, IR_PARAM, NULL, 0, k);
    for (unsigned k = 0; k < count; k++)
        next[k] = source[k] < count ? params[source[k]] : ir_const(f, IR_U32, source[k]);
    ir_value end = put(f, body, IR_CONTINUE, next, count, 0);
    put(f, 1, IR_HALT, NULL, 0, 0);
    cr_assert(!f->failed);
    return end;
}

/* Executes the copies sequentially and compares with the parallel copy. */
static void check_copies(unsigned count, const uint8_t *source) {
    ir_func f;
    mat m;
    ir_value params[MOST];
    const mat_copy *list;
    ir_value end = make_loop(&f, params, count, source);
    cr_assert(mat_find(&m, &f, &plain));
    uint32_t *place = calloc(f.node_count, sizeof *place), before[MOST];
    for (unsigned k = 0; k < count; k++)
        before[k] = place[mat_home(&m, params[k])] = 1000 + k;
    size_t copies = mat_copies(&m, end, &list);
    for (size_t k = 0; k < copies; k++) { /* place 0 is the scratch */
        uint64_t bits;
        bool constant = list[k].from && ir_is_const(&f, list[k].from, &bits);
        place[list[k].to] = constant ? (uint32_t)bits : place[list[k].from];
    }
    for (unsigned k = 0; k < count; k++) {
        if (mat_kind_of(&m, params[k]) == MAT_UNUSED)
            continue; /* never read, so it is not written */
        uint32_t expected = source[k] < count ? before[source[k]] : source[k];
        cr_expect_eq(place[mat_home(&m, params[k])], expected, "value %u of %u", k, count);
    }
    cr_expect_eq(copies == 0, mat_no_copies(&m, end));
    free(place);
    mat_free(&m);
    ir_free(&f);
}

Test(materialise, copies_of_every_small_assignment_are_correct) {
    /* all assignments of each of four variables from one of the four or a constant */
    for (unsigned code = 0; code < 625; code++) {
        uint8_t source[4];
        for (unsigned k = 0, rest = code; k < 4; k++, rest /= 5)
            source[k] = rest % 5 == 4 ? 100 : (uint8_t)(rest % 5);
        check_copies(4, source);
    }
}

Test(materialise, copies_of_random_assignments_are_correct) {
    uint64_t state = 1;
    for (unsigned round = 0; round < 2000; round++) {
        uint8_t source[MOST];
        unsigned count = 1 + round % MOST;
        for (unsigned k = 0; k < count; k++) {
            uint32_t from = (uint32_t)(random_next(&state) % (count + 1));
            source[k] = (uint8_t)(from == count ? 200 : from);
        }
        check_copies(count, source);
    }
}

/* loop a { p; t = p * 3; n = p + t; store n, (p or n); continue n } */
static void share(bool use_after, bool expected) {
    ir_func f;
    mat m;
    ir_value init, three;
    ir_init(&f);
    f.name = "k";
    f.arg_words = 1;
    init = ir_leaf(&f, IR_ARG, IR_U32, 0);
    three = ir_const(&f, IR_U32, 3);
    ir_value loop = put(&f, 1, IR_LOOP, &init, 1, 0);
    ir_region body = ir_new_region(&f, loop);
    ir_at(&f, loop)->regions[0] = body;
    ir_value p = put(&f, body, IR_PARAM, NULL, 0, 0);
    ir_value t = put(&f, body, IR_IMUL, (ir_value[]){p, three}, 2, 0);
    ir_value n = put(&f, body, IR_IADD, (ir_value[]){p, t}, 2, 0);
    ir_access access = {.space = IR_DEVICE, .bytes = 4};
    put(&f, body, IR_STORE, (ir_value[]){n, use_after ? p : n}, 2, ir_access_pack(access));
    put(&f, body, IR_CONTINUE, &n, 1, 0);
    put(&f, 1, IR_HALT, NULL, 0, 0);
    cr_assert(!f.failed);
    cr_assert(mat_find(&m, &f, &fusing));
    cr_expect_eq(mat_kind_of(&m, t), MAT_INLINE);
    cr_expect_eq(mat_home(&m, n) == mat_home(&m, p), expected);
    mat_free(&m);
    ir_free(&f);
}

Test(materialise, the_next_value_shares_the_place_of_a_dead_parameter) {
    share(false, true);
}

Test(materialise, the_next_value_does_not_share_with_a_live_parameter) {
    share(true, false);
}
