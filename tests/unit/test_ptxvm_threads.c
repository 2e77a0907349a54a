/* The PTX interpreter where threads interact: shuffles, votes, reductions, barriers, atomics,
 * memory spaces, special registers, branches. Every program runs under several schedules. */
#include "ptxvm_helpers.h"

enum { SEEDS = 6, WORDS = 1024 };

/* %r1: thread in the block; %rd1: its word of the output. */
#define THREAD "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %rd9;\n"

typedef struct {
    uint32_t out[WORDS];
} words;

static words run_threads(const char *code, uint32_t threads, uint64_t seed, uint32_t checks) {
    char text[4000];
    words w;
    ptxvm_error error;
    memset(&w, 0xEE, sizeof w);
    snprintf(text, sizeof text, "%s%s%s\nret;\n}\n", PTX_BEGIN, THREAD, code);
    ptxvm_status status = ptx_try(text, threads, checks, seed, w.out, sizeof w.out, &error);
    cr_assert_eq(status, PTXVM_OK, "%s: %s", code, error.message);
    return w;
}

typedef uint32_t (*per_thread)(uint32_t thread, uint32_t threads);

static void expect_threads(const char *code, uint32_t threads, per_thread expected) {
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        words w = run_threads(code, threads, seed, PTXVM_DEFAULT_CHECKS);
        for (uint32_t i = 0; i < threads; i++) {
            cr_assert_eq(w.out[i], expected(i, threads), "%s: thread %u gives %x, not %x", code, i,
                         w.out[i], expected(i, threads));
        }
        cr_assert_eq(w.out[threads], 0xEEEEEEEE);
    }
}

/* ---- shuffles: the pseudo-code of the PTX ISA, for every lane, offset and segment ---- */

typedef struct {
    uint32_t source;
    bool in_range;
} shuffle;

static shuffle shuffle_of(char mode, uint32_t lane, uint32_t b, uint32_t c) {
    int bval = (int)(b & 31), cval = (int)(c & 31), segment = (int)(c >> 8 & 31), l = (int)lane, j;
    int most = (l & segment) | (cval & ~segment), least = l & segment;
    bool in_range;
    if (mode == 'u') {
        j = l - bval;
        in_range = j >= most;
    } else {
        j = mode == 'd' ? l + bval : mode == 'b' ? l ^ bval : least | (bval & ~segment);
        in_range = j <= most;
    }
    return (shuffle){(uint32_t)(in_range ? j : l), in_range};
}

Test(ptxvm_threads, shuffles_follow_the_pseudo_code_of_the_isa) {
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const uint32_t controls[] = {0x1F, 0, 0x181F, 0x1800, 0x1C1F, 0x1C03, 0x100F};
    static const uint32_t offsets[] = {0, 1, 2, 5, 16, 31, 32, 33};
    for (int m = 0; m < 4; m++) {
        for (size_t k = 0; k < sizeof controls / sizeof *controls; k++) {
            for (size_t b = 0; b < sizeof offsets / sizeof *offsets; b++) {
                char code[400];
                snprintf(code, sizeof code,
                         "mul.lo.u32 %%r2, %%r1, 7; shfl.sync.%s.b32 %%r3|%%p1, %%r2, %u, %u, -1;\n"
                         "selp.u32 %%r4, 1000, 0, %%p1; add.u32 %%r3, %%r3, %%r4;"
                         "st.global.u32 [%%rd1], %%r3;",
                         modes[m], (unsigned)offsets[b], (unsigned)controls[k]);
                words w = run_threads(code, 32, k + b, PTXVM_DEFAULT_CHECKS);
                for (uint32_t lane = 0; lane < 32; lane++) {
                    shuffle s = shuffle_of(modes[m][0], lane, offsets[b], controls[k]);
                    cr_assert_eq(w.out[lane], s.source * 7 + (s.in_range ? 1000 : 0),
                                 "%s of %u with %x, lane %u: %u", modes[m], (unsigned)offsets[b],
                                 (unsigned)controls[k], (unsigned)lane, (unsigned)w.out[lane]);
                }
            }
        }
    }
}

static uint32_t lane_reversed(uint32_t i, uint32_t n) {
    (void)n;
    return (i & ~31u) + 31 - i % 32 + 500;
}

