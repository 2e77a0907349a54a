#!/usr/bin/env python3
"""Executes the tour of README.md word for word: in one shell, in an empty folder, with only what the tour itself sets
up.

usage: tour.py BUILD [DOCUMENT]

The tour is every fence whose second word is "tour", in order:
  sh tour             the commands must succeed
  console tour        each "$ command" succeeds and prints exactly what follows it
  LANGUAGE tour FILE  the block is FILE; the text before it names `FILE`
Further words, clang-22 or numpy, name requirements of a block: it runs where they are installed, as they must be in CI.
Python loads only the libraries of the release build: those with sanitizers, or for musl, do not work with it.
make runs only as make -n, because BUILD is already built. The emulator is the only device.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import check_docs

ROOT = pathlib.Path(check_docs.ROOT)
NEEDS = {"clang-22": "command -v clang-22", "numpy": "sh scripts/find-python.sh || python3 -c 'import numpy'"}
OFF = ("WAVE_CUDA_LIBRARY", "WAVE_HIP_LIBRARY", "WAVE_RT_PLUGINS", "WAVE_CACHE_DIR")
LIMIT = 120  # seconds for the entire tour


def shell(command):
    done = subprocess.run(command, shell=True, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.returncode == 0, done.stdout.decode().strip()


class Step:
    """One command with its expected output (None: anything), or a file with its text."""

    def __init__(self, line, command=None, expected=None, file=None):
        self.line, self.command, self.expected, self.file = line, command, expected, file


def steps_of(block):
    kind, words = block.words[0], block.words[2:]
    if kind == "sh":
        return [Step(block.line, block.text)]
    if kind == "console":
        return [Step(block.line, command, "".join(line + "\n" for line in lines)) for command, lines in check_docs.entries(block)]
    return [Step(block.line, file=words[0], expected=block.text)]


def read_tour(path, build):
    """The steps that can run here, and the errors of the document."""
    blocks, prose = check_docs.read(path)
    steps, wrong, there = [], [], {}
    if build != ROOT / "build":
        there["numpy"] = False
    for block in (b for b in blocks if "tour" in b.words[1:2]):
        needs = [word for word in block.words[2:] if word in NEEDS]
        for word in needs:
            if word not in there:
                there[word] = os.environ.get("CI") == "true" or shell(NEEDS[word])[0]
        missing = [word for word in needs if not there[word]]
        if missing:
            print(f"skipped: {path}:{block.line}: without {' and '.join(missing)}")
            continue
        for step in steps_of(block):
            steps.append(step)
            before = " ".join(text for number, text in prose if block.line - 4 < number < block.line)
            if step.file and f"`{step.file}`" not in before:
                wrong.append(f"{block.line}: the text before the block does not name `{step.file}`")
    return steps, wrong


def program(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def prepare(scratch, build):
    """A checkout as it is after make, and the environment of a newcomer."""
    checkout, commands = scratch / "wavec", scratch / "commands"
    for folder in (checkout, commands, scratch / "home", scratch / "steps"):
        folder.mkdir()
    for name in ("examples", "python", "scripts"):
        (checkout / name).symlink_to(ROOT / name)
    (checkout / "build").symlink_to(build)
    program(commands / "make", f'exec "{shutil.which("make")}" -n -C "{ROOT}" "$@"')
    found, python = shell("sh scripts/find-python.sh")
    if found:
        program(commands / "python3", f'exec "{python}" "$@"')
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("WAVE", "MAKE", "MFLAGS", "PYTHON"))}
    environment.update({name: "" for name in OFF}, HOME=str(scratch / "home"), PATH=f"{commands}{os.pathsep}{environment['PATH']}", NO_COLOR="1",
                       PYTHONDONTWRITEBYTECODE="1", TMPDIR=str(scratch), STEPS=str(scratch / "steps"))
    return checkout, environment


def script_of(steps, folder):
    """All steps as one shell script: folders and variables persist, each step's output goes to its own file."""
    lines = []
    for number, step in enumerate(steps):
        name = f'"$STEPS/{number}'
        if step.file:
            (folder / f"{number}.file").write_text(step.expected, encoding="utf-8")
            lines.append(f'cp {name}.file" "{step.file}"')
        else:
            lines.append(f'{{ {step.command.rstrip()}\n}} >{name}.out" 2>&1 </dev/null; echo $? >{name}.status"')
    return "\n".join(lines) + "\n"


def judge(step, folder, number):
    """The error of a command that was run, or None."""
    if not (folder / f"{number}.status").exists():
        return "not reached"
    status = (folder / f"{number}.status").read_text().strip()
    text = (folder / f"{number}.out").read_text(encoding="utf-8", errors="replace")
    if status != "0":
        return f"status {status}\n{text}"
    return None if step.expected in (None, text) else f"prints something else\n{text}"


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    document = sys.argv[2] if len(sys.argv) == 3 else ROOT / "README.md"
    build = pathlib.Path(sys.argv[1]).resolve()
    steps, wrong = read_tour(document, build)
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name).resolve()
        checkout, environment = prepare(scratch, build)
        try:
            subprocess.run(["sh", "-c", script_of(steps, scratch / "steps")], cwd=checkout, env=environment, timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            wrong.append(f"0: not done after {LIMIT} seconds")
        commands = [(number, step) for number, step in enumerate(steps) if step.command]
        for number, step in commands:
            problem = judge(step, scratch / "steps", number)
            if problem:
                wrong.append(f"{step.line}: {step.command.strip()}: {problem}")
    if not commands:
        wrong.append("0: there is no tour")
    for text in wrong:
        print(f"FAILED: {document}:{text}")
    print(f"tour: {len(commands) - min(len(wrong), len(commands))} passed, {len(wrong)} failed")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
