// WAVE kernels for SYCL on a CPU, 32 lanes to a wave, compiled from loops_in_bounds.wave
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

// loops_in_bounds
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   mem_size: bytes in the arena; accesses past it do nothing
//   workgroup: any size up to 1024 threads
//   launch: local range {z, y, x} of the workgroup, global range that times the grid
struct loops_in_bounds_args {
    uint32_t r[2];
};

static inline void loops_in_bounds_body(uint8_t *mem, const loops_in_bounds_args &args, uint64_t mem_size) {
    uint32_t u0 = sycl::max(args.r[1], 12u) - 12u;
    uint32_t u1 = 0u;
    while (wave_forever()) {
        if (u1 >= u0) break;
        uint32_t u2 = args.r[0] + u1;
        if ((uint64_t)u2 + 4 <= mem_size) *(mem_u32 *)(mem + u2) = u1;
        uint32_t u3 = u2 + 4u;
        if ((uint64_t)u3 + 4 <= mem_size) *(mem_u32 *)(mem + u3) = u1 + 4u;
        uint32_t u4 = u2 + 8u;
        if ((uint64_t)u4 + 4 <= mem_size) *(mem_u32 *)(mem + u4) = u1 + 8u;
        uint32_t u5 = u2 + 12u;
        if ((uint64_t)u5 + 4 <= mem_size) *(mem_u32 *)(mem + u5) = u1 + 12u;
        u1 += 16u;
    }
    while (wave_forever()) {
        if (u1 >= args.r[1]) break;
        uint32_t u6 = args.r[0] + u1;
        if ((uint64_t)u6 + 4 <= mem_size) *(mem_u32 *)(mem + u6) = u1;
        u1 += 4u;
    }
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void loops_in_bounds_kernel(uint8_t *mem, loops_in_bounds_args args, uint64_t mem_size) {
    loops_in_bounds_body(mem, args, mem_size);
}

#ifndef WAVE_SYCL_RTC
struct loops_in_bounds_launch {
    uint8_t *mem;
    loops_in_bounds_args args;
    uint64_t mem_size;
    void operator()(sycl::nd_item<3>) const {
        loops_in_bounds_body(mem, args, mem_size);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event loops_in_bounds(sycl::queue &queue, uint8_t *mem, loops_in_bounds_args args, uint64_t mem_size, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(group[2], group[1], group[0]);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             loops_in_bounds_launch{mem, args, mem_size});
    });
}
#endif
