// WAVE kernels for SYCL on a CPU, 32 lanes to a wave, compiled from loop_beside_halt.wave
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

// beside
//   mem: the arena, which device addresses are offsets into
//   args: the first 5 registers
//   workgroup: any size up to 1024 threads
//   launch: local range {z, y, x} of the workgroup, global range that times the grid
struct beside_args {
    uint32_t r[5];
};

static inline void beside_body(uint8_t *mem, const beside_args &args, const sycl::nd_item<3> &item) {
    const uint32_t thread_x = (uint32_t)item.get_local_id(2);
    uint32_t u0;
    if (thread_x < args.r[1]) {
        if (thread_x < args.r[2]) {
            if (thread_x < args.r[3]) return;
            *(mem_u32 *)(mem + args.r[1]) = thread_x;
        }
        uint32_t u1 = sycl::max(args.r[3], 3u) - 3u;
        u0 = 0u;
        while (u0 < u1) {
            *(mem_u32 *)(mem + args.r[0]) = u0;
            *(mem_u32 *)(mem + args.r[0]) = u0 + 1u;
            *(mem_u32 *)(mem + args.r[0]) = u0 + 2u;
            *(mem_u32 *)(mem + args.r[0]) = u0 + 3u;
            u0 += 4u;
        }
        while (u0 < args.r[3]) {
            *(mem_u32 *)(mem + args.r[0]) = u0;
            u0 += 1u;
        }
    } else {
        uint32_t u2 = sycl::max(args.r[4], 3u) - 3u;
        uint32_t u3 = 0u;
        while (wave_forever()) {
            if (u3 >= u2) break;
            *(mem_u32 *)(mem + args.r[0]) = 1u;
            *(mem_u32 *)(mem + args.r[0]) = 1u;
            *(mem_u32 *)(mem + args.r[0]) = 1u;
            *(mem_u32 *)(mem + args.r[0]) = 1u;
            u3 += 4u;
        }
        while (wave_forever()) {
            if (u3 >= args.r[4]) break;
            *(mem_u32 *)(mem + args.r[0]) = 1u;
            u3 += 1u;
        }
        u0 = u3;
    }
    if (thread_x < args.r[4]) {
        uint32_t u4 = sycl::max(args.r[2], 3u) - 3u;
        while (u0 < u4) {
            *(mem_u32 *)(mem + args.r[0]) = thread_x;
            *(mem_u32 *)(mem + args.r[0]) = thread_x;
            *(mem_u32 *)(mem + args.r[0]) = thread_x;
            *(mem_u32 *)(mem + args.r[0]) = thread_x;
            u0 += 4u;
        }
        while (u0 < args.r[2]) {
            *(mem_u32 *)(mem + args.r[0]) = thread_x;
            u0 += 1u;
        }
    } else {
        *(mem_u32 *)(mem + args.r[1]) = 1u;
        return;
    }
    *(mem_u32 *)(mem + args.r[0]) = u0;
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void beside_kernel(uint8_t *mem, beside_args args) {
    beside_body(mem, args, sycl::ext::oneapi::this_work_item::get_nd_item<3>());
}

#ifndef WAVE_SYCL_RTC
struct beside_launch {
    uint8_t *mem;
    beside_args args;
    void operator()(sycl::nd_item<3> item) const {
        beside_body(mem, args, item);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event beside(sycl::queue &queue, uint8_t *mem, beside_args args, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(group[2], group[1], group[0]);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             beside_launch{mem, args});
    });
}
#endif
