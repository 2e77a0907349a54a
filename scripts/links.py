#!/usr/bin/env python3
"""The links between documents: the file of a link exists, and so does the heading or the <a id> that its anchor names, by GitHub's
rules for anchors.

usage: links.py FILE.md...   prints the links that lead nowhere and fails if there are any
"""

import functools
import os
import re
import sys

FENCE = re.compile(r"^ *```.*?^ *```[^\n]*$", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#{1,6} +(.*?)[ #]*$", re.M)
PLACE = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")
# Without those that have a scheme.
LINK = re.compile(r"\]\((?![a-z]+:)([^)\s]+)")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return FENCE.sub("", file.read())


def slug(heading):
    """Lower case, without punctuation, blanks as hyphens: "Fences, and `wave_sync`" is fences-and-wave_sync."""
    shown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")


@functools.lru_cache(maxsize=None)
def anchors(path):
    """Of equal headings, the second is called heading-1, the third heading-2."""
    text, seen, found = text_of(path), {}, set()
    for heading in HEADING.findall(text):
        name = slug(heading)
        found.add(f"{name}-{seen[name]}" if name in seen else name)
        seen[name] = seen.get(name, 0) + 1
    return found | set(PLACE.findall(CODE.sub("", text)))


def wrong_links(path):
    """What is wrong with each wrong link of a document."""
    for link in LINK.findall(CODE.sub("", text_of(path))):
        name, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if not os.path.exists(target):
            yield f"{path} links to {link}, which does not exist"
        elif anchor and target.endswith(".md") and anchor not in anchors(target):
            yield f"{path} links to {link}: {target} has no such heading"


def main():
    wrong = [message for path in sys.argv[1:] for message in wrong_links(path)]
    for message in wrong:
        print(message)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
