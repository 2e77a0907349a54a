/* The PTX interpreter with delayed stores and stale loads: an incorrectly ordered form fails under
 * some seed, and a correct form produces its answer under every seed. */
#include "ptxvm_helpers.h"

enum { SEEDS = 40, WORDS = 256, MAX_TEXT = 4000 };

/* How a kernel is launched and its expected result: out[i] = first + i for `count` words from
 * `from`. */
typedef struct form {
    uint32_t grid, block;
    uint32_t from, count, first;
} form;

static bool is_right(const form *f, const uint32_t *out) {
    for (uint32_t k = 0; k < f->count; k++)
        if (out[f->from + k] != f->first + k)
            return false;
    return true;
}

/* The number of seeds under which the kernel's answer is wrong. */
static unsigned wrong_seeds(const form *f, const char *declarations, const char *body) {
    char text[MAX_TEXT];
    unsigned wrong = 0;
    snprintf(text, sizeof text, "%s%s%s%s\nret;\n}\n", PTX_HEADER, declarations, PTX_KERNEL, body);
    ptxvm_module *module = ptx_parse(text);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t out[WORDS] = {0};
        uint64_t address = PTX_BUFFER(0);
        ptxvm_range range = {address, out, sizeof out, false};
        ptxvm_launch_options o = ptxvm_default_options("k");
        o.grid[0] = f->grid;
        o.block[0] = f->block;
        o.params = &address;
        o.param_bytes = sizeof address;
        o.ranges = &range;
        o.range_count = 1;
        o.seed = seed;
        o.weak = true;
        o.instruction_limit = 2000000;
        ptx_run(module, &o);
        wrong += !is_right(f, out);
    }
    ptxvm_free(module);
    return wrong;
}

static void expect_form(bool right, const form *f, const char *declarations, const char *body,
                        const char *what) {
    unsigned wrong = wrong_seeds(f, declarations, body);
    if (right)
        cr_expect_eq(wrong, 0, "%s: wrong under %u of %u seeds", what, wrong, (unsigned)SEEDS);
    else
        cr_expect_gt(wrong, 0, "%s: wrong, but never fails", what);
}

/* ---- Lanes of one warp: each takes its right neighbour's word ---- */

/* %rd8: out + 4 * lane; out[i] = neighbour's word for i < 31; words from 32 on are for exchange. */
#define PLACE                                                                                      \
    "mov.u32 %%r1, %%laneid; mul.wide.u32 %%rd1, %%r1, 4; add.s64 %%rd8, %%rd9, %%rd1;\n"          \
    "cvt.u32.u64 %%r2, %%rd1; mov.u32 %%r3, words; add.s32 %%r2, %%r2, %%r3;\n"                    \
    "add.s32 %%r4, %%r1, 100; setp.lt.u32 %%p1, %%r1, 31;\n"

static void expect_exchange(bool right, const char *between) {
    static const form neighbours = {.grid = 1, .block = 32, .count = 31, .first = 101};
    static const char *const words = ".shared .align 8 .b8 words[256];\n";
    char text[MAX_TEXT];
    snprintf(text, sizeof text,
             PLACE "st.shared.u32 [%%r2], %%r4;\n%s\nld.shared.u32 %%r5, [%%r2+4];\n"
                   "@%%p1 st.global.u32 [%%rd8], %%r5;",
             between);
    expect_form(right, &neighbours, words, text, between);
    snprintf(text, sizeof text,
             PLACE "st.global.u32 [%%rd8+128], %%r4;\n%s\nld.global.u32 %%r5, [%%rd8+132];\n"
                   "@%%p1 st.global.u32 [%%rd8], %%r5;",
             between);
    expect_form(right, &neighbours, words, text, between);
}

Test(ptxvm_weak, lanes_of_a_warp_see_each_other_after_a_sync) {
    expect_exchange(false, "");
    expect_exchange(false, "fence.acq_rel.cta;");
    expect_exchange(false, "fence.sc.gpu;");
    expect_exchange(false, "vote.sync.ballot.b32 %r6, 1, 0xffffffff;");
    expect_exchange(false, "shfl.sync.idx.b32 %r6, %r1, 0, 31, 0xffffffff;");
    expect_exchange(true, "bar.warp.sync 0xffffffff;");
    expect_exchange(true, "bar.sync 0;");
    expect_exchange(true, "bar.warp.sync 0xffffffff; fence.acq_rel.gpu;");
    expect_exchange(true, "fence.acq_rel.cta; bar.warp.sync 0xffffffff;");
    expect_exchange(true, "fence.acq_rel.sys; vote.sync.ballot.b32 %r6, 1, 0xffffffff; membar.gl;");
}

/* ---- Message passing: thread 0 of the first warp or block writes to that of the second ---- */

