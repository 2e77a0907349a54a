#!/usr/bin/env python3
"""Tests of the scripts behind make check: the cache, the runner of steps, the selection of representative programs, joining PTX
files, the archives of fuzz inputs, the fuzz runs, clang-tidy, the checks of includes and links.

usage: test_scripts.py
"""

import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "scripts"), os.path.join(ROOT, "tests", "mutants"),
                os.path.join(ROOT, "tests", "fuzz")]
import cache  # noqa: E402
import check  # noqa: E402
import check_ptxas  # noqa: E402
import corpus  # noqa: E402
import includes  # noqa: E402
import links  # noqa: E402
import representative  # noqa: E402
import run as mutants  # noqa: E402
import tidy  # noqa: E402


class CacheTest(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        os.environ["WAVE_TEST_CACHE"] = self.place.name
        self.addCleanup(self.place.cleanup)
        self.addCleanup(os.environ.pop, "WAVE_TEST_CACHE")

    def test_every_part_of_a_key_counts(self):
        one = cache.Cache("kind", "tool 1")
        one.put("said", "text", "-O2")
        self.assertEqual(one.get("text", "-O2"), "said")
        for other in (("text", "-O0"), ("text-O2",), ("text-", "O2"), ("text", "-O2", "")):
            self.assertIsNone(one.get(*other))
        self.assertIsNone(cache.Cache("kind", "tool 2").get("text", "-O2"))
        self.assertIsNone(cache.Cache("other", "tool 1").get("text", "-O2"))

    def test_the_oldest_go_first(self):
        os.environ["WAVE_TEST_CACHE_MB"] = "2"
        self.addCleanup(os.environ.pop, "WAVE_TEST_CACHE_MB")
        one = cache.Cache("kind", "tool")
        for k in range(4):
            one.put("x" * (1 << 20), str(k))
            os.utime(one.name(str(k)), (1000 + k, 1000 + k))
        one.get("0")  # a lookup makes it the youngest
        self.assertEqual(cache.prune(), (2, 2))
        self.assertEqual([one.get(str(k)) is not None for k in range(4)], [True, False, False, True])

    def test_a_list_keeps_its_newest_lines(self):
        path = os.path.join(self.place.name, "passed.list")
        lines = cache.LIST_BYTES // 16 + 1000
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{k:015d}\n" for k in range(lines))
        cache.prune()
        with open(path, encoding="utf-8") as file:
            kept = file.read().splitlines()
        self.assertLessEqual(16 * len(kept), cache.LIST_BYTES)
        self.assertEqual(kept[-1], f"{lines - 1:015d}")
        self.assertTrue(all(len(line) == 15 for line in kept))


class TidyTest(unittest.TestCase):
    def test_a_tool_that_dies_silently_has_not_passed_the_file(self):
        with tempfile.TemporaryDirectory() as place:
            os.environ["WAVE_TEST_CACHE"] = place
            self.addCleanup(os.environ.pop, "WAVE_TEST_CACHE")
            known = cache.Cache("tidy", "tool")
            self.assertIn("status 1", tidy.look(known, "false", [], "src/emu/stats.c", None))
            self.assertEqual(tidy.look(known, "true", [], "src/emu/stats.c", None), "")
            self.assertEqual(tidy.look(known, "false", [], "src/emu/stats.c", None), "")  # from the cache


class InstallTest(unittest.TestCase):
    """install-deps.sh on a machine that has everything but the newest clang: its apt records its arguments."""

    def install(self, offered):
        with tempfile.TemporaryDirectory() as place:
            asked = os.path.join(place, "asked")
            for name, text in (("dpkg-query", 'for last; do :; done; [ "$last" = clang-22 ] || printf installed'), ("id", "echo 0"),
                               ("apt-cache", f"exit {0 if offered else 100}"), ("apt-get", f'echo "$@" >>{asked}')):
                path = os.path.join(place, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\n{text}\n")
                os.chmod(path, 0o755)
            done = subprocess.run(["sh", os.path.join(ROOT, "scripts", "install-deps.sh"), "test"], check=False, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, env={**os.environ, "PATH": place + os.pathsep + os.environ["PATH"]})
            if not os.path.exists(asked):
                return done.returncode, done.stdout.decode(), ""
            with open(asked, encoding="utf-8") as file:
                return done.returncode, done.stdout.decode(), file.read()

    def test_the_newest_clang_is_installed_where_it_is_offered(self):
        status, _, asked = self.install(True)
        self.assertEqual(status, 0)
        self.assertRegex(asked, "(?m)install .*clang-22$")

    def test_the_newest_clang_is_named_where_it_is_not(self):
        self.assertEqual(self.install(False), (0, "install-deps: skipped: clang-22 is not among this system's packages\n", ""))


class FuzzTest(unittest.TestCase):
    """fuzz.sh on targets that are scripts, in a folder of their own."""

    def smoke(self, **targets):
        with tempfile.TemporaryDirectory() as place:
            for folder in ("tests/fuzz", "build/fuzz/tests"):
                os.makedirs(os.path.join(place, folder))
            with open(os.path.join(place, "tests/fuzz/corpus.py"), "w", encoding="utf-8"):
                pass
            for name, text in targets.items():
                path = os.path.join(place, "build/fuzz/tests", name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\n{text}\n")
                os.chmod(path, 0o755)
            done = subprocess.run(["sh", os.path.join(ROOT, "scripts", "fuzz.sh"), "smoke", *targets], cwd=place, check=False,
                                  env={**os.environ, "MAKE": "true"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            return done.returncode, done.stdout.decode()

    def test_what_counts_as_a_run(self):
        said = "echo 'stat::number_of_executed_units: 30'"
        self.assertEqual(self.smoke(fuzz_good=said), (0, "fuzz_good: 30 executions, no finding\n"))
        for bad in (f"{said}; exit 77", "exit 0", "echo 'stat::number_of_executed_units: 0'", f"{said}; kill -9 $PPID"):
            status, text = self.smoke(fuzz_good=said, fuzz_bad=bad)
            self.assertEqual(status, 1, bad)
            self.assertIn("fuzz_bad: failed", text)

    def test_no_target_is_no_success(self):
        self.assertEqual(self.smoke(), (1, "fuzz: no targets in tests/fuzz\n"))


class TilesTest(unittest.TestCase):
    """check-tiles.sh with harnesses that always pass, with and without a SYCL run time."""

    def check(self, make, sycl=True, ci="false"):
        with tempfile.TemporaryDirectory() as place:
            for folder in ("scripts", "examples", "tests/programs/matrix/wave", "build/tests"):
                os.makedirs(os.path.join(place, folder))
            shutil.copy(os.path.join(ROOT, "scripts", "check-tiles.sh"), os.path.join(place, "scripts"))
            for name, text in (("scripts/find-sycl.sh", f"exit {0 if sycl else 1}"), ("examples/gemm_mma.wave", "mma_f16_f32"),
                               *((f"build/tests/wave-{kind}-test", "exit 0") for kind in ("ptx", "simt", "sycl"))):
                path = os.path.join(place, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\n{text}\n")
                os.chmod(path, 0o755)
            return subprocess.run(["sh", os.path.join(place, "scripts/check-tiles.sh")], check=False, stdout=subprocess.DEVNULL,
                                  env={**os.environ, "MAKE": make, "CI": ci}).returncode

    def test_a_failed_build_is_not_a_missing_run_time(self):
        self.assertEqual((self.check("true"), self.check("false")), (0, 1))

    def test_a_missing_run_time_fails_in_ci(self):
        self.assertEqual((self.check("true", False), self.check("true", False, "true")), (0, 1))


class StepsTest(unittest.TestCase):
    """The runner, on steps defined by this test."""

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        for name, value in (("LOGS", self.place.name), ("CI", False), ("MINUTES", float("inf"))):
            self.addCleanup(setattr, check, name, getattr(check, name))
            setattr(check, name, value)

    def run_steps(self, *rows):
        steps = [check.Step(check.CHECK, name, name, command, needs.split(), after.split(), memory)
                 for name, command, needs, after, memory in rows]
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            results = check.Schedule(steps).run()
        return {result.step.name: result for result in results}, said.getvalue()

    def test_figures_and_failures(self):
        found, said = self.run_steps(("good", "echo 'x: 5 passed, 0 failed (2 s)'", "", "", 1), ("plain", "true", "", "", 1),
                                     ("bad", "echo detail; echo '3 passed, 2 failed'; exit 1", "", "", 1))
        self.assertEqual({name: (one.verdict, one.passed, one.failed) for name, one in found.items()},
                         {"good": ("ok", 5, 0), "plain": ("ok", 1, 0), "bad": ("FAILED", 3, 2)})
        self.assertIn("| detail", said)

    def test_a_lost_exit_status_is_no_success(self):
        found, _ = self.run_steps(("lost", "(echo '3 passed, 2 failed'; exit 1) | cat", "", "", 1))
        self.assertEqual((found["lost"].verdict, found["lost"].passed, found["lost"].failed), ("FAILED", 3, 2))

    def test_a_step_that_cannot_be_started_fails(self):
        check.LOGS = os.path.join(self.place.name, "missing")
        found, said = self.run_steps(("first", "true", "", "", 1), ("second", "true", "", "", 1))
        self.assertEqual([one.verdict for one in found.values()], ["FAILED", "FAILED"])
        self.assertIn("FileNotFoundError", said)

    def test_what_is_missing_is_skipped_with_a_reason_and_fails_in_ci(self):
        rows = [("lacking", "false", "no-such-program", "", 1)]
        found, said = self.run_steps(*rows)
        self.assertEqual((found["lacking"].verdict, found["lacking"].failed), ("skipped", 0))
        self.assertIn("lacking: skipped: no-such-program is not installed", said)
        check.CI = True
        found, _ = self.run_steps(*rows)
        self.assertEqual((found["lacking"].verdict, found["lacking"].failed), ("FAILED", 1))

    def test_a_compiler_the_system_does_not_offer_is_skipped_by_name_in_ci_too(self):
        rows = [("newest", "false", "clang22", "", 1)]
        check.CI = True
        for name, value in (("PATH", self.place.name), ("offered", lambda package: package != "clang-22")):
            place = os.environ if name == "PATH" else vars(check)
            self.addCleanup(place.__setitem__, name, place[name])
            place[name] = value
        found, said = self.run_steps(*rows)
        self.assertEqual((found["newest"].verdict, found["newest"].failed), ("skipped", 0))
        self.assertIn("newest: skipped: clang-22 is not among this system's packages", said)
        check.offered = lambda package: True
        found, _ = self.run_steps(*rows)
        self.assertEqual((found["newest"].verdict, found["newest"].reason), ("FAILED", "clang-22 is not installed"))

    def test_no_step_starts_after_the_given_minutes(self):
        check.MINUTES = 0
        found, said = self.run_steps(("late", "false", "", "", 1))
        self.assertEqual((found["late"].verdict, found["late"].failed), ("skipped", 0))
        self.assertIn("late: skipped: the 0 minutes of this run are used up", said)

    def test_a_step_waits_for_its_build_and_fails_with_it(self):
        mark = os.path.join(self.place.name, "mark")
        found, _ = self.run_steps(("test", f"test -e {mark}", "", "build", 1), ("build", f"sleep 0.2; touch {mark}", "", "", 1))
        self.assertEqual(found["test"].verdict, "ok")
        found, _ = self.run_steps(("build", "false", "", "", 1), ("test", "true", "", "build", 1), ("far", "true", "", "test", 1))
        self.assertEqual([found[name].verdict for name in ("test", "far")], ["FAILED", "FAILED"])

    def test_more_than_the_memory_runs_alone(self):
        both = os.path.join(self.place.name, "both")
        command = f"test ! -e {both} && touch {both} && sleep 0.2 && rm {both}"
        found, _ = self.run_steps(("one", command, "", "", 1 << 20), ("two", command, "", "", 1 << 20))
        self.assertEqual([one.verdict for one in found.values()], ["ok", "ok"])

    def test_every_step_is_sound(self):
        names = [one.name for one in check.STEPS]
        self.assertEqual(len(names), len(set(names)))
        for one in check.STEPS:
            for name in one.after:
                self.assertIn(name, names)
        self.assertEqual({one.name for one in check.chosen("check", [])} & {"fuzz", "lint"}, set())
        self.assertTrue({"unit", "fuzz", "lint"} <= {one.name for one in check.chosen("all", [])})
        self.assertEqual([one.name for one in check.chosen("check", ["fuzz"])], ["build", "san-build", "fuzz"])


class ChoiceTest(unittest.TestCase):
    def test_all_that_is_reached_stays_reached(self):
        measured = {("w", "a"): ({1, 2, 3}, 100), ("w", "b"): ({3, 4}, 100), ("w", "c"): ({4}, 10), ("w", "d"): ({1, 2, 3, 4, 5}, 90000)}
        taken, total = representative.choose(measured)
        self.assertEqual(total, 5)
        self.assertEqual(set().union(*(measured[job][0] for job in taken)), {1, 2, 3, 4, 5})
        self.assertIn(("w", "d"), taken)

    def test_words_are_the_vendor_s(self):
        text = "ld.global.u32 %r1, [saxpy_args]; // comment\nbar.sync 0; $if_1_end: float v12 = __shfl(v3) + 0x3F8u + 1.0f;"
        self.assertEqual(representative.words(text, ".kernel saxpy"), {"ld.global.u32", "bar.sync", "float", "__shfl"})

    def test_planted_defects_are_in_the_source_once(self):
        planted = mutants.read_planted(os.path.join(ROOT, "tests", "mutants", "planted.txt"))
        stale = [m.name for m in planted if mutants.read(os.path.join(ROOT, m.path)).count(m.old) != 1]
        self.assertEqual(stale, [])

    def test_planted_defects_of_every_folder(self):
        planted = [mutants.Mutant(str(k), folder + "/x.c", "", "") for k, folder in enumerate(["a"] * 10 + ["b"] * 2 + ["c"])]
        taken = [mutant.path for mutant in mutants.spread(planted, 7)]
        self.assertEqual([taken.count(name + "/x.c") for name in "abc"], [4, 2, 1])
        self.assertEqual(len({mutant.name for mutant in mutants.spread(planted, 13)}), 13)


class JoinTest(unittest.TestCase):
    def test_names_are_kept_apart(self):
        text = ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry add(.param .u64 add_mem)\n{ add.s32 %r0, add_mem; }\n"
        joined = check_ptxas.joined([(0, "a", text), (1, "b", text)])
        self.assertEqual(joined.count(".version"), 1)
        for k in (0, 1):
            self.assertIn(f".entry k{k}_add(.param .u64 k{k}_add_mem)\n{{ add.s32 %r0, k{k}_add_mem; }}", joined)


class CorpusTest(unittest.TestCase):
    def test_an_archive_depends_on_names_and_contents_only(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("b", "a")]
            for age, path in enumerate(paths):
                with open(path, "wb") as file:
                    file.write(path[-1:].encode() * 700)
                os.utime(path, (age, age))
            once = corpus.packed(corpus.collect(paths))
            os.utime(paths[0], (5, 5))
            os.chmod(paths[0], 0o600)
            self.assertEqual(corpus.packed(corpus.collect([folder])), once)
            with open(os.path.join(folder, "c.tar"), "wb") as file:
                file.write(once)
            self.assertEqual(corpus.read(os.path.join(folder, "c.tar")), {"a": b"a" * 700, "b": b"b" * 700})
            listed = subprocess.run(["tar", "-tf", "c.tar"], cwd=folder, capture_output=True, text=True, check=True)
            self.assertEqual(listed.stdout.split(), ["a", "b"])

    def test_each_content_is_kept_once(self):
        kept = {"old": b"1"}
        self.assertEqual(corpus.join(kept, {"x": b"1", "y": b"2", "z": b"2"}), {"old": b"1", "y": b"2"})
        self.assertEqual(kept, {"old": b"1"})
        with self.assertRaises(SystemExit):
            corpus.join(kept, {"old": b"2"})

    def test_every_target_finds_its_inputs(self):
        names = sorted(os.listdir(corpus.KEPT))
        for name in names:  # a loose file would never be read
            self.assertTrue(name.endswith(".tar"), name)
            with open(os.path.join(corpus.KEPT, name), "rb") as file:
                self.assertEqual(file.read(), corpus.packed(corpus.read(file.name)), name)
        sources = os.listdir(os.path.join(ROOT, "tests", "fuzz"))
        targets = [name[:-2] for name in sources if name.startswith("fuzz_") and name.endswith(".c")]
        self.assertEqual(sorted({corpus.name_of(target) + ".tar" for target in targets}), names)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "stale"), "wb"):
                pass
            corpus.unpack("fuzz_wbin", folder)
            self.assertEqual(corpus.collect([folder]), corpus.read(corpus.archive_of("fuzz_wbin")))


class IncludesTest(unittest.TestCase):
    TABLE = """| folder | does | may include |
|---|---|---|
| `include/wave/` | the interface | nothing of ours |
| `src/base/` | tools: small ones | – |
| `src/ir/` `src/emit/` | text | base |
| `src/cli/` | programs | the public API, `src/ir/dump.h`, the runtime |
| `runtime/` | devices | the public API |
| `tests/` | tests | all |

"""
    FILES = {"include/wave/wave.h": "", "src/base/a.h": "#include <wave/wave.h>\n", "src/ir/ir.h": '#include "base/a.h"\n#include "here.h"\n',
             "src/ir/here.h": "#include <stdio.h>\n", "src/ir/dump.h": "", "src/emit/e.c": '#include "base/a.h"\n', "runtime/wave_rt.h": "",
             "runtime/core.h": "", "src/cli/c.c": '#include "ir/dump.h"\n#include <wave/wave_rt.h>\n'}

    def judged(self, **changed):
        with tempfile.TemporaryDirectory() as root:
            for path, text in {includes.TABLE: self.TABLE, **self.FILES, **changed}.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            rows = includes.read_table(root)
            return rows, *includes.judge(root, rows)

    def test_what_the_table_allows(self):
        rows, edges, wrong = self.judged()
        self.assertEqual(wrong, [])
        self.assertEqual(edges["src/ir/"], {"src/base/"})
        self.assertEqual(edges["src/cli/"], {"src/ir/", "runtime/"})
        drawing = includes.draw(rows, edges)
        for name in ("src/base", "src/ir", "src/emit", "src/cli", "runtime"):
            self.assertIn(f">{name}<", drawing)
        self.assertNotIn(">tests<", drawing)
        self.assertEqual(drawing, includes.draw(*self.judged()[:2]))

    def test_what_it_does_not(self):
        for path, text, found in (("src/emit/e.c", '#include "ir/ir.h"\n', "src/emit/e.c includes src/ir/ir.h"),
                                  ("src/base/a.h", '# include "../ir/here.h"\n', "src/base/a.h includes src/ir/here.h"),
                                  ("src/cli/c.c", '#include "ir/ir.h"\n', "src/cli/c.c includes src/ir/ir.h"),
                                  ("src/cli/c.c", '#include "core.h"\n', "src/cli/c.c includes runtime/core.h"),
                                  ("src/new/n.c", "", "src/new/n.c: its folder has no row")):
            wrong = self.judged(**{path: text})[2]
            self.assertTrue(wrong and wrong[0].startswith(found), (found, wrong))

    def test_a_cycle_is_wrong_even_where_the_table_allows_it(self):
        table = self.TABLE.replace("small ones | – |", "small ones | ir |")
        wrong = self.judged(**{includes.TABLE: table, "src/base/b.c": '#include "ir/ir.h"\n'})[2]
        self.assertEqual(len(wrong), 1)
        self.assertIn("src/base/", wrong[0])
        self.assertIn("src/ir/", wrong[0])


class LinksTest(unittest.TestCase):
    TEXT = """# A tool: `wave_sync`, and (more)
## Same
```
# no heading
[no link](nowhere.md)
```
## Same
### [Linked](there.md) – ISA 1.2
`[code](nowhere.md)` <a id="place"></a> `<a id="shown"></a>`
"""

    def wrong(self, link):
        with tempfile.TemporaryDirectory() as root:
            for name, text in (("here.md", f"# Own\n[x]({link})\n"), ("there.md", self.TEXT), ("plain.txt", "")):
                with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                    file.write(text)
            links.anchors.cache_clear()
            self.assertEqual(list(links.wrong_links(os.path.join(root, "there.md"))), [])
            return [message.split(" links to ")[1] for message in links.wrong_links(os.path.join(root, "here.md"))]

    def test_what_leads_somewhere(self):
        for link in ("there.md", "plain.txt#any", "#own", "./there.md#a-tool-wave_sync-and-more", "there.md#same", "there.md#same-1",
                     "there.md#linked--isa-12", "there.md#place", "https://example.org/#nowhere", "mailto:nobody"):
            self.assertEqual(self.wrong(link), [], link)

    def test_what_leads_nowhere(self):
        for link in ("nowhere.md", "#same", "there.md#Same", "there.md#same-2", "there.md#no-heading", "there.md#shown"):
            self.assertEqual(len(self.wrong(link)), 1, link)
        self.assertEqual(self.wrong("nowhere.md#own"), ["nowhere.md#own, which does not exist"])


class MakefileTest(unittest.TestCase):
    def test_a_dry_run_starts_nothing(self):
        """make -n also executes a recipe with + or $(MAKE) in it: soak and fuzz would never end."""
        goals = {"soak": "random.sh soak", "fuzz": "fuzz.sh", "check": "check.sh check", "representative": "representative.py"}
        with tempfile.TemporaryDirectory() as folder:
            for name in ("sh", "python3"):  # started programs are recorded; the Makefile's own queries are answered
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\necho \"$*\" >>{folder}/started\ncase $1 in scripts/find-*) exec /bin/sh \"$@\" ;; esac\n")
                os.chmod(os.path.join(folder, name), 0o755)
            environment = {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"], "MAKEFLAGS": ""}
            for goal, script in goals.items():
                done = subprocess.run([os.environ.get("MAKE", "make"), "-n", goal], cwd=ROOT, env=environment, capture_output=True, text=True,
                                      timeout=60, check=False)
                self.assertIn(script, done.stdout, done.stderr)
            with open(os.path.join(folder, "started"), "a+", encoding="utf-8") as file:
                file.seek(0)
                started = file.read()
        for script in goals.values():
            self.assertNotIn(script, started)


if __name__ == "__main__":
    outcome = unittest.main(exit=False, verbosity=0).result
    bad = len(outcome.failures) + len(outcome.errors)
    print(f"scripts: {outcome.testsRun - bad} passed, {bad} failed")
    sys.exit(1 if bad else 0)
