#!/usr/bin/env python3
"""Caches the output of vendors' compilers and other slow tools for a text. An entry is named by the hash of everything that the
answer depends on: text, flags, the tool's version. The cache is outside the project, so that all clones and runs share it.

usage: cache.py folder|size|prune|clean
  folder   where it is: WAVE_TEST_CACHE, else wavec/tests in the user's cache folder
  prune    removes the least recently used entries until the rest fits into WAVE_TEST_CACHE_MB (default 2048)
  clean    removes everything (make clean-cache)
"""

import hashlib
import os
import shutil
import sys
import tempfile

LIMIT_MB = 2048
# Lists that only grow (of passed runs) are cut to their newest half when they exceed this size.
LIST_BYTES = 4 << 20


def folder():
    named = os.environ.get("WAVE_TEST_CACHE")
    if named:
        return os.path.abspath(named)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME") or tempfile.gettempdir(), ".cache")
    return os.path.join(home, "wavec", "tests")


class Cache:
    """Entries for one kind of query. The identity (tool, version, our own scripts) is part of every key."""

    def __init__(self, kind, identity):
        self.place = os.path.join(folder(), kind)
        self.identity = identity
        os.makedirs(self.place, exist_ok=True)

    def name(self, *parts):
        digest = hashlib.sha256()
        for part in (self.identity, *parts):
            data = part.encode(errors="surrogateescape")
            digest.update(b"%d:" % len(data))
            digest.update(data)
        return os.path.join(self.place, digest.hexdigest())

    def get(self, *parts):
        """The text cached for these parts, or None. A lookup refreshes the entry's age."""
        try:
            with open(self.name(*parts), encoding="utf-8") as file:
                text = file.read()
            os.utime(self.name(*parts))
            return text
        except FileNotFoundError:
            return None

    def put(self, text, *parts):
        """Written by rename: an existing entry is complete."""
        name = self.name(*parts)
        handle, fresh = tempfile.mkstemp(dir=self.place)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(fresh, name)


def files():
    for place, _, names in os.walk(folder()):
        for name in names:
            path = os.path.join(place, name)
            try:
                about = os.stat(path)
                yield about.st_mtime, about.st_size, path
            except FileNotFoundError:  # another run may remove entries too
                pass


def shorten_lists():
    """Keeps the newest half of a list, from the start of a line."""
    for _, size, path in list(files()):
        if path.endswith(".list") and size > LIST_BYTES:
            with open(path, "rb") as file:
                file.seek(size - LIST_BYTES // 2)
                file.readline()
                kept = file.read()
            with open(path + ".new", "wb") as file:
                file.write(kept)
            os.replace(path + ".new", path)


def prune():
    limit = int(os.environ.get("WAVE_TEST_CACHE_MB") or LIMIT_MB) << 20
    shorten_lists()
    entries = sorted(files(), reverse=True)
    total = removed = 0
    for _, size, path in entries:
        total += size
        if total > limit and not path.endswith(".list"):
            removed += 1
            try:
                os.remove(path)
            except FileNotFoundError:
                pass
    return len(entries) - removed, removed


def main():
    if sys.argv[1:] == ["folder"]:
        print(folder())
    elif sys.argv[1:] == ["size"]:
        entries = list(files())
        print(f"{sum(size for _, size, _ in entries) >> 20} MB in {len(entries)} files")
    elif sys.argv[1:] == ["prune"]:
        kept, removed = prune()
        print(f"cache: {kept} files kept, {removed} removed ({folder()})")
    elif sys.argv[1:] == ["clean"]:
        shutil.rmtree(folder(), ignore_errors=True)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
