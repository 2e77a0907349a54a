#!/bin/sh
# Builds the Debian packages, installs them with dpkg into a separate root, uses them from there, and removes them again.
# Also checks the source archive of make dist: it builds, and contains the files in git.
# Usage: scripts/check-deb.sh BUILD
set -u
cd "$(dirname "$0")/.." || exit 2
build=${1:?usage: $0 BUILD}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
root=$scratch/root
verdict_log=$scratch/log
# shellcheck source=scripts/verdict.sh
. scripts/verdict.sh

# dpkg with a separate database: libc6 is not in it, so the dependencies among our packages are checked by hand
# below.
mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
: >"$root/var/lib/dpkg/status"
in_root() {
    dpkg --root="$root" --force-not-root --force-depends --force-script-chrootless --force-bad-path --log=/dev/null "$@"
}

verdict "make deb" sh scripts/deb.sh "$build" "$scratch/debs"
for name in wavec libwave0 libwave-dev libwave-rt; do
    verdict "$name is a package" dpkg-deb --info "$scratch"/debs/"${name}"_*.deb
done
verdict "install" in_root -i "$scratch"/debs/*.deb
lib=$(cd "$root" && echo usr/lib/*/libwave.so.0)
lib=$root/${lib%/libwave.so.0}
verdict "no file is in two packages" sh -c "for f in '$scratch'/debs/*.deb; do dpkg-deb -c \"\$f\" | awk '\$1 ~ /^[-l]/ { print \$6 }'; done | sort | uniq -d | grep . && exit 1 || exit 0"

LD_LIBRARY_PATH=$lib
export LD_LIBRARY_PATH
verdict "wavec compiles" "$root/usr/bin/wavec" --target=ptx examples/saxpy.wave -o "$scratch/saxpy.ptx"
verdict "wave-emu runs" "$root/usr/bin/wave-emu" --test examples/saxpy.wave
verdict "wave-run runs" "$root/usr/bin/wave-run" --list
verdict "a manual page" sh -c "gzip -dc '$root'/usr/share/man/man1/wavec.1.gz | grep -q wavec"
cat >"$scratch/use.c" <<'C'
#include <wave/wave_rt.h>
int main(void) {
    wave_rt_device *device;
    return wave_rt_open("emu", &device, 0) == WAVE_RT_OK ? 0 : 1;
}
C
PKG_CONFIG_PATH=$lib/pkgconfig
PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
# shellcheck disable=SC2046 # flags are words
verdict "a program against libwave-dev" "${CC:-cc}" "$scratch/use.c" $(pkg-config --cflags --libs wave_rt) -Wl,-rpath-link,"$lib" -o "$scratch/use"
verdict "and it runs" "$scratch/use"
verdict "remove" in_root -r wavec libwave-dev libwave-rt libwave0
verdict "nothing is left" sh -c "! find '$root/usr' -type f 2>/dev/null | grep ."

if git rev-parse --git-dir >/dev/null 2>&1; then
    verdict "make dist" "${MAKE:-make}" dist BUILD="$scratch/dist"
    verdict "the archive unpacks" tar xzf "$scratch"/dist/wavec-*.tar.gz -C "$scratch"
    verdict "it is what git has" sh -c "cd '$scratch'/wavec-*/ && test \$(find . -type f -o -type l | wc -l) -eq \$(git -C '$PWD' ls-files | wc -l)"
fi
echo "deb: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
