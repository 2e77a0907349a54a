#!/bin/sh
# Every example and test program as SYCL: through Intel's device compiler and on its CPU device, and through the host
# compiler with the launchers. The driver's own test comes first. See docs/inside/testing-sycl.md.
# Usage: scripts/check-sycl.sh [BUILD] --representative          tests/representative.txt, each program in the way named there
#        scripts/check-sycl.sh [BUILD] [--all] [FILE.wave...]    32 lanes -O0, 64 lanes -O2; --all: also 4, 8, 16 lanes,
#                                                                32 -O2, 64 -O0, --bounds, a long kernel
# make check runs every program at 32 lanes with -O2 through the runtime: scripts/check-hwtest.sh.
# Runs that have passed with the same text, launch and run time are not repeated: sycl-passed.list in the cache remembers them.
set -u
cd "$(dirname "$0")/.." || exit 2

build=build
all=
[ $# -eq 0 ] || { build=$1 && shift; }
representative=
case ${1:-} in
--all) all=1 && shift ;;
--representative) representative=1 && shift ;;
esac

if ! root=$(sh scripts/find-sycl.sh --install); then
    echo "left out: Intel's SYCL run time is not installed, and installing it failed"
    [ "${CI:-}" != true ]
    exit
fi
${MAKE:-make} -s "BUILD=$build" sycl-tests || exit 1

[ $# -gt 0 ] || {
    # shellcheck disable=SC2046 # one word per file
    set -- $(find examples tests/programs -name '*.wave' | LC_ALL=C sort)
}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
log=$build/tests/sycl.log
host="${CXX:-c++} -std=c++17 -fsyntax-only -Wall -Wextra -Werror -isystem $root/include"
passed=0
failed=0

# run NAME COMMAND...: adds the figures of the summary line, and shows the log if something failed.
run() {
    name=$1
    shift
    begin=$(date +%s)
    "$@" >"$log" 2>&1
    status=$?
    # shellcheck disable=SC2046 # two words
    set -- $(sed -n -e 's/^/ /' -e 's/.*[^0-9]\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed.*/\1 \2/p' "$log" | tail -n 1)
    good=${1:-0}
    bad=${2:-1}
    [ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
    echo "sycl, $name: $good passed, $bad failed ($(($(date +%s) - begin)) s)"
    [ "$bad" -eq 0 ] || sed 's/^/    /' "$log" | tail -n 60
    passed=$((passed + good))
    failed=$((failed + bad))
}

run "the driver itself" "$build/tests/wave-sycl-selftest" "$host" "$build/tests/sycl-unit"
test=$build/tests/wave-sycl-test
cache=$(python3 tests/tools/cache.py folder)
mkdir -p "$cache"
if [ -n "$representative" ]; then
    set -- "--cache=$cache/sycl-passed.list" "--jobs=$jobs"
    sed -n 's/^sycl \(.*\) [^ ]*$/\1/p' tests/representative.txt | sort -u >"$build/tests/sycl-ways"
    while read -r way; do
        # shellcheck disable=SC2046,SC2086 # options and files are words
        run "$way" "$test" $way "$@" $(sed -n "s|^sycl $way \([^ ]*\)\$|\1|p" tests/representative.txt) </dev/null
    done <"$build/tests/sycl-ways"
    # shellcheck disable=SC2046 # one word per file
    run "launchers" "$test" --arch=gpu "--host-check=$host" "--scratch=$build/tests/sycl-unit" --width=32 "$@" \
        $(sed -n 's/^sycl .* \([^ ]*\)$/\1/p' tests/representative.txt | sort -u)
    echo "check-sycl: $passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
    exit
fi
set -- "--cache=$cache/sycl-passed.list" "--jobs=$jobs" "$@"
run "launchers" "$test" --arch=gpu "--host-check=$host" "--scratch=$build/tests/sycl-unit" --width=32 "$@"
# Without the f16 GEMM: the compiler of the CPU device needs minutes for a GPU's conversions (docs/reference/sycl.md, cvt_f32_f16).
# Its CPU form runs below, and its GPU form on the lane harness.
# shellcheck disable=SC2046 # one word per file
run "examples compiled as for a GPU, except gemm_mma" "$test" --arch=gpu "--cache=$cache/sycl-passed.list" "--jobs=$jobs" $(find examples -name '*.wave' ! -name gemm_mma.wave | LC_ALL=C sort)
run "approximations" "$test" --fast --width=32 "--cache=$cache/sycl-passed.list" tests/fast/*.wave examples/nbody.wave
run "waves of 32 lanes, -O0" "$test" -O0 --width=32 "$@"
run "waves of 64 lanes, -O2" "$test" -O2 --width=64 "$@"
if [ -n "$all" ]; then
    run "waves of 64 lanes, -O0" "$test" -O0 --width=64 "$@"
    run "waves of 32 lanes, -O2" "$test" -O2 --width=32 "$@"
    run "--bounds" "$test" --bounds -O2 --width=32 "$@"
    run "waves of 4, 8 and 16 lanes" "$test" --width=4 --width=8 --width=16 "$@"
    python3 tests/tools/long_program.py 100000 >"$build/tests/long.wave"
    run "a block of 100,000 instructions" "$test" -O2 --width=32 "$build/tests/long.wave"
    run "launchers with --bounds" "$test" "--host-check=$host" "--scratch=$build/tests/sycl-unit" --bounds --width=64 "$@"
fi
echo "check-sycl: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
