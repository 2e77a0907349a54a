#!/bin/sh
# Prints the path of ptxas, or nothing and fails: PTXAS, the PATH, CUDA_HOME, CUDA's usual place, our cache of tool chains.
# With --install, where there is none: NVIDIA's compiler package from PyPI goes into that cache, once.
set -u
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/wavec
wheel=$cache/cuda/nvidia/cu13/bin/ptxas

find_it() {
    for candidate in "${PTXAS:-}" "$(command -v ptxas 2>/dev/null)" "${CUDA_HOME:-/nowhere}/bin/ptxas" \
        /usr/local/cuda/bin/ptxas "$wheel"; do
        if [ -n "$candidate" ] && [ -x "$candidate" ]; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

find_it && exit 0
[ "${1:-}" = --install ] || exit 1
echo "find-ptxas: installing nvidia-cuda-nvcc from PyPI into $cache/cuda (about 150 MB, once)" >&2
mkdir -p "$cache" &&
    python3 -m pip install --quiet --root-user-action=ignore --no-deps --target "$cache/cuda" nvidia-cuda-nvcc >&2 &&
    find_it
