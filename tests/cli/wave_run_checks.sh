#!/bin/sh
# wave-run's --bounds and --assert take effect, and have the same effect on the emulator and on the simulated CUDA device.
# Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
run=$bin/wave-run
WAVE_CACHE_DIR=
WAVE_HIP_LIBRARY=
WAVE_RT_PLUGINS=
export WAVE_CACHE_DIR WAVE_HIP_LIBRARY WAVE_RT_PLUGINS
devices=emu
sim=$bin/../tests/libsimcuda.so
if [ -e "$sim" ]; then
    devices="emu cuda:0"
    WAVE_CUDA_LIBRARY=$sim
    export WAVE_CUDA_LIBRARY
else
    skipped "a GPU: the simulated CUDA driver is not built"
fi

# The arena has 256 bytes. r0 is the buffer, r1 an address. Each result starts as 7 or as the value
# read.
cat >outside.wave <<'END'
.kernel outside
.registers 12
.workgroup_size 1, 1, 1
.local_memory 64
    mov_imm r2, 7
    mov_imm r3, 7
    mov_imm r6, 7
    mov_imm r8, 7
    mov_imm r9, 7
    device_load_u32 r2, r1
    device_store_u32 r1, r3
    atomic_add.workgroup r6, r1, r3
    local_store_u32 r1, r3
    local_load_u32 r8, r1
    local_atomic_add r9, r1, r3
    device_store_u32 r0, r2
    mov_imm r4, 4
    iadd r5, r0, r4
    device_store_u32 r5, r6
    iadd r5, r5, r4
    device_store_u32 r5, r8
    iadd r5, r5, r4
    device_store_u32 r5, r9
    iadd r5, r5, r4
    device_store_u32 r5, r4
    halt
.end
END
for device in $devices; do
    check "$device: out of bounds without --bounds" 1 "$run" outside.wave -d "$device" -b out:u32:5 -s 0x40000000 -p out
    said err "the kernel failed"
    check "$device: out of bounds with --bounds" 0 "$run" outside.wave -d "$device" --bounds -b out:u32:5 -s 0x40000000 -p out
    printf '0\n0\n0\n0\n4\n' >expected
    ok "$device: loads give 0, stores and atomics are dropped" cmp out expected
    # The last word of the arena is inside; an access that begins two bytes before the end is not.
    check "$device: the last word" 0 "$run" outside.wave -d "$device" --bounds -b out:u32:64 -s 252 -p out:u32:5
    printf '0\n7\n0\n0\n4\n' >expected
    ok "$device: is inside" cmp out expected
done

printf '.kernel check\n.registers 4\n.workgroup_size 1, 1, 1\n icmp_eq p1, r1, r0\n assert p1, 5\n mov_imm r2, 9\n device_store_u32 r0, r2\n halt\n.end\n' >check.wave
for device in $devices; do
    check "$device: a failing assert" 1 "$run" check.wave -d "$device" -b out:u32:1 -s 1 -p out
    said err "the kernel failed"
    check "$device: --assert=trap" 1 "$run" check.wave -d "$device" --assert=trap -b out:u32:1 -s 1 -p out
    check "$device: --assert=off" 0 "$run" check.wave -d "$device" --assert=off -b out:u32:1 -s 1 -p out
    ok "$device: continues" sh -c '[ "$(cat out)" = 9 ]'
    check "$device: an assert that holds" 0 "$run" check.wave -d "$device" -b out:u32:1 -s 256 -p out
done
finish "cli/wave_run_checks"
