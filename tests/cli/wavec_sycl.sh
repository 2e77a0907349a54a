#!/bin/sh
# wavec --target=sycl from the outside: the file it writes, widths, parameters of the launch, and kernels that SYCL
# cannot express. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
wavec=$bin/wavec

# kernel FILE DIRECTIVE INSTRUCTION...: one kernel `k`
kernel() {
    to=$1
    directive=$2
    shift 2
    {
        echo ".kernel k"
        echo ".registers 16"
        [ -z "$directive" ] || echo "$directive"
        for line in "$@"; do echo "    $line"; done
        echo "    halt"
        echo ".end"
    } >"$to"
}

kernel plain.wave ".workgroup_size 64, 1, 1" "wave_reduce_add r2, r1" "device_store_u32 r0, r2"
check "a file next to the source" 0 "$wavec" --target=sycl plain.wave
ok "its name" test -s plain.sycl.cpp
ok "the default width" has plain.sycl.cpp "WAVE kernels for SYCL on a GPU, 32 lanes to a wave"
ok "how to compile it" has plain.sycl.cpp "icpx -fsycl -O3 -ffp-contract=off"
ok "the entry for compiling at run time" has plain.sycl.cpp "void k_kernel(uint8_t *mem, k_args args) {"
ok "the launcher" has plain.sycl.cpp "sycl::event k(sycl::queue &queue, uint8_t *mem, k_args args, sycl::range<3> grid"
ok "the sum" has plain.sycl.cpp "sycl::reduce_over_group(wave, args.r[1], sycl::plus<uint32_t>())"
for width in 4 8 16 32 64; do
    check "waves of $width lanes" 0 "$wavec" --target=sycl --wave-width=$width -o - plain.wave
    said out "sub_group_size<$width>"
done
for width in 2 12 33; do
    check "waves of $width lanes" 1 "$wavec" --target=sycl --wave-width=$width -o out.cpp plain.wave
    said err "E_TARGET_LIMIT"
    ok "nothing is written" absent out.cpp
done

# Parameters depend on the file and the options, not on the optimised code.
kernel open.wave "" "wave_reduce_add r2, r1" "device_store_u32 r0, r1"
for level in -O0 -O2; do
    check "an open workgroup with waves at $level" 0 "$wavec" --target=sycl $level -o - open.wave
    said out "void k_kernel(uint8_t *mem, k_args args, uint32_t, uint32_t) {"
    said out "local_range(1, 1, group.size())"
done
check "it is reported" 0 "$wavec" --target=sycl --reflect open.wave
said out '"row": true, "shape": true'
check "a fixed workgroup" 0 "$wavec" --target=sycl --reflect plain.wave
said out '"row": true, "shape": false'
kernel asserts.wave "" "ucmp_lt p1, r1, r2" "assert p1, 6" "device_store_u32 r0, r1"
check "asserts" 0 "$wavec" --target=sycl -o - asserts.wave
said out "wave_fail(status, 6u)"
said out "uint32_t *status) {"
check "asserts turned off" 0 "$wavec" --target=sycl --assert=off -o - asserts.wave
ok "no status word" lacks out "status"
check "bounds" 0 "$wavec" --target=sycl --bounds -o - asserts.wave
said out "uint64_t mem_size, uint32_t *status) {"

kernel half.wave "" "hadd r2, r1, r1" "device_store_u32 r0, r2"
check "f16" 0 "$wavec" --target=sycl -o - half.wave
said out "aspect::fp16"
ok "and no more" lacks out "aspect::fp64"
kernel double.wave "" "dadd r2, r4, r6" "device_store_u64 r0, r2"
check "f64" 0 "$wavec" --target=sycl -o - double.wave
said out "aspect::fp64"

check "an unknown architecture" 1 "$wavec" --target=sycl --arch=gen9 -o out.cpp plain.wave
said err "E_TARGET_LIMIT"
ok "nothing is written" absent out.cpp
finish wavec_sycl
