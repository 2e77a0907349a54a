#!/bin/sh
# Prints the path of nvdisasm, or prints nothing and fails. Searches NVDISASM, the folder of ptxas, the PATH,
# our cache of tool chains. With --install, if there is none: installs NVIDIA's package from PyPI into that
# cache, once.
set -u
. "$(dirname "$0")/find-tool.sh"
ptxas=$(sh "$(dirname "$0")/find-ptxas.sh")

find_it() {
    first_program "${NVDISASM:-}" "$(dirname "${ptxas:-/nowhere/ptxas}")/nvdisasm" "$(command -v nvdisasm 2>/dev/null)" \
        "$cache/nvdisasm/nvidia/cu13/bin/nvdisasm"
}

find_it && exit 0
[ "${1:-}" = --install ] && install_wheel nvdisasm nvidia-cuda-nvdisasm "about 6 MB" && find_it
