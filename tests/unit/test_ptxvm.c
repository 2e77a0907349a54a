/* The PTX interpreter on PTX that nvcc generated from tests/ptxvm/samples: results computed here in
 * C, several schedules each. Single instructions are in test_ptxvm_ops.c, errors in
 * test_ptxvm_strict.c. */
#include "ptxvm_helpers.h"
#include "support/random.h"
#include "support/softfloat.h"

#include <math.h>

enum { SEEDS = 6, MAX_BUFFERS = 4 };

static uint32_t next_random(uint64_t *state) {
    return (uint32_t)(random_next(state) >> 32);
}

typedef struct {
    ptxvm_launch_options options;
    ptxvm_range ranges[MAX_BUFFERS];
    uint8_t params[64];
} sample_launch;

static void add_buffer(sample_launch *l, void *host, size_t size, bool read_only) {
    uint64_t address = PTX_BUFFER(l->options.range_count);
    l->ranges[l->options.range_count++] = (ptxvm_range){address, host, size, read_only};
    l->options.ranges = l->ranges;
    memcpy(l->params + l->options.param_bytes, &address, sizeof address);
    l->options.param_bytes += sizeof address;
    l->options.params = l->params;
}

static void add_word(sample_launch *l, uint32_t value) {
    memcpy(l->params + l->options.param_bytes, &value, sizeof value);
    l->options.param_bytes += sizeof value;
}

static void set_shape(sample_launch *l, uint32_t grid, uint32_t block, uint64_t seed) {
    l->options.grid[0] = grid;
    l->options.block[0] = block;
    l->options.seed = seed;
    l->options.lockstep = seed == SEEDS - 1;
}

Test(ptxvm_samples, reduce_sums_an_array) {
    enum { N = 5000, BLOCKS = 5 };
    ptxvm_module *module = ptx_sample("reduce");
    static uint32_t in[N];
    uint64_t state = 1;
    for (uint32_t i = 0; i < N; i++) {
        in[i] = next_random(&state);
    }
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t out[BLOCKS] = {0}, expected[BLOCKS] = {0};
        sample_launch l = {.options = ptxvm_default_options("reduce")};
        add_buffer(&l, in, sizeof in, true);
        add_buffer(&l, out, sizeof out, false);
        add_word(&l, N);
        set_shape(&l, BLOCKS, 256, seed);
        ptx_run(module, &l.options);
        for (uint32_t i = 0; i < N; i++) {
            expected[i / 256 % BLOCKS] += in[i];
        }
        cr_expect_arr_eq(out, expected, sizeof out);
    }
    ptxvm_free(module);
}

Test(ptxvm_samples, gemm_multiplies_matrices) {
    enum { M = 37, N = 21, K = 45 };
    ptxvm_module *module = ptx_sample("gemm");
    static float a[M * K], b[K * N], c[M * N];
    uint64_t state = 2;
    for (int i = 0; i < M * K; i++) {
        a[i] = (float)(int32_t)next_random(&state) * 0x1p-29f;
    }
    for (int i = 0; i < K * N; i++) {
        b[i] = (float)(int32_t)next_random(&state) * 0x1p-30f;
    }
    for (uint64_t seed = 0; seed < 3; seed++) {
        sample_launch l = {.options = ptxvm_default_options("gemm")};
        memset(c, 0xFF, sizeof c);
        add_buffer(&l, a, sizeof a, true);
        add_buffer(&l, b, sizeof b, true);
        add_buffer(&l, c, sizeof c, false);
        add_word(&l, M);
        add_word(&l, N);
        add_word(&l, K);
        set_shape(&l, (N + 15) / 16, 16, seed);
        l.options.grid[1] = (M + 15) / 16;
        l.options.block[1] = 16;
        ptx_run(module, &l.options);
        for (int row = 0; row < M; row++) {
            for (int column = 0; column < N; column++) {
                float sum = 0;
                for (int k = 0; k < K; k++) {
                    sum = fmaf(a[row * K + k], b[k * N + column], sum);
                }
                cr_expect(memcmp(&sum, &c[row * N + column], sizeof sum) == 0, "%d %d", row,
                          column);
            }
        }
    }
    ptxvm_free(module);
}

Test(ptxvm_samples, histogram_counts_bytes) {
    enum { N = 6000 };
    ptxvm_module *module = ptx_sample("histogram");
    static uint8_t in[N];
    uint32_t expected[256] = {0};
    uint64_t state = 3;
    for (uint32_t i = 0; i < N; i++) {
        in[i] = (uint8_t)(next_random(&state) % 97 * 2);
        expected[in[i]]++;
    }
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t bins[256] = {0};
        sample_launch l = {.options = ptxvm_default_options("histogram")};
        add_buffer(&l, in, sizeof in, true);
        add_buffer(&l, bins, sizeof bins, false);
        add_word(&l, N);
        set_shape(&l, 6, 96, seed);
        l.options.dynamic_shared_bytes = 1024;
        ptx_run(module, &l.options);
        cr_expect_arr_eq(bins, expected, sizeof bins);
    }
    ptxvm_free(module);
}

