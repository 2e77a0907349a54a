#!/bin/sh
# The cost of a launch on the host: machine instructions per launch of an empty kernel, counted by callgrind over many launches,
# on the emulator and on the simulated CUDA driver. The driver's own calls are subtracted, because they are the simulation's.
# Usage: bench/launch.sh [COUNT]
set -eu
cd "$(dirname "$0")/.."
count=${1:-100000}
build=${BUILD:-build}
"${MAKE:-make}" BUILD="$build" "$build/bench/launch" "$build/tests/libsimcuda.so" >/dev/null
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
WAVE_CUDA_LIBRARY=$(cd "$build/tests" && pwd)/libsimcuda.so
export WAVE_CUDA_LIBRARY

for device in emu cuda:0; do
    valgrind -q --tool=callgrind --callgrind-out-file="$folder/out" "$build/bench/launch" "$device" "$count"
    callgrind_annotate --inclusive=yes --auto=no --threshold=100 "$folder/out" | awk -v count="$count" -v device="$device" '
        function number(text) { gsub(/,/, "", text); return text + 0 }
        /launch\.c:launch_many/ && !all { all = number($1) }
        /emu\.c:wave_emulate/ && !inner { inner = number($1) }
        match($0, /cuda\.c:cu[A-Z][A-Za-z0-9_]*/) {
            name = substr($0, RSTART + 7, RLENGTH - 7)
            if (name ~ /^cu(LaunchKernel|CtxPushCurrent_v2|CtxPopCurrent_v2|FuncGetAttribute)$/ && !(name in seen)) {
                seen[name] = 1
                inner += number($1)
            }
        }
        END { if (!all) { print device ": callgrind has not seen launch_many"; exit 1 }
            printf "%s: %.0f instructions per launch, %.0f of them the runtime'"'"'s own\n", device, all / count, (all - inner) / count }'
done
