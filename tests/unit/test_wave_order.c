/* W_WAVE_ORDER and --wave-order=lockstep: where lanes of a wave may access each other's bytes. The
 * expected result follows from ISA.md 8.2: two accesses of different lanes, at least one of which
 * writes, on overlapping bytes, with no fence and no barrier in between. scripts/check-lockstep.sh
 * shows by execution that the fences suffice. */
#include "support/count.h"
#include "wave/compile.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct order_case {
    const char *name, *head, *body;
    bool warns;
    int fences; /* inserted by lockstep; -1: some, the number does not matter */
} order_case;

#define ANY     ""
#define ROW     ".workgroup_size 64, 1, 1\n"
#define SQUARE  ".workgroup_size 16, 16, 1\n"
#define ALONE   ".workgroup_size 1, 1, 1\n"
#define LANE    "mov_sr r4, sr_lane_id\nmov_imm r5, 2\nshl r6, r4, r5\n"     /* r6 = 4 lane */
#define THREAD  "mov_sr r4, sr_thread_id_x\nmov_imm r5, 2\nshl r6, r4, r5\n" /* r6 = 4 thread */
#define FOUR    "mov_imm r7, 4\n"
#define NEXT    FOUR "iadd r8, r6, r7\n" /* r8 = the next one's word */
#define STORE   "local_store_u32 r6, r4\n"
#define KEEP    "iadd r15, r0, r6\ndevice_store_u32 r15, r9\n"
#define BUFFERS "iadd r10, r0, r6\niadd r11, r1, r6\niadd r12, r2, r6\n"

#define CHASE  "local_load_u32 r9, r9\n" /* another address each time */
#define CHASE4 CHASE CHASE CHASE CHASE

#define ADD4  "iadd r6, r6, r5\niadd r6, r6, r5\niadd r6, r6, r5\niadd r6, r6, r5\n"
#define ADD16 ADD4 ADD4 ADD4 ADD4

