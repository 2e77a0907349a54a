// WAVE kernels for SYCL on a CPU, 16 lanes to a wave, compiled from loop_left_by_a_vote.wave
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

// vote
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: any size up to 1024 threads
//   size_x, size_y: of the workgroup, which is launched as one row
//   launch: global range {grid.z, grid.y, grid.x * threads}, local range {1, 1, threads}
struct vote_args {
    uint32_t r[3];
};

static inline void vote_body(uint8_t *mem, const vote_args &args, const sycl::nd_item<3> &item) {
    const sycl::sub_group wave = item.get_sub_group();
    const uint32_t lane = wave.get_local_linear_id();
    uint32_t u0 = lane;
    while (wave_forever()) {
        u0 += 1u;
        bool b0 = sycl::any_of_group(wave, u0 < args.r[1]);
        if (!b0) break;
    }
    uint32_t u1 = sycl::max(args.r[2], 1u) - 1u;
    uint32_t u2 = 0u;
    while (u2 < u1) {
        uint32_t u3 = u2 + 1u;
        bool b1 = sycl::any_of_group(wave, u0 < u3);
        uint32_t u4 = b1 ? u0 + u3 : u0;
        u2 += 2u;
        bool b2 = sycl::any_of_group(wave, u4 < u2);
        u0 = b2 ? u4 + u2 : u4;
    }
    while (u2 < args.r[2]) {
        u2 += 1u;
        bool b3 = sycl::any_of_group(wave, u0 < u2);
        u0 = b3 ? u0 + u2 : u0;
    }
    *(mem_u32 *)(mem + args.r[0]) = u0;
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<16>))
void vote_kernel(uint8_t *mem, vote_args args, uint32_t, uint32_t) {
    vote_body(mem, args, sycl::ext::oneapi::this_work_item::get_nd_item<3>());
}

#ifndef WAVE_SYCL_RTC
struct vote_launch {
    uint8_t *mem;
    vote_args args;
    void operator()(sycl::nd_item<3> item) const {
        vote_body(mem, args, item);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<16>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event vote(sycl::queue &queue, uint8_t *mem, vote_args args, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(1, 1, group.size());
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             vote_launch{mem, args});
    });
}
#endif
