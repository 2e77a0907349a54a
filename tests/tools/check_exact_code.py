#!/usr/bin/env python3
"""Reads the machine code of kernels whose results depend on every rounding in their text (exact_shapes.py).

Usage: check_exact_code.py [BUILD] [hip|ptx]...
Each shape is compiled by wavec with -O0 and -O2, then by the vendor's compiler with the options that users pass. Every
operation of the shape must be present with its rounding, none may be fused unless the shape fuses it, and denormals
must be kept. A tool chain that is not installed is skipped, unless CI is true. Exit status 1 when a shape is wrong.
"""

import os
import re
import subprocess
import sys
import tempfile

import exact_shapes
import hip_compile

ROOT = hip_compile.ROOT
CHIPS = ("gfx942", "gfx90a", "gfx1030", "gfx1100")
SMS = ("sm_75", "sm_80", "sm_90", "sm_120")

# LLVM computes these in f32: with 53 bits, two more than twice 24, a second rounding never changes the result
# (Figueroa, "When is double rounding innocuous?"). It also omits a product by 1 or -1, which rounds nothing.
PROVED = {"dadd_of_f32_to_f32", "dmul_of_f32_to_f32", "ddiv_of_f32_to_f32", "times_one", "times_minus_one"}

# The expected machine instruction for each instruction of WAVE, by target.
AMD = {
    "fadd": r"v_(dual_|pk_)?(add|sub|subrev)_f32", "fsub": r"v_(dual_|pk_)?(add|sub|subrev)_f32",
    "fmul": r"v_(dual_|pk_)?mul_f32", "fma": r"v_(dual_)?fma(c|mk|ak)?_f32|v_fma_mix_f32",
    "fdiv": r"v_div_fixup_f32", "frcp": r"v_div_fixup_f32", "fsqrt": r"v_(sqrt|rsq)_f32",
    "fmin": r"v_(dual_)?min_f(32|16)", "fmax": r"v_(dual_)?max_f(32|16)",
    "cvt_f16_f32": r"v_cvt_f16_f32", "cvt_f32_f64": r"v_cvt_f32_f64", "cvt_f64_f32": r"v_cvt_f64_f32",
    "cvt_f32_i32": r"v_cvt_f32_i32", "cvt_f32_u32": r"v_cvt_f32_u32",
    "hadd": r"v_(pk_)?(add|sub|subrev)_f16", "hsub": r"v_(pk_)?(add|sub|subrev)_f16", "hmul": r"v_(pk_)?mul_f16",
    "hma": r"v_(pk_)?fmac?_f16", "hadd2": r"v_pk_add_f16", "hmul2": r"v_pk_mul_f16", "hma2": r"v_pk_fma_f16",
    "badd": r"v_(dual_)?add_f32", "bmul": r"v_(dual_)?mul_f32", "bma": r"v_(dual_)?fma(c|mk|ak)?_f32",
    "dadd": r"v_add_f64", "dmul": r"v_mul_f64", "ddiv": r"v_div_fixup_f64", "dma": r"v_fmac?_f64",
}
NVIDIA = {
    "fadd": r"FADD", "fsub": r"FADD", "fmul": r"FMUL", "fma": r"FFMA", "fdiv": r"MUFU\.RCP|FMUL", "frcp": r"MUFU\.RCP",
    "fsqrt": r"MUFU\.RSQ", "fmin": r"FMNMX3?", "fmax": r"FMNMX3?", "cvt_f16_f32": r"F2FP?\.F16\.F32|F2FP\.PACK_AB",
    "cvt_f32_f64": r"F2F\.F32\.F64", "cvt_f64_f32": r"F2F\.F64\.F32", "cvt_f32_i32": r"I2FP?(\.F32)?(\.S32)?",
    "cvt_f32_u32": r"I2FP?(\.F32)?\.U32", "hadd": r"HADD2 ", "hsub": r"HADD2 ", "hmul": r"HMUL2 ", "hma": r"HFMA2",
    "hadd2": r"HADD2 |HFMA2\S* \S+ \S+ 1, 1, ", "hmul2": r"HMUL2 |HFMA2\S* .*-RZ$", "hma2": r"HFMA2",
    "badd": r"FADD", "bmul": r"FMUL", "bma": r"FFMA", "dadd": r"DADD", "dmul": r"DMUL", "ddiv": r"MUFU\.RCP64H",
    "dma": r"DFMA",
}
# A product by 2 may be a sum, and a quotient by 2 is a product.
ALTERNATIVES = {("twice", "fmul"): (AMD["fadd"], NVIDIA["fadd"]), ("divided_by_two", "fdiv"): (AMD["fmul"], NVIDIA["fmul"])}


