#!/bin/sh
# wavec --fp=fast: tests/fast holds programs with a tolerance for each approximation, and examples state theirs (`;@ fast`). They
# must pass on every harness, although the harness's fast functions are off by as much as the vendor allows. Programs that compare
# bits must fail there: otherwise there is no noise, and the test proves nothing.
# Usage: scripts/check-fast.sh [BUILD]
set -u
cd "$(dirname "$0")/.." || exit 2

build=${1:-build}
passed=0
failed=0

# shellcheck source=scripts/harness-verdict.sh
. scripts/harness-verdict.sh

if python3 tests/fast/generate.py --check; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
fi
set -- tests/fast/*.wave examples/nbody.wave examples/layer_norm.wave examples/softmax.wave
count=$#
verdict "the emulator" all "$build/bin/wave-test" "$@"
for level in -O0 -O2; do
    verdict "PTX $level" all "$build/tests/wave-ptx-test" --fast --schedules=4 $level "$@"
done
for target in "hip --arch=gfx942" "hip --arch=gfx1100 --width=32" "msl --arch=metal3.2" "sycl --width=32"; do
    # shellcheck disable=SC2086 # the words are options
    verdict "$target" all "$build/tests/wave-simt-test" --target=$target --fast --schedules=4 "$@"
done
set --
for name in fdiv_edges fsqrt_edges frcp_edges frsqrt_edges no_contraction_of_loads; do
    set -- "$@" "tests/programs/arithmetic/f32/$name.wave"
done
count=$#
verdict "bits on PTX" none "$build/tests/wave-ptx-test" --fast "$@"
for target in hip msl sycl; do
    verdict "bits on $target" none "$build/tests/wave-simt-test" --target=$target --fast "$@"
done
echo "check-fast: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
