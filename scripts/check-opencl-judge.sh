#!/bin/sh
# The kernels of tests/opencl on real OpenCL implementations, to show that the expected values in the files are right: Intel's
# CPU run time, which is installed with the SYCL one, and any other that the system has registered. See
# docs/inside/testing-opencl.md.
# Usage: scripts/check-opencl-judge.sh BUILD [FILE.cl...]
# Without any OpenCL implementation it prints a notice, which is a failure in CI.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${1:?usage: $0 BUILD [FILE.cl...]}
shift
[ $# -gt 0 ] || {
    # shellcheck disable=SC2046 # one word per file
    set -- $(find tests/opencl -name '*.cl' | LC_ALL=C sort)
}

library=libOpenCL.so.1
if root=$(sh scripts/find-sycl.sh --install); then
    library=$root/lib/libOpenCL.so.1
    OCL_ICD_FILENAMES=$root/lib/libintelocl.so${OCL_ICD_FILENAMES:+:$OCL_ICD_FILENAMES}
    LD_LIBRARY_PATH=$root/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export OCL_ICD_FILENAMES LD_LIBRARY_PATH
fi
"$build/tests/opencl-judge" "$library" tests/opencl/judge.txt "$@"
status=$?
if [ "$status" -eq 77 ]; then
    echo "left out: this system has no OpenCL device for the processor"
    [ "${CI:-}" != true ]
    exit
fi
exit "$status"