#define WRITE_AND_READ                                                                             \
    "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%ntid.x;\n"                    \
    "mad.lo.u32 %%r1, %%r2, %%r3, %%r1;\n"                                                         \
    "ld.global.u32 %%r7, [%%rd9];\n" /* an old value to remember */                                \
    "setp.eq.u32 %%p1, %%r1, 0; setp.eq.u32 %%p2, %%r1, 32; @%%p1 bra WRITE; @%%p2 bra READ; "     \
    "ret;\n"                                                                                       \
    "WRITE:\nst.global.u32 [%%rd9], 42;\n%s\n%s\nret;\n"                                           \
    "READ:\n%s\nsetp.eq.u32 %%p3, %%r5, 0; @%%p3 bra READ;\n%s\n"                                  \
    "ld.global.u32 %%r6, [%%rd9];\nst.global.u32 [%%rd9+8], %%r6;"

typedef struct message {
    const char *before_set, *set, *get, *after_get;
} message;

static void expect_message(bool right, bool blocks, message m) {
    const form one_word = {
        .grid = blocks ? 2 : 1, .block = blocks ? 32 : 64, .from = 2, .count = 1, .first = 42};
    char text[MAX_TEXT], what[400];
    snprintf(text, sizeof text, WRITE_AND_READ, m.before_set, m.set, m.get, m.after_get);
    snprintf(what, sizeof what, "between %s: %s %s | %s %s", blocks ? "blocks" : "warps",
             m.before_set, m.set, m.get, m.after_get);
    expect_form(right, &one_word, "", text, what);
}

#define SET "atom.global.exch.b32 %r4, [%rd9+4], 1;"
#define GET "atom.global.or.b32 %r5, [%rd9+4], 0;"

static void expect_fences(bool right, bool blocks, const char *before_set, const char *after_get) {
    expect_message(right, blocks, (message){before_set, SET, GET, after_get});
    expect_message(right, blocks,
                   (message){before_set, "st.relaxed.gpu.global.u32 [%rd9+4], 1;",
                             "ld.relaxed.gpu.global.u32 %r5, [%rd9+4];", after_get});
}

Test(ptxvm_weak, a_message_between_warps_needs_both_fences) {
    expect_fences(false, false, "", "");
    expect_fences(false, false, "fence.acq_rel.cta;", "");
    expect_fences(false, false, "", "fence.acq_rel.cta;");
    expect_fences(false, false, "bar.warp.sync 1;", "bar.warp.sync 1;");
    expect_fences(true, false, "fence.acq_rel.cta;", "fence.acq_rel.cta;");
    expect_fences(true, false, "fence.acq_rel.gpu;", "fence.acq_rel.cta;");
    expect_fences(true, false, "fence.acq_rel.cta;", "fence.sc.sys;");
    expect_fences(true, false, "membar.cta;", "membar.cta;");
}

Test(ptxvm_weak, a_message_between_blocks_needs_device_scope) {
    expect_fences(false, true, "", "");
    expect_fences(false, true, "fence.acq_rel.cta;", "fence.acq_rel.gpu;");
    expect_fences(false, true, "fence.acq_rel.gpu;", "fence.acq_rel.cta;");
    expect_fences(false, true, "membar.cta;", "membar.cta;");
    expect_fences(true, true, "fence.acq_rel.gpu;", "fence.acq_rel.gpu;");
    expect_fences(true, true, "fence.acq_rel.sys;", "fence.sc.gpu;");
    expect_fences(true, true, "membar.gl;", "membar.sys;");
}

Test(ptxvm_weak, an_access_may_be_its_own_fence) {
    static const message both = {"", "st.release.gpu.global.u32 [%rd9+4], 1;",
                                 "ld.acquire.gpu.global.u32 %r5, [%rd9+4];", ""};
    static const message atomics = {"", "atom.release.gpu.global.exch.b32 %r4, [%rd9+4], 1;",
                                    "atom.acquire.gpu.global.or.b32 %r5, [%rd9+4], 0;", ""};
    static const message no_acquire = {"", "atom.acq_rel.gpu.global.exch.b32 %r4, [%rd9+4], 1;",
                                       GET, ""};
    static const message narrow = {"", "st.release.cta.global.u32 [%rd9+4], 1;",
                                   "ld.acquire.gpu.global.u32 %r5, [%rd9+4];", ""};
    expect_message(true, true, both);
    expect_message(true, true, atomics);
    expect_message(true, false, narrow);
    expect_message(false, true, narrow);
    expect_message(false, true, no_acquire);
}

/* ---- Barriers ---- */

