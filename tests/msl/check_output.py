#!/usr/bin/env python3
"""Passes the Metal output of every example and test program to the strict check: clang with tests/msl/include, and
check_msl.py. A program may be rejected only with the codes that the reference documents, and only if it uses the feature in
question.

usage: check_output.py [--all|--representative] [--build=FOLDER] [--only=WORD] [samples|golden|programs|limits]...
  --all              Metal 3.0 and 3.1 besides 3.2, and kernels of full size in "limits"
  --representative   only tests/representative.txt
  --only=WORD        only programs with this word in their path
"""

import concurrent.futures
import contextlib
import io
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "tests", "tools")]
import cache  # noqa: E402
import check_msl  # noqa: E402
import programs as shared  # noqa: E402
import test_samples  # noqa: E402

WORKERS = 2
BATCH = 40
# Rejections: what a program must contain for each, and the versions that have it.
REFUSED_FOR = {
    "E_TARGET_F64": (re.compile(r"^[^;#\n]*\b(?:d(?:add|sub|mul|ma|div|sqrt|neg|abs|min|max|floor|ceil|round|trunc|cmp_\w+)|cvt_f64_\w+|cvt_\w+_f64)\b", re.M), ("3.0", "3.1", "3.2")),
    "E_TARGET_ATOMIC64": (re.compile(r"^[^;#\n]*\b(?:local_)?atomic64_\w+", re.M), ("3.0", "3.1", "3.2")),
    "E_TARGET_FENCE": (re.compile(r"^[^;#\n]*(?:\bfence_\w+ *\.?(workgroup|device|system)|\.(?:acquire|release|acq_rel|seq_cst)\b)", re.M), ("3.0", "3.1")),
}
# options of wave2text, and to which fraction of the programs they apply (one in N)
USUAL = (
    (("--arch=metal3.2", "-O2"), 1),
    (("--arch=metal3.2", "-O0"), 1),
    (("--arch=metal3.2", "-O2", "--bounds"), 8),
    (("--arch=metal3.2", "-O2", "--fast"), 8),
    (("--arch=metal3.0", "-O2"), 8),
)
EVERYTHING = tuple(((f"--arch=metal{version}", level), 1) for version in ("3.2", "3.1", "3.0") for level in ("-O2", "-O0")) + tuple(
    (("--arch=metal3.2", "-O2", flag), 1) for flag in ("--bounds", "--fast", "-g"))


class Tools:
    """clang, a folder, and earlier passes: a batch that has passed is not checked again until something changes."""

    def __init__(self, clang, work):
        self.clang = clang
        self.work = work
        about = subprocess.run([clang, "--version"], capture_output=True, check=False).stdout.decode()
        for place, _, names in sorted(os.walk(HERE)):
            for name in sorted(names):
                if name.endswith((".py", ".h", ".txt")) or name == "metal_stdlib":
                    with open(os.path.join(place, name), encoding="utf-8") as file:
                        about += file.read()
        self.cache = cache.Cache("msl", about)

    def compile(self, version, items, name):
        """clang's messages by the number of the item."""
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
        """Messages of both tools by the number of the item."""
        texts = [text for _, _, text in items]
        if self.cache.get(version, *texts) is not None:
            return {}
        found = self.compile(version, items, name)
        for number, path, text in items:
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                good = check_msl.Checker(path, check_msl.VERSIONS[version], True).run(text)
            if not good:
                found[number] = found.get(number, "") + said.getvalue()
        if not found:
            self.cache.put("", version, *texts)
        return found


def check_batch(clang, work, version, items, name):
    """In a separate process: the checker is Python code, and threads would run one at a time."""
    return Tools(clang, work).check(version, items, name)


def note_refusal(tally, program, title, version, log):
    code = shared.refusal_code(log)
    good = code in shared.REFUSALS
    if code in REFUSED_FOR:
        wanted, versions = REFUSED_FOR[code]
        with open(os.path.join(ROOT, program), encoding="utf-8") as file:
            good = version in versions and wanted.search(file.read()) is not None
    if good:
        tally.refuse(code)
    else:
        tally.add(False, f"{program} for {title}", log)


def without_matrices(programs, title):
    """The programs without tiles. --fast compiles tiles to Metal's matrix classes, which clang cannot copy as Metal does; the lane
    harness runs those programs."""
    def has_tiles(program):
        with open(os.path.join(ROOT, program), encoding="utf-8") as file:
            return re.search(r"^[^;#\n]*\bt\d+\b", file.read(), re.M) is not None

    kept = [program for program in programs if not has_tiles(program)]
    if len(kept) < len(programs):
        print(f"left out for {title}: {len(programs) - len(kept)} programs with tiles, which clang cannot read as Metal")
    return kept


def check_programs(tools, tally, pool, build, configurations, only):
    work = []
    for index, (options, wanted) in enumerate(configurations):
        programs = shared.chosen(index, wanted, only)
        title = " ".join(options)
        if "--fast" in options:
            programs = without_matrices(programs, title)
        version = next(word[12:] for word in options if word.startswith("--arch=metal"))
        folder = os.path.join(tools.work, re.sub(r"[^\w.]+", "-", title))
        texts, refused = shared.emit(build, "msl", folder, programs, options)
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
        texts, refused = shared.emit(build, "msl", os.path.join(tools.work, "limits" + level), sources, [level])
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
    """The reviewed golden texts, each checked as the version it is for."""
    folder = os.path.join(ROOT, "tests", "golden", "msl")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".metal"):
            continue
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        version = re.match(r"// WAVE kernels for metal(\d\.\d)", text).group(1)
        if "simdgroup_matrix" in text:
            print(f"left out: tests/golden/msl/{name} uses matrix units, which clang cannot read as Metal")
            continue
        found = tools.check(version, [(0, path, text)], f"golden-{name}")
        tally.add(not found, f"tests/golden/msl/{name}", found.get(0, ""))


PARTS = ("samples", "golden", "programs", "limits")


def find_clang():
    """clang next to clang++: the same program under this name reads OpenCL."""
    done = subprocess.run(["sh", os.path.join(ROOT, "scripts", "find-clang.sh")], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        wanted = os.environ.get("CI") == "true"
        print(f"check-msl: {'' if wanted else 'skipped: '}clang 19 is not installed")
        sys.exit(1 if wanted else 0)
    return done.stdout.strip()


def main():
    given = shared.arguments(sys.argv[1:], PARTS, __doc__)
    build, extent = given["build"], given["extent"]
    work = os.path.join(build, "check-msl")
    os.makedirs(work, exist_ok=True)
    tools = Tools(find_clang(), work)
    tally = shared.Tally()
    with concurrent.futures.ProcessPoolExecutor(WORKERS) as pool:
        for part in given["parts"]:
            before = tally.passed, tally.failed
            if part == "samples":
                passed, failed = test_samples.run(tools.clang, os.path.join(work, "samples"))
                tally.passed += passed
                tally.failed += failed
            elif part == "golden":
                check_golden(tools, tally)
            elif part == "programs":
                configurations = {"all": EVERYTHING, "usual": USUAL}.get(extent) or shared.representative("msl")
                check_programs(tools, tally, pool, build, configurations, given["only"])
            else:
                check_limits(tools, tally, pool, build, extent == "all")
            print(f" {part}: {tally.passed - before[0]} passed, {tally.failed - before[1]} failed", flush=True)
    sys.exit(tally.close("check-msl"))


if __name__ == "__main__":
    main()
