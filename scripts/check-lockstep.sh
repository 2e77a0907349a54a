#!/bin/sh
# --wave-order=lockstep: tests/lockstep holds programs that assume that the lanes of a wave run in lockstep. Compiled with it
# they produce the emulator's memory on every target. Without it every harness must show the difference: otherwise the test
# proves nothing.
# Usage: scripts/check-lockstep.sh [BUILD]
set -u
cd "$(dirname "$0")/.." || exit 2

build=${1:-build}
passed=0
failed=0

# shellcheck source=scripts/harness-verdict.sh
. scripts/harness-verdict.sh

set -- tests/lockstep/*.wave
count=$#
verdict "the emulator" all "$build/bin/wave-test" --lockstep "$@"
verdict "the race checker without the option" none "$build/bin/wave-test" "$@"
for level in -O0 -O2; do
    verdict "PTX $level" all "$build/tests/wave-ptx-test" --lockstep $level "$@"
done
for target in "hip --arch=gfx942" "hip --arch=gfx1100 --width=32" "msl --arch=metal3.2" "msl --arch=metal3.0" "sycl --width=16" "hip --bounds"; do
    # shellcheck disable=SC2086 # the words are options
    verdict "$target" all "$build/tests/wave-simt-test" --target=$target --lockstep "$@"
done
verdict "PTX without the option" none "$build/tests/wave-ptx-test" "$@"
for target in hip msl sycl; do
    verdict "$target without the option" none "$build/tests/wave-simt-test" --target=$target "$@"
done
# Every program that is correct without it stays correct.
# shellcheck disable=SC2046 # one word per file
set -- $(find tests/programs/sync tests/programs/memory tests/programs/matrix/lane -name '*.wave' | LC_ALL=C sort)
"$build/tests/wave-ptx-test" --lockstep "$@" >"$build/tests/lockstep.log" 2>&1
if [ $? -eq 0 ]; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    grep -v '^ok' "$build/tests/lockstep.log" | tail -n 20
fi
echo "check-lockstep: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
