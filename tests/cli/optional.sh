#!/bin/sh
# The optional features of S0 that ISA.md 2.9 encodes: cache hints and W_HINT, wave_ballot64 and W_BALLOT_WIDTH, 64-bit
# atomics and E_TARGET_ATOMIC64. tests/programs shows what they compute. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
wavec=$bin/wavec

# --- Cache hints ------------------------------------------------------------------------------------

cat >hint.wave <<'END'
.kernel k
.registers 16
    device_load_u32.uncached r4, r0
    device_load_u64.streaming r6, r1
    device_load_u32.cached r8, r2
    device_store_u32.uncached r1, r4
    device_store_u64.streaming r3, r6
    device_store_u32 r2, r8
    halt
.end
END
check "hints" 0 "$bin/wave-asm" hint.wave -o hint.wbin
silent err
check "hints: disassembled" 0 "$bin/wave-dis" hint.wbin -o again.wave
ok "hints: survive; the plain form has none" sh -c 'sed "s/\.cached//" hint.wave | diff - again.wave'
check "hints: assembled again" 0 "$bin/wave-asm" again.wave -o again.wbin
ok "hints: the same bytes" cmp hint.wbin again.wbin
check "upstream ignores them" 0 "$bin/wave-asm" --compat-upstream hint.wave -o plain.wbin
silent err
check "upstream: plain loads and stores" 0 "$bin/wave-dis" plain.wbin -o plain.wave
ok "upstream: no hint is left" lacks plain.wave "cached"
check "PTX" 0 "$wavec" --target=ptx hint.wave -o -
for line in ld.global.cv.u32 ld.global.cs.v2.b32 ld.global.u32 st.global.wt.u32 st.global.cs.v2.b32 st.global.u32; do
    ok "PTX: one $line" sh -c '[ "$(grep -c "^    $1 " out)" = 1 ]' sh "$line"
done
check "HIP" 0 "$wavec" --target=hip hint.wave -o -
ok "HIP: two loads, two stores" sh -c '[ "$(grep -c "= __builtin_nontemporal_load(" out)" = 2 ] && [ "$(grep -c " __builtin_nontemporal_store(" out)" = 2 ]'
for target in sycl msl; do
    check "$target has no form for them" 0 "$wavec" --target=$target hint.wave -o -
    ok "$target: the same text as without" sh -c '"$1" --target=$2 plain.wave -o - | grep -v "^//" >plain.text; grep -v "^//" out | diff - plain.text' sh "$wavec" $target
done
check "IR as text" 0 "$wavec" --dump-ir=build hint.wave
said out "load(device, 4, +0, uncached)"
said out "store(device, 8, +0, streaming)"
cp out hint.ir
check "IR as text: read again" 0 "$wavec" --parse-ir --target=ptx hint.ir -o -
said out "ld.global.cs.v2.b32"

printf '.kernel k\n    iadd.streaming r1, r2, r3\n    local_load_u32.uncached r1, r2\n    wave_ballot.cached r1, p1\n    halt\n.end\n' >wrong.wave
check "a hint elsewhere" 0 "$bin/wave-asm" wrong.wave
said err "wrong.wave:2:9: warning: W_HINT: iadd takes no cache hint: '.streaming' is ignored"
said err "wrong.wave:3:19: warning: W_HINT: local_load_u32"
said err "wrong.wave:4:16: warning: W_HINT: wave_ballot"
check "a hint elsewhere, warnings as errors" 1 "$bin/wave-asm" -W error wrong.wave
check "a hint elsewhere, as upstream" 0 "$bin/wave-asm" --compat-upstream wrong.wave
silent err

# --- Ballots ----------------------------------------------------------------------------------------

printf '.kernel k\n    wave_ballot r1, p1\n    wave_ballot r2, p2\n    device_store_u32 r0, r1\n    call f\n    call f\n    halt\nf:\n    wave_ballot r3, p1\n    return\n.end\n' >ballot.wave
check "a target of 64 lanes" 0 "$wavec" --target=hip --arch=gfx942 ballot.wave
said err "ballot.wave:2:5: warning: W_BALLOT_WIDTH: wave_ballot covers lanes 0 to 31, but the target's waves have 64 lanes"
said err "wave_ballot64"
ok "once for each place" sh -c '[ "$(grep -c W_BALLOT_WIDTH err)" = 3 ]'
for arguments in --target=ptx "--target=hip --arch=gfx1100" --target=msl "--target=sycl --wave-width=16"; do
    # shellcheck disable=SC2086 # several words
    check "no more than 32 lanes: $arguments" 0 "$wavec" $arguments ballot.wave
    ok "no more than 32 lanes: $arguments: no warning" lacks err W_BALLOT_WIDTH
