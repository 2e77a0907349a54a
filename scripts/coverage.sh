#!/bin/sh
# make coverage: builds with gcov's counters in build/coverage, runs the test suite there, prints lines and branches of
# src/ that were executed, for each folder. COVERAGE_LIST=1 lists the lines nothing reached; COVERAGE_RUN=0 only reports.
set -eu
cd "$(dirname "$0")/.."
MAKE=${MAKE:-make}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
folder=build/coverage
flags="-O0 -g --coverage -fprofile-update=atomic"

mkdir -p build
if [ "${COVERAGE_RUN:-1}" = 1 ]; then
    "$MAKE" -s -j"$jobs" BUILD=$folder CC=gcc CFLAGS="$flags" WERROR=0 all tests harden-tests >build/coverage.log 2>&1 || { tail -n 40 build/coverage.log; exit 1; }
    find $folder -name '*.gcda' -delete
    mkdir -p build/check
    for part in unit programs ptx cli; do
        sh scripts/run-tests.sh $folder $part >build/check/coverage-$part.log 2>&1 ||
            echo "coverage: $part failed, see build/check/coverage-$part.log"
        tail -n 1 build/check/coverage-$part.log
    done
    # shellcheck disable=SC2046 # one word a file
    $folder/tests/wave-fail-alloc $(cat tests/harden/files.txt) | tail -n 1
fi
exec python3 scripts/coverage.py $folder ${COVERAGE_LIST:+--list}
