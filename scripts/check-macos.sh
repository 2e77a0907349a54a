#!/bin/sh
# Cross-builds for macOS on Apple silicon, with Apple's libc headers from zig and warnings as errors: the tools, both
# libraries, the test runners, wave-hwtest and wave-hwbench, the simulated CUDA driver. Nothing is run. metal.m needs
# frameworks that zig does not have: its syntax and types are checked against tests/metal_stub.
# Usage: scripts/check-macos.sh [option of make]...
set -u
cd "$(dirname "$0")/.." || exit 2
zig=$(sh scripts/find-zig.sh) || { echo "check-macos: zig is not installed: sh scripts/find-zig.sh --install" >&2; exit 2; }

# zig caches the compiled libc next to the tool chain: it is built once, for all checkouts.
ZIG_GLOBAL_CACHE_DIR=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/wavec/zig-cache
ZIG_LOCAL_CACHE_DIR=$ZIG_GLOBAL_CACHE_DIR
export ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR

build=build/macos
"${MAKE:-make}" WERROR=1 OS=Darwin BUILD="$build" CC="'$zig' cc -target aarch64-macos" AR="'$zig' ar" \
    "$@" all runner "$build/tests/libsimcuda.so" "$build/lib/wave/wave-rt-trial" || exit 1

# metal.m against our own declarations, but for Apple's target: features that macOS 13 lacks must be checked before use.
if "${MAKE:-make}" metal-lint METAL_LINT_CC="'$zig' cc -target aarch64-macos.13.0" METAL_LINT_MODE="-c -o $build/metal.o"; then
    passed=1
    failed=0
else
    passed=0
    failed=1
    echo "failed: metal.m does not compile"
fi
# A program for the build machine would prove nothing: each must be a Mach-O file (cffaedfe) for arm64 (0c000001).
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
# The files that hwtest and users require.
for name in bin/wave-asm bin/wave-dis bin/wave-emu bin/wave-run bin/wavec bin/wave-test tests/wave-ptx-test tests/wave-hwtest \
    tests/wave-hwbench lib/libwave.a lib/libwave_rt.a lib/libwave.dylib lib/libwave_rt.dylib; do
    [ -f "$build/$name" ] && continue
    failed=$((failed + 1))
    echo "failed: $build/$name was not built"
done
echo "macos: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
