#!/bin/sh
# wave-run from the outside: devices, buffers, scalars, results, error messages. The GPU is the simulated libcuda of
# the tests, where it was built. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
. "$tests/support/scale.sh"
run=$bin/wave-run
sim=$bin/../tests/libsimcuda.so
WAVE_CUDA_LIBRARY=
WAVE_HIP_LIBRARY=
WAVE_RT_PLUGINS=
WAVE_CACHE_DIR=$dir/cache
export WAVE_CUDA_LIBRARY WAVE_HIP_LIBRARY WAVE_RT_PLUGINS WAVE_CACHE_DIR

{
    scale_kernel '.workgroup_size 64, 1, 1'
    printf '.kernel other\n.registers 4\n    device_store_u32 r1, r0\n    halt\n.end\n'
} >scale.wave
"$bin/wave-asm" scale.wave -o scale.wbin || exit 2
python3 -c 'import struct; open("in.f32", "wb").write(struct.pack("<1024f", *[0.5 * i for i in range(1024)]))' || exit 2

# ---- The emulator ----

check "the example of the manual" 0 "$run" scale.wbin --device=emu --grid 16,1,1 --buffer in.f32 --buffer out:4096 --scalar 1024 --scalar 3.0 --print out:f32:4
printf '0.0\n1.5\n3.0\n4.5\n' >expected
ok "values, one per line" cmp out expected
silent err
check "assembly too" 0 "$run" scale.wave -d emu --grid 16 -b in.f32 -b out:f32:1024 -s 1024 -s 2.0 -p out
ok "a buffer is printed as its type" sh -c '[ "$(wc -l <out)" = 1024 ] && [ "$(tail -n 1 out)" = 1023.0 ]'
check "standard input" 0 sh -c "'$run' - -d emu -b in.f32 -b out:16 -s 4 -s 1.0 -p out:hex <scale.wbin"
said out "00000000: 00 00 00 00 00 00 00 3f  00 00 80 3f 00 00 c0 3f"
check "results to files" 0 "$run" scale.wbin -d emu --grid 16 -b a=in.f32 -b out:4096 -s 1024 -s 1.0 -o out:copy.f32 -o a:again.f32
ok "the file holds the buffer" cmp in.f32 copy.f32
ok "and the input is unchanged" cmp in.f32 again.f32
check "integers, negative and hexadecimal" 0 "$run" scale.wave -d emu -k other -s -2 -b out:i32:1 -p out -p out:u32 -p out:u8:2
printf -- '-2\n4294967294\n254\n255\n' >expected
ok "in the order of the options" cmp out expected
check "a kernel by number; missing words are 0" 0 "$run" scale.wave -d emu -k 1 -s 7 --device-memory 4096 -b x:4 -p x
check "words are in the order of the command line" 0 "$run" scale.wave -d emu --kernel other -s 77 -b first:4 -p first
said out 77
check "the time" 0 "$run" scale.wbin -d emu -b in.f32 -b out:256 -s 64 -s 1.0 --time --repeat 3
said err " us on emu"
check "auto is the emulator when there is no other" 0 "$run" scale.wave -k other -s 5 -b x:4 -p x
said out 5
check "--wave-width" 0 "$run" scale.wave -d emu --wave-width 8 -k other -s 5 -b x:4 -p x
check "no progress where there is no terminal" 0 "$run" scale.wave -d emu -k other -s 5 -b x:4
silent err

# ---- Devices ----

check "--list" 0 "$run" --list
said out "emu          the reference emulator, waves of 32, libwave "
said out "cuda         not here: turned off: WAVE_CUDA_LIBRARY is empty"
said out "sycl         not here: turned off: WAVE_RT_PLUGINS is empty"
check "--query" 0 "$run" -d emu --query
said out "MAX_WORKGROUP_SIZE       1024"
said out "CAP_CLUSTER              no"
said out "CAP_ATOMIC_64            yes"
check "a device that is not available" 2 "$run" scale.wbin --device=cuda:0
said err "wave-run: no such device: turned off"
check "an impossible device" 2 "$run" scale.wbin --device=gpu
said err "unknown device 'gpu'"

# ---- Mistakes ----

printf 'WAVE' >bad.wbin
check "a bad file" 1 "$run" bad.wbin -d emu
said err "E_TOO_SMALL"
printf '.kernel k\n frob r1\n.end\n' >bad.wave
check "bad assembly, with its place" 1 "$run" bad.wave -d emu
said err "bad.wave:2:2: error:"
check "the same as JSON" 1 "$run" bad.wave -d emu --diagnostics=json
ok "JSON" json err
check "no file" 2 "$run" none.wbin -d emu
check "no input" 2 "$run"
said err "no input file"
check "no such kernel" 2 "$run" scale.wbin -d emu -k nobody
said err "no kernel 'nobody'; it has 2 kernels"
check "no such buffer file" 2 "$run" scale.wbin -d emu -b none.bin
said err "cannot read none.bin"
check "two buffers with one name" 2 "$run" scale.wbin -d emu -b out:4 -b out:8
said err "two buffers with this name"
check "printing something other than a buffer" 2 "$run" scale.wbin -d emu -b out:4 -p in
said err "no buffer with this name"
check "printing beyond the end" 2 "$run" scale.wave -d emu -k other -s 1 -b out:4 -p out:u32:2
said err "the buffer has 1 elements, not 2"
for value in "out:x" "out:f31:4" ":4" "="; do
    check "--buffer $value" 2 "$run" scale.wbin -d emu -b "$value"
    said err "expected FILE, NAME=FILE, NAME:BYTES or NAME:TYPE:COUNT"
