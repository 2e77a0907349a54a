// WAVE kernels for SYCL on a CPU, 32 lanes to a wave, compiled from loops_in_loops.wave
//
// Compile with icpx -fsycl -O3 -ffp-contract=off -fp-model=precise -fno-finite-loops
//   -foffload-fp32-prec-div -foffload-fp32-prec-sqrt -fsycl-targets=spir64_x86_64
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

// Always true, but opaque to the compiler: Intel's CPU device loses threads next to a
// loop without an exit, even if nothing reaches the loop, and may assume that a result
// of a loop is the same in all threads.
static inline bool wave_forever() {
    volatile bool yes = true;
    return yes;
}

// nested
//   mem: the arena, which device addresses are offsets into
//   args: the first 4 registers
//   workgroup: any size up to 1024 threads
//   launch: local range {z, y, x} of the workgroup, global range that times the grid
struct nested_args {
    uint32_t r[4];
};

static inline void nested_body(uint8_t *mem, const nested_args &args, const sycl::nd_item<3> &item) {
    const uint32_t thread = (uint32_t)item.get_local_linear_id();
    const uint32_t lane = thread % 32u;
    uint32_t u0 = sycl::max(lane, 3u) - 3u;
    uint32_t u1 = sycl::max(args.r[2], 3u) - 3u;
    uint32_t u2 = 0u;
    uint32_t u3 = 0u;
    while (wave_forever()) {
        if (u2 >= args.r[1]) break;
        u2 += 1u;
        uint32_t u4 = 0u;
        while (u4 < u0) {
            u4 += 4u;
            u3 = 1u;
        }
        while (u4 < lane) {
            u4 += 1u;
            u3 = 1u;
        }
        while (u4 < u1) {
            u4 += 4u;
        }
        while (u4 < args.r[2]) {
            u4 += 1u;
        }
    }
    uint32_t u5 = 0u;
    while (u5 < args.r[1]) {
        u5 += 1u;
        uint32_t u6 = 0u;
        while (u6 < u1) {
            *(mem_u32 *)(mem + args.r[3]) = u6 + 1u;
            *(mem_u32 *)(mem + args.r[3]) = u6 + 2u;
            *(mem_u32 *)(mem + args.r[3]) = u6 + 3u;
            u6 += 4u;
            *(mem_u32 *)(mem + args.r[3]) = u6;
        }
        while (u6 < args.r[2]) {
            u6 += 1u;
            *(mem_u32 *)(mem + args.r[3]) = u6;
        }
    }
    *(mem_u32 *)(mem + args.r[0]) = u3;
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void nested_kernel(uint8_t *mem, nested_args args) {
    nested_body(mem, args, sycl::ext::oneapi::this_work_item::get_nd_item<3>());
}

#ifndef WAVE_SYCL_RTC
struct nested_launch {
    uint8_t *mem;
    nested_args args;
    void operator()(sycl::nd_item<3> item) const {
        nested_body(mem, args, item);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event nested(sycl::queue &queue, uint8_t *mem, nested_args args, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(group[2], group[1], group[0]);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             nested_launch{mem, args});
    });
}
#endif
