// Text with line numbers, colours and marks: editable in the editor, read-only for generated text. The text itself is in a
// textarea, so that selection, search, screen readers and keyboards work as usual. The visible text is painted under it,
// only for the lines in view.

import { escapeText, tokens } from "./highlight.js";

const LINE = 20; // pixels, as in style.css

const encoder = new TextEncoder();

export class TextView {
    // `on` contains the event handlers: text(), line(number) when the caret moves, hover(number or 0).
    constructor(host, { label, language, readOnly = false, on = {} }) {
        this.language = language;
        this.on = on;
        this.lines = [""];
        this.notes = new Map(); // line number -> [{severity, code, message, hint, column, length}]
        this.linked = new Set();
        this.hot = new Map(); // line number -> text in the gutter
        this.line = 1;
        host.classList.add("view");
        host.innerHTML = '<div class="gutter" aria-hidden="true"></div><div class="sheet"><pre class="paint" aria-hidden="true"></pre>' +
            '<textarea wrap="off" spellcheck="false" autocomplete="off" autocapitalize="off" autocorrect="off"></textarea>' +
            '<div class="under" hidden></div></div>';
        [this.gutter, this.sheet] = host.children;
        [this.paint, this.area, this.under] = this.sheet.children;
        this.area.setAttribute("aria-label", label);
        this.area.readOnly = readOnly;
        this.listen(host);
    }

    listen(host) {
        const draw = () => this.draw();
        this.area.addEventListener("scroll", draw);
        new ResizeObserver(draw).observe(host);
        this.area.addEventListener("input", () => {
            this.split();
            this.draw();
            this.moved();
            if (this.on.text) this.on.text();
        });
        this.area.addEventListener("keydown", (event) => this.key(event));
        document.addEventListener("selectionchange", () => {
            if (document.activeElement === this.area) this.moved();
        });
        this.area.addEventListener("mousemove", (event) => this.hover(1 + Math.floor((event.offsetY - 8 + this.area.scrollTop) / LINE)));
        this.area.addEventListener("mouseleave", () => this.hover(0));
    }

    hover(line) {
        if (line > this.lines.length) line = 0;
        if (line !== this.hovered && this.on.hover) this.on.hover(line);
        this.hovered = line;
    }

    // Tab indents in the editor; Escape lets the next Tab leave it.
    key(event) {
        if (event.key === "Escape") this.leaving = true;
        else if (event.key === "Tab" && !this.area.readOnly && !this.leaving && !event.shiftKey) {
            event.preventDefault();
            document.execCommand("insertText", false, "    ");
        } else if (event.key !== "Shift") this.leaving = false;
    }

    get text() {
        return this.area.value;
    }

    set text(text) {
        if (text === this.area.value) return;
        this.area.value = text;
        this.split();
        this.draw();
    }

    split() {
        this.lines = this.area.value.split("\n");
    }

    moved() {
        const line = this.lineAt(this.area.selectionStart);
        if (line === this.line) return;
        this.line = line;
        this.draw();
        if (this.on.line) this.on.line(line);
    }

    lineAt(offset) {
        let line = 1;
        for (let at = this.area.value.indexOf("\n"); at >= 0 && at < offset; at = this.area.value.indexOf("\n", at + 1)) line++;
        return line;
    }

    show(line, focus = false) {
        const top = (line - 1) * LINE, height = this.area.clientHeight;
        if (top < this.area.scrollTop || top + 2 * LINE > this.area.scrollTop + height) this.area.scrollTop = Math.max(0, top - height / 3);
        if (!focus) return;
        let at = 0;
        for (let k = 1; k < line && k <= this.lines.length; k++) at += this.lines[k - 1].length + 1;
        this.area.focus();
        this.area.setSelectionRange(at, at);
        this.moved();
    }

    setNotes(list) {
        this.notes = new Map();
        for (const note of list) {
            if (!note.line) continue;
            if (!this.notes.has(note.line)) this.notes.set(note.line, []);
            this.notes.get(note.line).push(note);
        }
        this.draw();
    }

    setLinked(lines, show) {
        this.linked = lines;
        const first = Math.min(...lines);
        if (show && lines.size) this.show(first);
        this.draw();
    }

    setHot(hot) {
        this.hot = hot;
        this.draw();
    }

    // ---- Painting ----

    draw() {
        if (this.drawing) return;
        this.drawing = requestAnimationFrame(() => {
            this.drawing = 0;
            this.drawNow();
        });
    }

    drawNow() {
        const { scrollTop, scrollLeft, clientHeight } = this.area;
        const first = Math.floor(scrollTop / LINE), count = Math.ceil(clientHeight / LINE) + 2;
        const paint = [], gutter = [];
        for (let k = first; k < Math.min(first + count, this.lines.length); k++) {
            paint.push(this.paintLine(k + 1));
            gutter.push(this.paintNumber(k + 1));
        }
        this.paint.innerHTML = paint.join("");
        this.gutter.innerHTML = gutter.join("");
        const shift = first * LINE - scrollTop + 8;
        this.paint.style.transform = `translate(${-scrollLeft}px, ${shift}px)`;
        this.gutter.style.transform = `translateY(${shift}px)`;
        this.drawUnder(scrollTop, scrollLeft);
    }

    paintNumber(number) {
        const notes = this.notes.get(number);
        const kind = notes ? (notes.some((note) => note.severity === "error") ? "error" : "warning") : "";
        const hot = this.hot.has(number) ? `<span class="hot">${escapeText(this.hot.get(number))}</span>` : "";
        return `<div class="${kind}${number === this.line ? " current" : ""}">${hot}${number}</div>`;
    }

    paintLine(number) {
        const notes = this.notes.get(number) || [];
        const classes = ["row"];
        if (this.linked.has(number)) classes.push("linked");
        if (notes.length) classes.push(notes[0].severity);
        let html = "", column = 1; // in bytes of UTF-8, as those of the notes
        for (const [kind, text] of tokens(this.lines[number - 1], this.language)) {
            const size = notes.length ? encoder.encode(text).length : 0;
            const marked = notes.find((note) => note.column && note.column < column + size && note.column + (note.length || 1) > column);
            const name = [kind && "t-" + kind, marked && "squiggle-" + marked.severity].filter(Boolean).join(" ");
            html += name ? `<span class="${name}">${escapeText(text)}</span>` : escapeText(text);
            column += size;
        }
        if (notes.length && number !== this.line) html += `<span class="lens">${escapeText(notes[0].message)}</span>`;
        return `<div class="${classes.join(" ")}">${html || " "}</div>`;
    }

    // Shows the problems of the caret's line directly under it.
    drawUnder(scrollTop, scrollLeft) {
        const notes = this.notes.get(this.line);
        this.under.hidden = !notes;
        if (!notes) return;
        this.under.innerHTML = notes.map((note) =>
            `<p class="${note.severity}"><b>${escapeText(note.code)}</b> ${escapeText(note.message)}${note.hint ? `<br><i>${escapeText(note.hint)}</i>` : ""}</p>`).join("");
        this.under.style.transform = `translate(${Math.max(0, 8 - scrollLeft)}px, ${this.line * LINE - scrollTop + 10}px)`;
    }
}
