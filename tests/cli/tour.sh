#!/bin/sh
# README's tour, executed word for word, and a test of the program that executes it. Run with
# WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
follow() { python3 "$tests/tools/tour.py" "$(dirname "$bin")" "$@"; }
follow
result=$?

# The program: a document for each mistake that it must find, and one without mistakes.
# finds TEXT LINE...: a document of these lines is rejected with this text
document() { printf '%s\n' "$@" >"$dir/d.md"; follow "$dir/d.md" >found 2>&1; }
finds() { text=$1; shift; ! document "$@" && has found "$text"; }
ok "no tour" finds "there is no tour" 'Text.'
ok "a command that fails" finds "status 3" '```sh tour' '(exit 3)' '```'
ok "another output" finds "prints something else" '```console tour' '$ echo 1' '2' '```'
ok "more output" finds "prints something else" '```console tour' '$ echo 1; echo 2' '1' '```'
ok "a tool that is not in the PATH yet" finds "status 127" '```console tour' '$ wave-asm --version' '```'
ok "a target that no longer exists" finds "status 2" '```sh tour' 'make gone' '```'
ok "a file that is not named" finds 'does not name `k.txt`' 'Save this:' '```text tour k.txt' 'a' '```' '```console tour' '$ cat k.txt' 'a' '```'
ok "a step after the shell has ended" finds "not reached" '```sh tour' 'exit 0' '```'
ok "a clean tour" document '```sh tour' 'make' 'export A=1' 'cd "$(mktemp -d)"' '```' 'The file `k.txt`:' '```text tour k.txt' 'a "b" $c' '```' \
    '```console tour' '$ ls' 'k.txt' '$ cat k.txt; echo $A' 'a "b" $c' '1' '```'
finish cli/tour && [ "$result" -eq 0 ]
