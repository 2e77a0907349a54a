#!/usr/bin/env python3
"""The playground in a headless browser, from a file: compares what it shows with the tools' output.

usage: test_playground.py PAGE BIN PICTURES
"""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

import browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.wave"))
TARGETS = ("ptx", "hip", "sycl", "msl")
LIMIT = 1_500_000  # bytes of WebAssembly

ENDLESS = """;@ test    never ends
;@ widths  32
;@ grid    1
.kernel endless
.workgroup_size 32, 1, 1
    loop
        mov r1, r1
    endloop
    halt
.end
"""

RACE = """;@ test    two waves store to one word
;@ widths  32
;@ grid    1
;@ buffer  x u32 4
;@ args    x
.kernel race
.workgroup_size 64, 1, 1
.arg x buffer u32 inout
    device_store_u32 [x], sr_wave_id
    halt
.end
"""

results = {"passed": 0, "failed": 0}


def check(what, holds, shown=""):
    results["passed" if holds else "failed"] += 1
    if not holds:
        print(f"failed: {what}{': ' + str(shown)[:600] if shown != '' else ''}")


def tool(bin_folder, *arguments):
    done = subprocess.run([bin_folder / arguments[0], *arguments[1:]], cwd=ROOT / "examples", capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


# ---- User actions ----


def settled(b):
    b.wait('return document.body.dataset.state === "done" && playground.panels.every((p) => p.host.dataset.state !== "working")')


def choose(b, key, panel=0):
    b.run("playground.panels[arguments[0]].choose(arguments[1])", panel, key)
    settled(b)


def shown(b, panel=0):
    return b.run("return playground.panels[arguments[0]].view.text", panel)


def write(b, text, name="kernel.wave"):
    b.run("playground.open(arguments[0], arguments[1])", name, text)
    settled(b)


def pick(b, name):
    b.run("""const box = document.getElementById("examples");
             box.value = arguments[0];
             box.dispatchEvent(new Event("change"));""", name)
    settled(b)


def press(b, name):
    b.run("document.getElementById(arguments[0]).click()", name)


def run(b):
    press(b, "run")
    b.wait('return document.body.dataset.run === "done"')


def codes(b):
    return b.run("return playground.editor.notes.size ? [...playground.editor.notes].map(([line, list]) => [line, list[0].code]) : []")


# ---- The tests ----


def first_compile(b, page):
    b.open(page.as_uri())
    b.wait('return document.body.dataset.state === "done"')
    print(f"first compile after {b.run('return document.body.dataset.first')} ms")
    check("the page opens with an example that has no problems", b.run('return document.getElementById("count").textContent') == "no problems")
    names = b.run('return [...document.getElementById("examples").options].map((o) => o.value)')
    check("every example is there", names == [path.name for path in EXAMPLES], names)


def compile_example(b, bin_folder, name):
    """Compares the four targets with wavec, and the IR and the disassembly with the tools that
    print them."""
    for target in TARGETS:
        choose(b, target)
        status, text, errors = tool(bin_folder, "wavec", f"--target={target}", "-o", "-", name)
        if status == 0:
            check(f"{name} as {target}", shown(b) == text)
        else:
            check(f"{name} as {target}: rejected with the same code", re.search(r"E_\w+", errors)[0] in shown(b), shown(b))
    choose(b, "dis")
    check(f"{name}: disassembly", shown(b) == tool(bin_folder, "wave-dis", name)[1])


def run_example(b, bin_folder, name):
    run(b)
    got = b.run("""const { after, status } = playground.run;
                   return [status, Array.from(after, (byte) => byte.toString(16).padStart(2, "0")).join("")];""")
    size = len(got[1]) // 2
    _, text, _ = tool(bin_folder, "wave-emu", "--test", f"--dump-memory=0:{size}", name)
    expected = "".join(re.findall(r"\b[0-9a-fA-F]{2}\b", "".join(line.partition(":")[2].partition("|")[0] for line in text.splitlines())))
    check(f"{name}: runs", got[0] == 0, b.run("return playground.run.diagnostics"))
    check(f"{name}: memory as wave-emu leaves it", got[1] == expected.lower(), (size, len(expected) // 2))
    if re.search(r"^;@ expect", (ROOT / "examples" / name).read_text(), re.M):
        check(f"{name}: memory is what it expects", b.run('return (document.getElementById("verdict") || {}).className') == "good")


def examples(b, bin_folder):
    for path in EXAMPLES:
        pick(b, path.name)
        compile_example(b, bin_folder, path.name)
        run_example(b, bin_folder, path.name)


def ir_passes(b, bin_folder):
    pick(b, "block_reduction.wave")
    choose(b, "ir")
    for name in b.run("return playground.choices.passes"):
        b.run("""const box = playground.panels[0].options.querySelector("[name=pass]");
                 box.value = arguments[0];
                 box.dispatchEvent(new Event("change"));""", name)
        settled(b)
        check(f"IR after {name}", shown(b) == tool(bin_folder, "wavec", f"--dump-ir={name}", "--target=ptx", "block_reduction.wave")[1])


def links(b, pictures):
    """saxpy's second load and the code generated for it, in both directions."""
    pick(b, "saxpy.wave")
    source = (ROOT / "examples" / "saxpy.wave").read_text().splitlines()
    line = next(k + 1 for k, text in enumerate(source) if "device_load_u32 yi" in text)
    expected = {"ptx": r"ld\.global", "hip": r"float yi = ", "sycl": r"float yi = ", "msl": r"float yi = ", "dis": r"device_load_u32 r6", "ir": r"load\("}
    for key, pattern in expected.items():
        choose(b, key)
        b.run("playground.editor.show(1, true); playground.editor.show(arguments[0], true)", line)
        lit = b.run("const p = playground.panels[0]; return [...p.view.linked].map((k) => p.view.lines[k - 1])")
        check(f"line {line} lights up in {key}", any(re.search(pattern, text) for text in lit), lit)
        check(f"not all of {key} lights up", len(lit) < 8, lit)
        back = b.run("""const p = playground.panels[0], at = Math.max(...p.view.linked);
                        p.view.show(1, true); p.view.show(at, true);
                        return [...playground.editor.linked];""")
        check(f"and back from {key}", back == [line], back)
    choose(b, "hip")
    press(b, "split")
    choose(b, "ptx", 1)
    b.run("playground.editor.show(1, true); playground.editor.show(arguments[0], true)", line)
    both = b.run("return playground.panels.map((p) => p.view.linked.size)")
    check("both panels light up", len(both) == 2 and all(both), both)
    b.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    b.picture(pictures / "playground.png")
    press(b, "split")


def diagnostics(b):
    write(b, ".kernel k\n    iad r1, r2\n    halt\n.end\n")
    check("a mistake is found", codes(b) == [[2, "E_MNEMONIC"]], codes(b))
    b.run("playground.editor.show(2, true)")
    b.run("playground.editor.drawNow()")
    under = b.run("return playground.editor.under.hidden ? '' : playground.editor.under.textContent")
    check("it is reported under the line, with a hint", "unknown instruction 'iad'" in under and "iadd" in under, under)
    check("outputs are marked as old", b.run("return playground.panels[0].host.dataset.state") == "stale")
    # typed as on a keyboard: the cursor is at the start of line 2
    b.keys("\ue010" + "\ue003" * 10 + "iadd r1, r2, r3")
    settled(b)
    b.wait("return playground.editor.notes.size === 0")
    check("corrected by typing", b.run("return playground.editor.text") == ".kernel k\niadd r1, r2, r3\n    halt\n.end\n" or
          "iadd r1, r2, r3" in b.run("return playground.editor.text"), b.run("return playground.editor.text"))


def findings(b):
    write(b, RACE)
    run(b)
    check("a race is found at its line", [9, "E_RACE"] in codes(b), codes(b))
    write(b, RACE.replace("sr_wave_id", "r9").replace("64, 1, 1", "32, 1, 1").replace("store_u32 [x], r9", "load_u32 r2, [x]\n    device_store_u32 [x+4], r2"))
    b.run('document.getElementById("uninit").checked = true')
    run(b)
    check("uninitialised memory is found at its line", any(line == 9 and "UNINIT" in code for line, code in codes(b)), codes(b))
    b.run('document.getElementById("uninit").checked = false')


def profile(b, pictures):
    pick(b, "block_reduction.wave")
    run(b)
    choose(b, "profile")
    page = b.run("return document.querySelector('iframe').srcdoc")
    check("the profile is a page", "block_reduction" in page and "<html" in page)
    (pictures / "profile.html").write_text(page)


def trace_and_heat(b):
    pick(b, "saxpy.wave")
    b.run('document.getElementById("trace").value = "waves"')
    run(b)
    check("a trace has the instructions", "device_load_u32" in shown(b) and b.run("return playground.panels[0].key") == "trace", shown(b)[:200])
    b.run('document.getElementById("trace").value = ""')
    run(b)
    check("lines show how often they ran", b.run("return playground.editor.hot.get(28)") == "256×", b.run("return [...playground.editor.hot]"))


def endless(b):
    write(b, ENDLESS)
    b.run('document.getElementById("limit").value = "0"')
    press(b, "run")
    b.wait('return document.body.dataset.run === "running"')
    # meanwhile the page responds: another example compiles
    pick(b, "vector_add.wave")
    choose(b, "ptx")
    check("the page works while a kernel runs", "vector_add" in shown(b) and b.run("return document.body.dataset.run") == "running")
    press(b, "stop")
    b.wait('return document.body.dataset.run === "done"')
    check("an endless kernel can be stopped", b.run("return playground.run.stopped") is True)
    b.run('document.getElementById("limit").value = ""')
    run(b)
    check("and another one runs", b.run("return playground.run.status") == 0)
    write(b, ENDLESS)
    run(b)
    check("with the usual limit it ends by itself", any("LIMIT" in code for _, code in codes(b)) or
          "LIMIT" in json.dumps(b.run("return playground.run.diagnostics")), b.run("return playground.run.diagnostics"))


def large(b):
    """While 10,000 lines compile, frames are drawn and keys are handled."""
    body = "".join(f"    iadd r{1 + k % 30}, r{1 + k * 7 % 30}, r{1 + k * 3 % 30}\n" for k in range(10_000))
    write(b, ".kernel big\n.workgroup_size 32, 1, 1\n" + body + "    mov r40, 0\n    device_store_u32 r40, r1\n    halt\n.end\n")
    choose(b, "hip")
    seen = b.run("""
        const page = playground, frames = [];
        page.editor.area.focus();
        page.editor.area.setSelectionRange(0, 0);
        document.execCommand("insertText", false, "; typed\\n");
        const compiled = page.load();
        document.execCommand("insertText", false, "; more\\n");
        const early = page.editor.text.startsWith("; typed\\n; more\\n") && document.body.dataset.state === "working";
        const count = () => { frames.push(document.body.dataset.state); if (document.body.dataset.state === "working") requestAnimationFrame(count); };
        requestAnimationFrame(count);
        return compiled.then(() => [early, frames.filter((state) => state === "working").length]);""")
    check("typing is accepted while 10,000 lines compile", seen[0] is True, seen)
    check("frames are drawn while 10,000 lines compile", seen[1] >= 2, seen)
    settled(b)
    check("and all of it is compiled", len(shown(b).splitlines()) > 50)


def sharing(b, page):
    text = RACE.replace("race", "sharé")
    write(b, RACE)
    b.run("playground.editor.text = arguments[0]", text)
    press(b, "share")
    url = b.wait('return location.hash.length > 10 && location.href')
    b.open("about:blank")
    b.open(url)
    b.wait('return document.body.dataset.state === "done"')
    check("a shared address opens the program", b.run("return playground.editor.text") == text)
    for bad in ("#z=AAAA", "#z=" + "A" * 3000, "#s=e30", "#s=bnVsbA"):
        b.open("about:blank")
        b.open(page.as_uri() + bad)
        b.wait('return document.body.dataset.state === "done"')
        check(f"a damaged address ({bad[:12]}) opens an example", "saxpy" in b.run("return playground.editor.text"))
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = squeeze.compress(b'{"text": "' + b" " * (64 << 20) + b'"}') + squeeze.flush()
    b.open("about:blank")
    b.open(page.as_uri() + "#z=" + base64.urlsafe_b64encode(packed).decode().rstrip("="))
    b.wait('return document.body.dataset.state === "done"')
    check("an address that holds 64 MB opens an example", b.run("return playground.editor.text.length") < 1 << 20)


def own_kernel(b):
    """A kernel without a launch gets a default one."""
    write(b, ".kernel twice\n.workgroup_size 64, 1, 1\n.arg x buffer u32 inout\n.reg i, v\n    imad i, sr_workgroup_id_x, sr_workgroup_size_x, sr_thread_id_x\n"
          "    device_load_u32 v, [x + i*4]\n    iadd v, v, v\n    device_store_u32 [x + i*4], v\n    halt\n.end\n")
    choose(b, "run")
    press(b, "describe")
    settled(b)
    run(b)
    rows = b.run("return [...document.querySelectorAll('[data-name=x] tbody tr')].slice(0, 3).map((r) => r.textContent)")
    check("its buffer doubles", rows == ["000", "112", "224"], rows)


def colours(b):
    """The editor knows every form of a comment and of a number."""
    write(b, "# one\n// two\n; three\n.kernel k\n    mov_imm r1, 1_000\n    mov_imm r2, 0xFF_00 // four\n    halt\n.end\n")
    b.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    for kind, expected in (("comment", ["# one", "// two", "; three", "// four"]), ("number", ["1_000", "0xFF_00"])):
        texts = b.run("return [...document.querySelectorAll('#editor .t-' + arguments[0])].map((e) => e.textContent)", kind)
        check(f"colours of every {kind}", texts == expected, texts)


def unusual_names(b):
    """Lines light up in the right one of several kernels, whatever their names are."""
    text = "".join(f".kernel {name}\n    mov_imm r1, {k}\n    device_store_u32 r0, r1\n    halt\n.end\n"
                   for k, name in enumerate(("first", '"one, two"', "", "")))
    write(b, text)
    for key, pattern in (("dis", "device_store_u32"), ("ir", "store\\(")):
        choose(b, key)
        stores = [k + 1 for k, line in enumerate(shown(b).split("\n")) if re.search(pattern, line)]
        for k, store in enumerate(stores):
            b.run("playground.editor.show(1, true); playground.editor.show(arguments[0], true)", 5 * k + 3)
            lit = b.run("return [...playground.panels[0].view.linked]")
            check(f"the store of kernel {k} lights up in {key}", store in lit and not set(stores) & set(lit) - {store}, lit)
        check(f"four stores in {key}", len(stores) == 4, stores)


def drop(b, name, data):
    """A file from the desktop, dropped onto the page."""
    b.run("""const data = new DataTransfer();
             data.items.add(new File([new Uint8Array(arguments[1])], arguments[0]));
             const event = (kind) => new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true });
             if (document.body.dispatchEvent(event("dragover"))) throw new Error("the page does not accept files");
             document.body.dispatchEvent(event("drop"));""", name, data)


def damaged_file(b):
    """The outputs of the program in the editor remain available."""
    pick(b, "saxpy.wave")
    drop(b, "bad.wbin", list(b"WAVE"))
    b.wait("return document.getElementById('problems').textContent.includes('E_')")
    for key in ("hip", "dis", "ir"):
        choose(b, key)
        check(f"{key} after a damaged file", "saxpy" in shown(b), shown(b))


def spirv(b, build):
    """OpenCL C as SPIR-V, dropped onto the page."""
    clang = shutil.which("clang-22")
    if not clang:
        print("skipped: SPIR-V: clang-22 is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "k.cl")
        source.write_text("__kernel void triple(__global uint *x) { x[get_global_id(0)] *= 3; }\n")
        subprocess.run([clang, "-x", "cl", "-cl-std=CL2.0", "-target", "spirv32", "-O2", "-ffp-contract=off", "-c", source, "-o", source.with_suffix(".spv")], check=True)
        data = list(source.with_suffix(".spv").read_bytes())
    drop(b, "k.spv", data)
    b.wait("return playground.name === 'k.wave' && playground.editor.text.startsWith(';@')")
    settled(b)
    check("SPIR-V opens as assembly", ".kernel triple" in b.run("return playground.editor.text"), b.run("return playground.editor.text")[:300])
    run(b)
    rows = b.run("return [...document.querySelectorAll('.buffer tbody tr')].slice(0, 4).map((r) => r.textContent)")
    check("and runs", rows == ["000", "113", "226", "339"], rows)
    drop(b, "bad.spv", [3, 2, 35, 7, 0, 0])
    b.wait("return document.getElementById('problems').textContent.includes('E_')")
    check("a damaged file is reported", b.run("return document.getElementById('problems').textContent").count("E_") == 1)
    check("and the program is unchanged", ".kernel triple" in b.run("return playground.editor.text"))


CONTROLS = """return [...document.querySelectorAll("button, select, input, textarea, iframe, summary, [role=tab], [tabindex='0']")].filter((e) =>
    e.getClientRects().length && !e.disabled)"""
COLOURS = ["ink", "soft", "error", "warning", "good", "mnemonic", "flow", "register", "special", "number", "string", "comment", "test",
           "directive", "type"]
CONTRAST = """
    const parse = (c) => { const d = document.createElement("canvas").getContext("2d"); d.fillStyle = c; d.fillRect(0, 0, 1, 1); return d.getImageData(0, 0, 1, 1).data; };
    const light = (c) => { const [r, g, b] = [...parse(c)].map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const style = getComputedStyle(document.documentElement), paper = light(style.getPropertyValue("--paper"));
    return [paper, arguments[0].map((name) => {
        const ink = light(style.getPropertyValue("--" + name));
        return [name, (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05)]; }).filter(([, ratio]) => ratio < 4.5)];"""
TAB, ESCAPE, SPACE, ENTER, CONTROL, DOWN, RIGHT = "\ue004", "\ue00c", " ", "\ue007", "\ue009", "\ue015", "\ue014"


def underlines(b):
    """Columns are bytes; the underlined word is the right one after others that are not ASCII."""
    write(b, '.kernel k\n.reg "ééé€" = q5\n    halt\n.end\n')
    b.wait("return playground.editor.notes.size === 1")
    b.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    marked = b.run("return [...document.querySelectorAll('#editor .squiggle-error')].map((e) => e.textContent)")
    check("the underlined text", marked == [" = q5"], marked)


def names(b):
    """Every visible control has a name for a screen reader."""
    for key in ("ptx", "ir", "run", "profile"):
        choose(b, key)
        nameless = [b.run("return arguments[0].outerHTML.slice(0, 200)", e) for e in b.run(CONTROLS) if not b.label(e)]
        check(f"every control has a name ({key})", nameless == [], nameless)
    live = b.run("return ['count', 'said'].map((id) => document.getElementById(id)).every((e) => e.ariaLive === 'polite' || e.role === 'status')")
    check("problems and messages are read out", live)


def keyboard(b):
    """Moves from the first control to the last without a mouse, and writes and runs a program."""
    pick(b, "saxpy.wave")
    choose(b, "ptx")
    b.run("document.activeElement.blur(); window.getSelection().removeAllRanges(); document.body.tabIndex = -1; document.body.focus()")
    wanted = b.run(CONTROLS + ".filter((e) => e.tabIndex >= 0).length")
    reached = []
    for _ in range(wanted):
        b.keys(ESCAPE + TAB)
        reached.append(b.run("""const e = document.activeElement; e.dataset.reached = "yes";
                                return [e.id || e.textContent.slice(0, 20) || e.name, e.matches(":focus-visible")]"""))
    missed = b.run(CONTROLS + ".filter((e) => e.tabIndex >= 0 && !e.dataset.reached).map((e) => e.outerHTML.slice(0, 120))")
    check("Tab reaches every control", missed == [], (missed, reached))
    check("and the focus is visible", all(seen for _, seen in reached), reached)
    b.run("playground.panels[0].list.querySelector('[aria-selected=true]').focus()")
    b.keys(RIGHT)
    check("tabs by arrow keys", b.run("return [playground.panels[0].key, document.activeElement.dataset.key]") == ["hip", "hip"])
    b.run("document.getElementById('examples').focus()")
    b.keys(DOWN)
    settled(b)
    check("an example by arrow key", b.run("return playground.name") == EXAMPLES[[path.name for path in EXAMPLES].index("saxpy.wave") + 1].name)
    write(b, "")
    b.run("playground.editor.area.focus()")
    b.keys(".kernel k\n" + TAB + "halt\n.end\n")
    settled(b)
    b.wait("return playground.kernels.length === 1 && playground.loaded")
    check("Tab indents in the editor", b.run("return playground.editor.text") == ".kernel k\n    halt\n.end\n", b.run("return playground.editor.text"))
    pick(b, "saxpy.wave")
    for how, keys in (("Ctrl+Enter", None), ("Space on Run", SPACE), ("Enter on Run", ENTER)):
        b.run("playground.run = null; document.body.dataset.run = ''; document.getElementById(arguments[0] ? 'run' : 'file').focus()", keys)
        if keys:
            b.keys(keys)
        else:
            b.chord(CONTROL, ENTER)
        b.wait('return document.body.dataset.run === "done"')
        check(f"{how} runs", b.run("return playground.run.status") == 0)


def themes(b):
    """Both themes are readable, whether the system or the button chooses."""
    dark_of = {}
    b.run("delete document.documentElement.dataset.theme")
    for scheme in ("light", "dark"):
        b.prefer(scheme)
        dark_of[scheme], bad = b.run(CONTRAST, COLOURS)
        check(f"every colour can be read in the system's {scheme} theme", bad == [], bad)
        press(b, "theme")
        paper, bad = b.run(CONTRAST, COLOURS)
        check(f"every colour can be read after the button in {scheme}", bad == [], bad)
        check(f"the button inverts the {scheme} theme", (paper < 0.5) == (scheme == "light"), paper)
        b.run("delete document.documentElement.dataset.theme")
    check("light is light and dark is dark", dark_of["light"] > 0.7 and dark_of["dark"] < 0.1, dark_of)
    b.prefer("light")


def screens(page, pictures):
    """Phones and a tablet: nothing is outside the screen, and a program runs."""
    with browser.Browser() as b:
        for width, height in ((360, 740), (412, 915), (740, 360), (820, 1180)):
            b.become(width, height)
            b.open("about:blank")
            b.open(page.as_uri())
            b.wait('return document.body.dataset.state === "done"')
            check(f"{width} pixels: the page is as wide as the screen", b.run("return [innerWidth, document.documentElement.scrollWidth]") == [width, width],
                  b.run("return [innerWidth, document.documentElement.scrollWidth]"))
            outside = b.run(CONTROLS + """.filter((e) => !e.closest("[role=tablist]") && (e.getBoundingClientRect().right > innerWidth || e.getBoundingClientRect().left < 0))
                .map((e) => e.outerHTML.slice(0, 120))""")
            check(f"{width} pixels: no control is cut off", outside == [], outside)
            tall = b.run("return ['editor', 'first'].map((id) => document.getElementById(id).getBoundingClientRect().height)")
            check(f"{width} pixels: source and output have room", min(tall) >= 150, tall)
            run(b)
            check(f"{width} pixels: it runs", b.run("return playground.run.status") == 0)
            if width == 360:
                b.picture(pictures / "phone.png")


def picture_of_profile(pictures):
    with browser.Browser(width=1100, height=700) as b:
        b.open((pictures / "profile.html").resolve().as_uri())
        b.picture(pictures / "profile.png")


def main(page, bin_folder, pictures):
    pictures.mkdir(parents=True, exist_ok=True)
    size = (ROOT / "build" / "wasm" / "wave.wasm").stat().st_size
    check(f"at most {LIMIT} bytes of WebAssembly", size <= LIMIT, size)
    print(f"{size} bytes of WebAssembly, the page {page.stat().st_size}")
    with browser.Browser() as b:
        first_compile(b, page)
        links(b, pictures)
        diagnostics(b)
        findings(b)
        trace_and_heat(b)
        profile(b, pictures)
        endless(b)
        large(b)
        own_kernel(b)
        colours(b)
        underlines(b)
        unusual_names(b)
        damaged_file(b)
        spirv(b, bin_folder)
        names(b)
        keyboard(b)
        themes(b)
        ir_passes(b, bin_folder)
        examples(b, bin_folder)
        sharing(b, page)
    screens(page, pictures)
    picture_of_profile(pictures)
    print(f"playground: {results['passed']} passed, {results['failed']} failed")
    return 1 if results["failed"] else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    if browser.missing():
        sys.exit(f"playground: not installed: {browser.missing()}")
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()))
