#!/usr/bin/env python3
"""Checks that ptxas accepts the PTX of every example and test program without any message. All of them for sm_75, with and
without optimisation, and with it for sm_80, sm_90 and sm_120; every eighth also with --bounds, --fast and -g. Many programs go
into one file.

usage: check_ptxas.py [--all|--representative] [--build=FOLDER] [--only=WORD] [samples|programs]...
  --all              --bounds, --fast and -g for every program, and -O0 on every architecture
  --representative   only tests/representative.txt
"""

import concurrent.futures
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cache  # noqa: E402
import programs as shared  # noqa: E402

WORKERS = 2
ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_120")
# options of wave2text, and a stride over the programs
USUAL = (
    (("--arch=sm_75", "-O0"), 1),
    *(((f"--arch={arch}", "-O2"), 1) for arch in ARCHITECTURES),
    (("--arch=sm_75", "-O2", "--bounds"), 8),
    (("--arch=sm_75", "-O2", "--fast"), 8),
    (("--arch=sm_75", "-O2", "-g"), 8),
)
EVERYTHING = tuple(((f"--arch={arch}", level), 1) for arch in ARCHITECTURES for level in ("-O0", "-O2")) + tuple(
    (("--arch=sm_75", "-O2", flag), 1) for flag in ("--bounds", "--fast", "-g"))
HEADER = re.compile(r"^\.(?:version|target|address_size)\b.*\n", re.M)
COMMENT = re.compile(r"//.*")


def find_ptxas():
    done = subprocess.run(["sh", os.path.join(shared.ROOT, "scripts", "find-ptxas.sh"), "--install"], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        wanted = os.environ.get("CI") == "true"
        print(f"check-ptxas: {'' if wanted else 'skipped: '}ptxas is not installed, and installing it failed")
        sys.exit(1 if wanted else 0)
    return done.stdout.strip()


def joined(items):
    """Joins many files into one PTX file. Every symbol of a file gets its number as a prefix; .file numbers are
    kept apart too."""
    parts = [line for line in HEADER.findall(items[0][2])]
    for number, _, text in items:
        if HEADER.findall(text) != HEADER.findall(items[0][2]):
            raise SystemExit("check-ptxas: files for different architectures in one batch")
        text = COMMENT.sub("", HEADER.sub("", text))
        names = set(re.findall(r"\.(?:entry|func)\s+(?:\([^()]*\)\s*)?(\w+)", text))
        for name in names | {"wave_constants"}:
            text = re.sub(rf"(?<![\w%$.]){name}(?=(?:_mem|_args|_local|_private|_size|_status)?(?![\w.]))", f"k{number}_{name}", text)
        text = re.sub(r"^\.file 1 ", f".file {number + 1} ", text, flags=re.M)
        text = re.sub(r"^(\s*)\.loc 1 ", rf"\1.loc {number + 1} ", text, flags=re.M)
        parts.append(text)
    return "\n".join(parts)


class Assembler:
    """One ptxas, and its cached answers."""

    def __init__(self, ptxas, work):
        self.ptxas = ptxas
        self.work = work
        about = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=False).stdout
        self.cache = cache.Cache("ptxas", about)

    def complaint(self, arch, text, name):
        """The output of ptxas; only an empty one is cached."""
        if self.cache.get(arch, text) is not None:
            return ""
        source = os.path.join(self.work, name + ".ptx")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([self.ptxas, f"-arch={arch}", "-o", source + ".cubin", source], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        said = done.stdout.decode(errors="replace").strip()
        if done.returncode == 0 and not said:
            self.cache.put("", arch, text)
            return ""
        return said or f"exit status {done.returncode}"

    def failures(self, arch, items, name):
        """Messages by item number. A batch with a message is repeated file by file, each as it was emitted."""
        if not self.complaint(arch, joined(items), name):
            return {}
        found = {}
        for number, _, text in items:
            said = self.complaint(arch, text, name)
            if said:
                found[number] = said
        return found or {items[0][0]: "ptxas rejects these files together, but accepts each alone"}


def check_programs(assembler, tally, build, configurations, only):
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        work = []
        for index, (options, wanted) in enumerate(configurations):
            programs = shared.chosen(index, wanted, only)
            title = " ".join(options)
            folder = os.path.join(assembler.work, re.sub(r"\W+", "-", title))
            arch = next(word[7:] for word in options if word.startswith("--arch="))
            texts, refused = shared.emit(build, "ptx", folder, programs, options)
            tally.refusals(refused, shared.REFUSALS, programs, title)
            for k, items in enumerate(shared.batches(texts, 64, 400_000)):
                name = f"{os.path.basename(folder)}-{k}"
                work.append((title, programs, items, pool.submit(assembler.failures, arch, items, name)))
        tally.take(work)


SAMPLE = """.version 7.5
.target sm_75
.address_size 64
.visible .entry sample(.param .u64 sample_mem)
{
    .reg .b32 %%r<2>;
    %s
    ret;
}
"""


def check_samples(assembler, tally):
    """Tests the check itself: in a batch with one bad file, only that file is blamed."""
    texts = [SAMPLE % line for line in ("mov.u32 %r0, 1;", "mov.u32 %r0, %nothing;", "add.s32 %r1, %r0, 1;")]
    items = [(k, f"sample{k}", text) for k, text in enumerate(texts)]
    found = assembler.failures("sm_75", items, "samples")
    tally.add(list(found) == [1], "a bad file in a batch is found, and only that", str(found))
    found = assembler.failures("sm_75", items[::2], "samples")
    tally.add(not found, "two files of the same names in one batch", str(found))


def main():
    given = shared.arguments(sys.argv[1:], ("samples", "programs"), __doc__)
    work = os.path.join(given["build"], "check-ptxas")
    os.makedirs(work, exist_ok=True)
    assembler = Assembler(find_ptxas(), work)
    tally = shared.Tally()
    if "samples" in given["parts"]:
        check_samples(assembler, tally)
    if "programs" in given["parts"]:
        configurations = {"all": EVERYTHING, "usual": USUAL}.get(given["extent"]) or shared.representative("ptx")
        check_programs(assembler, tally, given["build"], configurations, given["only"])
    sys.exit(tally.close("check-ptxas"))


if __name__ == "__main__":
    main()