static const order_case cases[] = {
    {"the next lane's word", ANY, LANE NEXT STORE "local_load_u32 r9, r8\n" KEEP, true, 1},
    {"the word before", ANY, LANE FOUR "isub r8, r6, r7\n" STORE "local_load_u32 r9, r8\n" KEEP,
     true, 1},
    {"a lane's own word", ANY, LANE STORE "local_load_u32 r9, r6\n" KEEP, false, 0},
    {"a lane's own word, computed twice", ANY,
     LANE STORE "mov_sr r8, sr_lane_id\nmov_imm r9, 4\nimul r8, r8, r9\n"
                "local_load_u32 r9, r8\n" KEEP,
     false, 0},
    {"a byte of a lane's own word", ANY,
     LANE "mov_imm r7, 3\niadd r8, r6, r7\n" STORE "local_load_u8 r9, r8\n" KEEP, false, 0},
    {"a pair that begins at a lane's own word", ANY, LANE STORE "local_load_u64 r8, r6\n" KEEP,
     true, 1},
    {"far beyond all lanes' words", ANY,
     LANE "mov_imm r7, 256\niadd r8, r6, r7\n" STORE "local_load_u32 r9, r8\n" KEEP, false, 0},
    {"a table beyond all lanes' words", ANY,
     LANE "mov_imm r8, 256\n" STORE "local_load_u32 r9, r8\n" KEEP, false, 0},
    {"a table whose addresses wrap", ANY,
     LANE FOUR "mov_imm r8, 0x7FFFFFFE\nimad r8, r4, r8, r7\nmov_imm r10, 0\n"
               "local_store_u32 r10, r4\nlocal_load_u32 r9, r8\n" KEEP,
     true, 1},
    {"one word for all", ANY, LANE "local_store_u32 r0, r4\nlocal_load_u32 r9, r0\n" KEEP, true, 1},
    {"one word for a workgroup of one", ALONE,
     LANE "local_store_u32 r0, r4\nlocal_load_u32 r9, r0\n" KEEP, false, 0},
    {"reversed", ANY,
     LANE "mov_imm r7, 124\nisub r8, r7, r6\n" STORE "local_load_u32 r9, r8\n" KEEP, true, 1},
    {"another memory", ANY, LANE NEXT STORE "device_load_u32 r9, r8\n", false, 0},
    {"another buffer", ROW,
     THREAD NEXT BUFFERS "device_store_u32 r10, r4\ndevice_load_u32 r9, r11\n", false, 1},
    {"the same buffer", ROW,
     THREAD NEXT
     "iadd r10, r0, r6\niadd r11, r0, r8\ndevice_store_u32 r10, r4\ndevice_load_u32 r9, r11\n",
     true, 1},
    {"a lane's own element of a buffer", ROW,
     THREAD "iadd r10, r0, r6\ndevice_store_u32 r10, r4\ndevice_load_u32 r9, r10\n", false, 0},
    {"rows of a square, own elements", SQUARE,
     THREAD "mov_sr r7, sr_thread_id_y\nmov_imm r8, 64\nimad r6, r7, r8, r6\n" STORE
            "local_load_u32 r9, r6\n" KEEP,
     false, 0},
    {"columns only, of a square", SQUARE, THREAD STORE "local_load_u32 r9, r6\n", false, 1},
    {"rows that are closer than their elements", ".workgroup_size 16, 2, 1\n",
     THREAD "mov_sr r7, sr_thread_id_y\nmov_imm r8, 62\nimad r6, r7, r8, r6\niadd r8, r6, r5\n"
            "local_store_u16 r6, r4\nlocal_load_u16 r9, r8\n" KEEP,
     true, 1},
    {"a workgroup of unknown size counts as one row", ANY, THREAD STORE "local_load_u32 r9, r6\n",
     false, 1},
    {"vector add", ROW,
     THREAD BUFFERS "device_load_u32 r7, r10\ndevice_load_u32 r8, r11\niadd r9, r7, r8\n"
                    "device_store_u32 r12, r9\n",
     false, 1}, /* buffers may overlap */
    {"a fence in between", ANY, LANE NEXT STORE "fence_acq_rel .wave\nlocal_load_u32 r9, r8\n" KEEP,
     false, 0},
    {"a barrier in between", ANY, LANE NEXT STORE "barrier\nlocal_load_u32 r9, r8\n" KEEP, false,
     0},
    {"a fence on one path only", ANY,
     LANE NEXT STORE "icmp_eq p1, r0, r1\n@p1 fence_acq_rel .wave\nlocal_load_u32 r9, r8\n" KEEP,
     true, 1},
    {"one word for all, and the next word", ANY,
     LANE FOUR "local_store_u32 r0, r4\niadd r8, r0, r7\nlocal_load_u32 r9, r8\n" KEEP, false, 0},
    {"a shuffle orders nothing", ANY,
     LANE NEXT STORE "wave_shuffle r10, r4, r5\nlocal_load_u32 r9, r8\n" KEEP, true, 1},
    {"load, then store", ANY, LANE NEXT "local_load_u32 r9, r8\n" STORE KEEP, false, 1},
    {"store, then store", ANY, LANE NEXT STORE "local_store_u32 r8, r5\n", false, 1},
    {"many loads, a store, the next lane's load", ANY,
     LANE NEXT CHASE4 CHASE4 CHASE CHASE CHASE STORE "local_load_u32 r9, r8\n" KEEP, true, -1},
    {"more loads than are kept, then a fence", ANY,
     LANE NEXT CHASE4 CHASE4 CHASE4 "fence_acq_rel .wave\n" STORE "local_load_u32 r9, r8\n" KEEP,
     true, 1},
    {"load, then load", ANY, LANE NEXT "local_load_u32 r9, r8\nlocal_load_u32 r10, r6\n" KEEP,
     false, 0},
    {"atomic, then plain load", ANY, LANE "local_atomic_add r0, r5\nlocal_load_u32 r9, r0\n" KEEP,
     true, 1},
    {"atomic, then atomic load", ANY,
     LANE "local_atomic_add r0, r5\nlocal_atomic_load r9, r0\n" KEEP, false, 1},
    {"atomic store, then atomic load, own", ANY,
     LANE "local_atomic_store r6, r5\nlocal_atomic_load r9, r6\n" KEEP, false, 0},
    {"one lane with itself", ANY,
     LANE "icmp_eq p1, r4, r5\nif p1\nlocal_store_u32 r0, r4\nlocal_load_u32 r9, r0\nendif\n",
     false, 0},
    {"one lane with itself, in two ifs", ANY,
     LANE "icmp_eq p1, r4, r5\n@p1 local_store_u32 r0, r4\n@p1 local_load_u32 r9, r0\n", false, 0},
    {"one lane stores, all load", ANY,
     LANE "icmp_eq p1, r4, r5\n@p1 local_store_u32 r0, r4\nlocal_load_u32 r9, r0\n" KEEP, true, 1},
    {"all store their words, lane 0 loads its own", ANY,
     LANE STORE "mov_imm r7, 0\nicmp_eq p1, r4, r7\n@p1 local_load_u32 r9, r7\n", false, 0},
    {"all store their words, lane 1 loads lane 0's", ANY,
     LANE STORE
     "mov_imm r7, 0\nmov_imm r8, 1\nicmp_eq p1, r4, r8\n@p1 local_load_u32 r9, r7\n" KEEP,
     true, 1},
    {"sides of a divergent if", ANY,
     LANE NEXT "icmp_lt p1, r4, r1\nif p1\n" STORE "else\nlocal_load_u32 r9, r8\nendif\n" KEEP,
     true, 1},
    {"sides of a uniform if", ANY,
     LANE NEXT "icmp_lt p1, r0, r1\nif p1\n" STORE "else\nlocal_load_u32 r9, r8\nendif\n" KEEP,
     false, 0},
    {"stored by lanes that then halt", ANY,
     LANE NEXT "icmp_lt p1, r4, r1\nif p1\n" STORE "halt\nendif\nlocal_load_u32 r9, r8\n" KEEP,
     true, 1},
    {"the next iteration loads what this one stores", ANY,
     LANE "loop\niadd r8, r6, r9\nlocal_load_u32 r10, r8\niadd r4, r4, r10\n" STORE
          "iadd r9, r9, r5\nicmp_ge p1, r9, r1\nbreak p1\nendloop\n",
     true, 2},
    {"in place, iteration by iteration", ROW,
     THREAD "iadd r6, r0, r6\nloop\ndevice_load_u32 r9, r6\niadd r9, r9, r5\n"
            "device_store_u32 r6, r9\niadd r6, r6, r2\nicmp_ge p1, r6, r1\nbreak p1\nendloop\n",
     false, -1}, /* the range of r2 is unknown */
    {"own words in a loop that leaves them", ROW,
     THREAD "loop\nlocal_load_u32 r9, r6\niadd r9, r9, r5\nlocal_store_u32 r6, r9\n"
            "iadd r10, r10, r5\nicmp_ge p1, r10, r1\nbreak p1\nendloop\n",
     false, 0},
    {"lanes that move by different distances", ROW,
     THREAD FOUR "loop\n" STORE "local_load_u32 r9, r6\niadd r8, r6, r7\niadd r10, r6, r5\n"
                 "icmp_lt p1, r4, r1\nif p1\nmov r6, r8\ncontinue p1\nendif\nmov r6, r10\n"
                 "icmp_eq p2, r9, r1\nbreak p2\nendloop\n",
     false, 2},
    {"a tree with a barrier in every step", ANY,
     THREAD STORE "loop\nicmp_eq p1, r1, r2\nbreak p1\nbarrier\niadd r8, r6, r1\n"
                  "local_load_u32 r9, r8\nbarrier\n" STORE "isub r1, r1, r5\nendloop\nbarrier\n"
                  "local_load_u32 r9, r3\n" KEEP,
     false, 0},
    {"a place in a lane's own area", ANY,
     LANE "mov_imm r7, 4\nshl r6, r4, r7\nmov_imm r8, 12\nand r8, r4, r8\niadd r8, r8, r6\n"
          "local_store_u32 r8, r4\nlocal_load_u32 r9, r6\n",
     false, 0},
    {"a chain of constants", ANY,
     LANE "mov_imm r7, 7\nshl r6, r4, r7\n" ADD16 "local_store_u32 r6, r4\n" ADD16
          "local_load_u32 r9, r6\n" KEEP,
     false, 0},
    {"a tile in a lane's own area", ANY,
     LANE "mov_imm r7, 6\nshl r6, r4, r7\nmov_imm r8, 16\nmma_store_c r6, r8, r0\n"
          "mma_load_a r0, r6, r8\n",
     false, 0},
    {"a tile for all", ANY,
     LANE "mov_imm r8, 16\nmma_store_c r0, r8, r0\nmma_load_a r0, r0, r8\nmma_compute r0, r0, r0\n"
          "mma_store_c r1, r8, r0\n",
     true, -1},
};

