# shellcheck shell=sh
# Intel's packages from PyPI register no driver: it is named here, unless the system or the user has one. Sourced.
if [ -z "${OCL_ICD_FILENAMES:-}" ] && [ ! -d /etc/OpenCL/vendors ] && sycl=$(sh scripts/find-sycl.sh); then
    OCL_ICD_FILENAMES=$sycl/lib/libintelocl.so
    OCL_ICD_VENDORS=/none
    export OCL_ICD_FILENAMES OCL_ICD_VENDORS
fi
