#!/bin/sh
# Outputs of every tool, when the disk is full or the process is killed at any step of writing: the file holds what it
# held before or all of the new text, and after an error nothing else is left in the folder.
. "$(dirname "$0")/../support/cli.sh"

cp "$tests/golden/allops.wave" k.wave
"$bin/wave-asm" k.wave -o k.wbin || exit 2
if [ "$(uname -s)" != Linux ]; then
    echo "outputs: planned faults are left out, they need Linux' LD_PRELOAD"
else
    cc -shared -fPIC -O1 -o fault.so "$tests/harden/preload/disk_fault.c" || exit 2
fi
faults=$dir/fault.so
# An instrumented tool does not mind a library loaded before the sanitizer's.
ASAN_OPTIONS=${ASAN_OPTIONS:-exitcode=99}:verify_asan_link_order=0
export ASAN_OPTIONS

# sound OLD NEW FILES...: FILES, in made/, are each OLD (absent when OLD is -) or equal to their namesake in NEW.
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

# One command, one kind of fault, every step of its writing; ends at the first run that no fault meets.
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
    # At least a write, fchmod, close and rename were met, and the last run was complete.
    [ "$got" -eq 0 ] && [ "$step" -gt 4 ] && cmp -s "made/$first" "new/$first" || { echo "ended at step $step, status $got"; return 1; }
}

# outputs NAME FILES COMMAND...: FILES are what the command makes in made/.
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

echo "what stood there before" >old.txt
outputs wave-asm k.bin "$bin/wave-asm" k.wave -o made/k.bin
outputs wave-dis k.dis "$bin/wave-dis" k.wbin -o made/k.dis
rm -rf made
mkdir made
cp "$tests/../examples/bitonic_sort.wave" all.wave # every target takes it
"$bin/wavec" --target=all all.wave -o made || exit 2
outputs "wavec --target=all" "$(ls made | tr '\n' ' ')" "$bin/wavec" --target=all all.wave -o made
outputs "wavec with -MD" "k.ptx k.d" "$bin/wavec" --target=ptx k.wave -o made/k.ptx -MD
outputs "wavec --reflect" k.json "$bin/wavec" --reflect k.wave -o made/k.json
outputs "wavec --header" k.h "$bin/wavec" --header k.wave -o made/k.h
outputs "wave-emu --profile=html" k.html "$bin/wave-emu" "$tests/../examples/saxpy.wave" --profile=html -o made/k.html
outputs "wave-emu --profile=json" k.json "$bin/wave-emu" "$tests/../examples/saxpy.wave" --profile=json -o made/k.json

# Permissions: a new file's are the user's choice, an old file keeps its own.
mode_is() { [ "$(ls -l "$2" | cut -c1-10)" = "$1" ] || { ls -l "$2"; return 1; }; }
rm -rf made
mkdir made
(umask 027 && "$bin/wave-asm" k.wave -o made/new.wbin 2>/dev/null)
ok "a new file's permissions" mode_is -rw-r----- made/new.wbin
cp old.txt made/old.wbin
chmod 604 made/old.wbin
"$bin/wave-asm" k.wave -o made/old.wbin 2>/dev/null
ok "an old file's permissions" mode_is -rw----r-- made/old.wbin

# A limit that the system itself watches: the process is killed in the middle of a write.
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
