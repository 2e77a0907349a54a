#!/bin/sh
# Checks what no compiler sees: the links between documents, the syntax of scripts, which folder includes which, and leftovers
# in the sources.
# Usage: scripts/check-text.sh
set -u
cd "$(dirname "$0")/.." || exit 2

# shellcheck source=scripts/verdict.sh
. scripts/verdict.sh

# Outside a checkout (an unpacked archive) every file counts.
files=$(git ls-files 2>/dev/null || find . -type f ! -path './build/*' | sed 's|^\./||')

for script in $(echo "$files" | grep '\.sh$') .ci/run; do
    [ -e "$script" ] || continue
    case $script in
    *.sh) sh -n "$script" ;;
    *) bash -n "$script" ;;
    esac
    judge $? "$script does not parse"
done

if command -v python3 >/dev/null 2>&1; then
    for script in $(echo "$files" | grep '\.py$'); do
        [ -e "$script" ] || continue
        python3 -c 'import ast, sys; ast.parse(open(sys.argv[1], encoding="utf-8").read())' "$script" 2>/dev/null
        judge $? "$script does not parse"
    done
    found=$(python3 scripts/includes.py check)
    judge $? "$found"
    for document in $(echo "$files" | grep '\.md$'); do
        [ -e "$document" ] || continue
        found=$(python3 scripts/links.py "$document")
        judge $? "$found"
    done
fi

# "$@" is a list of files that exist.
# shellcheck disable=SC2046
set -- $(for file in $(echo "$files" | grep -E '\.(c|h|def|sh|py|md|wave)$|^Makefile$'); do
    [ ! -e "$file" ] || echo "$file"
done)
# Sources and scripts name documents by their path from the root; NAME is a placeholder.
for document in $(grep -sohE '(^|[^A-Za-z0-9_./-])docs/[A-Za-z0-9_/-]+\.md' "$@" $(echo "$files" | grep -E '^(man|web)/|\.(txt|cl|cpp|hpp|inc|js|yml)$') |
    sed 's/^[^d]*docs/docs/' | sort -u); do
    case $document in */NAME.md) continue ;; esac
    test -e "$document"
    judge $? "$document is named ($(grep -lF "$document" "$@" | head -n 3 | tr '\n' ' ')) but not there"
done
leftovers=$(grep -nwE 'TO''DO|FIX''ME' "$@")
test -z "$leftovers"
judge $? "leftovers: $leftovers"
blanks=$(grep -nE '[[:blank:]]+$' "$@" | grep -vE '^[^:]*\.(md|sh):' | head -n 20)
test -z "$blanks"
judge $? "blanks at the end of a line: $blanks"

# Features that macOS lacks: it has GNU make 3.81, bash 3.2, the BSD userland. First checks that each planted line is found
# and no clean one.
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
# plant LINE OF A LIST: writes it as the only line of a makefile or a script.
plant() {
    case $1 in
    make*) planted=$scratch/Makefile ;;
    *) planted=$scratch/script.sh ;;
    esac
    printf '%s\n' "${1#*|}" >"$planted"
}
while IFS= read -r line; do
    plant "$line"
    ! sh scripts/check-portable.sh "$planted" >/dev/null
    judge $? "check-portable.sh does not find: $line"
done <tests/portable/planted.txt
while IFS= read -r line; do
    plant "$line"
    sh scripts/check-portable.sh "$planted" >"$scratch/found"
    judge $? "check-portable.sh finds in a clean line: $line: $(cat "$scratch/found")"
done <tests/portable/clean.txt
for script in $(echo "$files" | grep -E '\.(sh|mk)$|(^|/)Makefile$') .ci/run; do
    [ -e "$script" ] || continue
    found=$(sh scripts/check-portable.sh "$script")
    judge $? "not on macOS: $found"
done

# The files in the root that newcomers look for.
for file in README.md LICENSE CONTRIBUTING.md CHANGELOG.md Makefile .clang-format .clang-tidy .editorconfig \
    docs/inside/architecture.md docs/reference/isa.md docs/reference/wbin.md docs/using/errors.md docs/using/test-format.md; do
    test -s "$file"
    judge $? "$file is missing"
done

echo "text: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
