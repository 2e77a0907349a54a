#!/bin/sh
# The Python package: built as a wheel, installed into a fresh environment that has no compiler, and tested there.
# Usage: scripts/check-python.sh BUILD. The tests' own tools are those of scripts/find-python.sh.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$(cd "${1:?usage: $0 BUILD}" && pwd) || exit 2

python=$(sh scripts/find-python.sh --install) || exit 1

folder=$(mktemp -d "$build/tests/python.XXXXXX") || exit 2
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
verdict_log=$folder/log
# shellcheck source=scripts/verdict.sh
. scripts/verdict.sh

# ---- The wheel: one file, for any Python 3 of this system ----

cp -RL python "$folder/source" # so that nothing is written into the sources
rm -rf "$folder/source/build" "$folder/source"/*.egg-info
make_wheel() {
    WAVEC_ROOT=$PWD WAVEC_BUILD=$build "$python" -m pip wheel --quiet --no-build-isolation --no-deps -w "$folder/wheels" "$folder/source"
}
verdict "pip wheel" make_wheel
wheel=$(ls "$folder"/wheels/wavec-*-py3-none-*.whl 2>/dev/null)
verdict "a wheel for any Python 3" test -n "$wheel"

# ---- A fresh environment without a compiler ----

install_fresh() {
    python3 -m venv --without-pip "$folder/fresh" &&
        PATH=/nonexistent "$python" -m pip --python "$folder/fresh/bin/python" install --quiet --no-index --no-deps "$wheel" &&
        site=$("$folder/fresh/bin/python" -c 'import site; print(site.getsitepackages()[0])') &&
        "$python" -c 'import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))' >"$site/tools.pth"
}
verdict "installing" install_fresh
runs_alone() {
    (cd / && env -i PATH=/nonexistent "$folder/fresh/bin/python" -c '
import numpy as np, wavec
y = np.ones(4, np.float32)
wavec.load(".kernel k\n.arg y buffer f32 inout\n device_load_u32 r1, r0\n fadd r1, r1, r1\n device_store_u32 r0, r1\n halt\n.end\n", device="emu").k[1, 1](y)
assert list(y) == [2, 1, 1, 1] and wavec.__file__.startswith("'"$folder"'")')
}
verdict "a launch without a compiler, a PATH or this folder" runs_alone

# ---- The tests, from the installed package: emulator, simulated CUDA driver, and Intel's CPU device where its plug-in is built ----

tests() {
    root=$PWD
    (cd "$folder/source/tests" && WAVEC_ROOT=$root WAVEC_BUILD=$build PYTHONDONTWRITEBYTECODE=1 "$folder/fresh/bin/python" -m pytest -q \
        -rs -p no:cacheprovider .)
}
if tests >"$folder/log" 2>&1; then
    sed -n 's/^SKIPPED /skipped: /p' "$folder/log"
    tail -1 "$folder/log"
    passed=$((passed + $(sed -n 's/^\([0-9]*\) passed.*/\1/p' "$folder/log")))
else
    cat "$folder/log"
    failed=$((failed + 1))
fi
verdict "types" "$python" -m mypy --strict --no-error-summary --cache-dir="$build/tests/mypy" "$folder/source/wavec"

echo "check-python: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
