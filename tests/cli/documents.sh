#!/bin/sh
# The contents of README.md and docs/: every command runs as pasted, every sample compiles, every output is real.
# Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
checker=$tests/tools/check_docs.py
python3 "$checker" "$(dirname "$bin")"
result=$?

# The checker itself: a document for each mistake that it must find.
# finds NAME TEXT [LINE...]: a document of these lines is rejected with this text; accepts NAME LINE...: it is
# accepted
document() { printf '%s\n' "$@" >"$dir/d.md"; python3 "$checker" "$(dirname "$bin")" "$dir/d.md" >found 2>&1; }
finds() { text=$1; shift; ! document "$@" && has found "$text"; }
ok "a command that fails" finds "status 2" '```sh' 'wavec --no-such-option' '```'
ok "a command that is not run" finds "not run: wavec" '```' 'wavec --check k.wave' '```'
ok "a command in an indented block" finds "outside a fence" '    wavec --check k.wave'
ok "an option that no longer exists" finds "wavec has no --gone" 'Try `wavec --gone`.'
ok "an option that no longer exists, in a block that is not run" finds "wavec has no --gone" '```sh gpu' 'wavec --gone' '```'
ok "a target that no longer exists" finds "make has no target gone" '`make gone`'
ok "a script that no longer exists" finds "there is no scripts/gone.sh" '`sh scripts/gone.sh`'
ok "an unknown reason" finds "is not a reason" '```sh later' 'wavec --check k.wave' '```'
ok "another output" finds "prints something else" '```console' '$ echo 1' '2' '```'
ok "another text" finds "not what this prints" '<!-- from: echo 1 -->' '```' '2' '```'
ok "C that is not C++" finds "c++ rejects it" '```c' 'int *f(void *p) { return p; }' '```'
ok "C with a warning" finds "cc rejects it" '```c' 'int f(int a) { return 0; }' '```'
ok "assembly with an error" finds "wave-asm rejects it" '```wave' '.kernel k' ' nonsense' '.end' '```'
ok "a clean document" document 'Try `wavec --check` and `make test`.' '```console' '$ echo 1' '1' '```' '```sh' 'wave-asm --help' '```'
finish cli/documents && [ "$result" -eq 0 ]
