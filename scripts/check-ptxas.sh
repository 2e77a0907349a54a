#!/bin/sh
# What ptxas says to the PTX of every example and test program: nothing. All of them for sm_75, with and without
# optimisation, and with it for sm_80, sm_90 and sm_120; every eighth also with --bounds and --fp=fast.
# Usage: scripts/check-ptxas.sh [BUILD]      (finds ptxas with scripts/find-ptxas.sh)
set -u
cd "$(dirname "$0")/.." || exit 2

build=${1:-build}
work=$build/check-ptxas
compile=$build/tests/wave2ptx
passed=0
failed=0
refused=0

ptxas=$(sh scripts/find-ptxas.sh --install) || {
    [ "${CI:-}" != true ] || { echo "check-ptxas: ptxas is not to be had" >&2; exit 1; }
    echo "check-ptxas: skipped: ptxas is not installed"
    exit 0
}
mkdir -p "$work"

# one FILE ARCH OPTION...: a kernel that the back ends may refuse is counted, anything else must pass in silence.
one() {
    file=$1
    arch=$2
    shift 2
    if ! "$compile" --arch="$arch" "$@" "$file" >"$work/k.ptx" 2>"$work/log"; then
        if grep -q 'E_RECURSION\|E_INLINE_LIMIT\|E_TARGET_LIMIT' "$work/log"; then
            refused=$((refused + 1))
            return
        fi
    elif "$ptxas" -arch="sm_$arch" -o "$work/k.cubin" "$work/k.ptx" >"$work/log" 2>&1 && [ ! -s "$work/log" ]; then
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
    echo "$file for sm_$arch $*:"
    head -n 5 "$work/log"
}

# half NUMBER: every other program; the sums go to a file of their own.
half() {
    work=$work/$1
    mkdir -p "$work"
    count=0
    while read -r program; do
        count=$((count + 1))
        [ $((count % 2)) -eq "$1" ] || continue
        one "$program" 75 -O0
        for arch in 75 80 90 120; do
            one "$program" "$arch" -O2
        done
        if [ $((count % 8)) -eq "$1" ]; then
            one "$program" 75 -O2 --bounds
            one "$program" 75 -O2 --fast
        fi
    done <"$2"
    echo "$passed $failed $refused" >"$work/sums"
}

find examples tests/programs -name '*.wave' | LC_ALL=C sort >"$work/list"
(half 0 "$work/list") &
(half 1 "$work/list")
wait
# shellcheck disable=SC2046 # the words are the arguments
set -- $(cat "$work/0/sums") $(cat "$work/1/sums")
passed=$(($1 + $4))
failed=$(($2 + $5))
echo "check-ptxas: $(($3 + $6)) refused as documented"
echo "check-ptxas: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
