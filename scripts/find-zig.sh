#!/bin/sh
# Prints the path of zig, or prints nothing and fails. Searches ZIG, the PATH, our cache of tool chains. With
# --install, if there is none: installs ziglang from PyPI into that cache, once. zig includes Apple's libc headers,
# so any machine can check that our code compiles for macOS.
set -u
. "$(dirname "$0")/find-tool.sh"

find_it() {
    first_program "${ZIG:-}" "$(command -v zig 2>/dev/null)" "$cache"/zig/ziglang/zig "$cache"/zig/lib/python3*/site-packages/ziglang/zig
}

find_it && exit 0
[ "${1:-}" = --install ] && install_wheel zig ziglang "about 400 MB" && find_it