Test(ptxvm_threads, a_shuffle_may_take_its_source_from_a_register) {
    expect_threads("and.b32 %r2, %r1, 31; sub.u32 %r3, 31, %r2; add.u32 %r4, %r1, 500;\n"
                   "shfl.sync.idx.b32 %r5, %r4, %r3, 31, 0xFFFFFFFF; st.global.u32 [%rd1], %r5;",
                   96, lane_reversed);
}

/* A lane outside the mask, or one that has exited, yields garbage, which differs between seeds. */
Test(ptxvm_threads, a_shuffle_from_a_missing_lane_is_garbage) {
    const char *code = "add.u32 %r2, %r1, 500; shfl.sync.idx.b32 %r3, %r2, 9, 31, -1;\n"
                       "st.global.u32 [%rd1], %r3;";
    words a = run_threads(code, 5, 1, PTXVM_DEFAULT_CHECKS);
    words b = run_threads(code, 5, 2, PTXVM_DEFAULT_CHECKS);
    cr_expect(memcmp(a.out, b.out, 20) != 0);
}

/* Also if that lane exists and contributed to an earlier shuffle. */
Test(ptxvm_threads, a_shuffle_from_a_lane_outside_the_mask_is_garbage) {
    const char *code = "add.u32 %r2, %r1, 500; shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;\n"
                       "setp.ge.u32 %p1, %r1, 16; @%p1 exit;\n"
                       "shfl.sync.idx.b32 %r4, %r2, 20, 31, 0xFFFF; st.global.u32 [%rd1], %r4;";
    words a = run_threads(code, 32, 1, PTXVM_DEFAULT_CHECKS);
    words b = run_threads(code, 32, 2, PTXVM_DEFAULT_CHECKS);
    cr_expect(memcmp(a.out, b.out, 64) != 0);
}

/* ---- votes, reductions, match ---- */

static uint32_t odd_lanes(uint32_t i, uint32_t n) {
    uint32_t start = i & ~31u, lanes = n - start < 32 ? n - start : 32;
    return 0xAAAAAAAAu & (uint32_t)((UINT64_C(1) << lanes) - 1);
}

Test(ptxvm_threads, a_ballot_has_a_bit_per_lane) {
    const char *code = "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1;\n"
                       "vote.sync.ballot.b32 %r3, %p1, -1; st.global.u32 [%rd1], %r3;";
    expect_threads(code, 64, odd_lanes);
    expect_threads(code, 45, odd_lanes);
}

static uint32_t votes(uint32_t i, uint32_t n) {
    (void)n;
    // r1 < 40: warp 0 all, any, uni; warp 1 any; warp 2 uni
    return i < 32 ? 7 : i < 64 ? 2 : 4;
}

Test(ptxvm_threads, votes_combine_predicates) {
    expect_threads("setp.lt.u32 %p1, %r1, 40;\n"
                   "vote.sync.all.pred %p2, %p1, -1; vote.sync.any.pred %p3, %p1, -1;\n"
                   "vote.sync.uni.pred %p4, !%p1, -1;\n"
                   "selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 2, 0, %p3; selp.u32 %r4, 4, 0, %p4;\n"
                   "add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; st.global.u32 [%rd1], %r2;",
                   96, votes);
}

/* Two groups of lanes, each with its own mask, in their own branches. */
static uint32_t two_groups(uint32_t i, uint32_t n) {
    (void)n;
    return i % 32 < 16 ? 0x0000FFFF : 0xAAAA0000;
}

Test(ptxvm_threads, each_branch_may_use_its_own_mask) {
    expect_threads(
        "and.b32 %r2, %r1, 16; setp.eq.u32 %p1, %r2, 0; and.b32 %r3, %r1, 1;\n"
        "setp.eq.u32 %p2, %r3, 1;\n@%p1 bra LOW;\n"
        "vote.sync.ballot.b32 %r4, %p2, 0xFFFF0000;\nbra.uni DONE;\n"
        "LOW: vote.sync.ballot.b32 %r4, 1, 0x0000FFFF;\nDONE: st.global.u32 [%rd1], %r4;",
        64, two_groups);
}

/* Lanes 0..9 leave; the others still reduce with the full mask. */
static uint32_t after_exit(uint32_t i, uint32_t n) {
    (void)n;
    return i < 10 ? 0xEEEEEEEE : 0xFFFFFC00;
}

