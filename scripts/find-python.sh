#!/bin/sh
# Prints the path of a Python with numpy, pytest, mypy and setuptools, or prints nothing and fails. It is an environment in our
# cache of tool chains, one per version of Python. With --install it is created, once; a file that is written last marks it as
# complete.
set -u
. "$(dirname "$0")/find-tool.sh"
version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])') || exit 1
folder=$cache/python-$version

[ -e "$folder/complete" ] && echo "$folder/bin/python" && exit 0
[ "${1:-}" = --install ] || exit 1
echo "installing numpy, pytest, mypy and setuptools from PyPI into $folder (about 150 MB, once)" >&2
mkdir -p "$cache" && rm -rf "$folder" && python3 -m venv "$folder" >&2 &&
    "$folder/bin/pip" install --quiet --disable-pip-version-check 'setuptools>=70.1' numpy pytest mypy >&2 &&
    touch "$folder/complete" && echo "$folder/bin/python"
