// WAVE kernels for SYCL on a GPU, 32 lanes to a wave, compiled from floats.wave
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
typedef float __attribute__((vector_size(16))) mem_f32x4 __attribute__((may_alias));

// The number when one is NaN; -0 is less than +0.
static inline float wave_fmin(float a, float b) {
    float least = a < b || b != b ? a : b;
    return a == b ? sycl::bit_cast<float>(sycl::bit_cast<uint32_t>(a) | sycl::bit_cast<uint32_t>(b)) : least;
}

// Into [0, 1]; NaN and -0 give +0.
static inline float wave_fsat(float x) {
    float low = x > 0.0f ? x : 0.0f;
    return low > 1.0f ? 1.0f : low;
}

// x - floor(x), but never 1.
static inline float wave_ffract(float x) {
    float rest = x - sycl::floor(x);
    return rest >= 1.0f ? 0.99999994f : rest;
}

// Towards zero; too large becomes the nearest integer there is, NaN 0.
static inline uint32_t wave_cvt_i32(float x) {
    if (x >= 2147483648.0f)
        return 0x7FFFFFFFu;
    if (x >= -2147483648.0f)
        return (uint32_t)(int32_t)x;
    return x < 0.0f ? 0x80000000u : 0u;
}

// floats
//   mem: the arena, which device addresses are offsets into
//   args: the first 4 registers
//   workgroup: any size up to 1024 threads
//   launch: local range {z, y, x} of the workgroup, global range that times the grid
struct floats_args {
    uint32_t r[4];
};

static inline void floats_body(uint8_t *mem, const floats_args &args) {
    float f0 = sycl::bit_cast<float>(args.r[1]);
    float f1 = sycl::bit_cast<float>(args.r[2]);
    float f2 = sycl::bit_cast<float>(args.r[3]);
    float f3 = f0 * f1 + f2;
    float f4 = sycl::fma(f0, f1, f2);
    float f5 = f3 / f4;
    float f6 = 1.0f / sycl::sqrt(f5);
    *(mem_f32x4 *)(mem + args.r[0]) = mem_f32x4{f3, f4, f5, f6};
    float f7 = sycl::fabs(f0) - f1;
    float f8 = wave_ffract(f7);
    *(mem_f32x4 *)(mem + (args.r[0] + 16u)) = mem_f32x4{-f6, f7, f8, wave_fsat(f8)};
    float f9 = wave_fmin(f0, f1);
    uint32_t u0 = wave_cvt_i32(f9);
    *(mem_u32x4 *)(mem + (args.r[0] + 32u)) = mem_u32x4{sycl::bit_cast<uint32_t>(sycl::rint(f0)),
        sycl::bit_cast<uint32_t>(f9), u0, sycl::bit_cast<uint32_t>((float)u0)};
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void floats_kernel(uint8_t *mem, floats_args args) {
    floats_body(mem, args);
}

#ifndef WAVE_SYCL_RTC
struct floats_launch {
    uint8_t *mem;
    floats_args args;
    void operator()(sycl::nd_item<3>) const {
        floats_body(mem, args);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event floats(sycl::queue &queue, uint8_t *mem, floats_args args, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(group[2], group[1], group[0]);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             floats_launch{mem, args});
    });
}
#endif
