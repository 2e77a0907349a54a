"""Shared by the checks of vendors' compilers: the list of test programs, the subset that reaches every printed form
(tests/representative.txt, made by representative.py), the texts that wavec emits for them, and counting."""

import os
import re
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REPRESENTATIVE = os.path.join(ROOT, "tests", "representative.txt")
# Refusals of every target that the reference documents; anything else is a failure.
REFUSALS = ("E_RECURSION", "E_INLINE_LIMIT", "E_TARGET_LIMIT", "E_TILE_DIVERGENCE", "E_TILE_UNIFORM", "E_TILE_ALIGNMENT")


class Tally:
    """Passed, failed, and refusals by code."""

    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.refused = {}

    def add(self, good, title, messages=""):
        if good:
            self.passed += 1
            return
        self.failed += 1
        print("\n".join([f"FAILED {title}", *(f"  {line}" for line in messages.strip().splitlines()[:12])]), flush=True)

    def refuse(self, code):
        self.refused[code] = self.refused.get(code, 0) + 1

    def refusals(self, refused, documented, programs, title):
        """The programs that wavec refused, (number of the program, its output): documented codes are counted, all others are
        failures."""
        for number, log in refused:
            code = refusal_code(log)
            if code in documented:
                self.refuse(code)
            else:
                self.add(False, f"{programs[number]} for {title}", log)

    def take(self, work):
        """Collects the results of (title, programs, items, future): the future returns the failures, by program
        number."""
        for title, programs, items, future in work:
            found = future.result()
            for number, _, _ in items:
                self.add(number not in found, f"{programs[number]} for {title}", found.get(number, ""))

    def close(self, name):
        """Prints the summary and returns the exit status."""
        for code, number in sorted(self.refused.items()):
            print(f"{name}: {number} refused with {code}, as documented")
        print(f"{name}: {self.passed} passed, {self.failed} failed")
        return 0 if self.failed == 0 and self.passed > 0 else 1


def refusal_code(log):
    found = re.search(r"\bE_\w+", log)
    return found.group() if found else ""


def list_programs(only=""):
    """Every example and test program, in a fixed order."""
    found = []
    for folder in ("examples", "tests/programs"):
        for place, _, names in os.walk(os.path.join(ROOT, folder)):
            found += [os.path.relpath(os.path.join(place, name), ROOT) for name in names if name.endswith(".wave")]
    return [path for path in sorted(found) if only in path]


def representative(target):
    """[(options of wave2text, programs)] of one target. Lines of the list: TARGET OPTION… PROGRAM."""
    groups = {}
    with open(REPRESENTATIVE, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and words[0] == target:
                groups.setdefault(tuple(words[1:-1]), []).append(words[-1])
    return list(groups.items())


def chosen(index, wanted, only):
    """The programs of a check's index-th configuration: those named, or one in `wanted`."""
    return list_programs(only)[index % wanted :: wanted] if isinstance(wanted, int) else wanted


def emit(build, target, folder, programs, options):
    """Runs wave2text once: (number, path, text) of the compiled programs and (number, diagnostics) of the others."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    tool = os.path.join(build, "tests", "wave2text")
    done = subprocess.run([tool, f"--target={target}", *options, f"--out={folder}", *programs], cwd=ROOT, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise SystemExit(f"wave2text {' '.join(options)}: exit status {done.returncode}: {done.stdout.decode(errors='replace')[:500]}")
    texts, refused = [], []
    made = {}
    for name in os.listdir(folder):
        number, _, suffix = name.partition(".")
        made[int(number)] = suffix
    for number in range(len(programs)):
        path = os.path.join(folder, f"{number}.{made[number]}")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if made[number] == "log":
            refused.append((number, text))
        else:
            texts.append((number, path, text))
    return texts, refused


def batches(items, most_kernels, most_bytes):
    """Items (number, path, text) in groups large enough to be worth starting a compiler."""
    group, size = [], 0
    for item in items:
        if group and (len(group) == most_kernels or size + len(item[2]) > most_bytes):
            yield group
            group, size = [], 0
        group.append(item)
        size += len(item[2])
    if group:
        yield group


def arguments(argv, parts, usage):
    """The options that all checks have: build folder, --all or --representative, --only=WORD, names of
    parts."""
    given = {"build": "build", "only": "", "extent": "usual", "parts": []}
    for word in argv:
        if word == "--all":
            given["extent"] = "all"
        elif word == "--representative":
            given["extent"] = "representative"
        elif word.startswith("--build="):
            given["build"] = word[8:]
        elif word.startswith("--only="):
            given["only"] = word[7:]
        elif word in parts:
            given["parts"].append(word)
        else:
            raise SystemExit(usage)
    given["build"] = os.path.abspath(given["build"])
    given["parts"] = given["parts"] or list(parts)
    return given
