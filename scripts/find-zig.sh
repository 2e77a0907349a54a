#!/bin/sh
# Prints the path of zig, or nothing and fails: ZIG, the PATH, our cache of tool chains.
# With --install, where there is none: ziglang from PyPI goes into that cache, once. zig brings Apple's libc headers,
# so that any machine can see whether macOS would compile us.
set -u
. "$(dirname "$0")/find-tool.sh"

find_it() {
    first_program "${ZIG:-}" "$(command -v zig 2>/dev/null)" "$cache"/zig/ziglang/zig "$cache"/zig/lib/python3*/site-packages/ziglang/zig
}

find_it && exit 0
[ "${1:-}" = --install ] && install_wheel zig ziglang "about 400 MB" && find_it
