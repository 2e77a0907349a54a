#!/usr/bin/env python3
"""The steps of make check and make check-all, run side by side as cores and memory allow.

usage: check.py check|all|rest [STEP...]
  check   before every commit: every program on every target, vendors' compilers on tests/representative.txt, a sample of the rest
  all     everything; "rest" is what "all" has beyond "check" (CI runs "check", then "rest")
  STEP    only these steps, and the builds they need
CHECK_MINUTES=N starts no further step after N minutes: those left are skipped, by name and with that reason.

A step prints one line with its figures when it ends; its whole output is in build/check/STEP.log and is shown if it fails.
A missing tool fails a step in CI (CI=true); elsewhere the step is skipped, and the skipped are listed at the end with the reason.
"""

import collections
import os
import re
import shutil
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CI = os.environ.get("CI") == "true"
MAKE = os.environ.get("MAKE", "make")
CORES = os.cpu_count() or 2
LOGS = os.path.join(ROOT, "build", "check")
MINUTES = float(os.environ.get("CHECK_MINUTES") or "inf")
STARTED = time.time()

# --- The steps --------------------------------------------------------------------------------------------------------------

CHECK, REST = "check", "rest"
Step = collections.namedtuple("Step", "tier name title command needs after memory")
STEPS = []


def step(tier, name, title, command, needs="", after="build", memory=1):
    """needs: programs, or functions of this file that return a reason; after: steps; memory: GiB at most."""
    STEPS.append(Step(tier, name, title, command, needs.split(), after.split(), memory))


def build(*arguments):
    return f"{MAKE} -j{CORES} WERROR=1 " + " ".join(arguments)


TESTS = "sh scripts/run-tests.sh"
# One sanitizer build for unit tests, programs, tools, failing allocations and fuzzing: clang's, with counters for the fuzzer.
SAN = build("FUZZ=1", 'CC="$FUZZ_CC"', "all tests harden-tests fuzzers")

# Debian's PyYAML is for Debian's interpreter, which may not be the first one.
YAML_PYTHON = "for p in python3 /usr/bin/python3; do $p -c 'import yaml' 2>/dev/null && echo $p && break; done"

# Builds and the longest steps come first in the list, so that they start first.
step(CHECK, "build", "release build, warnings are errors", build("all tests harden-tests plugins", "$(sh scripts/find-sycl.sh --cpu >/dev/null && echo sycl-tests)"),
     "cc criterion", after="")
step(CHECK, "san-build", "ASan and UBSan build with clang, warnings are errors", SAN, "clang criterion")
step(CHECK, "runtime", "every program through the runtime: emulator, simulated CUDA and HIP, Intel's CPU device at -O2",
     "sh scripts/check-hwtest.sh build", "python3 sycl", memory=6)
step(REST, "sycl", "every program as SYCL on Intel's CPU device, every width, -O0 and -O2, --bounds; the launchers",
     "sh scripts/check-sycl.sh build --all", "c++ sycl", memory=6)
step(REST, "lint", "clang-tidy on every file, cppcheck", f"{MAKE} -j{CORES} -k lint", "clang-tidy cppcheck", memory=2)
step(REST, "hip", "every program as HIP through AMD's compiler: every GPU, fused operations, linking, limits",
     "sh scripts/check-hip.sh build --all", "python3 clang19", memory=3)
step(REST, "simt-all", "every program on the lane harness: HIP, MSL and SYCL, every width and architecture, --bounds",
     f"{TESTS} build simt-all msl-all", "clang19", memory=3)
step(REST, "fuzz", "fuzz targets, a bounded run", "sh scripts/fuzz.sh smoke", "clang python3", after="san-build", memory=4)
step(REST, "random", "random programs, 500 seeds, on the emulator and every target, compared", "sh scripts/random.sh check build",
     "clang19", memory=3)
step(REST, "harden", "failing allocations, threads under ThreadSanitizer", "sh scripts/check-harden.sh", "clang", after="san-build", memory=2)
step(REST, "san-rest", "programs and tools under ASan and UBSan", f"{TESTS} build/fuzz programs cli", after="san-build")

