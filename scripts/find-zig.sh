#!/bin/sh
# Prints the path of zig, or nothing and fails: ZIG, the PATH, our cache of tool chains.
# With --install, where there is none: ziglang from PyPI goes into that cache, once. zig brings Apple's libc headers,
# so that any machine can see whether macOS would compile us.
set -u
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/wavec
venv=$cache/zig

find_it() {
    for candidate in "${ZIG:-}" "$(command -v zig 2>/dev/null)" "$venv"/lib/python3*/site-packages/ziglang/zig; do
        if [ -n "$candidate" ] && [ -x "$candidate" ]; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

find_it && exit 0
[ "${1:-}" = --install ] || exit 1
echo "find-zig: installing ziglang from PyPI into $venv (about 400 MB, once)" >&2
# Into a folder of its own that is renamed when it is whole: an interrupted installation leaves nothing that counts.
mkdir -p "$cache" && fresh=$(mktemp -d "$cache/zig.new.XXXXXX") || exit 1
trap 'rm -rf "$fresh"' EXIT
trap 'exit 1' HUP INT TERM
python3 -m venv "$fresh/zig" >&2 &&
    "$fresh/zig/bin/python" -m pip install --quiet --disable-pip-version-check ziglang >&2 || exit 1
# Somebody else may have been faster; then theirs stays.
[ -d "$venv" ] || mv "$fresh/zig" "$venv"
find_it
