"""Mechanical defects: changes of an operator, a constant or a condition, selected from a folder by a seed.

Every possible change has a number that depends only on the seed, its file, its line and the change, and the smallest
numbers are selected: an edit elsewhere in the sources does not change the selection.
"""
import glob
import hashlib
import os
import re

OPERATORS = [
    (r"(?<![<>=!\-+*/&|^%])<(?![<=])", "<="),
    (r"(?<![<>=!\-])>(?![>=])", ">="),
    (r"<=", "<"),
    (r"(?<!>)>=", ">"),
    (r"==", "!="),
    (r"!=", "=="),
    (r"&&", "||"),
    (r"\|\|", "&&"),
    (r"(?<=[\w)\]] )\+(?= [\w(])", "-"),
    (r"(?<=[\w)\]] )-(?= [\w(])", "+"),
    (r"(?<=[\w)\]] )/(?= [\w(])", "*"),
    (r"(?<=[\w)\]] )%(?= [\w(])", "/"),
    (r"<<(?!=)", ">>"),
    (r">>(?!=)", "<<"),
    (r"(?<=[\w)\]] )&(?= [\w(~])", "|"),
    (r"(?<=[\w)\]] )\|(?= [\w(~])", "&"),
    (r"(?<=[\w)\]] )\^(?= [\w(~])", "|"),
    (r"\|=", "&="),
    (r"&=", "|="),
    (r"\+=", "-="),
    (r"(?<![\w.])true\b", "false"),
    (r"(?<![\w.])false\b", "true"),
    (r"(?<=[(&| ])!(?=[\w(])", ""),
]
NUMBER = re.compile(r"(?<![\w.])(\d+)(?=[u]?[^\w.]|u\b)")
CONDITION = re.compile(r"\b(if|while) \((.*)\)( \{)?$")


def code_lines(text):
    """(index, line) of the lines that contain statements, with comments and strings blanked."""
    blanked = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                     lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.S)
    inside = False
    for index, line in enumerate(blanked.split("\n")):
        if line.startswith("#") or line.endswith("\\") or "_Static_assert" in line:
            continue
        if inside and line.startswith("    ") and not line.lstrip().startswith("case "):
            yield index, line
        inside = (inside or line.endswith(") {")) and not line.startswith("}")


def changes(line):
    """(column, length, replacement)"""
    for pattern, new in OPERATORS:
        for match in re.finditer(pattern, line):
            yield match.start(), len(match.group()), new
    for match in NUMBER.finditer(line):
        yield match.start(1), len(match.group(1)), str(int(match.group(1)) + 1)
    match = CONDITION.search(line)
    if match and match.group(2).count("(") == match.group(2).count(")"):
        yield match.start(2), len(match.group(2)), "!(%s)" % match.group(2)


def number_of(*parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def all_changes(root, seed, folder):
    for path in sorted(glob.glob(os.path.join(root, folder, "**", "*.c"), recursive=True)):
        name = os.path.relpath(path, root)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        seen = {}
        for index, line in code_lines(text):
            seen[line] = seen.get(line, 0) + 1
            for column, length, new in changes(line):
                if lines[index][column:column + length] == line[column:column + length]:
                    identity = number_of(str(seed), name, lines[index], str(column), new, str(seen[line]))
                    yield identity, name, lines, index, column, length, new


def unique_block(lines, index, text):
    """The line with as many preceding lines as make it unique in the file, and their number."""
    for above in range(0, index + 1):
        block = "\n".join(lines[index - above:index + 1])
        if text.count(block) == 1:
            return block, above
    return None, 0


def mutants(root, seed, count, folder):
    """(name, path, old, new) of the files below the folder, the `count` with the smallest numbers."""
    taken = []
    for identity, name, lines, index, column, length, new in sorted(all_changes(root, seed, folder), key=lambda change: change[0]):
        block, above = unique_block(lines, index, "\n".join(lines))
        if block is None:
            continue
        line = lines[index]
        changed = line[:column] + new + line[column + length:]
        old = block
        taken.append((identity[:10], name, old, old[:len(old) - len(line)] + changed))
        if len(taken) == count:
            break
    return taken
