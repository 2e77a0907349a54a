#!/bin/sh
# The independent calculations of expected values reproduce the values in the files, and the programs cover every
# instruction.
# Usage: scripts/check-expected.sh
set -eu
cd "$(dirname "$0")/.."
python3 examples/expected.py --check
python3 tests/programs/generators/generate.py --check
python3 tests/mma/vectors.py --check
for generator in tests/opencl/generate.py tests/opencl/*/generate.py; do
    python3 "$generator" --check
done
python3 tests/programs/generators/coverage.py
