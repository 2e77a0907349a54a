#!/usr/bin/env python3
"""Prints the speed figures of the tools as tables: machine instructions per WAVE instruction (counted by callgrind, so the same
on every run), memory per decoded instruction, the emulator's speed, and the cost of compiling. "make bench" builds and runs it.

The cost of starting a process is excluded: a second, smaller input is measured too, and the difference is divided.

usage: bench.py [tools|comfort|memory|emulator|jobs|compiler|start|targets|spirv]...
"""

import os
import re
import subprocess
import sys
import time

BIN = "build/bin"
OUT = "build/bench"
SIZES = (8, 100_000, 1_000_000)


def run(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if result.returncode != 0:
        sys.exit(f"bench: {' '.join(command)}: exit status {result.returncode}\n{result.stderr.decode(errors='replace')[-2000:]}")
    return result


def machine_instructions(command):
    """The machine instructions that callgrind counts for a command."""
    log = run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command]).stderr.decode(errors="replace")
    return int(re.search(r"Collected : (\d+)", log).group(1))


def resident(command):
    """The peak memory of a command in bytes, code and libraries included."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"bench: {' '.join(command)}: exit status {process.returncode}")
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def heap(command):
    """Bytes of heap by massif: the peak of a command, and its heap after loading, which is the last snapshot before
    everything is freed."""
    path = f"{OUT}/massif.out"
    run(["valgrind", "--tool=massif", "--peak-inaccuracy=0.1", "--max-snapshots=1000", f"--massif-out-file={path}", *command])
    with open(path, encoding="utf-8") as file:
        sizes = [int(value) for value in re.findall(r"^mem_heap_B=(\d+)", file.read(), re.M)]
    return max(sizes), [size for size in sizes if size > max(sizes) // 2][-1]


def seconds(command):
    """The best of three runs."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        run(command)
        best = min(best, time.perf_counter() - start)
    return best


def kernel(size):
    return f"{OUT}/generated_{size}.wave", f"{OUT}/generated_{size}.wbin"


def make_kernels():
    for size in SIZES:
        source, binary = kernel(size)
        with open(source, "w", encoding="utf-8") as file:
            subprocess.run([sys.executable, "bench/gen_kernel.py", str(size)], stdout=file, check=True)
        run([f"{BIN}/wave-asm", source, "-o", binary])


TOOLS = (
    ("decode and validate", 85, lambda source, binary: [f"{BIN}/wavec", "--reflect", binary]),
    ("with all warnings", 320, lambda source, binary: [f"{BIN}/wavec", "--check", binary]),
    ("disassemble", 800, lambda source, binary: [f"{BIN}/wave-dis", binary]),
    ("assemble", 1200, lambda source, binary: [f"{BIN}/wave-asm", source, "-o", f"{OUT}/out.wbin"]),
)


def bench_tools():
    make_kernels()
    tiny, small, big = SIZES
    print("machine instructions per WAVE instruction (callgrind)")
    print(f"{'':22}{'goal':>8}{small:>12,}{big:>12,}   ratio (goal 9 to 11)")
    for name, goal, command in TOOLS:
        start, at_small, at_big = (machine_instructions(command(*kernel(size))) for size in SIZES)
        small_each = (at_small - start) / (small - tiny)
        big_each = (at_big - start) / (big - tiny)
        ratio = (at_big - start) / (at_small - start)
        print(f"{name:22}{'<= ' + str(goal):>8}{small_each:12.1f}{big_each:12.1f}   {ratio:.2f}")
    print()


# Ten lines with names, immediates, addresses and special registers.
COMFORTABLE = """\
    imad i, sr_workgroup_id_x, sr_workgroup_size_x, sr_thread_id_x
    icmp_lt inside, i, n
    if inside
        device_load_u32 xi, [x + i*4]
        device_load_u32 yi, [y + i*4 + 16]
        fma yi, a, xi, yi
        fadd yi, yi, 0.5
        iadd i, i, 3*4+1
        device_store_u32 [y + i*4], yi
    endif
"""


