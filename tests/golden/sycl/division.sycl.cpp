// WAVE kernels for SYCL on a GPU, 32 lanes to a wave, compiled from division.wave
//
// Compile with icpx -fsycl -O3 -ffp-contract=off -fp-model=precise -fno-finite-loops
//   -foffload-fp32-prec-div -foffload-fp32-prec-sqrt
// or at run time, with WAVE_SYCL_RTC defined and -ffp-contract=off -fno-fast-math -fno-finite-loops
//   -fno-discard-value-names.

#include <stdint.h>
#include <sycl/sycl.hpp>

#ifdef __clang__
// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)
#endif

// Memory is untyped: what these types refer to may overlap.
typedef uint32_t __attribute__((vector_size(16))) mem_u32x4 __attribute__((may_alias));

// Signed division: x / 0 is 0, and INT_MIN / -1 wraps.
static inline uint32_t wave_idiv(uint32_t a, uint32_t b) {
    if (b + 1u <= 1u) // 0 or -1
        return 0u - (a & b);
    return (uint32_t)((int32_t)a / (int32_t)b);
}

// Signed remainder: x % 0 is 0, and so is INT_MIN % -1.
static inline uint32_t wave_imod(uint32_t a, uint32_t b) {
    if (b + 1u <= 1u) // 0 or -1
        return 0u;
    return (uint32_t)((int32_t)a % (int32_t)b);
}

// x / 0 is 0.
static inline uint32_t wave_udiv(uint32_t a, uint32_t b) {
    return b ? a / b : 0u;
}

// x % 0 is 0.
static inline uint32_t wave_umod(uint32_t a, uint32_t b) {
    return b ? a % b : 0u;
}

// Leading zeros; all ones when there is no 1.
static inline uint32_t wave_bitfind(uint32_t a) {
    return a ? (uint32_t)sycl::clz(a) : 0xFFFFFFFFu;
}

// `width` bits of a from bit `at` on; both are taken modulo 32.
static inline uint32_t wave_bfe(uint32_t a, uint32_t at, uint32_t width) {
    return (a >> (at & 31u)) & ((1u << (width & 31u)) - 1u);
}

// a with `width` of its bits from bit `at` on replaced by those of b.
static inline uint32_t wave_bfi(uint32_t a, uint32_t b, uint32_t at, uint32_t width) {
    uint32_t mask = ((1u << (width & 31u)) - 1u) << (at & 31u);
    return (a & ~mask) | ((b << (at & 31u)) & mask);
}

// division
//   mem: the arena, which device addresses are offsets into
//   args: the first 4 registers
//   workgroup: any size up to 1024 threads
//   launch: local range {z, y, x} of the workgroup, global range that times the grid
struct division_args {
    uint32_t r[4];
};

static inline void division_body(uint8_t *mem, const division_args &args) {
    *(mem_u32x4 *)(mem + args.r[0]) = mem_u32x4{wave_idiv(args.r[1], args.r[2]),
        wave_imod(args.r[1], args.r[2]), wave_udiv(args.r[1], args.r[2]), wave_umod(args.r[1], args.r[2])};
    uint32_t u0 = args.r[0] + 16u;
    *(mem_u32x4 *)(mem + u0) = mem_u32x4{(uint32_t)((int32_t)args.r[1] / 7), args.r[1] % 7u,
        args.r[1] << (args.r[2] & 31u), (uint32_t)((int32_t)args.r[1] >> 7)};
    *(mem_u32x4 *)(mem + (u0 + 16u)) = mem_u32x4{wave_bfe(args.r[1], args.r[2], args.r[3]),
        wave_bfi(args.r[1], args.r[2], args.r[3], args.r[3]), wave_bitfind(args.r[1]), args.r[1] >> 16};
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void division_kernel(uint8_t *mem, division_args args) {
    division_body(mem, args);
}

#ifndef WAVE_SYCL_RTC
struct division_launch {
    uint8_t *mem;
    division_args args;
    void operator()(sycl::nd_item<3>) const {
        division_body(mem, args);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event division(sycl::queue &queue, uint8_t *mem, division_args args, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(group[2], group[1], group[0]);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             division_launch{mem, args});
    });
}
#endif
