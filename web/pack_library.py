#!/usr/bin/env python3
"""Prints the words of src/spirv/library.inc as bytes for the playground: seven bits in each, the lowest first, the eighth bit says that
more follow. Half as long: most words are small numbers.

usage: pack_library.py FILE.inc"""

import re
import sys


def pack(words):
    data = bytearray()
    for word in words:
        while word > 127:
            data.append(word & 127 | 128)
            word >>= 7
        data.append(word)
    return data


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: pack_library.py FILE.inc")
    with open(sys.argv[1], encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    words = [int(word, 16) for word in re.findall(r"0x[0-9A-Fa-f]+", text)]
    data = pack(words)
    print(f"/* {len(words)} words */")
    for at in range(0, len(data), 32):
        print("".join(f"{byte}," for byte in data[at:at + 32]))


if __name__ == "__main__":
    main()
