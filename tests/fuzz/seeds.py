#!/usr/bin/env python3
"""The first inputs of a long fuzz campaign: every test program and example, every instruction, random programs and the texts
of the unit tests, in the form that each target reads. Those that are too long are left out, and the rest is minimised to inputs
that reach something that the others do not.

Usage: tests/fuzz/seeds.py [--build build/fuzz] [TARGET...]
Build the targets and the tools first (scripts/fuzz.sh smoke; make all build/tests/wave-gen). The inputs go to BUILD/corpus,
where the campaign continues.
"""
import argparse
import glob
import itertools
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import campaign  # noqa: E402, the folder above
import corpus  # noqa: E402
TOOLS = os.path.join(ROOT, "build", "bin")
# The first byte of an input of a compile target: without and with optimisation, bounds, lines, fast arithmetic.
OPTIONS = (0, 1, 3, 5, 9, 0x37)
# The start of an input of the emulator: options; lanes, workgroup and grid; options, seed, local and device memory; registers.
# The code follows unchanged.
LAUNCHES = [bytes((1 | flags, width, 8, 1, group, 2, 1, options, 1, 255, 255, 0, 64, 128, 192, 8, 0, 32, 96))
            for flags, width, group, options in ((0x38, 4, 1, 0), (0x08, 32, 8, 1), (0x20, 64, 3, 6), (0x18, 8, 2, 9))]
# Random programs of a few features each, short enough for every target: most programs with the default settings are too long.
RANDOM = 4000
CONTROL = ("if", "else", "endif", "loop", "endloop", "break", "continue", "call", "return", "halt")
# IR as it is built, and after the passes that introduce new operations.
PASSES = [["--target=ptx", "-O0", "--dump-ir=build"], ["--target=ptx", "-O0", "--dump-ir"],
          ["--target=hip", "-O2", "--bounds", "--dump-ir"], ["--target=sycl", "-O2", "--wave-width=8", "--dump-ir=math"]]
PASSES += [["--target=ptx", "-O2", "--dump-ir=" + name]
           for name in ("number", "convergence", "mma", "math", "bits-2", "unroll", "select", "types", "private", "address", "wide")]


def limit_of(target):
    found = [option for option in campaign.options_of(target) if option.startswith("-max_len=")]
    return int(found[0].split("=")[1])


def output_of(command):
    made = subprocess.run(command, capture_output=True, check=False)
    return made.stdout if made.returncode == 0 else b""


def forms(folder, path, kinds):
    """The form of one program for each kind of target; IR, which takes longest, only for those that read
    it."""
    with open(path, "rb") as file:
        text = file.read()
    binary = os.path.join(folder, "kernel.wbin")
    yield "asm", text
    if subprocess.run([os.path.join(TOOLS, "wave-asm"), path, "-o", binary], capture_output=True, check=False).returncode != 0:
        return
    with open(binary, "rb") as file:
        bytes_of_it = file.read()
    yield "wbin", bytes_of_it
    at, size = struct.unpack_from("<2I", bytes_of_it, 8)
    for launch in LAUNCHES:
        yield "emu", launch + bytes_of_it[at:at + size]
    for options in OPTIONS:
        yield "compile", bytes((options, 0)) + bytes_of_it
    for options in PASSES if "ir" in kinds else ():
        yield "ir", output_of([os.path.join(TOOLS, "wavec"), *options, binary, "-o", "-"])


def every_instruction(folder, paths):
    """Kernels that together contain every instruction of the programs in few registers: plain, guarded and in an if."""
    kinds = {}
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                found = re.match(r" *(?:@!?p\d )? *([a-z][a-z0-9_.]*(?: [^;#]*)?)", line)
                if found and found.group(1).split()[0] not in CONTROL:
                    kinds.setdefault(found.group(1).split()[0],
                                     re.sub(r"\br(\d+)", lambda name: "r%d" % (1 + int(name.group(1)) % 5), found.group(1).strip()))
    lines = [kinds[name] for name in sorted(kinds) if assembles(folder, [kinds[name]])]
    for start in range(0, len(lines), 20):
        part = lines[start:start + 20]
        for number, form in enumerate((part, ["@p1 " + line for line in part], ["@!p1 " + line for line in part],
                                       ["if p1"] + part + ["else"] + part[::2] + ["endif"])):
            taken = [line for line in form if not line.startswith("@") or assembles(folder, [line])]
            yield write_kernel(os.path.join(folder, "every.%d.%d.wave" % (start, number)), taken)