static wave_module *load(const char *source, wave_blob *binary) {
    wave_module *module = NULL;
    cr_assert_eq(wave_assemble(source, strlen(source), NULL, binary, NULL), WAVE_OK, "%s", source);
    cr_assert_eq(wave_module_load(binary->data, binary->size, NULL, &module, NULL), WAVE_OK);
    return module;
}

/* The number of wave synchronisations that lockstep adds. */
static int fences_put(const wave_module *module, bool optimise) {
    int synchronisations[2];
    for (unsigned k = 0; k < 2; k++) {
        wave_compile_options o;
        wave_blob text = {0};
        wave_compile_init(&o);
        o.optimise = optimise;
        o.verify_ir = true;
        o.lockstep = k;
        cr_assert_eq(wave_compile(module, &o, &text, NULL), WAVE_OK);
        synchronisations[k] = (int)count_text((const char *)text.data, "bar.warp.sync");
        wave_blob_free(&text);
    }
    return synchronisations[1] - synchronisations[0];
}

static void check(const order_case *c) {
    char source[2000];
    wave_blob binary;
    wave_diags *diags = wave_diags_create(0);
    snprintf(source, sizeof source,
             ".kernel k\n.registers 16\n.local_memory 16384\n%s%shalt\n.end\n", c->head, c->body);
    wave_module *module = load(source, &binary);
    cr_expect_eq(wave_check_order(module, 0, diags), WAVE_OK);
    cr_expect_eq(wave_diags_count(diags) != 0, c->warns, "%s", c->name);
    for (size_t k = 0; k < wave_diags_count(diags); k++) {
        cr_expect_str_eq(wave_diags_at(diags, k)->code, "W_WAVE_ORDER");
        cr_expect_eq(wave_diags_at(diags, k)->severity, WAVE_WARNING);
    }
    for (unsigned level = 0; level < 2; level++) {
        int fences = fences_put(module, level);
        cr_expect(c->fences < 0 ? fences > 0 : fences == c->fences, "%s at -O%u: %d fences",
                  c->name, 2 * level, fences);
    }
    wave_module_destroy(module);
    wave_blob_free(&binary);
    wave_diags_destroy(diags);
}

