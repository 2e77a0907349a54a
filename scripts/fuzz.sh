#!/bin/sh
# Builds the libFuzzer targets of tests/fuzz with ASan and UBSan, and runs them.
# Usage: scripts/fuzz.sh smoke [TARGET]...      a fixed number of executions from a fixed seed (make check)
#        scripts/fuzz.sh forever [TARGET]...    one minute per target in turn, until interrupted (make fuzz)
# FUZZ_RUNS and FUZZ_SEED change the smoke run. Inputs found on the way stay in build/fuzz/corpus.
set -eu

mode=${1:-smoke}
[ $# -eq 0 ] || shift
runs=${FUZZ_RUNS:-30000}
seed=${FUZZ_SEED:-1}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

mkdir -p build/fuzz
"${MAKE:-make}" -j"$jobs" FUZZ=1 CC="${FUZZ_CC:-clang}" fuzzers >build/fuzz/make.log 2>&1 || {
    cat build/fuzz/make.log >&2
    rm -f build/fuzz/make.log
    exit 1
}
rm -f build/fuzz/make.log

if [ $# -eq 0 ]; then
    for source in tests/fuzz/fuzz_*.c; do
        [ -e "$source" ] || { echo "fuzz: no targets in tests/fuzz" >&2; exit 1; }
        set -- "$@" "$(basename "$source" .c)"
    done
fi

python3 tests/fuzz/corpus.py unpack build/fuzz/seeds

# run_target NAME BOUND...: BOUND ends the run. Options of a target (max_len = 4096) are in tests/fuzz/NAME.options,
# one per line; its dictionary is in NAME.dict, its seeds are in corpus/NAME.tar; the compiler's targets share
# corpus/fuzz_compile.tar.
run_target() {
    name=$1
    shift
    set -- "$@" -timeout=20 -rss_limit_mb=2560 -print_final_stats=1 "-artifact_prefix=build/fuzz/$name-"
    if [ -e "tests/fuzz/$name.options" ]; then
        for option in $(sed -n 's/^ *\([a-z_]*\) *= *\([0-9]*\) *$/-\1=\2/p' "tests/fuzz/$name.options"); do
            set -- "$@" "$option"
        done
    fi
    [ ! -e "tests/fuzz/$name.dict" ] || set -- "$@" "-dict=tests/fuzz/$name.dict"
    mkdir -p "build/fuzz/corpus/$name"
    set -- "$@" "build/fuzz/corpus/$name"
    seeds=$name
    case $name in fuzz_ptx | fuzz_hip | fuzz_sycl | fuzz_msl) seeds=fuzz_compile ;; esac
    [ ! -d "build/fuzz/seeds/$seeds" ] || set -- "$@" "build/fuzz/seeds/$seeds"
    "build/fuzz/tests/$name" "$@"
}

case $mode in
smoke)
    # Runs all at once: a few processes per processor.
    for target in "$@"; do
        # The same inputs every time: discard what an earlier run found, and its results.
        rm -rf "build/fuzz/corpus/$target" "build/fuzz/$target.log" "build/fuzz/$target.status"
        (
            status=0
            # A full compilation costs ten times as much as reading a file.
            case $target in fuzz_ptx | fuzz_hip | fuzz_sycl | fuzz_msl) runs=$((runs / 15)) ;; esac
            run_target "$target" "-runs=$runs" "-seed=$seed" >"build/fuzz/$target.log" 2>&1 || status=$?
            echo "$status" >"build/fuzz/$target.status"
        ) &
    done
    wait
    failed=0
    for target in "$@"; do
        # A target has passed if it says so: without a status or a count, it did not run to its end.
        status=$(cat "build/fuzz/$target.status" 2>/dev/null) || status=
        count=$(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$target.log" 2>/dev/null) || count=
        if [ "$status" = 0 ] && [ "${count:-0}" -gt 0 ]; then
            echo "$target: $count executions, no finding"
        else
            tail -n 60 "build/fuzz/$target.log" || :
            echo "$target: failed, the input is in build/fuzz"
            failed=1
        fi
    done
    exit $failed
    ;;
forever)
    while :; do
        for target in "$@"; do
            echo "fuzz: $target"
            run_target "$target" -max_total_time=60
        done
    done
    ;;
*)
    echo "usage: $0 smoke|forever [TARGET]..." >&2
    exit 2
    ;;
esac
