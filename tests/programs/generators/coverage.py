#!/usr/bin/env python3
"""Checks that the test programs exercise every instruction, special register, scope and guard form.

The lists are typed from the ISA, not read from the project's own table. A program counts when
it states expected memory. Exit status 1 names what is missing; `-v` prints how many programs
use each name.
"""
import os
import re
import sys

PROGRAMS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

PLAIN = """
iadd isub imul imul_hi imad idiv imod ineg iabs imin imax iclamp
fadd fsub fmul fma fdiv fneg fabs fmin fmax fclamp fsqrt
frsqrt frcp ffloor fceil fround ftrunc ffract fsat fsin fcos fexp2 flog2
hadd hsub hmul hma hadd2 hmul2 hma2 dadd dsub dmul dma ddiv dsqrt
and or xor not shl shr sar bitcount bitfind bitrev bfe bfi
icmp_eq icmp_ne icmp_lt icmp_le icmp_gt icmp_ge ucmp_lt ucmp_le ucmp_eq ucmp_ne ucmp_gt ucmp_ge
fcmp_eq fcmp_ne fcmp_lt fcmp_le fcmp_gt fcmp_ge fcmp_ord fcmp_unord select
cvt_f32_i32 cvt_f32_u32 cvt_i32_f32 cvt_u32_f32 cvt_f32_f16 cvt_f16_f32
cvt_f32_f64 cvt_f64_f32 cvt_f32_bf16 cvt_bf16_f32
badd bsub bmul bma badd2 bmul2 bma2
local_load_u8 local_load_u16 local_load_u32 local_load_u64
local_store_u8 local_store_u16 local_store_u32 local_store_u64
device_load_u8 device_load_u16 device_load_u32 device_load_u64 device_load_u128
device_store_u8 device_store_u16 device_store_u32 device_store_u64 device_store_u128
local_atomic_add local_atomic_sub local_atomic_min local_atomic_max local_atomic_and local_atomic_or
local_atomic_xor local_atomic_exchange local_atomic_cas
atomic_add atomic_sub atomic_min atomic_max atomic_and atomic_or atomic_xor
atomic_exchange atomic_cas
wave_shuffle wave_shuffle_up wave_shuffle_down wave_shuffle_xor wave_broadcast
wave_ballot wave_any wave_all
wave_prefix_sum wave_reduce_add wave_reduce_min wave_reduce_max
if else endif loop break continue endloop call return halt barrier
fence_acquire fence_release fence_acq_rel wait nop
mma_load_a mma_load_b mma_store_c mma_compute mov mov_imm mov_sr
""".split()