done
for value in "" 0x 1.5.5 4294967296 abc 0X1.8p1 0x1.8p1 " 1.5" . 1e99; do
    check "--scalar $value" 2 "$run" scale.wbin -d emu --scalar="$value"
    said err "a 32-bit integer or an f32 number"
done
for value in 0 1,0 1,2,3,4 a ,1 "" 4294967296,1,1 1,4294967296; do
    check "--grid $value" 2 "$run" scale.wbin -d emu --grid="$value"
    said err "X,Y,Z are up to three numbers from 1 to 4294967295"
done
check "too many words" 2 "$run" scale.wave -d emu -k other -s 1 -s 0 -s 3
said err "the kernel takes 2 argument words, not 3"
check "a workgroup too large" 2 "$run" scale.wave -d emu -k other --workgroup 1025
said err "wave-run: emu: beyond the limits of the device: workgroup: 1025 threads in x"
check "more waves than a workgroup has" 2 "$run" scale.wave -d emu -k other --wave-width 8 --workgroup 1024,1,1
said err "wave-run: emu: beyond the limits of the device: waves: a workgroup of 1024 threads has 128 waves of 8 lanes; emu allows 64"
check "as many waves as it has" 0 "$run" scale.wave -d emu -k other --wave-width 16 --workgroup 1024,1,1 -s 1 -b x:4
check "a kernel that accesses memory outside its own" 1 "$run" scale.wave -d emu -k other -s 1 -s 0x100000
said err "E_OUT_OF_BOUNDS"
check "an output that cannot be written" 2 "$run" scale.wave -d emu -k other -s 1 -b x:4 -o x:/nowhere/file
said err "cannot write /nowhere/file"

# ---- A simulated GPU ----

if [ -e "$sim" ]; then
    WAVE_CUDA_LIBRARY=$sim
    check "a device is found" 0 "$run" --list
    said out "cuda:0       Simulated GPU 0, sm_75, waves of 32, CUDA 12.4"
    check "and taken" 0 "$run" scale.wbin --device=auto --grid 16,1,1 --buffer in.f32 --buffer out:4096 --scalar 1024 --scalar 3.0 --print out:f32:4 --time --emit k.ptx
    printf '0.0\n1.5\n3.0\n4.5\n' >expected
    ok "the same values" cmp out expected
    said err " us on cuda:0"
    ok "--time prints the duration of the start" grep -Eqx "start: [0-9.]+ s to open cuda:0, [0-9.]+ s to load the kernel" err
    ok "--emit" has k.ptx ".visible .entry scale("
    ok "the kernel is in the cache, as text and as machine code" sh -c '[ "$(ls cache | wc -l)" = 2 ]'
    check "--cache=none" 0 "$run" scale.wbin --cache=none -O0 -b in.f32 -b out:256 -s 64 -s 1.0
    ok "keeps nothing" sh -c '[ "$(ls cache | wc -l)" = 2 ]'
    chmod 777 cache
    check "a cache that others can change" 0 "$run" scale.wbin -O0 -b in.f32 -b out:256 -s 64 -s 1.0
    said err "wave-run: warning: compiled kernels are not kept: $(pwd -P)/cache can be changed by other users"
    ok "is not used" sh -c '[ "$(ls cache | wc -l)" = 2 ] && [ "$(wc -l <err)" -eq 1 ]'
    chmod 700 cache
    check "an invalid cache size" 0 env WAVE_CACHE_SIZE=much "$run" scale.wbin -b in.f32 -b out:256 -s 64 -s 1.0
    said err "WAVE_CACHE_SIZE is a number of mebibytes of at most 999999, not 'much'"
    check "--query of a GPU" 0 "$run" --query
    said out "LOCAL_MEMORY_SIZE        65536"
    check "a kernel that fails" 1 "$run" scale.wave -k other -s 1 -s 0x40000000
    said err "wave-run: cuda:0: the kernel failed: cuStreamSynchronize: an illegal memory access"
    check "--bounds" 0 "$run" scale.wave -k other --bounds -s 1 -s 0x40000000
    check "out of memory" 2 env WAVE_SIM_FAULT=cuMemAlloc_v2:2 "$run" scale.wave -k other -s 1 -b x:4
    said err "wave-run: cuda:0: out of device memory: cuMemAlloc: out of memory (2)"
    check "bad PTX" 1 env WAVE_SIM_SPOIL=1 "$run" scale.wave --cache=none -k other -s 1 -b x:4
    said err "wave-run: cuda:0: the vendor's compiler rejects the kernel: cuLinkAddData"
    said err "ptxas error   : "
    check "a lost device" 1 env WAVE_SIM_FAULT=cuStreamSynchronize:46 "$run" scale.wave -k other -s 1 -b x:4
    said err "the device is lost"
    check "a driver without a device" 2 env WAVE_SIM_FAULT=cuInit:100 "$run" scale.wave -d cuda:0
    said err "no CUDA-capable device is detected"