def bench_comfort():
    """Machine instructions per line of comfortable assembly."""
    os.makedirs(OUT, exist_ok=True)
    head = ".kernel k\n.arg x buffer f32\n.arg y buffer f32\n.arg n u32\n.arg a f32\n.reg i, xi, yi\n.pred inside\n"
    costs = []
    for repeats in (1, 10_001):
        path = f"{OUT}/comfortable_{repeats}.wave"
        with open(path, "w", encoding="utf-8") as file:
            file.write(head + COMFORTABLE * repeats + "    halt\n.end\n")
        costs.append(machine_instructions([f"{BIN}/wave-asm", path, "-o", f"{OUT}/out.wbin"]))
    print(f"{'assemble, comfortable':22}{'<= 2500':>8}{(costs[1] - costs[0]) / 100_000:12.1f}   per line")
    print()


def bench_memory():
    make_kernels()
    _, small, big = SIZES
    (peak_small, held_small), (peak_big, held_big) = (
        heap([f"{BIN}/wavec", "--check", kernel(size)[1]]) for size in (small, big))
    print("heap bytes per instruction in addition to the mapped file (massif)")
    print(f"{'decoded form, loaded':22}{'<= 16':>8}{(held_big - held_small) / (big - small):12.1f}")
    print(f"{'peak while loading':22}{'':8}{(peak_big - peak_small) / (big - small):12.1f}")
    print()


# 1024 x 1024 matrices: A at 0, B at 4 MiB, C at 8 MiB
GEMM = ["--arg", "A=0", "--arg", "B=0x400000", "--arg", "C=0x800000", "--arg", "N=1024", "--arg", "K=1024",
        "--device-memory", "12582912", "--fill-iota", "0:f32:2097152:0.001"]
# name, goal, source, arguments of every run, then of a small, a big and a long one
EMULATOR = (
    ("ALU loop", 50, "bench/alu_loop.wave", [], ["--set-reg", "0:10"], ["--set-reg", "0:5000"], ["--set-reg", "0:2000000"]),
    ("tiled GEMM", 90, "examples/gemm_tiled.wave", GEMM,
     ["--grid", "1,1,1"], ["--grid", "3,1,1"], ["--grid", "64,8,1"]),
    # the goal is three times 2,463, the cost of a checker that compares only waves
    ("  with --check=race", 7390, "examples/gemm_tiled.wave", GEMM + ["--check=race"],
     ["--grid", "1,1,1"], ["--grid", "3,1,1"], ["--grid", "16,1,1"]),
)


def bench_emulator():
    print("emulator, 32-lane waves")
    print(f"{'':22}{'goal':>8}{'per wave-instr':>16}{'wave-instr/s':>16}{'lane-ops/s':>16}")
    for name, goal, source, common, small, big, long in EMULATOR:
        binary = f"{OUT}/{os.path.basename(source)[:-5]}.wbin"
        run([f"{BIN}/wave-asm", source, "-o", binary])
        base = [f"{BIN}/wave-emu", binary, "--wave-width", "32", "--max-instructions", "0", "--stats", *common]

        def executed(arguments):
            text = run(base + arguments).stdout.decode()
            return int(re.search(r"Instructions executed: *(\d+)", text).group(1))

        each = (machine_instructions(base + big) - machine_instructions(base + small)) / (executed(big) - executed(small))
        rate = (executed(long) - executed(small)) / (seconds(base + long) - seconds(base + small))
        print(f"{name:22}{'<= ' + str(goal):>8}{each:16.1f}{rate:16,.0f}{32 * rate:16,.0f}")
    print()


# name, source, common arguments, then those of the launch and of one with almost no work. The time of the latter is subtracted,
# because several jobs do not speed up starting the process, filling the memory and touching it for the first time.
JOBS = (
    ("tiled GEMM", "examples/gemm_tiled.wave", GEMM, ["--grid", "64,64,1"], ["--grid", "1,1,1"]),
    ("histogram", "examples/histogram.wave",
     ["--arg", "data=0", "--arg", "bins=0x8000000", "--device-memory", "134221824", "--fill-iota", "0:u32:33554432:2654435761", "--grid", "256,1,1"],
     ["--arg", "n=134217728"], ["--arg", "n=0"]),
    ("n-body", "examples/nbody.wave",
     ["--arg", "bodies=0", "--arg", "out=0x80000", "--arg", "n=8192", "--arg", "eps2=0.01", "--device-memory", "1048576",
      "--fill-iota", "0:f32:32768:0.37"], ["--grid", "128,1,1"], ["--grid", "1,1,1"]),
)


