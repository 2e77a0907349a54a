// WAVE kernels for SYCL on a CPU, 32 lanes to a wave, compiled from negated_on_cpu.wave
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

// The sign bit of a float, opaque to the compiler: Intel's CPU device loses the sign of
// -x across a barrier if it is an operation on floats.
static inline uint32_t wave_sign() {
    volatile uint32_t bit = 0x80000000u;
    return bit;
}

// negated
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   workgroup: any size up to 1024 threads
//   size_x, size_y: of the workgroup, which is launched as one row
//   launch: global range {grid.z, grid.y, grid.x * threads}, local range {1, 1, threads}
struct negated_args {
    uint32_t r[2];
};

static inline void negated_body(uint8_t *mem, const negated_args &args, const sycl::nd_item<3> &item) {
    const uint32_t sign = wave_sign();
    uint32_t u0 = *(mem_u32 *)(mem + args.r[0]);
    float f0 = sycl::bit_cast<float>(sycl::bit_cast<uint32_t>(sycl::bit_cast<float>(u0)) ^ sign);
    sycl::group_barrier(item.get_group());
    *(mem_u32 *)(mem + args.r[1]) = sycl::bit_cast<uint32_t>(f0 + f0);
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void negated_kernel(uint8_t *mem, negated_args args, uint32_t, uint32_t) {
    negated_body(mem, args, sycl::ext::oneapi::this_work_item::get_nd_item<3>());
}

#ifndef WAVE_SYCL_RTC
struct negated_launch {
    uint8_t *mem;
    negated_args args;
    void operator()(sycl::nd_item<3> item) const {
        negated_body(mem, args, item);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event negated(sycl::queue &queue, uint8_t *mem, negated_args args, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(1, 1, group.size());
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             negated_launch{mem, args});
    });
}
#endif

// without
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   workgroup: any size up to 1024 threads
//   launch: local range {z, y, x} of the workgroup, global range that times the grid
struct without_args {
    uint32_t r[2];
};

static inline void without_body(uint8_t *mem, const without_args &args) {
    uint32_t u0 = *(mem_u32 *)(mem + args.r[0]);
    *(mem_u32 *)(mem + args.r[1]) = sycl::bit_cast<uint32_t>(-sycl::bit_cast<float>(u0));
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void without_kernel(uint8_t *mem, without_args args) {
    without_body(mem, args);
}

#ifndef WAVE_SYCL_RTC
struct without_launch {
    uint8_t *mem;
    without_args args;
    void operator()(sycl::nd_item<3>) const {
        without_body(mem, args);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event without(sycl::queue &queue, uint8_t *mem, without_args args, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(group[2], group[1], group[0]);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             without_launch{mem, args});
    });
}
#endif
