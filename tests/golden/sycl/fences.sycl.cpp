// WAVE kernels for SYCL on a GPU, 32 lanes to a wave, compiled from fences.wave
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

// A word of the arena, shared by the threads of the scope.
template <typename word, sycl::memory_scope scope>
using wave_atomic = sycl::atomic_ref<word, sycl::memory_order::relaxed, scope,
                                     sycl::access::address_space::global_space>;

// A word of local memory.
template <typename word>
using wave_local_atomic =
    sycl::atomic_ref<word, sycl::memory_order::relaxed, sycl::memory_scope::work_group,
                     sycl::access::address_space::local_space>;

// fences
//   mem: the arena, which device addresses are offsets into
//   args: the first 4 registers
//   workgroup: any size up to 1024 threads
//   local memory: 64 bytes
//   size_x, size_y: of the workgroup, which is launched as one row
//   launch: global range {grid.z, grid.y, grid.x * threads}, local range {1, 1, threads}
struct fences_args {
    uint32_t r[4];
};

static inline void fences_body(uint8_t *mem, const fences_args &args, uint8_t *local, const sycl::nd_item<3> &item) {
    const sycl::sub_group wave = item.get_sub_group();
    const uint32_t lane = wave.get_local_linear_id();
    *(mem_u32 *)(mem + args.r[0]) = args.r[1];
    sycl::group_barrier(wave, sycl::memory_scope::sub_group);
    sycl::atomic_fence(sycl::memory_order::acq_rel, sycl::memory_scope::device);
    bool b0 = lane == 0u;
    if (b0) {
        wave_atomic<uint32_t, sycl::memory_scope::device>(*(mem_u32 *)(mem + args.r[2])).store(args.r[1]);
    }
    wave_atomic<uint32_t, sycl::memory_scope::device>(*(mem_u32 *)(mem + args.r[2])).load();
    sycl::atomic_fence(sycl::memory_order::acq_rel, sycl::memory_scope::system);
    sycl::group_barrier(wave, sycl::memory_scope::sub_group);
    uint32_t u0 = *(mem_u32 *)(mem + args.r[0]);
    *(mem_u32 *)(local + args.r[3]) = u0;
    sycl::group_barrier(wave, sycl::memory_scope::sub_group);
    uint32_t u1 = *(mem_u32 *)(local + args.r[3]);
    if (b0) {
        *(mem_u32 *)(mem + u1) = u0;
        sycl::atomic_fence(sycl::memory_order::seq_cst, sycl::memory_scope::work_group);
        wave_local_atomic<uint32_t>(*(mem_u32 *)(local + args.r[3])).store(u1);
    }
    bool b1 = lane < args.r[1];
    bool b2 = sycl::any_of_group(wave, b1);
    uint32_t u2;
    if (b2) {
        if (b1) {
            *(mem_u32 *)(local + u1) = lane;
        }
        sycl::group_barrier(wave, sycl::memory_scope::sub_group);
        sycl::atomic_fence(sycl::memory_order::seq_cst, sycl::memory_scope::work_group);
        sycl::group_barrier(wave, sycl::memory_scope::sub_group);
        if (b1) {
            u2 = wave_local_atomic<uint32_t>(*(mem_u32 *)(local + args.r[3])).load();
        } else {
            u2 = 0u;
        }
    } else {
        u2 = 0u;
    }
    *(mem_u32 *)(mem + args.r[0]) = b1 ? u2 : u1;
}

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))
void fences_kernel(uint8_t *mem, fences_args args, sycl::ext::oneapi::experimental::work_group_memory<uint8_t[64]> local, uint32_t, uint32_t) {
    fences_body(mem, args, (uint8_t *)&local, sycl::ext::oneapi::this_work_item::get_nd_item<3>());
}

#ifndef WAVE_SYCL_RTC
struct fences_launch {
    uint8_t *mem;
    fences_args args;
    sycl::local_accessor<uint8_t, 1> local;
    void operator()(sycl::nd_item<3> item) const {
        fences_body(mem, args, &local[0], item);
    }
    auto get(sycl::ext::oneapi::experimental::properties_tag) const {
        return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<32>};
    }
};

// Numbers of workgroups and of threads in each, as {x, y, z}.
sycl::event fences(sycl::queue &queue, uint8_t *mem, fences_args args, sycl::range<3> grid,
    sycl::range<3> group) {
    const sycl::range<3> local_range(1, 1, group.size());
    const sycl::range<3> groups(grid[2], grid[1], grid[0]);
    return queue.submit([&](sycl::handler &handler) {
        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),
                             fences_launch{mem, args, sycl::local_accessor<uint8_t, 1>(sycl::range<1>(64), handler)});
    });
}
#endif
