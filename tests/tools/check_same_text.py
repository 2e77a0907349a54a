#!/usr/bin/env python3
"""Two builds of wavec print the same: the emitted text must not depend on the compiler that built wavec (C does not specify
the order in which a call's arguments are evaluated).

usage: check_same_text.py BUILD OTHER_BUILD
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGETS = ("ptx", "hip", "sycl", "msl", "wbin")


def text(build, program, options):
    return subprocess.run([f"{build}/bin/wavec", *options, "-o", "-", program], cwd=ROOT, capture_output=True, check=False).stdout


def same(builds, program):
    """The options for which the outputs differ."""
    choices = [(f"--target={target}", level) for target in TARGETS for level in ("-O0", "-O2")]
    return [" ".join(options) for options in choices if text(builds[0], program, options) != text(builds[1], program, options)]


def main(builds):
    programs = sorted(str(path.relative_to(ROOT)) for folder in ("examples", "tests/programs") for path in (ROOT / folder).rglob("*.wave"))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        for program, wrong in zip(programs, workers.map(lambda program: same(builds, program), programs)):
            failed += bool(wrong)
            if wrong:
                print(f"failed: {program}: {', '.join(wrong)}")
    print(f"same text: {len(programs) - failed} passed, {failed} failed")
    return 1 if failed or not programs else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main([str(pathlib.Path(build).resolve()) for build in sys.argv[1:]]))
