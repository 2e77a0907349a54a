// WAVE kernels for SYCL on a CPU, 32 lanes to a wave, compiled from negated_in_part.wave
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
typedef float mem_f32 __attribute__((may_alias));

// The sign bit of a float, opaque to the compiler: Intel's CPU device loses the sign of
// -x across a barrier if it is an operation on floats.
static inline uint32_t wave_sign() {
    volatile uint32_t bit = 0x80000000u;
    return bit;
}

// What negated_in_part computes in many places.
static __attribute__((noinline)) float negated_in_part_part1(float f0, float f1, float f2) {
    const uint32_t sign = wave_sign();
    float q = f0 / f2;
    return q / (q + f1 / sycl::bit_cast<float>(sycl::bit_cast<uint32_t>(q) ^ sign));
}

// negated_in_part
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: 64 x 1 x 1 threads
//   launch: global range {grid.z, grid.y, grid.x * threads}, local range {1, 1, threads}
struct negated_in_part_args {
    uint32_t out;
    float x;
    float y;
};

static inline void negated_in_part_body(uint8_t *mem, const negated_in_part_args &args, const sycl::nd_item<3> &item) {
    const uint32_t sign = wave_sign();
    float f0 = args.x;
    float f1 = args.y;
    float f2 = f0 + 1.0f;
    *(mem_f32 *)(mem + args.out) = negated_in_part_part1(f0, f1, 3.0f);
    float f3 = f2 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 4u)) = negated_in_part_part1(f2, f1, 5.0f);
    float f4 = f3 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 8u)) = negated_in_part_part1(f3, f1, 3.0f);
    float f5 = f4 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 12u)) = negated_in_part_part1(f4, f1, 5.0f);
    float f6 = f5 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 16u)) = negated_in_part_part1(f5, f1, 3.0f);
    float f7 = f6 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 20u)) = negated_in_part_part1(f6, f1, 5.0f);
    float f8 = f7 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 24u)) = negated_in_part_part1(f7, f1, 3.0f);
    float f9 = f8 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 28u)) = negated_in_part_part1(f8, f1, 5.0f);
    float f10 = f9 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 32u)) = negated_in_part_part1(f9, f1, 3.0f);
    float f11 = f10 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 36u)) = negated_in_part_part1(f10, f1, 5.0f);
    float f12 = f11 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 40u)) = negated_in_part_part1(f11, f1, 3.0f);
    float f13 = f12 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 44u)) = negated_in_part_part1(f12, f1, 5.0f);
    float f14 = f13 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 48u)) = negated_in_part_part1(f13, f1, 3.0f);
    float f15 = f14 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 52u)) = negated_in_part_part1(f14, f1, 5.0f);
    float f16 = f15 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 56u)) = negated_in_part_part1(f15, f1, 3.0f);
    float f17 = f16 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 60u)) = negated_in_part_part1(f16, f1, 5.0f);
    float f18 = f17 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 64u)) = negated_in_part_part1(f17, f1, 3.0f);
    float f19 = f18 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 68u)) = negated_in_part_part1(f18, f1, 5.0f);
    float f20 = f19 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 72u)) = negated_in_part_part1(f19, f1, 3.0f);
    float f21 = f20 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 76u)) = negated_in_part_part1(f20, f1, 5.0f);
    float f22 = f21 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 80u)) = negated_in_part_part1(f21, f1, 3.0f);
    float f23 = f22 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 84u)) = negated_in_part_part1(f22, f1, 5.0f);
    float f24 = f23 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 88u)) = negated_in_part_part1(f23, f1, 3.0f);
    float f25 = f24 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 92u)) = negated_in_part_part1(f24, f1, 5.0f);
    float f26 = f25 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 96u)) = negated_in_part_part1(f25, f1, 3.0f);
    float f27 = f26 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 100u)) = negated_in_part_part1(f26, f1, 5.0f);
    float f28 = f27 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 104u)) = negated_in_part_part1(f27, f1, 3.0f);
    float f29 = f28 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 108u)) = negated_in_part_part1(f28, f1, 5.0f);
    float f30 = f29 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 112u)) = negated_in_part_part1(f29, f1, 3.0f);
    float f31 = f30 + 1.0f;
    *(mem_f32 *)(mem + (args.out + 116u)) = negated_in_part_part1(f30, f1, 5.0f);
    *(mem_f32 *)(mem + (args.out + 120u)) = negated_in_part_part1(f31, f1, 3.0f);
    float q_2 = (f31 + 1.0f) / 5.0f;
    *(mem_f32 *)(mem + (args.out + 124u)) = q_2 / (q_2 + f1 /
        sycl::bit_cast<float>(sycl::bit_cast<uint32_t>(q_2) ^ sign));
    sycl::group_barrier(item.get_group());
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void negated_in_part_kernel(uint8_t *mem, negated_in_part_args args) {
    negated_in_part_body(mem, args, sycl::ext::oneapi::this_work_item::get_nd_item<3>());
}

#ifndef WAVE_SYCL_RTC
struct negated_in_part_launch {
    uint8_t *mem;
    negated_in_part_args args;
    void operator()(sycl::nd_item<3> item) const {
        negated_in_part_body(mem, args, item);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event negated_in_part(sycl::queue &queue, uint8_t *mem, negated_in_part_args args, sycl::range<3> grid,
    sycl::range<3>) {
    const sycl::range<3> local_range(1, 1, 64);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             negated_in_part_launch{mem, args});
    });
}
#endif
