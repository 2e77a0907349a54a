#!/bin/sh
# Installs the missing requirements of a part of the project, by Debian package name.
# Usage: scripts/install-deps.sh build|test|lint|fuzz|hip|bench...
# On a system without apt it lists what is missing and leaves the installation to you.
set -eu

usage() {
    echo "usage: $0 build|test|lint|fuzz|hip|bench..." >&2
    exit 2
}

# Debian 12 package names; each part lists everything it needs.
build_packages="gcc libc6-dev make"
lint_packages="clang clang-format clang-tidy cppcheck"
fuzz_packages="clang libclang-rt-dev libc6-dev make"
hip_packages="clang-19 lld-19 clang-tools-19 libamdhip64-dev rocm-device-libs"
bench_packages="$build_packages $hip_packages valgrind python3"
sycl_packages="g++ python3 python3-pip python3-venv"
test_packages="$build_packages $lint_packages $fuzz_packages $hip_packages pkg-config libcriterion-dev musl-tools cmake groff-base python3-yaml $sycl_packages"

# Used by the tests, but not part of every system: listed when unavailable.
newest_packages="clang-22 chromium chromium-driver fonts-dejavu-core zsh fish spirv-tools"

# The same requirements as commands, for systems where package names mean nothing.
build_commands="cc make"
lint_commands="clang clang-format clang-tidy cppcheck"
fuzz_commands="clang make"
hip_commands="clang++-19 ld.lld-19"
bench_commands="cc make valgrind python3"
test_commands="cc make clang clang-format clang-tidy cppcheck pkg-config c++ python3"

[ $# -gt 0 ] || usage
packages=
commands=
newest=
for part in "$@"; do
    case $part in
    build) packages="$packages $build_packages" commands="$commands $build_commands" ;;
    test) packages="$packages $test_packages" commands="$commands $test_commands" newest=$newest_packages ;;
    lint) packages="$packages $lint_packages" commands="$commands $lint_commands" ;;
    fuzz) packages="$packages $fuzz_packages" commands="$commands $fuzz_commands" ;;
    hip) packages="$packages $hip_packages" commands="$commands $hip_commands" ;;
    bench) packages="$packages $bench_packages" commands="$commands $bench_commands" ;;
    *) usage ;;
    esac
done

# Adds a word to the list in the variable "missing", once.
add_missing() {
    case " $missing " in
    *" $1 "*) ;;
    *) missing="$missing${missing:+ }$1" ;;
    esac
}

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

# Adds the newest packages that this system offers, and lists the others.
add_newest() {
    for word in $newest; do
        if is_installed "$word"; then
            continue
        elif apt-cache show "$word" >/dev/null 2>&1; then
            add_missing "$word"
        else
            echo "install-deps: skipped: $word is not among this system's packages"
        fi
    done
    newest=
}

missing=
if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
    for word in $commands; do
        command -v "$word" >/dev/null 2>&1 || add_missing "$word"
    done
    [ -n "$missing" ] || exit 0
    echo "install-deps: no apt here; please install: $missing (tests also need the Criterion library)" >&2
    exit 1
fi

for word in $packages; do
    is_installed "$word" || add_missing "$word"
done
# If nothing else is missing, the package lists are not refreshed.
[ -n "$missing" ] || add_newest
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "install-deps: need root or sudo to run: apt-get install $missing" >&2
        exit 1
    fi
    as_root=sudo
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# apt_get ARG...: quiet, non-interactive, waits for another apt that holds the lock.
apt_get() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1
}

# The package lists of a bare machine are empty and those of an old one stale: refresh them once before installing.
refreshed=true
apt_get update || refreshed=false
add_newest
echo "install-deps: installing $missing"
# shellcheck disable=SC2086 # the list is meant to split into words
if $refreshed && apt_get install -y --no-install-recommends $missing; then
    exit 0
fi
cat "$log" >&2
# One unknown package must not prevent the installation of the others.
left=
for word in $missing; do
    apt_get install -y --no-install-recommends "$word" || left="$left $word"
done
[ -z "$left" ] || { echo "install-deps: could not install:$left" >&2; exit 1; }
