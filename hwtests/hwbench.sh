#!/bin/sh
# make hwbench: times examples on all devices and writes BUILD/hwbench.csv and BUILD/hwbench.svg.
# Usage: hwtests/hwbench.sh BUILD [option of wave-hwbench]...
set -u
build=${1:?usage: $0 BUILD [OPTION]...}
shift
# shellcheck source=hwtests/sycl-env.sh
. hwtests/sycl-env.sh
"$build/tests/wave-hwbench" --csv="$build/hwbench.csv" --svg="$build/hwbench.svg" "$@"
status=$?
echo "figures: $build/hwbench.csv, chart: $build/hwbench.svg"
exit $status
