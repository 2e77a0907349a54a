# shellcheck shell=sh
# For the check scripts: counts checks and shows those that fail. Set before sourcing it, both optional: $verdict_log, the file for
# the output of a check, and $verdict_more, a file that is shown as well. The script prints $passed and $failed at its end.

passed=0
failed=0

# verdict WHAT COMMAND...: one check.
verdict() {
    what=$1
    shift
    "$@" >"${verdict_log:-/dev/null}" 2>&1
    judge $? "$what"
}

# judge STATUS WHAT: one check whose command has already run.
judge() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
    echo "failed: $2"
    for shown in "${verdict_log:-}" "${verdict_more:-}"; do
        [ ! -s "$shown" ] || sed 's/^/    /' "$shown" | tail -n 40
    done
}
