#!/bin/sh
# Prints the path of ptxas, or prints nothing and fails. Searches PTXAS, the PATH, CUDA_HOME, CUDA's usual folder, our cache
# of tool chains. With --install, if there is none: installs NVIDIA's compiler package from PyPI into that cache, once.
set -u
. "$(dirname "$0")/find-tool.sh"

find_it() {
    first_program "${PTXAS:-}" "$(command -v ptxas 2>/dev/null)" "${CUDA_HOME:-/nowhere}/bin/ptxas" /usr/local/cuda/bin/ptxas \
        "$cache/cuda/nvidia/cu13/bin/ptxas"
}

find_it && exit 0
[ "${1:-}" = --install ] && install_wheel cuda nvidia-cuda-nvcc "about 150 MB" && find_it
