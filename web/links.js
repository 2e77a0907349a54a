// Maps each line of an output to its source line: an array indexed by output line, counted from 0, with 0 where there is none.

// A target's text with -g, without its line directives, equals the text without -g.
export function linksOfTarget(text, lined) {
    const lines = text.split("\n"), links = new Array(lines.length).fill(0);
    let at = 0, source = 0, counts = false;
    for (const line of lined.split("\n")) {
        const loc = /^\s*\.loc \d+ (\d+)/.exec(line), hash = /^#line (\d+)/.exec(line);
        if (loc || hash) {
            source = Number((loc || hash)[1]);
            counts = Boolean(hash);
            continue;
        }
        if (line === lines[at]) {
            if (line.trim() && !/^\s*[{}]*$/.test(line)) links[at] = source;
            at++;
        }
        if (counts && source) source++;
        if (/^}/.test(line)) source = 0;
    }
    return links;
}

// Outputs have the kernels in the order of the file; names are no key, because a kernel need not have one.
function linesOf(kernels, number) {
    return new Map(number < kernels.length ? kernels[number].lines : []);
}

// The IR with offsets as comments: the text without them, and its links.
export function linksOfIr(text, kernels) {
    const links = [], shown = [];
    let lines = new Map(), number = 0;
    for (const line of text.split("\n")) {
        if (line.startsWith('kernel "')) lines = linesOf(kernels, number++);
        const offset = / ; \+0x([0-9a-f]+)$/.exec(line);
        links.push(offset ? lines.get(parseInt(offset[1], 16)) || 0 : 0);
        shown.push(offset ? line.slice(0, -offset[0].length) : line);
    }
    return { text: shown.join("\n"), links };
}

// Compares the disassembly with the same text with offsets.
export function linksOfDisassembly(lined, kernels) {
    let lines = new Map(), number = 0;
    return lined.split("\n").map((line) => {
        if (/^\.kernel\b/.test(line)) lines = linesOf(kernels, number++);
        const offset = /^\s*0x([0-9A-F]+): /.exec(line);
        return offset ? lines.get(parseInt(offset[1], 16)) || 0 : 0;
    });
}

// The lines of the output that come from a line of the source.
export function linesFrom(links, source) {
    const lines = new Set();
    if (source) links.forEach((link, k) => link === source && lines.add(k + 1));
    return lines;
}
