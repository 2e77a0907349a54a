#!/usr/bin/env python3
"""The workflows of GitHub Actions are consistent, and the check that verifies this finds errors in other
workflows.

usage: test_workflows.py
"""

import os
import sys
import unittest

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
import workflows  # noqa: E402
import yaml  # noqa: E402

GOOD = """
name: sample
on:
  push:
  schedule:
    - cron: "0 3 * * *"
permissions:
  contents: read
jobs:
  one:
    runs-on: [self-hosted, "${{ matrix.gpu }}"]
    timeout-minutes: 5
    strategy:
      matrix:
        include:
          - gpu: T4
            vendor: cuda
          - gpu: M4
            vendor: metal
    steps:
      - uses: actions/checkout@v4
      - name: build
        run: make -j2 all
      - name: run
        if: always()
        run: |
          WERROR=0 make hwtest HWTEST_FLAGS="--require=${{ matrix.vendor }} -O2" && build/bin/wave-run --list
          sh scripts/demo.sh | cat >>"$GITHUB_STEP_SUMMARY"
"""


def complaints(text):
    return workflows.Check("sample.yml", text).run()


class SampleTest(unittest.TestCase):
    def test_nothing_is_wrong(self):
        self.assertEqual(complaints(GOOD), [])

    def test_each_defect_is_named(self):
        for old, new, word in (
                ("on:\n", "on: [\n", "YAML"),
                ("name: sample\n", "name: sample\nname: again\n", "occurs twice"),
                ("  push:", "  pushed:", "unknown key pushed"),
                ("0 3 * * *", "0 3 * *", "five fields"),
                ("permissions:\n  contents: read\n", "", "permissions is missing"),
                ("    timeout-minutes: 5\n", "", "timeout-minutes is missing"),
                ("    runs-on:", "    run-on:", "unknown key run-on"),
                ("            vendor: metal\n", "", "not every entry of the matrix has vendor"),
                ("${{ matrix.gpu }}", "${{ matrix.cpu }}", "has cpu"),
                ("${{ matrix.gpu }}", "${{ matrix.gpu", "not closed"),
                ("${{ matrix.gpu }}", "${{ secret.gpu }}", "unknown context"),
                ("checkout@v4", "checkout", "not an action with a version"),
                ("always()", "allways()", "cannot judge the condition"),
                ("        run: make -j2 all", "        runs: make -j2 all", "needs one of run and uses"),
                ("-j2 all", "-j2 everything", "no target everything"),
                ("--require", "--requires", "wave-hwtest has no option --requires"),
                ("wave-run", "wave-walk", "no tool wave-walk"),
                ("demo.sh", "demonstration.sh", "no script scripts/demonstration.sh"),
                ("| cat", "| cat-of-nobody", "no command cat-of-nobody"),
                ("| cat", "| scripts/nobody", "no program scripts/nobody"),
                ('"$GITHUB_STEP_SUMMARY"', '"$GITHUB_STEP_SUMMARY', "sh cannot parse")):
            with self.subTest(new=new):
                self.assertEqual(GOOD.count(old) > 0, True)
                self.assertIn(word, "\n".join(complaints(GOOD.replace(old, new, 1))))


class RealTest(unittest.TestCase):
    def read(self, name):
        with open(os.path.join(workflows.ROOT, ".github", "workflows", name), encoding="utf-8") as file:
            return file.read()

    def tree(self, name):
        return yaml.load(self.read(name), Loader=workflows.Unique)

    def test_ours(self):
        for name in ("ci.yml", "hwtest.yml"):
            self.assertEqual(workflows.Check(name, self.read(name)).run(), [])

    def test_ci_checks_on_linux_and_tests_on_macos(self):
        scripts = {str(job["runs-on"]): " ".join(step.get("run", "") for step in job["steps"]) for job in self.tree("ci.yml")["jobs"].values()}
        linux, macos = (next(scripts[key] for key in scripts if key.startswith(name)) for name in ("ubuntu", "macos"))
        self.assertIn("make check", linux)
        self.assertIn("make test", macos)

    def test_hwtest_requires_the_device_of_every_machine(self):
        job = self.tree("hwtest.yml")["jobs"]["hwtest"]
        entries = job["strategy"]["matrix"]["include"]
        self.assertEqual({entry["gpu"]: entry["vendor"] for entry in entries},
                         {"T4": "cuda", "MI300X": "hip", "M4": "metal", "Intel": "sycl"})
        text = self.read("hwtest.yml")
        self.assertIn("--require=${{ matrix.vendor }}", text)
        self.assertIn("GITHUB_STEP_SUMMARY", text)

    def test_results_are_kept_when_hwtest_runs_out_of_time(self):
        job = self.tree("hwtest.yml")["jobs"]["hwtest"]
        limits = [step["timeout-minutes"] for step in job["steps"] if "make" in step.get("run", "")]
        self.assertEqual(len(limits), sum("make" in step.get("run", "") for step in job["steps"]))
        self.assertLess(sum(int(limit) for limit in limits), int(job["timeout-minutes"]))
        kept = [step for step in job["steps"] if step.get("uses", "").startswith("actions/upload-artifact@")]
        self.assertEqual([step["if"] for step in kept], ["always()"])
        for path in ("hwtests/report-*.md", "build/hwtest/results.tap", "build/hwtest/results.xml"):
            self.assertIn(path, kept[0]["with"]["path"])


if __name__ == "__main__":
    outcome = unittest.main(exit=False, verbosity=0).result
    bad = len(outcome.failures) + len(outcome.errors)
    print(f"workflows: {outcome.testsRun - bad} passed, {bad} failed")
    sys.exit(1 if bad else 0)
