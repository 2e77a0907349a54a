// The page: the editor, its outputs, running, examples and sharing.

import { showBuffers } from "./buffers.js";
import { Client, Stopped } from "./client.js";
import { hasLaunch, launchLines } from "./launch.js";
import { Panel } from "./panel.js";
import { fromBase64, fromHash, toHash } from "./share.js";
import { TextView } from "./textview.js";
import { escapeText } from "./highlight.js";

// Defined by bundle.py.
/* global ENGINE, WASM, EXAMPLES */

const PAUSE = 120; // milliseconds without a key press before the program is processed
const RUN = { race: 1, uninit: 2, profile: 4, waves: 8, lanes: 16 };
const NO_LIMIT = 0xffffffff;

const at = (id) => document.getElementById(id);

class Page {
    constructor() {
        const wasm = fromBase64(WASM);
        this.client = new Client(ENGINE, wasm);
        this.runner = new Client(ENGINE, wasm);
        this.name = "kernel.wave";
        this.kernels = [];
        this.loaded = false;
        this.problems = [];
        this.findings = [];
        this.run = null;
        this.began = performance.now();
    }

    async start() {
        this.editor = new TextView(at("editor"), {
            label: "WAVE assembly",
            language: "wave",
            on: {
                text: () => this.edited(),
                line: (line) => this.pointAt(line, null),
                hover: (line) => this.pointAt(line || this.editor.line, null, true),
            },
        });
        for (const name of Object.keys(EXAMPLES)) at("examples").add(new Option(name.replace(".wave", ""), name));
        this.choices = (await this.client.call("choices")).choices;
        at("version").textContent = this.choices.version;
        this.panels = [new Panel(at("first"), this, "ptx")];
        this.listen();
        const shared = await fromHash(location.hash);
        if (shared) this.restore(shared);
        else this.openExample("saxpy.wave");
    }

