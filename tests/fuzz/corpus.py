#!/usr/bin/env python3
"""The kept inputs of the fuzz targets: one archive per corpus, tests/fuzz/corpus/NAME.tar.

Usage: tests/fuzz/corpus.py unpack FOLDER          every archive, each into FOLDER/NAME
       tests/fuzz/corpus.py add NAME FILE...       files (or all files of folders) to what NAME holds: a finding
       tests/fuzz/corpus.py replace NAME FILE...   instead of what NAME holds: a minimised corpus
The bytes of an archive depend on the names and contents of its files only.
"""
import glob
import io
import os
import sys
import tarfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KEPT = os.path.join(ROOT, "tests", "fuzz", "corpus")
COMPILE = ("fuzz_ptx", "fuzz_hip", "fuzz_sycl", "fuzz_msl")


def name_of(target):
    """The corpus of a target: the targets of the compiler share theirs."""
    return "fuzz_compile" if target in COMPILE else target


def archive_of(name):
    return os.path.join(KEPT, name + ".tar")


def read(archive):
    """{name: bytes}"""
    with tarfile.open(archive, "r:") as tar:
        return {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}


def packed(files):
    """The bytes of an archive: files in the order of their names, without times, owners or permissions."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size = len(files[name])
            tar.addfile(member, io.BytesIO(files[name]))
    return out.getvalue()


def unpack(name, folder):
    """The files of one corpus in a folder that then holds nothing else."""
    os.makedirs(folder, exist_ok=True)
    for path in glob.glob(os.path.join(glob.escape(folder), "*")):
        os.remove(path)
    for member, data in read(archive_of(name)).items():
        with open(os.path.join(folder, os.path.basename(member)), "wb") as file:
            file.write(data)


def collect(paths):
    """{name: bytes} of files and of the files in folders."""
    files = {}
    for path in paths:
        inside = sorted(glob.glob(os.path.join(glob.escape(path), "*"))) if os.path.isdir(path) else [path]
        for one in inside:
            with open(one, "rb") as file:
                files[os.path.basename(one)] = file.read()
    return files


def join(kept, more):
    """The union, each content once: kept inputs keep their names. A name with two contents is an
    error."""
    files, known = dict(kept), set(kept.values())
    for name, data in sorted(more.items()):
        if data in known:
            continue
        if name in files:
            raise SystemExit("corpus: another file is called %s" % name)
        files[name] = data
        known.add(data)
    return files


def store(name, files):
    with open(archive_of(name), "wb") as file:
        file.write(packed(files))
    print("corpus: %s: %d files" % (name, len(files)))


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "unpack":
        for archive in sorted(glob.glob(archive_of("*"))):
            name = os.path.basename(archive)[:-len(".tar")]
            unpack(name, os.path.join(arguments[1], name))
    elif len(arguments) >= 3 and arguments[0] in ("add", "replace"):
        name = name_of(arguments[1])
        kept = read(archive_of(name)) if arguments[0] == "add" and os.path.exists(archive_of(name)) else {}
        store(name, join(kept, collect(arguments[2:])))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
