// WAVE kernels for SYCL on a GPU, 32 lanes to a wave, compiled from local_tile.wave
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

// local_tile
//   mem: the arena, which device addresses are offsets into
//   args: the first register
//   workgroup: 16 x 16 x 1 threads
//   local memory: 1024 bytes
//   launch: global range {grid.z, grid.y, grid.x * threads}, local range {1, 1, threads}
struct local_tile_args {
    uint32_t r[1];
};

static inline void local_tile_body(uint8_t *mem, const local_tile_args &args, uint8_t *local, const sycl::nd_item<3> &item) {
    const sycl::sub_group wave = item.get_sub_group();
    const uint32_t thread = wave.get_group_linear_id() * 32u + wave.get_local_linear_id();
    const uint32_t thread_x = thread % 16u;
    const uint32_t thread_y = thread / 16u;
    uint32_t u0 = (thread_x << 2) + (thread_y << 6);
    uint32_t u1 = args.r[0] + u0;
    uint32_t u2 = *(mem_u32 *)(mem + u1);
    *(mem_u32 *)(local + u0) = u2;
    sycl::group_barrier(item.get_group());
    uint32_t u3 = *(mem_u32 *)(local + ((thread_y << 2) + (thread_x << 6)));
    *(mem_u32 *)(mem + u1) = u3;
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void local_tile_kernel(uint8_t *mem, local_tile_args args, sycl::ext::oneapi::experimental::work_group_memory<uint8_t[1024]> local) {
    local_tile_body(mem, args, (uint8_t *)&local, sycl::ext::oneapi::this_work_item::get_nd_item<3>());
}

#ifndef WAVE_SYCL_RTC
struct local_tile_launch {
    uint8_t *mem;
    local_tile_args args;
    sycl::local_accessor<uint8_t, 1> local;
    void operator()(sycl::nd_item<3> item) const {
        local_tile_body(mem, args, &local[0], item);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event local_tile(sycl::queue &queue, uint8_t *mem, local_tile_args args, sycl::range<3> grid,
    sycl::range<3>) {
    const sycl::range<3> local_range(1, 1, 256);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             local_tile_launch{mem, args, sycl::local_accessor<uint8_t, 1>(sycl::range<1>(1024), handler)});
    });
}
#endif
