#!/usr/bin/env python3
"""Writes src/emit/vendor_names.c: the names that no kernel of a target may have, because the vendor's headers declare them or
the C library exports them. The compilers themselves decide: every identifier of the headers becomes a kernel, and those whose
lines are rejected form the table. Names that a rule of src/emit/names.c already excludes are left out.
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
    """The rules of src/emit/names.c for names that C, POSIX and the vendors reserve."""
    return (word.startswith("_") or word.endswith("_t") or re.fullmatch(r"[A-Z][A-Z0-9_]+", word) or
            re.match(r"(hip|hsa|cl|ur|sycl|pthread)[A-Z_]", word))


def keywords():
    """The keywords of C++ and its relatives, which are in names.c: they would break the lines after
    them."""
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
    """The words of each length side by side, in order, and the start of each length: no pointers, which the loader would have
    to relocate in every process, and no padding."""
    longest = max(map(len, words))
    starts, at = [], 0
    print("static const char %s_text[] =" % name)
    line = "   "
    for length in range(longest + 1):
        starts.append(at)
        for word in sorted(w for w in words if len(w) == length):
            item = ' "%s"' % word
            if len(line) + len(item) > WIDTH:
                print(line)
                line = "   "
            line += item
            at += length
    print(line + ";")
    print("static const uint32_t %s_start[] = {" % name)
    rows = ["%d" % start for start in starts + [at]]
    for k in range(0, len(rows), 12):
        print("    " + ", ".join(rows[k:k + 12]) + ",")
    print("};\n")


HEAD = """/* Names that a kernel cannot have on a target: the vendor's headers declare them, or the C library,
 * which a HIP program is linked with, exports them. Written by tests/tools/vendor_names.py, which
 * queries the vendors' compilers; not edited by hand. tests/tools/check_names.py compares it with
 * the headers that are installed. */
#include "emit/emit.h"

#include <string.h>

/* Words of one length are adjacent, in order; a table says where those of each length begin. The
 * loader has nothing to relocate. Strings may be longer than the C standard requires compilers to
 * accept. */
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic ignored "-Woverlength-strings"
#endif
/* clang-format off */"""

TAIL = """/* clang-format on */

typedef struct names {
    const char *text;
    const uint32_t *start; /* by length, and the end */
    size_t longest;
} names;

#define NAMES(table)                                                                               \\
    (names) {                                                                                      \\
        table##_text, table##_start, sizeof table##_start / sizeof *table##_start - 2              \\
    }

static bool has(names in, const char *name) {
    size_t length = strlen(name);
    if (length == 0 || length > in.longest)
        return false;
    const char *words = in.text + in.start[length];
    size_t low = 0, high = (in.start[length + 1] - in.start[length]) / length;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *word = words + middle * length;
        int order = (unsigned char)*name - (unsigned char)*word; /* usually decides */
        if (order == 0)
            order = memcmp(name, word, length);
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

bool emit_is_vendor_name(emit_target target, const char *name) {
    switch (target) {
    case EMIT_HIP: return has(NAMES(both), name) || has(NAMES(hip_only), name);
    case EMIT_SYCL: return has(NAMES(both), name) || has(NAMES(sycl_only), name);
    default: return false;
    }
}"""


def write(hip, sycl):
    print(HEAD)
    print_table("both", hip & sycl)
    print_table("hip_only", hip - sycl)
    print_table("sycl_only", sycl - hip)
    print(TAIL)


def main():
    write({w for w in refused("hip") | library_symbols() if not has_rule(w)}, {w for w in refused("sycl") if not has_rule(w)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
