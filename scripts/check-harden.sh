#!/bin/sh
# Failing allocations, and threads: in the release build, under ASan and UBSan (the build of the fuzz targets) and under
# ThreadSanitizer. tests/unit/test_rt_alloc.c does the same for the runtime.
# Usage: scripts/check-harden.sh     builds what it needs; tests/harden/files.txt lists the input files, besides the SPIR-V
# modules of the fuzz target
set -eu
cd "$(dirname "$0")/.."
MAKE=${MAKE:-make}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
python3 tests/fuzz/corpus.py unpack build/tests/corpus
all="$(cat tests/harden/files.txt) $(ls build/tests/corpus/fuzz_spirv/*)"
# ASan takes ten times as long, so only: the file with every instruction, one with several kernels, one with a loop.
few="tests/golden/allops.wave tests/golden/multikernel.wave tests/programs/wave/reduce/reduce_add_with_continue.wave"
passed=0
failed=0

# run NAME COMMAND...: adds the figures of the command's last line.
run() {
    name=$1
    shift
    log=build/tests/harden-part.log
    "$@" >"$log" 2>&1 || { cat "$log"; failed=$((failed + 1)); }
    grep -v passed "$log" | sed "s/^/$name: /" || :
    # shellcheck disable=SC2046 # two words, or none
    set -- $(sed -n 's/.*: \([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed.*/\1 \2/p' "$log" | tail -n 1)
    echo "$name: ${1:-0} passed, ${2:-1} failed"
    passed=$((passed + ${1:-0}))
    failed=$((failed + ${2:-1}))
}

ASAN_OPTIONS=exitcode=99
TSAN_OPTIONS="halt_on_error=1 exitcode=98"
export ASAN_OPTIONS TSAN_OPTIONS

"$MAKE" -j"$jobs" WERROR=1 harden-tests
# shellcheck disable=SC2086 # one word per file
run "failing allocations" build/tests/wave-fail-alloc $all
# shellcheck disable=SC2086
run "eight threads" build/tests/wave-threads $all
"$MAKE" -j"$jobs" WERROR=1 FUZZ=1 CC="${FUZZ_CC:-clang}" harden-tests
# shellcheck disable=SC2086
run "failing allocations under ASan and UBSan" build/fuzz/tests/wave-fail-alloc $few
if command -v clang >/dev/null 2>&1; then
    "$MAKE" -j"$jobs" WERROR=1 SAN=thread CC="${FUZZ_CC:-clang}" harden-tests
    # shellcheck disable=SC2086
    run "eight threads under ThreadSanitizer" build/tsan/tests/wave-threads $all
    "$MAKE" -j"$jobs" WERROR=1 SAN=thread CC="${FUZZ_CC:-clang}" build/tsan/bin/wave-emu
    run "workgroups on several threads under ThreadSanitizer" sh tests/harden/jobs.sh build/tsan/bin
else
    echo "eight threads under ThreadSanitizer: left out, clang is not installed"
    [ "${CI:-}" != true ] || failed=$((failed + 1))
fi
echo "harden: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