step(CHECK, "macos", "cross-build for macOS with Apple's libc headers, warnings are errors", f"sh scripts/check-macos.sh -j{CORES}", "python3 zig", after="")
step(CHECK, "hwresults", "hwtest as a CI job: results of a killed run, time limits, required devices, the report", "sh scripts/check-hwresults.sh build",
     "python3")
step(CHECK, "unit", "unit tests and golden files", f"{TESTS} build unit", "criterion")
step(CHECK, "targets", "every program on the lane harness as HIP, MSL and SYCL: all at -O2, half at -O0", f"{TESTS} build targets", "clang19",
     memory=2)
step(CHECK, "sycl-part", "the representative programs as SYCL on Intel's CPU device; the launchers", "sh scripts/check-sycl.sh build --representative",
     "c++ sycl", memory=4)
step(CHECK, "san", "unit tests, examples and a sample of allocations that fail, under ASan and UBSan", f"{TESTS} build/fuzz unit examples fail-alloc",
     "criterion", after="san-build")
step(CHECK, "hip-part", "the representative programs as HIP through AMD's compiler, fused operations, linking",
     "sh scripts/check-hip.sh build --representative samples programs link", "python3 clang19", memory=2)
step(CHECK, "ptxas-part", "the representative programs as PTX through ptxas", "python3 tests/tools/check_ptxas.py --representative", "python3 ptxas")
step(CHECK, "msl", "every program as Metal through the strict check, its own samples", "sh scripts/check-msl.sh build samples golden programs",
     "python3 clang19")
step(CHECK, "cli", "command line tests", f"{TESTS} build cli")
step(CHECK, "documents", "every command, sample and output of the documents", f"{TESTS} build documents", "python3")
step(CHECK, "programs", "examples and test programs on the emulator, and as PTX on the interpreter, -O0 and -O2, three schedules",
     f"{TESTS} build programs ptx")
step(CHECK, "wbin", "every program as WBIN again on the emulator, -O0 and -O2; random programs, also after each pass",
     "sh scripts/check-wbin.sh build 12")
step(CHECK, "wbin-count", "wave-instructions of every program after wavec --target=wbin: never more, and the mean reaches its goal",
     "python3 bench/wbin.py --judge counts", "python3")
step(CHECK, "fences", "fences and barriers in the vendors' machine code", "sh scripts/check-fences.sh build",
     "python3 clang19 ptxas nvdisasm")
step(CHECK, "harness", "kernels with a fence left out fail on every harness", "WAVE_BIN=$PWD/build/bin sh tests/harness/fences.sh", "clang19")
step(CHECK, "lockstep", "files that rely on lockstep, with --wave-order=lockstep and without", "sh scripts/check-lockstep.sh build", "clang19")
step(CHECK, "fast", "approximations with noise, within the tolerance of each", "sh scripts/check-fast.sh build", "clang19")
step(CHECK, "deterministic", "float sums whose bits depend on the order, with --deterministic and without",
     "sh scripts/check-deterministic.sh build", "clang19")
step(CHECK, "exact-code", "roundings in the machine code of AMD and NVIDIA", "python3 tests/tools/check_exact_code.py build",
     "python3 clang19 ptxas nvdisasm")
step(CHECK, "names-part", "kernels named like every word of PTX and Metal; a few run on Intel's device",
     "python3 tests/tools/check_names.py --build=build ptx msl device", "python3 clang19 ptxas sycl")
step(CHECK, "random-part", "random programs, 60 seeds, on the emulator and every target, compared", "sh scripts/random.sh sample build", "clang19",
     memory=2)
step(CHECK, "expected", "expected values against their independent calculations", "sh scripts/check-expected.sh", "python3", after="")
step(CHECK, "examples-build", "examples/build with make and CMake, against an installed wavec", "sh scripts/check-examples-build.sh build",
     "pkg-config sycl")
