#!/bin/sh
# A tool that receives SIGHUP, SIGINT or SIGTERM leaves nothing half-written and ends by that signal, and so does the vendor's
# compiler that it runs. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
wavec=$bin/wavec
printf '.kernel first\n.registers 4\n device_store_u32 r0, r1\n halt\n.end\n' >k.wave

# A compiler that has written half of its file when the signal arrives, and one that ignores the signal.
printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\nprintf half >"$2"\necho $$ >started.new\nmv started.new started\nsleep 60\nprintf whole >"$2"\n' >slow
{ echo '#!/bin/sh'; echo "trap '' HUP INT TERM"; sed 1d slow; } >stubborn
chmod +x slow stubborn
cat >interrupt.py <<'END'
import os, signal, subprocess, sys, time
number, build, command = int(sys.argv[1]), sys.argv[2] == "build", sys.argv[3:]


def usual():  # a shell starts background jobs with SIGINT ignored
    for each in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_DFL)


def begun():
    return os.path.exists("started") if build else any(name.startswith("out.") for name in os.listdir("made"))


process = subprocess.Popen(command, preexec_fn=usual)
limit = time.time() + 30
while not begun() and process.poll() is None and time.time() < limit:
    time.sleep(0.0005)
process.send_signal(number)
status = process.wait(20)
if status != -number:
    sys.exit("ended with %d" % status)
if build:
    try:
        os.kill(int(open("started").read()), 0)
        sys.exit("the compiler is still alive")
    except ProcessLookupError:
        pass
END
interrupted() {
    rm -rf made started && mkdir made
    WAVE_PTXAS=$dir/$2 python3 interrupt.py "$1" build "$wavec" --target=ptx --build k.wave -o made/b.ptx &&
        [ "$(ls -A made)" = b.ptx ] && has made/b.ptx .entry
}
for number in 1 2 15; do
    ok "signal $number: nothing half-written, and the compiler ends too" interrupted "$number" slow
done
ok "a compiler that ignores the signal is killed" interrupted 15 stubborn
# Files that the tools write themselves: one that is large enough to be interrupted. A run that finishes
# too early proves nothing.
caught() {
    for attempt in 1 2 3 4 5; do
        rm -rf made && mkdir made
        if python3 interrupt.py "$1" write "$bin/wave-run" -d emu k.wave -b a:67108864 -s 0 -o a:made/out 2>why; then
            [ -z "$(ls -A made)" ] && return 0
            echo "left: $(ls -A made)"
            return 1
        fi
    done
    echo "$attempt attempts:"
    cat why
    return 1
}
for number in 1 2 15; do
    ok "signal $number: no temporary file" caught "$number"
done
finish "cli/interrupted"
