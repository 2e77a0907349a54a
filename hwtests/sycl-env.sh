# shellcheck shell=sh
# Names the CPU driver of Intel's packages from PyPI, which do not register it, unless the user has named one or Intel's driver is
# registered. The loader of these packages (Khronos's) first loads the drivers that OCL_ICD_FILENAMES names, and then all registered
# ones, for example those of NVIDIA or PoCL. This file is sourced.
if [ -z "${OCL_ICD_FILENAMES:-}" ] && ! grep -qs intelocl "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/*.icd &&
    sycl=$(sh scripts/find-sycl.sh) && [ -e "$sycl/lib/libintelocl.so" ]; then
    OCL_ICD_FILENAMES=$sycl/lib/libintelocl.so
    export OCL_ICD_FILENAMES
fi