step(CHECK, "opencl", "OpenCL kernels through wave-cc, on the emulator and as PTX on the interpreter", "sh scripts/check-opencl.sh build", "clang22")
step(CHECK, "opencl-math-part", "errors of OpenCL's functions against long double, 2^19 arguments each", "build/tests/clmath -s 19")
step(CHECK, "opencl-library", "the SPIR-V of OpenCL's functions is made from their sources", "python3 scripts/opencl-library.py --check", "python3", after="")
step(CHECK, "playground", "the playground in a headless browser: every example gives the tools' output; runs; links to lines", "sh scripts/check-playground.sh build",
     "python3 zig chromium")
step(CHECK, "python", "the Python package: a wheel in a fresh environment without a compiler, its tests, types and document",
     "sh scripts/check-python.sh build", "python3 python_tools")
step(CHECK, "install", "install, use through pkg-config, uninstall", "sh scripts/check-install.sh build", "pkg-config")
step(CHECK, "deb", "Debian packages: built, installed, used, removed; the source archive", "sh scripts/check-deb.sh build", "dpkg-deb pkg-config")
step(CHECK, "demo", "the README's first command", f"{MAKE} WERROR=1 demo")
step(CHECK, "rebuild", "dependencies of the build", "sh scripts/check-rebuild.sh WERROR=1")
step(CHECK, "tidy", "clang-tidy and cppcheck on the files changed since the last shared commit", "sh scripts/check-lint.sh",
     "clang-tidy cppcheck lint_later", after="")
step(CHECK, "scripts", "the scripts behind these steps", "python3 tests/tools/test_scripts.py", "python3", after="")
step(CHECK, "workflows", "the workflows of GitHub Actions: syntax, and that what they call exists", f"$({YAML_PYTHON}) tests/tools/test_workflows.py",
     "python3 pyyaml", after="")
step(CHECK, "format", "clang-format", f"{MAKE} format-check", "clang-format", after="")
step(CHECK, "text", "documents, scripts, leftovers", "sh scripts/check-text.sh", after="")

step(REST, "names", "kernels named like everything that the vendors' headers declare", "python3 tests/tools/check_names.py --build=build hip sycl header",
     "python3 clang19 sycl")
step(REST, "ptxas", "every program as PTX through ptxas, every architecture", "python3 tests/tools/check_ptxas.py --all", "python3 ptxas")
step(REST, "ptxvm", "the PTX interpreter's samples and type rules, verified with ptxas", "sh scripts/check-ptxvm.sh", "ptxas")
step(REST, "msl-all", "every program as Metal 3.0, 3.1 and 3.2 through the strict check; limits", "sh scripts/check-msl.sh build --all",
     "python3 clang19", memory=2)
step(REST, "sycl-headers", "the SYCL plug-in with the headers of five oneAPI releases, or skipped; where they are searched for",
     "sh scripts/check-sycl-headers.sh", "c++ python3")
step(REST, "runtime-O0", "every program through the runtime on Intel's CPU device at -O0", "sh scripts/check-hwtest.sh build sycl-O0",
     "python3 sycl", memory=6)
step(REST, "lines", "source lines in the machine code's table of lines, with -g", "sh scripts/check-lines.sh build", "clang19 ptxas nvdisasm")
step(REST, "wbin-all", "more random programs as WBIN again, also after each pass", "sh scripts/check-wbin.sh build 150", memory=2)
step(REST, "wbin-machine", "machine code of PTX and HIP from optimised WBIN, against that from the original",
     "python3 bench/wbin.py --judge --every 12 ptx hip", "python3 ptxas nvdisasm clang19", memory=2)
step(REST, "tiles", "programs with tiles on matrix units: every target with --mma=native", "sh scripts/check-tiles.sh build", "clang19", memory=2)
step(REST, "math", "fsin, fcos, fexp2, flog2 against double precision, every 1009th input", "sh scripts/check-math.sh 1009")
step(REST, "opencl-all", "OpenCL kernels through wave-cc on every harness, from clang's unoptimised code too", "sh scripts/check-opencl.sh build --all",
     "clang22 clang19", memory=3)
step(REST, "opencl-judge", "the OpenCL kernels on real OpenCL implementations: the expected values are right", "sh scripts/check-opencl-judge.sh build",
     "python3 sycl", memory=3)
