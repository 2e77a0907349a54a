#!/bin/sh
# examples/build, with make and with CMake, against an installed wavec: built as far as the tool chains here go, run
# where there is a device, rebuilt when the kernel changes. Usage: scripts/check-examples-build.sh [BUILD]
set -u
cd "$(dirname "$0")/.." || exit 2
top=$(pwd)
build=${1:-build}
as_given=$build # make takes another name of the folder for another build
case $build in /*) ;; *) build=$top/$build ;; esac
make=${MAKE:-make}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

verdict() {
    what=$1
    shift
    if "$@" >"$scratch/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $what"
        sed 's/^/    /' "$scratch/log" | tail -n 40
    fi
}
# In CI every tool must be there.
missing() {
    echo "left out: $1"
    [ "${CI:-}" != true ] || failed=$((failed + 1))
}

# shellcheck source=scripts/sycl-only.sh
. scripts/sycl-only.sh
if sycl=$(sh scripts/find-sycl.sh --cpu); then
    verdict "the SYCL plug-in" "$make" -s BUILD="$as_given" plugins
fi
verdict "install" "$make" -s BUILD="$as_given" PREFIX="$scratch/root" install
cp -r examples/build "$scratch/example"
cd "$scratch/example" || exit 2
PATH=$scratch/root/bin:$PATH
PKG_CONFIG_PATH=$scratch/root/lib/pkgconfig
WAVE_CACHE_DIR=
export PATH PKG_CONFIG_PATH WAVE_CACHE_DIR

# ---- make ----

right() { "$@" | grep -q "scale: 1000 results are right"; }
verdict "make runtime" "$make" runtime
verdict "runs on the emulator" right env SCALE_DEVICE=emu out/scale-runtime
if [ -n "$sycl" ]; then
    verdict "runs on Intel's CPU device" right env SCALE_DEVICE=sycl:cpu out/scale-runtime
else
    missing "Intel's CPU device: its run time is not installed"
fi
if [ -e "$build/tests/libsimcuda.so" ]; then
    verdict "runs on a simulated CUDA device" right env WAVE_CUDA_LIBRARY="$build/tests/libsimcuda.so" SCALE_DEVICE=cuda:0 out/scale-runtime
fi
PATH=$PATH:/usr/local/cuda/bin
stubs=$(dirname "$(command -v nvcc || echo /none/none)")/../lib64/stubs
if command -v nvcc >/dev/null 2>&1 && [ -e "$stubs/libcuda.so" ]; then
    verdict "make cuda" "$make" cuda CUDA_LIBS="-L$stubs -lcuda"
    verdict "is a program" test -x out/scale-cuda
else
    missing "nvcc is not installed"
fi
libraries=$(find /usr/lib /opt/rocm -type d -path '*amdgcn/bitcode' 2>/dev/null | head -n 1)
if compiler=$(sh "$top/scripts/find-clang.sh") && [ -e /usr/include/hip/hip_runtime.h ] && [ -n "$libraries" ]; then
    verdict "make hip" "$make" hip HIPCC="$compiler -x hip --rocm-path=/usr --rocm-device-lib-path=$libraries -mcode-object-version=5" HIP_LINK="$compiler" HIP_LIBS=-lamdhip64 HIP_ARCH=gfx90a
    verdict "is a program" test -x out/scale-hip
else
    missing "clang++ of version 19 with HIP's headers is not installed"
fi
verdict "the SYCL text" "$make" out/scale.sycl.cpp
if [ -n "$sycl" ]; then
    verdict "host_sycl.cpp as C++" c++ -std=c++17 -fsyntax-only -Wall -Wextra -Werror -isystem "$sycl/include" -I. -Iout host_sycl.cpp
fi
verdict "the Metal text" "$make" out/scale.metal
if command -v clang >/dev/null 2>&1; then
    verdict "host_metal.m against our declarations" clang -fsyntax-only -x objective-c -fobjc-arc -fobjc-runtime=macosx-10.15 \
        -fconstant-string-class=NSConstantString -Wall -Wextra -Werror -I"$top/tests/metal_stub" -I. -Iout host_metal.m
fi

# ---- Rebuilding ----

verdict "nothing to do a second time" "$make" -q runtime out/scale.sycl.cpp out/scale.metal
verdict "the dependency file names the kernel" grep -q "scale.wave" out/scale.metal.d
sleep 1
touch scale.wave
verdict "a new kernel makes new texts" sh -c '! "$1" -q out/scale.sycl.cpp && ! "$1" -q out/scale.h && ! "$1" -q runtime' sh "$make"

# ---- CMake ----

if command -v cmake >/dev/null 2>&1; then
    verdict "cmake" cmake -S . -B cmake-out -DCMAKE_PREFIX_PATH="$scratch/root" -DCUDAToolkit_ROOT="$stubs/../.."
    verdict "cmake --build" cmake --build cmake-out
    verdict "runs on the emulator" right env SCALE_DEVICE=emu cmake-out/scale-runtime
    if command -v nvcc >/dev/null 2>&1; then
        verdict "links with CUDA" test -x cmake-out/scale-cuda
    fi
    verdict "texts for all targets" test -s cmake-out/scale.ptx -a -s cmake-out/scale.hip -a -s cmake-out/scale.sycl.cpp -a -s cmake-out/scale.metal
    sleep 1
    sed 's/fmul/fadd/' scale.wave >changed && mv changed scale.wave
    verdict "a changed kernel is built again" sh -c 'cmake --build cmake-out && grep -q "add.rn.f32" cmake-out/scale.ptx'
    verdict "and its results with it" sh -c '! SCALE_DEVICE=emu cmake-out/scale-runtime'
else
    missing "cmake is not installed"
fi

echo "examples/build: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
