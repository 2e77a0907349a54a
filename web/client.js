// A worker with libwave in it, and calls to it as promises.

export class Client {
    constructor(source, wasm) {
        this.source = source;
        this.wasm = wasm;
        this.next = 1;
        this.waiting = new Map();
    }

    start() {
        const url = URL.createObjectURL(new Blob([this.source], { type: "text/javascript" }));
        this.worker = new Worker(url);
        URL.revokeObjectURL(url);
        this.worker.onmessage = ({ data }) => {
            const { resolve, reject } = this.waiting.get(data.id);
            this.waiting.delete(data.id);
            if (data.error) reject(new Error(data.error));
            else resolve(data);
        };
        this.worker.postMessage({ op: "start", wasm: this.wasm });
    }

    call(op, message = {}) {
        if (!this.worker) this.start();
        const id = this.next++;
        return new Promise((resolve, reject) => {
            this.waiting.set(id, { resolve, reject });
            this.worker.postMessage({ ...message, id, op });
        });
    }

    // Ends whatever is running; the next call starts a new worker.
    stop() {
        if (this.worker) this.worker.terminate();
        this.worker = null;
        for (const { reject } of this.waiting.values()) reject(new Stopped());
        this.waiting.clear();
    }
}

export class Stopped extends Error {}
