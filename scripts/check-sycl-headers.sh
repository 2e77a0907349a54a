#!/bin/sh
# The SYCL plug-in compiles with the headers of several oneAPI releases, and an incompatible release does not stop
# the build. The headers come from Intel's packages on PyPI and are installed once, into our cache of tool chains.
# Usage: scripts/check-sycl-headers.sh
set -u
cd "$(dirname "$0")/.." || exit 2
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/wavec/sycl-headers
# 2025.0 keeps headers in include/sycl; 2025.1 and 2025.2 have no ext_oneapi_can_build; later releases have both names.
releases="2025.0.4 2025.1.1 2025.2.0 2025.3.0"
out=build/tests/sycl-headers
mkdir -p "$cache" "$out" || exit 2
verdict_more=$out/log
# shellcheck source=scripts/verdict.sh
. scripts/verdict.sh

# fetch RELEASE: its headers, in a folder that is renamed into place when it is complete.
fetch() {
    [ ! -e "$cache/$1/include/sycl/sycl.hpp" ] || return 0
    fresh=$(mktemp -d "$cache/new.XXXXXX") || return 1
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --platform manylinux_2_28_x86_64 \
        -d "$fresh" "intel-sycl-rt==$1" &&
        python3 -c 'import glob, os, sys, zipfile
folder = sys.argv[1]
with zipfile.ZipFile(glob.glob(os.path.join(folder, "*.whl"))[0]) as wheel:
    wheel.extractall(folder, [name for name in wheel.namelist() if ".data/data/include/" in name])
os.rename(glob.glob(os.path.join(folder, "*.data", "data", "include"))[0], os.path.join(folder, "include"))' "$fresh" &&
        rm -rf "$fresh"/*.whl "$fresh"/*.data && mv "$fresh" "$cache/$1"
    status=$?
    rm -rf "$fresh"
    return $status
}

# compile FOLDER: the flags are those of the build.
compile() {
    ${MAKE:-make} -s sycl-syntax "SYCL_HEADERS=$1/include" >"$out/log" 2>&1
}

for release in $releases; do
    fetch "$release" >"$out/log" 2>&1
    judge $? "the headers of $release could not be installed"
    compile "$cache/$release"
    judge $? "runtime/sycl.cpp does not compile with the headers of $release"
done
if root=$(sh scripts/find-sycl.sh); then
    compile "$root"
    judge $? "runtime/sycl.cpp does not compile with the installed headers"
fi

# ---- A plug-in that does not compile ----

# A run time that looks complete, with headers that do not compile.
broken=$(pwd)/$out/broken
mkdir -p "$broken/include/sycl" "$broken/lib"
echo '#error these headers are of no release' >"$broken/include/sycl/sycl.hpp"
touch "$broken/lib/libsycl.so" "$broken/lib/libsycl-jit.so" "$broken/lib/libintelocl.so"
WAVE_SYCL=$broken ${MAKE:-make} -s plugins "PLUGINS=$out/plugins" >"$out/log" 2>&1
judge $? "a plug-in that does not compile stops make plugins, and with it make hwtest"
grep -q "plugins: SYCL is left out: the plug-in does not compile" "$out/log"
judge $? "a plug-in that does not compile is not named"
test ! -e "$out/plugins/libwave_rt_sycl.so"
judge $? "a plug-in that did not compile is present"

# ---- Where the run time is searched for ----

oneapi=$(pwd)/$out/oneapi
rm -rf "$oneapi"
for release in 2025.3 2026.0; do
    mkdir -p "$oneapi/compiler/$release/include/sycl" "$oneapi/compiler/$release/lib"
    touch "$oneapi/compiler/$release/include/sycl/sycl.hpp"
    for library in sycl sycl-jit intelocl; do
        touch "$oneapi/compiler/$release/lib/lib$library.so"
    done
done
found=$(XDG_CACHE_HOME=/none WAVE_SYCL='' CMPLR_ROOT='' ONEAPI_ROOT=$oneapi sh scripts/find-sycl.sh)
test "$found" = "$oneapi/compiler/2026.0"
judge $? "the newest release below ONEAPI_ROOT is not found, but: $found"
ln -s 2025.3 "$oneapi/compiler/latest"
found=$(XDG_CACHE_HOME=/none WAVE_SYCL='' CMPLR_ROOT='' ONEAPI_ROOT=$oneapi sh scripts/find-sycl.sh)
test "$found" = "$oneapi/compiler/latest"
judge $? "compiler/latest does not come first, but: $found"
found=$(XDG_CACHE_HOME=/none WAVE_SYCL='' CMPLR_ROOT=$oneapi/compiler/2025.3 ONEAPI_ROOT=$oneapi sh scripts/find-sycl.sh)
test "$found" = "$oneapi/compiler/2025.3"
judge $? "CMPLR_ROOT does not come first, but: $found"

# A run time for GPUs only: without the CPU's driver it is found, but not used for tests that run on the CPU.
for release in 2025.3 2026.0; do
    rm "$oneapi/compiler/$release/lib/libintelocl.so"
done
found=$(XDG_CACHE_HOME=/none WAVE_SYCL='' CMPLR_ROOT='' ONEAPI_ROOT=$oneapi sh scripts/find-sycl.sh)
test -z "$found"
judge $? "a run time without any device is found: $found"
touch "$oneapi/compiler/2026.0/lib/libur_adapter_level_zero.so.0"
found=$(XDG_CACHE_HOME=/none WAVE_SYCL='' CMPLR_ROOT='' ONEAPI_ROOT=$oneapi sh scripts/find-sycl.sh)
test "$found" = "$oneapi/compiler/2026.0"
judge $? "a run time for GPUs only is not found, but: $found"
found=$(XDG_CACHE_HOME=/none WAVE_SYCL='' CMPLR_ROOT='' ONEAPI_ROOT=$oneapi sh scripts/find-sycl.sh --cpu)
test -z "$found"
judge $? "a run time without the CPU device is given to tests: $found"
named=$(XDG_CACHE_HOME=/none WAVE_SYCL='' CMPLR_ROOT='' ONEAPI_ROOT=$oneapi sh -c '. hwtests/sycl-env.sh; echo "${OCL_ICD_FILENAMES:-none}"')
test "$named" = none
judge $? "a driver that does not exist is registered: $named"

echo "sycl-headers: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
