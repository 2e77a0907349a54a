#!/bin/sh
# wavec with several targets, architectures and kernels at once: which files are written, and what --build does with
# them. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
wavec=$bin/wavec
unset WAVE_PTXAS WAVE_HIPCC WAVE_HIP_CLANG WAVE_ICPX WAVE_METAL WAVE_XCRUN WAVE_FATBINARY WAVE_OFFLOAD_BUNDLER ROCM_PATH HIP_PATH

printf '.kernel first\n.registers 4\n device_store_u32 r0, r1\n halt\n.end\n.kernel second\n.registers 4\n device_store_u32 r1, r0\n halt\n.end\n' >k.wave

# ---- Folders ----

created() { rm -rf made && status 0 "$wavec" --target=all k.wave -o made && has made/k.ptx .entry && has made/k.metal kernel && [ -s made/k.hip ] && [ -s made/k.sycl.cpp ]; }
ok "--target=all -o FOLDER makes the folder" created
ok "and accepts an existing one" created
slash() { rm -rf made && status 0 "$wavec" --target=all k.wave -o made/ && [ -s made/k.ptx ]; }
ok "with a slash at the end" slash
chosen() { rm -rf made && status 0 "$wavec" --target=ptx --target=msl k.wave -o made/ && [ -s made/k.ptx ] && [ -s made/k.metal ] && absent made/k.hip; }
ok "several targets into FOLDER/" chosen
single() { rm -rf made && status 0 "$wavec" --target=ptx k.wave -o made/ && [ -s made/k.ptx ]; }
ok "one target into FOLDER/" single
deep() { status 2 "$wavec" --target=all k.wave -o no/such && has err "cannot create the folder no/such" && absent no; }
ok "a folder in a folder that does not exist" deep
file() { echo text >taken && status 2 "$wavec" --target=all k.wave -o taken && has err "taken is not a folder" && has taken text; }
ok "a file where the folder should be" file
broken() { printf 'nonsense\n' >bad.wave && status 1 "$wavec" --target=all bad.wave -o unmade && absent unmade; }
ok "no folder for a file with errors" broken
stream() { rm -rf made && "$wavec" --target=all - -o made <k.wave && [ -s made/kernel.ptx ]; }
ok "from standard input" stream

# ---- Kernels ----

twice() { status 0 "$wavec" --target=ptx --kernel first --kernel first k.wave -o twice.ptx && [ "$(grep -c '\.entry' twice.ptx)" -eq 1 ] && has twice.ptx '.entry first(' &&
    status 0 "$wavec" --target=ptx --kernel second --kernel first --kernel second k.wave -o order.ptx && [ "$(grep -o '\.entry [a-z]*' order.ptx | tr '\n' ' ')" = ".entry second .entry first " ]; }
ok "a kernel named twice is compiled once, where it was named first" twice
reflected() { status 0 "$wavec" --reflect --kernel first --kernel first k.wave && [ "$(grep -c '"symbol"' out)" -eq 1 ]; }
ok "and described once" reflected

# ---- Architectures ----

