// The program and its options in the page's address: #z= compressed, #s= where the browser cannot compress.

function toBase64(bytes) {
    let text = "";
    for (let k = 0; k < bytes.length; k += 8192) text += String.fromCharCode(...bytes.subarray(k, k + 8192));
    return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

export function fromBase64(text) {
    return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
}

async function through(bytes, stream) {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

// A short address can hold a text of any length: one byte becomes up to a thousand.
const LARGEST = 16 << 20;

async function inflate(bytes) {
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const parts = [];
    let size = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
        size += value.length;
        if (size > LARGEST) {
            await reader.cancel();
            throw new Error("the program is too large");
        }
        parts.push(value);
    }
}

export async function toHash(state) {
    const bytes = new TextEncoder().encode(JSON.stringify(state));
    if (!self.CompressionStream) return "#s=" + toBase64(bytes);
    return "#z=" + toBase64(await through(bytes, new CompressionStream("deflate-raw")));
}

// null when the address holds no program, or one that cannot be read.
export async function fromHash(hash) {
    const match = /^#([zs])=([\w-]+)$/.exec(hash);
    if (!match) return null;
    try {
        let bytes = fromBase64(match[2]);
        if (match[1] === "z") bytes = await inflate(bytes);
        const state = JSON.parse(new TextDecoder().decode(bytes));
        return typeof state.text === "string" ? state : null;
    } catch {
        return null;
    }
}
