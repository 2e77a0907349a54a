#!/usr/bin/env python3
"""The first inputs of a long fuzz campaign: every test program and example in the form each target reads, as far as it is short
enough, minimised to those that reach something the others do not.

Usage: tests/fuzz/seeds.py [--build build/fuzz] [TARGET...]
Build the targets and the tools first (scripts/fuzz.sh smoke; make). The inputs go to BUILD/corpus, where the campaign goes on.
"""
import argparse
import glob
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import campaign  # noqa: E402, the folder above
TOOLS = os.path.join(ROOT, "build", "bin")
# The first byte of an input of a compile target: without and with optimisation, bounds, lines, fast arithmetic.
OPTIONS = (0, 1, 3, 5, 9, 0x37)
PASSES = (["-O0", "--dump-ir=build"], ["-O2", "--dump-ir=build"], ["-O2", "--dump-ir"])


def limit_of(target):
    found = [option for option in campaign.options_of(target) if option.startswith("-max_len=")]
    return int(found[0].split("=")[1])


def output_of(command):
    made = subprocess.run(command, capture_output=True, check=False)
    return made.stdout if made.returncode == 0 else b""


def forms(folder, path):
    """What one program is to each kind of target."""
    with open(path, "rb") as file:
        text = file.read()
    binary = os.path.join(folder, "kernel.wbin")
    yield "asm", text
    if subprocess.run([os.path.join(TOOLS, "wave-asm"), path, "-o", binary], capture_output=True, check=False).returncode != 0:
        return
    with open(binary, "rb") as file:
        bytes_of_it = file.read()
    yield "wbin", bytes_of_it
    for options in OPTIONS:
        yield "compile", bytes((options, 0)) + bytes_of_it
    for options in PASSES:
        yield "ir", output_of([os.path.join(TOOLS, "wavec"), "--target=ptx", *options, binary, "-o", "-"])


def kind_of(target):
    return "compile" if target in campaign.COMPILE else target[len("fuzz_"):]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "fuzz"))
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    targets = options.targets or ["fuzz_asm", "fuzz_wbin", "fuzz_ir", *campaign.COMPILE]
    paths = sorted(glob.glob(os.path.join(ROOT, "tests", "programs", "*", "*.wave")) +
                   glob.glob(os.path.join(ROOT, "examples", "**", "*.wave"), recursive=True))
    with tempfile.TemporaryDirectory() as folder:
        kinds = {kind_of(target): limit_of(target) for target in targets}
        for kind in kinds:
            os.mkdir(os.path.join(folder, kind))
        for number, path in enumerate(paths):
            for place, (kind, data) in enumerate(forms(folder, path)):
                if kind in kinds and 0 < len(data) <= kinds[kind]:
                    with open(os.path.join(folder, kind, "%d.%d" % (number, place)), "wb") as file:
                        file.write(data)
        for target in targets:
            corpus = os.path.join(options.build, "corpus", target)
            os.makedirs(corpus, exist_ok=True)
            all_of_it = os.path.join(folder, kind_of(target))
            subprocess.run([os.path.join(options.build, "tests", target), "-merge=1", corpus, all_of_it], capture_output=True,
                           check=True)
            print("seeds: %s: %d inputs, out of %d programs and what was there" %
                  (target, len(os.listdir(corpus)), len(os.listdir(all_of_it))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
