#!/usr/bin/env python3
"""Checks the workflows of GitHub Actions as far as possible without GitHub: they are YAML with keys that Actions knows,
expressions name things that exist, scripts parse, and everything that they call is in this repository.

usage: workflows.py [FILE...]     without a file: .github/workflows/*.yml
"""

import glob
import os
import re
import shutil
import subprocess
import sys

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

TOP_KEYS = {"name", "on", "permissions", "jobs", "concurrency", "env", "defaults"}
EVENTS = {"push", "pull_request", "workflow_dispatch", "schedule"}
JOB_KEYS = {"name", "runs-on", "container", "strategy", "timeout-minutes", "steps", "env", "needs", "if", "permissions"}
STEP_KEYS = {"name", "id", "if", "uses", "with", "run", "env", "shell", "timeout-minutes", "continue-on-error", "working-directory"}
CONTEXTS = {"github", "matrix", "runner", "env"}
STATUS_FUNCTIONS = {"always()", "failure()", "success()", "cancelled()"}
# Commands of the systems that jobs run on; the machine that checks the files need not have them.
SYSTEM_COMMANDS = {"apt-get", "brew", "git", "cat", "echo", "sysctl"}
EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.S)


class Unique(yaml.SafeLoader):
    """Refuses a duplicate key, and keeps `on`, which YAML 1.1 reads as true."""

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"the key {key.value} occurs twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


