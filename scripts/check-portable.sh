#!/bin/sh
# Finds what macOS lacks in shell scripts and makefiles: it has GNU make 3.81, bash 3.2 and the BSD userland.
# A line that says "# GNU: why" is skipped: it runs on Linux only, or has an alternative for other systems.
# Usage: scripts/check-portable.sh FILE...      prints FILE:LINE: what; fails if there is any
set -u

# scripts/portable.txt has one rule per line: sh, make (what make itself reads) or all; what it is; a regular expression of
# awk. There CMD matches the place of a command, ARGS its arguments up to the next command. Lines are padded with blanks.
awk -v names="$*" '
function place(text) {
    gsub(/CMD/, "(^[ \t@+-]*|[;\\&|({`!][ \t]*|[ \t;](then|do|else|if|while|until|exec|env|xargs|nice|sudo)[ \t]+|" \
        "[ \t]-c[ \t]+[\"\047])([A-Za-z_][A-Za-z0-9_]*=[^ \t]*[ \t]+)*", text)
    gsub(/ARGS/, "([ \t]+[^;\\&|]*)?", text)
    return text
}
{
    first = index($0, "|")
    kind[NR] = substr($0, 1, first - 1)
    rest = substr($0, first + 1)
    # The name itself may begin with a bar.
    second = index(substr(rest, 3), "|") + 2
    name[NR] = substr(rest, 1, second - 1)
    form[NR] = place(substr(rest, second + 1))
}
END {
    count = split(names, files, " ")
    for (f = 1; f <= count; f++) {
        make = files[f] ~ /(^|\/)Makefile$|[.]mk$/
        line = 0
        while ((more = (getline text < files[f])) > 0) {
            line++
            if (text ~ /^[ \t]*#/ || text ~ /# GNU: ./)
                continue
            # A tab begins a recipe; make reads the other lines, a shell these.
            text = " " text " "
            for (k = 1; k <= NR; k++)
                if ((kind[k] != "make" || make) && (kind[k] != "sh" || !make || text ~ /^ \t/) && text ~ form[k]) {
                    printf "%s:%d: %s\n", files[f], line, name[k]
                    found = 1
                }
        }
        if (more < 0) {
            printf "%s: cannot be read\n", files[f]
            found = 1
        }
        close(files[f])
    }
    exit found
}' "$(dirname "$0")/portable.txt"
