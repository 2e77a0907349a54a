#!/bin/sh
# --completion: the scripts that complete command lines, executed by bash, zsh and fish where these are installed. Run with
# WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"

# offers TOOL 'WORDS OF THE LINE' WORD...: bash completes the last word of the line to exactly these
offers() {
    tool=$1 line=$2
    shift 2
    "$bin/$tool" --completion=bash >script || return 1
    bash -c '. ./script; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); compopt() { :; }
        _'"$(echo "$tool" | tr - _)"'; echo ${COMPREPLY[*]}' bash "$line" >got 2>&1
    [ "$(cat got)" = "$*" ] || { echo "offered: $(cat got)"; return 1; }
}

# The form that an option has in the script of a shell: its long name, or its letter.
long() { # SHELL NAME
    case $1 in
    bash) echo "[ '|]--$2[ =|')]" ;;
    zsh) echo "^    '[*]*--$2[=[]" ;;
    fish) echo " -l $2 " ;;
    esac
}
letter() { # SHELL LETTER
    case $1 in
    zsh) echo "^    '[*]-$2[+[]" ;;
    fish) echo " -s $2 " ;;
    esac
}

# Every tool that is built has these scripts, and every option of its --help is in each.
for path in "$bin"/wave*; do
    tool=$(basename "$path")
    "$path" --help >help || echo "$tool has no --help"
    sed -n 's/^  \(-., \)*--\([a-z0-9-]*\).*/\2/p' help | sort -u >names
    sed -n 's/^  -\(.\), --.*/\1/p' help >letters
    ok "$tool has options" test -s names
    for shell in bash zsh fish; do
        check "$tool: $shell" 0 "$path" --completion=$shell
        cp out "$tool.$shell"
        while read -r name; do grep -q -e "$(long $shell "$name")" "$tool.$shell" || echo "--$name"; done <names >missing
        ok "$tool: all options in $shell" empty missing
        if [ $shell != bash ]; then # which offers long names only
            while read -r name; do grep -q -e "$(letter $shell "$name")" "$tool.$shell" || echo "-$name"; done <letters >missing
            ok "$tool: all letters in $shell" empty missing
        fi
        if command -v $shell >/dev/null 2>&1; then
            ok "$tool: $shell reads it" $shell -n "$tool.$shell"
        fi
    done
done
if command -v bash >/dev/null 2>&1; then
    ok "an option" offers wavec "wavec --wave-o" --wave-order=
    ok "several options" offers wave-dis "wave-dis --fix" --fix-upstream-cas --fix-upstream-cvt
    ok "choices" offers wavec "wavec --target = h" hip
    ok "choices that may continue" offers wave-emu "wave-emu --memory = s" sc scoped
    touch kernel.wave
    ok "files" offers wave-emu "wave-emu kern" kernel.wave
    ok "files of an option" offers wavec "wavec -o kern" kernel.wave
fi
if command -v fish >/dev/null 2>&1; then
    # fish prints a tab and the description after each word.
    fish_offers() { # TOOL LINE WORD...
        tool=$1 line=$2
        shift 2
        HOME=$PWD fish --no-config -c "source ./$tool.fish; complete -C '$line'" 2>&1 | cut -f1 | LC_ALL=C sort >got
        [ "$(tr '\n' ' ' <got)" = "$* " ] || { echo "offered: $(cat got)"; return 1; }
    }
    ok "fish: an option" fish_offers wavec "wavec --wave-o" --wave-order
    ok "fish: several options" fish_offers wave-dis "wave-dis --fix" --fix-upstream-cas --fix-upstream-cvt
    ok "fish: choices" fish_offers wavec "wavec --target=h" --target=hip
    ok "fish: files of an option" fish_offers wavec "wavec -o kern" kernel.wave
fi
if command -v zsh >/dev/null 2>&1; then
    mkdir functions
    for tool in wavec wave-dis wave-emu; do cp "$tool.zsh" "functions/_$tool"; done
    zsh_offers() { # LINE WORD
        HOME=$PWD zsh -f "$tests/support/complete.zsh" ./functions "$1" >got 2>&1
        grep -q -e "$2" got || { echo "offered: $(cat got)"; return 1; }
    }
    ok "zsh: an option" zsh_offers "wavec --wave-o" "wavec --wave-order="
    ok "zsh: the common part of several options" zsh_offers "wave-dis --fix" "wave-dis --fix-upstream-c"
    ok "zsh: a choice" zsh_offers "wavec --target=h" "wavec --target=hip"
    ok "zsh: files" zsh_offers "wave-emu kern" "wave-emu kernel.wave"
    ok "zsh: files of an option" zsh_offers "wavec -o kern" "wavec -o kernel.wave"
fi
for shell in bash zsh fish; do
    command -v $shell >/dev/null 2>&1 || skipped "$shell itself: it is not installed"
done
check "another shell" 2 "$bin/wavec" --completion=csh
said err "bash, zsh or fish"
finish "cli/completion"
