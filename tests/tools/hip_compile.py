"""The AMD side of the HIP checks: finds clang and its libraries, joins several emitted kernels into one translation
unit, compiles it, caches earlier results, and counts fused operations in the assembly."""

import os
import re
import shutil
import subprocess

import cache
from programs import ROOT

WARNINGS = ["-Wall", "-Wextra", "-Werror"]
# The constant by which the device libraries query the GPU generation; the packaged ones lack these two.
ISA_VERSIONS = {"gfx942": 9402, "gfx1100": 11000}
DEVICE_LIBRARIES = ("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", "/usr/lib/aarch64-linux-gnu/amdgcn/bitcode",
                    "/usr/lib/amdgcn/bitcode", "/opt/rocm/amdgcn/bitcode")
HEADERS = ("#include <hip/hip_runtime.h>", "#include <hip/hip_fp16.h>", "#include <stdint.h>")


class Missing(Exception):
    """A missing tool chain, with the reason."""


def run(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return result.returncode, result.stdout.decode(errors="replace")


def find_clang():
    status, text = run(["sh", os.path.join(ROOT, "scripts", "find-clang.sh")])
    if status != 0:
        raise Missing("clang++ 19 is not installed")
    return text.strip()


def find_device_libraries():
    """The system's folder of bitcode."""
    for folder in (os.environ.get("HIP_DEVICE_LIB_PATH", ""), *DEVICE_LIBRARIES):
        if folder and os.path.exists(os.path.join(folder, "ockl.bc")):
            return folder
    raise Missing("the ROCm device libraries are not installed")


class Compiler:
    """One clang, and a folder for its output."""

    def __init__(self, work):
        self.clang = find_clang()
        self.work = work
        status, version = run([self.clang, "--version"])
        self.cache = cache.Cache("hip", version if status == 0 else self.clang)
        probe = self.write("probe.hip", "\n".join(HEADERS) + "\n")
        status, text = run([*self.command("gfx942"), "-fsyntax-only", probe])
        if status != 0:
            raise Missing("the HIP headers are not usable: " + first_line(text))

    def write(self, name, text):
        path = os.path.join(self.work, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def command(self, arch):
        """Device code only, system headers, no device libraries."""
        return [self.clang, "-x", "hip", f"--offload-arch={arch}", "--cuda-device-only", "-nogpulib"]

    def device_libraries(self):
        """Flags that link the device libraries for any of the four GPUs, built once per folder."""
        folder = os.path.join(self.work, "bitcode")
        if not os.path.exists(os.path.join(folder, "complete")):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(find_device_libraries(), folder)
            for arch, number in ISA_VERSIONS.items():
                name = os.path.join(folder, f"oclc_isa_version_{arch[3:]}")
                if os.path.exists(name + ".bc"):
                    continue
                with open(name + ".c", "w", encoding="utf-8") as file:
                    file.write(f"const __attribute__((address_space(4))) int __oclc_ISA_version = {number};\n")
                status, text = run([self.clang, "-x", "c", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-fvisibility=hidden",
                                    "-emit-llvm", "-c", name + ".c", "-o", name + ".bc"])
                if status != 0:
                    raise Missing("no ISA version for the device libraries: " + first_line(text))
            with open(os.path.join(folder, "complete"), "w", encoding="utf-8"):
                pass
        return ["--rocm-path=/usr", f"--rocm-device-lib-path={folder}", "-mcode-object-version=5"]

    def remembered(self, key, make):
        """The text that make() returned for this key, now or in an earlier run. None is not cached."""
        text = self.cache.get(key)
        if text is None:
            text = make()
            if text is not None:
                self.cache.put(text, key)
        return text

    def assemble(self, name, text, command):
        """Compiles a text to assembly: status, messages, assembly."""
        source, output = self.write(name + ".hip", text), os.path.join(self.work, name + ".s")
        status, messages = run([*command, "-S", source, "-o", output])
        assembly = ""
        if status == 0:
            with open(output, encoding="utf-8") as file:
                assembly = file.read()
            os.remove(output)
        return status, messages, assembly


def first_line(text):
    return (text.strip().splitlines() or ["no message"])[0]


# --- Several kernels in one translation unit -------------------------------------------------------------------------------


def entries(text):
    """The names of the kernels in an emitted file."""
    return re.findall(r'extern "C"[^;{}]*?\b(\w+)\(uint8_t \*', text)


def joined(items, contract="fast"):
    """Joins many texts into one: items are (number, path, text). The headers come first, so that a file's own #includes
    have no effect inside its namespace. Entries are extern "C", which ignores namespaces: they are renamed. Every file
    starts with the contraction setting that it would have alone, which is the compiler's default, or with contraction
    off. The compiler's messages name the path."""
    parts = [*HEADERS]
    for number, path, text in items:
        names = entries(text)
        parts += [f"#define {name} k{number}_{name}" for name in names]
        parts += [f"#pragma clang fp contract({contract})", f"namespace k{number} {{", f'#line 1 "{path}"', text, "}"]
        parts += [f"#undef {name}" for name in names]
    return "\n".join(parts) + "\n"


# --- Fused operations in the assembly --------------------------------------------------------------------------------------

# Float instructions that multiply and add with one rounding. Integer instructions of the same names end in i or u
# types.
FUSED = re.compile(r"\s(v_(?:pk_)?(?:fma|fmac|fmaak|fmamk|mad|mac|madak|madmk|dot\d\w*|fma_mix\w*|mad_mix\w*)(?:_legacy)?_(?:f16|f32|f64|bf16)\w*"
                   r"|v_mfma_\w+|v_smfmac_\w+|v_dot\d+c?_f32_\w+|v_fma_mix\w+|v_mad_mix\w+)\s")
# The expansion of a division or a square root of each type: an instruction that occurs exactly once in each expansion,
# and a kernel with exactly one. The number of its fused operations is measured with the compiler, not hard-coded.
EXPANSIONS = (
    ("v_div_fixup_f32", "float", "a / b"),
    ("v_sqrt_f32", "float", "sqrtf(a)"),
    ("v_div_fixup_f64", "double", "a / b"),
    ("v_rsq_f64", "double", "sqrt(a)"),
    ("v_div_fixup_f16", "_Float16", "a / b"),
)


def functions(assembly):
    """Name and body of every function of an assembly file."""
    return re.findall(r"^(\w+):\s*; @\S+\n(.*?)^\.Lfunc_end\d+:", assembly, re.M | re.S)


def fused(body):
    return [found.group(1) for found in FUSED.finditer(body)]


def markers(body):
    return {marker: len(re.findall(rf"\s{marker}(?:_e32|_e64)?\s", body)) for marker, _, _ in EXPANSIONS}


def learn_expansions(compiler, flags):
    """Fused operations per division and square root, by the marker of the expansion."""
    parts = [*HEADERS, "#pragma clang fp contract(off)"]
    for k, (_, kind, expression) in enumerate(EXPANSIONS):
        parts.append(f'extern "C" __global__ void learn{k}({kind} *p) {{ {kind} a = p[0], b = p[1]; (void)b; p[2] = {expression}; }}')
    status, messages, assembly = compiler.assemble("learn", "\n".join(parts) + "\n", [*compiler.command("gfx942"), *flags])
    if status != 0:
        raise Missing("the samples of division and square root do not compile: " + first_line(messages))
    each = {}
    for name, body in functions(assembly):
        marker = EXPANSIONS[int(name[5:])][0]
        if markers(body)[marker] != 1:
            raise Missing(f"the expansion of {name} has no single {marker}")
        each[marker] = len(fused(body))
    return each


def unexplained(body, each):
    """The number of fused operations of a function beyond those of its divisions and square roots."""
    found = markers(body)
    return len(fused(body)) - sum(each[marker] * found[marker] for marker in each)
