#!/bin/sh
# How every tool treats links, devices, inputs and empty names after -o: a link stays a link, its target is written, and no
# input is ever overwritten. Nothing here is written outside the test's own folder. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
printf '.kernel k\n.registers 4\n    device_store_u32 r1, r0\n    halt\n.end\n' >k.wave
"$bin/wave-asm" k.wave -o k.wbin || exit 2
cp "$tests/programs/examples_with_registers/vector_add.wave" add.wave
cp k.wave k.kept
cp k.wbin wbin.kept
cp add.wave add.kept
vectors="-d emu --grid 4 -b a:f32:256 -b b:f32:256 -b c:f32:256"

# every COMMAND...: the command for each tool, with the output's name as its last word
every() {
    "$@" "$bin/wave-asm" k.wave -o &&
        "$@" "$bin/wave-dis" k.wbin -o &&
        "$@" "$bin/wavec" --target=ptx k.wave -o &&
        "$@" "$bin/wavec" --reflect k.wave -o &&
        "$@" "$bin/wavec" --header k.wave -o &&
        "$@" "$bin/wave-emu" add.wave --profile=json -o
}
# The name of a buffer precedes the file, so wave-run has its own case.
# shellcheck disable=SC2086 # words
run_to() { "$bin/wave-run" add.wave $vectors -o "c:$1"; }

is_link() { [ -L "$1" ] || { echo "$1 is no longer a link"; ls -l "$1"; return 1; }; }

# ---- Links to files ----

# The same bytes as without a link, in the link's target.
through_link() {
    rm -rf plain link far
    mkdir far
    "$@" plain >/dev/null 2>err || { cat err; return 1; }
    echo old >far/real
    chmod 604 far/real
    ln -s far/middle link
    ln -s real far/middle
    "$@" link >/dev/null 2>err || { cat err; return 1; }
    is_link link && is_link far/middle && cmp plain far/real && [ "$(ls far)" = "$(printf 'middle\nreal')" ] || return 1
    [ "$(ls -l far/real | cut -c1-10)" = -rw----r-- ] || { echo "other permissions"; return 1; }
    rm far/real # the target of a link need not exist
    "$@" link >/dev/null 2>err || { cat err; return 1; }
    is_link link && is_link far/middle && cmp plain far/real
}
ok "links to a file" every through_link
ok "links to a file, wave-run" through_link run_to
ln -s loop_b loop_a
ln -s loop_a loop_b
loop() { status 2 "$@" loop_a && has err "cannot write loop_a" && is_link loop_a; }
ok "links in a circle" every loop

# ---- Links to things that are not files ----

if [ -e /proc/self/fd/1 ]; then
    # A link such as /dev/stdout; that one itself is never used here.
    ln -s /proc/self/fd/1 standard
    to_pipe() {
        "$@" plain >/dev/null 2>err || return 1
        "$@" standard 2>err | cat >got
        is_link standard && cmp plain got
    }
    ok "a link to standard output, a pipe" every to_pipe
    ok "a link to standard output, a pipe, wave-run" to_pipe run_to
    to_file() {
        "$@" plain >/dev/null 2>err || return 1
        { echo before && "$@" standard 2>err && echo after; } >got
        { echo before && cat plain && echo after; } >expected
        is_link standard && cmp expected got
    }
    ok "a link to standard output, a file" every to_file
    ok "a link to standard output, a file, wave-run" to_file run_to
    # A file that was unlinked is still written, and its old name is not created again.
    nameless() {
        "$@" plain >/dev/null 2>err || return 1
        echo "something longer than what is written, or not" >lost
        (exec 7<>lost && rm lost && ln -sf /proc/self/fd/7 seven && "$@" seven 2>err >/dev/null && cat /proc/self/fd/7 >got) || return 1
        is_link seven && cmp plain got && absent lost && absent "lost (deleted)"
    }
    ok "a link to a file without a name" every nameless
fi
mkfifo fifo
ln -s fifo fifo_link
to_fifo() {
    "$@" plain >/dev/null 2>err || return 1
    cat fifo >got &
    "$@" fifo_link >/dev/null 2>err && is_link fifo_link || { cat err; kill $!; return 1; }
    wait $!
    [ -p fifo ] && cmp plain got
}
ok "a link to a named pipe" every to_fifo
if mknod sink c 1 3 2>/dev/null && echo x 2>/dev/null >sink; then
    ln -s sink sink_link
    to_device() { "$@" sink_link >/dev/null 2>err && is_link sink_link && [ -c sink ]; }
    ok "a link to a device" every to_device
    ok "a link to a device, wave-run" to_device run_to
fi
mkdir folder
ln -s folder folder_link
to_folder() { status 2 "$@" folder_link && has err "cannot write folder_link" && is_link folder_link; }
ok "a link to a folder" every to_folder

# The same for the output of a vendor's compiler.
cat >compiler <<'END_SH'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
echo made >"$2"
END_SH
chmod +x compiler
WAVE_PTXAS=$dir/compiler
export WAVE_PTXAS
built() {
    rm -rf b far
    mkdir b far
    ln -s ../far/real b/k.cubin
    status 0 "$bin/wavec" --target=ptx --build k.wave -o b/k.ptx && is_link b/k.cubin && [ "$(cat far/real)" = made ] &&
        [ "$(ls b far | tr '\n' ' ')" = "b: k.cubin k.ptx  far: real " ]
}
ok "a link where --build puts its file" built
built_pipe() {
    rm -rf b
    mkdir b
    mkfifo b/k.cubin
    cat b/k.cubin >got &
    status 0 "$bin/wavec" --target=ptx --build k.wave -o b/k.ptx && [ -p b/k.cubin ] || { kill $!; return 1; }
    wait $!
    [ "$(cat got)" = made ]
}
ok "a pipe where --build puts its file" built_pipe

