#!/bin/sh
# make mutants: all planted defects and 200 mechanical ones, at low priority. MUTANTS="--planted" or "--drawn 50
# --seed 7" runs a part (see run.py).
set -eu
cd "$(dirname "$0")/../.."
# shellcheck disable=SC2086 # options are words
exec nice -n 10 python3 tests/mutants/run.py ${MUTANTS:-}
