#!/bin/sh
# make bench: builds the release tools and prints the speed figures. Never fails because something is slow.
set -eu
cd "$(dirname "$0")/.."
sh scripts/install-deps.sh bench
"${MAKE:-make}" -j"$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" all
python3 bench/bench.py "$@"
[ $# -eq 0 ] || exit 0
python3 bench/sass.py
python3 bench/amdgcn.py
python3 bench/exchanges.py
python3 bench/opencl.py
python3 bench/fast.py
sh bench/launch.sh 2000
if python=$(sh scripts/find-python.sh --install); then
    "$python" bench/launch_python.py build
else
    echo "launches from Python: left out: numpy is not installed, and installing it failed"
fi
