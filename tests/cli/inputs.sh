#!/bin/sh
# Tools limit the size of what they read: an endless input ends in a message, soon and with little memory. A folder is not
# an input. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
printf '.kernel k\n.registers 4\n    device_store_u32 r0, r1\n    halt\n.end\n' >k.wave
"$bin/wave-asm" k.wave -o k.wbin || exit 2

# every COMMAND...: the command for each tool, with the input's name as its last word
every() {
    "$@" "$bin/wave-asm" -o made &&
        "$@" "$bin/wave-dis" &&
        "$@" "$bin/wavec" --target=ptx -o made &&
        "$@" "$bin/wavec" --check &&
        "$@" "$bin/wave-emu" &&
        "$@" "$bin/wave-run" -d emu
}

# At most 1.5 GiB of address space, although a tool reads up to 64 MiB for a program and 256 MiB for
# memory from a stream. A sanitizer build needs more before it even starts.
if (ulimit -v 1572864 && "$bin/wave-asm" --version) >/dev/null 2>&1; then
    small() { (ulimit -v 1572864 && "$@"); }
else
    small() { "$@"; }
fi

endless() { small status 2 "$@" /dev/zero && has err "/dev/zero is too large: at most 64 MiB are read" && absent made; }
ok "an endless program" every endless
endless_standard() { small status 2 "$@" - </dev/zero && has err "<stdin> is too large: at most 64 MiB are read"; }
ok "endless standard input" every endless_standard

emu_endless() { small status 2 "$bin/wave-emu" k.wave --arg 0:/dev/zero && has err "/dev/zero is too large: at most 256 MiB are read"; }
ok "an endless file for memory, wave-emu" emu_endless
run_endless() { small status 2 "$bin/wave-run" -d emu k.wave -b a=/dev/zero && has err "/dev/zero is too large: at most 256 MiB are read"; }
ok "an endless file for memory, wave-run" run_endless

# Sparse files: their size is known before they are read.
python3 -c 'open("large", "wb").truncate((64 << 20) + 1); open("huge", "wb").truncate((4 << 30) + 1)' || exit 2
large() { small status 2 "$@" large && has err "large is too large: at most 64 MiB are read"; }
ok "a program of more than 64 MiB" every large
emu_huge() { status 2 "$bin/wave-emu" k.wave --arg 0:huge && has err "huge is too large: at most 4096 MiB are read"; }
ok "a file of more than 4 GiB, wave-emu" emu_huge
run_huge() { status 2 "$bin/wave-run" -d emu k.wave -b a=huge && has err "huge is too large: at most 4096 MiB are read"; }
ok "a file of more than 4 GiB, wave-run" run_huge
# A file of 64 MiB is not too large; it just is not a WBIN file.
python3 -c 'open("large", "wb").truncate(64 << 20)'
at_limit() { status 1 "$bin/wave-dis" large && lacks err "too large"; }
ok "a program of 64 MiB" at_limit

mkdir folder
folder() { status 2 "$@" folder && has err "cannot read folder: Is a directory"; }
ok "a folder" every folder
emu_folder() { status 2 "$bin/wave-emu" k.wave --arg 0:folder && has err "cannot read folder: Is a directory"; }
ok "a folder, wave-emu" emu_folder
run_folder() { status 2 "$bin/wave-run" -d emu k.wave -b a=folder && has err "cannot read folder: Is a directory"; }
ok "a folder, wave-run" run_folder

# A pipe is read to its end.
piped() { cat k.wbin | status 0 "$bin/wave-dis" - && has out "device_store_u32"; }
ok "a pipe" piped
: >nothing
nothing() { status 0 "$bin/wave-run" -d emu k.wave -b a=nothing -b b:4; }
ok "an empty file" nothing
if [ -r /proc/version ]; then
    proc() { status 0 "$bin/wave-run" -d emu k.wave -b a=/proc/version -s 0 -o a:copy && [ "$(tail -c +5 copy)" = "$(tail -c +5 /proc/version)" ]; }
    ok "a file that does not report its size" proc
fi
finish "cli/inputs"
