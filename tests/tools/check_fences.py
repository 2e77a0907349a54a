#!/usr/bin/env python3
"""Reads the machine code of kernels with fences and barriers: every access stays on its side of each of them, with the
instructions that the vendor's hardware needs in between (ISA.md 8.3). NVIDIA's SASS comes from ptxas and nvdisasm, AMD's
assembly from clang.

usage: check_fences.py [--build=FOLDER] [--show=KERNEL] [samples|ptx|hip]...
  --show=KERNEL   print the machine code of the kernels with this word in their name
"""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hip_compile as hip  # noqa: E402

KINDS = ("acquire", "release", "acq_rel", "sc")
SCOPES = ("wave", "workgroup", "device")
SPACES = ("local", "device")
PTX_ARCHS = ("75", "80", "90", "120")
HIP_ARCHS = ("gfx942", "gfx1100")
HIP_LEVELS = ("-O1", "-O3")
LEVELS = ("-O0", "-O2")
PARTS = ("samples", "ptx", "hip")

# --- The kernels -----------------------------------------------------------------------------------------------------------

# Accesses of a kernel in order, with "|" for the fence or barrier; S store, L load, A atomic, P a loop that polls with an
# atomic load.
SHAPES = {"exchange": "S|L|S", "send": "S|A", "receive": "A|L", "poll": "S|P|L", "last_block": "S|A"}
NO_SENSE = (("send", "acquire"), ("receive", "release"), ("poll", "release"), ("poll", "barrier"))
# 256 threads: on AMD a workgroup of one wave needs no fences beyond the wave's. The local accesses of a thread start
# at 4 * thread, the device accesses 8 KiB after the result, which is stored in device memory at the end.
KERNEL = """.kernel {name}
.registers 32
.workgroup_size 256, 1, 1
.local_memory 4096
    mov_sr r1, sr_thread_id_x
    mov_imm r2, 2
    shl r3, r1, r2
    iadd r4, r0, r3
    {base}
    mov_imm r6, 4
    mov_imm r10, 0
    mov_imm r11, 0
{body}
    iadd r10, r10, r11
    device_store_u32 r4, r10
    halt
.end
"""


class Kernel:
    def __init__(self, shape, space, kind, scope):
        self.shape, self.space, self.kind, self.scope = shape, space, kind, scope
        self.name = "_".join(word for word in (shape, space, kind, scope) if word)

    def text(self):
        poll = "atomic_load r11, r5, .device" if self.space == "device" else "local_atomic_load r11, r5"
        access = {"P": ["loop", poll, "icmp_eq p1, r11, r1", "break p1", "endloop"],
                  "S": [f"{self.space}_store_u32 r5, r1"], "L": [f"{self.space}_load_u32 r10, r5"],
                  "A": ["atomic_add r11, r5, r6, .device" if self.space == "device" else "local_atomic_add r11, r5, r6"]}
        between = ["barrier" if self.kind == "barrier" else f"fence_{self.kind} .{self.scope}"]
        if self.shape == "last_block":  # each wave has stored, then one wave releases for the entire workgroup
            between = ["barrier", "fence_release .device"]
        body = []
        for letter in SHAPES[self.shape]:
            # each access has its own word, so that none makes another redundant
            body += between if letter == "|" else access[letter] + ["iadd r5, r5, r6"]
        base = "mov_imm r5, 8192\n    iadd r5, r5, r4" if self.space == "device" else "mov r5, r3"
        return KERNEL.format(name=self.name, base=base, body="\n".join("    " + line for line in body))

    def accesses(self):
        return SHAPES[self.shape].replace("|", "")

    def machine_accesses(self):
        """The letters expected in machine code, as a pattern: the loop may be unrolled, and the result is stored."""
        return self.accesses().replace("P", "L+") + ("S" if self.space == "device" else "")


def all_kernels():
    for space in SPACES:
        for shape in SHAPES:
            if shape == "last_block":
                if space == "device":
                    yield Kernel(shape, space, "barrier", "")
                continue
            for kind in ("barrier", *KINDS):
                if (shape, kind) not in NO_SENSE:
                    for scope in SCOPES if kind != "barrier" else ("",):
                        yield Kernel(shape, space, kind, scope)


# --- Contents of machine code ----------------------------------------------------------------------------------------------