static int compare_words(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

Test(ptxvm_samples, compact_keeps_the_odd_numbers) {
    enum { N = 700 };
    ptxvm_module *module = ptx_sample("compact");
    static uint32_t in[N], expected[N];
    uint32_t expected_count = 0;
    uint64_t state = 4;
    for (uint32_t i = 0; i < N; i++) {
        // Entire warps without an odd number leave early.
        in[i] = i / 32 % 5 == 0 ? i * 2 : next_random(&state);
        if (in[i] & 1) {
            expected[expected_count++] = in[i];
        }
    }
    qsort(expected, expected_count, sizeof *expected, compare_words);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t out[N] = {0}, count = 0;
        sample_launch l = {.options = ptxvm_default_options("compact")};
        add_buffer(&l, in, sizeof in, true);
        add_buffer(&l, out, sizeof out, false);
        add_buffer(&l, &count, sizeof count, false);
        add_word(&l, N);
        set_shape(&l, 6, 128, seed);
        ptx_run(module, &l.options);
        cr_assert_eq(count, expected_count);
        qsort(out, count, sizeof *out, compare_words);
        cr_expect_arr_eq(out, expected, expected_count * sizeof *out);
    }
    ptxvm_free(module);
}

Test(ptxvm_samples, match_and_vote_work_in_a_partial_warp) {
    enum { N = 40 };
    ptxvm_module *module = ptx_sample("compact");
    uint32_t in[N], out[N], expected[N] = {0};
    for (uint32_t i = 0; i < N; i++) {
        in[i] = i < 32 ? i * i % 11 : i % 3;
    }
    for (uint32_t i = 0; i < N; i++) {
        for (uint32_t k = i & ~31u; k < (i | 31) + 1 && k < N; k++) {
            expected[i] += in[k] == in[i];
        }
        expected[i] += i >= 32 ? 100 : 0;
    }
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sample_launch l = {.options = ptxvm_default_options("same")};
        add_buffer(&l, in, sizeof in, true);
        add_buffer(&l, out, sizeof out, false);
        set_shape(&l, 1, N, seed);
        ptx_run(module, &l.options);
        cr_expect_arr_eq(out, expected, sizeof out);
    }
    ptxvm_free(module);
}

Test(ptxvm_samples, half_dot_rounds_like_f16) {
    enum { ROWS = 64, PAIRS = 9 };
    ptxvm_module *module = ptx_sample("half");
    uint16_t a[ROWS][PAIRS][2], b[PAIRS][2], rounded[ROWS];
    uint32_t out[ROWS];
    uint64_t state = 5;
    for (int i = 0; i < ROWS * PAIRS * 2; i++) {
        uint32_t r = next_random(&state);
        (&a[0][0][0])[i] = (uint16_t)(r % 0x3000 + 0x1000 + (r >> 16 & 0x8000));
    }
    for (int i = 0; i < PAIRS * 2; i++) {
        uint32_t r = next_random(&state);
        (&b[0][0])[i] = (uint16_t)(r % 0x3800 + (r >> 16 & 0x8000));
    }
    sample_launch l = {.options = ptxvm_default_options("half_dot")};
    add_buffer(&l, a, sizeof a, true);
    add_buffer(&l, b, sizeof b, true);
    add_buffer(&l, out, sizeof out, false);
    add_buffer(&l, rounded, sizeof rounded, false);
    add_word(&l, PAIRS);
    set_shape(&l, 2, 32, 7);
    ptx_run(module, &l.options);
    for (int row = 0; row < ROWS; row++) {
        uint64_t sum[2] = {0, 0};
        for (int i = 0; i < PAIRS; i++) {
            for (int half = 0; half < 2; half++) {
                sum[half] = sf_fma(sf_f16, a[row][i][half], b[i][half], sum[half]);
            }
        }
        uint64_t total =
            sf_add(sf_f32, sf_convert(sf_f16, sf_f32, sum[0]), sf_convert(sf_f16, sf_f32, sum[1]));
        uint64_t tenth = sf_mul(sf_f32, total, 0x3DCCCCCD);
        cr_expect_eq(out[row], total, "row %d", row);
        cr_expect_eq(rounded[row], sf_convert(sf_f32, sf_f16, tenth), "row %d", row);
    }
    ptxvm_free(module);
}