Test(ptxvm_threads, exited_lanes_are_not_waited_for) {
    expect_threads("setp.lt.u32 %p1, %r1, 10; @%p1 exit;\n"
                   "vote.sync.ballot.b32 %r2, 1, -1; st.global.u32 [%rd1], %r2;",
                   32, after_exit);
}

static uint32_t reductions(uint32_t i, uint32_t n) {
    uint32_t start = i & ~31u, end = start + 32 < n ? start + 32 : n, sum = 0, and = ~0u, xor = 0;
    for (uint32_t k = start; k < end; k++) {
        sum += k * 0x9E3779B9u;
        and &= k | 0xF0;
        xor ^= k * 3;
    }
    // min.s32 and max.u32 of k - 5
    uint32_t min = start - 5, max = 0;
    for (uint32_t k = start; k < end; k++) {
        max = k - 5 > max ? k - 5 : max;
    }
    return sum + and*3 + xor*5 + min * 7 + max * 11;
}

Test(ptxvm_threads, redux_reduces_over_the_warp) {
    const char *code = "mul.lo.u32 %r2, %r1, 0x9E3779B9; redux.sync.add.u32 %r3, %r2, -1;\n"
                       "or.b32 %r2, %r1, 0xF0; redux.sync.and.b32 %r4, %r2, -1;\n"
                       "mul.lo.u32 %r2, %r1, 3; redux.sync.xor.b32 %r5, %r2, -1;\n"
                       "sub.u32 %r2, %r1, 5; redux.sync.min.s32 %r6, %r2, -1;\n"
                       "redux.sync.max.u32 %r7, %r2, -1;\n"
                       "mad.lo.u32 %r3, %r4, 3, %r3; mad.lo.u32 %r3, %r5, 5, %r3;\n"
                       "mad.lo.u32 %r3, %r6, 7, %r3; mad.lo.u32 %r3, %r7, 11, %r3;\n"
                       "st.global.u32 [%rd1], %r3;";
    expect_threads(code, 64, reductions);
    expect_threads(code, 39, reductions);
}

static uint32_t matches(uint32_t i, uint32_t n) {
    (void)n;
    uint32_t mask = 0;
    for (uint32_t k = 0; k < 32; k++) {
        mask |= (uint32_t)(k % 5 == i % 32 % 5) << k;
    }
    return mask + (i < 32 ? 0xFFFFFFFF : 0);
}

Test(ptxvm_threads, match_finds_equal_lanes) {
    expect_threads("and.b32 %r2, %r1, 31; rem.u32 %r3, %r2, 5; match.any.sync.b32 %r4, %r3, -1;\n"
                   "shr.u32 %r5, %r1, 5; min.u32 %r5, %r5, 1; mul.lo.u32 %r5, %r5, %r1;\n"
                   "match.all.sync.b32 %r6|%p1, %r5, -1; add.u32 %r4, %r4, %r6; @!%p1 bra DONE;\n"
                   "setp.ne.u32 %p2, %r6, 0xFFFFFFFF; @%p2 trap;\nDONE: st.global.u32 [%rd1], %r4;",
                   64, matches);
}

/* ---- barriers ---- */

static uint32_t mirrored(uint32_t i, uint32_t n) {
    return n - 1 - i;
}

Test(ptxvm_threads, a_barrier_makes_stores_visible) {
    const char *code = ".shared .align 4 .b8 x[1024]; mov.u32 %r2, x; shl.b32 %r3, %r1, 2;\n"
                       "add.u32 %r4, %r2, %r3; st.shared.u32 [%r4], %r1; bar.sync 0;\n"
                       "mov.u32 %r5, %ntid.x; sub.u32 %r5, %r5, 1; sub.u32 %r5, %r5, %r1;\n"
                       "shl.b32 %r5, %r5, 2; add.u32 %r4, %r2, %r5; ld.shared.u32 %r6, [%r4];\n"
                       "st.global.u32 [%rd1], %r6;";
    expect_threads(code, 256, mirrored);
    expect_threads(code, 37, mirrored);
}

static uint32_t rounds(uint32_t i, uint32_t n) {
    (void)i;
    return 10 * n;
}

