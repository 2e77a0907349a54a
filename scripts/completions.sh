#!/bin/sh
# completions.sh install|uninstall SHARE TOOL...: installs the completion scripts, which each tool prints itself, where bash,
# zsh and fish look for them below SHARE. Tools that do not run on this machine (a cross build) have none.
set -eu
what=$1 share=$2
shift 2

place() { # SHELL TOOL
    case $1 in
    bash) echo "$share/bash-completion/completions/$2" ;;
    zsh) echo "$share/zsh/site-functions/_$2" ;;
    fish) echo "$share/fish/vendor_completions.d/$2.fish" ;;
    esac
}

for tool in "$@"; do
    name=$(basename "$tool")
    for shell in bash zsh fish; do
        file=$(place $shell "$name")
        if [ "$what" = uninstall ]; then
            rm -f "$file"
            continue
        fi
        text=$("$tool" --completion=$shell) || { echo "completions: $name does not run here, skipped" >&2; break; }
        mkdir -p "$(dirname "$file")"
        printf '%s\n' "$text" >"$file"
    done
done
