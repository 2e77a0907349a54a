# Shared by the tool tests in tests/cli: a separate folder for each, the tools in $bin, and counts of
# passed and failed checks. Sourced, not run. A test file ends with `finish NAME`.
set -u
bin=${WAVE_BIN:-build/bin}
case $bin in /*) ;; *) bin=$(pwd)/$bin ;; esac
tests=$(cd "$(dirname "$0")/.." && pwd)
golden=$tests/golden
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
passed=0
failed=0
NO_COLOR=1
export NO_COLOR

# ok NAME COMMAND...: the command must succeed.
ok() {
    name=$1
    shift
    if "$@" >ok.out 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
        cat ok.out
    fi
}

# status EXPECTED COMMAND...: output in out and err
status() {
    expected=$1
    shift
    "$@" >out 2>err
    got=$?
    [ "$got" -eq "$expected" ] || { echo "exit status $got, not $expected: $*"; cat err; return 1; }
}

# has FILE TEXT, lacks FILE TEXT: a line or part of a line. A file that does not exist lacks nothing.
has() { grep -F -e "$2" "$1" >/dev/null || { echo "no '$2' in:"; cat "$1"; return 1; }; }
lacks() { present "$1" && ! has "$1" "$2" >/dev/null || { echo "'$2' in:"; cat "$1"; return 1; }; }
empty() { present "$1" && [ ! -s "$1" ] || { echo "$1 is not empty:"; cat "$1"; return 1; }; }
present() { [ -e "$1" ] || { echo "$1 does not exist"; return 1; }; }
absent() { [ ! -e "$1" ] || { echo "$1 exists"; return 1; }; }
json() { python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1"; }

# check NAME STATUS COMMAND...: runs the command; `said` and `silent` then check its output.
check() {
    checked=$1
    shift
    ok "$checked" status "$@"
}
said() { ok "$checked" has "$1" "$2"; }
silent() { ok "$checked" empty "$1"; }

# skipped WHAT: this is not tested here; scripts/run-tests.sh shows the line. missing WHAT: the same, because a program is not
# installed; in CI, where it must be, that is a failure.
skipped() { echo "skipped: $*"; }
missing() { if [ "${CI:-}" = true ]; then ok "$1" false; else skipped "$1"; fi; }

finish() {
    echo "$1: $passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
