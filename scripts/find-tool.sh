# shellcheck shell=sh
# For the find-*.sh scripts that look for one tool; they source this file.
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/wavec

# first_program PATH...: prints the first executable one.
first_program() {
    for candidate in "$@"; do
        if [ -n "$candidate" ] && [ -f "$candidate" ] && [ -x "$candidate" ]; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

# install_wheel FOLDER PACKAGE SIZE: installs PACKAGE from PyPI into FOLDER of the cache, once. It is installed under a temporary
# name and renamed when it is complete: an interrupted installation leaves nothing that counts. If another process was faster,
# its copy stays.
install_wheel() {
    echo "installing $2 from PyPI into $cache/$1 ($3, once)" >&2
    mkdir -p "$cache" && fresh=$(mktemp -d "$cache/$1.new.XXXXXX") || return 1
    trap 'rm -rf "$fresh"' EXIT
    trap 'exit 1' HUP INT TERM
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --target "$fresh/whole" "$2" >&2 || return 1
    [ -d "$cache/$1" ] || mv "$fresh/whole" "$cache/$1"
}
