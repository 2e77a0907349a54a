#!/bin/sh
# wavec --deterministic: tests/deterministic holds float sums whose bits depend on the order of the lanes. Compiled with it they give
# the emulator's bits on every target, whatever the schedule. Without it every harness must show a difference: otherwise the
# test proves nothing. Usage: scripts/check-deterministic.sh [BUILD]
set -u
cd "$(dirname "$0")/.." || exit 2

build=${1:-build}
log=$build/tests/deterministic.log
passed=0
failed=0

# verdict NAME GOOD COMMAND...: GOOD is 1 when all programs must pass, 0 when one must fail.
verdict() {
    name=$1
    good=$2
    shift 2
    "$@" >"$log" 2>&1
    status=$?
    right=$(sed -n -e 's/^/ /' -e 's/.*[^0-9]\([0-9][0-9]*\) passed, .*/\1/p' "$log" | tail -n 1)
    if [ "$good" -eq 1 ] && [ "$status" -eq 0 ] && [ "${right:-0}" -eq "$count" ]; then
        passed=$((passed + 1))
    elif [ "$good" -eq 0 ] && [ "$status" -ne 0 ] && grep 'failed' "$log" >/dev/null; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name: ${right:-0} of $count passed"
        tail -n 20 "$log"
    fi
}

set -- tests/deterministic/*.wave
count=$#
verdict "the emulator" 1 "$build/bin/wave-test" "$@"
for level in -O0 -O2; do
    verdict "PTX $level" 1 "$build/tests/wave-ptx-test" --deterministic $level "$@"
done
for target in "hip --arch=gfx942" "hip --arch=gfx1100 --width=32" "msl --arch=metal3.2" "sycl --width=32" "hip --bounds"; do
    # shellcheck disable=SC2086 # the words are options
    verdict "$target" 1 "$build/tests/wave-simt-test" --target=$target --deterministic "$@"
done
verdict "PTX without the option" 0 "$build/tests/wave-ptx-test" "$@"
for target in hip msl sycl; do
    verdict "$target without the option" 0 "$build/tests/wave-simt-test" --target=$target "$@"
done
echo "check-deterministic: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
