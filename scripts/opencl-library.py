#!/usr/bin/env python3
"""Compiles OpenCL's functions, src/opencl/library.cl, to SPIR-V and writes them as words of C: src/spirv/library.inc.

usage: opencl-library.py [--check]
  --check   writes nothing: fails if the file does not match the sources. If the compiler version that made it is installed, the file is
            made again and compared; other versions may generate other code, so then only the hash of the sources counts.

Debug information, such as the names of values, is left out; exported functions keep their names in LinkageAttributes.
"""

import hashlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = os.path.join(ROOT, "src", "opencl")
OUTPUT = os.path.join(ROOT, "src", "spirv", "library.inc")
FLAGS = "-x cl -cl-std=CL2.0 -target spirv32 -O2 -ffp-contract=off -c".split()
PER_LINE = 8

# OpSourceContinued, OpSource, OpSourceExtension, OpName, OpMemberName, OpString, OpLine, OpNoLine, OpModuleProcessed
DEBUG = {2, 3, 4, 5, 6, 7, 8, 317, 330}


def compiler():
    return os.environ.get("WAVE_CLANG") or shutil.which("clang-22")


def version_of(clang):
    """Only the number: distributions add their own words."""
    first = subprocess.run([clang, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    words = first.split()
    return words[words.index("version") + 1].split("-")[0].split("+")[0]


def hash_of_sources():
    """Hashes only the library's files: the folder may hold other headers."""
    total = hashlib.sha256()
    for name in sorted(n for n in os.listdir(SOURCES) if n.endswith((".cl", ".inc")) or n == "common.h"):
        with open(os.path.join(SOURCES, name), "rb") as file:
            total.update(name.encode() + b"\0" + file.read() + b"\0")
    return total.hexdigest()


def compile_words(clang):
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, "library.spv")
        subprocess.run([clang, *FLAGS, "library.cl", "-o", module], cwd=SOURCES, check=True)
        with open(module, "rb") as file:
            data = file.read()
    return list(struct.unpack("<%dI" % (len(data) // 4), data))


def without_debug(words):
    kept, at = words[:5], 5
    while at < len(words):
        count, opcode = words[at] >> 16, words[at] & 0xFFFF
        if opcode not in DEBUG:
            kept += words[at:at + count]
        at += count
    return kept


def text_of(words, version):
    lines = ["/* OpenCL's functions as a SPIR-V module. Made from src/opencl by \"make opencl-library\": do not edit.",
             " * clang %s, sources %s */" % (version, hash_of_sources())]
    for at in range(0, len(words), PER_LINE):
        lines.append(" ".join("0x%08X," % word for word in words[at:at + PER_LINE]))
    return "\n".join(lines) + "\n"


def check(clang):
    with open(OUTPUT, encoding="ascii") as file:
        text = file.read()
    made_by = text.split("\n")[1].split()[2].rstrip(",")
    if hash_of_sources() not in text.split("\n")[1]:
        return "src/opencl has changed since src/spirv/library.inc was made: run make opencl-library"
    if clang is None or version_of(clang) != made_by:
        print("opencl-library: sources unchanged; not compiled again, which needs clang %s" % made_by)
        return None
    if text_of(without_debug(compile_words(clang)), made_by) != text:
        return "clang %s makes another src/spirv/library.inc: run make opencl-library" % made_by
    print("opencl-library: clang %s gives the same %d words" % (made_by, text.count("0x")))
    return None


def main():
    clang = compiler()
    if sys.argv[1:] == ["--check"]:
        problem = check(clang)
        sys.exit("opencl-library: " + problem if problem else 0)
    if clang is None:
        sys.exit("opencl-library: clang-22 is not installed; install it (Debian: apt-get install clang-22) or name one in WAVE_CLANG")
    words = without_debug(compile_words(clang))
    with open(OUTPUT, "w", encoding="ascii") as file:
        file.write(text_of(words, version_of(clang)))
    print("opencl-library: %d words" % len(words))


if __name__ == "__main__":
    main()
