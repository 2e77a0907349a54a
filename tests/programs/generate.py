#!/usr/bin/env python3
"""Writes the generated test programs beside this file; `--check` only says which are stale.

Tables of edge values come from tables.py, tables_float.py and tables_wide.py, control flow from structured.py,
guards and overlaps from rules.py, double roundings from roundings.py, repeated code from repeated.py, memory that ends inside a vector from arena_ends.py,
private and constant memory from spaces.py, 64-bit atomics, ballots and cache hints from optional.py, litmus programs from litmus.py, tiles of a wave from tiles.py and tile_products.py, exact arithmetic from exact.py. The output is deterministic.
All other programs under this folder are written by hand.
"""
import os
import sys

import arena_ends
import litmus
import optional
import repeated
import roundings
import rules
import spaces
import structured
import tables
import tables_float
import tables_wide
import tile_products
import tiles

HERE = os.path.dirname(os.path.abspath(__file__))


def main(arguments):
    if arguments not in ([], ["--check"]):
        print("usage: generate.py [--check]", file=sys.stderr)
        return 2
    programs = {}
    tables.add_programs(programs)
    tables_float.add_programs(programs)
    tables_wide.add_programs(programs)
    structured.add_programs(programs)
    rules.add_programs(programs)
    roundings.add_programs(programs)
    repeated.add_programs(programs)
    arena_ends.add_programs(programs)
    litmus.add_programs(programs)
    spaces.add_programs(programs)
    optional.add_programs(programs)
    tile_products.add_programs(programs)
    tiles.add_programs(programs)
    stale = []
    for name, text in sorted(programs.items()):
        path = os.path.join(HERE, *name.split("/"))
        try:
            with open(path, encoding="utf-8") as f:
                if f.read() == text:
                    continue
        except FileNotFoundError:
            pass
        stale.append(name)
        if not arguments:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
    for name in stale:
        print(("stale: " if arguments else "wrote: ") + name)
    print(f"{len(programs)} generated programs, {len(stale)} {'stale' if arguments else 'written'}")
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
