// WAVE kernels for SYCL on a GPU, 32 lanes to a wave, compiled from bounds.wave
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
typedef uint16_t mem_u16 __attribute__((may_alias));
typedef uint32_t mem_u32 __attribute__((may_alias));
typedef uint32_t __attribute__((vector_size(8))) mem_u32x2 __attribute__((may_alias));

// A word of the arena, shared by the threads of the scope.
template <typename word, sycl::memory_scope scope>
using wave_atomic = sycl::atomic_ref<word, sycl::memory_order::relaxed, scope,
                                     sycl::access::address_space::global_space>;

// bounds
//   mem: the arena, which device addresses are offsets into
//   args: the first 2 registers
//   mem_size: bytes in the arena; accesses past it do nothing
//   workgroup: any size up to 1024 threads
//   local memory: 256 bytes
//   launch: local range {z, y, x} of the workgroup, global range that times the grid
struct bounds_args {
    uint32_t r[2];
};

static inline void bounds_body(uint8_t *mem, const bounds_args &args, uint8_t *local, uint64_t mem_size) {
    uint32_t u0 = (uint64_t)args.r[0] + 4 <= mem_size ? *(mem_u32 *)(mem + args.r[0]) : 0u;
    if ((uint64_t)args.r[1] + 4 <= 256u) *(mem_u32 *)(local + args.r[1]) = u0;
    uint32_t u1 = (uint64_t)args.r[0] + 4 <= mem_size ?
        wave_atomic<uint32_t, sycl::memory_scope::device>(*(mem_u32 *)(mem + args.r[0])).fetch_add(u0) : 0u;
    mem_u32x2 x0 = (uint64_t)args.r[1] + 8 <= 256u ? *(mem_u32x2 *)(local + args.r[1]) : mem_u32x2{0u, 0u};
    if ((uint64_t)args.r[0] + 8 <= mem_size) *(mem_u32x2 *)(mem + args.r[0]) = mem_u32x2{x0[0], x0[1]};
    uint32_t u2 = (uint64_t)u1 + 1 <= mem_size ? *(mem + u1) : 0u;
    if ((uint64_t)u1 + 2 <= mem_size) *(mem_u16 *)(mem + u1) = (uint16_t)u2;
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void bounds_kernel(uint8_t *mem, bounds_args args, sycl::ext::oneapi::experimental::work_group_memory<uint8_t[256]> local, uint64_t mem_size) {
    bounds_body(mem, args, (uint8_t *)&local, mem_size);
}

#ifndef WAVE_SYCL_RTC
struct bounds_launch {
    uint8_t *mem;
    bounds_args args;
    sycl::local_accessor<uint8_t, 1> local;
    uint64_t mem_size;
    void operator()(sycl::nd_item<3>) const {
        bounds_body(mem, args, &local[0], mem_size);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event bounds(sycl::queue &queue, uint8_t *mem, bounds_args args, uint64_t mem_size, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(group[2], group[1], group[0]);
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             bounds_launch{mem, args, sycl::local_accessor<uint8_t, 1>(sycl::range<1>(256), handler), mem_size});
    });
}
#endif