static uint64_t high_product(uint64_t x, uint64_t y) {
    uint64_t low = 0, high = 0;
    for (int i = 63; i >= 0; i--) {
        high = high << 1 | low >> 63;
        low <<= 1;
        if (x >> i & 1) {
            low += y;
            high += low < y;
        }
    }
    return high;
}

static uint64_t reversed(uint64_t x) {
    uint64_t result = 0;
    for (int i = 0; i < 64; i++) {
        result = result << 1 | (x >> i & 1);
    }
    return result;
}

static uint64_t ones(uint64_t x) {
    return x ? (x & 1) + ones(x >> 1) : 0;
}

static uint64_t bits_of_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The same formulas as in wide.cu, in plain C. */
static void wide_expected(uint64_t x, int64_t y, uint64_t *o) {
    uint64_t u = (uint64_t)y, square = x * x, low = square + u;
    int n = (int)(u & 63), zeros = 0;
    while (zeros < 64 && !(u >> (63 - zeros) & 1)) {
        zeros++;
    }
    o[0] = x * u;
    o[1] = high_product(x, u);
    o[2] = y ? x / u : 7;
    o[3] = y ? (y == -1 ? 0 : (uint64_t)((int64_t)x % y)) : 9;
    o[4] = x << n | x >> ((64 - n) & 63);
    o[5] = (u >> 7 | (y < 0 ? ~(~UINT64_C(0) >> 7) : 0)) + ones(x) + (uint64_t)zeros + reversed(x);
    o[6] = (high_product(x, x) + (low < u)) ^ low;
    o[7] = bits_of_double((double)y + 0.5);
    o[8] = (uint64_t)(int64_t)(int8_t)(uint8_t)x + (uint16_t)(x >> 8);
    o[9] = (uint64_t)(int64_t)((double)x / 3.0) - (uint64_t)(y < 3 ? y : 3);
}

Test(ptxvm_samples, wide_computes_64_bit_integers_and_doubles) {
    enum { N = 64 };
    ptxvm_module *module = ptx_sample("wide");
    uint64_t a[N], out[N][10], expected[N][10];
    int64_t b[N];
    uint64_t state = 6;
    for (int i = 0; i < N; i++) {
        a[i] = (uint64_t)next_random(&state) << 32 | next_random(&state);
        b[i] = (int64_t)((uint64_t)next_random(&state) << 32 | next_random(&state));
        b[i] = i % 7 == 0 ? 0 : i % 7 == 1 ? i - 20 : i % 7 == 2 ? b[i] / 4294967296 : b[i];
        wide_expected(a[i], b[i], expected[i]);
    }
    sample_launch l = {.options = ptxvm_default_options("wide")};
    add_buffer(&l, a, sizeof a, true);
    add_buffer(&l, b, sizeof b, true);
    add_buffer(&l, out, sizeof out, false);
    set_shape(&l, 1, N, 3);
    ptx_run(module, &l.options);
    for (int i = 0; i < N * 10; i++) {
        cr_expect_eq((&out[0][0])[i], (&expected[0][0])[i], "value %d of thread %d", i % 10,
                     i / 10);
    }
    ptxvm_free(module);
}

static int twist_a(int b, int by) {
    return b + by;
}

static int pick_expected(int which, int x) {
    switch (which) {
    case 0: return x + 1;
    case 1: return x * 3;
    case 2: return x - 7;
    case 3: return x ^ 0x55;
    case 4: return -x;
    case 5: return x * 4;
    case 6: return x / 3;
    default: return x - 5;
    }
}

Test(ptxvm_samples, device_functions_return_their_results) {
    enum { N = 75 };
    static const int table[8] = {3, -1, 4, 1, -5, 9, 2, 6};
    ptxvm_module *module = ptx_sample("calls");
    int in[N], out[N + 1];
    uint64_t state = 8;
    for (int i = 0; i < N; i++) {
        in[i] = (int)(next_random(&state) % 2001) - 1000;
    }
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sample_launch l = {.options = ptxvm_default_options("calls")};
        out[N] = 12345;
        add_buffer(&l, in, sizeof in, true);
        add_buffer(&l, out, sizeof out, false);
        add_word(&l, N);
        set_shape(&l, 3, 32, seed);
        ptx_run(module, &l.options);
        for (int i = 0; i < N; i++) {
            // stack[(k + in) & 15] = in[(i + k) % n], read back at in & 15: that is k = 0.
            int expected =
                pick_expected(i % 9, twist_a(table[i & 7], i)) + (in[i] - i) + in[i] + 1000;
            cr_expect_eq(out[i], expected, "thread %d", i);
        }
        cr_expect_eq(out[N], 12345);
    }
    ptxvm_free(module);
}

