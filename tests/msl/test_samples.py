#!/usr/bin/env python3
"""Tests the strict check of Metal sources: every file of accept/ must pass both tools, and every section of
reject.txt must be rejected by the tool it names, for the reason it names and no other.

Usage: test_samples.py CLANG SCRATCH
"""
import contextlib
import io
import os
import subprocess
import sys

import check_msl

HERE = os.path.dirname(os.path.abspath(__file__))
NUMBERS = {"3.0": "300", "3.1": "310", "3.2": "320"}


def clang_flags(version):
    """The words of clang-flags.txt, and the flags that depend on the version."""
    with open(os.path.join(HERE, "clang-flags.txt"), encoding="utf-8") as file:
        words = [word for line in file if not line.startswith("#") for word in line.split()]
    return words + ["-I", os.path.join(HERE, "include"), f"-D__METAL_VERSION__={NUMBERS[version]}"]


def run_clang(clang, path, version):
    done = subprocess.run([clang] + clang_flags(version) + [path], capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if "error:" in line or "warning:" in line]
    return done.returncode, said


def run_checker(path, version, *options):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = check_msl.main([f"--std={version}", *options, path])
    return status, said.getvalue().splitlines()


def sections():
    with open(os.path.join(HERE, "reject.txt"), encoding="utf-8") as file:
        for part in file.read().split("\n=== ")[1:]:
            head, _, body = part.partition("\n")
            tool, version, reason = head.split(" ", 2)
            yield tool, version, reason, body


def run(clang, scratch):
    """How many samples passed and failed."""
    passed, failed = 0, 0
    os.makedirs(scratch, exist_ok=True)

    def count(good, name, said):
        nonlocal passed, failed
        passed += good
        failed += not good
        if not good:
            print(f"FAILED: {name}")
            print("\n".join("    " + line for line in said))

    for name in sorted(os.listdir(os.path.join(HERE, "accept"))):
        path = os.path.join(HERE, "accept", name)
        versions = ("3.2",) if "-3.2" in name else ("3.0", "3.1", "3.2")
        for version in versions:
            status, said = run_clang(clang, path, version)
            count(status == 0 and not said, f"clang rejects {name} as Metal {version}", said)
            status, said = run_checker(path, version, "--output")
            count(status == 0 and not said, f"the checker rejects {name} as Metal {version}", said)
    for number, (tool, version, reason, body) in enumerate(sections()):
        path = os.path.join(scratch, f"reject{number}.metal")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#include <metal_stdlib>\nusing namespace metal;\n" + body)
        if tool == "clang":
            status, said = run_clang(clang, path, version)
        else:
            status, said = run_checker(path, version, *(["--output"] if tool == "output" else []))
        good = status == 1 and bool(said) and all(reason in line for line in said)
        count(good, f"{tool} on section {number + 1} of reject.txt, which expects '{reason}'", [f"exit status {status}"] + said)
    return passed, failed


if __name__ == "__main__":
    good, bad = run(sys.argv[1], sys.argv[2])
    print(f"tests/msl: {good} passed, {bad} failed")
    sys.exit(bad != 0)
