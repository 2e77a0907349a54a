#!/bin/sh
# The manual pages: every option of --help is in the page of its tool and vice versa, and groff reports nothing. Run
# with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
pages=$(cd "$tests/../man" && pwd)

# Long options, sorted; in a page dashes are written \-.
of_help() { "$bin/$1" --help | sed -n '/^  -/p' | grep -o -e '--[a-z0-9-]*' | sort -u; }
of_page() { sed -n '/^\.SH OPTIONS/,/^\.SH "EXIT/p' "$pages/$1.1" | sed -n '/^\.B /p' | sed 's/\\-/-/g' | grep -o -e '--[a-z0-9-]*' | sort -u; }
same() {
    of_help "$1" >help.list
    of_page "$1" >page.list
    [ -s help.list ] && diff help.list page.list
}
clean() { groff -man -Tascii -ww "$pages/$1.1" 2>&1 >page.txt | { ! grep .; } && grep -q "EXAMPLES\|E.EX.XA.AM" page.txt; }

for tool in wavec wave-asm wave-cc wave-dis wave-emu wave-run wave-test; do
    ok "$tool: options of --help and of the manual page" same "$tool"
    ok "$tool: named in its page" grep -q "^$(echo "$tool" | sed 's/-/\\\\-/g') .- " "$pages/$tool.1"
    if command -v groff >/dev/null 2>&1; then
        ok "$tool: groff" clean "$tool"
    else
        missing "$tool.1 through groff: it is not installed"
    fi
done

finish "cli/man"
