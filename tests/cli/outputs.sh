#!/bin/sh
# Outputs of every tool, when the disk is full or the process is killed at any step of writing: the file holds either
# its previous contents or all of the new text, and after an error nothing else is left in the folder.
. "$(dirname "$0")/../support/cli.sh"

cp "$tests/golden/allops.wave" k.wave
"$bin/wave-asm" k.wave -o k.wbin || exit 2
if [ "$(uname -s)" != Linux ]; then
    skipped "injected faults: they need LD_PRELOAD of Linux"
else
    cc -shared -fPIC -O1 -o fault.so "$tests/harden/preload/disk_fault.c" || exit 2
fi
faults=$dir/fault.so
# Allows an instrumented tool to run with a library loaded before the sanitizer's.
ASAN_OPTIONS=${ASAN_OPTIONS:-exitcode=99}:verify_asan_link_order=0
export ASAN_OPTIONS

# sound OLD NEW FILES...: each of FILES in made/ equals OLD (is absent if OLD is -) or the file of the same name
# in NEW.
sound() {
    old=$1
    new=$2
    shift 2
    for file in "$@"; do
        cmp -s "made/$file" "$new/$file" && continue
        if [ "$old" = - ]; then
            [ ! -e "made/$file" ] && continue
        elif cmp -s "made/$file" "$old"; then
            continue
        fi
        echo "made/$file is neither the old nor the new one:"
        ls -l made
        return 1
    done
}

