// WAVE kernels for SYCL on a GPU, 32 lanes to a wave, compiled from atomics.wave
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
typedef int32_t mem_i32 __attribute__((may_alias));

// A word of the arena, shared by the threads of the scope.
template <typename word, sycl::memory_scope scope>
using wave_atomic = sycl::atomic_ref<word, sycl::memory_order::relaxed, scope,
                                     sycl::access::address_space::global_space>;

// A word of local memory.
template <typename word>
using wave_local_atomic =
    sycl::atomic_ref<word, sycl::memory_order::relaxed, sycl::memory_scope::work_group,
                     sycl::access::address_space::local_space>;

// The old value; `desired` is stored where it was `expected`.
template <typename place>
static inline uint32_t wave_cas(place at, uint32_t expected, uint32_t desired) {
    at.compare_exchange_strong(expected, desired);
    return expected;
}

// Adds a float; the old value. A device's own float atomics may flush subnormals.
template <typename place>
static inline float wave_fadd(place at, float x) {
    uint32_t old = at.load();
    while (!at.compare_exchange_strong(
        old, sycl::bit_cast<uint32_t>(sycl::bit_cast<float>(old) + x))) {
    }
    return sycl::bit_cast<float>(old);
}

// atomics
//   mem: the arena, which device addresses are offsets into
//   args: the first 3 registers
//   workgroup: any size up to 1024 threads
//   local memory: 64 bytes
//   size_x, size_y: of the workgroup, which is launched as one row
//   launch: global range {grid.z, grid.y, grid.x * threads}, local range {1, 1, threads}
struct atomics_args {
    uint32_t r[3];
};

static inline void atomics_body(uint8_t *mem, const atomics_args &args, uint8_t *local, const sycl::nd_item<3> &item) {
    const sycl::sub_group wave = item.get_sub_group();
    wave_atomic<uint32_t, sycl::memory_scope::device>(*(mem_u32 *)(mem + args.r[0])).fetch_add(args.r[1]);
    uint32_t u0 =
        wave_atomic<uint32_t, sycl::memory_scope::work_group>(*(mem_u32 *)(mem + args.r[0])).fetch_sub(args.r[1]);
    uint32_t u1 = wave_cas(wave_atomic<uint32_t, sycl::memory_scope::system>(*(mem_u32 *)(mem + args.r[0])),
        u0, args.r[1]);
    wave_atomic<uint32_t, sycl::memory_scope::sub_group>(*(mem_u32 *)(mem + args.r[0])).exchange(u1);
    uint32_t u2 =
        (uint32_t)wave_atomic<int32_t, sycl::memory_scope::device>(*(mem_i32 *)(mem +
        args.r[0])).fetch_min((int32_t)u1);
    wave_local_atomic<uint32_t>(*(mem_u32 *)(local + args.r[1])).fetch_max(u1);
    float f0 = wave_fadd(wave_local_atomic<uint32_t>(*(mem_u32 *)local), sycl::bit_cast<float>(args.r[1]));
    wave_fadd(wave_atomic<uint32_t, sycl::memory_scope::device>(*(mem_u32 *)(mem + args.r[2])), f0);
    sycl::group_barrier(wave, sycl::memory_scope::sub_group);
    sycl::atomic_fence(sycl::memory_order::acq_rel, sycl::memory_scope::device);
    sycl::group_barrier(wave, sycl::memory_scope::sub_group);
    sycl::group_barrier(wave, sycl::memory_scope::sub_group);
    sycl::atomic_fence(sycl::memory_order::acq_rel, sycl::memory_scope::system);
    sycl::group_barrier(wave, sycl::memory_scope::sub_group);
    *(mem_u32 *)(mem + args.r[2]) = u2;
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void atomics_kernel(uint8_t *mem, atomics_args args, sycl::ext::oneapi::experimental::work_group_memory<uint8_t[64]> local, uint32_t, uint32_t) {
    atomics_body(mem, args, (uint8_t *)&local, sycl::ext::oneapi::this_work_item::get_nd_item<3>());
}

#ifndef WAVE_SYCL_RTC
struct atomics_launch {
    uint8_t *mem;
    atomics_args args;
    sycl::local_accessor<uint8_t, 1> local;
    void operator()(sycl::nd_item<3> item) const {
        atomics_body(mem, args, &local[0], item);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event atomics(sycl::queue &queue, uint8_t *mem, atomics_args args, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(1, 1, group.size());
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             atomics_launch{mem, args, sycl::local_accessor<uint8_t, 1>(sycl::range<1>(64), handler)});
    });
}
#endif
