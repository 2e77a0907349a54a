#!/bin/sh
# wavec --deterministic: tests/deterministic holds float sums whose bits depend on the order of the lanes. Compiled with it they
# produce the emulator's bits on every target, whatever the schedule. Without it every harness must show a difference: otherwise the
# test proves nothing.
# Usage: scripts/check-deterministic.sh [BUILD]
set -u
cd "$(dirname "$0")/.." || exit 2

build=${1:-build}
passed=0
failed=0

# shellcheck source=scripts/harness-verdict.sh
. scripts/harness-verdict.sh

set -- tests/deterministic/*.wave
count=$#
verdict "the emulator" all "$build/bin/wave-test" "$@"
for level in -O0 -O2; do
    verdict "PTX $level" all "$build/tests/wave-ptx-test" --deterministic $level "$@"
done
for target in "hip --arch=gfx942" "hip --arch=gfx1100 --width=32" "msl --arch=metal3.2" "sycl --width=32" "hip --bounds"; do
    # shellcheck disable=SC2086 # the words are options
    verdict "$target" all "$build/tests/wave-simt-test" --target=$target --deterministic "$@"
done
verdict "PTX without the option" some "$build/tests/wave-ptx-test" "$@"
for target in hip msl sycl; do
    verdict "$target without the option" some "$build/tests/wave-simt-test" --target=$target "$@"
done
echo "check-deterministic: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