def bench_jobs():
    print("emulator, two jobs against one: seconds without those of an empty launch, the best of five runs each")
    print(f"{'':22}{'goal':>8}{'one job':>12}{'two jobs':>12}{'ratio':>8}")
    for name, source, arguments, full, empty in JOBS:
        base = [f"{BIN}/wave-emu", source, "--wave-width", "32", "--max-instructions", "0", *arguments]
        least = {}
        for _ in range(5):  # alternately, so that a busy moment does not affect only one of them
            for key in ((jobs, launch) for jobs in ("1", "2") for launch in (0, 1)):
                took = seconds(base + ["--jobs", key[0], *(full, empty)[key[1]]])
                least[key] = min(took, least.get(key, took))
        one, two = (least[jobs, 0] - least[jobs, 1] for jobs in ("1", "2"))
        print(f"{name:22}{'>= 1.8':>8}{one:12.2f}{two:12.2f}{one / two:8.2f}")
    print()


# shapes of bench/gen_compile.py: what is measured, its name, a small and a big size
SHAPES = (
    ("straight", "straight-line instructions", 100_000, 1_000_000),
    ("ifs", "ifs one after the other", 1_000, 10_000),
    ("loops", "loops one after the other", 1_000, 10_000),
    ("nested-ifs", "ifs inside each other", 20, 200),
    ("nested-loops", "loops inside each other", 20, 200),
)


TARGETS = ("ptx", "hip", "sycl", "msl", "wbin")
TEXT_TARGETS = TARGETS[:-1]
TARGET_SHAPES = (
    ("straight", "straight-line instructions", 10_000, 100_000),
    ("mix", "instructions of every kind", 10_000, 100_000),
    ("ifs", "ifs one after the other", 1_000, 10_000),
    ("loops", "loops one after the other", 1_000, 10_000),
    ("nested-ifs", "ifs inside each other", 25, 250),
)
TEXT_SHAPES = (
    ("straight", "straight-line instructions", (1_000, 10_000, 100_000)),
    ("nested-ifs", "ifs inside each other", (64, 128, 255)),
    ("nested-loops", "loops inside each other", (64, 128, 255)),
)


def compile_command(level, binary, target="ptx"):
    return [f"{BIN}/wavec", f"--target={target}", f"-O{level}", binary, "-o", f"{OUT}/out.{target}"]


def shape(name, size):
    """A binary of that shape, and how many instructions it has."""
    source, binary = f"{OUT}/{name}_{size}.wave", f"{OUT}/{name}_{size}.wbin"
    with open(source, "w", encoding="utf-8") as file:
        subprocess.run([sys.executable, "bench/gen_compile.py", name, str(size)], stdout=file, check=True)
    run([f"{BIN}/wave-asm", "-W", "none", source, "-o", binary])
    summary = run([f"{BIN}/wavec", "--check", binary]).stdout.decode()
    return binary, int(re.search(r"instructions=(\d+)", summary).group(1))


def bench_compiler():
    goals = {("straight", 0): 1200, ("straight", 2): 3000}
    print("machine instructions per WAVE instruction compiled to PTX (callgrind)")
    print(f"{'':36}{'goal':>8}{'small':>10}{'big':>10}   sizes")
    for level in (0, 2):
        for name, text, small, big in SHAPES:
            (a, n), (b, m) = shape(name, small), shape(name, big)
            at_small = machine_instructions(compile_command(level, a)) / n
            at_big = machine_instructions(compile_command(level, b)) / m
            goal = goals.get((name, level))
            print(f"-O{level} {text:32}{'<= ' + str(goal) if goal else '':>8}{at_small:10.0f}{at_big:10.0f}   {small:,} and {big:,}")
    binary, n = shape("straight", 1_000_000)
    peak, _ = heap(compile_command(2, binary))
    print(f"peak heap, bytes per instruction, -O2 {'<= 400':>10}{peak / n:10.0f}")
    bench_start()


