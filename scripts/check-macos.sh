#!/bin/sh
# Cross-builds for macOS on Apple silicon, with Apple's libc headers as zig brings them and warnings as errors: the tools,
# both libraries, the test runners, wave-hwtest and wave-hwbench, the simulated CUDA driver. Nothing of it is run. metal.m
# needs frameworks that zig does not have: its syntax and types are checked against tests/metal_stub.
# Usage: scripts/check-macos.sh [option of make]...
set -u
cd "$(dirname "$0")/.." || exit 2
zig=$(sh scripts/find-zig.sh) || { echo "check-macos: zig is not installed: sh scripts/find-zig.sh --install" >&2; exit 2; }

# zig keeps what it makes of the libc beside the tool chain: it is made once, for all checkouts.
ZIG_GLOBAL_CACHE_DIR=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/wavec/zig-cache
ZIG_LOCAL_CACHE_DIR=$ZIG_GLOBAL_CACHE_DIR
export ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR

build=build/macos
"${MAKE:-make}" WERROR=1 OS=Darwin BUILD="$build" CC="'$zig' cc -target aarch64-macos" AR="'$zig' ar" \
    "$@" all runner "$build/tests/libsimcuda.so" "$build/lib/wave/wave-rt-trial" || exit 1

# metal.m against declarations of our own, but as Apple's target: what macOS 13 lacks must be asked for before it is used.
if "${MAKE:-make}" metal-lint METAL_LINT_CC="'$zig' cc -target aarch64-macos.13.0" METAL_LINT_MODE="-c -o $build/metal.o"; then
    passed=1
    failed=0
else
    passed=0
    failed=1
    echo "failed: metal.m does not compile"
fi
# A program for the machine this runs on would prove nothing: each must be a Mach-O file (cffaedfe) for arm64 (0c000001).
for file in "$build"/bin/* "$build"/tests/wave-* "$build"/lib/libwave.dylib "$build"/lib/libwave_rt.dylib \
    "$build/tests/libsimcuda.so" "$build/lib/wave/wave-rt-trial"; do
    [ -f "$file" ] || continue
    if [ "$(od -An -tx1 -N8 "$file" | tr -d ' \n')" = cffaedfe0c000001 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $file is not a program for macOS on Apple silicon"
    fi
done
# What hwtest and a user cannot do without.
for name in bin/wave-asm bin/wave-dis bin/wave-emu bin/wave-run bin/wavec bin/wave-test tests/wave-ptx-test tests/wave-hwtest \
    tests/wave-hwbench lib/libwave.a lib/libwave_rt.a lib/libwave.dylib lib/libwave_rt.dylib; do
    [ -f "$build/$name" ] && continue
    failed=$((failed + 1))
    echo "failed: $build/$name was not built"
done
echo "macos: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