EXTENSIONS = """
umin umax udiv umod local_atomic_fadd atomic_fadd local_atomic_imin local_atomic_imax
atomic_imin atomic_imax local_atomic_load atomic_load local_atomic_store atomic_store fence_sc
wave_reduce_and wave_reduce_or wave_reduce_xor wave_ballot64 assert wave_shuffle_idx
ladd lsub lmul lmul_hi lshl lshr lsar ldiv lmod ludiv lumod
lcmp_eq lcmp_ne lcmp_lt lcmp_le lcmp_gt lcmp_ge lucmp_lt lucmp_le lucmp_gt lucmp_ge
dcmp_eq dcmp_ne dcmp_lt dcmp_le dcmp_gt dcmp_ge dcmp_ord dcmp_unord
dneg dabs dfloor dceil dround dtrunc dmin dmax
cvt_f64_i32 cvt_f64_u32 cvt_i32_f64 cvt_u32_f64 cvt_f64_i64 cvt_f64_u64 cvt_i64_f64 cvt_u64_f64
private_load_u8 private_load_u16 private_load_u32 private_load_u64 private_load_u128
private_store_u8 private_store_u16 private_store_u32 private_store_u64 private_store_u128
constant_load_u8 constant_load_u16 constant_load_u32 constant_load_u64 constant_load_u128
cvt_f32_i64 cvt_f32_u64 cvt_i64_f32 cvt_u64_f32 cvt_f16_f64 cvt_f64_f16
local_atomic64_add local_atomic64_sub local_atomic64_min local_atomic64_max local_atomic64_and local_atomic64_or
local_atomic64_xor local_atomic64_exchange local_atomic64_cas local_atomic64_imin local_atomic64_imax
local_atomic64_load local_atomic64_store
atomic64_add atomic64_sub atomic64_min atomic64_max atomic64_and atomic64_or atomic64_xor
atomic64_exchange atomic64_cas atomic64_imin atomic64_imax atomic64_load atomic64_store
device_load_u8.uncached device_load_u16.uncached device_load_u32.uncached device_load_u64.uncached device_load_u128.uncached
device_load_u8.streaming device_load_u16.streaming device_load_u32.streaming device_load_u64.streaming
device_load_u128.streaming device_store_u8.uncached device_store_u16.uncached device_store_u32.uncached
device_store_u64.uncached device_store_u128.uncached device_store_u8.streaming device_store_u16.streaming
device_store_u32.streaming device_store_u64.streaming device_store_u128.streaming
tile_load_a_f16 tile_load_a_bf16 tile_load_a_f32 tile_load_a_i8 tile_load_a_u8
tile_load_b_f16 tile_load_b_bf16 tile_load_b_f32 tile_load_b_i8 tile_load_b_u8
tile_load_c_f32 tile_load_c_i32 tile_store_c_f32 tile_store_c_i32 tile_fill_c_f32 tile_fill_c_i32
mma_f16_f32 mma_bf16_f32 mma_f32_f32 mma_i8_i32 mma_u8_i32
""".split()

SPECIAL = [
    "sr_" + s for s in """
thread_id_x thread_id_y thread_id_z wave_id lane_id workgroup_id_x workgroup_id_y workgroup_id_z
workgroup_size_x workgroup_size_y workgroup_size_z grid_size_x grid_size_y grid_size_z
wave_width num_waves mma_supported mma_m mma_n mma_k tile_m tile_n tile_k
""".split()
]

PHRASES = [
    r"if !p", r"break !p", r"continue !p", r"@!p0 ", r"@p1 ", r"@p2 ", r"@p3 ", r"@!p1 ", r"@!p2 ",
    r"@!p3 "
]
PHRASES += [
    rf"fence_{kind} \.{scope}\b" for kind in ("acquire", "release", "acq_rel", "sc")
    for scope in ("wave", "workgroup", "device", "system")
]
PHRASES += [
    rf"\batomic_{op} [^;]*\.{scope}\b" for op in ("add", "load", "store")
    for scope in ("wave", "workgroup", "device", "system")
]


def code_of(text):
    """The instructions of a program: no comments, directives or label names."""
    lines = []
    for line in text.splitlines():
        line = re.split(r"[;#]", line, maxsplit=1)[0].strip()
        line = re.sub(r"^[A-Za-z_]\w*:", "", line)
        if line and not line.startswith("."):
            lines.append(line.strip())
    return "\n".join(lines)


def main():
    verbose = sys.argv[1:] == ["-v"]
    uses = {name: 0 for name in PLAIN + EXTENSIONS + SPECIAL + PHRASES}
    programs = 0
    for folder, _, names in os.walk(PROGRAMS):
        for name in sorted(n for n in names if n.endswith(".wave")):
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                text = f.read()
            if ";@ expect" not in text:
                continue
            programs += 1
            code = code_of(text)
            words = set(re.findall(r"[A-Za-z_]\w*", code))
            for key in uses:
                if key in words if re.fullmatch(r"\w+", key) else re.search(key, code):
                    uses[key] += 1
    missing = [key for key, count in uses.items() if count == 0]
    if verbose:
        for key, count in uses.items():
            print(f"{count:5} {key}")
    for key in missing:
        print(f"no program uses: {key}")
    print(f"coverage: {len(uses) - len(missing)} of {len(uses)} names used by {programs} programs")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
