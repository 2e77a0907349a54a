#!/usr/bin/env python3
"""Plants defects in a copy of the sources, one at a time, and checks that the tests find them.

Usage: tests/mutants/run.py [--planted] [--sample N] [--drawn N] [--seed S] [--folder F] [--only TEXT,…] [--list]
Without options: all of planted.txt, then 200 selected by seed 1 from src/. --sample: N of planted.txt, spread over all folders.
The copy is build/mutants/tree; each defect rebuilds one object there and runs the tests of suites.py in order until one fails.
Results: build/mutants/results.txt.
"""
import argparse
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
import draw  # noqa: E402
import suites  # noqa: E402

WORK = os.path.join(ROOT, "build", "mutants")
TREE = os.path.join(WORK, "tree")
CFLAGS = "-O1 -w"
TIMEOUT = 120


class Mutant:
    """An edit: `old`, which occurs in the file exactly once, becomes `new`."""

    def __init__(self, name, path, old, new, killer=None):
        self.name, self.path, self.old, self.new, self.killer = name, path, old, new, killer


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read_planted(path):
    """Blocks: `# name` `@ file` `! suite`, then the old lines after `-` and the new ones after `+`."""
    mutants = []
    for block in read(path).split("\n\n"):
        fields = {"#": [], "@": [], "!": [], "-": [], "+": []}
        for line in block.splitlines():
            if line[:1] in fields:
                fields[line[0]].append(line[1:] if line[0] in "-+" else line[1:].strip())
        if not fields["@"]:
            continue
        old = "\n".join(fields["-"])
        new = "\n".join(fields["+"])
        mutants.append(Mutant(fields["#"][0], fields["@"][0], old, new, fields["!"][0] if fields["!"] else None))
    return mutants


def copy_tree():
    """Unchanged files keep their time, so that make keeps their objects."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True,
                            check=True).stdout.split("\n")
    wanted = {name for name in listed if name and os.path.isfile(os.path.join(ROOT, name))}
    for name in sorted(wanted):
        source, target = os.path.join(ROOT, name), os.path.join(TREE, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.exists(target):
            with open(source, "rb") as one, open(target, "rb") as two:
                if one.read() == two.read():
                    continue
        shutil.copy(source, target)
    for folder, _, names in os.walk(TREE):
        for name in names:
            relative = os.path.relpath(os.path.join(folder, name), TREE)
            if not relative.startswith("build") and relative not in wanted:
                os.remove(os.path.join(folder, name))


def run(command, timeout=TIMEOUT):
    """True when it succeeds; False when it fails or hangs. A test may run parts in separate sessions, which the kill does not
    reach: what loops there ends when its processor time is used up."""
    process = subprocess.Popen("ulimit -t %d; %s" % (timeout, command), cwd=TREE, shell=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return process.wait(timeout=timeout) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return False


def build(targets, timeout=600):
    return run("make -s -j1 WERROR=0 CFLAGS='%s' %s" % (CFLAGS, " ".join(targets)), timeout)


def object_of(mutant):
    return os.path.join("build/obj", mutant.path[:-2] + ".o")


def machine_code(mutant):
    """The contents of a .c file's object, which has no debugging information."""
    if not mutant.path.endswith(".c") or not build([object_of(mutant)]):
        return None
    with open(os.path.join(TREE, object_of(mutant)), "rb") as file:
        return file.read()


def judge(mutant):
    """'killed by X', 'survived', or why it does not count as a mutant."""
    path = os.path.join(TREE, mutant.path)
    original = read(path)
    if original.count(mutant.old) != 1:
        return "stale: the old text occurs %d times" % original.count(mutant.old)
    before = machine_code(mutant)
    write(path, original.replace(mutant.old, mutant.new))
    try:
        after = machine_code(mutant)
        if mutant.path.endswith(".c") and after is None:
            return "does not compile"
        if before is not None and before == after:
            return "is the same machine code"
        for suite in suites.for_file(mutant.path, mutant.killer):
            if not build(suite.targets):
                return "does not compile"
            if not run(suite.command):
                return "killed by " + suite.name
        return "survived"
    finally:
        write(path, original)


