#!/usr/bin/env python3
"""Which folder includes which: judged by the table of docs/inside/architecture.md ("may include"), and drawn as docs/images/architecture.svg.

usage: includes.py check   an include that the table does not allow, a folder without a row, a cycle or a stale drawing fails
       includes.py draw    write the drawing
"""

import os
import re
import sys

import layers

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = "docs/inside/architecture.md"
DRAWING = "docs/images/architecture.svg"
API = "include/wave/"
PHRASES = {"–": (), "nothing of ours": (), "the public API": (API,), "the runtime": ("runtime/wave_rt.h", "runtime/rt.hpp"), "all": ("",)}
SOURCES = (".c", ".h", ".def", ".inc", ".cpp", ".hpp", ".m")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*(?:include|import)[ \t]+(?:"([^"\n]+)"|<(wave[^>\n]*)>)', re.M)


class Row:
    """A folder: its purpose, and the path prefixes that it may include."""

    def __init__(self, does, cell):
        self.does = re.sub(r" *\(\[.*?\]\(.*?\)\)|`", "", does)
        self.user = "the public API" in cell or "the runtime" in cell
        self.allowed = {path for word in cell.split(", ") for path in paths_of(word)}


def paths_of(word):
    if word in PHRASES:
        return PHRASES[word]
    return (word.strip("`") if word.startswith("`") else f"src/{word}/",)


def read_table(root):
    """{folder: row}, the rows of the table in docs/inside/architecture.md."""
    rows = {}
    with open(os.path.join(root, TABLE), encoding="utf-8") as file:
        lines = file.read().split("| folder | does | may include |", 1)[-1].split("\n\n", 1)[0].split("\n")
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) == 3:
            rows.update((folder, Row(cells[1], cells[2])) for folder in re.findall(r"`([^`]+/)`", cells[0]))
    return rows


def files_of(root, folder):
    for place, _, names in sorted(os.walk(os.path.join(root, folder))):
        yield from (os.path.relpath(os.path.join(place, name), root) for name in sorted(names) if name.endswith(SOURCES))


def resolve(root, path, quoted, bracketed):
    """The path of an included file, nothing if it is generated or a system header. Headers of the runtime are installed into wave/."""
    name = quoted or bracketed
    places = ([os.path.dirname(path), "src"] if quoted else []) + ["include", "runtime", "tests"]
    tried = [os.path.join(place, name) for place in places] + [os.path.join("runtime", os.path.basename(name))] * name.startswith("wave/")
    found = [os.path.normpath(one) for one in tried if os.path.isfile(os.path.join(root, one))]
    return found[0] if found else None


def folder_of(rows, path):
    return next((folder for folder in sorted(rows, key=len, reverse=True) if path.startswith(folder)), None)


def judge(root, rows):
    """The edges between folders, {folder: {folder}}, and the violations, as lines."""
    edges, wrong = {folder: set() for folder in rows}, []
    for path in (path for top in ("include", "src", "runtime", "hwtests", "examples", "bench") for path in files_of(root, top)):
        folder = folder_of(rows, path)
        if not folder:
            wrong.append(f"{path}: its folder has no row in {TABLE}")
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            includes = INCLUDE.findall(file.read())
        for target in filter(None, (resolve(root, path, *names) for names in includes)):
            if not target.startswith((folder, API, *rows[folder].allowed)):
                wrong.append(f"{path} includes {target}, which {TABLE} does not allow {folder}")
            edges[folder].add(folder_of(rows, target))
    for folder, targets in edges.items():
        targets -= {folder, None}
    return edges, wrong + [f"folders include each other: {' '.join(cycle)}" for cycle in cycles(edges)]


def cycles(edges):
    """The cycles: what remains after repeatedly removing folders that include no remaining folder."""
    left = dict(edges)
    while True:
        leaves = [folder for folder in left if not left[folder] & set(left)]
        if not leaves:
            return [sorted(left)] if left else []
        for folder in leaves:
            del left[folder]


def draw(rows, edges):
    """Users of the library above its public interface, the folders of the library below."""
    used = {target for targets in edges.values() for target in targets}
    shown = [folder for folder in rows if folder != API and "" not in rows[folder].allowed and (rows[folder].user or edges[folder] or folder in used)]
    users = [folder for folder in shown if rows[folder].user]
    inside = [folder for folder in shown if not rows[folder].user]
    return layers.svg(API, [users, inside], {folder: edges[folder] & set(shown) for folder in shown},
                      {folder: rows[folder].does for folder in [API, *shown]})


def main():
    if sys.argv[1:] not in (["check"], ["draw"]):
        raise SystemExit(__doc__)
    rows = read_table(ROOT)
    edges, wrong = judge(ROOT, rows)
    if not wrong:
        drawing, path = draw(rows, edges), os.path.join(ROOT, DRAWING)
        if sys.argv[1] == "draw":
            with open(path, "w", encoding="utf-8") as file:
                file.write(drawing)
        elif not os.path.exists(path) or open(path, encoding="utf-8").read() != drawing:
            wrong.append(f"{DRAWING} does not match the includes: run python3 scripts/includes.py draw")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
