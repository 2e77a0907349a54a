//@ sample positions and arguments by their attributes
//@ grid 2 1 1
//@ group 4 3 2
//@ args 7 8
//@ checks 8
#include <metal_stdlib>
using namespace metal;
typedef uint32_t mem_u32 __attribute__((may_alias));
struct ids_args {
    uint32_t r[2];
};
kernel void ids(device uchar *mem [[buffer(0)]], constant ids_args &args [[buffer(1)]],
                device atomic_uint *status [[buffer(2)]], constant ulong &mem_size [[buffer(3)]],
                uint3 thread_id [[thread_position_in_threadgroup]],
                uint3 group_id [[threadgroup_position_in_grid]],
                uint3 group_size [[threads_per_threadgroup]],
                uint3 grid_size [[threadgroups_per_grid]], uint lane [[thread_index_in_simdgroup]],
                uint3 in_grid [[thread_position_in_grid]], uint3 all [[threads_per_grid]]) {
    uint32_t done = 0, first = 0;
    const uint linear = (thread_id.z * 3 + thread_id.y) * 4 + thread_id.x;
    CHECK(thread_id.x < 4 && thread_id.y < 3 && thread_id.z < 2);
    CHECK(lane == linear);
    CHECK(group_size.x == 4 && group_size.y == 3 && group_size.z == 2);
    CHECK(grid_size.x == 2 && grid_size.y == 1 && grid_size.z == 1);
    CHECK(group_id.x < 2 && group_id.y == 0 && group_id.z == 0);
    CHECK(args.r[0] == 7 && args.r[1] == 8 && mem_size == 4096);
    CHECK(atomic_load_explicit(status, memory_order_relaxed) == 0);
    CHECK(in_grid.x == group_id.x * 4 + thread_id.x && in_grid.z == thread_id.z && all.x == 8);
    REPORT(group_id.x * 24 + linear);
}
