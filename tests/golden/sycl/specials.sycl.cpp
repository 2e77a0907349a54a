// WAVE kernels for SYCL on a GPU, 32 lanes to a wave, compiled from specials.wave
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

// specials
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   workgroup: any size up to 1024 threads
//   launch: local range {z, y, x} of the workgroup, global range that times the grid
struct specials_args {
    uint32_t r[2];
};

static inline void specials_body(uint8_t *mem, const specials_args &args, const sycl::nd_item<3> &item) {
    const uint32_t thread = (uint32_t)item.get_local_linear_id();
    const uint32_t lane = thread % 32u;
    const uint32_t wave_id = thread / 32u;
    const uint32_t size_x = (uint32_t)item.get_local_range(2);
    const uint32_t thread_y = (uint32_t)item.get_local_id(1);
    const uint32_t wave_count = ((uint32_t)item.get_local_range().size() + 31u) / 32u;
    const uint32_t group_z = (uint32_t)item.get_group(0);
    const uint32_t grid_y = (uint32_t)item.get_group_range(1);
    *(mem_u32x4 *)(mem + args.r[0]) = mem_u32x4{thread_y, group_z, size_x, grid_y};
    uint32_t u0 = args.r[0] + 16u;
    *(mem_u32x4 *)(mem + u0) = mem_u32x4{wave_id, wave_count, 32u, lane};
    float f0 = sycl::bit_cast<float>(args.r[1]);
    *(mem_u32x4 *)(mem + u0) = mem_u32x4{sycl::bit_cast<uint32_t>(sycl::native::sin(f0)),
        sycl::bit_cast<uint32_t>(sycl::native::exp2(f0)),
        sycl::bit_cast<uint32_t>(f0 + sycl::bit_cast<float>(0x7F800000u)), sycl::bit_cast<uint32_t>(f0 * 0.1f)};
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void specials_kernel(uint8_t *mem, specials_args args) {
    specials_body(mem, args, sycl::ext::oneapi::this_work_item::get_nd_item<3>());
}

#ifndef WAVE_SYCL_RTC
struct specials_launch {
    uint8_t *mem;
    specials_args args;
    void operator()(sycl::nd_item<3> item) const {
        specials_body(mem, args, item);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event specials(sycl::queue &queue, uint8_t *mem, specials_args args, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(group[2], group[1], group[0]);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             specials_launch{mem, args});
    });
}
#endif