two() { rm -f k.*hip && status 0 "$wavec" --target=hip --arch=gfx942 --arch=gfx1100 k.wave && has k.gfx942.hip "for gfx942, 64 lanes" && has k.gfx1100.hip "for gfx1100, 32 lanes" && absent k.hip && empty err; }
ok "two architectures, two files" two
alone() { rm -rf one && status 0 "$wavec" --target=hip --arch=gfx942 k.wave -o one/ && status 0 "$wavec" --target=hip --arch=gfx1100 k.wave -o k.hip && cmp k.gfx942.hip one/k.hip && cmp k.gfx1100.hip k.hip; }
ok "each has the same text as alone" alone
same() { rm -f k.*hip && status 0 "$wavec" --target=hip --arch=gfx942 --arch=gfx942 k.wave && [ -s k.hip ] && absent k.gfx942.hip; }
ok "an architecture named twice is one" same
into() { rm -rf made && status 0 "$wavec" --target=ptx --arch=sm_75 --arch=sm_90 k.wave -o made/ && has made/k.sm_75.ptx ".target sm_75" && has made/k.sm_90.ptx ".target sm_90"; }
ok "into a folder" into
one_file() { status 2 "$wavec" --target=ptx --arch=sm_75 --arch=sm_90 k.wave -o x.ptx && has err "-o names one file" && absent x.ptx; }
ok "two architectures into one file" one_file
mixed() { rm -rf made && status 0 "$wavec" --target=all --arch=gfx942 --arch=gfx1100 --arch=sm_90 k.wave -o made && [ "$(cd made && echo *)" = "k.gfx1100.hip k.gfx942.hip k.metal k.ptx k.sycl.cpp" ] && has made/k.ptx ".target sm_90" && empty err; }
ok "with all targets each architecture applies to its target" mixed
unknown() { rm -f k.*hip && status 2 "$wavec" --target=hip --arch=gfx942 --arch=gfx1 k.wave && has err "has an architecture 'gfx1'" && absent k.gfx1.hip && absent k.gfx942.hip; }
ok "one that does not exist: no file at all" unknown
unknown_all() { rm -rf made && status 2 "$wavec" --target=all --arch=gfx942 --arch=sm_1 k.wave -o made && has err "none of these targets has an architecture 'sm_1'" && absent made; }
ok "one that no target supports" unknown_all
width() { rm -f k.*hip && status 0 "$wavec" --target=hip --arch=gfx942 --arch=gfx1100 --wave-width=64 k.wave && has err "gfx1100 has no waves of 64 lanes" && has k.gfx942.hip "64 lanes" && has k.gfx1100.hip "32 lanes"; }
ok "a width that one of them supports" width
depend() { rm -f k.d && status 0 "$wavec" --target=hip --arch=gfx942 --arch=gfx1100 -MD k.wave && printf 'k.gfx942.hip k.gfx1100.hip: k.wave\n' | cmp - k.d; }
ok "-MD names both files" depend
described() { status 0 "$wavec" --reflect --target=hip --arch=gfx942 --arch=gfx1100 k.wave && python3 -c 'import json; print([d["arch"] for d in json.load(open("out"))])' >archs && has archs "['gfx942', 'gfx1100']"; }
ok "--reflect describes both" described
header() { status 0 "$wavec" --header --target=hip --arch=gfx942 --arch=gfx1100 k.wave && has out first; }
ok "--header of both" header
many() { set -- --target=ptx; n=0; while [ $n -lt 40 ]; do set -- "$@" "--arch=sm_1$n"; n=$((n + 1)); done; status 2 "$wavec" "$@" k.wave && has err "at most 32 architectures"; }
ok "too many" many

# ---- --build ----

mkdir -p fake
# A program that records its arguments in NAME.args and writes the file that -o, --create= or
# -output= names.
fake() {
    cat >"fake/$1" <<END
#!/bin/sh
printf '%s\n' "\$@" >>"$dir/$1.args"
while [ \$# -gt 0 ]; do
    case \$1 in
    -o) printf made >"\$2" ;;
    --create=*) printf fat >"\${1#--create=}" ;;
    -output=*) printf fat >"\${1#-output=}" ;;
    esac
    shift
