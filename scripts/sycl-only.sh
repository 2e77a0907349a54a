# shellcheck shell=sh
# For tests: uses only the OpenCL driver of Intel's packages, whatever else is registered on this machine.
# Sourced.
if sycl=$(sh scripts/find-sycl.sh --cpu); then
    OCL_ICD_FILENAMES=$sycl/lib/libintelocl.so
    OCL_ICD_VENDORS=/none
    export OCL_ICD_FILENAMES OCL_ICD_VENDORS
    unset ONEAPI_DEVICE_SELECTOR
fi
