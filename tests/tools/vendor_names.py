#!/usr/bin/env python3
"""Writes src/emit/vendor_names.c: the names that no kernel of a target may have, because the vendor's headers declare them or
the C library exports them. The compilers themselves are asked: every identifier of the headers becomes a kernel, and those
whose lines are refused are the table. Names that a rule of src/emit/names.c keeps away already are left out.
Usage: tests/tools/vendor_names.py >src/emit/vendor_names.c"""

import re
import sys

from vendor_headers import library_symbols, readers, with_stems

TOPS = {
    "hip": "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n#include <stdint.h>\n",
    "sycl": "#include <stdint.h>\n#include <sycl/sycl.hpp>\n",
}
KERNELS = {
    "hip": 'extern "C" __global__ void {0}(uint8_t *mem, {0}_args args) {{}}',
    "sycl": 'static void {0}_body() {{}} extern "C" void {0}_kernel({0}_args args) {{}} struct {0}_launch {{}}; '
            "sycl::event {0}(sycl::queue &queue, {0}_args args) {{ return {{}}; }}",
}
WIDTH = 100


def has_rule(word):
    """The rules of src/emit/names.c for names that C, POSIX and the vendors keep for themselves."""
    return (word.startswith("_") or word.endswith("_t") or re.fullmatch(r"[A-Z][A-Z0-9_]+", word) or
            re.match(r"(hip|hsa|cl|ur|sycl|pthread)[A-Z_]", word))


def keywords():
    """Those of C++ and its relatives, which are in names.c: they would upset the lines after them."""
    with open("src/emit/names.c", encoding="utf-8") as file:
        text = file.read()
    return set(re.findall(r'"(\w+)"', text[text.index("#define CPP_WORDS"):text.index("static const char *const hip_words")]))


def refused(target):
    words, macros, bad = set(), set(), set()
    for reader in readers(target):
        words |= reader.identifiers()
        macros |= reader.macros()
    words = sorted(word for word in with_stems(words) - macros - keywords() if not word.startswith("_"))
    for reader in readers(target):
        while True:
            good = [word for word in words if word not in bad]
            lines = ["struct {0}_args {{ uint32_t r[2]; }}; ".format(w) + KERNELS[target].format(w) for w in good]
            first = TOPS[target].count("\n") + 1
            found = {good[n - first] for n in reader.errors(TOPS[target] + "\n".join(lines) + "\n") if n >= first}
            if not found:
                break
            bad |= found
    return bad | macros


def print_table(name, words):
    print("static const char *const %s[] = {" % name)
    line = "   "
    for word in sorted(words):
        item = ' "%s",' % word
        if len(line) + len(item) > WIDTH:
            print(line)
            line = "   "
        line += item
    print(line + "\n};\n")


def main():
    hip = {w for w in refused("hip") | library_symbols() if not has_rule(w)}
    sycl = {w for w in refused("sycl") if not has_rule(w)}
    print("""/* Names that a kernel cannot have on a target: the vendor's headers declare them, or the C library, which a HIP
 * program is linked with, exports them. Written by tests/tools/vendor_names.py, which asks the vendors' compilers; not
 * edited by hand. tests/tools/check_names.py compares it with the headers that are installed. */
#include "emit/emit.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */""")
    print_table("both", hip & sycl)
    print_table("hip_only", hip - sycl)
    print_table("sycl_only", sycl - hip)
    print("""/* clang-format on */

static int compare(const void *name, const void *entry) {
    return strcmp(name, *(const char *const *)entry);
}

#define HAS(table, name) bsearch(name, table, sizeof table / sizeof *table, sizeof *table, compare)

bool emit_is_vendor_name(emit_target target, const char *name) {
    switch (target) {
    case EMIT_HIP: return HAS(both, name) || HAS(hip_only, name);
    case EMIT_SYCL: return HAS(both, name) || HAS(sycl_only, name);
    default: return false;
    }
}""")
    return 0


sys.exit(main())
