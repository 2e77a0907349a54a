//@ sample a shuffle of bool, which Metal does not have
//@ error no-compile
#include <metal_stdlib>
using namespace metal;
kernel void shuffle_of_bool(device uchar *mem [[buffer(0)]],
            uint t [[thread_index_in_threadgroup]]) {
    mem[t] = simd_shuffle(t == 1, (ushort)0);
}
