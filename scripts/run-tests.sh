#!/bin/sh
# Runs the tests of one finished build: unit tests (Criterion), test programs (wave-test), tool tests (sh).
# Usage: scripts/run-tests.sh BUILD [PART]...      (default: unit programs cli, which is make test)
# PART: unit programs examples cli; documents; ptx (the interpreter); targets (the lane harness, as make check runs it), simt-all
# and msl-all (the same, all of it); fail-alloc. One line for each program that ran, its output only if it failed, one for each
# test that was skipped, a sum at the end. Building is make's work. Several of these may run at the same time.
set -u

usage="usage: $0 BUILD [unit|programs|examples|cli|documents|ptx|targets|simt-all|msl-all|fail-alloc]..."
build=${1:?$usage}
shift
[ $# -gt 0 ] || set -- unit programs cli

mkdir -p "$build/tests"
scratch=$(mktemp -d "$build/tests/run.XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
log=$scratch/log
parts=$scratch/parts
passed=0
failed=0

all_programs() {
    find "$@" -name '*.wave' 2>/dev/null | LC_ALL=C sort
}

# Any sanitizer report is a failure, even in a test that expects the program to fail. ASan's own strstr measures the
# entire text on every call, which makes a walk over a long source quadratic.
ASAN_OPTIONS=${ASAN_OPTIONS:-exitcode=99:intercept_strstr=0}
UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export ASAN_OPTIONS UBSAN_OPTIONS

# run COMMAND...: writes to the log; sets status and taken.
run() {
    begin=$(date +%s)
    "$@" >"$log" 2>&1
    status=$?
    taken=$(($(date +%s) - begin))
}

# at_once COMMAND, names on standard input, one per line: runs the command with each name for @, one process per
# processor. Afterwards `take NAME` makes the log, status and time of one run the current ones.
at_once() {
    rm -rf "$parts"
    mkdir -p "$parts"
    # shellcheck disable=SC2016 # for the other shell
    PARTS=$parts COMMAND=$1 xargs -P "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" -n 1 sh -c '
        begin=$(date +%s)
        eval "$(echo "$COMMAND" | sed "s|@|$1|")" >"$PARTS/$1.log" 2>&1
        echo "$? $(($(date +%s) - begin))" >"$PARTS/$1.end"' sh
}
take() {
    log=$parts/$1.log
    read -r status taken <"$parts/$1.end"
}

# count NAME PASSED FAILED: adds to the sums. A program must exit 0, and must have run something.
count() {
    if [ "$status" -eq 0 ] && [ "${3:-1}" -eq 0 ] && [ "${2:-0}" -gt 0 ]; then
        echo "$1: $2 passed, 0 failed ($taken s)"
        passed=$((passed + $2))
        return
    fi
    bad=${3:-1}
    [ "$bad" -gt 0 ] || bad=1
    echo "$1: ${2:-0} passed, $bad failed (exit status $status, $taken s)"
    sed 's/^/    /' "$log" | tail -n 60
    passed=$((passed + ${2:-0}))
    failed=$((failed + bad))
}

# summed NAME: takes the figures from the last "N passed, M failed" of the log.
summed() {
    # shellcheck disable=SC2046 # two words
    count "$1" $(sed -n -e 's/^/ /' -e 's/.*[^0-9]\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed.*/\1 \2/p' "$log" | tail -n 1)
}

# unit_tests: the names of the tests.
unit_tests() {
    for source in tests/unit/test_*.c; do basename "$source" .c; done
}

run_unit() {
    unit_tests | at_once "$build/tests/@ --verbose"
    for name in $(unit_tests); do
        take "$name"
        sed -n 's/^\[SKIP\] /skipped: /p' "$log"
        grep -v -e '^\[RUN \]' -e '^\[PASS\]' "$log" >"$scratch/log"
        log=$scratch/log
        # Criterion's last line is: Synthesis: Tested: 5 | Passing: 5 | Failing: 0 | Crashing: 0
        # shellcheck disable=SC2046 # the words are the arguments
        set -- $(sed -n 's/.*Passing: *\([0-9]*\).*Failing: *\([0-9]*\).*Crashing: *\([0-9]*\).*/\1 \2 \3/p' "$log")
        count "$name" "${1:-0}" "$((${2:-1} + ${3:-0}))"
    done
    log=$scratch/log
}

# run_programs NAME FOLDER...: all .wave files below the folders, through the runner.
run_programs() {
    name=$1
    shift
    # shellcheck disable=SC2046 # one word per file; names of programs contain no blanks
    run "$build/bin/wave-test" $(all_programs "$@")
    summed "$name"
}

# The same files as PTX on the interpreter: by default, with the instructions of sm_80, and with --bounds.
run_ptx() {
    for flags in --arch=75 --arch=80 --bounds; do
        # shellcheck disable=SC2046 # one word per file
        run "$build/tests/wave-ptx-test" "$flags" $(all_programs examples tests/programs)
        summed "wave-ptx-test $flags"
    done
}

# run_simt FLAGS...: every program through wave-simt-test with these flags.
run_simt() {
    # shellcheck disable=SC2046 # one word per file
    run "$build/tests/wave-simt-test" "$@" $(all_programs examples tests/programs)
    summed "wave-simt-test $*"
}

# Every target on the lane harness once at -O2, and a fixed half of the programs at -O0; the harness's own test
# comes first.
run_targets() {
    run "$build/tests/wave-simt-samples" tests/simt/samples/*
    summed "wave-simt-samples"
    run_simt --half --target=hip --arch=gfx942
    run_simt --half --target=hip --arch=gfx1100 --width=32
    run_simt --half --target=msl --arch=metal3.2
    run_simt --half --target=sycl --width=16
}

# Both levels, every architecture and width, --bounds, and one very long kernel.
run_simt_all() {
    for arch in gfx942 gfx90a gfx1030 gfx1100; do
        run_simt --target=hip --arch=$arch
    done
    run_simt --target=hip --bounds
    for width in 4 8 16 32 64; do
        run_simt --target=sycl --width=$width
    done
    run_simt --target=sycl --bounds
    python3 tests/tools/long_program.py 100000 >"$scratch/long.wave"
    for target in hip msl; do
        run "$build/tests/wave-simt-test" --target=$target --schedules=1 "$scratch/long.wave"
        summed "wave-simt-test --target=$target, a block of 100,000 instructions"
    done
}

# Metal 3.0 refuses fences.
run_msl_all() {
    for flags in --arch=metal3.2 --arch=metal3.1 --arch=metal3.0 --bounds; do
        run_simt --target=msl $flags
    done
}

# A sample of failing allocations: the file with every instruction, one with a loop.
run_fail_alloc() {
    run "$build/tests/wave-fail-alloc" tests/golden/allops.wave tests/programs/wave/reduce/reduce_add_with_continue.wave
    summed "wave-fail-alloc"
}

run_cli() {
    WAVE_BIN="$(pwd)/$build/bin"
    export WAVE_BIN
    (cd tests/cli && ls -- *.sh) | sed -e 's/\.sh$//' -e '/^documents$/d' | at_once "sh tests/cli/@.sh"
    for script in tests/cli/*.sh; do
        name=$(basename "$script" .sh)
        [ "$name" != documents ] || continue # a separate part, for make check
        take "$name"
        sed -n "s|^skipped: |skipped: cli/$name: |p" "$log"
        summed "cli/$name"
    done
    log=$scratch/log
}

run_documents() {
    WAVE_BIN="$(pwd)/$build/bin"
    export WAVE_BIN
    echo documents | at_once "sh tests/cli/@.sh"
    take documents
    summed cli/documents
    log=$scratch/log
}

for part in "$@"; do
    case $part in
    unit) run_unit ;;
    programs) run_programs "wave-test, examples and tests/programs" examples tests/programs ;;
    examples) run_programs "wave-test, examples" examples ;;
    cli) run_cli ;;
    documents) run_documents ;;
    ptx) run_ptx ;;
    targets) run_targets ;;
    simt-all) run_simt_all ;;
    msl-all) run_msl_all ;;
    fail-alloc) run_fail_alloc ;;
    *) echo "$usage" >&2; exit 2 ;;
    esac
done

echo "tests in $build ($*): $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