/* A counter that all threads increment and read between two barriers, ten times. */
Test(ptxvm_threads, a_barrier_works_in_a_loop) {
    expect_threads(
        ".shared .align 4 .u32 sum; setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [sum], 0;\n"
        "mov.u32 %r2, 0; mov.u32 %r5, %ntid.x;\nAGAIN: bar.sync 0;\n"
        "red.shared.add.u32 [sum], 1; bar.sync 0; ld.shared.u32 %r3, [sum];\n"
        "add.u32 %r2, %r2, 1; mul.lo.u32 %r4, %r2, %r5; setp.ne.u32 %p2, %r3, %r4;\n"
        "@%p2 trap; setp.lt.u32 %p3, %r2, 10; @%p3 bra AGAIN; st.global.u32 [%rd1], %r3;",
        70, rounds);
}

static uint32_t barrier_votes(uint32_t i, uint32_t n) {
    (void)i;
    return n / 2 + 2000; /* half of the predicates hold: or is true, and is not */
}

Test(ptxvm_threads, barriers_reduce_predicates) {
    expect_threads("and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; bar.red.popc.u32 %r3, 0, %p1;\n"
                   "bar.red.and.pred %p2, 0, %p1; bar.red.or.pred %p3, 0, %p1;\n"
                   "selp.u32 %r4, 1000, 0, %p2; selp.u32 %r5, 2000, 0, %p3;\n"
                   "add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; st.global.u32 [%rd1], %r3;",
                   96, barrier_votes);
}

/* Warp 0 produces values that warp 1 consumes, through two counted barriers; warp 2 does not
 * participate. */
static uint32_t produced(uint32_t i, uint32_t n) {
    (void)n;
    return i < 32 ? 1 : i < 64 ? (i - 32) * 3 : 2;
}

Test(ptxvm_threads, counted_barriers_connect_producers_and_consumers) {
    expect_threads(
        ".shared .align 4 .b8 x[128]; and.b32 %r2, %r1, 31; shl.b32 %r2, %r2, 2; mov.u32 %r3, x;\n"
        "add.u32 %r3, %r3, %r2; setp.ge.u32 %p1, %r1, 64; @%p1 bra OTHER;\n"
        "setp.ge.u32 %p1, %r1, 32; @%p1 bra TAKE;\n"
        "mul.lo.u32 %r4, %r1, 3; st.shared.u32 [%r3], %r4; bar.arrive 1, 64; mov.u32 %r4, 1; bra "
        "DONE;\n"
        "TAKE: bar.sync 1, 64; ld.shared.u32 %r4, [%r3]; bra DONE;\nOTHER: mov.u32 %r4, 2;\n"
        "DONE: st.global.u32 [%rd1], %r4;",
        96, produced);
}

/* ---- memory ---- */

static uint32_t memory_value(uint32_t i, uint32_t n) {
    (void)n;
    return (i + 1) * 0x01010101u;
}

Test(ptxvm_threads, narrow_and_wide_stores_write_their_bytes) {
    expect_threads("add.u32 %r2, %r1, 1; st.global.u8 [%rd1], %r2; st.global.u8 [%rd1+1], %r2;\n"
                   "cvt.u16.u32 %h1, %r2; st.global.u8 [%rd1+2], %h1; st.global.b8 [%rd1+3], %h1;",
                   64, memory_value);
    expect_threads("add.u32 %r2, %r1, 1; mul.lo.u32 %r2, %r2, 0x0101; cvt.u16.u32 %h1, %r2;\n"
                   "mov.b16 %h2, %h1; st.global.v2.b16 [%rd1], {%h1, %h2};",
                   64, memory_value);
}

static uint32_t generic_value(uint32_t i, uint32_t n) {
    (void)n;
    return 3 * i + 40;
}

/* The same bytes through generic, shared and local addresses; constants; dynamic indexing of a
 * local array. */
Test(ptxvm_threads, generic_addresses_reach_every_space) {
    expect_threads(
        ".shared .align 8 .b8 x[256]; .local .align 4 .b8 y[16];\n"
        ".const .align 4 .u32 c[4] = {10, 20, 30, 40};\n"
        "mov.u64 %rd2, x; cvta.shared.u64 %rd3, %rd2; mul.wide.u32 %rd4, %r1, 4;\n"
        "add.u64 %rd5, %rd3, %rd4; st.u32 [%rd5], %r1; cvta.to.shared.u64 %rd6, %rd5;\n"
        "ld.shared.u32 %r2, [%rd6]; mov.u64 %rd2, y; and.b32 %r3, %r1, 3;\n"
        "mul.wide.u32 %rd4, %r3, 4; add.u64 %rd2, %rd2, %rd4; st.local.u32 [%rd2], %r2;\n"
        "cvta.local.u64 %rd7, %rd2; ld.u32 %r4, [%rd7]; ld.volatile.u32 %r5, [%rd5];\n"
        "cvta.const.u64 %rd8, c; ld.u32 %r6, [%rd8+12]; ld.const.u32 %r7, [c+12];\n"
        "setp.ne.u32 %p1, %r6, %r7; @%p1 trap; isspacep.shared %p2, %rd5; @!%p2 trap;\n"
        "add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5; add.u32 %r2, %r2, %r6;\n"
        "st.global.u32 [%rd1], %r2;",
        64, generic_value);
}

