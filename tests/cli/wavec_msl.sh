#!/bin/sh
# wavec --target=msl from the outside: the file it writes, versions, and kernels that Metal cannot express. Run with
# WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
wavec=$bin/wavec

# kernel FILE DIRECTIVE INSTRUCTION...: one kernel `k`
kernel() {
    to=$1
    directive=$2
    shift 2
    {
        echo ".kernel k"
        echo ".registers 16"
        [ -z "$directive" ] || echo "$directive"
        for line in "$@"; do echo "    $line"; done
        echo "    halt"
        echo ".end"
    } >"$to"
}

kernel plain.wave ".workgroup_size 64, 1, 1" "wave_reduce_add r2, r1" "device_store_u32 r0, r2"
check "a file next to the source" 0 "$wavec" --target=msl plain.wave
ok "its name" test -s plain.metal
ok "the default version" has plain.metal "WAVE kernels for metal3.2, 32 lanes to a wave"
ok "how to compile it" has plain.metal "metal -std=metal3.2 -O2 -fno-fast-math -ffp-contract=off"
ok "the entry" has plain.metal "kernel void k("
ok "its arguments" has plain.metal "constant k_args &args [[buffer(1)]]"
ok "the sum" has plain.metal "simd_sum(args.r[1])"
for version in 3.0 3.1 3.2; do
    check "metal$version" 0 "$wavec" --target=msl --arch=metal$version -o - plain.wave
    said out "WAVE kernels for metal$version"
    said out "-std=metal$version"
done
check "an unknown version" 1 "$wavec" --target=msl --arch=metal2.4 -o out.metal plain.wave
said err "E_TARGET_LIMIT"
ok "nothing is written" absent out.metal
check "another width" 1 "$wavec" --target=msl --wave-width=64 -o out.metal plain.wave
said err "E_TARGET_LIMIT"

kernel wide.wave "" "dadd r2, r4, r6" "device_store_u64 r0, r2"
for level in -O0 -O2; do
    check "f64 at $level" 1 "$wavec" --target=msl $level -o out.metal wide.wave
    said err "wide.wave:3:5: error: E_TARGET_F64: the kernel computes with f64"
    said err "Metal has no double"
    ok "nothing is written" absent out.metal
done
kernel unused.wave "" "dadd r2, r4, r6" "device_store_u32 r0, r1"
for level in -O0 -O2; do
    check "unused f64 at $level" 1 "$wavec" --target=msl $level -o out.metal unused.wave
    said err "E_TARGET_F64"
done

kernel fence.wave "" "device_store_u32 r0, r1" "fence_release .device"
check "a fence as 3.2" 0 "$wavec" --target=msl -o - fence.wave
said out "thread_scope_device"
for version in 3.0 3.1; do
    check "a fence as $version" 1 "$wavec" --target=msl --arch=metal$version -o out.metal fence.wave
    said err "E_TARGET_FENCE: a fence beyond the wave"
    said err "metal3.2"
done

kernel local.wave ".local_memory 32768" "local_store_u32 r0, r1"
check "32 KiB of local memory" 0 "$wavec" --target=msl -o - local.wave
said out "alignas(16) threadgroup uchar local[32768];"
kernel local.wave ".local_memory 32772" "local_store_u32 r0, r1"
check "more than that" 1 "$wavec" --target=msl -o out.metal local.wave
said err "E_TARGET_LIMIT"
said err "32772 bytes of local memory"

kernel assert.wave "" "ucmp_lt p1, r0, r1" "assert p1, 41"
check "assert" 0 "$wavec" --target=msl -o - assert.wave
said out "device atomic_uint *status [[buffer(2)]]"
said out "wave_fail(status, 41u)"
check "assert left out" 0 "$wavec" --target=msl --assert=off -o - assert.wave
ok "no status" lacks out "status"
check "bounds" 0 "$wavec" --target=msl --bounds -o - plain.wave
said out "constant ulong &mem_size [[buffer(3)]]"

# C++ lets a compiler assume that a loop ends. Here it could leave out the loop, conclude that r0 is below 1000, and leave
# out the test of the local store. In clang's code the test is a compare with 1020 or 1021.
kernel spin.wave ".local_memory 1024" "mov_imm r2, 1000" "loop" "ucmp_lt p1, r0, r2" "break p1" "endloop" "local_store_u32 r0, r1" \
    "mov_imm r4, 0" "fence_acq_rel .wave" "local_load_u32 r3, r4" "device_store_u32 r1, r3"
check "bounds after a loop" 0 "$wavec" --target=msl --bounds -o spin.metal spin.wave
sed '/^ *wave_turn();/d' spin.metal >bare.metal
clang=$(sh "$tests/../scripts/find-clang.sh" 2>/dev/null) || clang=
optimised() { # optimised FILE: clang's code for FILE.metal, in FILE.ll
    # shellcheck disable=SC2046 # the flags are words
    "$clang" $(grep -v '^#' "$tests/msl/clang-flags.txt" | sed 's/-fsyntax-only//') -w -I "$tests/msl/include" -D__METAL_VERSION__=320 \
        -O2 -ffinite-loops -S -emit-llvm -o "$1.ll" "$1.metal"
}
tested() { grep -Eq 'icmp u[lg]t .*, 102[01]$' "$1.ll"; }
kept() { grep -q 'store volatile' "$1.ll" || tested "$1"; }
dropped() { has "$1.ll" "store i32" && ! kept "$1"; }
if [ -n "$clang" ]; then
    ok "clang reads it" optimised spin
    ok "the loop stays, or the test of the store" kept spin
    ok "clang reads it with a plain loop" optimised bare
    ok "there clang drops both" dropped bare
else
    skipped "bounds after a loop through clang: it is not installed"
fi
check "fast mathematics" 0 "$wavec" --target=msl --fp=fast -o - plain.wave
ok "the rest stays exact" has out "#pragma METAL fp math_mode(safe)"

finish "wavec_msl"