# Names of accesses and of ordering instructions, with patterns. Everything else is computation.
SASS = (
    ("local S", r"STS\b"), ("local L", r"LDS\b"), ("local A", r"ATOMS\b"),
    ("device S", r"STG?\b"), ("device L", r"LDG?\b"), ("device A", r"(?:ATOMG?|RED|REDG)\b"),
    ("branch", r"BRA\b"), ("barrier", r"BAR\.SYNC"), ("sync", r"(?:WARPSYNC|NOP)\b"),
    ("fence workgroup", r"MEMBAR\.ALL\.CTA"), ("fence device", r"MEMBAR\.ALL\.(?:GPU|SYS)"),
    ("sc workgroup", r"MEMBAR\.SC\.CTA"), ("sc device", r"MEMBAR\.SC\.(?:GPU|SYS)"),
)
AMD = (
    ("local S", r"ds_(?:write|store)_b32\b"), ("local L", r"ds_(?:read|load)_b32\b"), ("local A", r"ds_add_(?:rtn_)?u32\b"),
    ("device S", r"(?:global|flat)_store_(?:dword|b32)\b"), ("device L", r"(?:global|flat)_load_(?:dword|b32)\b"),
    ("device A", r"(?:global|flat)_atomic_add(?:_u32)?\b"),
    ("branch", r"s_cbranch"), ("barrier", r"s_barrier\b"), ("sync", r"; wave barrier"),
    ("wait local", r"s_waitcnt\b.*lgkmcnt\(0\)"), ("wait loads", r"s_waitcnt\b.*vmcnt\(0\)"),
    ("wait stores", r"s_waitcnt_vscnt null, 0x0"),
    ("invalidate", r"buffer_(?:inv sc1|gl1_inv)"), ("invalidate L0", r"buffer_gl0_inv"), ("write back", r"buffer_wbl2 sc1"),
)


def tokens(table, lines):
    """Classifies each line of machine code, with several names for a wait; computation is omitted."""
    found = []
    for line in lines:
        found += [name for name, pattern in table if re.match(pattern, line)]
    return found


def sass_lines(text):
    """Name and instructions of every kernel in nvdisasm's output; everything after the last exit is padding."""
    for name, body in re.findall(r"^\.text\.(\S+):\n(.*?)(?=^\s*\.section|\Z)", text, re.M | re.S):
        lines = re.findall(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z].*?)\s*;", body)
        ends = [k for k, line in enumerate(lines) if line.startswith("EXIT")]
        yield name, lines[:ends[-1]] if ends else lines


def amd_lines(assembly):
    for name, body in hip.functions(assembly):
        yield name, [line.strip() for line in body.splitlines()]


def sass_needs(kernel):
    """One name of each list must occur between two accesses."""
    if kernel.shape == "last_block":
        return [["barrier"], ["fence device", "sc device"]]
    if kernel.kind == "barrier":
        return [["barrier"]]
    if kernel.scope == "wave":
        return [["sync"]]
    strong = [f"sc {scope}" for scope in SCOPES[SCOPES.index(kernel.scope):]]
    weak = [f"fence {scope}" for scope in SCOPES[SCOPES.index(kernel.scope):]]
    return [["sync"], strong if kernel.kind == "sc" else strong + weak]


def amd_needs(kernel, arch, before):
    """The same for AMD, following the memory model in LLVM's guide for its back end: an access completes before the
    next begins, unless only the wave must observe it; caches that are not shared with others are written back and
    invalidated."""
    needs = [["barrier"] if kernel.kind == "barrier" else ["sync"]]
    split = arch == "gfx1100"  # the waves of a workgroup may use different L0 caches, and stores have a separate counter
    if kernel.scope == "wave":
        return needs
    if kernel.shape == "last_block":
        needs += [["write back"]] if arch == "gfx942" else []
    if kernel.space == "local":
        needs.append(["wait local"])
    elif kernel.scope == "device" or kernel.shape == "last_block" or split:
        needs.append(["wait stores"] if split and before == "S" else ["wait loads"])
    if kernel.scope == "device":
        needs.append(["invalidate"])
        if arch == "gfx942":
            needs.append(["write back"])
    if split:
        needs.append(["invalidate L0"])
    return needs


