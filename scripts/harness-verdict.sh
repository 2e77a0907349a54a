# shellcheck shell=sh
# For scripts that run the programs of a folder on harnesses, with and without an option. Sourced, with $build and $count (programs)
# set; adds to $passed and $failed.

# verdict NAME WHICH COMMAND...: WHICH programs must pass: all, none or some; some: at least one must fail.
verdict() {
    name=$1
    which=$2
    shift 2
    "$@" >"$build/tests/$(basename "$0" .sh).log" 2>&1
    # shellcheck disable=SC2046 # two words
    set -- $(sed -n -e 's/^/ /' -e 's/.*[^0-9]\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed.*/\1 \2/p' "$build/tests/$(basename "$0" .sh).log" | tail -n 1)
    right=${1:-0}
    wrong=${2:-0}
    case $which in
    all) [ "$right" -eq "$count" ] && [ "$wrong" -eq 0 ] ;;
    none) [ "$wrong" -eq "$count" ] && [ "$right" -eq 0 ] ;;
    some) [ "$wrong" -gt 0 ] ;;
    esac
    if [ $? -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name: $right of $count passed, $wrong failed"
        tail -n 20 "$build/tests/$(basename "$0" .sh).log"
    fi
}