# clean FILES...: nothing else is in made/.
clean() {
    for left in made/* made/.[!.]*; do
        [ -e "$left" ] || continue
        case " $* " in
        *" $(basename "$left") "*) ;;
        *) echo "left behind: $left"; return 1 ;;
        esac
    done
}

start() {
    rm -rf made
    mkdir made
    [ "$old_file" = - ] || for file in $files; do cp "$old_file" "made/$file"; done
}

# One command, one kind of fault, at every step of writing; ends with the first run that meets no
# fault.
every_step() {
    way=$1
    shift
    step=1
    while [ "$step" -lt 60 ]; do
        start
        DISK_FAULT=$step:$way LD_PRELOAD=$faults "$@" >out.log 2>err.log
        got=$?
        # shellcheck disable=SC2086 # names are words
        sound "$old_file" new $files || { echo "step $step"; return 1; }
        case $way in
        full)
            # shellcheck disable=SC2086
            clean $files || { echo "step $step"; return 1; }
            [ "$got" -eq 0 ] && break
            [ "$got" -eq 2 ] && grep -q 'cannot write' err.log || { echo "step $step: status $got"; cat err.log; return 1; }
            ;;
        *)
            [ "$got" -eq 137 ] || break
            ;;
        esac
        step=$((step + 1))
    done
    # At least a write, an fchmod, a close and a rename have failed, and the last run was complete.
    [ "$got" -eq 0 ] && [ "$step" -gt 4 ] && cmp -s "made/$first" "new/$first" || { echo "ended at step $step, status $got"; return 1; }
}

# outputs NAME FILES COMMAND...: FILES are those that the command creates in made/.
outputs() {
    what=$1
    files=$2
    first=${files%% *}
    shift 2
    rm -rf made new
    mkdir made
    ok "$what" "$@"
    mv made new
    [ -e "$faults" ] && for old_file in - old.txt; do
        for way in full kill after; do
            ok "$what, $way, old file: $old_file" every_step "$way" "$@"
        done
    done
}

echo "the previous contents" >old.txt
outputs wave-asm k.bin "$bin/wave-asm" k.wave -o made/k.bin
outputs wave-dis k.dis "$bin/wave-dis" k.wbin -o made/k.dis
rm -rf made
mkdir made
cp "$tests/../examples/bitonic_sort.wave" all.wave # every target accepts it
"$bin/wavec" --target=all all.wave -o made || exit 2
outputs "wavec --target=all" "$(ls made | tr '\n' ' ')" "$bin/wavec" --target=all all.wave -o made
outputs "wavec with -MD" "k.ptx k.d" "$bin/wavec" --target=ptx k.wave -o made/k.ptx -MD
outputs "wavec --reflect" k.json "$bin/wavec" --reflect k.wave -o made/k.json
outputs "wavec --header" k.h "$bin/wavec" --header k.wave -o made/k.h
outputs "wave-emu --profile=html" k.html "$bin/wave-emu" "$tests/programs/examples_with_registers/saxpy.wave" --profile=html -o made/k.html
outputs "wave-emu --profile=json" k.json "$bin/wave-emu" "$tests/programs/examples_with_registers/saxpy.wave" --profile=json -o made/k.json

outputs "wave-run --output" c.bin "$bin/wave-run" "$tests/../examples/vector_add.wave" -d emu --grid 4 -b a:f32:256 -b b:f32:256 -b c:f32:256 -o c:made/c.bin
if [ -e "$bin/../tests/libsimcuda.so" ]; then
    WAVE_CUDA_LIBRARY=$bin/../tests/libsimcuda.so
    export WAVE_CUDA_LIBRARY
    outputs "wave-run --emit" k.ptx "$bin/wave-run" "$tests/../examples/vector_add.wave" -d cuda:0 --cache none --grid 4 -b a:f32:256 -b b:f32:256 -b c:f32:256 --emit made/k.ptx
    unset WAVE_CUDA_LIBRARY
else
    skipped "wave-run --emit: the simulated CUDA driver is not built"
fi

# ---- wavec --build: output of the vendor's compiler ----

# compiler NAME HOW: a program fake/NAME that writes its output in two halves and runs HOW, a line of sh, in
# between. No faults are injected into it: this tests only wavec.
mkdir fake
compiler() {
    cat >"fake/$1" <<END
#!/bin/sh
unset LD_PRELOAD
while [ "\$1" != -o ]; do shift; done
cp "$dir/half.txt" "\$2" || exit 1
$2
cat "$dir/half.txt" "$dir/half.txt" >"\$2" || exit 1
END
    chmod +x "fake/$1"
}
echo "half of what the compiler makes" >half.txt
cat half.txt half.txt >whole.txt
compiler good :
compiler failing 'echo "it is no good" >&2; exit 1'
compiler dying 'kill -9 $$'
compiler murderous 'kill -9 $PPID; exit 1'
compiler littering 'cp "$0" "$2.tmp"; exit 1'
printf '#!/bin/sh\n' >fake/idle
chmod +x fake/idle

WAVE_PTXAS=$dir/fake/good WAVE_HIPCC=$dir/fake/good
export WAVE_PTXAS WAVE_HIPCC
outputs "wavec --build for NVIDIA" "k.ptx k.cubin" "$bin/wavec" --target=ptx --build k.wave -o made/k.ptx
ok "wavec --build: the output is complete" cmp new/k.cubin whole.txt
outputs "wavec --build for AMD" "k.hip k.hsaco" "$bin/wavec" --target=hip --build k.wave -o made/k.hip

# broken HOW STATUS WORDS: the old file stays, nothing is left over, and wavec exits with STATUS and
# a message that contains WORDS.
broken() {
    rm -rf made
    mkdir made
    cp old.txt made/k.cubin
    WAVE_PTXAS=$dir/fake/$1 status "$2" "$bin/wavec" --target=ptx --build k.wave -o made/k.ptx || return 1
    cmp made/k.cubin old.txt && clean k.ptx k.cubin && has err "$3"
}
ok "a compiler that fails half-way" broken failing 1 "it is no good"
ok "a compiler that dies half-way" broken dying 1 ""
ok "a compiler that leaves other files" broken littering 1 ""
ok "a compiler that writes nothing" broken idle 2 "cannot write made/k.cubin"
killed() {
    rm -rf made
    mkdir made
    [ "$1" = - ] || cp "$1" made/k.cubin
    WAVE_PTXAS=$dir/fake/murderous "$bin/wavec" --target=ptx --build k.wave -o made/k.ptx >out 2>err
    [ $? -eq 137 ] || { echo "not killed"; return 1; }
    if [ "$1" = - ]; then absent made/k.cubin; else cmp made/k.cubin "$1"; fi
}
ok "killed while the compiler works, no old file" killed -
ok "killed while the compiler works, an old file" killed old.txt
in_the_way() {
    rm -rf made
    mkdir -p made/k.cubin
    status 2 "$bin/wavec" --target=ptx --build k.wave -o made/k.ptx && has err "cannot write made/k.cubin" && clean k.ptx k.cubin
}
ok "a folder where the output should be" in_the_way

# Permissions: those of a new file are the user's choice, an old file keeps its own.
mode_is() { [ "$(ls -l "$2" | cut -c1-10)" = "$1" ] || { ls -l "$2"; return 1; }; }
rm -rf made
mkdir made
(umask 027 && "$bin/wave-asm" k.wave -o made/new.wbin 2>/dev/null)
ok "a new file's permissions" mode_is -rw-r----- made/new.wbin
cp old.txt made/old.wbin
chmod 604 made/old.wbin
"$bin/wave-asm" k.wave -o made/old.wbin 2>/dev/null
ok "an old file's permissions" mode_is -rw----r-- made/old.wbin
(umask 027 && "$bin/wavec" --target=ptx --build k.wave -o made/new.ptx >/dev/null 2>&1)
ok "a new built file's permissions" mode_is -rw-r----- made/new.cubin
cp old.txt made/old.cubin
chmod 604 made/old.cubin
"$bin/wavec" --target=ptx --build k.wave -o made/old.ptx >/dev/null 2>&1
ok "an old built file's permissions" mode_is -rw----r-- made/old.cubin

# A limit that the system itself enforces: the process is killed in the middle of a write.
limited() {
    rm -rf made
    mkdir made
    cp old.txt made/k.ptx
    (ulimit -f 1 && "$bin/wavec" --target=ptx k.wave -o made/k.ptx) >/dev/null 2>&1
    [ $? -ne 0 ] && cmp made/k.ptx old.txt
}
ok "a file-size limit leaves the old file" limited
if [ -w /dev/full ]; then
    for command in "wave-asm k.wave -o" "wave-dis k.wbin -o" "wavec --target=ptx k.wave -o" "wavec --reflect k.wave -o"; do
        # shellcheck disable=SC2086 # words
        check "$command /dev/full" 2 "$bin/"$command /dev/full
        said err "cannot write /dev/full"
    done
    for command in "wave-asm k.wave -o -" "wave-dis k.wbin" "wavec --target=ptx k.wave -o -" "wavec --check k.wave" \
        "wavec --dump-ir k.wave" "wave-emu --help" "wavec --version"; do
        # shellcheck disable=SC2016 # for the inner shell
        check "$command >/dev/full" 2 sh -c '"$0" "$@" >/dev/full' "$bin/"${command%% *} ${command#* }
    done
fi
finish outputs
