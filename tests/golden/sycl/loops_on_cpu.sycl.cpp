// WAVE kernels for SYCL on a CPU, 32 lanes to a wave, compiled from loops_on_cpu.wave
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

// loops
//   mem: the arena, which device addresses are offsets into
//   args: the first 5 registers
//   workgroup: any size up to 1024 threads
//   launch: local range {z, y, x} of the workgroup, global range that times the grid
struct loops_args {
    uint32_t r[5];
};

static inline void loops_body(uint8_t *mem, const loops_args &args) {
    uint32_t u0 = args.r[1] * 3u;
    uint32_t u1 = args.r[1] < 0x08000000u ? sycl::max(args.r[2], u0) - u0 : 0u;
    uint32_t u2 = args.r[1] << 2;
    uint32_t u3 = 1u;
    while (true) {
        uint32_t u4 = u3 + args.r[1];
        if (u4 >= u1) break;
        *(mem_u32 *)(mem + args.r[0]) = u3;
        *(mem_u32 *)(mem + args.r[1]) = u4;
        *(mem_u32 *)(mem + args.r[0]) = u4;
        uint32_t u5 = u4 + args.r[1];
        *(mem_u32 *)(mem + args.r[1]) = u5;
        *(mem_u32 *)(mem + args.r[0]) = u5;
        uint32_t u6 = u5 + args.r[1];
        *(mem_u32 *)(mem + args.r[1]) = u6;
        *(mem_u32 *)(mem + args.r[0]) = u6;
        *(mem_u32 *)(mem + args.r[1]) = u6 + args.r[1];
        u3 += u2;
    }
    while (true) {
        *(mem_u32 *)(mem + args.r[0]) = u3;
        u3 += args.r[1];
        if (u3 > args.r[2]) break;
        *(mem_u32 *)(mem + args.r[1]) = u3;
    }
    while (true) {
        *(mem_u32 *)(mem + args.r[0]) = u3;
        u3 += args.r[1];
        if (u3 < args.r[3] && u3 < args.r[4]) break;
    }
    if (u3 < args.r[3]) {
        uint32_t u7 = u3;
        while (true) {
            *(mem_u32 *)(mem + args.r[0]) = u7;
            u7 += args.r[1];
            if (u7 >= args.r[3]) return;
        }
    }
    while (wave_forever()) {
        *(mem_u32 *)(mem + args.r[0]) = u3;
        u3 += args.r[1];
    }
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void loops_kernel(uint8_t *mem, loops_args args) {
    loops_body(mem, args);
}

#ifndef WAVE_SYCL_RTC
struct loops_launch {
    uint8_t *mem;
    loops_args args;
    void operator()(sycl::nd_item<3>) const {
        loops_body(mem, args);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event loops(sycl::queue &queue, uint8_t *mem, loops_args args, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(group[2], group[1], group[0]);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             loops_launch{mem, args});
    });
}
#endif