Test(ptxvm_threads, loads_extend_signs_and_read_vectors) {
    static const ptx_expect cases[] = {
        {'r', "st.global.u32 [%rd9], 0x80FF; ld.global.s8 %r0, [%rd9];", 0xFFFFFFFF},
        {'r', "st.global.u32 [%rd9], 0x80FF; ld.global.u8 %r0, [%rd9];", 0xFF},
        {'l', "st.global.u32 [%rd9], 0x80FF; ld.global.s16 %rd0, [%rd9];", 0xFFFFFFFFFFFF80FF},
        {'h', "st.global.u32 [%rd9], 0x80FF; ld.global.s8 %h0, [%rd9];", 0xFFFF},
        {'r', "st.global.v2.u32 [%rd9], {5, 6}; ld.global.v2.u32 {%r1, %r0}, [%rd9];", 6},
        {'l', "st.global.v2.u32 [%rd9], {5, 6}; ld.relaxed.gpu.global.b64 %rd0, [%rd9];",
         0x600000005},
        {'r', ".global .align 4 .b8 t[8] = {1, 2, 3, 4, 0xFF}; ld.global.u32 %r0, [t];",
         0x04030201},
        {'r', ".global .align 4 .b8 t[8] = {1, 2, 3, 4, 0xFF}; ld.global.nc.u32 %r0, [t+4];", 0xFF},
        {'f', ".const .f32 t[2] = {1.5, 0f40000000}; ld.const.f32 %f0, [t+4];", 0x40000000},
        {'r',
         ".global .u32 a = 77; .global .u64 p = a; ld.global.u64 %rd1, [p]; ld.u32 %r0, [%rd1];",
         77},
        {'l', "mov.b64 %rd1, out; ld.param.u64 %rd0, [%rd1]; sub.u64 %rd0, %rd0, %rd9;", 0},
    };
    PTX_CHECK(cases);
}

