// WAVE kernels for SYCL on a GPU, 32 lanes to a wave, compiled from loop_sum.wave
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
typedef float mem_f32 __attribute__((may_alias));

// loop_sum
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: 32 x 1 x 1 threads
//   launch: local range {z, y, x} of the workgroup, global range that times the grid
struct loop_sum_args {
    uint32_t r[3];
};

static inline void loop_sum_body(uint8_t *mem, const loop_sum_args &args) {
    uint32_t u0 = sycl::max(args.r[2], 7u) - 7u;
    uint32_t u1 = args.r[0];
    uint32_t u2 = 0u;
    float f0 = 0.0f;
    while (u2 < u0) {
        float f1 = *(mem_f32 *)(mem + u1);
        float f2 = *(mem_f32 *)(mem + (u1 + 4u));
        float f3 = *(mem_f32 *)(mem + (u1 + 8u));
        float f4 = *(mem_f32 *)(mem + (u1 + 12u));
        float f5 = *(mem_f32 *)(mem + (u1 + 16u));
        float f6 = *(mem_f32 *)(mem + (u1 + 20u));
        float f7 = f0 + f1 + f2 + f3 + f4 + f5 + f6;
        float f8 = *(mem_f32 *)(mem + (u1 + 24u));
        float f9 = *(mem_f32 *)(mem + (u1 + 28u));
        f0 = f7 + f8 + f9;
        u1 += 32u;
        u2 += 8u;
    }
    while (u2 < args.r[2]) {
        float f10 = *(mem_f32 *)(mem + u1);
        f0 += f10;
        u1 += 4u;
        u2 += 1u;
    }
    *(mem_f32 *)(mem + args.r[1]) = f0;
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void loop_sum_kernel(uint8_t *mem, loop_sum_args args) {
    loop_sum_body(mem, args);
}

#ifndef WAVE_SYCL_RTC
struct loop_sum_launch {
    uint8_t *mem;
    loop_sum_args args;
    void operator()(sycl::nd_item<3>) const {
        loop_sum_body(mem, args);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event loop_sum(sycl::queue &queue, uint8_t *mem, loop_sum_args args, sycl::range<3> grid,
    sycl::range<3>) {
    const sycl::range<3> local_range(1, 1, 32);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             loop_sum_launch{mem, args});
    });
}
#endif
