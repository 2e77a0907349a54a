#!/bin/sh
# Tiles on matrix units (docs/reference/tiles.md): every program with tiles compiled with --mma=native, on the PTX interpreter and on the lane
# harness with AMD's and Metal's instructions and SYCL's joint matrices, which Intel's device compiler also compiles.
# Usage: scripts/check-tiles.sh [BUILD]
set -u
cd "$(dirname "$0")/.." || exit 2

build=${1:-build}
failed=0

run() {
    "$@" || failed=1
}

# With --mma=native a stride that is known only at launch must be one that the units support.
# shellcheck disable=SC2046 # one word per file
set -- $(find tests/programs/matrix/wave -name '*.wave' ! -name stride_of_the_launch.wave | LC_ALL=C sort) examples/gemm_mma.wave
for arch in 75 80; do
    run "$build/tests/wave-ptx-test" --arch=$arch --mma=native "$@"
done
for arch in gfx90a gfx942 gfx1100 gfx1030; do
    run "$build/tests/wave-simt-test" --target=hip --arch=$arch --mma=native "$@"
done
run "$build/tests/wave-simt-test" --target=msl --mma=native "$@"
run "$build/tests/wave-simt-test" --target=sycl --arch=pvc --width=16 --mma=native "$@"
run "$build/tests/wave-simt-test" --target=sycl --arch=dg2 --width=8 --mma=native "$@"

# Random values: units with the bits of a model, which the emulator also has, or with other bits; within the bound of ISA.md 9.2.
random() {
    run "$@" tests/programs/matrix/wave/mma_f16_within_bound.wave tests/programs/matrix/wave/mma_bf16_within_bound.wave
}
for arch in 75 80 90; do
    random "$build/tests/wave-ptx-test" --arch=$arch --mma=sm_$arch
done
for arch in gfx90a gfx942; do
    random "$build/tests/wave-simt-test" --target=hip --arch=$arch --mma=$arch
done
random "$build/tests/wave-simt-test" --target=hip --arch=gfx1100 --mma=other
random "$build/tests/wave-simt-test" --target=msl --arch=metal3.1 --mma=other
random "$build/tests/wave-simt-test" --target=sycl --arch=pvc --width=16 --mma=other
random "$build/tests/wave-simt-test" --target=sycl --arch=dg2 --width=8 --mma=other

# Where the CPU has AMX, the programs with bf16 run on its units, within the bound; all others are only compiled, and listed. AMX
# flushes subnormals, unlike the GPUs that the texts are for. And on its own CPU device Intel's compiler makes the 80 joint matrices of
# tile_banks end in an invalid instruction.
if sh scripts/find-sycl.sh --cpu >/dev/null; then
    run ${MAKE:-make} -s "BUILD=$build" sycl-tests
    # shellcheck disable=SC2046 # one word per file
    set -- $(grep -lE 'mma_b?f16_f32' "$@" | grep -vE 'layouts|in_order|of_integers')
    not_on_amx='bf16_special_values|tile_banks'
    for way in "--arch=pvc --width=16" "--arch=dg2 --width=8"; do
        # shellcheck disable=SC2046,SC2086 # options and files are words
        run "$build/tests/wave-sycl-test" $way --mma=native -O2 $(printf '%s\n' "$@" | grep -vE "$not_on_amx")
        # shellcheck disable=SC2046,SC2086
        run "$build/tests/wave-sycl-test" $way --mma=native -O2 --only-compile $(printf '%s\n' "$@" | grep -E "$not_on_amx")
    done
else
    echo "left out: Intel's SYCL run time is not installed"
    [ "${CI:-}" != true ] || failed=1
fi
exit "$failed"