def instructions_of(code):
    return [line.split()[1] if line.strip().startswith("@") else line.split()[0] for line in code.splitlines() if line.strip()]


def missing(name, words, lines, table):
    """The instructions of which the code has fewer than the shape."""
    if name in PROVED:
        return
    which = 0 if table is AMD else 1
    for word in sorted(set(words)):
        pattern = table.get(word)
        for (start, instruction), other in ALTERNATIVES.items():
            if name.startswith(start) and instruction == word:
                pattern = pattern + "|" + other[which]
        # an unused side of a choice may be removed, and min and max of f16 need no widening
        if pattern and sum(bool(re.search(pattern, line)) for line in lines) < words.count(word):
            yield "has too few of " + word


WIDE = {"ldiv", "lmod", "ludiv", "lumod", "cvt_i64_f32", "cvt_u64_f32", "cvt_i64_f64", "cvt_u64_f64"}  # their expansions by compilers
FUSED32, FUSED16, FUSED64 = ({"fma", "bma", "fdiv", "frcp", "fsqrt", "ddiv"} | WIDE, {"hma", "hma2"}, {"dma", "ddiv"} | WIDE)


def wrong_amd(words, lines):
    never = [r"v_fma_mix(lo|hi)", r"v_mad_mix", r"_(rcp|rsq|sqrt)_f16", r"cvt_pk_?rtz", r"v_ma[dc]_(legacy_)?f(16|32)",
             r"\b(mul:[24]|div:2)\b"]
    if not FUSED32 & set(words):
        never.append(r"v_(dual_|pk_)?fma\w*_f32")
    if not FUSED16 & set(words):
        never.append(r"v_(pk_)?fma\w*_f16")
    if not FUSED64 & set(words):
        never.append(r"v_fma\w*_f64")
    for line in lines:
        if any(re.search(pattern, line) for pattern in never):
            yield "has " + line


def wrong_nvidia(words, lines):
    # the subroutines of division and square root scale, and may fuse and flush
    if not {"fdiv", "frcp", "fsqrt", "ddiv"} & set(words):
        for line in lines:
            if ".FTZ" in line or (line.startswith("FFMA") and not FUSED32 & set(words)):
                yield "has " + line
            if line.startswith("DFMA") and not FUSED64 & set(words):
                yield "has " + line
    for line in lines:
        # a constant, a product and a sum may be written as HFMA2
        plain = re.search(r"HFMA2\S* \S+ -RZ, RZ, |HFMA2\S* \S+ \S+ 1, 1, |-RZ$", line)
        if line.startswith("HFMA2") and not plain and not FUSED16 & set(words):
            yield "has " + line


# ---- Compiling ----

