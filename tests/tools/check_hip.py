#!/usr/bin/env python3
"""Passes the HIP output of every example and test program to AMD's compiler: there must be no error, no warning, and in
gfx942 assembly no fused multiply-add that the WAVE code does not contain. The examples are also linked against the
device libraries.

usage: check_hip.py [--all|--representative] [--build=FOLDER] [--only=WORD] [samples|programs|link|limits]...
  --all              every GPU, and kernels of full size in "limits"; otherwise gfx942 and a part of the rest
  --representative   only tests/representative.txt, and two examples to link
  --only=WORD        only programs with this word in their path
"""

import concurrent.futures
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hip_compile as hip  # noqa: E402
import programs as shared  # noqa: E402

WORKERS = 2
OPTIMISE = ["-O2"]
# WAVE instructions that are, or expand to, fused operations: clang implements 64-bit integer division, and conversion
# from floats, with them.
ASKS_FOR_FUSED = re.compile(
    r"^\s*(?:@!?p\d\s+)?(?:fma|hma2?|dma|bma2?|mma\w*|fsin|fcos|fexp2|flog2|lu?div|lu?mod|cvt_[iu]64_f(?:32|64))\b", re.M)

# options of wave2text, and a stride over the programs
USUAL = (
    (("--arch=gfx942", "-O2"), 1),
    (("--arch=gfx942", "-O0"), 1),
    (("--arch=gfx90a", "-O2"), 8),
    (("--arch=gfx1030", "-O2"), 8),
    (("--arch=gfx1100", "-O2"), 8),
    (("--arch=gfx942", "-O2", "--bounds"), 8),
    (("--arch=gfx942", "-O2", "--fast"), 8),
)
EVERYTHING = tuple(((f"--arch={arch}", level), 1) for arch in ("gfx942", "gfx90a", "gfx1030", "gfx1100") for level in ("-O2", "-O0")) + tuple(
    (("--arch=gfx942", "-O2", flag), 1) for flag in ("--bounds", "--fast", "-g"))
LINKED = ("examples/gemm_tiled.wave", "examples/softmax.wave")


# --- Test of the check itself ------------------------------------------------------------------------------------------------

SAMPLE = '''#include <hip/hip_runtime.h>
#include <stdint.h>
%s
struct sample_args { uint32_t r[4]; };
extern "C" __global__ void __launch_bounds__(64) sample(uint8_t *mem, sample_args args)
{
    float *p = (float *)mem + threadIdx.x;
    %s
}
'''
OFF = "#pragma clang fp contract(off)"
# name, pragma, statement, the expected message; "": none
SAMPLES = (
    ("plain product and sum", OFF, "*p = p[1] * p[2] + *p;", ""),
    ("division and square root", OFF, "*p = p[1] / p[2] + sqrtf(*p); (void)args;", ""),
    ("contraction left on", "", "*p = p[1] * p[2] + *p;", "fused"),
    ("contraction next to a division", "", "*p = p[1] * p[2] + p[3] / p[4];", "fused"),
    ("a call of fma", OFF, "*p = fmaf(p[1], p[2], *p);", "fused"),
    ("half precision left on", "", "_Float16 *h = (_Float16 *)p; *h = h[1] * h[2] + *h;", "fused"),
    ("an unused variable", OFF, "uint32_t unused = 1; *p = 1.0f;", "unused"),
    ("a name that does not exist", OFF, "*p = no_such_name;", "no_such_name"),
)


def check_samples(compiler, tally, each):
    """Programs that must be accepted and programs that must be rejected."""
    for k, (name, pragma, statement, expected) in enumerate(SAMPLES):
        text = SAMPLE % (pragma, statement if "args" in statement else statement + " (void)args;")
        job = Job(compiler, "gfx942", f"sample{k}", [(k, f"sample{k}.hip", text)], {k: False}, each)
        complaint = " ".join(job.failures().values())
        good = expected in complaint if expected else not complaint
        tally.add(good, f"the sample with {name}: expected {expected or 'silence'}", complaint)
    # In one unit, with fusion allowed: only the comparison with a compilation that forbids it can tell the two apart.
    items = [(k, f"sample{k}.hip", SAMPLE % (SAMPLES[k][1], SAMPLES[k][2] + " (void)args;")) for k in (0, 2)]
    found = Job(compiler, "gfx942", "samples", items, {0: True, 2: True}, each).failures()
    tally.add(list(found) == [2], "contraction left on after a file that turns it off", str(found))


# --- Programs --------------------------------------------------------------------------------------------------------------


