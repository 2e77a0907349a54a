/* The timed launches: examples, with the least bytes and operations that each needs. */
#include "bench.h"

#include <string.h>

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The largest multiple of `unit` whose power does not exceed n, at least one unit. */
static uint32_t side_of(uint64_t n, unsigned power, uint32_t unit) {
    uint32_t side = unit;
    for (;;) {
        uint64_t next = side * 2, product = 1;
        for (unsigned k = 0; k < power; k++)
            product *= next;
        if (product > n)
            return side;
        side = (uint32_t)next;
    }
}

static bench_case product(const char *name, uint64_t n, uint32_t tile) {
    uint32_t side = side_of(16 * n, 3, 64);
    double s = side;
    uint64_t matrix = (uint64_t)side * side * 4;
    return (bench_case){.name = name,
                        .grid = {side / tile, side / tile, 1},
                        .buffers = {matrix, matrix, matrix},
                        .scalars = {side, side},
                        .scalar_count = 2,
                        .bytes = 3 * (double)matrix,
                        .flops = 2 * s * s * s};
}

/* f16 factors, f32 results, one bias per column. */
static bench_case half_product(const char *name, uint64_t n, bool native) {
    enum { TILE = 128 };
    uint32_t side = side_of(16 * n, 3, TILE);
    double s = side;
    uint64_t matrix = (uint64_t)side * side * 2;
    return (bench_case){.name = name,
                        .file = "gemm_mma",
                        .native = native,
                        .grid = {side / TILE, side / TILE, 1},
                        .buffers = {matrix, matrix, (uint64_t)side * 4, 2 * matrix},
                        .scalars = {side, side},
                        .scalar_count = 2,
                        .bytes = 4 * (double)matrix,
                        .flops = 2 * s * s * s};
}

static bench_case square(const char *name, uint64_t n, uint32_t tile, double flops,
                         unsigned scalars) {
    uint32_t side = side_of(n, 2, 32);
    double elements = (double)side * side;
    uint64_t size = (uint64_t)side * side * 4;
    return (bench_case){.name = name,
                        .grid = {side / tile, side / tile, 1},
                        .buffers = {size, size},
                        .scalars = {side, side, bits_of(0.25f)},
                        .scalar_count = scalars,
                        .bytes = 8 * elements,
                        .flops = flops * elements};
}

void bench_make_cases(uint64_t elements, bench_case cases[BENCH_CASES]) {
    uint32_t n = side_of(elements, 1, 4096), many = n / 1024 < 2048 ? n / 1024 : 2048;
    uint32_t bodies = side_of(elements, 2, 64), rows = n / 2048;
    double d = n, b = bodies;
    uint64_t size = (uint64_t)n * 4;
    const bench_case list[BENCH_CASES] = {
        {.name = "vector_add",
         .grid = {n / 64, 1, 1},
         .buffers = {size, size, size},
         .bytes = 12 * d},
        {.name = "saxpy",
         .grid = {n / 256, 1, 1},
         .buffers = {size, size},
         .scalars = {n, bits_of(1.5f)},
         .scalar_count = 2,
         .bytes = 12 * d},
        square("transpose", n, 32, 0, 2),
        square("stencil", n, 16, 0, 3),
        {.name = "block_reduction",
         .grid = {many, 1, 1},
         .buffers = {size, (uint64_t)many * 4, 4},
         .scalars = {n},
         .scalar_count = 1,
         .bytes = 4 * d},
        {.name = "histogram",
         .grid = {many, 1, 1},
         .buffers = {n, 1024},
         .scalars = {n},
         .scalar_count = 1,
         .bytes = d},
        {.name = "softmax",
         .grid = {rows, 1, 1},
         .buffers = {size, size},
         .scalars = {2048},
         .scalar_count = 1,
         .bytes = 8 * d},
        product("gemm_tiled", n, 16),
        product("gemm_register_blocked", n, 64),
        half_product("gemm_mma", n, false),
        half_product("gemm_mma_native", n, true),
        /* by convention, twenty operations per interaction */
        {.name = "nbody",
         .grid = {bodies / 64, 1, 1},
         .buffers = {16 * (uint64_t)bodies, 16 * (uint64_t)bodies},
         .scalars = {bodies, bits_of(0.01f)},
         .scalar_count = 2,
         .bytes = 32 * b,
         .flops = 20 * b * b},
    };
    memcpy(cases, list, sizeof list);
}
