#!/bin/sh
# Which compiler wavec --build uses: the one named by a variable; for HIP otherwise the first that accepts the installed
# headers. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
wavec=$bin/wavec
unset WAVE_PTXAS WAVE_HIPCC WAVE_HIP_CLANG WAVE_ICPX WAVE_METAL WAVE_XCRUN ROCM_PATH HIP_PATH

printf '.kernel first\n.registers 4\n device_store_u32 r0, r1\n halt\n.end\n' >k.wave

# compiler PATH VERSION HEADERS TEXT: a compiler that writes a line to FILE.ran for each build. HEADERS and TEXT are yes or no:
# whether it accepts the vendor's headers alone, and wavec's output. It uses the shell's own commands only.
compiler() {
    mkdir -p "${1%/*}"
    cat >"$1" <<END
#!/bin/sh
headers=$3 text=$4 alone=no
case \$1 in -dumpversion) echo $2; exit 0 ;; esac
for word; do [ "\$word" != -fsyntax-only ] || alone=yes; done
if [ \$headers = no ]; then echo "hip/warp.h:26:33: error: no header for ${1##*/}"; exit 1; fi
[ \$alone = no ] || exit 0
printf '%s\n' "\$@" >"$dir/${1##*/}.ran"
if [ \$text = no ]; then echo "b.hip:1:1: error: not this text"; exit 1; fi
while [ \$# -gt 0 ]; do [ "\$1" = -o ] && printf made >"\$2"; shift; done
END
    chmod +x "$1"
}
# try STATUS FOLDER [VARIABLE=VALUE...]: --build for HIP with the compilers of a folder and no others in the PATH
try() {
    wanted=$1 folder=$2
    shift 2
    rm -f ./*.ran
    status "$wanted" env "PATH=$dir/$folder" "$@" "$wavec" --target=hip --build k.wave -o b.hip
}

# ---- HIP ----

compiler next/clang++-22 22.1.8 no yes
compiler next/clang++-19 19.1.7 yes yes
next() { try 0 next && has out "Compiled with $dir/next/clang++-19" && has err "next/clang++-22 does not accept the installed HIP headers" && has err "no header for clang++-22" && [ -s b.hsaco ]; }
ok "a clang that rejects the headers is reported, and the next one is used" next
compiler text/clang++-22 22.1.8 yes no
compiler text/clang++-19 19.1.7 yes yes
text() { try 1 text && has err "error: not this text" && lacks err "accept" && absent clang++-19.ran; }
ok "the verdict of a clang that accepts the headers is final" text
compiler none/clang++-22 22.1.8 no yes
compiler none/clang++-20 20.1.0 no yes
none() { try 2 none && has err "none/clang++-22 does not" && has err "none/clang++-20 does not" && has err "no compiler here accepts" && has b.hip __global__; }
ok "none of them" none
compiler old/clang++ 14.0.6 yes yes
compiler old/clang++-19 19.1.7 yes yes
old() { try 0 old && has out "Compiled with $dir/old/clang++-19" && empty err && absent clang++.ran; }
ok "one that is too old for HIP is not tried" old
compiler hipcc/hipcc 6.0 no yes
compiler hipcc/clang++-19 19.1.7 yes yes
after_hipcc() { try 0 hipcc && has err "hipcc/hipcc does not accept" && has out "Compiled with $dir/hipcc/clang++-19"; }
ok "clang after a hipcc that does not accept the headers" after_hipcc
compiler good/hipcc 6.0 yes yes
compiler good/clang++-19 19.1.7 yes yes
first() { try 0 good && has out "Compiled with $dir/good/hipcc" && absent clang++-19.ran; }
ok "hipcc first" first
compiler rocm/llvm/bin/clang++ 17.0.0 yes yes
rocm() { try 0 old "ROCM_PATH=$dir/rocm" && has out "Compiled with $dir/rocm/llvm/bin/clang++"; }
ok "ROCm's own clang before those of the PATH" rocm
asked() { try 1 next WAVE_HIP_CLANG=clang++-22 && has err "no header for clang++-22" && absent clang++-19.ran; }
ok "a requested clang is the only one tried" asked
asked_hipcc() { try 1 hipcc WAVE_HIPCC=hipcc && has err "no header for hipcc" && absent clang++-19.ran; }
ok "a requested hipcc is the only one tried" asked_hipcc
before_hipcc() { try 0 good WAVE_HIP_CLANG=clang++-19 && has out "Compiled with $dir/good/clang++-19" && absent hipcc.ran; }
ok "a requested clang precedes a hipcc that was not requested" before_hipcc

if [ -e /usr/include/hip/hip_runtime.h ] && clang=$(sh "$tests/../scripts/find-clang.sh"); then
    real() { status 0 env WAVE_HIPCC=/nonexistent "$wavec" --target=hip --arch=gfx90a --build k.wave -o real.hip && has out "Compiled with /" && { [ -s real.hsaco ] || [ -s real.s ]; }; }
    ok "of the clangs of this system, one that accepts its HIP headers" real
else
    missing "the clangs of this system: clang 19 with AMD's headers is not installed"
fi

# ---- Variables ----

compiler bare/my-tool 19.1.7 yes yes
# bare VARIABLE TARGET SUFFIX: a name without a folder is searched for in the PATH
bare() { rm -f ./*.ran && status 0 env "PATH=$dir/bare" "$1=my-tool" "$wavec" "--target=$2" --build k.wave -o "b.$3" && [ -s my-tool.ran ]; }
# The user did not choose a program that is only in the current folder.
cp bare/my-tool ./here-only
here() { rm -f ./*.ran && status 2 env "PATH=$dir/bare" "$1=here-only" "$wavec" "--target=$2" --build k.wave -o "b.$3" && absent my-tool.ran; }
for row in "WAVE_PTXAS ptx ptx" "WAVE_HIPCC hip hip" "WAVE_HIP_CLANG hip hip" "WAVE_ICPX sycl sycl.cpp" "WAVE_METAL msl metal" "WAVE_XCRUN msl metal"; do
    # shellcheck disable=SC2086 # a row is words
    ok "${row%% *}: a bare name" bare $row
    # shellcheck disable=SC2086
    ok "${row%% *}: a bare name of the current folder" here $row
    ok "${row%% *}: in the manual" grep -q "${row%% *}" "$tests/../man/wavec.1"
done
metal() { bare WAVE_METAL msl metal && ! grep -qx -e -sdk -e macosx -e metal my-tool.ran && sed -n 1p my-tool.ran | grep -q "^-std=metal3"; }
ok "WAVE_METAL is the compiler itself" metal
xcrun() { bare WAVE_XCRUN msl metal && [ "$(sed -n 1,3p my-tool.ran | tr '\n' ' ')" = "-sdk macosx metal " ]; }
ok "WAVE_XCRUN is the program that starts it" xcrun

# ---- Tools that fail ----

# Replaces every target's compiler by a program. broken STATUS PROGRAM WORDS: the message about it
# contains WORDS.
mkdir folder
printf '#!/bin/sh\nkill -SEGV $$\n' >crash
printf '#!/bin/sh\nexit 3\n' >silent
printf '\177ELF nonsense' >nonsense
chmod +x crash silent nonsense
broken() {
    code=$1 program=$2 words=$3
    for row in "WAVE_PTXAS ptx ptx" "WAVE_HIPCC hip hip" "WAVE_HIP_CLANG hip hip" "WAVE_ICPX sycl sycl.cpp" "WAVE_METAL msl metal" "WAVE_XCRUN msl metal"; do
        # shellcheck disable=SC2086 # a row is words
        set -- $row
        rm -rf made && mkdir made
        wanted=$code
        case $1 in WAVE_HIP_CLANG) wanted=2 ;; esac # it does not even print its version
        status "$wanted" env "PATH=$dir/bare" "$1=$program" "$wavec" "--target=$2" --build k.wave -o "made/b.$3" && has err "$words" &&
            [ "$(ls made)" = "b.$3" ] || { echo "$row"; return 1; }
    done
}
ok "a folder in the compiler's place" broken 2 "$dir/folder" "wavec: --build: $dir/folder cannot be run: Is a directory"
ok "a compiler that crashes" broken 1 "$dir/crash" "wavec: --build: $dir/crash was ended by signal 11 ("
ok "a compiler that fails without a message" broken 1 "$dir/silent" "wavec: --build: $dir/silent failed with status 3"
ok "a compiler that is not a program" broken 2 "$dir/nonsense" "wavec: --build: $dir/nonsense cannot be run: "
mkdir -p path_folder/my-tool
folder_in_path() { rm -f ./*.ran && status 0 env "PATH=$dir/path_folder:$dir/bare" WAVE_PTXAS=my-tool "$wavec" --target=ptx --build k.wave -o b.ptx && [ -s my-tool.ran ]; }
ok "a folder in the PATH is not a program" folder_in_path

# ---- Names that look like options ----

cp k.wave ./-k.wave
for row in "WAVE_PTXAS ptx ptx cubin" "WAVE_HIPCC hip hip hsaco" "WAVE_ICPX sycl sycl.cpp o" "WAVE_METAL msl metal metallib"; do
    # shellcheck disable=SC2086
    set -- $row
    # The last word is the input, the one before it the output.
    dashes() {
        rm -f ./*.ran ./-k.?* && cp k.wave ./-k.wave && status 0 env "PATH=$dir/bare" "$1=my-tool" "$wavec" "--target=$2" --build -o "-k.$3" -- -k.wave &&
            [ "$(sed -n '$p' my-tool.ran)" = "./-k.$3" ] && sed -n 'x;$p' my-tool.ran | grep -q '^\./-k\.' && [ "$(ls ./-k*."$4")" ]
    }
    ok "$1: a name that begins with a dash" dashes "$@"
done

# ---- The folder for the compiler's output ----

cat >untidy <<'END'
#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = -o ] && made=$2; shift; done
mkdir -p "${made%/*}/temps/inner" && echo x >"${made%/*}/temps/inner/file" && ln -s /nonexistent "${made%/*}/temps/link" && echo elf >"$made"
END
chmod +x untidy
mkdir outside && echo kept >outside/file
sed "s|/nonexistent|$dir/outside|" untidy >links && chmod +x links
for tool in untidy links; do
    check "a compiler that creates folders: $tool" 0 env "WAVE_PTXAS=./$tool" "$wavec" --target=ptx --build k.wave -o tidy.ptx
    ok "nothing is left: $tool" test "$(echo tidy.*)" = "tidy.cubin tidy.ptx"
done
ok "a link is removed, not what it refers to" has outside/file kept
finish cli/wavec_build
