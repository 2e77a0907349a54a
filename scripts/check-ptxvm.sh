#!/bin/sh
# Verifies with ptxas what the tests of the PTX interpreter assume: ptxas accepts every sample, and accepts or rejects each
# line of forms.txt as the line says. To regenerate the samples after a change to a .cu file:
#     nvcc -ptx -arch=sm_75 -O3 -fmad=false NAME.cu -o NAME.ptx
# Usage: scripts/check-ptxvm.sh      (finds ptxas with scripts/find-ptxas.sh)
set -u
cd "$(dirname "$0")/.." || exit 2

samples=tests/ptxvm/samples
work=build/check-ptxvm
verdict_more=$work/log
# shellcheck source=scripts/verdict.sh
. scripts/verdict.sh

ptxas=$(sh scripts/find-ptxas.sh --install) || {
    [ "${CI:-}" != true ] || { echo "check-ptxvm: ptxas is not available" >&2; exit 1; }
    echo "check-ptxvm: skipped: ptxas is not installed"
    exit 0
}
mkdir -p "$work"

for file in "$samples"/*.ptx; do
    "$ptxas" -arch=sm_75 -o "$work/cubin" "$file" >"$work/log" 2>&1 && [ ! -s "$work/log" ]
    judge $? "ptxas rejects $file"
done

declarations=$(sed -n 's/^= //p' "$samples/forms.txt")
while read -r verdict form; do
    case $verdict in
    ok | no) ;;
    *) continue ;;
    esac
    printf '.version 7.5\n.target sm_80\n.address_size 64\n%s\n%s\nret;\n}\n' "$declarations" "$form" >"$work/form.ptx"
    "$ptxas" -arch=sm_80 -o "$work/cubin" "$work/form.ptx" >"$work/log" 2>&1 </dev/null
    accepted=$?
    [ "$verdict" = ok ] || accepted=$((accepted == 0))
    judge "$accepted" "ptxas does not say '$verdict' to: $form"
done <"$samples/forms.txt"

echo "check-ptxvm: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