# ---- Inputs ----

# kept: no input has changed.
kept() { cmp k.wave k.kept && cmp k.wbin wbin.kept && cmp add.wave add.kept; }
mkdir sub
for name in k.wave k.wbin add.wave; do
    ln "$name" "sub/hard.$name"
    ln -s "../$name" "sub/soft.$name"
done
# refuses INPUT COMMAND...: with each name of the input
refuses() {
    input=$1
    shift
    for name in "$input" "./$input" "sub/../$input" "sub/hard.$input" "sub/soft.$input" "$dir/$input"; do
        status 2 "$@$name" && has err "would be overwritten" && kept || { echo "as $name"; return 1; }
    done
}
refuses_last() { # the same for a name that is a separate word
    input=$1
    shift
    for name in "$input" "./$input" "sub/../$input" "sub/hard.$input" "sub/soft.$input" "$dir/$input"; do
        status 2 "$@" "$name" && has err "would be overwritten" && kept || { echo "as $name"; return 1; }
    done
}
ok "wave-asm refuses its input" refuses_last k.wave "$bin/wave-asm" k.wave -o
ok "wave-dis refuses its input" refuses_last k.wbin "$bin/wave-dis" k.wbin -o
ok "wavec refuses its input" refuses_last k.wave "$bin/wavec" --target=ptx k.wave -o
ok "wavec --reflect refuses its input" refuses_last k.wave "$bin/wavec" --reflect k.wave -o
ok "wavec -MF refuses its input" refuses_last k.wave "$bin/wavec" --target=ptx k.wave -o made.ptx -MF
ok "wave-emu refuses its input" refuses_last add.wave "$bin/wave-emu" add.wave --profile=json -o
ok "wave-emu refuses its memory" refuses_last k.wbin "$bin/wave-emu" add.wave --arg 0:k.wbin --profile=json -o
# shellcheck disable=SC2086
ok "wave-run refuses its input" refuses add.wave "$bin/wave-run" add.wave $vectors -o c:
ok "wave-run refuses its buffers" refuses k.wbin "$bin/wave-run" add.wave -d emu --grid 1 -b a=k.wbin -b b:f32:256 -b c:f32:256 -o c:
standard_input() { status 2 "$bin/wave-asm" - -o k.wave <k.kept2 && has err "would be overwritten" && kept; }
ln k.wave k.kept2
ok "standard input is an input" standard_input
# Names that the tool derives itself.
mkdir auto
own_names() {
    cp k.wbin auto/k.ptx && status 2 "$bin/wavec" --target=ptx auto/k.ptx && has err "would be overwritten" && cmp auto/k.ptx wbin.kept &&
        cp k.wbin auto/k.cubin && status 2 "$bin/wavec" --target=ptx --build auto/k.cubin && has err "would be overwritten" &&
        cmp auto/k.cubin wbin.kept && cp k.wave auto/asm.wbin && status 2 "$bin/wave-asm" auto/asm.wbin && has err "would be overwritten" &&
        cmp auto/asm.wbin k.kept
}
ok "names that the tool derives itself" own_names

# ---- Empty names ----

no_name() { status 2 "$@" '' && has err "needs the name of a file" && kept; }
ok "an empty name" every no_name
ok "an empty name, --target=all" no_name "$bin/wavec" --target=all k.wave -o
ok "an empty name, -MF" no_name "$bin/wavec" --target=ptx k.wave -o made.ptx -MF
ok "an empty name, wave-run --emit" no_name "$bin/wave-run" add.wave -d emu --emit
no_file() { status 2 run_to '' && has err "NAME:FILE"; }
ok "an empty name, wave-run -o" no_file

# ---- Long names ----

# A name has at most 255 bytes; the temporary file next to it needs no more.
long_name() {
    for length in 250 255; do
        long=$(awk -v n=$((length - 5)) 'BEGIN { while (n-- > 0) printf "a" }')
        "$@" "$long.long" >/dev/null 2>err || { cat err; return 1; }
        [ -s "$long.long" ] && rm -f "$long.long" && ! ls -d wave.?????? 2>/dev/null || return 1
    done
}
ok "names of 250 and of 255 bytes" every long_name
ok "names of 250 and of 255 bytes, wave-run" long_name run_to
# A name is never cut in the middle of a letter of two bytes.
two_bytes() { for pad in '' x; do long=$pad$(awk 'BEGIN { for (n = 0; n < 124; n++) printf "é" }'); "$@" "$long" >/dev/null 2>err && [ -s "$long" ] && rm -f "$long" || { cat err; return 1; }; done; }
ok "names of 248 bytes in letters of two" every two_bytes
long_build() {
    mkdir -p tool && printf '#!/bin/sh\nwhile [ $# -gt 0 ]; do [ "$1" = -o ] && printf made >"$2"; shift; done\n' >tool/ptxas && chmod +x tool/ptxas
    long=$(awk 'BEGIN { for (n = 0; n < 246; n++) printf "a" }')
    status 0 env "WAVE_PTXAS=$dir/tool/ptxas" "$bin/wavec" --target=ptx --build k.wave -o "$long.ptx" && [ -s "$long.ptx" ] && [ -s "$long.cubin" ]
}
ok "wavec --build with a name of 250 bytes" long_build
too_long() { long=$(awk 'BEGIN { for (n = 0; n < 256; n++) printf "a" }') && status 2 "$@" "$long" && has err "cannot write" && grep -qi "too long" err; }
ok "a name of 256 bytes" every too_long
finish "cli/outputs_links"