Unique.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def targets():
    """The make targets."""
    said = subprocess.run(["make", "-pRrq", ":"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.decode()
    return set(re.findall(r"^([A-Za-z][\w-]*):(?!=)", said, re.M))


def options_of(source):
    """The options in the usage text of a program here."""
    with open(os.path.join(ROOT, source), encoding="utf-8") as file:
        return set(re.findall(r"(?<![\w-])(--?[A-Za-z][\w-]*)", file.read()))


class Check:
    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.complaints = []
        self.targets = targets()

    def complain(self, where, what):
        self.complaints.append(f"{os.path.basename(self.path)}: {where}: {what}")

    def keys(self, where, given, known):
        """Whether it is a mapping; reports unknown keys."""
        if not isinstance(given, dict):
            self.complain(where, "is not a mapping")
            return False
        for key in given:
            if key not in known:
                self.complain(where, f"unknown key {key}")
        return True

    def run(self):
        try:
            tree = yaml.load(self.text, Loader=Unique)  # a SafeLoader
        except yaml.YAMLError as error:
            self.complain("YAML", " ".join(str(error).split()))
            return self.complaints
        if not self.keys("file", tree, TOP_KEYS):
            return self.complaints
        for key in ("name", "on", "permissions", "jobs"):
            if key not in tree:
                self.complain("file", f"{key} is missing")
        events = tree.get("on") or {}
        self.keys("on", {events: None} if isinstance(events, str) else events, EVENTS)
        for place in (events.get("schedule") or []) if isinstance(events, dict) else []:
            if not re.fullmatch(r"[\d*/,-]+( [\d*/,-]+){4}", str(place.get("cron"))):
                self.complain("on", "a schedule needs five fields")
        jobs = tree.get("jobs") or {}
        if self.keys("jobs", jobs, jobs):
            for name, job in jobs.items():
                self.job(name, job)
        return self.complaints

    def job(self, name, job):
        if not self.keys(name, job, JOB_KEYS):
            return
        for key in ("runs-on", "steps", "timeout-minutes"):
            if key not in job:
                self.complain(name, f"{key} is missing")
        matrix = (job.get("strategy") or {}).get("matrix") or {}
        entries = matrix.get("include") or [{key: None for key in matrix}]
        known = set.intersection(*(set(entry) for entry in entries))
        for expression in EXPRESSION.findall(yaml.dump(job)):
            self.expression(name, expression.strip(), known)
        if yaml.dump(job).count("${{") != len(EXPRESSION.findall(yaml.dump(job))):
            self.complain(name, "an expression is not closed")
        for number, step in enumerate(job.get("steps") or [], 1):
            self.step(f"{name}, step {number}", step, entries)

    def expression(self, where, text, matrix):
        if not re.fullmatch(r"[\w.]+", text):
            self.complain(where, f"cannot judge the expression {text}")
            return
        context, _, rest = text.partition(".")
        if context not in CONTEXTS or not rest:
            self.complain(where, f"unknown context in {text}")
        elif context == "matrix" and rest not in matrix:
            self.complain(where, f"not every entry of the matrix has {rest}")

    def step(self, where, step, entries):
        if not self.keys(where, step, STEP_KEYS):
            return
        if ("run" in step) == ("uses" in step):
            self.complain(where, "needs one of run and uses")
        if "uses" in step and not re.fullmatch(r"[\w-]+/[\w-]+@v\d+", str(step["uses"])):
            self.complain(where, f"uses {step['uses']}, which is not an action with a version")
        condition = step.get("if")
        if condition is not None and condition not in STATUS_FUNCTIONS:
            self.complain(where, f"cannot judge the condition {condition}")
        for entry in entries:
            self.script(where, self.filled(str(step.get("run", "")), entry))

    @staticmethod
    def filled(script, entry):
        """Substitutes the values of one entry of the matrix."""
        return EXPRESSION.sub(lambda found: str(entry.get(found.group(1).strip().partition(".")[2], "value")), script)

    def script(self, where, script):
        parsed = subprocess.run(["sh", "-n"], input=script.encode(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if parsed.returncode:
            self.complain(where, "sh cannot parse it: " + parsed.stderr.decode().strip())
            return
        for command in re.split(r"\n|&&|\|\||;|\|", script.replace("\\\n", " ")):
            # Quoted words stay together; a redirection ends the words.
            words = re.findall(r"(?:[^\s\"']|\"[^\"]*\"|'[^']*')+", re.split(r"[<>]", command)[0])
            while words and re.match(r"\w+=", words[0]):
                words.pop(0)
            if words and not words[0].startswith("#"):
                self.command(where, words)

    def command(self, where, words):
        program, rest = words[0], words[1:]
        built = re.fullmatch(r"build/bin/([\w-]+)", program)
        if program == "make":
            self.make(where, rest)
        elif program in ("sh", "bash", "python3"):
            if not rest or not os.path.isfile(os.path.join(ROOT, rest[0])):
                self.complain(where, f"there is no script {' '.join(rest[:1])}")
        elif built:
            if not os.path.exists(os.path.join(ROOT, "src", "cli", built.group(1).replace("-", "_") + ".c")):
                self.complain(where, f"there is no tool {built.group(1)}")
        elif "/" in program:
            if not os.access(os.path.join(ROOT, program), os.X_OK):
                self.complain(where, f"there is no program {program}")
        elif program not in SYSTEM_COMMANDS and not shutil.which(program):
            self.complain(where, f"there is no command {program}")

    def make(self, where, words):
        for word in words:
            flags = re.match(r"(HWTEST|HWBENCH)_FLAGS=(.*)", word)
            if flags:
                known = options_of(f"hwtests/wave_{flags.group(1).lower()}.c")
                for option in flags.group(2).strip("\"'").split():
                    if option.partition("=")[0] not in known:
                        self.complain(where, f"wave-{flags.group(1).lower()} has no option {option}")
            elif not word.startswith("-") and "=" not in word and word not in self.targets:
                self.complain(where, f"make has no target {word}")


def main():
    paths = sys.argv[1:] or sorted(glob.glob(os.path.join(ROOT, ".github", "workflows", "*.yml")))
    complaints = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            complaints += Check(path, file.read()).run()
    print("\n".join(complaints + [f"workflows: {len(paths)} files, {len(complaints)} complaints"]))
    sys.exit(1 if complaints or not paths else 0)


if __name__ == "__main__":
    main()