done
check "of several targets" 0 "$wavec" --target=ptx --target=hip --arch=gfx942 --arch=gfx90a ballot.wave
ok "of several targets: once for each place" sh -c '[ "$(grep -c W_BALLOT_WIDTH err)" = 3 ]'
check "--check at a width" 0 "$wavec" --check --wave-width=64 ballot.wave
ok "--check at a width: three" sh -c '[ "$(grep -c W_BALLOT_WIDTH err)" = 3 ]'
check "--check" 0 "$wavec" --check ballot.wave
ok "--check: 32 lanes" lacks err W_BALLOT_WIDTH
check "wave-emu" 0 "$bin/wave-emu" ballot.wave --wave-width 64 --workgroup 64
said err "Warning: workgroup (0,0,0), wave 0: wave_ballot covers lanes 0 to 31, but the wave has 64 lanes [W_BALLOT_WIDTH]"
ok "wave-emu: once for each place" sh -c '[ "$(grep -c W_BALLOT_WIDTH err)" = 3 ]'
check "wave-emu of 32 lanes" 0 "$bin/wave-emu" ballot.wave --workgroup 64
ok "wave-emu of 32 lanes: no warning" lacks err W_BALLOT_WIDTH
sed 's/wave_ballot r\([123]\)/wave_ballot64 r1\1/' ballot.wave >wide.wave
check "wave_ballot64" 0 "$wavec" --target=hip --arch=gfx942 wide.wave
ok "wave_ballot64: no warning" lacks err W_BALLOT_WIDTH

# --- 64-bit atomics ---------------------------------------------------------------------------------

printf '.kernel k\n.registers 16\n    atomic64_add r4, r0, r2, .device\n    local_atomic64_imax r0, r2\n    device_store_u64 r0, r4\n    halt\n.end\n' >atomic.wave
check "PTX" 0 "$wavec" --target=ptx atomic.wave -o -
said out "atom.relaxed.gpu.global.add.u64"
said out "red.relaxed.cta.shared.max.s64"
check "HIP" 0 "$wavec" --target=hip atomic.wave -o -
said out "__hip_atomic_fetch_add((mem_u64 *)"
check "SYCL" 0 "$wavec" --target=sycl atomic.wave -o -
said out "// The device must have sycl::aspect::atomic64."
said out "wave_atomic<uint64_t, sycl::memory_scope::device>"
for level in -O0 -O2; do
    check "Metal at $level" 1 "$wavec" --target=msl $level atomic.wave -o out.metal
    said err "atomic.wave:3:5: error: E_TARGET_ATOMIC64: the kernel has 64-bit atomics"
    said err "use 32-bit atomics"
    ok "Metal at $level: nothing is written" absent out.metal
done
check "all targets but Metal" 1 "$wavec" --target=all atomic.wave -o ./
said err "nothing is written for msl"
for file in atomic.ptx atomic.hip atomic.sycl.cpp; do ok "all targets but Metal: $file" test -s $file; done
check "IR as text" 0 "$wavec" --dump-ir=build atomic.wave
said out "atomic(device, add, device, +0, 64)"
cp out atomic.ir
check "IR as text: read again" 0 "$wavec" --parse-ir --target=ptx atomic.ir -o -
said out "atom.relaxed.gpu.global.add.u64"
check "the features of a kernel" 0 "$wavec" --check atomic.wave
said out "atomic64"
check "the features of a kernel, for host code" 0 "$wavec" --reflect atomic.wave
said out '"uses": ["local", "atomic", "atomic64"]'
printf '.kernel k\n    tile_fill_c_i32 t0, r0\n    halt\n.end\n' >tile.wave
check "a tile: the features of the kernel" 0 "$wavec" --check tile.wave
said out "tile"

printf '.kernel k\n.arg word buffer u64 inout\n.reg old:2, i\n    mov i, 1\n    atomic64_add old, [word + i*8 + 8], 3, .device\n    atomic64_cas [word], old, 0x100000000, .device\n    device_store_u64 [word + 24], old\n    halt\n.end\n' >comfort.wave
check "addresses in brackets, immediates, names" 0 "$bin/wave-asm" comfort.wave -o comfort.wbin
check "addresses in brackets, immediates, names: run" 0 "$bin/wave-emu" comfort.wbin --workgroup 1 --arg word=out:32 --dump-u32 word:8
ok "addresses in brackets, immediates, names: memory" sh -c '[ "$(tr "\n" " " <out)" = "0 1 0 0 3 0 0 0 " ]'
finish optional