Test(wave_order, warnings_and_fences_are_where_lanes_meet) {
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check(&cases[k]);
}

/* Without a width, waves may be of any: with 64 lanes, 8 of them have column 0. */
Test(wave_order, a_wave_of_any_width_may_have_several_rows) {
    static const char *const source =
        ".kernel k\n.registers 16\n.local_memory 256\n.workgroup_size 8, 8, 1\n" THREAD FOUR
        "mov_sr r6, sr_thread_id_y\nimul r6, r6, r7\nmov_imm r5, 0\nicmp_eq p1, r4, r5\nif p1\n"
        "local_store_u32 r6, r4\nlocal_load_u32 r9, r0\ndevice_store_u32 r0, "
        "r9\nendif\nhalt\n.end\n";
    wave_blob binary, text = {0}, dump = {0};
    wave_module *module = load(source, &binary);
    wave_compile_options o;
    wave_compile_init(&o);
    o.target = WAVE_TARGET_WBIN;
    o.lockstep = true;
    o.dump_ir = "wave-order";
    o.dump = &dump;
    cr_assert_eq(wave_compile(module, &o, &text, NULL), WAVE_OK);
    cr_expect_eq(count_text((const char *)dump.data, "fence("), 1);
    wave_blob_free(&text);
    wave_blob_free(&dump);
    wave_module_destroy(module);
    wave_blob_free(&binary);
}

