#!/bin/sh
# examples/build, with make and with CMake, against an installed wavec: built as far as the installed tool chains
# allow, run where there is a device, rebuilt when the kernel changes.
# Usage: scripts/check-examples-build.sh [BUILD]
set -u
cd "$(dirname "$0")/.." || exit 2
top=$(pwd)
build=${1:-build}
as_given=$build # make treats another spelling of the folder as another build
case $build in /*) ;; *) build=$top/$build ;; esac
make=${MAKE:-make}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
verdict_log=$scratch/log
# shellcheck source=scripts/verdict.sh
. scripts/verdict.sh

# In CI every tool must be installed.
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

right() { "$@" >"$scratch/said" && grep -q "scale: 1000 results are right" "$scratch/said"; }
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
    verdict "host_metal.m against our declarations" clang -fsyntax-only -x objective-c -fobjc-arc -fblocks -fobjc-runtime=macosx-10.15 \
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
    # the version checks of find_package, both kinds of libraries, and a kernel embedded in a program
    mkdir package
    cat >package/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(package C)
find_package(wave ${WANTED} REQUIRED)
wave_add_kernels(inside ../scale.wave EMBED)
add_executable(whole main.c ${inside_EMBED})
add_dependencies(whole inside)
target_link_libraries(whole wave::wave_rt)
END
    cat >package/main.c <<'END'
#include <wave/wave.h>
extern const unsigned char inside_wbin[];
extern const size_t inside_wbin_size;
int main(void) {
    wave_module *module = NULL;
    return wave_module_load(inside_wbin, inside_wbin_size, NULL, &module, NULL) == WAVE_OK &&
                   wave_module_kernel_count(module) == 1 ? 0 : 1;
}
END
    version=$(sed -n 's/^.define WAVE_VERSION_TEXT *"\(.*\)".*/\1/p' "$top/include/wave/wave.h")
    verdict "find_package(wave ${version%.*})" cmake -S package -B package-out -DCMAKE_PREFIX_PATH="$scratch/root" -DWANTED="${version%.*}"
    verdict "a kernel inside a program" sh -c 'cmake --build package-out && package-out/whole'
    verdict "shared libraries" sh -c 'cmake -S package -B shared-out -DCMAKE_PREFIX_PATH="$1" -DBUILD_SHARED_LIBS=ON && cmake --build shared-out && shared-out/whole' sh "$scratch/root"
    # OpenCL C embedded in a program, and a source with several dots in its name
    if command -v clang-22 >/dev/null 2>&1; then
        echo 'kernel void triple(global uint *x) { x[get_global_id(0)] *= 3; }' >triple.v1.cl
        sed 's|scale.wave|triple.v1.cl|' package/CMakeLists.txt >opencl.txt && mkdir opencl && cp package/main.c opencl && mv opencl.txt opencl/CMakeLists.txt
        verdict "OpenCL C inside a program" sh -c 'cmake -S opencl -B opencl-out -DCMAKE_PREFIX_PATH="$1" && cmake --build opencl-out && opencl-out/whole' sh "$scratch/root"
        # a header that OpenCL C includes
        mkdir headers && cp package/main.c headers && printf '#include "factor.h"\nkernel void scale(global uint *x) { x[get_global_id(0)] *= FACTOR; }\n' >headers/with.cl
        sed 's|../scale.wave|with.cl TARGETS ptx|' package/CMakeLists.txt >headers/CMakeLists.txt
        header() {
            rm -rf headers-out && echo '#define FACTOR 3' >headers/factor.h && cmake -G "$1" -S headers -B headers-out -DCMAKE_PREFIX_PATH="$scratch/root" &&
                cmake --build headers-out && cp headers-out/with.ptx first.ptx && cmake --build headers-out >second && ! grep -E "wavec|wbin" second &&
                sleep 1 && echo '#define FACTOR 5' >headers/factor.h && cmake --build headers-out && ! cmp -s first.ptx headers-out/with.ptx
        }
        verdict "a header of OpenCL C" header "Unix Makefiles"
        if command -v ninja >/dev/null 2>&1; then
            verdict "a header of OpenCL C, with Ninja" header Ninja
        fi
    else
        missing "clang-22, which reads OpenCL C, is not installed"
    fi
    # a file that the kernel includes: what is made from it is made again when it changes, and not otherwise
    mkdir included && cp package/main.c included && echo '.include "body.inc"' >included/with.wave
    sed 's|../scale.wave|with.wave TARGETS ptx|' package/CMakeLists.txt >included/CMakeLists.txt
    included() {
        rm -rf included-out && cp scale.wave included/body.inc && cmake -G "$1" -S included -B included-out -DCMAKE_PREFIX_PATH="$scratch/root" &&
            cmake --build included-out && cp included-out/inside_wbin.c first.c && cmake --build included-out >second &&
            ! grep -E "wavec|wbin" second && sleep 1 && sed 's/fmul/fadd/' scale.wave >included/body.inc && cmake --build included-out >third &&
            ! cmp -s first.c included-out/inside_wbin.c && grep "with.h" third && grep "add.rn.f32" included-out/with.ptx
    }
    verdict "an included file" included "Unix Makefiles"
    if command -v ninja >/dev/null 2>&1; then
        verdict "an included file, with Ninja" included Ninja
    fi
    wave-asm scale.wave -o scale.wbin
    verdict "a WBIN file inside a program" sh -c 'mkdir wbin && sed "s|scale.wave|scale.wbin|" package/CMakeLists.txt >wbin/CMakeLists.txt && cp package/main.c wbin &&
        cmake -S wbin -B wbin-out -DCMAKE_PREFIX_PATH="$1" && cmake --build wbin-out && wbin-out/whole' sh "$scratch/root"
    # an installation that was moved: nothing is searched for in its old place
    verdict "moved" mv "$scratch/root" "$scratch/moved"
    verdict "a moved installation, static" sh -c 'cmake -S package -B moved-out -DCMAKE_PREFIX_PATH="$1" && cmake --build moved-out && moved-out/whole' sh "$scratch/moved"
    verdict "a moved installation, shared" sh -c 'cmake -S package -B moved-shared-out -DCMAKE_PREFIX_PATH="$1" -DBUILD_SHARED_LIBS=ON && cmake --build moved-shared-out && moved-shared-out/whole' sh "$scratch/moved"
    verdict "a moved installation, the compiler" sh -c '"$1/bin/wavec" --target=ptx scale.wave -o moved.ptx && "$1/bin/wave-run" --list' sh "$scratch/moved"
    if [ -n "$sycl" ]; then
        verdict "a moved installation, its plug-in" sh -c '"$1/bin/wave-run" --list | grep -q "^sycl:cpu"' sh "$scratch/moved"
    fi
    verdict "a moved installation, pkg-config" sh -c 'PKG_CONFIG_PATH=$1/lib/pkgconfig; export PKG_CONFIG_PATH
        [ "$(pkg-config --define-prefix --variable=libdir wave_rt)" = "$1/lib" ] && [ "$(pkg-config --define-prefix --variable=includedir wave)" = "$1/include" ]' sh "$scratch/moved"
    verdict "moved back" mv "$scratch/moved" "$scratch/root"
    verdict "another version is not found" sh -c '! cmake -S package -B other-out -DCMAKE_PREFIX_PATH="$1" -DWANTED=7.0' sh "$scratch/root"
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
