// WAVE kernels for SYCL on a GPU, 64 lanes to a wave, compiled from shuffles.wave
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
typedef uint32_t __attribute__((vector_size(16))) mem_u32x4 __attribute__((may_alias));

// x of another lane; 0 when there is none of that number.
static inline uint32_t wave_shuffle(sycl::sub_group wave, uint32_t x, uint32_t lane) {
    bool exists = lane < wave.get_local_linear_range();
    uint32_t y = sycl::select_from_group(wave, x, exists ? lane : 0u);
    return exists ? y : 0u;
}

// One bit for each of the lanes 0 to 31.
static inline uint32_t wave_ballot(sycl::sub_group wave, bool vote) {
    uint32_t lane = wave.get_local_linear_id();
    uint32_t bit = vote && lane < 32u ? 1u << (lane & 31u) : 0u;
    return sycl::reduce_over_group(wave, bit, sycl::bit_or<uint32_t>());
}

// shuffles
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   workgroup: any size up to 1024 threads
//   size_x, size_y: of the workgroup, which is launched as one row
//   launch: global range {grid.z, grid.y, grid.x * threads}, local range {1, 1, threads}
struct shuffles_args {
    uint32_t r[2];
};

static inline void shuffles_body(uint8_t *mem, const shuffles_args &args, const sycl::nd_item<3> &item) {
    const sycl::sub_group wave = item.get_sub_group();
    const uint32_t lane = wave.get_local_linear_id();
    const uint32_t wave_id = wave.get_group_linear_id();
    uint32_t u0 = wave_shuffle(wave, args.r[1], lane);
    uint32_t u1 = wave_shuffle(wave, args.r[1], wave_id <= lane ? lane - wave_id : 64u);
    uint32_t u2 = wave_shuffle(wave, u0, lane + 1u);
    uint32_t u3 = wave_shuffle(wave, u1, lane ^ 1u);
    *(mem_u32x4 *)(mem + args.r[0]) = mem_u32x4{u0, u1, u2, u3};
    uint32_t u4 = wave_ballot(wave, lane < args.r[1]);
    uint32_t u5 = sycl::exclusive_scan_over_group(wave, args.r[1], sycl::plus<uint32_t>());
    uint32_t u6 = sycl::reduce_over_group(wave, args.r[1], sycl::minimum<uint32_t>());
    uint32_t u7 = wave_shuffle(wave, args.r[1], wave_id);
    *(mem_u32x4 *)(mem + (args.r[0] + 16u)) = mem_u32x4{u4, u5, u6, u7};
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<64>))
void shuffles_kernel(uint8_t *mem, shuffles_args args, uint32_t, uint32_t) {
    shuffles_body(mem, args, sycl::ext::oneapi::this_work_item::get_nd_item<3>());
}

#ifndef WAVE_SYCL_RTC
struct shuffles_launch {
    uint8_t *mem;
    shuffles_args args;
    void operator()(sycl::nd_item<3> item) const {
        shuffles_body(mem, args, item);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<64>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event shuffles(sycl::queue &queue, uint8_t *mem, shuffles_args args, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(1, 1, group.size());
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             shuffles_launch{mem, args});
    });
}
#endif
