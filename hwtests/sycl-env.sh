# shellcheck shell=sh
# Intel's packages from PyPI register no driver for the CPU: it is named here, unless the user has named one or the system
# has Intel's. The loader of these packages (Khronos's) takes what OCL_ICD_FILENAMES names first, and then all that is
# registered, by NVIDIA or PoCL for example. Sourced.
if [ -z "${OCL_ICD_FILENAMES:-}" ] && ! grep -qs intelocl "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/*.icd &&
    sycl=$(sh scripts/find-sycl.sh) && [ -e "$sycl/lib/libintelocl.so" ]; then
    OCL_ICD_FILENAMES=$sycl/lib/libintelocl.so
    export OCL_ICD_FILENAMES
fi
