//@ sample the size of the arena follows the arguments
//@ args 7 8
//@ memory 512
//@ expect 0 7 8 512
#include <hip/hip_runtime.h>
#include <stdint.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
struct sized_args {
    uint32_t r[2];
};
extern "C" __global__ void __launch_bounds__(32) sized(uint8_t *mem, sized_args args, uint64_t mem_size) {
    mem_u32 *word = (mem_u32 *)mem;
    word[0] = args.r[0];
    word[1] = args.r[1];
    word[2] = uint32_t(mem_size);
}
