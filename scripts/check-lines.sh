#!/bin/sh
# Source lines reach the line table of the machine code: PTX through ptxas -lineinfo, read by nvdisasm, HIP through clang
# -g, Metal and SYCL through clang -g for the CPU with the headers of the lane harness.
# Usage: scripts/check-lines.sh [BUILD]
set -u

build=${1:-build}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
wavec=$(pwd)/$build/bin/wavec
shims=$(pwd)/tests/simt
ptxas=$(sh scripts/find-ptxas.sh) || ptxas=
nvdisasm=$(sh scripts/find-nvdisasm.sh) || nvdisasm=
clang=$(sh scripts/find-clang.sh) || clang=
cd "$scratch" || exit 2

# The loads are on lines 8 and 9, the addition on 10 and the store on 11.
cat >add.wave <<'END'
.kernel add
.workgroup_size 64, 1, 1
    mov_sr r5, sr_thread_id_x
    mov_imm r6, 2
    shl r5, r5, r6
    iadd r0, r0, r5
    iadd r1, r1, r5
    device_load_u32 r7, r0
    device_load_u32 r8, r1
    fadd r7, r7, r8
    device_store_u32 r1, r7
    halt
.end
END

# has NAME FILE TEXT...: the file contains each text.
has() {
    name=$1
    file=$2
    shift 2
    for text in "$@"; do
        if grep -qF -e "$text" "$file"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "failed: $name: no '$text'"
        fi
    done
}

if [ -n "$ptxas" ] && [ -n "$nvdisasm" ]; then
    "$wavec" --target=ptx -g add.wave -o add.ptx && "$ptxas" -lineinfo -arch=sm_75 add.ptx -o add.cubin && "$nvdisasm" -g add.cubin >sass
    has "PTX" sass 'File "add.wave", line 8' 'File "add.wave", line 9' 'File "add.wave", line 10' 'File "add.wave", line 11'
else
    echo "  skipped, PTX: ptxas or nvdisasm is not installed"
fi
if [ -n "$clang" ]; then
    "$wavec" --target=hip -g add.wave -o add.hip &&
        "$clang" -x hip --offload-arch=gfx942 --cuda-device-only -nogpulib -O2 -ffp-contract=off -g -S add.hip -o add.s
    has "HIP" add.s '; add.wave:8:' '; add.wave:9:' '; add.wave:11:'
else
    echo "  skipped, HIP: no clang for it is installed"
fi
if [ -n "$clang" ]; then
    for target in msl:metal sycl:sycl; do
        name=${target%%:*}
        "$wavec" --target="$name" -g add.wave -o "add.$name" &&
            "$clang" -x c++ -std=c++17 -w -DWAVE_SYCL_RTC=1 -I"$shims" -I"$shims/${target##*:}" -O1 -g -S "add.$name" -o "$name.s"
        has "$name" "$name.s" '# add.wave:8:' '# add.wave:11:' # the second load and the addition are one instruction there
    done
fi
echo "lines: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