fi

# ---- The order of lanes ----

cat >turn.wave <<'END'
.kernel turn
.registers 12
.workgroup_size 32, 1, 1
.local_memory 128
    mov_sr r2, sr_lane_id
    mov_imm r3, 2
    shl r4, r2, r3
    local_store_u32 r4, r2
    mov_imm r5, 124
    isub r6, r5, r4
    local_load_u32 r7, r6
    iadd r8, r0, r4
    device_store_u32 r8, r7
    halt
.end
END
seq 31 -1 0 >expected
check "on the emulator a wave runs in lane order" 0 "$run" turn.wave -d emu --wave-order=lockstep -b out:u32:32 -p out
ok "the words in reverse" cmp out expected
if [ -e "$sim" ]; then
    check "with the option on a GPU too" 0 env WAVE_CUDA_LIBRARY="$sim" "$run" turn.wave -d cuda --wave-order=lockstep -b out:u32:32 -p out --emit turn.ptx
    ok "the words in reverse, from the GPU" cmp out expected
    ok "by a fence" grep -q 'bar.warp.sync' turn.ptx
    check "without it there is none" 0 env WAVE_CUDA_LIBRARY="$sim" "$run" turn.wave -d cuda --wave-order=fences -b out:u32:32 -p out --emit plain.ptx
    ok "nor is it taken from the cache" sh -c '! grep -q bar.warp.sync plain.ptx'
fi
cat >product.wave <<'END'
.kernel product
.workgroup_size 32, 1, 1
.registers 8
    mov_imm r4, 32
    tile_load_a_f16 t0, r0, r4, device, row
    tile_load_b_f16 t0, r1, r4, device, row
    mov_imm r4, 0x3F800000
    tile_fill_c_f32 t0, r4
    mma_f16_f32 t0, t0, t0, t0
    mov_imm r4, 64
    tile_store_c_f32 t0, r2, r4, device, row
    halt
.end
END
awk 'BEGIN { for (k = 0; k < 256; k++) print "1.0" }' >expected
check "--mma=native on the emulator" 0 "$run" product.wave -d emu --mma=native -b a:512 -b b:512 -b out:f32:256 -p out
ok "the sums" cmp out expected
if [ -e "$sim" ]; then
    check "--mma=native on a GPU" 0 env WAVE_CUDA_LIBRARY="$sim" "$run" product.wave -d cuda --mma=native -b a:512 -b b:512 -b out:f32:256 -p out --emit units.ptx
    ok "the sums, from the GPU" cmp out expected
    ok "on tensor cores" grep -q 'wmma.mma' units.ptx
    check "--mma=exact on a GPU" 0 env WAVE_CUDA_LIBRARY="$sim" "$run" product.wave -d cuda --mma=exact -b a:512 -b b:512 -b out:f32:256 -p out --emit plain.ptx
    ok "not on tensor cores, nor from the cache" sh -c '! grep -q wmma.mma plain.ptx'
fi
check "unknown matrix units" 2 "$run" product.wave -d emu --mma=sm_80
said err "--mma is exact or native, not 'sm_80'"
check "no such order" 2 "$run" turn.wave -d emu --wave-order=none
said err "wave-order"

# 2^24 and 31 ones: added from the lowest lane up, each one is lost; ones added before 2^24 are not.
cat >sum.wave <<'END'
.kernel sum
.workgroup_size 32, 1, 1
.local_memory 4
.arg out buffer f32 out
.pred first
    icmp_eq first, sr_lane_id, 0
    mov r4, 1.0
    @first mov r4, 16777216.0
    mov r5, 0
    local_store_u32 r5, r5
    barrier
    local_atomic_fadd r5, r4
    barrier
    local_load_u32 r6, r5
    @first device_store_u32 out, r6
    halt
.end
END
check "--deterministic: the emulator's order is fixed" 0 "$run" sum.wave -d emu --deterministic -a out=out:f32:1 -p out
said out 16777216.0
if [ -e "$sim" ]; then
    check "--deterministic on a GPU" 0 env WAVE_CUDA_LIBRARY="$sim" "$run" sum.wave -d cuda --deterministic -a out=out:f32:1 -p out --emit sum.ptx
    said out 16777216.0
    ok "by a fence after every lane" grep -q 'bar.warp.sync' sum.ptx
    check "without it: not from the cache" 0 env WAVE_CUDA_LIBRARY="$sim" "$run" sum.wave -d cuda -a out=out:f32:1 --emit loose.ptx
    ok "without it: no fence" sh -c '! grep -q bar.warp.sync loose.ptx'
    sed 's/size 32/size 64/' sum.wave >sums.wave
    check "an order that cannot be fixed" 1 env WAVE_CUDA_LIBRARY="$sim" "$run" sums.wave -d cuda --deterministic -a out=out:f32:1
    said err "E_ORDER"
fi

finish "cli/wave_run"