class Job:
    """One translation unit of several emitted files for one GPU."""

    def __init__(self, compiler, arch, name, items, fused_allowed, each):
        self.compiler = compiler
        self.arch = arch
        self.name = name
        self.items = items
        self.fused_allowed = fused_allowed
        self.each = each
        self.command = [*compiler.command(arch), *hip.WARNINGS, *OPTIMISE]

    def failures(self):
        """Messages by item number. A unit that fails is recompiled without the files that the messages name, so that
        one bad file does not hide another."""
        found, items = {}, list(self.items)
        while items:
            status, messages = self.compile(items)
            if status == 0:
                self.note_fused(messages, found)
                break
            blamed = {number: lines for number, path, _ in items
                      if (lines := "\n".join(line for line in messages.splitlines() if f"{path}:" in line))}
            if not blamed:  # a crash, or a message without a location
                blamed = {items[0][0]: messages} if len(items) == 1 else self.each_alone(items)
                found.update(blamed)
                break
            found.update(blamed)
            items = [item for item in items if item[0] not in blamed]
        return found

    def each_alone(self, items):
        blamed = {}
        for item in items:
            status, messages = self.compile([item])
            if status != 0:
                blamed[item[0]] = messages
        return blamed or {items[0][0]: "the compiler rejects these files together, but accepts each alone"}

    def compile(self, items):
        """Status and messages; if compilation succeeds, the messages are those about fused
        operations."""
        text = hip.joined(items)
        kept = []

        def fresh():
            status, messages, assembly = self.compiler.assemble(self.name, text, self.command)
            if status == 0 and messages.strip():
                status = 1
            if status != 0:
                kept.append(messages)
                return None
            return self.complaints(items, assembly) if self.arch == "gfx942" else ""

        allowed = str(sorted(k for k, v in self.fused_allowed.items() if v))
        result = self.compiler.remembered("\0".join([text, *self.command[1:], allowed, str(self.each)]), fresh)
        return (1, kept[0]) if result is None else (0, result)

    def complaints(self, items, assembly):
        """Lines "NUMBER MESSAGE" about fused operations: kernels that request none may have only those of divisions
        and square roots; and forbidding fusion by an option must not change a single instruction."""
        lines = []
        for name, body in hip.functions(assembly):
            owner = re.match(r"(?:_ZN\d+)?k(\d+)", name)
            number = int(owner.group(1)) if owner else self.items[0][0]
            if not self.fused_allowed.get(number) and (extra := hip.unexplained(body, self.each)) > 0:
                lines.append(f"{number} {extra} fused operations in {name}: {', '.join(sorted(set(hip.fused(body))))}")
        status, messages, strict = self.compiler.assemble(self.name + "-strict", hip.joined(items, "off"),
                                                            [*self.command, "-ffp-contract=off"])
        if status != 0:
            lines.append(f"{self.items[0][0]} with -ffp-contract=off: {hip.first_line(messages)}")
        else:
            unfused = dict(hip.functions(strict))
            for name, body in hip.functions(assembly):
                if unfused.get(name) != body:
                    owner = re.match(r"(?:_ZN\d+)?k(\d+)", name)
                    lines.append(f"{owner.group(1) if owner else self.items[0][0]} fused: {name} differs under -ffp-contract=off")
        return "\n".join(lines)

    @staticmethod
    def note_fused(messages, found):
        for line in messages.splitlines():
            number, _, message = line.partition(" ")
            found[int(number)] = (found.get(int(number), "") + "\n" + message).strip()


def asks_for_fused(programs):
    answers = {}
    for number, path in enumerate(programs):
        with open(os.path.join(hip.ROOT, path), encoding="utf-8") as file:
            answers[number] = ASKS_FOR_FUSED.search(file.read()) is not None
    return answers


def check_programs(compiler, tally, each, build, configurations, only):
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        work = []
        for index, (options, wanted) in enumerate(configurations):
            programs = shared.chosen(index, wanted, only)
            title = " ".join(options)
            arch = next(word[7:] for word in options if word.startswith("--arch="))
            folder = os.path.join(compiler.work, re.sub(r"\W+", "-", title))
            texts, refused = shared.emit(build, "hip", folder, programs, options)
            tally.refusals(refused, shared.REFUSALS, programs, title)
            # --fast may use any of the vendor's operations, fused or not.
            allowed = {number: True for number, _, _ in texts} if "--fast" in options else asks_for_fused(programs)
            for k, items in enumerate(shared.batches(texts, 48, 300_000)):
                job = Job(compiler, arch, f"{os.path.basename(folder)}-{k}", items, allowed, each)
                work.append((title, programs, items, pool.submit(job.failures)))
        tally.take(work)


# --- Linking and limits ------------------------------------------------------------------------------------------------------


UNDEFINED = '''#include <hip/hip_runtime.h>
extern __device__ float not_there(float);
extern "C" __global__ void sample(float *p) { *p = not_there(*p); }
'''


