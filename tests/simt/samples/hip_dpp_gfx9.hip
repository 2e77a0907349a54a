//@ sample DPP controls of generation 9 in a full wave of 64
//@ width 64
//@ group 64
//@ checks 18
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <stdint.h>
typedef uint32_t mem_u32 __attribute__((may_alias));
extern "C" __global__ void dpp_gfx9(uint8_t *mem) {
    uint32_t done = 0, first = 0;
    const uint32_t t = threadIdx.x;
    const int x = int(t + 100), old = -1;
    const uint32_t in = t % 16;
#define DPP(control) __builtin_amdgcn_update_dpp(old, x, control, 0xF, 0xF, false)
    CHECK(DPP(0xB1) == int((t ^ 1) + 100)); // quad_perm 1, 0, 3, 2
    CHECK(DPP(0x4E) == int((t ^ 2) + 100)); // quad_perm 2, 3, 0, 1
    CHECK(DPP(0x00) == int(t / 4 * 4 + 100)); // quad_perm 0, 0, 0, 0
    CHECK(DPP(0x101) == (in == 15 ? old : x + 1)); // row_shl 1: the next lane's value
    CHECK(DPP(0x10F) == (in == 0 ? x + 15 : old));
    CHECK(DPP(0x111) == (in == 0 ? old : x - 1)); // row_shr 1: the value of the lane before
    CHECK(DPP(0x118) == (in < 8 ? old : x - 8));
    CHECK(DPP(0x121) == (in == 0 ? x + 15 : x - 1)); // row_ror 1
    CHECK(DPP(0x12F) == (in == 15 ? x - 15 : x + 1)); // row_ror 15
    CHECK(DPP(0x140) == int(t - in + 15 - in + 100)); // row_mirror
    CHECK(DPP(0x141) == int(t / 8 * 8 + 7 - t % 8 + 100)); // row_half_mirror
    CHECK(DPP(0x142) == (t < 16 ? old : int(t - in - 1 + 100))); // row_bcast15
    CHECK(DPP(0x143) == (t < 32 ? old : 131)); // row_bcast31
    CHECK(DPP(0x138) == (t == 0 ? old : x - 1)); // wave_shr 1
    // bound_ctrl: 0 where there is no lane
    CHECK(__builtin_amdgcn_update_dpp(old, x, 0x111, 0xF, 0xF, true) == (in == 0 ? 0 : x - 1));
    // rows 1 and 3 only, then the first four lanes of each row only
    CHECK(__builtin_amdgcn_update_dpp(old, x, 0x00, 0xA, 0xF, false) ==
          (t / 16 % 2 ? int(t / 4 * 4 + 100) : old));
    CHECK(__builtin_amdgcn_update_dpp(old, x, 0xE4, 0xF, 0x1, false) == (in < 4 ? x : old));
    CHECK(__builtin_amdgcn_mov_dpp(x, 0xB1, 0xF, 0xF, true) == int((t ^ 1) + 100));
    REPORT(t);
}
