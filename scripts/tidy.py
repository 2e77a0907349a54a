#!/usr/bin/env python3
"""clang-tidy over the C sources, as many at a time as there are cores. A file that passed is not checked again until it, a
header of ours that it includes, .clang-tidy or the tool changes (tests/tools/cache.py keeps the results).

usage: tidy.py [--changed] TOOL FLAGS... -- FILE...
  --changed   only files that differ, themselves or in a header, from the last commit shared with others (see changed())
"""

import concurrent.futures
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "tools"))
import cache  # noqa: E402


def run(command):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode(errors="replace")


def changed():
    """Files that differ from the point where this branch left its upstream, or from HEAD without an upstream; new files
    too."""
    for name in ("@{upstream}", "origin/HEAD", "HEAD"):
        status, base = run(["git", "merge-base", name, "HEAD"])
        if status == 0:
            break
    _, names = run(["git", "diff", "--name-only", base.strip() if status == 0 else "HEAD"])
    _, fresh = run(["git", "ls-files", "-o", "--exclude-standard"])
    return {os.path.normpath(name) for name in (names + fresh).split("\n") if name}


def headers(path, flags):
    """The file and the project headers that it includes."""
    status, rule = run([os.environ.get("CC") or "cc", "-MM", *flags, path])
    if status != 0:
        return None
    return sorted({os.path.normpath(word) for word in re.sub(r"^[^:]*:|\\\n", " ", rule).split()})


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def look(known, tool, flags, path, names):
    """clang-tidy's output; an empty one is cached."""
    texts = [" ".join(flags), read(".clang-tidy"), *(f"{name}\n{read(name)}" for name in names or [path])]
    if known.get(*texts) is not None:
        return ""
    status, said = run([tool, "--quiet", "--warnings-as-errors=*", path, "--", *flags])
    if status != 0:
        return said.strip() or f"{tool} says nothing and exits with status {status}"
    known.put("", *texts)
    return ""


def main():
    words = sys.argv[1:]
    only_changed = words[:1] == ["--changed"]
    words = words[only_changed:]
    if "--" not in words[1:]:
        raise SystemExit(__doc__)
    tool, flags, files = words[0], words[1 : words.index("--")], words[words.index("--") + 1 :]
    known = cache.Cache("tidy", run([tool, "--version"])[1])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        included = dict(zip(files, pool.map(lambda path: headers(path, flags), files)))
        if only_changed:
            new = changed()
            files = [path for path in files if included[path] is None or new & set(included[path])]
        failed = 0
        for path, said in zip(files, pool.map(lambda path: look(known, tool, flags, path, included[path]), files)):
            failed += bool(said)
            if said:
                print(f"{path}:\n{said}")
    print(f"tidy: {len(files) - failed} passed, {failed} failed" if files else "tidy: nothing has changed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
