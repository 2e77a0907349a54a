// WAVE kernels for SYCL on a GPU, 32 lanes to a wave, compiled from debug.wave
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

// Notes the number of an assert that failed, unless another was first.
static inline void wave_fail(uint32_t *status, uint32_t number) {
    uint32_t none = 0;
    if (sycl::atomic_ref<uint32_t, sycl::memory_order::relaxed, sycl::memory_scope::device>(*status)
            .compare_exchange_strong(none, 1u))
        status[1] = number;
}
#line 5 "debug.wave"

// debug
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: any size up to 1024 threads
//   status: two words, 0; after the first assert that fails 1 and its number
//   launch: local range {z, y, x} of the workgroup, global range that times the grid
#line 5 "debug.wave"
struct debug_args {
#line 5 "debug.wave"
    uint32_t r[3];
#line 5 "debug.wave"
};

#line 5 "debug.wave"
static inline void debug_body(uint8_t *mem, const debug_args &args, uint32_t *status) {

    // assert p1, 7
#line 6 "debug.wave"
    if ((int32_t)args.r[1] <= (int32_t)args.r[2]) {
#line 6 "debug.wave"
        wave_fail(status, 7u);
#line 6 "debug.wave"
        return;
#line 6 "debug.wave"
    }

    // device_store_u32 r0, r3
#line 8 "debug.wave"
    *(mem_u32 *)(mem + args.r[0]) = args.r[1] + args.r[2];
#line 8 "debug.wave"
}

#line 8 "debug.wave"
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
#line 8 "debug.wave"
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
#line 8 "debug.wave"
void debug_kernel(uint8_t *mem, debug_args args, uint32_t *status) {
#line 8 "debug.wave"
    debug_body(mem, args, status);
#line 8 "debug.wave"
}

#ifndef WAVE_SYCL_RTC
#line 8 "debug.wave"
struct debug_launch {
#line 8 "debug.wave"
    uint8_t *mem;
#line 8 "debug.wave"
    debug_args args;
#line 8 "debug.wave"
    uint32_t *status;
#line 8 "debug.wave"
    void operator()(sycl::nd_item<3>) const {
#line 8 "debug.wave"
        debug_body(mem, args, status);
#line 8 "debug.wave"
    }
#line 8 "debug.wave"
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
#line 8 "debug.wave"
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
#line 8 "debug.wave"
    }
#line 8 "debug.wave"
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
#line 8 "debug.wave"
sycl::event debug(sycl::queue &queue, uint8_t *mem, debug_args args, uint32_t *status, sycl::range<3> grid,
#line 8 "debug.wave"
    sycl::range<3> group) {
#line 8 "debug.wave"
    const sycl::range<3> local_range(group[2], group[1], group[0]);
#line 8 "debug.wave"
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
#line 8 "debug.wave"
    return queue.submit([&](sycl::handler &handler) {
#line 8 "debug.wave"
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
#line 8 "debug.wave"
                             debug_launch{mem, args, status});
#line 8 "debug.wave"
    });
#line 8 "debug.wave"
}
#endif
