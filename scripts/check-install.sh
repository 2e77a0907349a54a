#!/bin/sh
# Installs the release build into a scratch folder, builds a small program against it through pkg-config, with the
# shared and with the static library, runs both and an installed tool, and uninstalls everything again.
# Usage: scripts/check-install.sh [BUILD]
set -u
cd "$(dirname "$0")/.." || exit 2

make=${MAKE:-make}
build=${1:-build}
cc=${CC:-cc}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
prefix=/opt/wave
verdict_log=$scratch/log
# shellcheck source=scripts/verdict.sh
. scripts/verdict.sh

version=$(sed -n 's/^.define WAVE_VERSION_TEXT *"\(.*\)".*/\1/p' include/wave/wave.h)

cat >"$scratch/use.c" <<'C'
#include <stdio.h>
#include <string.h>
#include <wave/wave.h>

int main(void) {
    puts(wave_version());
    return strcmp(wave_version(), WAVE_VERSION_TEXT) == 0 ? 0 : 1;
}
C

verdict "make install" "$make" BUILD="$build" DESTDIR="$root" PREFIX="$prefix" install

PKG_CONFIG_PATH=$root$prefix/lib/pkgconfig
PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
verdict "wave.pc has the version of the header" test "$(pkg-config --modversion wave)" = "$version"
verdict "wave.pc has the prefix" grep -qx "prefix=$prefix" "$PKG_CONFIG_PATH/wave.pc"

