// WAVE kernels for SYCL on a GPU, 32 lanes to a wave, compiled from reductions.wave
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
typedef uint32_t __attribute__((vector_size(8))) mem_u32x2 __attribute__((may_alias));

// reductions
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   workgroup: 256 x 1 x 1 threads
//   local memory: 32 bytes
//   launch: global range {grid.z, grid.y, grid.x * threads}, local range {1, 1, threads}
struct reductions_args {
    uint32_t r[2];
};

static inline void reductions_body(uint8_t *mem, const reductions_args &args, uint8_t *local, const sycl::nd_item<3> &item) {
    const sycl::sub_group wave = item.get_sub_group();
    const uint32_t lane = wave.get_local_linear_id();
    const uint32_t wave_id = wave.get_group_linear_id();
    const uint32_t thread = wave.get_group_linear_id() * 32u + wave.get_local_linear_id();
    const uint32_t thread_x = thread;
    uint32_t u0 = args.r[0] + (thread_x << 3);
    mem_u32x2 x0 = *(mem_u32x2 *)(mem + u0);
    uint32_t u1 = sycl::reduce_over_group(wave, x0[0], sycl::plus<uint32_t>());
    uint32_t u2 = sycl::reduce_over_group(wave, x0[1], sycl::maximum<uint32_t>());
    uint32_t u3 = sycl::permute_group_by_xor(wave, x0[0], 1u);
    uint32_t u4 = sycl::permute_group_by_xor(wave, x0[1], 16u);
    uint32_t u5 = wave_id << 2;
    if (lane == 0u) {
        *(mem_u32 *)(local + u5) = u1;
    }
    sycl::group_barrier(item.get_group());
    uint32_t u6 = *(mem_u32 *)(local + u5);
    *(mem_u32x2 *)(mem + u0) = mem_u32x2{u1, u2};
    uint32_t u7 = u0 + args.r[1];
    *(mem_u32 *)(mem + u7) = sycl::min(u3, u4);
    *(mem_u32 *)(mem + (u7 + args.r[1])) = u6;
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void reductions_kernel(uint8_t *mem, reductions_args args, sycl::ext::oneapi::experimental::work_group_memory<uint8_t[32]> local) {
    reductions_body(mem, args, (uint8_t *)&local, sycl::ext::oneapi::this_work_item::get_nd_item<3>());
}

#ifndef WAVE_SYCL_RTC
struct reductions_launch {
    uint8_t *mem;
    reductions_args args;
    sycl::local_accessor<uint8_t, 1> local;
    void operator()(sycl::nd_item<3> item) const {
        reductions_body(mem, args, &local[0], item);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event reductions(sycl::queue &queue, uint8_t *mem, reductions_args args, sycl::range<3> grid,
    sycl::range<3>) {
    const sycl::range<3> local_range(1, 1, 256);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             reductions_launch{mem, args, sycl::local_accessor<uint8_t, 1>(sycl::range<1>(32), handler)});
    });
}
#endif