Test(ptxvm_threads, atomics_compute_their_operation) {
    static const ptx_expect cases[] = {
        {'r',
         "st.global.u32 [%rd9], 5; atom.global.add.u32 %r1, [%rd9], 7; ld.global.u32 %r0, [%rd9];",
         12},
        {'r', "st.global.u32 [%rd9], 5; atom.global.add.u32 %r0, [%rd9], 7;", 5},
        {'r',
         "st.global.u32 [%rd9], 5; atom.global.min.s32 %r1, [%rd9], -1; ld.global.u32 %r0, [%rd9];",
         0xFFFFFFFF},
        {'r', "st.global.u32 [%rd9], 5; red.global.min.u32 [%rd9], -1; ld.global.u32 %r0, [%rd9];",
         5},
        {'r',
         "st.global.u32 [%rd9], 5; red.global.gpu.max.u32 [%rd9], -1; ld.global.u32 %r0, [%rd9];",
         0xFFFFFFFF},
        {'r', "st.global.u32 [%rd9], 12; red.global.and.b32 [%rd9], 10; ld.global.u32 %r0, [%rd9];",
         8},
        {'r', "st.global.u32 [%rd9], 12; red.global.or.b32 [%rd9], 10; ld.global.u32 %r0, [%rd9];",
         14},
        {'r', "st.global.u32 [%rd9], 12; red.global.xor.b32 [%rd9], 10; ld.global.u32 %r0, [%rd9];",
         6},
        {'r',
         "st.global.u32 [%rd9], 12; atom.global.exch.b32 %r1, [%rd9], 10;\n"
         "ld.global.u32 %r2, [%rd9]; mad.lo.u32 %r0, %r1, 100, %r2;",
         1210},
        {'r',
         "st.global.u32 [%rd9], 12; atom.global.cas.b32 %r1, [%rd9], 12, 9;\n"
         "ld.global.u32 %r2, [%rd9]; mad.lo.u32 %r0, %r1, 100, %r2;",
         1209},
        {'r',
         "st.global.u32 [%rd9], 12; atom.sys.global.cas.b32 %r1, [%rd9], 11, 9;\n"
         "ld.global.u32 %r2, [%rd9]; mad.lo.u32 %r0, %r1, 100, %r2;",
         1212},
        {'r',
         "st.global.u32 [%rd9], 4; atom.global.inc.u32 %r1, [%rd9], 4; ld.global.u32 %r0, [%rd9];",
         0},
        {'r',
         "st.global.u32 [%rd9], 3; atom.global.inc.u32 %r1, [%rd9], 4; ld.global.u32 %r0, [%rd9];",
         4},
        {'r',
         "st.global.u32 [%rd9], 0; atom.global.dec.u32 %r1, [%rd9], 4; ld.global.u32 %r0, [%rd9];",
         4},
        {'r',
         "st.global.u32 [%rd9], 9; atom.global.dec.u32 %r1, [%rd9], 4; ld.global.u32 %r0, [%rd9];",
         4},
        {'l', "st.global.u64 [%rd9], 5; atom.add.u64 %rd1, [%rd9], -6; ld.global.u64 %rd0, [%rd9];",
         UINT64_MAX},
        {'f',
         "st.global.f32 [%rd9], 1.5; atom.global.add.f32 %f1, [%rd9], 2.0; ld.global.f32 %f0, "
         "[%rd9];",
         0x40600000},
        // On global memory subnormals are flushed, on shared memory they are not.
        {'f',
         "st.global.u32 [%rd9], 1; atom.global.add.f32 %f1, [%rd9], 0f00000002;\n"
         "ld.global.f32 %f0, [%rd9];",
         0},
        {'f',
         ".shared .b32 s; st.shared.u32 [s], 1; atom.shared.add.f32 %f1, [s], 0f00000002;\n"
         "ld.shared.f32 %f0, [s];",
         3},
        {'r',
         "st.global.u32 [%rd9], 0x3C003C00; mov.u32 %r1, 0x40003C00;\n"
         "red.global.add.noftz.f16x2 [%rd9], %r1; ld.global.u32 %r0, [%rd9];",
         0x42004000},
    };
    PTX_CHECK(cases);
}

/* A spin lock: threads of one warp must make progress one by one, in any schedule. */
static uint32_t locked(uint32_t i, uint32_t n) {
    return i == 0 ? n : 0xEEEEEEEE;
}

Test(ptxvm_threads, a_spin_lock_makes_progress) {
    expect_threads(
        ".shared .align 4 .u32 lock; .shared .align 4 .u32 sum; setp.eq.u32 %p1, %r1, 0;\n"
        "@%p1 st.shared.u32 [lock], 0; @%p1 st.shared.u32 [sum], 0; bar.sync 0;\n"
        "TRY: atom.shared.cas.b32 %r2, [lock], 0, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra TRY;\n"
        "ld.shared.u32 %r3, [sum]; add.u32 %r3, %r3, 1; st.shared.u32 [sum], %r3;\n"
        "membar.cta; atom.shared.exch.b32 %r4, [lock], 0; bar.sync 0;\n"
        "ld.shared.u32 %r3, [sum]; @%p1 st.global.u32 [%rd1], %r3;",
        48, locked);
}

/* ---- control flow ---- */

static uint32_t collatz(uint32_t i, uint32_t n) {
    (void)n;
    uint32_t x = i + 1, steps = 0;
    for (; x != 1; steps++) {
        x = x & 1 ? 3 * x + 1 : x / 2;
    }
    return steps;
}

Test(ptxvm_threads, a_divergent_loop_ends_per_thread) {
    expect_threads("add.u32 %r2, %r1, 1; mov.u32 %r3, 0;\n"
                   "NEXT: setp.eq.u32 %p1, %r2, 1; @%p1 bra DONE; add.u32 %r3, %r3, 1;\n"
                   "and.b32 %r4, %r2, 1; setp.eq.u32 %p2, %r4, 1; @%p2 bra ODD;\n"
                   "shr.u32 %r2, %r2, 1; bra NEXT;\nODD: mad.lo.u32 %r2, %r2, 3, 1; bra NEXT;\n"
                   "DONE: st.global.u32 [%rd1], %r3;",
                   100, collatz);
}

