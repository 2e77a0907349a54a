#!/bin/sh
# The calculations behind the expected values give what stands in the files, and the programs cover every instruction.
# Usage: scripts/check-expected.sh
set -eu
cd "$(dirname "$0")/.."
python3 examples/expected.py --check
python3 tests/programs/generate.py --check
python3 tests/programs/coverage.py
