#!/bin/sh
# make check and make check-all: installs the test dependencies, then runs the steps of scripts/check.py.
# Usage: scripts/check.sh check|all|rest      CHECK_ONLY="unit lint" names single steps
set -u
cd "$(dirname "$0")/.." || exit 2

echo "== test dependencies"
# In CI everything must be installed; elsewhere steps that lack something are skipped, by name and with the reason.
if ! sh scripts/install-deps.sh test && [ "${CI:-}" = true ]; then
    exit 1
fi
sh scripts/find-ptxas.sh --install >/dev/null || echo "   ptxas is not available here"
sh scripts/find-nvdisasm.sh --install >/dev/null || echo "   nvdisasm is not available here"
sh scripts/find-sycl.sh --install >/dev/null || echo "   Intel's SYCL run time is not available here"
sh scripts/find-python.sh --install >/dev/null || echo "   numpy, pytest and mypy are not available here"
if ! command -v python3 >/dev/null 2>&1; then
    echo "check: python3 is needed to run the steps" >&2
    exit 1
fi
FUZZ_CC=${FUZZ_CC:-$(command -v clang-14 || echo clang)}
export FUZZ_CC
# shellcheck disable=SC2086 # names of steps are words
exec python3 scripts/check.py "$1" ${CHECK_ONLY:-}
