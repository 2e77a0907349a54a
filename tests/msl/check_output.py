#!/usr/bin/env python3
"""Gives the Metal output of every example and test program to the strict check: clang with tests/msl/include, and
check_msl.py. A program may be refused only with the codes that the reference documents, and only where it uses what is refused.

usage: check_output.py [--all] [--build=FOLDER] [--only=WORD] [samples|golden|programs|limits]...
  --all         Metal 3.0 and 3.1 besides 3.2, and kernels of full size in "limits"
  --only=WORD   only programs with this word in their path
"""

import concurrent.futures
import contextlib
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
import check_msl  # noqa: E402
import test_samples  # noqa: E402

WORKERS = 2
BATCH = 40
ALWAYS_REFUSED = ("E_RECURSION", "E_INLINE_LIMIT", "E_TARGET_LIMIT")
# Refusals by what a program must hold to deserve them, and the versions that make them.
REFUSED_FOR = {
    "E_TARGET_F64": (re.compile(r"^[^;#\n]*\b(?:d(?:add|sub|mul|ma|div|sqrt)|cvt_f(?:32_f64|64_f32))\b", re.M), ("3.0", "3.1", "3.2")),
    "E_TARGET_FENCE": (re.compile(r"^[^;#\n]*\bfence_\w+", re.M), ("3.0", "3.1")),
}
# version, level and flags of wave2text, every how many programs
DEFAULT = (
    ("3.2", "-O2", (), 1),
    ("3.2", "-O0", (), 1),
    ("3.2", "-O2", ("--bounds",), 8),
    ("3.2", "-O2", ("--fast",), 8),
    ("3.0", "-O2", (), 8),
)
EVERYTHING = tuple((version, level, (), 1) for version in ("3.2", "3.1", "3.0") for level in ("-O2", "-O0")) + (
    ("3.2", "-O2", ("--bounds",), 1),
    ("3.2", "-O2", ("--fast",), 1),
    ("3.2", "-O2", ("-g",), 1),
)


class Tally:
    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.refused = {}

    def add(self, good, title, messages=""):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"FAILED {title}")
            for line in messages.strip().splitlines()[:12]:
                print(f"  {line}")


class Tools:
    """clang, a folder, and what has passed before: a batch that passed is not looked at again until something changes."""

    def __init__(self, clang, work):
        self.clang = clang
        self.work = work
        self.cache = os.path.join(work, "cache")
        os.makedirs(self.cache, exist_ok=True)
        about = subprocess.run([clang, "--version"], capture_output=True, check=False).stdout
        for place, _, names in sorted(os.walk(HERE)):
            for name in sorted(names):
                if name.endswith((".py", ".h", ".txt")) or name == "metal_stdlib":
                    with open(os.path.join(place, name), "rb") as file:
                        about += file.read()
        self.identity = hashlib.sha256(about).hexdigest()

    def key(self, version, texts):
        return os.path.join(self.cache, hashlib.sha256("\0".join([self.identity, version, *texts]).encode()).hexdigest())

    def compile(self, version, items, name):
        """clang's complaints by the number of the item."""
        unit = ["#include <metal_stdlib>"]
        for number, path, text in items:
            kernels = re.findall(r"^kernel void (\w+)\(|\bkernel void (\w+)\(", text, re.M)
            names = [first or second for first, second in kernels]
            unit.append(f"namespace t{number} {{")
            unit += [f"#define {kernel} t{number}_{kernel}" for kernel in names]
            unit.append(f'#include "{path}"')
            unit += [f"#undef {kernel}" for kernel in names]
            unit.append("}")
        source = os.path.join(self.work, f"{name}.batch.metal")
        with open(source, "w", encoding="utf-8") as file:
            file.write("\n".join(unit) + "\n")
        command = [self.clang, *test_samples.clang_flags(version), "-ferror-limit=0", source]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = {}
        for line in done.stderr.splitlines():
            for number, path, _ in items:
                if line.startswith(path + ":"):
                    found[number] = found.get(number, "") + line + "\n"
        if done.returncode != 0 and not found:
            found[items[0][0]] = done.stderr or f"clang: exit status {done.returncode}"
        return found

    def check(self, version, items, name):
        """Complaints by the number of the item, from both tools."""
        key = self.key(version, [text for _, _, text in items])
        if os.path.exists(key):
            return {}
        found = self.compile(version, items, name)
        for number, path, text in items:
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                good = check_msl.Checker(path, check_msl.VERSIONS[version], True).run(text)
            if not good:
                found[number] = found.get(number, "") + said.getvalue()
        if not found:
            with open(key, "w", encoding="utf-8"):
                pass
        return found


def check_batch(clang, work, version, items, name):
    """In a process of its own: the checker is Python, and would otherwise wait for itself."""
    return Tools(clang, work).check(version, items, name)


def list_programs(only):
    found = []
    for folder in ("examples", "tests/programs"):
        for place, _, names in os.walk(os.path.join(ROOT, folder)):
            found += [os.path.relpath(os.path.join(place, name), ROOT) for name in names if name.endswith(".wave")]
    return [path for path in sorted(found) if not only or only in path]