# Each public header compiles on its own, in C, and in C++ where there is a compiler for it.
for header in include/wave/*.h; do
    echo "#include <wave/$(basename "$header")>" >"$scratch/alone.c"
    cp "$scratch/alone.c" "$scratch/alone.cpp"
    # shellcheck disable=SC2046 # flags are words
    verdict "$header alone in C" "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
        $(pkg-config --cflags wave) "$scratch/alone.c"
    if command -v c++ >/dev/null 2>&1; then
        # shellcheck disable=SC2046
        verdict "$header alone in C++" c++ -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags wave) "$scratch/alone.cpp"
    fi
done

# shellcheck disable=SC2046 # flags are words
verdict "compile against the shared library" \
    "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror "$scratch/use.c" $(pkg-config --cflags --libs wave) -o "$scratch/shared"
verdict "run with the shared library" env LD_LIBRARY_PATH="$root$prefix/lib" DYLD_LIBRARY_PATH="$root$prefix/lib" "$scratch/shared"

mkdir "$scratch/static"
cp "$root$prefix/lib/libwave.a" "$scratch/static" 2>/dev/null
# shellcheck disable=SC2046
verdict "compile against the static library" \
    "$cc" -std=c11 "$scratch/use.c" $(pkg-config --cflags wave) -L"$scratch/static" \
    $(pkg-config --static --libs-only-l wave) -o "$scratch/use-static"
verdict "run with the static library" "$scratch/use-static"

for tool in wave-asm wave-cc wave-dis wave-emu wave-run wavec; do
    verdict "installed $tool --version" "$root$prefix/bin/$tool" --version
done

# The runtime, the same way.
cat >"$scratch/runtime.c" <<'C'
#include <string.h>
#include <wave/wave_rt.h>

int main(void) {
    wave_rt_device *device;
    uint64_t width = 0;
    if (wave_rt_open("emu", &device, NULL) != WAVE_RT_OK)
        return 1;
    wave_rt_query_constant(device, "WAVE_WIDTH", &width, NULL);
    wave_rt_close(device);
    return width == 32 ? 0 : 1;
}
C
verdict "wave_rt.pc has the version of the header" test "$(pkg-config --modversion wave_rt)" = "$version"
# shellcheck disable=SC2046 # flags are words
verdict "compile against the shared runtime" \
    "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror "$scratch/runtime.c" $(pkg-config --cflags --libs wave_rt) \
    -Wl,-rpath-link,"$root$prefix/lib" -o "$scratch/runtime"
verdict "run with the shared runtime" env LD_LIBRARY_PATH="$root$prefix/lib" DYLD_LIBRARY_PATH="$root$prefix/lib" "$scratch/runtime"
cp "$root$prefix/lib/libwave_rt.a" "$scratch/static" 2>/dev/null
# shellcheck disable=SC2046
verdict "compile against the static runtime" \
    "$cc" -std=c11 "$scratch/runtime.c" $(pkg-config --cflags wave_rt) -L"$scratch/static" \
    $(pkg-config --static --libs-only-l wave_rt) -o "$scratch/runtime-static"
verdict "run with the static runtime" "$scratch/runtime-static"
if command -v c++ >/dev/null 2>&1; then
    echo '#include <wave/wave_rt.h>' >"$scratch/alone.cpp"
    # shellcheck disable=SC2046
    verdict "wave/rt.hpp: compile" c++ -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror tests/cxx/rt.cpp \
        $(pkg-config --cflags --libs wave_rt) -Wl,-rpath-link,"$root$prefix/lib" -o "$scratch/rt"
    verdict "wave/rt.hpp: a kernel" "$root$prefix/bin/wave-asm" examples/saxpy.wave -o "$scratch/saxpy.wbin"
    verdict "wave/rt.hpp: run" env LD_LIBRARY_PATH="$root$prefix/lib" DYLD_LIBRARY_PATH="$root$prefix/lib" "$scratch/rt" emu "$scratch/saxpy.wbin"
    # shellcheck disable=SC2046
    verdict "wave_rt.h alone in C++" c++ -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags wave_rt) "$scratch/alone.cpp"
fi
if nm -D --defined-only "$root$prefix/lib/libwave_rt.so" >"$scratch/names" 2>/dev/null; then
    alien=$(awk '$2 ~ /[A-Z]/ && $3 !~ /^wave_rt_/ { print $3 }' "$scratch/names" | tr '\n' ' ')
    verdict "names exported besides wave_rt_*: $alien" test -z "$alien"
    awk '{ print $3 }' "$scratch/names" | sort >"$scratch/exported"
    missing=
    for name in $(tr '\n' ' ' <runtime/wave_rt.h | grep -o 'WAVE_API [^;]*;' | grep -o 'wave_rt_[a-z0-9_]*(' | tr -d '('); do
        grep -qx "$name" "$scratch/exported" || missing="$missing $name"
    done
    verdict "public functions of the runtime that are not exported: $missing" test -z "$missing"
fi
# Plug-ins are found relative to the program or the library, not at the prefix that make was given: here everything is below
# DESTDIR. This plug-in only reports which file was loaded.
ending=so
[ "$(uname)" = Darwin ] && ending=dylib
cat >"$scratch/plugin.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void note(void) {
    FILE *file = fopen(getenv("LOADED"), "w");
    if (file) {
        fputs(PLACE, file);
        fclose(file);
    }
}
C
cat >"$scratch/list.c" <<'C'
#include <wave/wave_rt.h>

int main(void) {
    wave_rt_list list;
    if (wave_rt_enumerate(&list, NULL) != WAVE_RT_OK)
        return 1;
    wave_rt_list_free(&list);
    return 0;
}
C
# loads PLACE COMMAND...: the command loads the plug-in from PLACE.
loads() {
    place=$1
    shift
    rm -f "$scratch/loaded"
    env -u WAVE_RT_PLUGINS LOADED="$scratch/loaded" WAVE_CUDA_LIBRARY= WAVE_HIP_LIBRARY= LD_LIBRARY_PATH="$root$prefix/$place" \
        DYLD_LIBRARY_PATH="$root$prefix/$place" "$@" || return 1
    [ "$(cat "$scratch/loaded")" = "$place" ] || { echo "loaded: $(cat "$scratch/loaded"), not the one in $place"; return 1; }
}
# plugin PLACE: creates one in PREFIX/PLACE/wave.
plugin() {
    mkdir -p "$root$prefix/$1/wave"
    "$cc" -fPIC -shared -DPLACE="\"$1\"" "$scratch/plugin.c" -o "$root$prefix/$1/wave/libwave_rt_sycl.$ending"
}
verdict "a plug-in" plugin lib
# shellcheck disable=SC2046
verdict "a program that lists devices" "$cc" -std=c11 "$scratch/list.c" $(pkg-config --cflags --libs wave_rt) -Wl,-rpath-link,"$root$prefix/lib" -o "$scratch/list"
verdict "the plug-in of the installed wave-run" loads lib "$root$prefix/bin/wave-run" --list
verdict "the plug-in of the installed library" loads lib "$scratch/list"
# The same with libraries in lib64, as on some systems.
verdict "make install LIBDIR" "$make" BUILD="$build" DESTDIR="$root/wide" PREFIX="$prefix" LIBDIR="$prefix/lib64" install
root=$root/wide
verdict "a plug-in in lib64" plugin lib64
verdict "the plug-in of wave-run next to lib64" loads lib64 "$root$prefix/bin/wave-run" --list
verdict "the plug-in of the library in lib64" loads lib64 "$scratch/list"
verdict "make uninstall LIBDIR" "$make" BUILD="$build" DESTDIR="$root" PREFIX="$prefix" LIBDIR="$prefix/lib64" uninstall
root=${root%/wide}
for page in wavec wave-asm wave-cc wave-dis wave-emu wave-run wave-test; do
    verdict "manual page of $page" test -s "$root$prefix/share/man/man1/$page.1"
done

# Only the public names may be exported from the shared library.
if nm -D --defined-only "$root$prefix/lib/libwave.so" >"$scratch/names" 2>/dev/null; then
    alien=$(awk '$2 ~ /[A-Z]/ && $3 !~ /^wave_/ { print $3 }' "$scratch/names" | tr '\n' ' ')
    verdict "names exported besides wave_*: $alien" test -z "$alien"
    awk '{ print $3 }' "$scratch/names" | sort >"$scratch/exported"
    missing=
    for name in $(cat include/wave/*.h | tr '\n' ' ' | grep -o 'WAVE_API [^;]*;' | grep -o 'wave_[a-z0-9_]*(' | tr -d '('); do
        grep -qx "$name" "$scratch/exported" || missing="$missing $name"
    done
    verdict "public functions that are not exported: $missing" test -z "$missing"
fi

verdict "make uninstall" "$make" BUILD="$build" DESTDIR="$root" PREFIX="$prefix" uninstall
verdict "uninstall leaves files behind" test -z "$(find "$root" -type f -o -type l)"

echo "install: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
