// Device memory after a run: each buffer as a plot and a table.

import { escapeText } from "./highlight.js";

const PAGE = 64; // rows per page of a table
const PLOT = { width: 600, height: 120 };

function half(bits) {
    const sign = bits >> 15 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

function bfloat(bits) {
    const view = new DataView(new ArrayBuffer(4));
    view.setUint32(0, bits << 16);
    return view.getFloat32(0);
}

const TYPES = {
    u8: [1, (v, at) => v.getUint8(at)],
    u16: [2, (v, at) => v.getUint16(at, true)],
    u32: [4, (v, at) => v.getUint32(at, true)],
    i32: [4, (v, at) => v.getInt32(at, true)],
    u64: [8, (v, at) => v.getBigUint64(at, true)],
    f16: [2, (v, at) => half(v.getUint16(at, true))],
    bf16: [2, (v, at) => bfloat(v.getUint16(at, true))],
    f32: [4, (v, at) => v.getFloat32(at, true)],
    f64: [8, (v, at) => v.getFloat64(at, true)],
};

export function readBuffer(memory, { type, address, count }) {
    const [size, read] = TYPES[type], view = new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
    return Array.from({ length: count }, (_, k) => read(view, address + k * size));
}

function shown(value) {
    if (typeof value === "bigint" || Number.isInteger(value)) return Object.is(value, -0) ? "-0" : String(value);
    return String(Number(value.toPrecision(9)));
}

function same(a, b) {
    return Object.is(a, b) || (a !== a && b !== b);
}

// The range of the finite values.
function rangeOf(values) {
    let low = Infinity, high = -Infinity;
    for (const value of values) {
        const number = Number(value);
        if (!Number.isFinite(number)) continue;
        low = Math.min(low, number);
        high = Math.max(high, number);
    }
    return [low, high];
}

// Each column of pixels shows the minimum and the maximum of its elements.
function drawLine(canvas, values, [low, high]) {
    const pen = canvas.getContext("2d"), { width, height } = PLOT, per = values.length / width;
    const y = (value) => height - 4 - ((value - low) / (high - low || 1)) * (height - 8);
    pen.strokeStyle = pen.fillStyle = getComputedStyle(canvas).color;
    pen.beginPath();
    for (let x = 0; x < width; x++) {
        const from = Math.floor(x * per), part = values.slice(from, Math.max(from + 1, Math.floor((x + 1) * per)));
        const [least, most] = rangeOf(part);
        if (least > most) continue;
        pen.rect(x, y(most), Math.max(1, 1 / per), Math.max(1, y(least) - y(most)));
    }
    pen.fill();
}

// Draws a picture with `across` elements per row, dark to light.
function drawPicture(canvas, values, [low, high], across) {
    const rows = Math.ceil(values.length / across), pen = canvas.getContext("2d");
    canvas.width = across;
    canvas.height = rows;
    const image = pen.createImageData(across, rows);
    values.forEach((value, k) => {
        const level = Math.round(((Number(value) - low) / (high - low || 1)) * 255);
        image.data.set([level, level, level, 255], 4 * k);
    });
    pen.putImageData(image, 0, 0);
}

class Buffer {
    constructor(host, info, before, after) {
        this.info = info;
        this.before = before;
        this.after = after;
        this.page = 0;
        this.changed = after.filter((value, k) => !same(value, before[k])).length;
        const { name, type, count } = info;
        host.innerHTML = `<h3>${escapeText(name)} <small>${type} × ${count}, ${this.changed} changed</small></h3>
            <label>plot <select class="form"><option value="line">line</option><option value="picture">picture</option></select></label>
            <label class="across" hidden>elements per row <input type="number" min="1" max="4096" value="${Math.max(1, Math.round(Math.sqrt(count)))}"></label>
            <canvas role="img"></canvas>
            <div class="pages"><button class="less">previous</button> <span></span> <button class="more">next</button></div>
            <table><thead><tr><th scope="col">index</th><th scope="col">before</th><th scope="col">after</th></tr></thead><tbody></tbody></table>`;
        this.host = host;
        this.form = host.querySelector(".form");
        this.across = host.querySelector(".across");
        this.form.onchange = this.across.querySelector("input").oninput = () => this.plot();
        host.querySelector(".less").onclick = () => this.turn(-1);
        host.querySelector(".more").onclick = () => this.turn(1);
        this.plot();
        this.turn(0);
    }

    plot() {
        const canvas = this.host.querySelector("canvas"), range = rangeOf(this.after), picture = this.form.value === "picture";
        this.across.hidden = !picture;
        canvas.width = PLOT.width;
        canvas.height = PLOT.height;
        canvas.classList.toggle("picture", picture);
        canvas.setAttribute("aria-label", `plot of ${this.info.name}, from ${shown(range[0])} to ${shown(range[1])}`);
        if (picture) drawPicture(canvas, this.after, range, Math.max(1, Number(this.across.querySelector("input").value) || 1));
        else drawLine(canvas, this.after, range);
    }

    turn(by) {
        const last = Math.max(0, Math.ceil(this.after.length / PAGE) - 1);
        this.page = Math.min(last, Math.max(0, this.page + by));
        const from = this.page * PAGE, to = Math.min(this.after.length, from + PAGE);
        this.host.querySelector(".pages").hidden = last === 0;
        this.host.querySelector(".pages span").textContent = `${from} … ${to - 1}`;
        let rows = "";
        for (let k = from; k < to; k++) {
            const mark = same(this.before[k], this.after[k]) ? "" : ' class="changed"';
            rows += `<tr${mark}><th scope="row">${k}</th><td>${shown(this.before[k])}</td><td>${shown(this.after[k])}</td></tr>`;
        }
        this.host.querySelector("tbody").innerHTML = rows;
    }
}

export function showBuffers(host, result) {
    host.replaceChildren();
    for (const info of result.report.buffers) {
        const section = document.createElement("section");
        section.className = "buffer";
        section.dataset.name = info.name;
        host.append(section);
        new Buffer(section, info, readBuffer(result.before, info), readBuffer(result.after, info));
    }
}