/* Both instructions are named, and each later one once, even when its function is inlined twice. */
Test(wave_order, the_warning_names_both_instructions) {
    static const char *const source =
        ".kernel k\n.registers 16\n.local_memory 1024\n" LANE NEXT STORE
        "call f\ncall f\nhalt\nf:\nlocal_load_u32 r9, r8\nreturn\n.end\n";
    wave_blob binary;
    wave_diags *diags = wave_diags_create(0);
    wave_module *module = load(source, &binary);
    cr_expect_eq(wave_check_order(module, 32, diags), WAVE_OK);
    cr_assert_eq(wave_diags_count(diags), 1);
    const wave_diag *d = wave_diags_at(diags, 0);
    cr_expect(strstr(d->message, "(local_store_u32 r6, r4)"), "%s", d->message);
    cr_expect_str_eq(d->text, "local_load_u32 r9, r8");
    cr_expect(strstr(d->hint, "fence_acq_rel .wave"), "%s", d->hint);
    wave_compile_options o; /* the compiler reports the same, unless it fixes it */
    wave_compile_init(&o);
    for (unsigned lockstep = 0; lockstep < 2; lockstep++) {
        wave_blob text = {0};
        wave_diags *own = wave_diags_create(0);
        o.warn_order = true;
        o.lockstep = lockstep;
        cr_expect_eq(wave_compile(module, &o, &text, own), WAVE_OK);
        cr_expect_eq(wave_diags_count(own), lockstep ? 0 : 1);
        wave_blob_free(&text);
        wave_diags_destroy(own);
    }
    wave_module_destroy(module);
    wave_blob_free(&binary);
    wave_diags_destroy(diags);
}

/* A file that cannot be compiled is still a valid one. */
Test(wave_order, recursive_kernels_are_not_checked) {
    wave_blob binary;
    wave_diags *diags = wave_diags_create(0);
    wave_module *module =
        load(".kernel k\n.registers 8\ncall f\nhalt\nf:\ncall f\nreturn\n.end\n", &binary);
    cr_expect_eq(wave_check_order(module, 0, diags), WAVE_OK);
    cr_expect_eq(wave_diags_count(diags), 0);
    cr_expect_eq(wave_check_order(module, 65, diags), WAVE_ERROR_USAGE);
    cr_expect_eq(wave_check_order(NULL, 0, diags), WAVE_ERROR_USAGE);
    wave_module_destroy(module);
    wave_blob_free(&binary);
    wave_diags_destroy(diags);
}

/* ---- Long and deep code ---- */

/* A quadratic algorithm over earlier accesses would take minutes with each of these. */
static void check_long(const char *head, const char *unit, unsigned repeats, const char *tail,
                       const char *end) {
    size_t size = strlen(head) + repeats * (strlen(unit) + strlen(tail)) + strlen(end) + 200;
    char *source = malloc(size), *at = source;
    cr_assert(source);
    at += sprintf(at, ".kernel k\n.registers 16\n.local_memory 16384\n%s", head);
    for (unsigned k = 0; k < repeats; k++)
        at += sprintf(at, "%s", unit);
    for (unsigned k = 0; k < repeats; k++)
        at += sprintf(at, "%s", tail);
    sprintf(at, "%shalt\n.end\n", end);
    wave_blob binary;
    wave_diags *diags = wave_diags_create(10);
    wave_module *module = load(source, &binary);
    cr_expect_eq(wave_check_order(module, 0, diags), WAVE_OK, "%s", unit);
    cr_expect_geq(fences_put(module, false), 0, "%s", unit);
    wave_module_destroy(module);
    wave_blob_free(&binary);
    wave_diags_destroy(diags);
    free(source);
}

Test(wave_order, long_and_deep_code_is_checked_quickly) {
    check_long(LANE NEXT, "local_store_u32 r6, r4\nlocal_load_u32 r9, r8\niadd r8, r8, r9\n", 50000,
               "", "");
    check_long(LANE NEXT, "imul r8, r8, r4\nlocal_store_u32 r8, r4\n", 50000, "", "");
    check_long(LANE, "loop\nlocal_store_u32 r6, r4\nbreak p1\nendloop\n", 50000, "", "");
    check_long(LANE "loop\n", "local_store_u32 r6, r4\ncontinue p1\n", 5000, "",
               "break p1\nendloop\n");
    check_long(LANE "loop\niadd r6, r6, r5\n", "local_store_u32 r6, r4\ncontinue p1\n", 5000, "",
               "break p1\nendloop\n");
    check_long(LANE, "if p1\nlocal_store_u32 r6, r4\n", 250, "endif\n", "");
    check_long(LANE, "loop\nlocal_load_u32 r9, r6\n", 250,
               "local_store_u32 r6, r4\nbreak p1\nendloop\n", "");
}