/* CUDA documents sinf, expf and pow as accurate to 2 units in the last place. */
Test(ptxvm_samples, cudas_math_library_is_accurate) {
    enum { N = 60 };
    ptxvm_module *module = ptx_sample("math");
    float x[N], f[N][3];
    double d[N][3];
    for (int i = 0; i < N; i++) {
        x[i] = ldexpf((float)(i * 37 % 61 + 1) / 61.0f, i - 20) * (i % 2 ? -1.0f : 1.0f);
    }
    sample_launch l = {.options = ptxvm_default_options("math")};
    add_buffer(&l, x, sizeof x, true);
    add_buffer(&l, f, sizeof f, false);
    add_buffer(&l, d, sizeof d, false);
    add_word(&l, N);
    set_shape(&l, 2, 32, 5);
    ptx_run(module, &l.options);
    for (int i = 0; i < N; i++) {
        double v = (double)x[i], a = fabs(v);
        double scaled = (double)(x[i] * 1e-3f);
        cr_expect(fabs((double)f[i][0] - sin(v)) <= 2.5e-7 * fabs(sin(v)), "sin %g", v);
        cr_expect(isinf(f[i][1])
                      ? scaled > 88.7
                      : fabs((double)f[i][1] - exp(scaled)) <= 2.5e-7 * exp(scaled) + 1.5e-45,
                  "exp %g", scaled);
        cr_expect_eq(f[i][2], fmodf(x[i], 0.3f), "fmod %g", v);
        cr_expect(fabs(d[i][0] - log(a + 1e-3)) <= 1e-15 * fabs(log(a + 1e-3)), "log %g", v);
        cr_expect(fabs(d[i][1] - pow(a, 0.37)) <= 1e-15 * pow(a, 0.37), "pow %g", v);
        cr_expect_eq(d[i][2], sqrt(a) / 7.0, "sqrt %g", v);
    }
    ptxvm_free(module);
}

/* A module variable is reinitialised at each launch; the same seed yields the same run. */
Test(ptxvm_samples, runs_repeat) {
    static const char text[] =
        PTX_HEADER ".global .u32 counter = 5;\n"
                   ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS "ld.param.u64 %rd9, [out];\n"
                   "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\nadd.u64 %rd1, %rd1, %rd9;\n"
                   "atom.global.add.u32 %r2, [counter], 1;\nst.global.u32 [%rd1], %r2;\nret;\n}\n";
    uint32_t first[64], second[64], other[64];
    ptxvm_error error;
    cr_assert_eq(ptx_try(text, 64, PTXVM_ALL_CHECKS, 11, first, sizeof first, &error), PTXVM_OK);
    cr_assert_eq(ptx_try(text, 64, PTXVM_ALL_CHECKS, 11, second, sizeof second, &error), PTXVM_OK);
    cr_assert_eq(ptx_try(text, 64, PTXVM_ALL_CHECKS, 12, other, sizeof other, &error), PTXVM_OK);
    cr_expect_arr_eq(first, second, sizeof first);
    cr_expect(memcmp(first, other, sizeof first) != 0, "another seed must give another order");
    qsort(first, 64, sizeof *first, compare_words);
    for (uint32_t i = 0; i < 64; i++) {
        cr_expect_eq(first[i], i + 5);
    }
}

Test(ptxvm_samples, entries_are_listed) {
    ptxvm_module *module = ptx_sample("compact");
    cr_assert_eq(ptxvm_entry_count(module), 2);
    const ptxvm_entry *entry = ptxvm_find_entry(module, "compact");
    cr_assert_not_null(entry);
    cr_expect_eq(entry->param_count, 4);
    cr_expect_eq(entry->param_bytes, 28);
    cr_expect_eq(entry->params[3].offset, 24);
    cr_expect_eq(entry->params[3].size, 4);
    cr_expect_null(ptxvm_find_entry(module, "comp"));
    cr_expect_null(ptxvm_entry_at(module, 2));
    ptxvm_free(module);
    module = ptx_parse(PTX_HEADER
                       ".entry a(.param .u64 m, .param .align 8 .b8 s[12], .param .u32 n) "
                       ".reqntid 64, 2 .minnctapersm 2 { .shared .align 16 .b8 x[100]; ret; }\n"
                       ".entry b() .maxntid 32 { ret; }");
    entry = ptxvm_find_entry(module, "a");
    cr_expect_eq(entry->params[1].offset, 8);
    cr_expect_eq(entry->params[1].align, 8);
    cr_expect_eq(entry->params[2].offset, 20);
    cr_expect_eq(entry->param_bytes, 24);
    cr_expect_eq(entry->reqntid[0], 64);
    cr_expect_eq(entry->reqntid[1], 2);
    cr_expect_eq(entry->reqntid[2], 1);
    cr_expect_eq(entry->static_shared_bytes, 100);
    cr_expect_eq(ptxvm_find_entry(module, "b")->maxntid[0], 32);
    ptxvm_free(module);
}
