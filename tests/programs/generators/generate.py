#!/usr/bin/env python3
"""Writes the generated test programs into the folders next to this one; `--check` only reports which are
stale.

The output is deterministic; all other programs are written by hand. Each file here writes one kind:

    tables.py tables_float.py tables_wide.py   one program per instruction, over edge values
    roundings.py                               results that a compiler could round twice
    rules.py                                   guards, and destinations that overlap sources
    structured.py                              nested and random control flow, with an interpreter of its own
    repeated.py                                repeated code that becomes a function
    spaces.py arena_ends.py                    private and constant memory; memory that ends inside a vector
    optional.py                                64-bit atomics, wave_ballot64, cache hints
    litmus.py                                  the patterns of the memory model
    tiles.py tile_products.py                  tiles of a wave

exact.py contains the exact arithmetic they use, textform.py the layout of the files.
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

PROGRAMS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


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
        path = os.path.join(PROGRAMS, *name.split("/"))
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
