// WAVE kernels for SYCL on a GPU, 32 lanes to a wave, compiled from if_else.wave
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
typedef uint32_t mem_u32 __attribute__((may_alias));

// if_else
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: any size up to 1024 threads
//   launch: local range {z, y, x} of the workgroup, global range that times the grid
struct if_else_args {
    uint32_t r[3];
};

static inline void if_else_body(uint8_t *mem, const if_else_args &args) {
    uint32_t u0 = (int32_t)args.r[1] < (int32_t)args.r[2] ? args.r[2] - args.r[1] : 0u - args.r[1] * args.r[2];
    *(mem_u32 *)(mem + args.r[0]) = sycl::bit_cast<float>(args.r[1]) >= sycl::bit_cast<float>(args.r[2]) ?
        u0 : u0 + args.r[1];
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void if_else_kernel(uint8_t *mem, if_else_args args) {
    if_else_body(mem, args);
}

#ifndef WAVE_SYCL_RTC
struct if_else_launch {
    uint8_t *mem;
    if_else_args args;
    void operator()(sycl::nd_item<3>) const {
        if_else_body(mem, args);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event if_else(sycl::queue &queue, uint8_t *mem, if_else_args args, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(group[2], group[1], group[0]);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             if_else_launch{mem, args});
    });
}
#endif