def explained():
    """Drawn mutants that change nothing relevant: identity to reason."""
    reasons = {}
    path = os.path.join(HERE, "survivors.txt")
    if os.path.exists(path):
        for line in read(path).splitlines():
            if line and not line.startswith("#"):
                identity, reason = line.split(" ", 1)
                reasons[identity] = reason
    return reasons


def baseline():
    """All tests must pass before a failing one means anything."""
    every = suites.everything()
    if not build(sorted({target for suite in every for target in suite.targets}), 3600):
        sys.exit("mutants: the unchanged tree does not build")
    for suite in every:
        if not run(suite.command, 600):
            sys.exit("mutants: %s fails in the unchanged tree" % suite.name)


def campaign(title, mutants, wanted, results):
    reasons = explained()
    killed, survivors, seen = 0, [], 0
    for mutant in mutants:
        if seen == wanted:
            break
        started = time.time()
        verdict = judge(mutant)
        if verdict in ("does not compile", "is the same machine code") and title == "drawn":
            continue  # not a mutant: the next one is used
        seen += 1
        killed += verdict.startswith("killed")
        if not verdict.startswith("killed"):
            survivors.append(mutant.name)
            if mutant.name in reasons:
                verdict += " (%s)" % reasons[mutant.name]
        line = "%-9s %s  %s: %s" % (title, mutant.name, mutant.path, verdict)
        print("%s (%.1f s)" % (line, time.time() - started), flush=True)
        results.write(line + "\n")
        if not verdict.startswith("killed") and mutant.name not in reasons:
            results.write("    - %s\n    + %s\n" % (mutant.old.replace("\n", "\n      "), mutant.new.replace("\n", "\n      ")))
        results.flush()
    unexplained = [name for name in survivors if name not in reasons]
    return seen, killed, len(survivors), unexplained


def chosen(mutant, only):
    """`only`: parts of names or paths, separated by commas."""
    return any(part in mutant.name or part in mutant.path for part in only.split(","))


def spread(mutants, count):
    """This number of mutants, from every folder in turn, spread evenly over each folder's list."""
    folders = {}
    for mutant in mutants:
        folders.setdefault(os.path.dirname(mutant.path), []).append(mutant)
    shares = dict.fromkeys(folders, 0)
    while sum(shares.values()) < min(count, len(mutants)):
        for folder, found in folders.items():
            if shares[folder] < len(found) and sum(shares.values()) < count:
                shares[folder] += 1
    return [found[k * len(found) // shares[folder]] for folder, found in folders.items() for k in range(shares[folder])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--drawn", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", default="src")
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--no-baseline", action="store_true")
    options = parser.parse_args()
    both = not options.planted and options.drawn is None and options.sample is None
    planted = read_planted(os.path.join(HERE, "planted.txt")) if both or options.planted or options.sample else []
    if options.sample:
        planted = spread(planted, options.sample)
    wanted = 200 if both else options.drawn or 0
    drawn = [Mutant(*fields) for fields in draw.mutants(ROOT, options.seed, 3 * wanted, options.folder)] if wanted else []
    planted = [m for m in planted if chosen(m, options.only)]
    drawn = [m for m in drawn if chosen(m, options.only)]
    if options.list:
        for mutant in planted + drawn:
            print("%s %s\n- %s\n+ %s" % (mutant.name, mutant.path, mutant.old, mutant.new))
        return 0
    os.makedirs(WORK, exist_ok=True)
    copy_tree()
    if not options.no_baseline:
        baseline()
    failed = 0
    with open(os.path.join(WORK, "results.txt"), "a" if options.only else "w", encoding="utf-8") as results:
        if planted:
            seen, killed, survived, _ = campaign("planted", planted, len(planted), results)
            print("mutants planted: %d killed, %d survived of %d" % (killed, survived, seen))
            failed += survived
        if drawn:
            seen, killed, survived, unexplained = campaign("drawn", drawn, wanted, results)
            share = 100.0 * killed / seen if seen else 0
            print("mutants drawn: %d killed, %d survived of %d (%.1f %%), %d of them without an explanation" %
                  (killed, survived, seen, share, len(unexplained)))
            failed += len(unexplained) + (share < 90)
    print("mutants: %s" % ("ok" if not failed else "not ok"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
