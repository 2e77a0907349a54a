#!/usr/bin/env python3
"""Writes the OpenCL C test kernels next to this file; `--check` only reports which are stale.

Each module contains kernels next to the calculation of their expected memory, which never runs our tools or an
OpenCL implementation. The output is deterministic.
"""
import os
import sys

import control
import conversions
import floats
import integers
import kernels
import math_functions
import memory
import real_programs
import together
import vectors

MODULES = (integers, floats, conversions, math_functions, vectors, control, memory, together, real_programs)
HERE = os.path.dirname(os.path.abspath(__file__))


def is_current(path, text):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read() == text
    except FileNotFoundError:
        return False


def main(arguments):
    if arguments not in ([], ["--check"]):
        print("usage: generate.py [--check]", file=sys.stderr)
        return 2
    files = kernels.Files()
    for module in MODULES:
        module.add(files)
    stale = []
    for name, text in sorted(files.programs.items()):
        path = os.path.join(HERE, *name.split("/"))
        if is_current(path, text):
            continue
        stale.append(name)
        if not arguments:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    for name in stale:
        print(("stale: " if arguments else "wrote: ") + name)
    print(f"{len(files.programs)} OpenCL kernels, {len(stale)} {'stale' if arguments else 'written'}")
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