def emit(build, folder, programs, options):
    """Runs wave2text: (number, path, text) of what was compiled and (number, diagnostics) of what was not."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    tool = os.path.join(build, "tests", "wave2text")
    done = subprocess.run([tool, "--target=msl", *options, f"--out={folder}", *programs], cwd=ROOT, check=False, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"check-msl: wave2text {' '.join(options)}: exit status {done.returncode}: {done.stderr.decode(errors='replace')[:500]}")
    texts, refused = [], []
    for number in range(len(programs)):
        path = os.path.join(folder, f"{number}.metal")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                texts.append((number, path, file.read()))
        else:
            with open(os.path.join(folder, f"{number}.log"), encoding="utf-8") as file:
                refused.append((number, file.read()))
    return texts, refused


def note_refusal(tally, program, title, version, log):
    code = (re.search(r"\bE_\w+", log) or re.match("", "")).group()
    good = code in ALWAYS_REFUSED
    if code in REFUSED_FOR:
        wanted, versions = REFUSED_FOR[code]
        with open(os.path.join(ROOT, program), encoding="utf-8") as file:
            good = version in versions and wanted.search(file.read()) is not None
    if good:
        tally.refused[code] = tally.refused.get(code, 0) + 1
    else:
        tally.add(False, f"{program} for {title}", log)


def check_programs(tools, tally, pool, build, configurations, only):
    work = []
    for index, (version, level, flags, step) in enumerate(configurations):
        programs = list_programs(only)[index % step :: step]
        title = " ".join([f"metal{version}", level, *flags])
        folder = os.path.join(tools.work, re.sub(r"[^\w.]+", "-", title))
        texts, refused = emit(build, folder, programs, [f"--arch=metal{version}", level, *flags])
        for number, log in refused:
            note_refusal(tally, programs[number], title, version, log)
        for at in range(0, len(texts), BATCH):
            items = texts[at : at + BATCH]
            name = f"{os.path.basename(folder)}-{at}"
            work.append((title, programs, items, pool.submit(check_batch, tools.clang, tools.work, version, items, name)))
    for title, programs, items, future in work:
        found = future.result()
        for number, _, _ in items:
            tally.add(number not in found, f"{programs[number]} for {title}", found.get(number, ""))


def check_limits(tools, tally, pool, build, everything):
    """Large and deep kernels pass with clang's own limits: nesting as deep as the validator allows, in linear space."""
    shapes = (
        ("straight", 100_000 if everything else 10_000),
        ("nested-ifs", 256),
        ("nested-loops", 256),
        ("ifs", 5_000 if everything else 500),
        ("loops", 2_000 if everything else 200),
    )
    sources = []
    for name, size in shapes:
        path = os.path.join(tools.work, f"{name}.wave")
        with open(path, "wb") as file:
            generator = os.path.join(ROOT, "bench", "gen_compile.py")
            subprocess.run([sys.executable, generator, name, str(size)], check=True, stdout=file)
        sources.append(path)
    work = []
    for level in ("-O2", "-O0"):
        texts, refused = emit(build, os.path.join(tools.work, "limits" + level), sources, [level])
        for number, log in refused:
            tally.add(False, f"{shapes[number][1]} {shapes[number][0]} at {level}", log)
        for item in texts:
            title = f"{shapes[item[0]][1]} {shapes[item[0]][0]} at {level}"
            name = f"limits{level}-{item[0]}"
            work.append((title, item[0], pool.submit(check_batch, tools.clang, tools.work, "3.2", [item], name)))
    for title, number, future in work:
        found = future.result()
        tally.add(not found, title, found.get(number, ""))


def check_golden(tools, tally):
    """The reviewed texts, each as the version it is for."""
    folder = os.path.join(ROOT, "tests", "golden", "msl")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".metal"):
            continue
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        version = re.match(r"// WAVE kernels for metal(\d\.\d)", text).group(1)
        found = tools.check(version, [(0, path, text)], f"golden-{name}")
        tally.add(not found, f"tests/golden/msl/{name}", found.get(0, ""))


PARTS = ("samples", "golden", "programs", "limits")


def find_clang():
    """The C++ driver's neighbour: the same program by another name reads OpenCL."""
    done = subprocess.run(["sh", os.path.join(ROOT, "scripts", "find-clang.sh")], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        wanted = os.environ.get("CI") == "true"
        print(f"check-msl: {'' if wanted else 'skipped: '}clang 19 is not installed")
        sys.exit(1 if wanted else 0)
    return done.stdout.strip()


def main():
    build, only, everything, parts = "build", "", False, []
    for word in sys.argv[1:]:
        if word == "--all":
            everything = True
        elif word.startswith("--build="):
            build = word[8:]
        elif word.startswith("--only="):
            only = word[7:]
        elif word in PARTS:
            parts.append(word)
        else:
            sys.exit(__doc__)
    build = os.path.abspath(build)
    work = os.path.join(build, "check-msl")
    os.makedirs(work, exist_ok=True)
    tools = Tools(find_clang(), work)
    tally = Tally()
    with concurrent.futures.ProcessPoolExecutor(WORKERS) as pool:
        for part in parts or PARTS:
            before = tally.passed, tally.failed
            if part == "samples":
                passed, failed = test_samples.run(tools.clang, os.path.join(work, "samples"))
                tally.passed += passed
                tally.failed += failed
            elif part == "golden":
                check_golden(tools, tally)
            elif part == "programs":
                check_programs(tools, tally, pool, build, EVERYTHING if everything else DEFAULT, only)
            else:
                check_limits(tools, tally, pool, build, everything)
            print(f" {part}: {tally.passed - before[0]} passed, {tally.failed - before[1]} failed", flush=True)
    for code, number in sorted(tally.refused.items()):
        print(f"check-msl: {number} refused with {code}, as documented")
    print(f"check-msl: {tally.passed} passed, {tally.failed} failed")
    sys.exit(0 if tally.failed == 0 and tally.passed > 0 else 1)


if __name__ == "__main__":
    main()