def call(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = result.stdout.decode(errors="replace")
    if result.returncode != 0:
        sys.exit("check_exact_code: %s:\n%s" % (" ".join(command), text[-2000:]))
    return text


class Chain:
    """One target: name, architectures, assembly of a text, and the checks of a kernel's lines."""

    def __init__(self, folder, wavec):
        self.folder, self.wavec = folder, wavec

    def emit(self, target, arch, level):
        path = os.path.join(self.folder, "shapes.wave")
        out = os.path.join(self.folder, "shapes." + target)
        with open(path, "w", encoding="utf-8") as file:
            file.write(exact_shapes.all_sources())
        call([self.wavec, "--target=" + target, "--arch=" + arch, level, path, "-o", out])
        return out


class Hip(Chain):
    name, archs, table = "hip", CHIPS, AMD

    def find(self):
        self.clang = hip_compile.find_clang()

    def kernels(self, arch, level):
        path = self.emit("hip", arch, level)
        with open(path, encoding="utf-8") as file:
            flags = re.search(r"// Compile with hipcc --offload-arch=\S+ (.*)", file.read()).group(1).split()
        text = call([self.clang, "-x", "hip", "--offload-arch=" + arch, "--cuda-device-only", "-nogpulib", *flags, "-S",
                     path, "-o", "-"])
        for name in re.findall(r"^(\w+):\s*; @", text, re.M):
            body = re.search(r"^%s:(.*?)^\.Lfunc_end" % name, text, re.M | re.S).group(1)
            # a pair counts as two instructions
            lines = [part.strip() for line in body.splitlines() if re.match(r"\s+v_", line) for part in line.split("::")]
            settings = re.search(r"\.amdhsa_kernel %s\n(.*?)\.end_amdhsa_kernel" % name, text, re.S).group(1)
            yield name, lines, [word for word in (".amdhsa_float_denorm_mode_32 3", ".amdhsa_float_denorm_mode_16_64 3",
                                                  ".amdhsa_float_round_mode_32 0", ".amdhsa_float_round_mode_16_64 0",
                                                  ".amdhsa_ieee_mode 1") if word not in settings]

    def wrong(self, name, words, lines):
        yield from wrong_amd(words, lines)
        # in IEEE mode v_min and v_max return NaN for a signalling NaN: both operands are quieted first
        if name in ("fmin_of_loads", "fmax_of_loads"):
            quiet = sum(bool(re.match(r"v_(dual_)?max_f32\S* (v\d+), (v\d+), \3$", line)) for line in lines)
            if quiet < 2:
                yield "does not make its operands quiet"


class Ptx(Chain):
    name, archs, table = "ptx", SMS, NVIDIA

    def find(self):
        status, self.ptxas = hip_compile.run(["sh", os.path.join(ROOT, "scripts", "find-ptxas.sh")])
        self.ptxas = self.ptxas.strip()
        if status != 0:
            raise hip_compile.Missing("ptxas is not installed")
        status, self.nvdisasm = hip_compile.run(["sh", os.path.join(ROOT, "scripts", "find-nvdisasm.sh")])
        self.nvdisasm = self.nvdisasm.strip()
        if status != 0:
            raise hip_compile.Missing("nvdisasm is not installed (PyPI: nvidia-cuda-nvdisasm)")

    def kernels(self, arch, level):
        path, cubin = self.emit("ptx", arch, level), os.path.join(self.folder, "shapes.cubin")
        call([self.ptxas, "-arch=" + arch, path, "-o", cubin])
        text = call([self.nvdisasm, "-c", cubin])
        for part in text.split("//--------------------- .text.")[1:]:
            found = re.findall(r"/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+ )?(.*?)\s*;", part)
            yield part.split()[0], [re.sub(r"\s+", " ", line) for line in found], []

    def wrong(self, name, words, lines):
        yield from wrong_nvidia(words, lines)


# ---- All targets ----

def check(chain):
    codes, bad, count = dict(exact_shapes.shapes()), 0, 0
    for arch in chain.archs:
        for level in ("-O0", "-O2"):
            seen = set()
            for name, lines, settings in chain.kernels(arch, level):
                words = instructions_of(codes[name])
                faults = [*missing(name, words, lines, chain.table), *chain.wrong(name, words, lines),
                          *("lacks " + word for word in settings)]
                for fault in faults:
                    print("FAIL %s %s %s: %s" % (arch, level, name, fault))
                bad += bool(faults)
                seen.add(name)
            if seen != set(codes):
                sys.exit("check_exact_code: %s: not found: %s" % (arch, ", ".join(sorted(set(codes) ^ seen))))
            count += len(seen)
    print("check_exact_code %s: %d passed, %d failed" % (chain.name, count - bad, bad))
    return bad == 0


def main():
    arguments = sys.argv[1:]
    build = arguments.pop(0) if arguments and arguments[0] not in ("hip", "ptx") else "build"
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for kind in (Hip, Ptx):
            if arguments and kind.name not in arguments:
                continue
            chain = kind(folder, os.path.join(ROOT, build, "bin", "wavec"))
            try:
                chain.find()
            except hip_compile.Missing as reason:
                print("left out: %s: %s" % (kind.name, reason))
                good &= os.environ.get("CI") != "true"
                continue
            good &= check(chain)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
