#!/usr/bin/env python3
"""Runs the contents of the documents: every command, every sample and every output in README.md, docs/ and related files.

usage: check_docs.py BUILD [--update] [DOCUMENT...]
--update writes the output of the commands in "from" comments into the documents; review the difference before committing it.

The info string of a fence determines how it is checked:
  sh            the commands run as pasted, in order, in a copy of the checkout (all blocks of a document in the same one)
  sh PROGRAM    the same where ptxas, pkg-config or clang-22 is installed, as it must be in CI
  sh WHY        they do not run here; WHY is long, gpu, mac or root. Their tools, options, make targets and scripts must exist
  console       each "$ command" runs, and prints exactly what follows it
  c             compiles as C11 and as C++17 without a warning
  wave          assembles without a warning
  ANY tour …    is checked by tour.py
  anything else must not look like a command
A comment <!-- from: COMMAND --> before a fence: the block is exactly what COMMAND prints.
Inline code that starts with one of our tools, make or a script is checked like "sh WHY".
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REASONS = {"long", "gpu", "mac", "root"}
PROGRAMS = {"ptxas": "sh scripts/find-ptxas.sh", "pkg-config": "command -v pkg-config", "clang-22": "command -v clang-22"}
TOOLS = ["wavec", "wave-asm", "wave-cc", "wave-dis", "wave-emu", "wave-run", "wave-test"]
COMMAND = re.compile(r"(?:\$ )?(?:[A-Z_]+=\S+ )*(?:build/(?:bin|tests)/)?(%s|make|cmake|cc|c\+\+|sh|python3|scripts/\S+\.sh)(?= |$)" % "|".join(TOOLS))
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "examples/README.md", "examples/build/README.md", "hwtests/README.md", "tests/README.md"]
SECTIONS = ["using", "reference", "inside"]  # the folders of docs/
LIMIT = 300  # seconds for one block


def pages():
    """The documents below docs/, without their index."""
    found = glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)
    return sorted(os.path.relpath(path, ROOT) for path in found if os.path.relpath(path, ROOT) != "docs/README.md")


class Block:
    """A fence: its position, its info string, its lines, and the command that its text comes from."""

    def __init__(self, line, words, source):
        self.line, self.words, self.source, self.lines = line, words, source, []

    @property
    def text(self):
        return "".join(line + "\n" for line in self.lines)


def read(path):
    """The blocks of a document, and its other lines as (number, text)."""
    blocks, prose, source, block = [], [], None, None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file.read().split("\n"), 1):
            fence = re.match(r"```(.*)$", line)
            if block is not None:
                if fence:
                    blocks.append(block)
                    block = None
                else:
                    block.lines.append(line)
            elif fence:
                block, source = Block(number, fence.group(1).split(), source), None
            else:
                found = re.match(r"<!-- from: (.*) -->$", line)
                source = found.group(1) if found else source if not line.strip() else None
                prose.append((number, line))
    return blocks, prose


def entries(block):
    """The commands of a console block, each with the lines it prints."""
    found = []
    for line in block.lines:
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1][0] += "\n" + line
        elif found:
            found[-1][1].append(line)
    return found


def make_targets(folder):
    """Make targets that a document in this folder may refer to."""
    targets = set()
    for path in [os.path.join(folder, "Makefile"), os.path.join(ROOT, "Makefile"), *glob.glob(os.path.join(ROOT, "**", "rules.mk"), recursive=True)]:
        with open(path, encoding="utf-8") as file:
            for names in re.findall(r"^([a-z][a-z0-9 -]*):(?!=)", file.read(), re.M):
                targets.update(names.split())
    return targets


class Checker:
    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.passed = self.failed = 0
        self.options = {}

    def verdict(self, ok, what, text=""):
        self.passed += bool(ok)
        self.failed += not ok
        if not ok:
            print(f"FAILED: {what}")
            if text:
                print("    " + text.rstrip().replace("\n", "\n    "))

    # ---- Running ----

    def scratch(self, document):
        """A copy of the checkout to work in: nothing that a command writes reaches the real one, except what make builds."""
        folder = tempfile.mkdtemp()
        for name in ("examples", "docs", "include", "runtime", "README.md", "scripts"):
            source = os.path.join(ROOT, name)
            (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, os.path.join(folder, name))
        os.symlink(self.build, os.path.join(folder, "build"))
        os.mkdir(os.path.join(folder, "home"))
        os.mkdir(os.path.join(folder, "bin"))
        make = os.path.join(folder, "bin", "make")
        with open(make, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{shutil.which("make")}" -C "{ROOT}" "$@"\n')
        os.chmod(make, 0o755)
        return os.path.join(folder, os.path.dirname(document)) if document.startswith("examples/build") else folder

    def run(self, folder, command):
        top = folder.split("/examples/build")[0]
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("WAVE_", "MAKE", "MFLAGS"))}
        environment["PATH"] = os.pathsep.join([os.path.join(top, "bin"), os.path.join(self.build, "bin"), os.path.join(self.build, "tests"),
                                               environment["PATH"]])
        environment.update(HOME=os.path.join(top, "home"), NO_COLOR="1")
        # Vendors' tools in the real HOME stay accessible.
        environment.setdefault("XDG_CACHE_HOME", os.path.join(os.path.expanduser("~"), ".cache"))
        try:
            done = subprocess.run(["sh", "-e", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            return 1, f"not done after {LIMIT} seconds"
        return done.returncode, done.stdout.decode("utf-8", "replace")

    # ---- Static checks ----

    def options_of(self, tool):
        if tool not in self.options:
            path = os.path.join(self.build, "bin", tool)
            done = subprocess.run([path, "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            text = done.stdout.decode()
            found = set(re.findall(r"--[a-z][a-z0-9-]*", text)) | set(re.findall(r"(?<![\w-])-[A-Za-z]\b", text))
            self.options[tool] = found | {"--help", "--version"}
        return self.options[tool]

    def look(self, where, command, folder):
        """Checks a command without running it."""
        command = re.sub(r"\s#.*$", "", command).strip()
        found = COMMAND.match(command)
        if not found:
            return
        name, words = found.group(1), command[found.end():].split()
        if name in TOOLS:
            for word in words:
                option = re.match(r"--[a-z][a-z0-9-]*|-[A-Za-z]", word)
                if option:
                    self.verdict(option.group(0) in self.options_of(name), f"{where}: {name} has no {option.group(0)}: {command}")
        elif name == "make":
            for word in words:
                if re.fullmatch(r"[a-z][a-z0-9-]*", word):
                    self.verdict(word in make_targets(folder), f"{where}: make has no target {word}: {command}")
        elif name.startswith("scripts/"):
            self.verdict(os.access(os.path.join(ROOT, name), os.X_OK), f"{where}: {name} cannot be run: {command}")
        elif name in ("sh", "python3") and words and "/" in words[0] and not words[0].startswith("-"):
            self.verdict(os.path.exists(os.path.join(ROOT, words[0])), f"{where}: there is no {words[0]}: {command}")

    # ---- The kinds of blocks ----

    def commands(self, where, block, folder):
        status, text = self.run(folder, block.text)
        self.verdict(status == 0, f"{where}: status {status}", text)

    def can_run(self, where, block):
        """Whether the commands of this block run here. Commands of make run only for the release build."""
        words = set(block.words[1:])
        known = sorted(REASONS | set(PROGRAMS))
        self.verdict(words <= set(known), f"{where}: {' '.join(words)} is not a reason; expected one of {' '.join(known)}")
        if words & REASONS or (self.build != os.path.join(ROOT, "build") and "make " in block.text):
            return False
        missing = [word for word in sorted(words & set(PROGRAMS))
                   if subprocess.run(PROGRAMS[word], shell=True, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0]
        if not missing or os.environ.get("CI") == "true":
            return True
        print(f"skipped: {where}: {', '.join(missing)} is not installed")
        return False

    def console(self, where, block, folder):
        found = entries(block)
        self.verdict(found, f"{where}: no command")
        for command, expected in found:
            _, text = self.run(folder, command)
            self.verdict(text == "".join(line + "\n" for line in expected), f"{where}: {command} prints something else", text)

    def compile(self, where, block, folder):
        path = os.path.join(folder, "sample.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(block.text)
        flags = f"-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I{ROOT}/include -I{ROOT}/tests -I{folder}/headers"
        os.makedirs(f"{folder}/headers/wave", exist_ok=True)
        shutil.copy(f"{ROOT}/runtime/wave_rt.h", f"{folder}/headers/wave/wave_rt.h")
        for compiler in ("cc -std=c11 -x c", "c++ -std=c++17 -x c++"):
            status, text = self.run(folder, f"{compiler} {flags} {path}")
            self.verdict(status == 0, f"{where}: {compiler.split()[0]} rejects it", text)

    def assemble(self, where, block, folder):
        with open(os.path.join(folder, "sample.wave"), "w", encoding="utf-8") as file:
            file.write(block.text)
        status, text = self.run(folder, "wave-asm -W error sample.wave -o sample.wbin")
        self.verdict(status == 0, f"{where}: wave-asm rejects it", text)

    def block(self, where, block, folder, home):
        kind = block.words[0] if block.words else ""
        if "tour" in block.words[1:2]:
            return
        if block.source:
            _, text = self.run(folder, block.source)
            self.verdict(text == block.text, f"{where}: not what this prints: {block.source}", text)
        if kind == "sh" and not self.can_run(where, block):
            for line in block.lines:
                self.look(where, line, home)
        elif kind in ("sh", "console", "c", "wave"):
            {"sh": self.commands, "console": self.console, "c": self.compile, "wave": self.assemble}[kind](where, block, folder)
        else:
            for line in block.lines:
                self.verdict(not COMMAND.match(line), f"{where}: a command in a block that is not run: {line}")

    # ---- Checks across all documents ----

    def samples(self):
        """The C files that readers are told to copy."""
        folder = self.scratch("")
        for name in sorted(os.listdir(os.path.join(ROOT, "examples"))):
            if name.endswith(".c"):
                block = Block(1, ["c"], None)
                with open(os.path.join(ROOT, "examples", name), encoding="utf-8") as file:
                    block.lines = file.read().split("\n")
                self.compile(f"examples/{name}", block, folder)
        shutil.rmtree(folder)

    def index(self):
        """docs/README.md has one line per document, in one of its sections."""
        with open(os.path.join(ROOT, "docs/README.md"), encoding="utf-8") as file:
            lines = re.findall(r"^\| \[.*?\]\(([^)#]+)\) \| .+ \|$", file.read(), re.M)
        for path in pages():
            name = path[len("docs/"):]
            self.verdict(lines.count(name) == 1, f"docs/README.md has {lines.count(name)} lines for {name}")
            self.verdict(os.path.dirname(name) in SECTIONS, f"{path} is in none of the folders {' '.join(SECTIONS)}")

    def folders(self):
        """tests/README.md has a row for every folder of tests/, and no others."""
        with open(os.path.join(ROOT, "tests/README.md"), encoding="utf-8") as file:
            rows = [line.split("|")[1] for line in file if line.startswith("| `")]
        named = {name.rstrip("/") for row in rows for name in re.findall(r"`([a-z0-9_]+/)`", row)}
        there = {entry.name for entry in os.scandir(os.path.join(ROOT, "tests")) if entry.is_dir() and entry.name != "__pycache__"}
        for name in sorted(there ^ named):
            self.verdict(False, f"tests/README.md: {name} " + ("has no row" if name in there else "does not exist"))
        self.verdict(named, "tests/README.md: no rows are found")

    def environment(self):
        """docs/using/environment.md lists every variable that the tools and the runtime read, and no others."""
        with open(os.path.join(ROOT, "docs/using/environment.md"), encoding="utf-8") as file:
            documented = {name for name in re.findall(r"`([A-Z][A-Z_]+)`", file.read())}
        used = set()
        for top in ("src", "runtime", "python"):
            for folder, _, names in os.walk(os.path.join(ROOT, top)):
                for name in names:
                    if name.endswith((".c", ".cpp", ".m")) or (name.endswith(".py") and "tests" not in os.path.relpath(folder, ROOT)):
                        with open(os.path.join(folder, name), encoding="utf-8") as file:
                            text = file.read()
                        for found in re.findall(r'getenv\("([A-Z_]+)"\)|environ.get\("(WAVEC_[A-Z_]+)"\)|"(WAVE_[A-Z_]+)"|(?<!/\* )"\$([A-Z_]+)/', text):
                            used.update(found)
        used -= {"", "WAVE_", "WAVE_WIDTH"}  # the prefix of header guards, a constant of the instruction set
        self.verdict(len(used) > 12, "the variables in the sources are not found", " ".join(sorted(used)))
        for name in sorted(used - documented):
            self.verdict(False, f"docs/using/environment.md: {name} is missing")
        for name in sorted(documented - used):
            self.verdict(False, f"docs/using/environment.md: nothing reads {name}")

    def widths(self):
        """The tables of README.md fit on a screen."""
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            for line in file:
                for cell in line.split("|") if line.startswith("|") else []:
                    self.verdict(len(cell.strip()) <= 100, f"README.md: a cell of {len(cell.strip())} characters: {cell.strip()}")

    # ---- One document ----

    def document(self, document):
        blocks, prose = read(os.path.join(ROOT, document))
        home = os.path.join(ROOT, "examples/build") if document.startswith("examples/build") else ROOT
        folder = self.scratch(document)
        for block in blocks:
            self.block(f"{document}:{block.line}", block, folder, home)
        for number, line in prose:
            self.verdict(not (line.startswith("    ") and COMMAND.match(line[4:])), f"{document}:{number}: a command outside a fence: {line}")
            for code in re.findall(r"`([^`]+)`", line):
                self.look(f"{document}:{number}", code, home)
        shutil.rmtree(folder.split("/examples/build")[0])


def update(checker, document):
    path = os.path.join(ROOT, document)
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    folder = checker.scratch(document)
    for block in reversed(read(path)[0]):
        if block.source:
            lines[block.line:block.line + len(block.lines)] = checker.run(folder, block.source)[1].rstrip("\n").split("\n")
    shutil.rmtree(folder)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def main():
    checker = Checker(sys.argv[1])
    arguments = sys.argv[2:]
    documents = [a for a in arguments if a != "--update"] or [*DOCUMENTS, "docs/README.md", *pages()]
    for document in documents:
        if "--update" in arguments:
            update(checker, document)
        checker.document(document)
    if len(documents) > 1:
        checker.samples()
        checker.index()
        checker.folders()
        checker.environment()
        checker.widths()
    print(f"documents: {checker.passed} passed, {checker.failed} failed")
    return 0 if checker.failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
