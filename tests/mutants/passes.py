#!/usr/bin/env python3
"""Plants the defects of passes.txt one by one in a copy of the tree (run.py) and checks that wave-diff --passes finds each and names
its pass, on the test programs or on random ones. Usage: tests/mutants/passes.py [PASS]..."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
LIST = os.path.join(HERE, "passes.txt")
COMMANDS = ["build/tests/wave-diff --passes --widths=32,64 $(find examples tests/programs -name '*.wave' | LC_ALL=C sort)",
            "build/tests/wave-diff --passes --widths=32,64 --level=2 --reduce=0 --seeds 1..60"]


def named():
    """The passes that wave-diff names, in the order of its lines."""
    names = []
    for command in COMMANDS:
        output = subprocess.run("ulimit -t 300; " + command, cwd=run.TREE, shell=True, capture_output=True, text=True, errors="replace", check=False).stdout
        names += re.findall(r"^DIFFERENCE .* after pass ([a-z0-9-]+):", output, re.M)
        if names:
            break
    return names


def verdict(wanted, mutant):
    path = os.path.join(run.TREE, mutant.path)
    original = run.read(path)
    if original.count(mutant.old) != 1:
        return "stale: the old text occurs %d times" % original.count(mutant.old)
    run.write(path, original.replace(mutant.old, mutant.new))
    try:
        if not run.build(["build/tests/wave-diff"]):
            return "does not compile"
        names = named()
    finally:
        run.write(path, original)
    if not names:
        return "not found"
    wrong = [name for name in names if re.sub(r"-\d+$", "", name) != wanted]
    return "named %s instead" % wrong[0] if wrong else ""


def main():
    pairs = re.findall(r"^([a-z-]+): (\S+)$", run.read(LIST), re.M)
    mutants = {one.name: one for one in run.read_planted(os.path.join(HERE, "planted.txt")) + run.read_planted(LIST)}
    run.copy_tree()
    if not run.build(["build/tests/wave-diff"], 3600):
        sys.exit("passes: the unchanged tree does not build")
    bad = named()
    if bad:
        sys.exit("passes: the unchanged tree differs after " + bad[0])
    failed = 0
    chosen = [pair for pair in pairs if not sys.argv[1:] or pair[0] in sys.argv[1:]]
    for wanted, name in chosen:
        problem = verdict(wanted, mutants[name])
        failed += bool(problem)
        print("%-4s %s: %s%s" % ("FAIL" if problem else "ok", wanted, name, ": " + problem if problem else ""), flush=True)
    print("passes: %d passed, %d failed" % (len(chosen) - failed, failed))
    sys.exit(1 if failed or not chosen else 0)


if __name__ == "__main__":
    main()
