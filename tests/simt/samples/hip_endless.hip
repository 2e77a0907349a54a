//@ sample a loop that never ends, without any call in it
//@ error endless
#include <hip/hip_runtime.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void endless(uint8_t *mem) {
    uint32_t n = 0;
    while (true) {
        n = n * 3 + 1;
        if (n == 2)
            break;
    }
    *(mem_u32 *)mem = n;
}