def bench_start():
    """A small kernel from its source: what every call of wavec costs. The loader reads the environment, whose size changes the figure
    by some thousands."""
    whole = machine_instructions([f"{BIN}/wavec", "--target=ptx", "examples/saxpy.wave", "-o", f"{OUT}/out.ptx"])
    print(f"examples/saxpy.wave from source to PTX, process start included: {whole:,} (goal <= 450,000)")
    print()


def text_size(target, name, size):
    """Bytes of text per instruction of a kernel of that shape."""
    binary, n = shape(name, size)
    run(compile_command(2, binary, target))
    return os.path.getsize(f"{OUT}/out.{target}") / n


def bench_targets():
    print("machine instructions per WAVE instruction at -O2, by target (callgrind; goal at 100,000 <= 3000)")
    print(f"{'':32}" + "".join(f"{target:>20}" for target in TARGETS) + "   sizes")
    for name, text, small, big in TARGET_SHAPES:
        (a, n), (b, m) = shape(name, small), shape(name, big)
        row = ""
        for target in TARGETS:
            at_small = machine_instructions(compile_command(2, a, target)) / n
            at_big = machine_instructions(compile_command(2, b, target)) / m
            row += f"{at_small:10.0f}{at_big:10.0f}"
        print(f"{text:32}{row}   {small:,} and {big:,}")
    print()
    print("peak memory in MB, 100,000 instructions (goal <= 20)")
    for name, text in (("straight", "straight-line instructions"), ("mix", "instructions of every kind")):
        binary, _ = shape(name, 100_000)
        row = "".join(f"{resident(compile_command(2, binary, target)) / 1e6:20.1f}" for target in TARGETS)
        print(f"{text:32}{row}")
    print()
    print("bytes of text per WAVE instruction (linear: the columns stay the same)")
    print(f"{'':32}" + "".join(f"{target:>24}" for target in TEXT_TARGETS) + "   sizes")
    for name, text, sizes in TEXT_SHAPES:
        row = "".join("".join(f"{text_size(target, name, size):8.0f}" for size in sizes) for target in TEXT_TARGETS)
        print(f"{text:32}{row}   {', '.join(f'{size:,}' for size in sizes)}")
    print()


# shapes of bench/gen_spirv.py: what is measured, its name, a small and a big size, the goal
SPIRV_SHAPES = (
    ("straight", "straight-line instructions", 10_000, 100_000, 6000),
    ("ifs", "ifs one after the other", 1_000, 10_000, None),
    ("loops", "loops one after the other", 1_000, 10_000, None),
    ("calls", "calls of a function, inlined", 1_000, 10_000, 6000),
    ("library", "calls of exp, each of them", 1_000, 10_000, None),
)


def spirv_cost(name, size, level="-O2"):
    """Machine instructions per instruction of a module of that shape."""
    path = f"{OUT}/{name}_{size}.spv"
    made = subprocess.run([sys.executable, "bench/gen_spirv.py", name, str(size), path], stdout=subprocess.PIPE, check=True)
    return machine_instructions([f"{BIN}/wave-cc", level, path, "-o", f"{OUT}/out.wbin"]) / int(made.stdout)


def bench_spirv():
    print("machine instructions per SPIR-V instruction, wave-cc -O2 from .spv to .wbin (callgrind)")
    print(f"{'':32}{'goal':>8}{'small':>10}{'big':>10}   sizes")
    for name, text, small, big, goal in SPIRV_SHAPES:
        print(f"{text:32}{'<= ' + str(goal) if goal else '':>8}{spirv_cost(name, small):10.0f}{spirv_cost(name, big):10.0f}   "
              f"{small:,} and {big:,}")
    print()


def main():
    os.makedirs(OUT, exist_ok=True)
    parts = {"tools": bench_tools, "comfort": bench_comfort, "memory": bench_memory, "emulator": bench_emulator, "jobs": bench_jobs,
             "compiler": bench_compiler, "start": bench_start, "targets": bench_targets, "spirv": bench_spirv}
    chosen = sys.argv[1:] or [part for part in parts if part != "start"]  # compiler prints it
    for part in chosen:
        if part not in parts:
            sys.exit(f"usage: bench.py [{'|'.join(parts)}]...")
        parts[part]()


if __name__ == "__main__":
    main()
