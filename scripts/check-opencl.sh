#!/bin/sh
# The OpenCL kernels of tests/opencl, compiled by wave-cc: on the emulator, and as assembly, with their launches, on the harnesses
# of all targets as other programs are.
# Usage: scripts/check-opencl.sh BUILD [--all]
#   --all   on every harness, from clang's unoptimised code too; without, all on the emulator and as PTX
set -eu
cd "$(dirname "$0")/.."
build=${1:?usage: $0 BUILD [--all]}
all=${2:-}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
made=$build/opencl
rm -rf "$made"

# compile FOLDER FLAG: every kernel as FOLDER/….wave.
compile() {
    find tests/opencl -name '*.cl' | LC_ALL=C sort >"$made.list"
    sed 's|/[^/]*$||' "$made.list" | LC_ALL=C sort -u | while read -r folder; do mkdir -p "$1/$folder"; done
    # shellcheck disable=SC2016 # for the other shell
    BIN=$build/bin TO=$1 FLAG=$2 xargs -P "$jobs" -n 1 sh -c '"$BIN/wave-cc" "$FLAG" -S "$1" -o "$TO/${1%.cl}.wave"' sh <"$made.list"
}

# widen FOLDER: copies the kernels in $from to FOLDER, which becomes $from. Those that list no widths get waves of 64 lanes.
widen() {
    mkdir -p "$1"
    programs "$from" | while read -r file; do
        {
            grep -q '^;@ widths' "$file" || echo ';@ widths  64'
            cat "$file"
        } >"$1/$(echo "${file#"$from"/}" | tr / -)"
    done
    from=$1
}

programs() {
    find "$1" -name '*.wave' | LC_ALL=C sort
}

# run PROGRAM FLAGS...: runs it on the kernels in $from and prints the sum.
run() {
    printf '%s: ' "$(basename "$*")"
    # shellcheck disable=SC2046 # one word per file; names of programs contain no blanks
    "$@" $(programs "$from") >"$made.log" 2>&1 || {
        echo failed
        tail -n 60 "$made.log"
        exit 1
    }
    tail -n 1 "$made.log"
}

compile "$made/O2" -O2
from=$made/O2
run "$build/bin/wave-test"
run "$build/tests/wave-ptx-test"
[ "$all" = --all ] || exit 0
widen "$made/W64"
run "$build/tests/wave-simt-test" --target=hip --arch=gfx942
from=$made/O2
run "$build/tests/wave-simt-test" --target=hip --arch=gfx1100
run "$build/tests/wave-simt-test" --target=msl --arch=metal3.2
run "$build/tests/wave-simt-test" --target=sycl
[ ! -x "$build/tests/wave-sycl-test" ] || run "$build/tests/wave-sycl-test"
compile "$made/O0" -O0
from=$made/O0
run "$build/bin/wave-test"
run "$build/tests/wave-ptx-test"
run "$build/tests/wave-simt-test" --target=hip --arch=gfx1100
