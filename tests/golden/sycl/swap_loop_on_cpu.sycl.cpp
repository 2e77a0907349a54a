// WAVE kernels for SYCL on a CPU, 32 lanes to a wave, compiled from swap_loop_on_cpu.wave
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
typedef uint32_t __attribute__((vector_size(8))) mem_u32x2 __attribute__((may_alias));

// Always true, but opaque to the compiler: Intel's CPU device loses threads next to a
// loop without an exit, even if nothing reaches the loop, and may assume that a result
// of a loop is the same in all threads.
static inline bool wave_forever() {
    volatile bool yes = true;
    return yes;
}

// x, but opaque to the compiler: Intel's CPU compiler crashes on loops that rotate values
// that are initially the same in all threads.
template <typename word, typename value> static inline value wave_hidden(value x) {
    volatile word bits = sycl::bit_cast<word>(x);
    word same = bits;
    return sycl::bit_cast<value>(same);
}

// swap_loop
//   mem: the arena, which device addresses are offsets into
//   args: the first 4 registers
//   workgroup: any size up to 1024 threads
//   launch: local range {z, y, x} of the workgroup, global range that times the grid
struct swap_loop_args {
    uint32_t r[4];
};

static inline void swap_loop_body(uint8_t *mem, const swap_loop_args &args) {
    uint32_t u0 = args.r[1];
    uint32_t u1 = args.r[2];
    uint32_t u2 = 0u;
    u0 = wave_hidden<uint32_t>(u0);
    u1 = wave_hidden<uint32_t>(u1);
    while (wave_forever()) {
        if ((int32_t)u2 >= (int32_t)args.r[3]) break;
        u2 += 1u;
        uint32_t u3 = u0;
        u0 = u1;
        u1 = u3;
    }
    *(mem_u32x2 *)(mem + args.r[0]) = mem_u32x2{u0, u1};
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void swap_loop_kernel(uint8_t *mem, swap_loop_args args) {
    swap_loop_body(mem, args);
}

#ifndef WAVE_SYCL_RTC
struct swap_loop_launch {
    uint8_t *mem;
    swap_loop_args args;
    void operator()(sycl::nd_item<3>) const {
        swap_loop_body(mem, args);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event swap_loop(sycl::queue &queue, uint8_t *mem, swap_loop_args args, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(group[2], group[1], group[0]);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             swap_loop_launch{mem, args});
    });
}
#endif
