"""docs/using/python.md: runs every block of Python, in order, and compares the output with the block that
follows."""

import ast
import contextlib
import io
import re

from conftest import ROOT

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def run(code, names):
    """As in a notebook: the value of the last expression is shown."""
    tree = ast.parse(code)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "docs/using/python.md", "exec"), names)
    value = eval(compile(last, "docs/using/python.md", "eval"), names) if last else None
    if value is not None:
        print(repr(value))


def test_every_block():
    blocks = BLOCK.findall((ROOT / "docs" / "using" / "python.md").read_text(encoding="utf-8"))
    names, ran = {}, 0
    for k, (language, code) in enumerate(blocks):
        if language != "python":
            assert language == "sh" or (language == "text" and blocks[k - 1][0] == "python")
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            run(code, names)
        ran += 1
        expected = blocks[k + 1][1] if k + 1 < len(blocks) and blocks[k + 1][0] == "text" else ""
        assert printed.getvalue() == expected, code
    assert ran > 10


def test_every_public_name_is_documented():
    import wavec
    text = (ROOT / "docs" / "using" / "python.md").read_text(encoding="utf-8")
    # Users get these as results of calls and need not name them.
    results = {"Array", "DeviceInfo", "Devices", "Launcher", "Module", "Place", "Profile", "Result", "Diagnostic", "Facts"}
    missing = [name for name in wavec.__all__ if name not in results and not re.search(rf"\b{name}\b", text)]
    assert not missing
