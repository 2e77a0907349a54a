#!/usr/bin/env python3
"""A long fuzz campaign: every target in turn, in slices of a minute, until it has used its processor time and found nothing
new in the last ten minutes of it; then the corpus is minimised.

Usage: tests/fuzz/campaign.py [--minutes 30] [--quiet 10] [--build build/fuzz] [TARGET...]
Build the targets first (scripts/fuzz.sh smoke). Inputs stay in BUILD/corpus, the minimised ones in BUILD/minimal ("corpus.py
replace TARGET BUILD/minimal/TARGET" keeps them; for the compile targets name the folders of all four). The table goes to
BUILD/campaign.txt. Ends with status 1 at the first finding, whose input is stored next to the table.
"""
import argparse
import glob
import os
import re
import resource
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import corpus  # noqa: E402, the folder above


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def options_of(target):
    path = os.path.join(ROOT, "tests", "fuzz", target + ".options")
    found = []
    if os.path.exists(path):
        with open(path, encoding="ascii") as file:
            found = ["-%s=%s" % pair for pair in re.findall(r"(\w+) *= *(\d+)", file.read())]
    dictionary = os.path.join(ROOT, "tests", "fuzz", target + ".dict")
    return found + (["-dict=" + dictionary] if os.path.exists(dictionary) else [])


def seeds_of(build, target):
    """The folder into which run_target has unpacked the kept inputs."""
    folder = os.path.join(build, "seeds", corpus.name_of(target))
    return [folder] if os.path.isdir(folder) else []


def slice_of(build, target, number):
    """Runs a target for one minute; returns the executions and the final coverage."""
    found = os.path.join(build, "corpus", target)
    os.makedirs(found, exist_ok=True)
    command = [os.path.join(build, "tests", target), "-max_total_time=60", "-timeout=30", "-rss_limit_mb=2560",
               "-seed=%d" % (number + 1), "-print_final_stats=1", "-artifact_prefix=%s/%s-" % (build, target)]
    made = subprocess.run(command + options_of(target) + [found] + seeds_of(build, target), capture_output=True, text=True,
                          errors="replace", check=False)
    if made.returncode != 0:
        print("\n".join(made.stderr.splitlines()[-60:]))
        sys.exit("campaign: %s has found something, see %s/%s-*" % (target, build, target))
    runs = re.findall(r"stat::number_of_executed_units: *(\d+)", made.stderr)
    covered = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)", made.stderr)
    return int(runs[-1]) if runs else 0, tuple(int(number) for number in covered[-1]) if covered else (0, 0, 0)


def minimise(build, target):
    """Keeps a small set of inputs that together reach every place, however often and in whatever order."""
    minimal = os.path.join(build, "minimal", target)
    os.makedirs(minimal, exist_ok=True)
    for name in glob.glob(os.path.join(minimal, "*")):
        os.remove(name)
    subprocess.run([os.path.join(build, "tests", target), "-set_cover_merge=1", "-use_counters=0"] + options_of(target) +
                   [minimal, os.path.join(build, "corpus", target)] + seeds_of(build, target), capture_output=True, check=True)
    files = glob.glob(os.path.join(minimal, "*"))
    return len(files), sum(os.path.getsize(name) for name in files)


def run_target(build, target, minutes, quiet):
    if os.path.exists(corpus.archive_of(corpus.name_of(target))):
        corpus.unpack(corpus.name_of(target), os.path.join(build, "seeds", corpus.name_of(target)))
    start, executed, best, risen, number = used(), 0, 0, 0.0, 0
    while True:
        runs, (covered, _, _) = slice_of(build, target, number)
        number += 1
        executed += runs
        spent = (used() - start) / 60
        if covered > best:
            best, risen = covered, spent
        print("%s: %.1f minutes of processor, %d executions, %d places, last new one at %.1f" %
              (target, spent, executed, best, risen), flush=True)
        if spent >= minutes and spent - risen >= quiet:
            count, size = minimise(build, target)
            return "%-10s %6.1f min %12d executions %7d places, last new at %6.1f min; corpus %5d files, %8d bytes" % (
                target, spent, executed, best, risen, count, size)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--quiet", type=float, default=10)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "fuzz"))
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    sources = sorted(glob.glob(os.path.join(ROOT, "tests", "fuzz", "fuzz_*.c")))
    targets = options.targets or [os.path.basename(name)[:-2] for name in sources]
    with open(os.path.join(options.build, "campaign.txt"), "a", encoding="utf-8") as table:
        for target in targets:
            line = run_target(options.build, target, options.minutes, options.quiet)
            table.write(line + "\n")
            table.flush()
            print(line, flush=True)
    print("campaign: %d targets, no finding" % len(targets))
    return 0


if __name__ == "__main__":
    sys.exit(main())
