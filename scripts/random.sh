#!/bin/sh
# Random programs on the emulator and every target that can run here, compared (docs/inside/reliability.md).
#   scripts/random.sh sample [BUILD]        a fixed 60 seeds: part of make check
#   scripts/random.sh check [BUILD]         a fixed 500 seeds: part of make check-all
#   scripts/random.sh soak [BUILD] [SEED]   from a seed on until interrupted, a summary every ten seconds; what differs
#                                           is reduced and kept in BUILD/soak
set -u
cd "$(dirname "$0")/.." || exit 2

mode=${1:?usage: $0 sample|check|soak [BUILD] [SEED]}
build=${2:-build}
diff=$build/tests/wave-diff
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
passed=0
failed=0

# run ARGUMENTS...: runs wave-diff and adds its summary line to the sum.
run() {
    log=$build/tests/random.log
    "$diff" "$@" >"$log" 2>&1
    status=$?
    grep -e '^DIFFERENCE' -e 'left out' "$log"
    grep '^wave-diff: [0-9]* programs' "$log"
    # shellcheck disable=SC2046 # two words
    set -- $(sed -n 's/^wave-diff: \([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p' "$log")
    passed=$((passed + ${1:-0}))
    failed=$((failed + ${2:-1}))
    [ "$status" -eq 0 ] || { [ "${2:-0}" -gt 0 ] || failed=$((failed + 1)); tail -n 60 "$log"; }
}

# check COUNT: that many seeds. Compiled objects come from the cache while the texts stay the same.
check() {
    folder=$(python3 tests/tools/cache.py folder)/random
    mkdir -p "$folder"
    run --seeds "1..$1" --jobs="$jobs" --targets=emu,ptx
    run --seeds "1..$1" --jobs="$jobs" --targets=hip,msl --widths=32,64 --level=one --batch=64 --cached --folder="$folder"
    run --seeds "1..$1" --jobs="$jobs" --targets=sycl-simt --widths=16 --level=one --batch=64 --cached --folder="$folder"
    # Intel's compiler takes about a second per kernel: the campaigns of docs/inside/reliability.md run thousands.
    [ "$1" -lt 100 ] || run --seeds 1..16 --targets=sycl --widths=32 --level=one --size=40
    echo "random programs: $passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

soak() {
    seed=${1:-$(date +%s)000}
    mkdir -p "$build/soak"
    exec "$diff" --seeds "$seed..$seed" --forever --progress --jobs="$jobs" --targets=emu,ptx,hip,msl,sycl,sycl-simt --sycl-share=4 \
        --keep="$build/soak" --folder="$build/soak/objects"
}

case $mode in
sample) check 60 ;;
check) check 500 ;;
soak) soak "${3:-}" ;;
*) echo "usage: $0 sample|check|soak [BUILD] [SEED]" >&2; exit 2 ;;
esac