def complaint(kernel, found, needs_after):
    """Errors in the order of a kernel's machine code; empty: none."""
    marks = [k for k, name in enumerate(found) if name.split()[0] == kernel.space and name.split()[-1] in "SLA"]
    letters = "".join(found[k].split()[-1] for k in marks)
    wanted = kernel.machine_accesses()
    if not re.fullmatch(wanted, letters):
        return f"the accesses are {letters or 'gone'}, not {wanted}"
    pairs = list(zip(marks, marks[1:]))[:len(kernel.accesses()) - 1]
    if kernel.shape == "poll":
        last = letters.rindex("L")
        pairs[1] = marks[last - 1], marks[last]  # the loop may have several loads
        if "branch" not in found[marks[1]:marks[last]]:
            return "the loop is gone"
    for position, (letter, (first, second)) in enumerate(zip(kernel.accesses(), pairs)):
        between = found[first + 1:second]
        for choice in needs_after(letter):
            if not any(name in between for name in choice):
                return f"after access {position + 1} no {' or '.join(choice)}, only {', '.join(between) or 'nothing'}"
    return late_wait(kernel, found[pairs[0][0] + 1:pairs[0][1]])


def late_wait(kernel, between):
    """Last-block-done on AMD: a wave waits for its stores before it arrives, because another wave executes the release after
    the barrier, and that waits only for its own stores. SASS has no waits; there the fence after the barrier covers all."""
    if kernel.shape != "last_block" or "sync" not in between or not any(name.startswith("wait") for name in between):
        return ""
    before = between[:between.index("barrier")]
    return "" if {"wait loads", "wait stores"} & set(before) else f"no wait for stores before the barrier, only {before or 'nothing'}"


# --- Compiling -------------------------------------------------------------------------------------------------------------


class Check:
    def __init__(self, build, show):
        self.build, self.show = build, show
        self.work = os.path.join(build, "check-fences")
        os.makedirs(self.work, exist_ok=True)
        self.kernels = list(all_kernels())
        self.source = self.path("fences.wave")
        with open(self.source, "w", encoding="utf-8") as file:
            file.write("\n".join(kernel.text() for kernel in self.kernels))
        self.passed = self.failed = 0
        self.compiler = self.nvidia = None

    def path(self, name):
        return os.path.join(self.work, name)

    def add(self, title, wrong):
        if wrong:
            self.failed += 1
            print(f"FAILED {title}: {wrong}", flush=True)
        else:
            self.passed += 1

    def emit(self, target, arch, level):
        output = self.path(f"fences{level}.{target}")
        command = [os.path.join(self.build, "bin", "wavec"), f"--target={target}", f"--arch={arch}", level, "-o", output, self.source]
        status, text = hip.run(command)
        if status != 0:
            raise RuntimeError(f"{' '.join(command)}: {text}")
        with open(output, encoding="utf-8") as file:
            return file.read()

    def judge(self, title, functions, table, needs):
        """Errors by kernel. Symbols may have a prefix or suffix around the kernel's name."""
        wrong = {}
        for kernel in self.kernels:
            lines = [body for name, body in functions if kernel.name in name]
            if len(lines) != 1:
                wrong[kernel.name] = f"{len(lines)} functions of this name"
                continue
            if self.show and self.show in kernel.name:
                print(f"{kernel.name}, {title}:", *lines[0], sep="\n    ")
            wrong[kernel.name] = complaint(kernel, tokens(table, lines[0]), lambda before, k=kernel: needs(k, before))
        return wrong

    # NVIDIA

    def find_nvidia(self):
        if self.nvidia:
            return self.nvidia
        found = []
        for script in ("find-ptxas.sh", "find-nvdisasm.sh"):
            result = subprocess.run(["sh", os.path.join(hip.ROOT, "scripts", script), "--install"], stdout=subprocess.PIPE, check=False)
            if result.returncode != 0:
                raise hip.Missing(f"{script[5:-3]} is not installed")
            found.append(result.stdout.decode().strip())
        self.nvidia = found
        return found

    def sass(self, text, arch, title):
        ptxas, nvdisasm = self.find_nvidia()
        source, cubin = self.path("k.ptx"), self.path("k.cubin")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        status, messages = hip.run([ptxas, f"-arch=sm_{arch}", "-o", cubin, source])
        if status == 0:
            status, messages = hip.run([nvdisasm, "-c", cubin])
        if status != 0:
            raise RuntimeError(f"{title}: {messages}")
        return self.judge(title, list(sass_lines(messages)), SASS, lambda kernel, _: sass_needs(kernel))

    def check_ptx(self):
        for level in LEVELS:
            for arch in PTX_ARCHS:
                title = f"wavec {level}, sm_{arch}"
                for name, wrong in self.sass(self.emit("ptx", f"sm_{arch}", level), arch, title).items():
                    self.add(f"{name}, {title}", wrong)

    # AMD

    def command(self, arch):
        """With the device libraries, which contain the fences of a barrier."""
        plain = [word for word in self.compiler.command(arch) if word != "-nogpulib"]
        return [*plain, *self.compiler.device_libraries()]

    def assembly(self, text, arch, level, title):
        if not self.compiler:
            self.compiler = hip.Compiler(self.work)
        status, messages, assembly = self.compiler.assemble("k", text, [*self.command(arch), level])
        if status != 0:
            raise RuntimeError(f"{title}: {messages}")
        return self.judge(title, list(amd_lines(assembly)), AMD, lambda kernel, before: amd_needs(kernel, arch, before))

    def check_hip(self):
        for level in LEVELS:
            for arch in HIP_ARCHS:
                text = self.emit("hip", arch, level)
                for clang in HIP_LEVELS:
                    title = f"wavec {level}, {arch}, clang {clang}"
                    for name, wrong in self.assembly(text, arch, clang, title).items():
                        self.add(f"{name}, {title}", wrong)

    # Test of the check itself

    def check_samples(self):
        """Without the ordering instructions the accesses do not stay in order, and the check
        reports it."""
        ptx = self.emit("ptx", "sm_80", "-O2")
        self.expect(self.sass(drop(ptx, "bar.warp.sync"), "80", "PTX without bar.warp.sync"), "PTX without bar.warp.sync",
                    lambda k: k.kind != "barrier")
        self.expect(self.sass(drop(ptx, "fence."), "80", "PTX without fences"), "PTX without fences",
                    lambda k: k.scope in ("workgroup", "device"))
        self.expect(self.sass(drop(ptx, "bar.sync"), "80", "PTX without barriers"), "PTX without barriers",
                    lambda k: k.kind == "barrier")
        narrow = ptx.replace("fence.acq_rel.gpu", "fence.acq_rel.cta").replace("fence.sc.gpu", "fence.sc.cta")
        self.expect(self.sass(narrow, "80", "PTX with narrow fences"), "PTX with narrow fences", lambda k: k.scope == "device")
        plain = re.sub(r"\bld\.relaxed\.\w+\.", "ld.", ptx)
        self.expect(self.sass(plain, "80", "PTX that polls with plain loads"), "PTX that polls with plain loads",
                    lambda k: k.shape == "poll")
        # a fence of workgroup scope for device memory emits nothing on gfx942, so this uses gfx1100
        text = self.emit("hip", "gfx1100", "-O2")
        for word, hit in (("__builtin_amdgcn_wave_barrier", lambda k: k.kind != "barrier"),
                          ("__builtin_amdgcn_fence", lambda k: k.scope in ("workgroup", "device")),
                          ("__syncthreads", lambda k: k.kind == "barrier")):
            title = f"HIP without {word}"
            self.expect(self.assembly(drop(text, word), "gfx1100", "-O3", title), title, hit)
        text = self.emit("hip", "gfx942", "-O2")
        title = "HIP without a release before the barrier"
        self.expect(self.assembly(drop(text, "__builtin_amdgcn_fence(__ATOMIC_RELEASE"), "gfx942", "-O3", title), title,
                    lambda k: k.shape == "last_block")

    def expect(self, wrong, title, hit):
        for kernel in self.kernels:
            if hit(kernel):
                self.add(f"{kernel.name}, {title}", "" if wrong[kernel.name] else "the check does not complain")


