#!/usr/bin/env python3
"""Bundles the playground into one HTML file: the page with its style, its modules as one classic script, the worker's source,
libwave as WebAssembly, and the examples. Modules, workers and fetch do not work on file://, but a Blob and base64 do.

usage: bundle.py WASM EXAMPLES OUTPUT
"""
import base64
import json
import pathlib
import re
import sys

WEB = pathlib.Path(__file__).parent
IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.M)


def modules(name, done, path=()):
    """The module's source after its imports, each once."""
    assert name not in path, f"{name} imports itself"
    if name in done:
        return ""
    text = (WEB / name).read_text()
    before = "".join(modules(other, done, (*path, name)) for other in IMPORT.findall(text))
    done.add(name)
    return before + re.sub(r"^export ", "", IMPORT.sub("", text), flags=re.M)


def refuse_twins(script):
    """All modules share one scope: a name may be declared only once."""
    names = re.findall(r"^(?:async )?(?:const|let|class|function) (\w+)", script, re.M)
    twins = {name for name in names if names.count(name) > 1}
    assert not twins, f"declared in two modules: {', '.join(sorted(twins))}"


def literal(value):
    """A JavaScript literal that is safe inside a script element."""
    return json.dumps(value, ensure_ascii=False).replace("</", "<\\/").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def main(wasm, examples, output):
    script = modules("main.js", set())
    refuse_twins(script)
    sources = {path.name: path.read_text() for path in sorted(pathlib.Path(examples).glob("*.wave"))}
    constants = "".join(f"const {name} = {literal(value)};\n" for name, value in (
        ("ENGINE", (WEB / "engine.js").read_text()),
        ("WASM", base64.b64encode(pathlib.Path(wasm).read_bytes()).decode()),
        ("EXAMPLES", sources)))
    page = (WEB / "index.html").read_text()
    page = page.replace("/*STYLE*/", "\n" + (WEB / "style.css").read_text())
    page = page.replace("/*SCRIPT*/", '"use strict";\n(() => {\n' + constants + script + "})();\n")
    pathlib.Path(output).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(output).write_text(page)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
