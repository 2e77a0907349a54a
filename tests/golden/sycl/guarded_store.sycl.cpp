// WAVE kernels for SYCL on a GPU, 32 lanes to a wave, compiled from guarded_store.wave
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

// guarded_store
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   workgroup: 128 x 1 x 1 threads
//   launch: local range {z, y, x} of the workgroup, global range that times the grid
struct guarded_store_args {
    uint32_t r[2];
};

static inline void guarded_store_body(uint8_t *mem, const guarded_store_args &args, const sycl::nd_item<3> &item) {
    const uint32_t thread_x = (uint32_t)item.get_local_id(2);
    const uint32_t group_x = (uint32_t)item.get_group(2);
    uint32_t u0 = (group_x << 7) + thread_x;
    uint32_t u1 = args.r[0] + (u0 << 2);
    if (u0 < args.r[1]) {
        *(mem_u32 *)(mem + u1) = u0;
    }
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void guarded_store_kernel(uint8_t *mem, guarded_store_args args) {
    guarded_store_body(mem, args, sycl::ext::oneapi::this_work_item::get_nd_item<3>());
}

#ifndef WAVE_SYCL_RTC
struct guarded_store_launch {
    uint8_t *mem;
    guarded_store_args args;
    void operator()(sycl::nd_item<3> item) const {
        guarded_store_body(mem, args, item);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event guarded_store(sycl::queue &queue, uint8_t *mem, guarded_store_args args, sycl::range<3> grid,
    sycl::range<3>) {
    const sycl::range<3> local_range(1, 1, 128);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             guarded_store_launch{mem, args});
    });
}
#endif
