#!/usr/bin/env python3
"""Adds up what gcov recorded in a build folder, and prints lines and branches of src/ for each folder of it.

Usage: scripts/coverage.py BUILD [--list]      --list names the lines no test reached, and branches never taken
Fails when fewer than 95 % of the lines or 85 % of the branches were executed.
"""
import collections
import glob
import json
import os
import subprocess
import sys

LEAST_LINES, LEAST_BRANCHES = 95.0, 85.0


def records(build):
    """gcov's JSON output for each object below src/ and runtime/."""
    found = sorted(glob.glob(os.path.join(build, "obj", "src", "*", "*.gcno")) +
                   glob.glob(os.path.join(build, "obj", "runtime", "*.gcno")))
    for notes in found:
        made = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", notes], capture_output=True,
                              text=True, check=False)
        for line in made.stdout.splitlines():
            if line.startswith("{"):
                yield json.loads(line)


def collect(build):
    """(file, line) to its count, and to the counts of its branches.

    A line that is compiled into many functions, such as a macro of the emulator's lane loops, counts once: the branches
    of its copies are combined where their numbers match.
    """
    lines, branches = collections.Counter(), collections.defaultdict(collections.Counter)
    shapes = collections.defaultdict(collections.Counter)
    for record in records(build):
        for file in record["files"]:
            name = file["file"]
            if not name.startswith(("src/", "runtime/")):
                continue
            for line in file["lines"]:
                place = (name, line["line_number"])
                lines[place] += line["count"]
                shape = len(line["branches"])
                for number, branch in enumerate(line["branches"]):
                    shapes[place, shape][number] += branch["count"]
    for (place, shape), counts in shapes.items():
        for number in range(shape):
            branches[place][shape, number] = counts[number]
    return lines, branches


def share(hit, total):
    return "%6.1f %%" % (100.0 * hit / total) if total else "     –  "


def keys(name):
    """The rows that a file counts towards."""
    return (os.path.dirname(name), "src") if name.startswith("src/") else (os.path.dirname(name),)


def main():
    lines, branches = collect(sys.argv[1])
    if not lines:
        sys.exit("coverage: %s holds no counts" % sys.argv[1])
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for (name, _), count in lines.items():
        for key in keys(name):
            sums[key][0] += count > 0
            sums[key][1] += 1
    for (name, _), counts in branches.items():
        for key in keys(name):
            sums[key][2] += sum(count > 0 for count in counts.values())
            sums[key][3] += len(counts)
    print("%-16s %16s %20s" % ("folder", "lines", "branches"))
    for key in sorted(sums, key=lambda folder: (folder == "src", folder)):
        hit, total, taken, ways = sums[key]
        print("%-16s %s of %5d  %s of %5d" % (key, share(hit, total), total, share(taken, ways), ways))
    if "--list" in sys.argv:
        for name, number in sorted(place for place, count in lines.items() if count == 0):
            print("line %s:%d" % (name, number))
        for (name, number), counts in sorted(branches.items()):
            if lines[(name, number)] and not all(counts.values()):
                print("branch %s:%d %d of %d" % (name, number, sum(c > 0 for c in counts.values()), len(counts)))
    hit, total, taken, ways = sums["src"]
    good = 100.0 * hit / total >= LEAST_LINES and 100.0 * taken / ways >= LEAST_BRANCHES
    print("coverage: %s lines, %s branches: %s" % (share(hit, total).strip(), share(taken, ways).strip(),
                                                   "ok" if good else "below %d %% and %d %%" % (LEAST_LINES, LEAST_BRANCHES)))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
