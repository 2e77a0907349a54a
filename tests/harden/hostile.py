#!/usr/bin/env python3
"""Hostile files of every shape through every tool: memory and work must stay bounded.

Usage: tests/harden/hostile.py [--bin DIR] [--size BYTES] [--only TEXT] [--no-count] [--count-over SECONDS] [--figures]
A file of at most 16 MiB may cost 2.5 GiB and 1.2e10 machine instructions. Memory is the largest resident set that the system
reports. valgrind's callgrind counts instructions, fifty times slower than the tool alone: --no-count skips that, --count-over
does it only for runs that took longer. A tool may accept or reject the file (status 0 or 1; 3 when the emulator's limit ends
the run); any other status is a failure. --figures prints a line for every run.
"""
import argparse
import os
import re
import resource
import struct
import subprocess
import sys
import tempfile

WHOLE = 16 << 20
MOST_MEMORY, MOST_INSTRUCTIONS = 2560 << 20, 12_000_000_000


class Shapes:
    """Files of about `size` bytes. Encodings come from the assembler, one snippet at a time."""

    def __init__(self, tools, folder, size):
        self.tools, self.folder, self.size = tools, folder, size

    def words(self, source):
        """The code of a kernel's text."""
        path = os.path.join(self.folder, "snippet")
        with open(path + ".wave", "w", encoding="ascii") as file:
            file.write(".kernel k\n.registers 32\n%s\n.end\n" % source)
        subprocess.run([self.tools + "/wave-asm", path + ".wave", "-o", path + ".wbin"], check=True, capture_output=True)
        with open(path + ".wbin", "rb") as file:
            data = file.read()
        at, size = struct.unpack_from("<2I", data, 8)
        return data[at:at + size]

    def container(self, kernels, names=None, extended=True):
        """kernels: list of code; names: list of bytes or None."""
        code = b"".join(kernels)
        symbols, at = [], []
        offset = 32 + len(code)
        for k in range(len(kernels)):
            name = (names[k] if names else b"k%d" % k) + b"\0"
            at.append(offset)
            symbols.append(name)
            offset += len(name)
        table = b"".join(symbols)
        records, place = [struct.pack("<I", len(kernels))], 0
        for k, body in enumerate(kernels):
            records.append(struct.pack("<8I", at[k], 32, 0, 0, 0, 0, place, len(body)))
            place += len(body)
        metadata = b"".join(records)
        header = b"WAVE" + struct.pack("<2H", 1, int(extended))
        header += struct.pack("<6I", 32, len(code), 32 + len(code), len(table), 32 + len(code) + len(table), len(metadata))
        return header + code + table + metadata

    def repeated(self, source):
        """The snippet, repeated. p1 is known only at run time, so that nothing can be optimised away."""
        head = self.words("mov r1, sr_lane_id\nicmp_lt p1, r1, r2")
        unit, tail = self.words(source), self.words("device_store_u32 r2, r1\nhalt")
        return self.container([head + unit * ((self.size - 200) // len(unit)) + tail])

    # --- binaries ---

    def ifs(self):
        return self.repeated("if p1\nendif")

    def nested_ifs(self):
        return self.repeated("if p1\n" * 32 + "iadd r1, r1, r2\n" + "endif\n" * 32)

    def loops(self):
        return self.repeated("loop\nbreak p1\nendloop")

    def nested_loops(self):
        return self.repeated("loop\n" * 16 + "iadd r1, r1, r2\n" + "break p1\nendloop\n" * 16)

    def deep_loops(self):
        return self.repeated("loop\n" * 250 + "iadd r1, r1, r2\n" + "break p1\nendloop\n" * 250)

    def deep_breaks(self):
        """Very many exits of one loop, all of which lead far away."""
        return self.repeated("loop\n" + "if p1\n" * 200 + "if p2\nbreak p1\nendif\n" * 2000 + "endif\n" * 200 + "break p1\nendloop")

    def divergent(self):
        return self.repeated("mov r1, sr_lane_id\nicmp_lt p1, r1, r2\nif p1\nwave_reduce_add r3, r1\nelse\niadd r4, r3, r1\nendif")

    def straight(self):
        return self.repeated("iadd r1, r2, r3\nimul r2, r1, r3\nfadd r4, r1, r2")

    def memory(self):
        return self.repeated("device_load_u32 r1, r2\nlocal_store_u32 r3, r1\ndevice_store_u32 r2, r1")

    def sines(self):
        return self.repeated("fsin r1, r2\nfexp2 r3, r1")

    def doubles(self):
        return self.repeated("@p1 dadd r2, r4, r6\n@!p1 dmul r4, r2, r6")

    def fragments(self):
        return self.repeated("mma_load_a r0, r1, r2\nmma_load_b r0, r1, r2\nmma_compute r0, r0, r0\nmma_store_c r1, r2, r0")

    def many_kernels(self):
        halt = self.words("halt")
        return self.container([halt] * (self.size // (32 + 8 + 4)))

    def just_enough_kernels(self):
        """As many as the compiler accepts, or as fit."""
        halt = self.words("halt")
        return self.container([halt] * min(self.size // 44, 44000))

    def same_names(self):
        halt = self.words("halt")
        count = self.size // (32 + 16 + 4)
        return self.container([halt] * count, [b"the_same_name"] * count)

    def long_names(self):
        halt = self.words("halt")
        return self.container([halt] * 16, [b"n" * (self.size // 16) + b"%d" % k for k in range(16)])

    def calls(self):
        """A chain of functions, each calling the next twice: inlining it would never end."""
        call, rest = self.words("call f\nhalt\nf:\nreturn"), []
        opcode = struct.unpack_from("<I", call)[0]
        halt, back = self.words("halt"), call[-4:]
        body, functions = 16 + len(back), (self.size - 200) // (16 + len(back))
        start = 8 + len(halt)
        for k in range(functions):
            to = start + body * min(k + 1, functions - 1) if k + 1 < functions else None
            one = struct.pack("<2I", opcode, to) if to is not None else self.words("nop\nnop")
            rest.append((one * 2)[:16] + back)
        return self.container([struct.pack("<2I", opcode, start) + halt + b"".join(rest)])

    def call_one(self):
        """Very many calls of one function."""
        call = self.words("call f\nhalt\nf:\nreturn")
        opcode = struct.unpack_from("<I", call)[0]
        halt, back = self.words("halt"), call[-4:]
        count = (self.size - 200) // 8
        return self.container([struct.pack("<2I", opcode, 8 * count + len(halt)) * count + halt + self.words("iadd r1, r1, r2") + back])

    def unclosed(self):
        unit = self.words("if p1\nendif")[:4]
        return self.container([unit * (self.size // 4)])

    def zeros(self):
        return self.container([bytes(self.size)])

    def ones(self):
        return self.container([b"\xff" * self.size])

    def noise(self):
        state, out = 12345, bytearray()
        while len(out) < self.size:
            state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
            out += struct.pack("<Q", state)
        return self.container([bytes(out[:self.size // 4 * 4])])

    # --- texts ---

    def text_straight(self):
        return self.kernel_text("iadd r1, r2, r3\n")

    def text_one_line(self):
        return self.kernel_text("iadd r1, r2, r3 ")

    def text_ifs(self):
        return self.kernel_text("if p1\n" * 100 + "endif\n" * 100)

    def text_errors(self):
        return self.kernel_text("iad r1, r2, 17\n")

    def text_unknown_names(self):
        return self.kernel_text("call nowhere\n")

    def text_labels(self):
        return self.numbered(".kernel k\nhalt\n", "l%d:\nnop\n", "return\n.end\n")

    def text_kernels(self):
        return self.numbered("", ".kernel k%d\nhalt\n.end\n", "")

    def text_same_kernels(self):
        return self.numbered("", ".kernel k\nhalt ; %d\n.end\n", "")

    def text_long_token(self):
        return (".kernel " + "x" * self.size).encode()

    def text_long_number(self):
        return self.kernel_text("mov_imm r1, 0." + "1234567890" * 100 + "\n")

    def text_comments(self):
        return self.kernel_text("; nothing but words\n")

    def text_bytes(self):
        return b"\xff" * self.size

    # --- IR, as --dump-ir prints it ---

    def ir_straight(self):
        return self.ir_text("%{0}:u32 = iadd %{1}, arg0\nstore(device, 4, +0) arg1, %{0}\n")

    def ir_ifs(self):
        return self.ir_text("%{0}:bool = icmp_lt %{1}, arg0\nif %{0} {{\nyield %{1}\n}} else {{\nyield arg1\n}}\n%{2}:u32 = result(0)\n", 2)

    def ir_loops(self):
        return self.ir_text("loop %{1} {{\n%{0}:u32 = param(0)\nbreak %{0}\n}}\n%{2}:u32 = result(0)\n", 2)

    def ir_nested(self):
        """Far deeper than any limit."""
        return self.ir_head() + b"if %1 {\n" * (self.size // 8)

    def ir_unknown_values(self):
        return self.ir_head() + b"store(device, 4, +0) %123456789, %987654321\n" * (self.size // 46)

    def ir_long_list(self):
        """One operation with as many operands as a file can hold."""
        return self.ir_head() + b"yield " + b"arg0, " * (self.size // 6) + b"arg0\nhalt\n}\n"

    def ir_one_line(self):
        return self.ir_head() + b"halt " * (self.size // 5)

    def ir_bytes(self):
        return b"\xff" * self.size

    def ir_head(self):
        return b'kernel "k" args 4 group 0,0,0 local 0 width 32 converged {\n%1:bool = icmp_lt arg0, arg1\n%2:u32 = iadd arg2, arg3\n'

    def ir_text(self, unit, values=1):
        """Repeats the unit: {0} is a new value, {1} the last one, {2} a second new one."""
        parts, size, last = [], 0, 2
        while size < self.size:
            parts.append(unit.format(last + 1, last, last + 2))
            size += len(parts[-1])
            last += values
        return self.ir_head() + "".join(parts).encode() + b"halt\n}\n"

    def kernel_text(self, unit):
        return (".kernel k\n" + unit * (self.size // len(unit)) + "\nhalt\n.end\n").encode()

    def numbered(self, head, unit, tail):
        parts, size, k = [head], len(head), 0
        while size < self.size:
            parts.append(unit % k)
            size += len(parts[-1])
            k += 1
        return ("".join(parts) + tail).encode()


BINARIES = ("ifs nested_ifs loops nested_loops deep_loops deep_breaks divergent straight memory sines doubles fragments many_kernels "
            "just_enough_kernels same_names long_names calls call_one unclosed zeros ones noise").split()
TEXTS = ("text_straight text_one_line text_ifs text_errors text_unknown_names text_labels text_kernels text_same_kernels "
         "text_long_token text_long_number text_comments text_bytes").split()
IRS = "ir_straight ir_ifs ir_loops ir_nested ir_unknown_values ir_long_list ir_one_line ir_bytes".split()
# wave-run has no limit on a kernel's time, as a device has none: these files take forever, so they are launched
# with one thread.
ENDLESS = "loops nested_loops deep_loops deep_breaks calls".split()


def commands(tools, targets, shape, path, out):
    """The commands for a file: name and arguments."""
    if shape in TEXTS:
        yield "wave-asm", [tools + "/wave-asm", path, "-o", out]
        yield "wavec --check", [tools + "/wavec", "--check", path]
        return
    if shape in IRS:
        for target in targets:
            yield "wavec --parse-ir --target=" + target, [tools + "/wavec", "--parse-ir", "--target=" + target, path, "-o", out]
        yield "wavec --parse-ir --dump-ir", [tools + "/wavec", "--parse-ir", "--dump-ir", path]
        return
    yield "wavec --check", [tools + "/wavec", "--check", path]
    for target in targets:
        yield "wavec --target=" + target, [tools + "/wavec", "--target=" + target, path, "-o", out]
    yield "wavec -O0 -g --bounds --target=hip", [tools + "/wavec", "-O0", "-g", "--bounds", "--target=hip", path, "-o", out]
    yield "wavec --dump-ir", [tools + "/wavec", "--dump-ir", path]
    yield "wavec --reflect", [tools + "/wavec", "--reflect", path, "-o", out]
    yield "wavec --header", [tools + "/wavec", "--header", path, "-o", out]
    yield "wave-dis", [tools + "/wave-dis", path, "-o", out]
    yield "wave-dis --json", [tools + "/wave-dis", "--json", path, "-o", out]
    yield "wave-emu", [tools + "/wave-emu", path, "--max-instructions", "20000", "--check=race,uninit"]
    if shape not in ENDLESS:
        yield "wave-run", [tools + "/wave-run", "--device=emu", "--cache=none", "--workgroup=1,1,1", path]


def bounded():
    """Limits that stop a runaway tool."""
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def peak(command):
    """Status, the largest resident set in bytes, and seconds of the processor."""
    with open(os.devnull, "r+b") as nothing:
        process = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, preexec_fn=bounded)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss * 1024, usage.ru_utime


def instructions(command, folder):
    out = os.path.join(folder, "callgrind.out")
    made = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out, *command], capture_output=True,
                          text=True, errors="replace", check=False)
    found = re.search(r"Collected : (\d+)", made.stderr)
    return int(found.group(1)) if found else -1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--size", type=int, default=WHOLE)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-count", action="store_true")
    parser.add_argument("--count-over", type=float, default=0)
    parser.add_argument("--figures", action="store_true")
    options = parser.parse_args()
    tools = os.path.abspath(options.bin)
    usage = subprocess.run([tools + "/wavec", "--help"], capture_output=True, text=True, check=True).stdout
    targets = re.search(r"--target=([a-z|]+)\|all", usage).group(1).split("|")
    passed = failed = 0
    worst = [(0, ""), (0, "")]
    with tempfile.TemporaryDirectory() as folder:
        shapes = Shapes(tools, folder, options.size)
        for shape in [name for name in BINARIES + TEXTS + IRS if options.only in name]:
            path = os.path.join(folder, "input" + (".wave" if shape in TEXTS else ".ir" if shape in IRS else ".wbin"))
            with open(path, "wb") as file:
                file.write(getattr(shapes, shape)())
            for name, command in commands(tools, targets, shape, path, os.path.join(folder, "output")):
                status, memory, seconds = peak(command)
                counted = not options.no_count and seconds >= options.count_over
                work = instructions(command, folder) if counted else 0
                good = status in (0, 1, 3) and memory <= MOST_MEMORY and 0 <= work <= MOST_INSTRUCTIONS
                passed, failed = passed + good, failed + (not good)
                what = "%s, %s" % (shape, name)
                worst = [max(worst[0], (memory, what)), max(worst[1], (work, what))]
                if options.figures or not good:
                    print("%s%-40s status %d, %8.1f MiB, %8.3fe9 instructions, %.1f s" %
                          ("" if good else "FAIL ", what, status, memory / (1 << 20), work / 1e9, seconds), flush=True)
    print("most memory: %.1f MiB (%s)" % (worst[0][0] / (1 << 20), worst[0][1]))
    print("most work: %.3fe9 instructions (%s)" % (worst[1][0] / 1e9, worst[1][1]))
    print("hostile files of %d bytes: %d passed, %d failed" % (options.size, passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