static uint32_t table_target(uint32_t i, uint32_t n) {
    (void)n;
    return i % 3 == 0 ? 11 : i % 3 == 1 ? 22 : 33;
}

Test(ptxvm_threads, branch_tables_and_scopes_work) {
    expect_threads(
        "rem.u32 %r2, %r1, 3; mov.u32 %r5, 0;\nT: .branchtargets A, B, C;\nbrx.idx %r2, T;\n"
        "A: { .reg .b32 %x; mov.u32 %x, 11; mov.u32 %r5, %x; bra.uni OUT; OUT: }\nbra DONE;\n"
        "B: { .reg .b64 %x; mov.u64 %x, 22; cvt.u32.u64 %r5, %x; bra.uni OUT; OUT: }\nbra DONE;\n"
        "C: mov.u32 %r5, 33;\nDONE: st.global.u32 [%rd1], %r5;",
        40, table_target);
}

/* Calls with results, from two levels; a function's registers start undefined at each call. */
Test(ptxvm_threads, calls_pass_arguments_and_results) {
    static const char text[] = PTX_HEADER
        ".func (.param .b32 r) twice(.param .b32 x);\n"
        ".func (.param .b32 r) thrice(.param .b32 x, .param .b64 unused)\n{\n"
        ".reg .b32 %r<4>; ld.param.b32 %r1, [x]; { .param .b32 a; .param .b32 b;\n"
        "st.param.b32 [a], %r1; call.uni (b), twice, (a); ld.param.b32 %r2, [b]; }\n"
        "add.u32 %r3, %r1, %r2; st.param.b32 [r], %r3; ret;\n}\n"
        ".func (.param .b32 r) twice(.param .b32 x)\n{\n"
        ".reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; "
        "ret;\n}\n"
        ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS "ld.param.u64 %rd9, [out];\n" THREAD
        ".param .b32 a; .param .b64 u; .param .b32 b; st.param.b32 [a], %r1; st.param.b64 [u], 0;\n"
        "call (b), thrice, (a, u); ld.param.b32 %r2, [b]; st.param.b32 [a], %r2;\n"
        "call (b), twice, (a); ld.param.b32 %r2, [b]; st.global.u32 [%rd1], %r2; ret;\n}\n";
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t out[50];
        ptxvm_error error;
        cr_assert_eq(ptx_try(text, 50, PTXVM_ALL_CHECKS, seed, out, sizeof out, &error), PTXVM_OK,
                     "%s", error.message);
        for (uint32_t i = 0; i < 50; i++) {
            cr_assert_eq(out[i], 6 * i);
        }
    }
}

Test(ptxvm_threads, shared_variables_do_not_overlap) {
    static const char text[] = PTX_HEADER
        ".shared .align 4 .u32 of_module; .extern .shared .align 4 .b8 dynamic[];\n"
        ".func store(.param .b32 x) { .shared .align 4 .u32 of_function; .reg .b32 %r<2>;\n"
        "ld.param.b32 %r1, [x]; st.shared.u32 [of_function], %r1; ret; }\n" PTX_KERNEL
        ".shared .align 4 .u32 own; .param .b32 a; st.param.b32 [a], 4; st.shared.u32 [own], 1;\n"
        "st.shared.u32 [of_module], 20; call store, (a); ld.shared.u32 %r1, [own];\n"
        "ld.shared.u32 %r2, [of_module]; add.u32 %r1, %r1, %r2; st.global.u32 [%rd9], %r1; ret; "
        "}\n";
    uint32_t out = 0;
    ptxvm_error error;
    cr_expect_eq(ptx_try(text, 1, PTXVM_ALL_CHECKS, 1, &out, 4, &error), PTXVM_OK, "%s",
                 error.message);
    cr_expect_eq(out, 21);
}

Test(ptxvm_threads, registers_of_a_function_start_undefined_at_each_call) {
    static const char text[] = PTX_HEADER
        ".func maybe(.param .b32 x) { .reg .b32 %r<4>; .reg .pred %p; ld.param.b32 %r1, [x];\n"
        "setp.eq.u32 %p, %r1, 1; @%p mov.u32 %r2, 5; add.u32 %r3, %r2, 1; ret; }\n" PTX_KERNEL
        ".param .b32 a; st.param.b32 [a], 1; call maybe, (a); st.param.b32 [a], 0; call maybe, "
        "(a); ret; }";
    uint32_t out = 0;
    ptxvm_error error;
    cr_expect_eq(ptx_try(text, 1, PTXVM_DEFAULT_CHECKS, 1, &out, 4, &error), PTXVM_UNINITIALISED);
    cr_expect_str_eq(error.instruction, "add.u32 %r3, %r2, 1");
}