    listen() {
        at("examples").onchange = () => this.openExample(at("examples").value);
        for (const box of document.querySelectorAll("#flags input, #flags select")) box.onchange = () => this.refresh();
        at("run").onclick = () => this.startRun();
        at("stop").onclick = () => this.runner.stop();
        at("share").onclick = () => this.share();
        at("save").onclick = () => this.save();
        at("split").onclick = () => this.split();
        at("theme").onclick = () => this.turnTheme();
        at("file").onchange = () => this.openFile(at("file").files[0]);
        document.addEventListener("keydown", (event) => {
            if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
                event.preventDefault();
                this.startRun();
            }
        });
        document.addEventListener("dragover", (event) => event.preventDefault());
        document.addEventListener("drop", (event) => {
            event.preventDefault();
            if (event.dataTransfer.files[0]) this.openFile(event.dataTransfer.files[0]);
        });
        addEventListener("hashchange", async () => {
            const shared = await fromHash(location.hash);
            if (shared && shared.text !== this.editor.text) this.restore(shared);
        });
    }

    // ---- The program ----

    openExample(name) {
        at("examples").value = name;
        this.open(name, EXAMPLES[name]);
    }

    open(name, text) {
        this.name = name;
        this.run = null;
        this.trace = "";
        this.traceLinks = [];
        this.findings = [];
        this.editor.setHot(new Map());
        this.editor.text = text;
        this.editor.show(1);
        return this.load();
    }

    // Assembly is text; a WBIN or SPIR-V file becomes its disassembly, with an initial launch.
    async openFile(file) {
        const bytes = new Uint8Array(await file.arrayBuffer());
        if (/\.(wave|s|txt)$/i.test(file.name)) return this.open(file.name, new TextDecoder().decode(bytes));
        const answer = await this.client.call("import", { name: file.name, bytes });
        if (answer.status) {
            this.problems = answer.diagnostics.diagnostics.map((d) => ({ ...d, line: 0 }));
            this.showProblems();
            return;
        }
        await this.open(file.name.replace(/\.\w+$/, "") + ".wave", answer.text);
        if (!hasLaunch(answer.text) && this.kernels.length) await this.open(this.name, launchLines(this.kernels[0]) + "\n" + answer.text);
    }

    edited() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.load(), PAUSE);
    }

    // One load at a time: changes typed during a load are processed by the next one.
    async load() {
        clearTimeout(this.timer);
        if (this.loading) {
            this.again = true;
            return this.loading;
        }
        this.loading = this.loadNow();
        await this.loading;
        this.loading = null;
        if (this.again) {
            this.again = false;
            await this.load();
        }
    }

    async loadNow() {
        document.body.dataset.state = "working";
        const answer = await this.client.call("load", { name: this.name, text: this.editor.text });
        this.loaded = !answer.status;
        if (this.loaded) this.kernels = answer.kernels;
        this.problems = answer.diagnostics.diagnostics;
        this.showProblems();
        await this.refresh();
        if (!this.first) {
            this.first = performance.now() - this.began;
            document.body.dataset.first = Math.round(this.first);
        }
        document.body.dataset.state = this.again ? "working" : "done";
    }

    refresh() {
        return Promise.all(this.panels.map((panel) => panel.refresh()));
    }

    flags() {
        let flags = Number(at("level").value) ? 1 : 0;
        for (const box of document.querySelectorAll("#flags input[type=checkbox]")) if (box.checked) flags |= Number(box.value);
        return flags;
    }

    // ---- Problems ----

    showProblems() {
        const all = [...this.problems, ...this.findings];
        const errors = all.filter((d) => d.severity === "error").length;
        this.editor.setNotes(all);
        at("count").textContent = all.length ? `${errors} error${errors === 1 ? "" : "s"}, ${all.length - errors} warning${all.length - errors === 1 ? "" : "s"}` : "no problems";
        at("problems").replaceChildren(...all.map((d) => this.problem(d)));
    }

    problem(d) {
        const item = document.createElement("li"), button = document.createElement("button");
        item.className = d.severity;
        button.innerHTML = `${d.line ? `line ${d.line}: ` : ""}<b>${escapeText(d.code)}</b> ${escapeText(d.message)}`;
        button.onclick = () => d.line && this.editor.show(d.line, true);
        item.append(button);
        if (d.hint) item.append(Object.assign(document.createElement("p"), { textContent: d.hint }));
        for (const other of d.related || []) {
            const more = document.createElement("button");
            more.textContent = `line ${other.line}: ${other.message}`;
            more.onclick = () => this.editor.show(other.line, true);
            item.append(more);
        }
        return item;
    }

    say(text) {
        at("said").textContent = text;
    }

    // ---- Links between lines ----

    // `from` is the panel that the pointer is in, or null for the editor; a hover does not scroll.
    pointAt(line, from, hover = false) {
        if (from) {
            this.editor.setLinked(new Set(line ? [line] : []), !hover);
        } else {
            this.editor.setLinked(new Set(), false);
        }
        for (const panel of this.panels) if (panel !== from) panel.light(line, !hover);
    }

    // ---- Running ----

    async startRun() {
        const trace = at("trace").value;
        let flags = (at("race").checked ? RUN.race : 0) | (at("uninit").checked ? RUN.uninit : 0) | RUN.profile;
        if (RUN[trace]) flags = (flags & ~RUN.profile) | RUN[trace];
        this.setRunning(true);
        try {
            this.run = await this.runner.call("run", {
                name: this.name, text: this.editor.text, flags,
                width: Number(at("width").value) || 0,
                seed: Number(at("seed").value) || 0,
                limit: at("limit").value === "" ? 0 : Number(at("limit").value) || NO_LIMIT,
            });
            this.findings = this.run.diagnostics.diagnostics;
            this.takeTrace(this.run.trace || "");
            this.showHeat();
        } catch (error) {
            this.run = { stopped: error instanceof Stopped, failed: String(error) };
            this.findings = [];
        }
        this.setRunning(false);
        this.showProblems();
        this.showTab(RUN[trace] ? "trace" : "run");
    }

    setRunning(running) {
        at("stop").disabled = !running;
        at("run").disabled = running;
        document.body.dataset.run = running ? "running" : "done";
        this.say(running ? "running" : "");
    }

    // Each line of a trace begins with "k.wave:31 ".
    takeTrace(text) {
        this.trace = text;
        this.traceLinks = text.split("\n").map((line) => {
            const place = /^[^|]*?:(\d+) /.exec(line);
            return place ? Number(place[1]) : 0;
        });
    }

    // Shows how often each line was executed, next to its number.
    showHeat() {
        const hot = new Map();
        for (const one of this.run.profile ? this.run.profile.instructions : []) hot.set(one.line, Math.max(hot.get(one.line) || 0, one.executions));
        this.editor.setHot(new Map([...hot].map(([line, count]) => [line, `${count}×`])));
    }

    showTab(key) {
        const panel = this.panels.find((p) => p.key === key) || this.panels.at(-1);
        panel.choose(key);
    }

    showRun(host) {
        const { run } = this;
        if (!run) {
            host.innerHTML = '<p class="note">Run executes the kernel on the reference emulator, as the lines that begin with <code>;@</code> describe: the grid, buffers, arguments and expected memory.</p>';
            this.offerLaunch(host);
            return;
        }
        if (run.failed) {
            host.innerHTML = `<p class="note">${run.stopped ? "Stopped." : escapeText(run.failed)}</p>`;
            return;
        }
        host.replaceChildren();
        const summary = document.createElement("div"), buffers = document.createElement("div");
        summary.className = "summary";
        summary.innerHTML = this.summaryOf(run);
        host.append(summary, buffers);
        if (run.report) showBuffers(buffers, run);
        else this.offerLaunch(host);
    }

    summaryOf(run) {
        const problems = run.diagnostics.diagnostics.map((d) =>
            `<p class="${d.severity}">${d.line ? `line ${d.line}: ` : ""}<b>${escapeText(d.code)}</b> ${escapeText(d.message)}</p>`).join("");
        if (!run.report) return problems;
        const { verdict, expects, width, grid, stats } = run.report;
        const judged = run.status || !expects ? "" : verdict ? `<p class="error" id="verdict">memory differs from what is expected</p><pre>${escapeText(verdict)}</pre>` :
            '<p class="good" id="verdict">memory is what is expected</p>';
        return `${problems}${judged}<p>grid ${grid.join("×")}, ${width} lanes per wave, ${run.milliseconds.toFixed(1)} ms in the browser</p>
            <details><summary>counts</summary><pre>${escapeText(stats)}</pre></details>`;
    }

    offerLaunch(host) {
        if (hasLaunch(this.editor.text) || !this.kernels.length) return;
        const button = document.createElement("button");
        button.id = "describe";
        button.textContent = "Insert a default launch";
        button.onclick = () => this.open(this.name, launchLines(this.kernels[0]) + "\n" + this.editor.text);
        host.append(button);
    }

    showProfile(host) {
        if (!this.run || !this.run.profilePage) {
            host.innerHTML = '<p class="note">Run without a trace to see a profile.</p>';
            return;
        }
        const frame = document.createElement("iframe");
        frame.title = "profile";
        frame.sandbox = "allow-scripts";
        frame.srcdoc = this.run.profilePage;
        host.replaceChildren(frame);
    }

    // ---- Sharing, saving, appearance ----

    state() {
        return { name: this.name, text: this.editor.text, level: at("level").value, flags: this.flags(), tab: this.panels[0].key };
    }

    restore(state) {
        at("level").value = state.level === "0" ? "0" : "2";
        for (const box of document.querySelectorAll("#flags input[type=checkbox]")) box.checked = Boolean(state.flags & Number(box.value));
        this.open(typeof state.name === "string" ? state.name : "kernel.wave", state.text);
        if (this.panels[0].list.querySelector(`[data-key="${CSS.escape(String(state.tab))}"]`)) this.panels[0].choose(state.tab);
    }

    async share() {
        history.replaceState(null, "", await toHash(this.state()));
        try {
            await navigator.clipboard.writeText(location.href);
            this.say("copied the address of this program");
        } catch {
            this.say("the address of this page now contains the program");
        }
    }

    async save() {
        const { status, bytes } = await this.client.call("binary");
        if (status) return this.say("there is no program to save");
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([bytes]));
        link.download = this.name.replace(/\.\w+$/, "") + ".wbin";
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }

    split() {
        const on = this.panels.length === 1;
        at("second").hidden = !on;
        at("split").setAttribute("aria-pressed", on);
        if (on) this.panels.push(new Panel(at("second"), this, this.panels[0].key === "hip" ? "ptx" : "hip"));
        else this.panels.pop();
    }

    turnTheme() {
        const { dataset } = document.documentElement;
        const dark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
        dataset.theme = dark ? "light" : "dark";
    }
}

const page = new Page();
window.playground = page; // for the test
page.start();
