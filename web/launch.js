// Launch description lines for a program that has none (docs/using/test-format.md).

// 1.5, as argument words.
const NUMBERS = { f32: "f32:1.5", f16: "0x3E00", bf16: "0x3FC0", f64: "0 0x3FF80000" };
const ELEMENTS = 256;

export function hasLaunch(text) {
    return /^\s*;@/m.test(text);
}

function typeOfBuffer(type) {
    const known = { i64: "u64", i8: "u8", i16: "u16", bytes: "u8" };
    return known[type] || type;
}

export function launchLines(kernel) {
    const buffers = [], values = [];
    const list = kernel.arguments.length ? kernel.arguments :
        Array.from({ length: kernel.words }, (_, k) => ({ name: "arg" + k, kind: "buffer", type: "u32" }));
    for (const argument of list) {
        if (argument.kind === "local") continue;
        const name = argument.name || "arg" + argument.word;
        if (argument.kind === "buffer") {
            buffers.push(`;@ buffer  ${name} ${typeOfBuffer(argument.type)} ${ELEMENTS} = expr i`);
            values.push(name);
        } else {
            values.push(NUMBERS[argument.type] || String(ELEMENTS));
            for (let k = 1; k < argument.words && !NUMBERS[argument.type]; k++) values.push("0");
        }
    }
    const group = kernel.workgroup[0] ? [] : [";@ group   64"];
    const threads = kernel.workgroup[0] * kernel.workgroup[1] * kernel.workgroup[2] || 64;
    const lines = [`;@ test    ${kernel.name || "a launch"}`, ";@ widths  32", `;@ grid    ${Math.ceil(ELEMENTS / threads)}`, ...group, ...buffers];
    if (kernel.name) lines.splice(1, 0, `;@ kernel  ${kernel.name}`);
    if (values.length) lines.push(`;@ args    ${values.join(" ")}`);
    return lines.join("\n") + "\n";
}
