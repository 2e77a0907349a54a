// WAVE kernels for SYCL on a GPU, 32 lanes to a wave, compiled from half_double.wave
//
// Compile with icpx -fsycl -O3 -ffp-contract=off -fp-model=precise -fno-finite-loops
//   -foffload-fp32-prec-div -foffload-fp32-prec-sqrt
// or at run time, with WAVE_SYCL_RTC defined and -ffp-contract=off -fno-fast-math -fno-finite-loops
//   -fno-discard-value-names.
// The device must have sycl::aspect::fp16.
// The device must have sycl::aspect::fp64.

#include <stdint.h>
#include <sycl/sycl.hpp>

#ifdef __clang__
// No fused multiply-adds but those written as fma.
#pragma clang fp contract(off)
#endif

// Memory is untyped: what these types refer to may overlap.
typedef float mem_f32 __attribute__((may_alias));
typedef uint32_t __attribute__((vector_size(8))) mem_u32x2 __attribute__((may_alias));
typedef uint32_t __attribute__((vector_size(16))) mem_u32x4 __attribute__((may_alias));

// half_double
//   mem: the arena, which device addresses are offsets into
//   args: the first register
//   workgroup: any size up to 1024 threads
//   launch: local range {z, y, x} of the workgroup, global range that times the grid
struct half_double_args {
    uint32_t r[1];
};

static inline void half_double_body(uint8_t *mem, const half_double_args &args) {
    mem_u32x4 x0 = *(mem_u32x4 *)(mem + args.r[0]);
    sycl::half h0 = sycl::bit_cast<sycl::half>((uint16_t)x0[0]);
    sycl::half h1 = sycl::bit_cast<sycl::half>((uint16_t)x0[1]);
    sycl::half h2 = sycl::fma(h0, h1, sycl::bit_cast<sycl::half>((uint16_t)x0[2]));
    sycl::half2 g0 = sycl::bit_cast<sycl::half2>(x0[0]);
    sycl::half2 g1 = sycl::bit_cast<sycl::half2>(x0[2]);
    float f0 = sycl::bit_cast<float>(x0[0] << 16) * sycl::bit_cast<float>(x0[1] << 16);
    *(mem_u32x4 *)(mem + args.r[0]) = mem_u32x4{(uint32_t)sycl::bit_cast<uint16_t>(h2),
        sycl::bit_cast<uint32_t>(sycl::fma(g0, sycl::bit_cast<sycl::half2>(x0[1]), g1)),
        f0 != f0 ? 32704u : sycl::bit_cast<uint32_t>(f0) >> 16, sycl::bit_cast<uint32_t>((float)h2)};
    *(mem_u32x2 *)(mem + (args.r[0] + 16u)) = mem_u32x2{(uint32_t)sycl::bit_cast<uint16_t>(h0 + h1),
        sycl::bit_cast<uint32_t>(g0 * g1)};
    double d0 = sycl::bit_cast<double>((uint64_t)x0[1] << 32 | x0[0]);
    double d1 = sycl::sqrt(sycl::fma(d0, sycl::bit_cast<double>((uint64_t)x0[3] << 32 | x0[2]), d0));
    uint64_t q0 = sycl::bit_cast<uint64_t>(d1);
    *(mem_u32x2 *)(mem + (args.r[0] + 32u)) = mem_u32x2{(uint32_t)q0, (uint32_t)(q0 >> 32)};
    *(mem_f32 *)(mem + (args.r[0] + 40u)) = (float)d1;
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void half_double_kernel(uint8_t *mem, half_double_args args) {
    half_double_body(mem, args);
}

#ifndef WAVE_SYCL_RTC
struct half_double_launch {
    uint8_t *mem;
    half_double_args args;
    void operator()(sycl::nd_item<3>) const {
        half_double_body(mem, args);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event half_double(sycl::queue &queue, uint8_t *mem, half_double_args args, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(group[2], group[1], group[0]);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             half_double_launch{mem, args});
    });
}
#endif