step(REST, "opencl-math", "errors of OpenCL's functions against long double, 2^24 arguments each", "build/tests/clmath")
step(REST, "opencl-bits", "OpenCL's functions in kernels: the emulator's bits on every target", "python3 tests/tools/opencl_bits.py build tests/opencl/math/*.cl",
     "python3 clang19 clang22 wave_cc")
step(REST, "representative", "the representative programs still reach every printed form", "python3 tests/tools/representative.py --check",
     "python3 clang")
step(REST, "clang-build", "clang build, warnings are errors", build('CC="$FUZZ_CC"', "BUILD=build/clang all tests"), "clang criterion")
step(REST, "clang-tests", "unit tests and examples in the clang build", f"{TESTS} build/clang unit examples", after="clang-build")
step(REST, "clang-text", "wavec prints the same whether gcc or clang compiled it", "python3 tests/tools/check_same_text.py build build/clang",
     "python3", after="clang-build")
step(REST, "clang19-build", "clang 19 build, warnings are errors", build("CC=clang-19 BUILD=build/clang19 all tests"), "clang-19 criterion")
step(REST, "clang22-build", "clang 22 build, warnings are errors", build("CC=clang-22 BUILD=build/clang22 all tests"), "clang22 criterion")
step(REST, "musl-build", "musl build, warnings are errors", build("CC=musl-gcc BUILD=build/musl all runner"), "musl-gcc")
step(REST, "musl", "examples with musl", "sh scripts/check-musl.sh", after="musl-build")
step(REST, "hostile", "hostile files through every tool: memory and time", "python3 tests/harden/hostile.py --size 1048576 --no-count", "python3")

# --- What a machine may lack: each returns a reason, or nothing -------------------------------------------------------------------


