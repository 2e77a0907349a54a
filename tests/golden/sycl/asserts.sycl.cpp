// WAVE kernels for SYCL on a GPU, 32 lanes to a wave, compiled from asserts.wave
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

// asserts
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   workgroup: 4 x 3 x 5 threads
//   status: two words, 0; after the first assert that fails 1 and its number
//   launch: global range {grid.z, grid.y, grid.x * threads}, local range {1, 1, threads}
struct asserts_args {
    uint32_t r[2];
};

static inline void asserts_body(uint8_t *mem, const asserts_args &args, uint32_t *status, const sycl::nd_item<3> &item) {
    const sycl::sub_group wave = item.get_sub_group();
    const uint32_t thread = wave.get_group_linear_id() * 32u + wave.get_local_linear_id();
    const uint32_t thread_x = thread % 4u;
    const uint32_t thread_y = thread / 4u % 3u;
    const uint32_t thread_z = thread / 12u;
    bool b0 = thread_x >= args.r[1];
    bool b1 = sycl::any_of_group(wave, b0);
    if (b1) {
        if (b0) {
            wave_fail(status, 41u);
        }
        b0 = false;
    }
    bool b2 = b0 || thread_x < args.r[1];
    uint32_t u0 = args.r[0] + (((thread_z << 2) + ((thread_y << 2) + thread_x)) << 2);
    uint32_t u1 = sycl::reduce_over_group(wave, b2 ? thread_x : 0u, sycl::plus<uint32_t>());
    if (b2) {
        *(mem_u32 *)(mem + u0) = u1;
    }
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void asserts_kernel(uint8_t *mem, asserts_args args, uint32_t *status) {
    asserts_body(mem, args, status, sycl::ext::oneapi::this_work_item::get_nd_item<3>());
}

#ifndef WAVE_SYCL_RTC
struct asserts_launch {
    uint8_t *mem;
    asserts_args args;
    uint32_t *status;
    void operator()(sycl::nd_item<3> item) const {
        asserts_body(mem, args, status, item);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event asserts(sycl::queue &queue, uint8_t *mem, asserts_args args, uint32_t *status, sycl::range<3> grid,
    sycl::range<3>) {
    const sycl::range<3> local_range(1, 1, 60);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             asserts_launch{mem, args, status});
    });
}
#endif
