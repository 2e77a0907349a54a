#!/bin/sh
# make hwtest: runs all test programs and examples on all devices; the results go to the build folder, the reports to FOLDER.
# Usage: hwtests/hwtest.sh BUILD FOLDER [--quick] [option of wave-hwtest]...
#   --quick   only the tests that are most likely to differ on hardware, and the examples
set -u
build=${1:?usage: $0 BUILD FOLDER [OPTION]...}
folder=${2:?usage: $0 BUILD FOLDER [OPTION]...}
shift 2
quick=
if [ "${1:-}" = --quick ]; then
    quick=--quick
    shift
fi

# shellcheck source=hwtests/sycl-env.sh
. hwtests/sycl-env.sh
mkdir -p "$build/hwtest" "$folder" || exit 2
# shellcheck disable=SC2086 # nothing, or one word
sh hwtests/tests-list.sh $quick >"$build/hwtest/tests.list" || exit 2
commit=$(git describe --always --dirty --abbrev=12 2>/dev/null) || commit=${GITHUB_SHA:-not known}
# shellcheck disable=SC2046 # one word per file; names of programs contain no blanks
"$build/tests/wave-hwtest" --tap="$build/hwtest/results.tap" --junit="$build/hwtest/results.xml" --reports="$folder" \
    --commit="$commit" "$@" $(cat "$build/hwtest/tests.list")
status=$?
echo "results: $build/hwtest/results.tap, $build/hwtest/results.xml, $folder/report-DEVICE.md"
exit $status
