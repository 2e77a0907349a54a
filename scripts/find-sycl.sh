#!/bin/sh
# Prints the folder of Intel's SYCL run time with its device compiler and access to a device (include/, lib/), or prints
# nothing and fails. Searches WAVE_SYCL, CMPLR_ROOT (where icpx is set up), our cache of tool chains, and Intel's own
# folder, which is ONEAPI_ROOT or /opt/intel/oneapi: its latest release, or else the newest complete one.
# With --cpu only one that has the CPU device, which tests run on; an installation for GPUs may lack it.
# With --install the same, and if there is none: installs Intel's packages from PyPI into that cache, once.
set -u
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/wavec
version=2026.2.0
cpu=
case ${1:-} in --cpu | --install) cpu=yes ;; esac

# All four parts: headers, run time, device compiler, and a device: the CPU's driver, or the adapter for GPUs, whose
# driver comes with the system.
is_whole() {
    [ -e "$1/include/sycl/sycl.hpp" ] && [ -e "$1/lib/libsycl.so" ] && [ -e "$1/lib/libsycl-jit.so" ] || return 1
    [ ! -e "$1/lib/libintelocl.so" ] || return 0
    [ -z "$cpu" ] && { [ -e "$1/lib/libur_adapter_level_zero.so" ] || [ -e "$1/lib/libur_adapter_level_zero.so.0" ]; }
}

find_it() {
    oneapi=${ONEAPI_ROOT:-/opt/intel/oneapi}/compiler
    for candidate in "${WAVE_SYCL:-}" "${CMPLR_ROOT:-}" "$cache/sycl" "$oneapi/latest"; do
        if [ -n "$candidate" ] && is_whole "$candidate"; then
            echo "$candidate"
            return 0
        fi
    done
    newest=
    for candidate in "$oneapi"/2*; do # in the order of the releases
        ! is_whole "$candidate" || newest=$candidate
    done
    [ -n "$newest" ] && echo "$newest"
}

find_it && exit 0
[ "${1:-}" = --install ] || exit 1
if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "find-sycl: Intel's packages exist for Linux on x86-64 only" >&2
    exit 1
fi
echo "find-sycl: installing intel-sycl-rt and intel-opencl-rt $version from PyPI into $cache/sycl (about 1.5 GB, once)" >&2

# Installs into a temporary folder that is renamed when it is complete: an interrupted installation, or two at
# once, leave nothing that looks complete.
mkdir -p "$cache" || exit 1
fresh=$(mktemp -d "$cache/sycl.new.XXXXXX") || exit 1
trap 'rm -rf "$fresh"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$fresh"
python3 -m venv --without-pip "$fresh" >&2 &&
    python3 -m pip --python "$fresh/bin/python" install --quiet --disable-pip-version-check \
        "intel-sycl-rt==$version" "intel-opencl-rt==$version" >&2 || exit 1
if ! is_whole "$fresh"; then
    echo "find-sycl: the packages lack files that are needed" >&2
    exit 1
fi
# mv would move it into an existing folder, which exists if another process was faster or an old installation is broken.
if [ -d "$cache/sycl" ] && ! find_it >/dev/null; then
    rm -rf "$cache/sycl"
fi
mv -T "$fresh" "$cache/sycl" 2>/dev/null # GNU: Intel's packages are for Linux
find_it
