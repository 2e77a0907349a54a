#!/bin/sh
# Kernel names and paths that control terminals, reverse the direction of text, end comments or are not UTF-8, through every
# tool and target: what is shown is harmless, what is emitted is ASCII, JSON stays valid, and ptxas accepts the file. Run with
# WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"

# harmless FILE: UTF-8 without control characters other than line ends and tabs, and without characters that
# reorder or hide text
cat >harmless.py <<'END'
import sys, unicodedata
data = open(sys.argv[1], "rb").read()
text = data.decode("utf-8")
bad = {"U+%04X" % ord(c) for c in text if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")}
ascii_only = sys.argv[2:] == ["ascii"]
if ascii_only:
    bad |= {"U+%04X" % ord(c) for c in text if ord(c) > 126}
sys.exit("%s: %s" % (sys.argv[1], " ".join(sorted(bad))) if bad or not data else 0)
END
harmless() { python3 harmless.py "$@"; }

# The folder: Müller, an escape sequence, a quote, a mark that reverses text, a byte that is not UTF-8, a backslash at the
# end.
folder=$(printf 'M\303\274ller \033[31m"\342\200\256\377\\')
mkdir "$folder" || exit 2
cat >names.py <<'END'
names = ["na\u00efve", "red\u001b[31mtext", "turned\u202eecivres", "hidden\u200b\u2060\ufeff", "line\nend", "sep\u2028\u2029",
         "tag\U000e0041\U000e0042", "csi\u009b31m", "quote\"back\\slash", "ends with \\", "\u7a4d\u548c", "what??/", "*/ int x; /*"]
with open("names.wave", "w") as file:
    for name in names:
        quoted = "".join("\\x%02X" % byte for byte in name.encode())
        file.write('.kernel "%s"\n.workgroup_size 32, 1, 1\n    device_store_u32 r0, r1\n    halt\n.end\n' % quoted)
open("plain.txt", "w", newline="").write(names[0])
END
python3 names.py || exit 2
cp names.wave "$folder/k.wave"
"$bin/wave-asm" "$folder/k.wave" -o "$folder/k.wbin" || exit 2
file=$folder/k.wbin

# shown NAME STATUS COMMAND...: both streams are harmless
shown() {
    title=$1
    shift
    check "$title" "$@"
    cat out err >both
    ok "$title: harmless" harmless both
}

shown "wavec --check" 0 "$bin/wavec" --check "$file"
said out "na$(printf '\303\257')ve: instructions="
said out 'turned\u{202E}ecivres: instructions='
said out 'red\x1B[31mtext: instructions='
shown "wavec --check, JSON" 0 "$bin/wavec" --check --diagnostics=json "$file"
ok "it is JSON" json err
shown "wavec without the file" 2 "$bin/wavec" --check "$folder/none.wbin"
shown "wavec, a kernel that is not there" 1 "$bin/wavec" --target=ptx --kernel="$folder" "$file"
shown "wavec, too many operands" 2 "$bin/wavec" --check "$file" "$folder"
shown "wavec, an unknown option" 2 "$bin/wavec" "--$folder" "$file"
shown "wave-dis" 0 "$bin/wave-dis" "$file"
cp out again.wave
ok "what it prints is the same file" sh -c "'$bin/wave-asm' again.wave -o again.wbin && cmp again.wbin '$file'"
shown "wave-dis --json" 0 "$bin/wave-dis" --json "$file"
ok "it is JSON" python3 -c 'import json; json.loads(open("out", "rb").read().decode("utf-8"))'
shown "wave-dis without the file" 2 "$bin/wave-dis" "$folder/none.wbin"
printf 'iadd r0, "\033[31m\342\200\256 r1\n' >"$folder/bad.wave"
shown "wave-asm, an error" 1 "$bin/wave-asm" "$folder/bad.wave"
printf ';@ test x\n;@ \033[31mred\n.kernel k\n    halt\n.end\n' >"$folder/test.wave"
shown "wave-test, an unknown keyword" 1 "$bin/wave-test" "$folder/test.wave"
shown "wave-asm --verbose" 0 "$bin/wave-asm" --verbose "$folder/k.wave" -o "$folder/x.wbin"
shown "wave-emu, every kernel's name" 2 "$bin/wave-emu" "$file" --kernel="$folder"
index=0
while [ $index -lt 13 ]; do
    shown "wave-emu, kernel $index out of bounds" 1 "$bin/wave-emu" "$file" --kernel=$index --set-reg=0:4294967292
    shown "wave-emu --profile, kernel $index" 0 "$bin/wave-emu" "$file" --kernel=$index --profile
    index=$((index + 1))
done
shown "wave-emu, JSON" 1 "$bin/wave-emu" "$file" --kernel=2 --set-reg=0:4294967292 --diagnostics=json
ok "it is JSON" python3 -c 'import json; json.loads(open("err", "rb").read().decode("utf-8"))'
shown "wave-emu --profile=json" 0 "$bin/wave-emu" "$file" --kernel=2 --profile=json
ok "it is JSON" python3 -c 'import json; json.loads(open("out", "rb").read().decode("utf-8"))'
shown "wave-emu --profile=html" 0 "$bin/wave-emu" "$file" --kernel=2 --profile=html -o page.html
ok "the page is harmless" harmless page.html
printf '.kernel k\n.reg "red\\x1B[31mtext" = r2\n    mov_imm r2, 7\n    halt\n.end\n' >register.wave
printf 's\np r2\n' >commands
shown "wave-emu --break, a register's name" 0 sh -c "'$bin/wave-emu' register.wave --break k <commands"
said err 'red\x1B[31mtext (r2) = 7'
if [ -x "$bin/wave-run" ]; then
    WAVE_CACHE_DIR=$dir/cache
    export WAVE_CACHE_DIR
    shown "wave-run, a kernel that is not there" 2 "$bin/wave-run" -d emu "$file" --kernel="$folder"
    shown "wave-run out of bounds" 1 "$bin/wave-run" -d emu "$file" -k 2 -s 4294967292 -s 1
    shown "wave-run without the file" 2 "$bin/wave-run" -d emu "$folder/none.wbin"
fi

# Emitted text is ASCII, with its source, command line and names in comments, and with -g in .file and #line.
ptxas=$(sh "$tests/../scripts/find-ptxas.sh" 2>/dev/null) || ptxas=
clang=$(sh "$tests/../scripts/find-clang.sh" 2>/dev/null) || clang=
[ -n "$ptxas" ] || skipped "emitted text through ptxas: it is not installed"
[ -n "$clang" ] || skipped "#line through clang: it is not installed"
for target in ptx hip sycl msl; do
    for flag in -O2 -g; do
        check "--target=$target $flag" 0 "$bin/wavec" --target=$target $flag "$file" -o "text.$target"
        ok "--target=$target $flag is ASCII" harmless "text.$target" ascii
        ok "--target=$target $flag: no line is joined to a comment" sh -c "! grep -n '\\\\\$' text.$target && ! grep -n '??/' text.$target"
        ok "--target=$target $flag: the name can be read" has "text.$target" 'the kernel "na\u{EF}ve"'
        [ $target = ptx ] || [ -z "$clang" ] ||
            ok "--target=$target $flag: the preprocessor accepts its #line" sh -c "grep -v '^#include' text.$target | '$clang' -x c++ -Werror -E - >text.i"
        [ $target != ptx ] || [ -z "$ptxas" ] || ok "ptxas accepts it, $flag" "$ptxas" -arch=sm_75 text.ptx -o text.cubin
    done
    check "--reflect, $target" 0 "$bin/wavec" --target=$target --reflect "$file"
    ok "--reflect, $target: JSON with the names themselves" python3 -c '
import json
names = [kernel["name"] for kernel in json.loads(open("out", "rb").read().decode("utf-8"))["kernels"]]
assert names[0] == open("plain.txt").read() and names[4] == "line\nend" and names[6] == "tag\U000e0041\U000e0042", names'
    check "--header, $target" 0 "$bin/wavec" --target=$target --header "$file"
    ok "--header, $target is ASCII" harmless out ascii
done
check "--dump-ir" 0 sh -c "'$bin/wavec' --target=ptx --dump-ir --kernel=\"\$(cat plain.txt)\" '$file' >ir.txt"
check "a dump" 0 "$bin/wavec" --target=ptx --dump-ir "--kernel=$(printf 'tag\363\240\201\201\363\240\201\202')" "$file"
sed -n '/^kernel/,$p' out >tag.ir
ok "hidden characters in a dump" harmless out
check "and it is read again" 0 "$bin/wavec" --target=ptx --parse-ir tag.ir -o k2.ptx
ok "with the same name" has k2.ptx 'the kernel "tag\u{E0041}\u{E0042}"'
finish hostile_names
