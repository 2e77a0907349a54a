#!/bin/sh
# Prints the path of nvdisasm, or nothing and fails: NVDISASM, beside ptxas, the PATH, our cache of tool chains.
# With --install, where there is none: NVIDIA's package from PyPI goes into that cache, once.
set -u
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/wavec
wheel=$cache/nvdisasm/nvidia/cu13/bin/nvdisasm
ptxas=$(sh "$(dirname "$0")/find-ptxas.sh")

find_it() {
    for candidate in "${NVDISASM:-}" "$(dirname "${ptxas:-/nowhere/ptxas}")/nvdisasm" \
        "$(command -v nvdisasm 2>/dev/null)" "$wheel"; do
        if [ -n "$candidate" ] && [ -x "$candidate" ]; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

find_it && exit 0
[ "${1:-}" = --install ] || exit 1
echo "find-nvdisasm: installing nvidia-cuda-nvdisasm from PyPI into $cache/nvdisasm (once)" >&2
mkdir -p "$cache" &&
    python3 -m pip install --quiet --root-user-action=ignore --no-deps --target "$cache/nvdisasm" nvidia-cuda-nvdisasm >&2 &&
    find_it