def link_alone(compiler, base, path, text):
    """Messages about one file that is compiled to a complete code object."""
    kept = []

    def fresh():
        output = path[:-4] + ".o"
        status, messages = hip.run([*base, "--cuda-device-only", "-c", path, "-o", output])
        if status == 0 and not messages.strip():
            os.remove(output)
            return "linked"
        kept.append(messages or f"exit status {status}")
        return None

    return "" if compiler.remembered("\0".join(["link", text, *base[1:]]), fresh) else kept[0]


def check_link(compiler, tally, build, programs):
    """Compiles every example by itself, as a user does: a complete gfx942 code object with the device libraries. Then all
    of them in one program for the host, with AMD's runtime."""
    texts, refused = shared.emit(build, "hip", os.path.join(compiler.work, "link"), programs, ["--arch=gfx942", "-O2"])
    for number, log in refused:
        tally.add(False, programs[number], log)
    base = [compiler.clang, "-x", "hip", "--offload-arch=gfx942", *compiler.device_libraries(), *hip.WARNINGS, "-O3"]
    complaint = link_alone(compiler, base, compiler.write("undefined.hip", UNDEFINED), UNDEFINED)
    tally.add("not_there" in complaint, "a file with an undefined function must not link", complaint)
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        done = pool.map(lambda item: link_alone(compiler, base, item[1], item[2]), texts)
        for (number, _, _), complaint in zip(texts, done):
            tally.add(not complaint, f"{programs[number]} linked for gfx942", complaint)
    whole = compiler.write("whole.hip", hip.joined(texts) + "int main() { return 0; }\n")
    status, messages = hip.run([*base, whole, "-o", os.path.join(compiler.work, "whole"), "-lamdhip64"])
    tally.add(status == 0 and not messages.strip(), "all examples in one program with the HIP runtime", messages)


def check_limits(compiler, tally, build, everything):
    """Large and deep kernels pass with the compiler's default limits, in linear space."""
    shapes = (("straight", 100_000 if everything else 10_000, ["-O1"]), ("nested-ifs", 256, OPTIMISE), ("nested-loops", 256, ["-O1"]),
              ("ifs", 5_000 if everything else 500, OPTIMISE), ("loops", 2_000 if everything else 200, OPTIMISE))
    sources = []
    for name, size, _ in shapes:
        done = subprocess.run([sys.executable, os.path.join(hip.ROOT, "bench", "gen_compile.py"), name, str(size)], check=True,
                              stdout=subprocess.PIPE)
        sources.append(compiler.write(f"{name}.wave", done.stdout.decode()))
    jobs = []
    for level in ("-O2", "-O0"):
        texts, refused = shared.emit(build, "hip", os.path.join(compiler.work, "limits" + level), sources, ["--arch=gfx942", level])
        for number, log in refused:
            tally.add(False, sources[number], log)
        for item in texts:
            name, size, flags = shapes[item[0]]
            jobs.append((f"{size} {name} at {level}", flags, item))

    def compile_one(job):
        _, flags, (_, path, text) = job
        kept = []

        def fresh():
            status, messages = hip.run([*compiler.command("gfx942"), *hip.WARNINGS, *flags, "-S", path, "-o", path[:-4] + ".s"])
            kept.append(messages or f"exit status {status}")
            return "compiled" if status == 0 and not messages.strip() else None

        return "" if compiler.remembered("\0".join(["limits", text, *flags]), fresh) else kept[0]

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for (title, _, _), complaint in zip(jobs, pool.map(compile_one, jobs)):
            tally.add(not complaint, title, complaint)


PARTS = ("samples", "programs", "link", "limits")


def main():
    given = shared.arguments(sys.argv[1:], PARTS, __doc__)
    build, extent = given["build"], given["extent"]
    work = os.path.join(build, "check-hip")
    os.makedirs(work, exist_ok=True)
    try:
        compiler = hip.Compiler(work)
        each = hip.learn_expansions(compiler, OPTIMISE)
        hip.find_device_libraries()
    except hip.Missing as reason:
        print(f"check-hip: {'' if os.environ.get('CI') == 'true' else 'skipped: '}{reason}")
        sys.exit(1 if os.environ.get("CI") == "true" else 0)
    tally = shared.Tally()
    for part in given["parts"]:
        before = tally.passed, tally.failed
        if part == "samples":
            check_samples(compiler, tally, each)
        elif part == "programs":
            configurations = {"all": EVERYTHING, "usual": USUAL}.get(extent) or shared.representative("hip")
            check_programs(compiler, tally, each, build, configurations, given["only"])
        elif part == "link":
            examples = [path for path in shared.list_programs(given["only"]) if path.startswith("examples/")]
            check_link(compiler, tally, build, examples if extent != "representative" else list(LINKED))
        else:
            check_limits(compiler, tally, build, extent == "all")
        print(f" {part}: {tally.passed - before[0]} passed, {tally.failed - before[1]} failed", flush=True)
    sys.exit(tally.close("check-hip"))


if __name__ == "__main__":
    main()
