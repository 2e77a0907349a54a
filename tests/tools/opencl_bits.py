#!/usr/bin/env python3
"""OpenCL kernels whose tests allow an error produce the same bits on the emulator and on every target.

usage: opencl_bits.py BUILD FILE.cl...

Each kernel becomes assembly (wave-cc -S). The emulator's contents of a buffer with "expect … ulp N" replace the expected values; then every harness
must produce exactly these. As everywhere, only the encoding of a NaN may differ.
"""

import os
import re
import subprocess
import sys
import tempfile

HARNESSES = [("ptx", ["wave-ptx-test"]), ("hip", ["wave-simt-test", "--target=hip", "--arch=gfx1100"]), ("msl", ["wave-simt-test", "--target=msl"]),
             ("sycl", ["wave-simt-test", "--target=sycl"])]
BUFFER = re.compile(r"//@ buffer +(\w+) ([a-z]+)(\d+) (\d+)")
EXPECT = re.compile(r"//@ expect +(\w+) ulp \d+ = ")


def places(lines):
    """Offset and number of elements of every buffer, by the rule of the test format."""
    found, end = {}, 1  # in OpenCL C no buffer is at 0
    for line in lines:
        match = BUFFER.match(line)
        if match:
            start = (end + 255) // 256 * 256
            found[match[1]] = (start, int(match[4]))
            end = start + int(match[3]) // 8 * int(match[4])
    return found


def emulated(emulator, path, place):
    run = subprocess.run([emulator, "--test", path, "--dump-u32=%d:%d" % place], capture_output=True, text=True)
    values = [int(word, 0) for word in re.findall(r"^(?:0x[0-9A-Fa-f]+|\d+)", run.stdout, re.M)]
    if len(values) != place[1]:
        sys.exit("opencl_bits: %s: the emulator printed %d values of %d\n%s" % (path, len(values), place[1], run.stderr))
    return values


def with_bits(emulator, path):
    """The test with exact values instead of tolerances; None if it has no tolerances."""
    with open(path, encoding="ascii") as file:
        lines = file.read().split("\n")
    buffers, text, inexact, skip = places(lines), [], False, False
    for line in lines:
        match = EXPECT.match(line)
        skip = bool(match) or (skip and line.startswith("//@ + "))
        if match:
            values = emulated(emulator, path, buffers[match[1]])
            text.append("//@ expect  %s f32 = %s" % (match[1], " ".join("0x%08X" % v for v in values)))
            inexact = True
        elif not skip:
            text.append(line)
    return "\n".join(text) if inexact else None


def main():
    build, sources = sys.argv[1], sys.argv[2:]
    tool = lambda name: os.path.join(build, "bin", name)
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        tests = []
        for source in sources:
            path = os.path.join(folder, os.path.basename(source)[:-3] + ".wave")
            subprocess.run([tool("wave-cc"), "-S", source, "-o", path], check=True)
            text = with_bits(tool("wave-emu"), path)
            if text:
                with open(path, "w", encoding="ascii") as file:
                    file.write(text)
                tests.append(path)
        for name, command in HARNESSES:
            run = subprocess.run([os.path.join(build, "tests", command[0]), *command[1:], *tests], capture_output=True, text=True)
            print(run.stdout[-4000:] if run.returncode else run.stdout.strip().split("\n")[-1])
            if run.returncode:
                failed.append(name)
    if not tests:
        sys.exit("opencl_bits: no test was run")
    if failed:
        sys.exit("opencl_bits: bits that differ from the emulator's: " + ", ".join(failed))
    print("opencl_bits: %d kernels, the emulator's bits on %d targets" % (len(tests), len(HARNESSES)))


if __name__ == "__main__":
    main()
