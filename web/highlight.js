// Colours for one line of text. A language is a list of [class, pattern]; the first that matches at the current position wins.

const numbers = ["number", /[+-]?(?:0x[0-9A-Fa-f_]+|\d[\d_]*\.?[\d_]*(?:[eE][+-]?[\d_]+)?)[uUlLfF]*\b/y];
const strings = ["string", /"(?:[^"\\]|\\.)*"?/y];
const words = ["", /[A-Za-z_.$][\w.$]*/y];

const LANGUAGES = {
    wave: [
        ["test", /;@.*/y],
        ["comment", /(?:;|#|\/\/).*/y],
        ["directive", /\.[A-Za-z_]\w*/y],
        ["guard", /@!?[A-Za-z_]\w*/y],
        ["flow", /\b(?:if|else|endif|loop|endloop|break|continue|call|return|halt)\b/y],
        ["special", /\bsr_\w+/y],
        ["register", /\b[rpt]\d+\b/y],
        strings,
        numbers,
        ["mnemonic", /^\s*(?:@!?\w+\s+)?[A-Za-z_]\w*(?:\.\w+)*/y],
        words,
    ],
    ptx: [
        ["comment", /\/\/.*/y],
        ["directive", /\.(?:version|target|address_size|visible|entry|func|param|reg|shared|local|const|global|align|maxntid|reqntid|minnctapersm|pragma|file|loc|extern)\b[.\w]*/y],
        ["guard", /@!?%?\w+/y],
        ["register", /%[\w.]+/y],
        strings,
        numbers,
        ["mnemonic", /^\s*(?:@!?%?\w+\s+)?[a-z]\w*(?:\.[\w:]+)*/y],
        words,
    ],
    c: [
        ["comment", /\/\/.*/y],
        ["directive", /^\s*#.*/y],
        strings,
        ["flow", /\b(?:if|else|for|while|do|break|continue|return|switch|case|default|goto)\b/y],
        ["type", /\b(?:void|bool|char|short|int|long|unsigned|signed|float|double|half|auto|const|volatile|static|inline|struct|template|typename|using|namespace|device|constant|threadgroup|thread|kernel|uint\w*|u?int\d+_t|ulong|ushort|uchar|size_t|extern|restrict|__\w+__)\b/y],
        numbers,
        words,
    ],
    ir: [
        ["comment", /;.*/y],
        ["register", /%\d+/y],
        ["type", /:\w+/y],
        ["flow", /\b(?:kernel|if|else|loop|yield|break|continue|halt)\b/y],
        ["special", /\b(?:sr_\w+|arg\d+)\b/y],
        strings,
        numbers,
        words,
    ],
    plain: [],
};

const FLOW = /^(?:if|else|endif|loop|endloop|break|continue|call|return|halt)$/;

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
export function escapeText(text) {
    return text.replace(/[&<>"]/g, (c) => ESCAPES[c]);
}

// The match of a mnemonic may begin with blanks and a guard; only its last word is the mnemonic.
function splitMnemonic(text) {
    const word = /[\w.:]+$/.exec(text)[0];
    return [text.slice(0, -word.length), word];
}

// The line as a list of [class, text].
export function tokens(line, language) {
    const rules = LANGUAGES[language] || LANGUAGES.plain;
    const out = [];
    let at = 0, plain = 0;
    const flush = (end) => {
        if (end > plain) out.push(["", line.slice(plain, end)]);
    };
    while (at < line.length && at < 2000) {
        let found = null;
        for (const [kind, pattern] of rules) {
            pattern.lastIndex = at;
            const match = pattern.exec(line);
            if (match && match[0]) {
                found = [kind, match[0]];
                break;
            }
        }
        if (!found || !found[0]) {
            at += found ? found[1].length : 1;
            continue;
        }
        flush(at);
        if (found[0] === "mnemonic") {
            const [before, word] = splitMnemonic(found[1]);
            out.push(["", before], [FLOW.test(word) ? "flow" : "mnemonic", word]);
        } else {
            out.push(found);
        }
        at += found[1].length;
        plain = at;
    }
    flush(line.length);
    return out;
}
