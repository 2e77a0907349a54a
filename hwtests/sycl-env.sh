# shellcheck shell=sh
# Intel's packages from PyPI register no driver: it is named here, unless the user has named one or the system has
# Intel's. Another vendor's driver in the system's list is no reason to go without. Sourced.
if [ -z "${OCL_ICD_FILENAMES:-}" ] && ! grep -qs intelocl /etc/OpenCL/vendors/*.icd && sycl=$(sh scripts/find-sycl.sh); then
    OCL_ICD_FILENAMES=$sycl/lib/libintelocl.so
    OCL_ICD_VENDORS=/none
    export OCL_ICD_FILENAMES OCL_ICD_VENDORS
fi
