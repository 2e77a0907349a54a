#!/usr/bin/env python3
"""Kernels with the name of everything that the vendors' headers, tools and libraries declare: the compilers that read those
headers accept the texts, symbols differ from those that the C library exports, and ordinary names keep their spelling.
Usage: tests/tools/check_names.py [--build=DIR] [hip|sycl|msl|ptx|header|device]..."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

from vendor_headers import ROOT, SUFFIXES, Missing, library_symbols, readers, run, with_stems

CHUNK = 6000
ORDINARY = ("vector_add", "saxpy", "scale", "gemm_tiled", "histogram", "transpose", "softmax", "block_reduction", "matMul",
            "VectorAdd", "nbody", "scan_up", "k", "reduce2", "hip", "hippo", "clamp_all", "urn", "a_type")
# Code that uses helpers, local memory, wave operations and all parameters.
REAL = """    mov_sr r2, sr_lane_id
    mov_imm r3, 2
    shl r3, r2, r3
    local_store_u32 r3, r2
    barrier
    wave_reduce_add r4, r2
    imax r4, r4, r1
    idiv r4, r4, r2
    iadd r3, r0, r3
    atomic_cas r5, r3, r2, r4, .device
    device_store_u32 r3, r4
"""
# clang parses Metal's text as OpenCL C++: these are words of OpenCL, and names of our headers for that check. Metal has neither.
NOT_METAL = re.compile(r"pipe|read_only|read_write|write_only|(msl|MSL)_\w+")
# The body of a launcher costs a compiler much more time than its name.
SUBMIT = re.compile(r"    return queue\.submit\(.*?\n    \}\);\n", re.DOTALL)
GET = re.compile(r"    auto get\(.*?\n    \}\n", re.DOTALL)


def ptxas():
    status, path = run(["sh", os.path.join(ROOT, "scripts", "find-ptxas.sh")])
    if status != 0:
        raise Missing("ptxas is not installed")
    return path.strip()


def ptx_words():
    """The words in the ptxas binary, and the words that our own list reserves."""
    with open(ptxas(), "rb") as file:
        data = file.read()
    words = {w.decode() for w in re.findall(rb"(?<=[\0.])[A-Za-z_][A-Za-z0-9_]{0,30}(?=\0)", data)}
    with open(os.path.join(ROOT, "src", "emit", "names.c"), encoding="utf-8") as file:
        words |= set(re.findall(r'"(\w+)"', file.read()))
    return words


def words_of(target):
    if target == "ptx":
        words = ptx_words()
    else:
        words = set()
        for reader in readers(target):
            words |= reader.identifiers()
    if target == "hip":
        words |= library_symbols()
    if target == "msl":
        words = {word for word in words if not NOT_METAL.fullmatch(word)}
    return sorted(with_stems(words))


def families():
    """Kernels next to kernels whose names collide with their auxiliary names, in both orders."""
    names = [stem + end for stem in ("f", "cl", "sqrt", "x_mem") for end in ("", *SUFFIXES, "_SYMBOL", "_ARG_WORDS")]
    return sorted({*names, *(name + "_args" for name in names), *(name + "_mem" for name in names)}) + ["z_args", "z", "y_mem", "y"]


class Check:
    def __init__(self, build, folder):
        self.build = build
        self.folder = folder
        self.failed = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def fail(self, text):
        print("FAILED: " + text)
        self.failed += 1

    def tool(self, name, *arguments):
        result = subprocess.run([os.path.join(self.build, "bin", name), *arguments], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, check=False)
        if result.returncode != 0:
            raise SystemExit("%s: %s" % (name, result.stderr.decode(errors="replace")[:1000]))
        return result.stdout.decode()

    def compile(self, target, names, code="    device_store_u32 r0, r1\n"):
        """The text with one kernel per name, and the symbols by name."""
        with open(self.path("k.wave"), "w", encoding="utf-8") as file:
            for name in names:
                file.write('.kernel "%s"\n.registers 8\n.workgroup_size 64, 1, 1\n%s    halt\n.end\n' % (name, code))
        self.tool("wave-asm", self.path("k.wave"), "-o", self.path("k.wbin"))
        self.tool("wavec", "--target=" + target, self.path("k.wbin"), "-o", self.path("k.out"))
        about = json.loads(self.tool("wavec", "--target=" + target, "--reflect", self.path("k.wbin")))
        with open(self.path("k.out"), encoding="utf-8") as file:
            return file.read(), {k["name"]: k["symbol"] for k in about["kernels"]}

    def read(self, target, text, names):
        """Passes the text to the vendor's compiler; returns the kernels that it rejects."""
        if target == "ptx":
            with open(self.path("k.ptx"), "w", encoding="utf-8") as file:
                file.write(text)
            status, output = run([ptxas(), "-arch=sm_75", "-O0", self.path("k.ptx"), "-o", self.path("k.cubin")])
            bad = {int(n) for n in re.findall(r"line (\d+); (?:error|fatal)", output)}
            if status != 0 and not bad:
                self.fail("ptxas ends with %d: %s" % (status, output[:300]))
            self.tell(target, text, names, bad)
            return
        text = GET.sub("", SUBMIT.sub("    return {};\n", text))
        for reader in readers(target):
            self.tell(target, text, names, reader.errors(text))

    def tell(self, target, text, names, bad):
        kernel, kernels = 0, set()
        for number, line in enumerate(text.splitlines(), 1):
            kernel += line == "//   workgroup: 64 x 1 x 1 threads"
            if number in bad and kernel:
                kernels.add(names[kernel - 1])
            elif number in bad:
                self.fail("%s: the top of the file: %s" % (target, line))
        if kernels:
            self.fail("%s refuses %u kernels: %s" % (target, len(kernels), " ".join(sorted(kernels)[:60])))

    def target(self, target):
        begin = time.monotonic()
        words = words_of(target)
        exported = library_symbols() if target == "hip" else set()
        for first in range(0, len(words), CHUNK):
            names = words[first:first + CHUNK]
            text, symbols = self.compile(target, names)
            taken = {name for name in names if symbols[name] in exported}
            if taken:
                self.fail("symbols that the C library exports: " + " ".join(sorted(taken)[:60]))
            if len(set(symbols.values())) != len(names):
                self.fail("two kernels have one symbol")
            self.read(target, text, names)
        text, symbols = self.compile(target, families(), REAL)
        if len(set(symbols.values())) != len(families()):
            self.fail("two kernels have one symbol")
        self.read(target, text, families())
        symbols = self.compile(target, ORDINARY)[1]
        for name in ORDINARY:
            if symbols[name] != name:
                self.fail("%s: %s became %s" % (target, name, symbols[name]))
        print("%s: %u names (%.0f s)" % (target, len(words), time.monotonic() - begin))

    def device(self):
        """The runtime finds kernels by the symbols that reflection returns: on Intel's CPU device, compared with the
        emulator."""
        status, root = run(["sh", os.path.join(ROOT, "scripts", "find-sycl.sh"), "--cpu"])
        if status != 0 or not os.path.exists(os.path.join(self.build, "lib", "wave", "libwave_rt_sycl.so")):
            raise Missing("Intel's SYCL run time or the plug-in for it (make plugins) is not installed")
        library = os.path.join(root.strip(), "lib")
        os.environ.update(OCL_ICD_FILENAMES=os.path.join(library, "libintelocl.so"), OCL_ICD_VENDORS="/none",
                          LD_LIBRARY_PATH=library, WAVE_CACHE_DIR=self.path("cache"))
        names = ("sqrt", "NULL", "errno", "linux", "float4", "main", "f", "f_args", "f_kernel", "_x", "cl", "na\u00efve")
        self.compile("sycl", names, REAL)
        for name in names:
            launch = [self.path("k.wbin"), "-k", name, "-b", "o:u32:64", "-s", "7", "-p", "o:hex"]
            first = self.tool("wave-run", "-d", "emu", "--wave-width=32", *launch)
            if self.tool("wave-run", "-d", "sycl:cpu", "--wave-width=32", *launch) != first or not first:
                self.fail("%s does not give the same on Intel's device" % name)
        print("device: %u names" % len(names))

    def header(self):
        """The header for host code, in C and in C++, after the headers that host code includes."""
        reader = readers("hip")[1]
        words = words_of("hip")
        self.compile("hip", words)
        self.tool("wavec", "--target=hip", "--header", self.path("k.wbin"), "-o", self.path("k.h"))
        c_top = "".join("#include <%s.h>\n" % n for n in "errno math signal stdint stdio stdlib string time".split())
        hip_top = "#include <hip/hip_runtime.h>\n"
        c_compiler = [os.environ.get("CC", "cc"), "-x", "c", "-std=gnu11", "-w", "-fsyntax-only"]
        for command, top in ((c_compiler, c_top), (reader.command, hip_top)):
            status, output = run([*command, "-"], top + '#include "%s"\n' % self.path("k.h"))
            if status != 0:
                self.fail("--header: " + output[:1000])
        print("header: %u names" % len(words))


def main(arguments):
    build = os.path.join(ROOT, "build")
    wanted = []
    for argument in arguments:
        if argument.startswith("--build="):
            build = os.path.abspath(argument[len("--build="):])
        else:
            wanted.append(argument)
    missing = 0
    with tempfile.TemporaryDirectory() as folder:
        check = Check(build, folder)
        for target in wanted or ("hip", "sycl", "msl", "ptx", "header", "device"):
            try:
                if target in ("header", "device"):
                    getattr(check, target)()
                else:
                    check.target(target)
            except Missing as reason:
                print("%s: left out: %s" % (target, reason))
                missing += 1
    return 1 if check.failed or (missing and os.environ.get("CI") == "true") else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
