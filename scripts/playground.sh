#!/bin/sh
# Builds the playground: libwave as WebAssembly, and everything in one HTML file that needs no server.
# Usage: scripts/playground.sh FILE
set -eu
cd "$(dirname "$0")/.."
page=${1:?usage: $0 FILE}
zig=$(sh scripts/find-zig.sh --install) || { echo "playground: zig is not installed, and installing it failed" >&2; exit 2; }

# As for macOS: zig compiles the libc once, for all checkouts.
ZIG_GLOBAL_CACHE_DIR=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/wavec/zig-cache
ZIG_LOCAL_CACHE_DIR=$ZIG_GLOBAL_CACHE_DIR
export ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR

# Pages are loaded over slow connections: size matters.
build=build/wasm
"${MAKE:-make}" -j2 WERROR=1 OS=Wasm BUILD="$build" CC="'$zig' cc -target wasm32-wasi" AR="'$zig' ar" CFLAGS=-Oz "$build/wave.wasm"
python3 web/bundle.py "$build/wave.wasm" examples "$page"
echo "playground: $page, $(wc -c <"$page") bytes, $(wc -c <"$build/wave.wasm") of them WebAssembly"
