#!/bin/sh
# The size that a file can expand to is limited: too many operations are an error with a message, and the machine
# does not run out of memory.
. "$(dirname "$0")/../support/cli.sh"

# sines NAME COUNT: a kernel; an fsin expands to about a hundred operations.
sines() {
    echo ".kernel $1"
    echo "mov r1, sr_lane_id"
    echo "device_load_u32 r2, r1"
    awk -v n="$2" 'BEGIN { for (k = 0; k < n; k++) print "fsin r2, r2" }'
    echo "device_store_u32 r1, r2"
    echo "halt"
    echo ".end"
}

sines small 5000 >small.wave
{ sines one 9000; sines two 9000; sines three 9000; } >several.wave
sines large 40000 >large.wave

check "5,000 sines compile" 0 "$bin/wavec" --target=ptx small.wave -o small.ptx
check "40,000 are too many" 1 "$bin/wavec" --target=ptx large.wave -o large.ptx
said err "E_SIZE_LIMIT: large grows to more than 3145728 operations"
ok "nothing is written" absent large.ptx
check "the same without optimisation" 1 "$bin/wavec" --target=ptx -O0 large.wave -o large.ptx
said err E_SIZE_LIMIT
check "with the vendor's sine it is one operation" 0 "$bin/wavec" --target=ptx --fp=fast large.wave -o large.ptx
check "three kernels that are too large together" 1 "$bin/wavec" --target=ptx several.wave -o several.ptx
said err E_SIZE_LIMIT
check "one of them alone" 0 "$bin/wavec" --target=ptx --kernel=two several.wave -o two.ptx

# Lines of many kernels: each is found immediately.
awk 'BEGIN { for (k = 0; k < 3000; k++) printf ".kernel k%d\nmov r1, sr_lane_id\ndevice_store_u32 r1, r1\nhalt\n.end\n", k }' >many.wave
check "-g with 3,000 kernels" 0 "$bin/wavec" --target=ptx -g many.wave -o many.ptx
said many.ptx ".loc 1 14998"

# Local arguments take no registers, so their number is not limited. Each is checked in constant time: 120,000 after as many other
# names need a fraction of a second, and ten seconds if each looks at all names.
awk 'BEGIN { print ".kernel k"; for (k = 0; k < 120000; k++) print ".const c" k " = 1";
             for (k = 0; k < 120000; k++) print ".arg \"a" k "\" local u32"; print "halt"; print ".end" }' >names.wave
check "many arguments after many names" 0 sh -c "ulimit -t 5; '$bin/wave-asm' names.wave"

# The arguments of a macro need memory only while it is expanded. 3.6 KB for every line of 2 bytes would be 700 MB.
awk 'BEGIN { printf ".macro m a0"; for (k = 1; k < 64; k++) printf ", a" k; print "\n.endm\n.kernel k"; for (k = 0; k < 200000; k++) print "m"; print "halt\n.end" }' >calls.wave
little() { python3 -c 'import resource, subprocess, sys; subprocess.run(sys.argv[1:], capture_output=True); sys.exit(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 300000)' "$@"; }
check "many calls of a macro with 64 parameters, without arguments" 1 "$bin/wave-asm" calls.wave
said err "macro 'm' (line 1) takes 64 arguments, not 0"
if [ "$(uname -s)" = Linux ] && command -v python3 >/dev/null 2>&1; then
    check "take little memory" 0 little "$bin/wave-asm" calls.wave
fi
finish limits
