#!/bin/sh
# What ptxas says to the PTX of every example and test program: nothing. All of them for sm_75, with and without
# optimisation; every eighth also for newer architectures.
# Usage: scripts/check-ptxas.sh [BUILD]      (PTXAS=path, default: ptxas in the PATH, then under CUDA_HOME)
set -u
cd "$(dirname "$0")/.." || exit 2

build=${1:-build}
work=$build/check-ptxas
compile=$build/tests/wave2ptx
passed=0
failed=0
refused=0

ptxas=${PTXAS:-ptxas}
command -v "$ptxas" >/dev/null 2>&1 || ptxas=${CUDA_HOME:-}/bin/ptxas
if ! command -v "$ptxas" >/dev/null 2>&1; then
    if [ -n "${CI:-}" ]; then
        echo "check-ptxas: ptxas is not installed" >&2
        exit 1
    fi
    echo "check-ptxas: skipped: ptxas is not installed"
    exit 0
fi
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

find examples tests/programs -name '*.wave' | LC_ALL=C sort >"$work/list"
count=0
while read -r program; do
    one "$program" 75 -O0
    one "$program" 75 -O2
    if [ $((count % 8)) -eq 0 ]; then
        for newer in 80 90 120; do
            one "$program" "$newer" -O2
        done
        one "$program" 75 -O2 --bounds
        one "$program" 75 -O2 --fast
    fi
    count=$((count + 1))
done <"$work/list"

echo "check-ptxas: $refused refused as documented"
echo "check-ptxas: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