done
END
    chmod +x "fake/$1"
}
fake ptxas
fake hipcc
fake fatbinary
fake clang-offload-bundler
args() { file=$1; shift; for word in "$@"; do grep -qx -e "$word" "$file" || { echo "no $word in:"; cat "$file"; return 1; }; done; }
fresh() { rm -rf made ./*.args; }

cuda() { fresh; status 0 env "PATH=$dir/fake:$PATH" "$wavec" --target=ptx --arch=sm_75 --arch=sm_90 --build k.wave -o made/ && [ -s made/k.sm_75.cubin ] && [ -s made/k.sm_90.cubin ] && has made/k.fatbin fat &&
    args fatbinary.args --64 '--image3=kind=elf,sm=75,file=made/k.sm_75.cubin' '--image3=kind=elf,sm=90,file=made/k.sm_90.cubin' && has out "made/k.fatbin: sm_75, sm_90"; }
ok "CUDA: fatbinary bundles the cubins into one file" cuda
amd() { fresh; status 0 env "PATH=$dir/fake:$PATH" "$wavec" --target=hip --arch=gfx942 --arch=gfx1100 --build k.wave -o made/ && [ -s made/k.gfx942.hsaco ] && [ -s made/k.gfx1100.hsaco ] && has made/k.hipfb fat &&
    args clang-offload-bundler.args -type=o '-targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx942,hipv4-amdgcn-amd-amdhsa--gfx1100' -input=/dev/null '-input=made/k.gfx942.hsaco' '-input=made/k.gfx1100.hsaco' && has out "made/k.hipfb: gfx942, gfx1100"; }
ok "HIP: clang-offload-bundler bundles the code objects into one file" amd
single_build() { fresh; status 0 env "PATH=$dir/fake:$PATH" "$wavec" --target=hip --arch=gfx942 --build k.wave -o made/ && [ -s made/k.hsaco ] && absent made/k.hipfb && absent clang-offload-bundler.args; }
ok "one architecture is not bundled" single_build
without() { fresh; rm -f fake/fatbinary; status 0 env "PATH=$dir/fake" WAVE_FATBINARY=/nonexistent "$wavec" --target=ptx --arch=sm_75 --arch=sm_90 --build k.wave -o made/ && [ -s made/k.sm_75.cubin ] && [ -s made/k.sm_90.cubin ] && absent made/k.fatbin && has err "cannot find fatbinary"; }
ok "without the tool, one file per architecture, and a message" without
fails() { fresh; printf '#!/bin/sh\necho "bad image" >&2\nexit 1\n' >fake/fatbinary && chmod +x fake/fatbinary && status 1 env "PATH=$dir/fake:$PATH" "$wavec" --target=ptx --arch=sm_75 --arch=sm_90 --build k.wave -o made/ && has err "bad image" && absent made/k.fatbin && [ "$(ls made | wc -l)" -eq 4 ]; }
ok "a tool that fails leaves no files" fails
intel() { fresh; fake icpx; status 0 env "PATH=$dir/fake:$PATH" "$wavec" --target=sycl --arch=gpu --arch=cpu --build k.wave -o made/ && [ -s made/k.gpu.sycl.o ] && [ -s made/k.cpu.sycl.o ]; }
ok "SYCL has no such file: one object for each" intel

cuda_bin=/usr/local/cuda/bin
if [ -x $cuda_bin/ptxas ] && [ -x $cuda_bin/fatbinary ] && cuobjdump=$(ls "${XDG_CACHE_HOME:-$HOME/.cache}"/wavec/cuda/nvidia/cu13/bin/cuobjdump $cuda_bin/cuobjdump 2>/dev/null | head -n 1) && [ -n "$cuobjdump" ]; then
    real_cuda() { fresh; status 0 env "WAVE_PTXAS=$cuda_bin/ptxas" "WAVE_FATBINARY=$cuda_bin/fatbinary" "$wavec" --target=ptx --arch=sm_75 --arch=sm_90 --build k.wave -o made/ && "$cuobjdump" --list-elf made/k.fatbin >list && has list sm_75 && has list sm_90; }
    ok "CUDA's fatbinary: both cubins are in it" real_cuda
else
    skipped "CUDA's fatbinary: it is not installed"
fi
if clang=$(sh "$tests/../scripts/find-clang.sh") && [ -e /usr/include/hip/hip_runtime.h ] && bundler=$("$clang" -print-prog-name=clang-offload-bundler) && [ -x "$bundler" ]; then
    real() { fresh; status 0 env WAVE_HIPCC=/nonexistent "WAVE_HIP_CLANG=$clang" "WAVE_OFFLOAD_BUNDLER=$bundler" "$wavec" --target=hip --arch=gfx90a --arch=gfx1030 --build k.wave -o made/ && [ -s made/k.hipfb ] &&
        "$bundler" -type=o -input=made/k.hipfb -list >list && has list hipv4-amdgcn-amd-amdhsa--gfx90a && has list hipv4-amdgcn-amd-amdhsa--gfx1030 &&
        "$bundler" -type=o -input=made/k.hipfb -unbundle -targets=hipv4-amdgcn-amd-amdhsa--gfx1030 -output=back && cmp back made/k.gfx1030.hsaco; }
    ok "LLVM's bundler: both code objects come back out" real
else
    missing "LLVM's bundler: clang 19 with AMD's headers is not installed"
fi

finish cli/wavec_several
