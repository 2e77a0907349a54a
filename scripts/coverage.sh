#!/bin/sh
# make coverage: builds with gcov's counters in build/coverage, runs the test suite there, and prints the executed lines
# and branches of src/ per folder. COVERAGE_LIST=1 lists the lines that nothing reached; COVERAGE_RUN=0 only reports.
set -eu
cd "$(dirname "$0")/.."
MAKE=${MAKE:-make}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
folder=build/coverage
flags="-O0 -g --coverage -fprofile-update=atomic -DEMU_INLINE=static"

mkdir -p build
if [ "${COVERAGE_RUN:-1}" = 1 ]; then
    "$MAKE" -s -j"$jobs" BUILD=$folder CC=gcc CFLAGS="$flags" WERROR=0 all tests harden-tests >build/coverage.log 2>&1 || { tail -n 40 build/coverage.log; exit 1; }
    find $folder -name '*.gcda' -delete
    mkdir -p build/check $folder/texts
    for part in unit programs ptx cli; do
        sh scripts/run-tests.sh $folder $part >build/check/coverage-$part.log 2>&1 ||
            echo "coverage: $part failed, see build/check/coverage-$part.log"
        tail -n 1 build/check/coverage-$part.log
    done
    # Compiles what the steps of make check compile for the other targets, without running it: running is the
    # vendors' code.
    find examples tests/programs -name '*.wave' | LC_ALL=C sort >$folder/programs.list
    for way in "hip --arch=gfx942" "hip --arch=gfx942 -O0" "hip --arch=gfx1100 --width=32 -g" "hip --arch=gfx90a --bounds" \
        "hip --arch=gfx90a --fast" "sycl" "sycl -O0 -g" "sycl --bounds --width=16" "sycl --fast --width=8" \
        "msl" "msl -O0 -g" "msl --bounds --fast" "msl --arch=metal3.2" "ptx --arch=sm_90 --fast -g"; do
        # shellcheck disable=SC2046,SC2086 # words
        $folder/tests/wave2text --out=$folder/texts --target=$way $(cat $folder/programs.list) >/dev/null 2>&1 ||
            echo "coverage: wave2text --target=$way failed"
    done
    # shellcheck disable=SC2046 # one word per file
    $folder/tests/wave-fail-alloc tests/golden/multikernel.wave tests/programs/wave/reduce/reduce_add_with_continue.wave \
        tests/programs/matrix/lane/accumulate.wave | tail -n 1
fi
exec python3 scripts/coverage.py $folder ${COVERAGE_LIST:+--list}