/* ---- special registers ---- */

Test(ptxvm_threads, special_registers_have_their_values) {
    static const char text[] = PTX_HEADER
        ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS "ld.param.u64 %rd9, [out];\n"
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %ntid.x;\n"
        "mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z; mov.u32 %r7, %ctaid.x; mov.u32 %r8, "
        "%ctaid.y;\n"
        "mov.u32 %r9, %ctaid.z; mov.u32 %r10, %nctaid.x; mov.u32 %r11, %nctaid.y;\n"
        "mov.u32 %r12, %nctaid.z; mad.lo.u32 %r13, %r9, %r11, %r8; mad.lo.u32 %r13, %r13, %r10, "
        "%r7;\n"
        "mad.lo.u32 %r14, %r3, %r5, %r2; mad.lo.u32 %r14, %r14, %r4, %r1;\n"
        "mul.lo.u32 %r15, %r4, %r5; mul.lo.u32 %r15, %r15, %r6; mad.lo.u32 %r16, %r13, %r15, "
        "%r14;\n"
        "mul.wide.u32 %rd1, %r16, 16; add.u64 %rd1, %rd1, %rd9;\n"
        "mov.u32 %r17, %laneid; mov.u32 %r18, %warpid; mov.u32 %r19, %lanemask_lt;\n"
        "st.global.v4.u32 [%rd1], {%r16, %r17, %r18, %r19};\n"
        "mov.u32 %r17, %lanemask_eq; mov.u32 %r18, %lanemask_gt; or.b32 %r19, %r19, %r17;\n"
        "mov.u32 %r1, %lanemask_le; setp.ne.u32 %p1, %r1, %r19; @%p1 trap;\n"
        "mov.u32 %r1, %lanemask_ge; or.b32 %r17, %r17, %r18; setp.ne.u32 %p1, %r1, %r17; @%p1 "
        "trap;\n"
        "ret;\n}\n";
    enum { THREADS = 5 * 3 * 4, BLOCKS = 2 * 3 * 2 };
    static uint32_t out[THREADS * BLOCKS * 4];
    ptxvm_module *module = ptx_parse(text);
    uint64_t address = PTX_BUFFER(0);
    ptxvm_range range = {address, out, sizeof out, false};
    ptxvm_launch_options options = ptxvm_default_options("k");
    memcpy(options.block, (uint32_t[]){5, 3, 4}, 12);
    memcpy(options.grid, (uint32_t[]){2, 3, 2}, 12);
    options.params = &address;
    options.param_bytes = 8;
    options.ranges = &range;
    options.range_count = 1;
    ptx_run(module, &options);
    for (uint32_t i = 0; i < THREADS * BLOCKS; i++) {
        uint32_t thread = i % THREADS;
        cr_assert_eq(out[i * 4], i);
        cr_assert_eq(out[i * 4 + 1], thread % 32);
        cr_assert_eq(out[i * 4 + 2], thread / 32);
        cr_assert_eq(out[i * 4 + 3], (1u << thread % 32) - 1);
    }
    ptxvm_free(module);
}

/* Schedules must differ in what racing threads observe, and shared memory starts with garbage. */
Test(ptxvm_threads, schedules_differ) {
    const char *race = ".shared .align 4 .u32 s; st.shared.u32 [s], %r1; ld.shared.u32 %r2, [s];\n"
                       "st.global.u32 [%rd1], %r2;";
    const char *garbage =
        ".shared .align 4 .u32 s; ld.shared.u32 %r2, [s]; st.global.u32 [%rd1], %r2;";
    words a = run_threads(race, 64, 4, PTXVM_DEFAULT_CHECKS);
    words b = run_threads(race, 64, 6, PTXVM_DEFAULT_CHECKS);
    cr_expect(memcmp(&a, &b, sizeof a) != 0);
    a = run_threads(garbage, 1, 1, PTXVM_DEFAULT_CHECKS);
    b = run_threads(garbage, 1, 2, PTXVM_DEFAULT_CHECKS);
    cr_expect_neq(a.out[0], b.out[0]);
}
