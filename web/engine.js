// The worker: libwave as WebAssembly, and the small part of WASI that it uses. Incoming messages
// are {id, op, …}, outgoing ones {id, status, outputs, trace} or {id, error}.

const TRACE_LIMIT = 4 << 20;

// libwave reads no files, and the values of the clock do not matter. Its output on standard error is
// a trace.
function wasi(engine) {
    const view = () => new DataView(engine.memory.buffer);
    const bad = () => 8; // EBADF
    return {
        fd_write(fd, vectors, count, written) {
            let total = 0;
            for (let k = 0; k < count; k++) {
                const at = view().getUint32(vectors + 8 * k, true), size = view().getUint32(vectors + 8 * k + 4, true);
                engine.note(new Uint8Array(engine.memory.buffer, at, size));
                total += size;
            }
            view().setUint32(written, total, true);
            return 0;
        },
        fd_fdstat_get(fd, at) {
            new Uint8Array(engine.memory.buffer, at, 24).fill(0);
            view().setUint8(at, 2); // a character device
            return 0;
        },
        clock_time_get(id, precision, at) {
            view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
            return 0;
        },
        clock_res_get(id, at) {
            view().setBigUint64(at, 1000n, true);
            return 0;
        },
        random_get(at, size) {
            crypto.getRandomValues(new Uint8Array(engine.memory.buffer, at, size));
            return 0;
        },
        environ_sizes_get(count, size) {
            view().setUint32(count, 0, true);
            view().setUint32(size, 0, true);
            return 0;
        },
        environ_get: () => 0,
        args_sizes_get(count, size) {
            view().setUint32(count, 0, true);
            view().setUint32(size, 0, true);
            return 0;
        },
        args_get: () => 0,
        sched_yield: () => 0,
        proc_exit(status) {
            throw new Error("out of memory, or status " + status);
        },
        fd_prestat_get: bad,
    };
}

class Engine {
    constructor() {
        this.trace = [];
        this.traced = 0;
    }

    async start(bytes) {
        const module = await WebAssembly.compile(bytes);
        const known = wasi(this), imports = {};
        for (const { name } of WebAssembly.Module.imports(module)) {
            imports[name] = known[name] || (() => 8);
        }
        const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: imports });
        this.calls = instance.exports;
        this.memory = instance.exports.memory;
        this.calls._initialize();
    }

    note(bytes) {
        this.traced += bytes.length;
        if (this.traced <= TRACE_LIMIT) this.trace.push(bytes.slice());
    }

    // Text or bytes as arguments: [address, size], valid until free() is called.
    room(bytes) {
        const at = this.calls.pg_room(bytes.length + 1);
        if (!at) throw new Error("out of memory");
        const into = new Uint8Array(this.memory.buffer, at, bytes.length + 1);
        into.set(bytes);
        into[bytes.length] = 0;
        this.rooms.push(at);
        return at;
    }

    call(name, ...args) {
        this.rooms = [];
        try {
            const encoded = args.map((arg) =>
                typeof arg === "string" ? this.room(new TextEncoder().encode(arg)) : arg instanceof Uint8Array ? this.room(arg) : arg);
            return this.calls[name](...encoded);
        } finally {
            for (const at of this.rooms) this.calls.pg_drop(at);
        }
    }

    bytes(index) {
        return new Uint8Array(this.memory.buffer, this.calls.pg_output(index), this.calls.pg_output_size(index)).slice();
    }

    text(index) {
        return new TextDecoder().decode(this.bytes(index));
    }

    load(message) {
        const text = new TextEncoder().encode(message.text);
        return this.call("pg_load", message.name, text, text.length);
    }

    takeTrace() {
        let text = this.trace.map((part) => new TextDecoder().decode(part)).join("");
        if (this.traced > TRACE_LIMIT) text += "… the trace is longer than " + (TRACE_LIMIT >> 20) + " MB; the rest is not shown\n";
        this.trace = [];
        this.traced = 0;
        return text;
    }
}

const engine = new Engine();

const operations = {
    choices() {
        engine.call("pg_choices");
        return { status: 0, choices: JSON.parse(engine.text(1)) };
    },
    load(m) {
        const status = engine.load(m);
        return { status, diagnostics: JSON.parse(engine.text(0)), kernels: status ? [] : JSON.parse(engine.text(1)) };
    },
    compile(m) {
        const status = engine.call("pg_compile", m.target, m.arch, m.width, m.flags);
        return { status, diagnostics: parse(engine.text(0)), text: engine.text(1), lined: engine.text(2) };
    },
    ir(m) {
        const status = engine.call("pg_ir", m.pass, m.target, m.arch, m.width, m.flags);
        return { status, diagnostics: parse(engine.text(0)), text: engine.text(1) };
    },
    disassemble() {
        const status = engine.call("pg_disassemble");
        return { status, diagnostics: parse(engine.text(0)), text: engine.text(1), lined: engine.text(2) };
    },
    binary() {
        const status = engine.call("pg_binary");
        return { status, bytes: engine.bytes(1) };
    },
    import(m) {
        const status = engine.call("pg_import", m.name, m.bytes, m.bytes.length);
        return { status, diagnostics: parse(engine.text(0)), text: engine.text(1) };
    },
    run(m) {
        let status = engine.load(m);
        if (status) return { status, diagnostics: parse(engine.text(0)) };
        const kernels = JSON.parse(engine.text(1));
        const begin = performance.now();
        status = engine.call("pg_run", m.width, m.flags, m.seed, m.limit);
        const milliseconds = performance.now() - begin;
        const report = engine.text(1);
        const profile = engine.text(5);
        return {
            status, kernels, milliseconds,
            diagnostics: parse(engine.text(0)),
            report: report ? JSON.parse(report) : null,
            before: engine.bytes(2),
            after: engine.bytes(3),
            profilePage: engine.text(4),
            profile: profile ? JSON.parse(profile) : null,
            trace: engine.takeTrace(),
        };
    },
};

function parse(text) {
    return text ? JSON.parse(text) : { diagnostics: [], errors: 0, warnings: 0 };
}

let ready = null;
self.onmessage = async ({ data }) => {
    if (data.op === "start") {
        ready = engine.start(data.wasm);
        return;
    }
    try {
        await ready;
        self.postMessage({ id: data.id, ...operations[data.op](data) });
    } catch (error) {
        self.postMessage({ id: data.id, error: String(error) });
    }
};
