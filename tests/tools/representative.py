#!/usr/bin/env python3
"""Selects the programs that make check passes to vendors' compilers: few, but together they reach every form that the emitters
print.

Coverage is measured: the emitters (src/emit*) are built with a counter on every edge of their control flow, and every word of
the printed text that is not a name or a number counts too, because forms come from tables as well as from code. Programs are
then selected greedily until they reach everything that all programs together reach.

usage: representative.py [--check]
  without     writes tests/representative.txt
  --check     fails if the list misses something that the programs reach
"""

import concurrent.futures
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import programs as shared  # noqa: E402

BUILD = os.path.join(shared.ROOT, "build", "representative")
WAYS = {
    "ptx": ("--arch=sm_75 -O2", "--arch=sm_75 -O0", "--arch=sm_75 -O2 --bounds", "--arch=sm_75 -O2 --fast", "--arch=sm_75 -O2 -g",
            "--arch=sm_80 -O2", "--arch=sm_90 -O2", "--arch=sm_120 -O2"),
    "hip": ("--arch=gfx942 -O2", "--arch=gfx942 -O0", "--arch=gfx942 -O2 --bounds", "--arch=gfx942 -O2 --fast", "--arch=gfx942 -O2 -g",
            "--arch=gfx90a -O2", "--arch=gfx1030 -O2", "--arch=gfx1100 -O2"),
    "msl": ("--arch=metal3.2 -O2", "--arch=metal3.2 -O0", "--arch=metal3.2 -O2 --bounds", "--arch=metal3.2 -O2 --fast",
            "--arch=metal3.2 -O2 -g", "--arch=metal3.0 -O2"),
    "sycl": ("--arch=cpu -O2 --width=32", "--arch=cpu -O0 --width=32", "--arch=cpu -O2 --width=32 --bounds", "--arch=cpu -O2 --width=64"),
}
FLAGS = "-O1 -fsanitize-coverage=inline-8bit-counters"
WORD = re.compile(r"(?<![\w.])[A-Za-z_](?:\w|\.(?=\w)|::(?=\w))*")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"[^\"\n]*\"", re.S)
# Our own variables, labels and everything named after the kernel.
OURS = re.compile(r"^(?:[a-z]{1,4}\d+|\w*_\d+\w*)$")


def build_tool():
    """Builds wave2text with counters in the emitters; everything else is built as usual."""
    folders = [name for name in os.listdir(os.path.join(shared.ROOT, "src")) if name.startswith("emit")]
    flags = [f"CFLAGS_{name}={FLAGS}" for name in folders]
    command = [os.environ.get("MAKE", "make"), "-s", "-j2", f"BUILD={BUILD}", "CC=" + os.environ.get("FUZZ_CC", "clang"), "WERROR=0",
               "CFLAGS=-O1", "LDFLAGS=tests/tools/counters/counters.c", *flags, os.path.join(BUILD, "tests", "wave2text")]
    done = subprocess.run(command, cwd=shared.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise SystemExit("representative: the build with counters failed:\n" + done.stdout.decode(errors="replace")[-2000:])
    return os.path.join(BUILD, "tests", "wave2text")


def words(text, program):
    kernel = set(re.findall(r"\.kernel\s+\"?(\w+)", program))
    found = set()
    for word in WORD.findall(COMMENT.sub(" ", text)):
        if not OURS.match(word) and not any(word == name or word.startswith(name + "_") for name in kernel):
            found.add(word)
    return found


def measure(tool, target, way, program, source):
    """The forms that one program reaches, and the size of its text; nothing if it is rejected."""
    counters = os.path.join(BUILD, f"counters-{os.getpid()}-{abs(hash((target, way, program)))}")
    done = subprocess.run([tool, f"--target={target}", *way.split(), program], cwd=shared.ROOT, capture_output=True, check=False,
                          env={**os.environ, "WAVE_COUNTERS": counters})
    reached = set()
    if done.returncode == 0:
        with open(counters, encoding="utf-8") as file:
            reached = {f"edge {number}" for number in file.read().split()}
        text = done.stdout.decode()
        reached |= {f"word {word}" for word in words(text, source)}
    if os.path.exists(counters):
        os.remove(counters)
    return reached, len(done.stdout)


def measure_all(tool, target):
    """{(way, program): (reached forms, size)}"""
    sources = {}
    for program in shared.list_programs():
        with open(os.path.join(shared.ROOT, program), encoding="utf-8") as file:
            sources[program] = file.read()
    jobs = [(way, program) for way in WAYS[target] for program in sources]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda job: measure(tool, target, job[0], job[1], sources[job[1]]), jobs)
        return {job: result for job, result in zip(jobs, results) if result[0]}


def choose(measured):
    """Greedy weighted set cover (Chvatal), with Minoux's lazy evaluation: always takes the program that adds most for its
    cost, which is a constant plus the length of its text."""
    missing = set().union(*(reached for reached, _ in measured.values()))
    total, taken = len(missing), []
    gains = {job: len(reached) for job, (reached, _) in measured.items()}
    while missing:
        best, best_value = None, 0.0
        for job, (reached, size) in measured.items():
            cost = 2000 + size
            if gains[job] / cost <= best_value:  # its earlier gain is an upper bound on its current gain
                continue
            gains[job] = len(reached & missing)
            if gains[job] / cost > best_value:
                best, best_value = job, gains[job] / cost
        taken.append(best)
        missing -= measured[best][0]
    return sorted(taken), total


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        raise SystemExit(__doc__)
    tool = build_tool()
    lines, failed = [], 0
    for target in WAYS:
        measured = measure_all(tool, target)
        if sys.argv[1:]:
            everything = set().union(*(reached for reached, _ in measured.values()))
            listed = [(" ".join(options), program) for options, names in shared.representative(target) for program in names]
            covered = set().union(set(), *(measured[job][0] for job in listed if job in measured))
            gone = [job for job in listed if job not in measured]
            failed += bool(everything - covered) + bool(gone)
            print(f"{target}: {len(listed)} programs reach {len(covered)} of {len(everything)} forms")
            for form in sorted(everything - covered)[:10]:
                print(f"  missing: {form}")
            for job in gone[:10]:
                print(f"  does not compile: {' '.join(job)}")
        else:
            taken, total = choose(measured)
            print(f"{target}: {len(taken)} of {len(measured)} programs reach all {total} forms")
            lines += [f"{target} {way} {program}" for way, program in taken]
    if not sys.argv[1:]:
        with open(shared.REPRESENTATIVE, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    elif failed:
        print("representative: run 'make representative' and commit tests/representative.txt")
    print(f"representative: {len(WAYS) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