def random_programs(folder):
    generator = os.path.join(ROOT, "build", "tests", "wave-gen")
    known = re.findall(r"^  --(\w+) +\S.*\(\d+\)$", output_of([generator, "--help"]).decode(), re.MULTILINE)
    names = [name for name in known if name not in ("seed", "deep", "path")]
    draw = random.Random(1)
    for seed in range(1, RANDOM + 1):
        path = os.path.join(folder, "random.%d.wave" % seed)
        chosen = draw.sample(names, draw.choice((1, 2, 3, 4, 6)))
        features = ["--%s=%d" % (name, 100 if name in chosen else 0) for name in names]
        size = draw.choice((4, 6, 10, 15, 25))
        with open(path, "wb") as file:
            file.write(output_of([generator, "--seed=%d" % seed, "--size=%d" % size, *features]))
        yield path


def write_kernel(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([".kernel k", "mov_sr r7, sr_lane_id", "icmp_lt p1, r7, r5", *lines, "halt", ".end", ""]))
    return path


def assembles(folder, lines):
    path = write_kernel(os.path.join(folder, "try.wave"), lines)
    return subprocess.run([os.path.join(TOOLS, "wave-asm"), path, "-o", path + ".wbin"], capture_output=True,
                          check=False).returncode == 0


def texts_of_tests():
    """Texts that the unit tests give to the assembler and to the IR parser: those with errors occur nowhere else."""
    for kind, pattern in (("asm", "test_asm*.c"), ("asm", "test_d*.c"), ("ir", "test_ir_*.c")):
        for path in sorted(glob.glob(os.path.join(ROOT, "tests", "unit", pattern))):
            with open(path, encoding="utf-8") as file:
                literals = re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', file.read())
            for literal in literals:
                body = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', literal))
                text = re.sub(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", unescape, body)
                yield kind, text.encode("latin-1", "replace")
                if kind == "asm":
                    yield kind, b".kernel k\n" + text.encode("latin-1", "replace") + b"\nhalt\n.end\n"


def unescape(match):
    code = match.group(1)
    if code[0] == "x" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0].isdigit():
        return chr(int(code, 8) & 255)
    return {"n": "\n", "t": "\t", "r": "\r"}.get(code, code)


def kind_of(target):
    return "compile" if target in corpus.COMPILE else target[len("fuzz_"):]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "fuzz"))
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    targets = options.targets or ["fuzz_asm", "fuzz_wbin", "fuzz_emu", "fuzz_ir", *corpus.COMPILE]
    paths = sorted(glob.glob(os.path.join(ROOT, "tests", "programs", "**", "*.wave"), recursive=True) +
                   glob.glob(os.path.join(ROOT, "tests", "seeds", "*.wave")) +
                   glob.glob(os.path.join(ROOT, "examples", "**", "*.wave"), recursive=True))
    with tempfile.TemporaryDirectory() as folder:
        kinds = {kind_of(target): limit_of(target) for target in targets}
        for kind in kinds:
            os.mkdir(os.path.join(folder, kind))
        for number, path in enumerate(itertools.chain(paths, every_instruction(folder, paths), random_programs(folder))):
            for place, (kind, data) in enumerate(forms(folder, path, kinds)):
                if kind in kinds and 0 < len(data) <= kinds[kind]:
                    with open(os.path.join(folder, kind, "%d.%d" % (number, place)), "wb") as file:
                        file.write(data)
        for number, (kind, data) in enumerate(texts_of_tests()):
            if kind in kinds and 0 < len(data) <= kinds[kind]:
                with open(os.path.join(folder, kind, "text.%d" % number), "wb") as file:
                    file.write(data)
        for target in targets:
            kept = os.path.join(options.build, "corpus", target)
            os.makedirs(kept, exist_ok=True)
            all_of_it = os.path.join(folder, kind_of(target))
            subprocess.run([os.path.join(options.build, "tests", target), "-merge=1", kept, all_of_it], capture_output=True,
                           check=True)
            print("seeds: %s: %d inputs, chosen from %d new ones and those already there" %
                  (target, len(os.listdir(kept)), len(os.listdir(all_of_it))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
