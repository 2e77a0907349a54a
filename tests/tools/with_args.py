#!/usr/bin/env python3
"""Adds the section ARGS to a WBIN file whose first kernel takes the arguments, written from the text of docs/reference/wbin.md.

    with_args.py in.wbin out.wbin x:buffer:f32:in:restrict,contained n:u32 s:bytes:12 t:local:f32
"""
import struct
import sys

TYPES = "u32 i32 f32 u64 i64 f64 f16 bf16 u8 i8 u16 i16 bytes".split()
FLAGS = {"": 0, "restrict": 1, "contained": 2}


def record(fields, name, word):
    """The 12 bytes of an argument, and the number of its words."""
    kind, access, flags = 0, 1, 0
    if fields[0] == "bytes":
        of, words = TYPES.index("bytes"), (int(fields[1]) + 3) // 4
    elif fields[0] in ("buffer", "local"):
        kind = 1 if fields[0] == "buffer" else 2
        of, words = TYPES.index(fields[1]), 2 - kind
        access = {"in": 1, "out": 2, "inout": 3}[fields[2] if len(fields) > 2 else "inout"]
        flags = sum(FLAGS[f] for f in (fields[3] if len(fields) > 3 else "").split(","))
    else:
        of = TYPES.index(fields[0])
        words = 2 if fields[0].endswith("64") else 1
    return struct.pack("<IBBBBHH", name, kind, of, access, flags, word, words), words


def main():
    data = bytearray(open(sys.argv[1], "rb").read())
    pool, records, word = b"\0", b"", 0
    for text in sys.argv[3:]:
        name, *fields = text.split(":")
        made, words = record(fields, len(pool) if name else 0, word)
        pool += name.encode() + b"\0" if name else b""
        records += made
        word += words
    metadata, size = struct.unpack_from("<II", data, 24)
    kernels = struct.unpack_from("<I", data, metadata)[0]
    section = struct.pack("<I", len(pool)) + pool + bytes(-len(pool) % 4)
    section += struct.pack("<I", len(sys.argv) - 3) + records + bytes(4 * (kernels - 1))
    data += b"WEXT" + struct.pack("<I", 1) + b"ARGS" + struct.pack("<II", len(data) + 20, len(section)) + section
    struct.pack_into("<I", data, 28, size + 20)
    data[6] |= 1  # EXT
    open(sys.argv[2], "wb").write(data)


main()
