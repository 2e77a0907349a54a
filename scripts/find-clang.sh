#!/bin/sh
# Prints the path of a clang++ of version 19 or newer, or prints nothing and fails. Searches CLANGXX, clang++-19 and its
# successors, clang++. scripts/install-deps.sh hip installs one, with the headers and device libraries that HIP needs.
set -u

for candidate in "${CLANGXX:-}" clang++-19 clang++-20 clang++-21 clang++-22 clang++; do
    [ -n "$candidate" ] || continue
    path=$(command -v "$candidate" 2>/dev/null) || continue
    version=$("$path" -dumpversion 2>/dev/null | sed 's/\..*//')
    case $version in
    '' | *[!0-9]*) continue ;;
    esac
    if [ "$version" -ge 19 ]; then
        echo "$path"
        exit 0
    fi
done
exit 1
