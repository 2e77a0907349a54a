// One panel of outputs: tabs, and the contents of the selected tab.

import { linesFrom, linksOfDisassembly, linksOfIr, linksOfTarget } from "./links.js";
import { TextView } from "./textview.js";

// The targets are numbered as in wave/compile.h.
export const TABS = [
    { key: "ptx", title: "PTX", target: 0, language: "ptx" },
    { key: "hip", title: "HIP", target: 1, language: "c" },
    { key: "sycl", title: "SYCL", target: 2, language: "c" },
    { key: "msl", title: "Metal", target: 3, language: "c" },
    { key: "ir", title: "IR", language: "ir" },
    { key: "dis", title: "Disassembly", language: "wave" },
    { key: "run", title: "Run" },
    { key: "trace", title: "Trace", language: "plain" },
    { key: "profile", title: "Profile" },
];

export class Panel {
    // `page` provides the panel's environment: client, kernels, choices, flags(), pointAt(line, from), pages of a run.
    constructor(host, page, first) {
        this.host = host;
        this.page = page;
        this.links = [];
        this.generation = 0;
        host.innerHTML = '<div role="tablist" aria-label="outputs"></div><div class="options"></div><div class="body" role="tabpanel" tabindex="-1"></div>';
        [this.list, this.options, this.body] = host.children;
        this.fillTabs();
        this.choose(first);
    }

    fillTabs() {
        for (const tab of TABS) {
            const button = document.createElement("button");
            button.role = "tab";
            button.textContent = tab.title;
            button.dataset.key = tab.key;
            button.onclick = () => this.choose(tab.key);
            this.list.append(button);
        }
        this.list.onkeydown = (event) => {
            const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (!step) return;
            const at = TABS.findIndex((tab) => tab.key === this.key);
            this.choose(TABS[(at + step + TABS.length) % TABS.length].key);
            this.list.querySelector("[aria-selected=true]").focus();
        };
    }

    choose(key) {
        this.key = key;
        this.tab = TABS.find((tab) => tab.key === key);
        for (const button of this.list.children) {
            const chosen = button.dataset.key === key;
            button.setAttribute("aria-selected", chosen);
            button.tabIndex = chosen ? 0 : -1;
        }
        this.body.setAttribute("aria-label", this.tab.title);
        this.view = null;
        this.links = [];
        this.host.dataset.state = "";
        this.fillOptions();
        this.body.replaceChildren();
        if (this.tab.language) this.makeView();
        this.refresh();
    }

    makeView() {
        const host = document.createElement("div");
        this.body.append(host);
        this.view = new TextView(host, {
            label: this.tab.title,
            language: this.tab.language,
            readOnly: true,
            on: {
                line: (line) => this.page.pointAt(this.links[line - 1] || 0, this),
                hover: (line) => this.page.pointAt(this.links[line - 1] || 0, this, true),
            },
        });
    }

    // ---- Options of the tab ----

    fillOptions() {
        this.options.replaceChildren();
        const { choices } = this.page;
        if (!choices) return;
        if (this.key === "ir") {
            this.select("pass", "pass", choices.passes.map((name) => [name, name]), choices.passes.at(-1));
            this.select("for", "target", choices.targets.map((target, k) => [k, target.name]), 0);
        }
        if (this.key in { ptx: 1, hip: 1, sycl: 1, msl: 1 }) {
            const { archs } = choices.targets[this.tab.target];
            this.select("architecture", "arch", archs.map(({ name }) => [name, name]), archs[0].name);
            this.select("lanes", "width", [[0, "its own"], ...widthsOf(archs, this.value("arch")).map((w) => [w, w])], 0);
        }
        if (this.view || this.tab.language) this.copyButton();
    }

    select(label, name, values, chosen) {
        const wrap = document.createElement("label"), box = document.createElement("select");
        box.name = name;
        for (const [value, text] of values) box.add(new Option(text, value));
        box.value = chosen;
        box.onchange = () => {
            if (name === "arch") this.fillWidths();
            this.refresh();
        };
        wrap.append(label + " ", box);
        this.options.append(wrap);
    }

    fillWidths() {
        const box = this.options.querySelector("[name=width]"), { archs } = this.page.choices.targets[this.tab.target];
        box.replaceChildren(new Option("its own", 0), ...widthsOf(archs, this.value("arch")).map((w) => new Option(w, w)));
    }

    copyButton() {
        const button = document.createElement("button");
        button.textContent = "Copy";
        button.className = "copy";
        button.onclick = () => {
            this.view.area.select();
            document.execCommand("copy");
            this.page.say("copied");
        };
        this.options.append(button);
    }

    value(name) {
        const box = this.options.querySelector(`[name=${name}]`);
        return box ? box.value : "";
    }

    // ---- Contents ----

    // Requests the contents again whenever the program or an option changes; an answer that arrives too late is dropped.
    async refresh() {
        const generation = ++this.generation, { page } = this;
        if (this.key === "run") return page.showRun(this.body);
        if (this.key === "profile") return page.showProfile(this.body);
        if (this.key === "trace") return this.show({ text: page.trace || "Run with a trace to see it here.\n", links: page.traceLinks || [] });
        if (!page.loaded) return this.broken();
        this.host.dataset.state = "working";
        const answer = await this.ask().catch((error) => ({ failed: error }));
        if (generation !== this.generation) return;
        if (answer.failed) this.show({ text: String(answer.failed), links: [] });
        else this.show(answer);
        this.host.dataset.state = "done";
    }

    // A program that does not assemble keeps its last outputs, greyed out.
    broken() {
        this.host.dataset.state = "stale";
    }

    async ask() {
        const { client, kernels } = this.page, flags = this.page.flags();
        if (this.key === "dis") {
            const answer = await client.call("disassemble");
            return { text: answer.text, links: linksOfDisassembly(answer.lined, kernels) };
        }
        if (this.key === "ir") {
            const answer = await client.call("ir", { pass: this.value("pass"), target: Number(this.value("target")), arch: "", width: 0, flags });
            return answer.text ? linksOfIr(answer.text, kernels) : refusal(answer);
        }
        const answer = await client.call("compile", { target: this.tab.target, arch: this.value("arch"), width: Number(this.value("width")), flags });
        return answer.status ? refusal(answer) : { text: answer.text, links: linksOfTarget(answer.text, answer.lined) };
    }

    show({ text, links }) {
        this.links = links;
        this.view.text = text;
        this.view.setLinked(new Set(), false);
    }

    // Highlights the output lines of a source line.
    light(line, scroll) {
        if (this.view && this.key !== "trace") this.view.setLinked(linesFrom(this.links, line), scroll);
    }
}

function widthsOf(archs, name) {
    const arch = archs.find((a) => a.name === name) || archs[0];
    return [1, 2, 4, 8, 16, 32, 64].filter((w) => arch.widths & w);
}

function refusal({ diagnostics }) {
    const text = diagnostics.diagnostics.map((d) => `${d.severity}: ${d.code}: ${d.message}${d.hint ? "\n  hint: " + d.hint : ""}`).join("\n");
    return { text: text + "\n", links: diagnostics.diagnostics.map((d) => d.line || 0) };
}