/* 64 threads: each takes the word of the thread 32 places further on. */
static void expect_halves(bool right, const char *between) {
    static const form halves = {.grid = 1, .block = 64, .count = 32, .first = 132};
    char text[MAX_TEXT];
    snprintf(text, sizeof text,
             "mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd1, %%r1, 4; add.s64 %%rd8, %%rd9, %%rd1;\n"
             "cvt.u32.u64 %%r2, %%rd1; mov.u32 %%r3, words; add.s32 %%r2, %%r2, %%r3;\n"
             "add.s32 %%r4, %%r1, 100; setp.lt.u32 %%p1, %%r1, 32;\n"
             "st.shared.u32 [%%r2], %%r4;\n%s\n@!%%p1 ret;\n"
             "ld.shared.u32 %%r5, [%%r2+128]; st.global.u32 [%%rd8], %%r5;",
             between);
    expect_form(right, &halves, ".shared .align 8 .b8 words[256];\n", text, between);
}

Test(ptxvm_weak, a_barrier_orders_the_block) {
    expect_halves(false, "");
    expect_halves(false, "bar.warp.sync 0xffffffff;");
    expect_halves(true, "bar.sync 0;");
    expect_halves(true, "barrier.sync 3, 64;");
    expect_halves(true, "bar.red.popc.u32 %r6, 0, %p1;");
    /* the second warp arrives and continues, the first waits */
    expect_halves(true, "@!%p1 bar.arrive 1, 64; @%p1 bar.sync 1, 64;");
}

/* The stores of a thread that exits are ordered by the barriers that others reach. */
Test(ptxvm_weak, a_barrier_counts_exited_threads) {
    static const form one = {.grid = 1, .block = 64, .count = 1, .first = 7};
    expect_form(true, &one, ".shared .align 8 .b8 words[256];\n",
                "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 40; mov.u32 %r2, words;\n"
                "@%p1 st.shared.u32 [%r2], 7; @%p1 exit;\n"
                "bar.sync 0; bar.sync 0;\n"
                "setp.ne.u32 %p2, %r1, 0; @%p2 ret;\nld.shared.u32 %r3, [%r2];\n"
                "st.global.u32 [%rd9], %r3;",
                "exited threads");
}

/* ---- The last block sums the values that all blocks have left; no block waits ---- */

static void expect_sum(bool right, const char *release, const char *acquire) {
    static const form sum = {.grid = 8, .block = 1, .from = 40, .count = 1, .first = 36};
    char text[MAX_TEXT];
    snprintf(text, sizeof text,
             "mov.u32 %%r1, %%ctaid.x; mul.wide.u32 %%rd1, %%r1, 4; add.s64 %%rd8, %%rd9, %%rd1;\n"
             "add.u32 %%r2, %%r1, 1; st.global.u32 [%%rd8+4], %%r2;\n%s\n"
             "atom.global.add.u32 %%r3, [%%rd9], 1; setp.ne.u32 %%p1, %%r3, 7; @%%p1 ret;\n%s\n"
             "mov.u32 %%r4, 0; mov.u32 %%r5, 0;\n"
             "NEXT: mul.wide.u32 %%rd1, %%r5, 4; add.s64 %%rd8, %%rd9, %%rd1;\n"
             "ld.global.u32 %%r6, [%%rd8+4]; add.u32 %%r4, %%r4, %%r6; add.u32 %%r5, %%r5, 1;\n"
             "setp.lt.u32 %%p2, %%r5, 8; @%%p2 bra NEXT; st.global.u32 [%%rd9+160], %%r4;",
             release, acquire);
    expect_form(right, &sum, "", text, release);
}

Test(ptxvm_weak, the_last_block_sees_what_others_released) {
    expect_sum(true, "fence.acq_rel.gpu;", "fence.acq_rel.gpu;");
    expect_sum(false, "", "fence.acq_rel.gpu;");
    expect_sum(false, "fence.acq_rel.cta;", "fence.acq_rel.gpu;");
    expect_sum(false, "fence.acq_rel.gpu;", "");
    expect_sum(false, "fence.acq_rel.gpu;", "fence.acq_rel.cta;");
}

/* ---- A single lane ---- */

Test(ptxvm_weak, a_thread_sees_its_own_stores_of_all_widths) {
    static const form word = {.grid = 1, .block = 1, .count = 1, .first = 0x04CCBB01};
    expect_form(
        true, &word, ".shared .align 8 .b8 words[256];\n",
        "mov.u32 %r1, words; mov.u64 %rd1, 0x0807060504030201; st.shared.u64 [%r1+8], %rd1;\n"
        "st.shared.u8 [%r1+9], 0xBB; st.shared.u8 [%r1+10], 0xCC;\n"
        "ld.shared.u32 %r2, [%r1+8]; st.global.u32 [%rd9], %r2;\n"
        "ld.global.u32 %r3, [%rd9]; setp.ne.u32 %p1, %r2, %r3; @%p1 trap;\n"
        "atom.shared.add.u32 %r4, [%r1+12], 1; setp.ne.u32 %p1, %r4, 0x08070605;\n"
        "@%p1 trap; ld.shared.u32 %r4, [%r1+12]; setp.ne.u32 %p1, %r4, 0x08070606; @%p1 trap;\n",
        "own stores");
}