def drop(text, word):
    """The text without the statements that begin with the word."""
    return "".join(line for line in text.splitlines(True) if not line.strip().startswith(word))


def main():
    build, show, parts = "build", "", []
    for word in sys.argv[1:]:
        if word.startswith("--build="):
            build = word[8:]
        elif word.startswith("--show="):
            show = word[7:]
        elif word in PARTS:
            parts.append(word)
        else:
            sys.exit(__doc__)
    check = Check(os.path.abspath(build), show)
    missing = False
    for part in parts or PARTS:
        before = check.passed, check.failed
        try:
            {"samples": check.check_samples, "ptx": check.check_ptx, "hip": check.check_hip}[part]()
        except hip.Missing as reason:
            missing = True
            print(f"check-fences: {part}: {'' if os.environ.get('CI') == 'true' else 'skipped: '}{reason}", flush=True)
            continue
        except RuntimeError as reason:
            check.add(part, str(reason))
        print(f" {part}: {check.passed - before[0]} passed, {check.failed - before[1]} failed", flush=True)
    print(f"check-fences: {check.passed} passed, {check.failed} failed")
    if missing and os.environ.get("CI") == "true":
        sys.exit(1)
    sys.exit(0 if check.failed == 0 and (check.passed > 0 or missing) else 1)


if __name__ == "__main__":
    main()
