// WAVE kernels for SYCL on a GPU, 64 lanes to a wave, compiled from divergent_vote.wave
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

// One bit for each of the lanes 0 to 31.
static inline uint32_t wave_ballot(sycl::sub_group wave, bool vote) {
    uint32_t lane = wave.get_local_linear_id();
    uint32_t bit = vote && lane < 32u ? 1u << (lane & 31u) : 0u;
    return sycl::reduce_over_group(wave, bit, sycl::bit_or<uint32_t>());
}

// divergent_vote
//   mem: the arena, which device addresses are offsets into
//   args: the first register
//   workgroup: 64 x 1 x 1 threads
//   launch: global range {grid.z, grid.y, grid.x * threads}, local range {1, 1, threads}
struct divergent_vote_args {
    uint32_t r[1];
};

static inline void divergent_vote_body(uint8_t *mem, const divergent_vote_args &args, const sycl::nd_item<3> &item) {
    const sycl::sub_group wave = item.get_sub_group();
    const uint32_t lane = wave.get_local_linear_id();
    bool b0 = lane < 8u;
    bool b1 = sycl::any_of_group(wave, b0);
    uint32_t u0;
    if (b1) {
        u0 = wave_ballot(wave, args.r[0] != lane && b0);
    } else {
        u0 = 0u;
    }
    *(mem_u32 *)(mem + (lane << 2)) = b0 ? u0 : 0u;
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<64>))
void divergent_vote_kernel(uint8_t *mem, divergent_vote_args args) {
    divergent_vote_body(mem, args, sycl::ext::oneapi::this_work_item::get_nd_item<3>());
}

#ifndef WAVE_SYCL_RTC
struct divergent_vote_launch {
    uint8_t *mem;
    divergent_vote_args args;
    void operator()(sycl::nd_item<3> item) const {
        divergent_vote_body(mem, args, item);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<64>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event divergent_vote(sycl::queue &queue, uint8_t *mem, divergent_vote_args args, sycl::range<3> grid,
    sycl::range<3>) {
    const sycl::range<3> local_range(1, 1, 64);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             divergent_vote_launch{mem, args});
    });
}
#endif
