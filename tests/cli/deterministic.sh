#!/bin/sh
# W_ORDER, and wavec --deterministic: which float sums are ordered and which are rejected (docs/reference/memory-model.md).
# scripts/check-deterministic.sh shows by execution that the order is right. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
wavec=$bin/wavec

# kernel THREADS CODE: r0 is an address, r1 a float
kernel() {
    printf '.kernel k\n.registers 8\n.workgroup_size %s, 1, 1\n.local_memory 64\n    mov_imm r5, 0\n    mov_sr r6, sr_lane_id\n%s\n    halt\n.end\n' "$1" "$2" >k.wave
}
all_targets() {
    for target in ptx hip sycl msl; do status "$1" "$wavec" --deterministic --target=$target k.wave -o k.text && has err "$2" || return 1; done
}

kernel 32 "    local_atomic_fadd r0, r1"
check "the lanes of a wave" 0 "$wavec" --check k.wave
said err "k.wave:7:5: warning: W_ORDER: the sum depends on the order of its additions, made by the lanes of a wave"
check "when compiling" 0 "$wavec" --target=all k.wave
ok "once, not for every target" sh -c '[ "$(grep -c W_ORDER err)" = 1 ]'
check "in order" 0 "$wavec" --deterministic --target=all k.wave
silent err
check "ordered: at -O0" 0 "$wavec" --deterministic --target=all -O0 --verify-ir k.wave
check "ordered: a fence after every lane" 0 "$wavec" --deterministic --dump-ir=sums k.wave
said out "fence(acq_rel, wave)"
check "without the option" 0 "$wavec" --dump-ir=sums k.wave
ok "without the option: no fence" lacks out fence
"$wavec" --deterministic --dump-ir=build k.wave >k.ir 2>/dev/null
check "from IR" 0 "$wavec" --deterministic --parse-ir --target=ptx k.ir -o k.ptx

kernel 32 "    local_atomic_fadd r4, r0, r1
    device_store_u32 r0, r4"
check "an old value that is used" 0 "$wavec" --check k.wave
said err "W_ORDER"
ok "an old value that is used: refused" all_targets 1 "E_ORDER: the order of this sum cannot be fixed: the additions are made by the lanes of a wave, and the old value is used"
kernel 128 "    local_atomic_fadd r0, r1"
ok "several waves: refused" all_targets 1 "by a workgroup that may have several waves"
kernel 64 "    local_atomic_fadd r0, r1"
check "64 threads are one wave of 64" 0 "$wavec" --deterministic --target=hip --arch=gfx942 k.wave
check "64 threads are two waves of 32" 1 "$wavec" --deterministic --target=hip --arch=gfx1100 k.wave
printf '.kernel k\n.registers 8\n    local_atomic_fadd r0, r1\n    halt\n.end\n' >k.wave
ok "an open workgroup: refused" all_targets 1 "by a workgroup that may have several waves"
kernel 1 "    atomic_fadd r0, r1, .device"
check "device memory" 0 "$wavec" --check k.wave
said err "W_ORDER: the sum depends on the order of its additions, made by a grid, whose workgroups run in any order"
ok "device memory: refused" all_targets 1 "E_ORDER"

kernel 1 "    local_atomic_fadd r0, r1"
check "one thread" 0 "$wavec" --check k.wave
silent err
check "one thread: compiles" 0 "$wavec" --deterministic --target=all k.wave
kernel 32 "    icmp_eq p1, r6, r5
    if p1
        local_atomic_fadd r0, r1
    endif"
check "one lane of the only wave" 0 "$wavec" --check k.wave
silent err
kernel 32 "    local_atomic_add r0, r1"
check "integers" 0 "$wavec" --deterministic --check k.wave
silent err
finish deterministic