def output(command):
    done = subprocess.run(command, cwd=ROOT, shell=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.decode().strip() if done.returncode == 0 else ""


def criterion():
    there = subprocess.run("echo '#include <criterion/criterion.h>' | cc -E $(pkg-config --cflags criterion 2>/dev/null) -", shell=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0
    return "" if there else "the Criterion library is not installed"


def clang19():
    return "" if output("sh scripts/find-clang.sh") else "clang++ of version 19 or newer is not installed"


def offered(package):
    """Whether this system could install it."""
    return bool(output(f"apt-cache show {package}"))


def clang22():
    """Not available on every system that we build on."""
    if shutil.which("clang-22"):
        return ""
    return "clang-22 is not installed" if offered("clang-22") else NOT_OFFERED.format("clang-22")


def wave_cc():
    return "" if os.path.exists(os.path.join(ROOT, "src", "cli", "wave_cc.c")) else "this tree has no wave-cc"


def pyyaml():
    return "" if output(YAML_PYTHON) else "PyYAML (python3-yaml) is not installed"


def ptxas():
    return "" if output("sh scripts/find-ptxas.sh --install") else "ptxas is not installed, and installing it failed"


def nvdisasm():
    return "" if output("sh scripts/find-nvdisasm.sh --install") else "nvdisasm is not installed, and installing it failed"


def sycl():
    return "" if output("sh scripts/find-sycl.sh --install") else "Intel's SYCL run time is not installed, and installing it failed"


def chromium():
    """Not available on every system that we build on."""
    if shutil.which("chromium") and shutil.which("chromedriver"):
        return ""
    return "chromium and chromium-driver are not installed" if offered("chromium-driver") else NOT_OFFERED.format("chromium-driver")


def python_tools():
    return "" if output("sh scripts/find-python.sh --install") else "numpy, pytest, mypy and setuptools are not installed, and installing them failed"


def zig():
    return "" if output("sh scripts/find-zig.sh --install") else "zig is not installed, and installing it failed"


def lint_later():
    """In CI the step "lint" checks every file."""
    return "in CI the step lint checks every file" if CI and "lint" in LATER else ""


LATER = set()
NOT_OFFERED = "{} is not among this system's packages"


def missing(needs):
    """(reason, whether that is acceptable in CI) of the first missing requirement."""
    for need in needs:
        function = globals().get(need)
        reason = function() if callable(function) else "" if shutil.which(need) else f"{need} is not installed"
        if reason:
            return reason, need == "lint_later" or reason.endswith(NOT_OFFERED.format(""))
    return "", True


# --- Running them -----------------------------------------------------------------------------------------------------------

SUMS = re.compile(r"(?:^|[^0-9])(\d+) passed, (\d+) failed")
NAMED = re.compile(r"^ *(\S.*?): (\d+) passed, (\d+) failed.*?\((\d+(?:\.\d+)?) s\)", re.M)
FIGURES = re.compile(r"^(?! ).*(?:executions|left out|max error|refused|reach \d+ of).*$", re.M)


class Outcome:
    def __init__(self, one):
        self.step, self.verdict, self.reason = one, "ok", ""
        self.passed = self.failed = 0
        self.seconds = self.processor = 0.0
        self.log = ""


def run(one):
    """Runs a step and reads its figures; a step that counts nothing itself counts as one test. A step that reports failures fails,
    whatever its exit status: a script may lose it."""
    result = Outcome(one)
    path = os.path.join(LOGS, one.name + ".log")
    started = time.time()
    with open(path, "wb") as log:
        process = subprocess.Popen(["sh", "-c", one.command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    result.seconds = time.time() - started
    result.processor = usage.ru_utime + usage.ru_stime
    with open(path, encoding="utf-8", errors="replace") as log:
        result.log = log.read()
    figures = SUMS.findall(result.log)
    passed, failed = map(int, figures[-1]) if figures else (0, 0)
    if process.returncode == 0 and failed == 0:
        result.passed = passed or 1
        return result
    result.verdict = "FAILED"
    result.passed, result.failed = passed, max(failed, 1)
    return result


def available_memory():
    """GiB that a step may use; if unknown, enough for one step at a time."""
    try:
        with open("/proc/meminfo", encoding="utf-8") as file:
            return int(re.search(r"MemAvailable: *(\d+)", file.read()).group(1)) / (1 << 20)
    except (OSError, AttributeError):
        return 4.0


def report(result):
    one = result.step
    counts = f"{result.passed} passed, {result.failed} failed"
    if result.verdict == "skipped":
        print(f"-- {one.name}: skipped: {result.reason}")
    else:
        print(f"{'ok' if result.verdict == 'ok' else '!!'} {one.name}: {counts} ({result.seconds:.0f} s)   {one.title}")
        for line in FIGURES.findall(result.log)[:12]:
            print("     " + line)
    if result.verdict == "FAILED":
        for line in (result.log or result.reason).splitlines()[-80:]:
            print("   | " + line)
        print(f"   {one.name} failed; the whole output is in build/check/{one.name}.log")
    sys.stdout.flush()


class Schedule:
    """Steps start in the order of the list, as soon as their requirements are done; at most one per core at a
    time."""

    def __init__(self, steps):
        self.waiting = list(steps)
        self.running = {}
        self.done = {}
        self.changed = threading.Condition()
        self.memory = 0.8 * available_memory()

    def ready(self, one):
        names = {other.name for other in self.waiting} | set(self.running)
        return not any(name in names for name in one.after)

    def broken(self, one):
        return next((name for name in one.after if name in self.done and self.done[name].verdict != "ok"), "")

    def fits(self, one):
        used = sum(other.memory for other in self.running.values())
        return not self.running or (len(self.running) < max(2, CORES) and used + one.memory <= self.memory)

    def settle(self, one):
        """The outcome of a step that cannot run, or nothing."""
        result = Outcome(one)
        before = self.broken(one)
        if before:
            result.verdict, result.reason = self.done[before].verdict, f"{before} did not succeed"
        elif time.time() - STARTED >= 60 * MINUTES:
            result.verdict, result.reason = "skipped", f"the {MINUTES:.0f} minutes of this run are used up"
        else:
            result.reason, fine = missing(one.needs)
            if not result.reason:
                return None
            result.verdict = "FAILED" if CI and not fine else "skipped"
        result.failed = int(result.verdict == "FAILED")
        return result

    def work(self, one):
        try:
            result = run(one)
        except Exception as problem:  # a full disk, for example: the run must not wait for this step forever
            result = Outcome(one)
            result.verdict, result.failed, result.reason = "FAILED", 1, f"{type(problem).__name__}: {problem}"
        with self.changed:
            del self.running[one.name]
            self.done[one.name] = result
            self.changed.notify_all()
            report(result)

    def run(self):
        with self.changed:
            while self.waiting or self.running:
                started = False
                for one in [one for one in self.waiting if self.ready(one) and self.fits(one)]:
                    if not self.fits(one):
                        continue
                    self.waiting.remove(one)
                    result = self.settle(one)
                    if result:
                        self.done[one.name] = result
                        report(result)
                    else:
                        self.running[one.name] = one
                        threading.Thread(target=self.work, args=(one,), daemon=True).start()
                    started = True
                if not started:
                    self.changed.wait()
        return list(self.done.values())


def show_times(results, seconds):
    print("\nwhere the time went: seconds, processor seconds, step")
    for result in sorted(results, key=lambda result: -result.seconds):
        if result.seconds >= 1:
            print(f"  {result.seconds:5.0f} {result.processor:6.0f}  {result.step.name}")
    print(f"  {seconds:5.0f} {sum(result.processor for result in results):6.0f}  in all")
    named = [(float(took), f"{result.step.name}: {name}") for result in results for name, _, _, took in NAMED.findall(result.log)]
    print("the slowest tests")
    for took, name in sorted(named, reverse=True)[:12]:
        print(f"  {took:5.0f}  {name}")


def chosen(tier, names):
    """The steps of a tier, or the named ones with the builds they need."""
    if not names:
        wanted = [one for one in STEPS if tier == "all" or one.tier == tier]
    else:
        unknown = sorted(set(names) - {one.name for one in STEPS})
        if unknown:
            raise SystemExit(f"check: no such step: {' '.join(unknown)}\nsteps: {' '.join(one.name for one in STEPS)}")
        wanted = [one for one in STEPS if one.name in names]
    for _ in range(3):  # builds of builds
        needed = {name for one in wanted for name in one.after}
        wanted = [one for one in STEPS if one in wanted or one.name in needed]
    if tier == "all" and not names:  # a step that another one includes
        wanted = [one for one in wanted if one.name not in ("tidy", "hip-part", "ptxas-part", "sycl-part", "random-part", "msl")]
    return wanted


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in ("check", "all", "rest"):
        raise SystemExit(__doc__)
    tier = sys.argv[1]
    LATER.update(["lint"] if tier == CHECK else [])
    os.chdir(ROOT)
    steps = chosen(tier, sys.argv[2:])
    os.makedirs(LOGS, exist_ok=True)
    for one in steps:
        if os.path.exists(os.path.join(LOGS, one.name + ".log")):
            os.remove(os.path.join(LOGS, one.name + ".log"))
    os.environ["WAVE_TEST_CACHE"] = output("python3 tests/tools/cache.py folder")
    os.makedirs(os.environ["WAVE_TEST_CACHE"], exist_ok=True)
    print(output("python3 tests/tools/cache.py prune"))
    # Installed once, before steps that run at the same time look for it.
    found = output("sh scripts/find-ptxas.sh --install")
    if found:
        os.environ["PTXAS"] = found
    results = Schedule(steps).run()
    seconds = time.time() - STARTED
    show_times(results, seconds)
    for result in results:
        if result.verdict == "skipped":
            print(f"skipped: {result.step.name}: {result.reason}")
    bad = [result.step.name for result in results if result.verdict == "FAILED"]
    if bad:
        print("failed: " + " ".join(bad))
    passed, failed = sum(result.passed for result in results), sum(result.failed for result in results)
    skipped = sum(result.verdict == "skipped" for result in results)
    closing = f"{tier}: {passed} passed, {failed} failed, {skipped} skipped"
    with open(os.path.join(LOGS, tier + ".closing"), "w", encoding="utf-8") as file:
        file.write(closing + "\n")
    print(closing)
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
