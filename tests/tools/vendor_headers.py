"""The declarations of the vendors' headers: every identifier in them, and a way to check a target's text with the
compiler that reads those headers. Used by check_names.py and vendor_names.py."""

import os
import re
import subprocess

from hip_compile import Missing, find_clang

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Suffixes of the auxiliary names that accompany a kernel.
SUFFIXES = ("_args", "_state", "_body", "_kernel", "_launch", "_local", "_mem", "_size", "_part1")
LIBRARIES = ("libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libamdhip64.so")


def run(command, text=None):
    """The exit status and all output."""
    data = None if text is None else text.encode()
    result = subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return result.returncode, result.stdout.decode(errors="replace")


def with_stems(words):
    """Adds the names of kernels whose auxiliary names would be one of the words."""
    stems = {word[:-len(end)] for word in words for end in SUFFIXES if word.endswith(end)}
    return words | {stem for stem in stems if WORD.fullmatch(stem)}


class Reader:
    """A compiler with its flags, and the lines at the top of its texts."""

    def __init__(self, command, headers):
        self.command = command
        self.headers = headers

    def preprocess(self, *mode):
        top = "".join("#include <%s>\n" % name for name in self.headers)
        command = [word for word in self.command if word != "-fsyntax-only"]
        result = subprocess.run([*command, "-E", *mode, "-"], input=top.encode(), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, check=False)
        if result.returncode != 0:
            raise Missing("the headers are not usable: " + result.stderr.decode(errors="replace")[:200])
        return result.stdout.decode(errors="replace")

    def macros(self):
        return set(re.findall(r"^#define (\w+)", self.preprocess("-dM"), re.MULTILINE))

    def identifiers(self):
        """Every word of the preprocessed headers, and every word of their macros."""
        return set(WORD.findall(self.preprocess("-P"))) | set(WORD.findall(self.preprocess("-dM")))

    def errors(self, text):
        """The numbers of the lines that the compiler's messages name."""
        status, output = run([*self.command, "-ferror-limit=0", "-fno-caret-diagnostics", "-"], text)
        lines = {int(n) for n in re.findall(r"<stdin>:(\d+):\d+: (?:fatal )?error", output)}
        if status != 0 and not lines:
            raise Missing("the compiler fails: " + output[:400])
        return lines


def readers(target):
    """The ways in which a target's text is compiled: device and host, or the only one."""
    clang = find_clang()
    if target == "hip":
        hip = [clang, "-x", "hip", "--offload-arch=gfx942", "-nogpulib", "-std=gnu++17", "-w", "-fsyntax-only"]
        headers = ("hip/hip_runtime.h", "hip/hip_fp16.h", "stdint.h")
        return [Reader([*hip, "--cuda-device-only"], headers), Reader([*hip, "--cuda-host-only"], headers)]
    if target == "sycl":
        status, text = run(["sh", os.path.join(ROOT, "scripts", "find-sycl.sh")])
        if status != 0:
            raise Missing("Intel's SYCL run time is not installed")
        sycl = [clang, "-x", "c++", "-std=gnu++17", "-w", "-fsyntax-only", "-I" + os.path.join(text.strip(), "include")]
        headers = ("stdint.h", "sycl/sycl.hpp")
        return [Reader(sycl, headers), Reader([*sycl, "-DWAVE_SYCL_RTC"], headers)]
    folder = os.path.join(ROOT, "tests", "msl")
    with open(os.path.join(folder, "clang-flags.txt"), encoding="utf-8") as file:
        flags = [word for line in file if not line.startswith("#") for word in line.split()]
    flags = [word for word in flags if word not in ("-Wall", "-Wextra", "-Werror")]
    return [Reader([clang, *flags, "-w", "-D__METAL_VERSION__=320", "-I" + os.path.join(folder, "include")], ("metal_stdlib",))]


def library_symbols():
    """The exported names of the C library and related ones: a HIP kernel is also a global symbol of the host
    program."""
    words = set()
    for name in LIBRARIES:
        status, path = run([os.environ.get("CC", "cc"), "-print-file-name=" + name])
        if status != 0 or not os.path.isabs(path.strip()):
            continue
        output = run(["nm", "-D", "--defined-only", path.strip()])[1]
        for line in output.splitlines():
            word = line.split()[-1].split("@")[0] if line.split() else ""
            if WORD.fullmatch(word):
                words.add(word)
    return words
