#!/bin/sh
# Debian packages of the release build: wavec, libwave0, libwave-dev, libwave-rt.
# Usage: scripts/deb.sh BUILD FOLDER
# The SYCL plug-in is not included: it is linked to the run time of the machine that builds it (make plugins).
set -eu
cd "$(dirname "$0")/.."
build=${1:?usage: $0 BUILD FOLDER}
folder=${2:?usage: $0 BUILD FOLDER}
command -v dpkg-deb >/dev/null 2>&1 || { echo "deb: dpkg-deb is not installed: this is not a Debian system" >&2; exit 2; }

version=$(sed -n 's/^.define WAVE_VERSION_TEXT *"\(.*\)".*/\1/p' include/wave/wave.h)
arch=$(dpkg --print-architecture)
triple=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || "${CC:-cc}" -print-multiarch)
lib=usr/lib/$triple
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
all=$scratch/all
"${MAKE:-make}" BUILD="$build" DESTDIR="$all" PREFIX=/usr LIBDIR="/$lib" install >/dev/null
rm -f "$all/$lib"/wave/libwave_rt_sycl.so
mkdir -p "$folder"

# take PACKAGE PATTERN...: moves files of the installation into a package.
take() {
    package=$scratch/$1
    shift
    for pattern in "$@"; do
        for file in "$all"/$pattern; do
            [ -e "$file" ] || [ -L "$file" ] || { echo "deb: no file matches $pattern" >&2; exit 1; }
            target=$package${file#"$all"}
            mkdir -p "$(dirname "$target")"
            mv "$file" "$target"
        done
    done
}

take libwave0 "$lib/libwave.so.*"
take libwave-rt "$lib/libwave_rt.so.*" "$lib/wave"
take libwave-dev usr/include/wave "$lib/*.a" "$lib/*.so" "$lib/pkgconfig" "$lib/cmake"
take wavec usr/bin usr/share
left=$(cd "$all" && find . -type f -o -type l)
[ -z "$left" ] || { echo "deb: these files are in no package: $left" >&2; exit 1; }

# pack PACKAGE SECTION DEPENDS SUMMARY TEXT
pack() {
    package=$scratch/$1
    find "$package" -name '*.1' -exec gzip -9n {} +
    mkdir -p "$package/usr/share/doc/$1" "$package/DEBIAN"
    cp LICENSE "$package/usr/share/doc/$1/copyright"
    gzip -9n <CHANGELOG.md >"$package/usr/share/doc/$1/changelog.gz"
    find "$package" -name '*.so.*' -type f -exec strip --strip-unneeded {} +
    find "$package/usr/bin" "$package/$lib/wave" -type f -exec strip {} + 2>/dev/null || true
    chmod -R u=rwX,go=rX "$package"
    size=$(du -sk "$package" | cut -f1)
    cat >"$package/DEBIAN/control" <<CONTROL
Package: $1
Version: $version
Architecture: $arch
Multi-Arch: $([ "$1" = wavec ] && echo foreign || echo same)
Section: $2
Priority: optional
Installed-Size: $size
Depends: $3
Maintainer: the wavec project <wavec@localhost>
Description: $4
 $5
CONTROL
    (cd "$package" && find usr -type f -exec md5sum {} + | LC_ALL=C sort -k2) >"$package/DEBIAN/md5sums"
    [ "$1" = wavec ] || [ "$1" = libwave-dev ] || printf 'activate-noawait ldconfig\n' >"$package/DEBIAN/triggers"
    dpkg-deb --root-owner-group -Zxz --build "$package" "$folder/$1_${version}_$arch.deb" >/dev/null
    echo "deb: $folder/$1_${version}_$arch.deb"
}

libc="libc6 (>= 2.34)"
pack libwave0 libs "$libc" "cross-compiler for WAVE GPU kernels, shared library" \
    "Loads, assembles, compiles and emulates kernels of the WAVE instruction set."
pack libwave-rt libs "$libc, libwave0 (= $version)" "runtime for WAVE GPU kernels" \
    "Launches WAVE kernels on the available device: CUDA, HIP, or the emulator."
pack libwave-dev libdevel "libwave0 (= $version), libwave-rt (= $version)" "headers and static libraries of libwave and libwave_rt" \
    "C and C++ headers, pkg-config and CMake files."
pack wavec devel "$libc, libwave-rt (= $version)" "one GPU kernel for NVIDIA, AMD, Intel and Apple" \
    "Compiles kernels of the WAVE instruction set and OpenCL C to PTX, HIP, SYCL and Metal; assembler, disassembler, emulator."
