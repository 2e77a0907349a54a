#!/bin/sh
# make hwtest: all test programs and examples on all devices, results beside the build, reports into a folder.
# Usage: hwtests/hwtest.sh BUILD FOLDER [option of wave-hwtest]...
set -u
build=${1:?usage: $0 BUILD FOLDER [OPTION]...}
folder=${2:?usage: $0 BUILD FOLDER [OPTION]...}
shift 2

# shellcheck source=hwtests/sycl-env.sh
. hwtests/sycl-env.sh
mkdir -p "$build/hwtest" "$folder" || exit 2
find examples tests/programs -name '*.wave' | LC_ALL=C sort >"$build/hwtest/tests.list"
commit=$(git describe --always --dirty --abbrev=12 2>/dev/null) || commit=${GITHUB_SHA:-not known}
# shellcheck disable=SC2046 # one word a file; names of programs hold no blanks
"$build/tests/wave-hwtest" --tap="$build/hwtest/results.tap" --junit="$build/hwtest/results.xml" --reports="$folder" \
    --commit="$commit" "$@" $(cat "$build/hwtest/tests.list")
status=$?
echo "results: $build/hwtest/results.tap, $build/hwtest/results.xml, $folder/report-DEVICE.md"
exit $status
