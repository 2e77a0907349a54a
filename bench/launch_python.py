"""Compares the cost of a launch from Python with that of the same launch from C (bench/launch.c), on the emulator.

usage: launch_python.py BUILD [COUNT]: the libraries and bench/launch of that build are used."""

import os
import re
import subprocess
import sys
import time

BUILD = os.path.abspath(sys.argv[1])
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
GOAL = 60
os.environ.update(WAVEC_LIBRARIES=os.path.join(BUILD, "lib"), WAVE_DEVICE="emu", WAVE_CACHE_DIR="")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python"))

import numpy as np  # noqa: E402

import wavec  # noqa: E402

NOTHING = ".kernel nothing\n.registers 4\n.workgroup_size 32, 1, 1\n halt\n.end\n"
ARGUMENTS = NOTHING.replace("nothing", "arguments").replace(".workgroup", ".arg x buffer f32 in\n.arg y buffer f32 inout\n.arg n u32\n.arg a f32\n.workgroup")


ROUND = 50  # launches: short enough to end before other work interrupts it


def python(launch, *arguments, **named):
    """Microseconds, the best round."""
    best = float("inf")
    for _ in range(COUNT // ROUND):
        begin = time.perf_counter()
        for _ in range(ROUND):
            launch(*arguments, **named)
        best = min(best, (time.perf_counter() - begin) / ROUND)
    return 1e6 * best


def main():
    printed = [subprocess.run([os.path.join(BUILD, "bench", "launch"), "emu", str(COUNT)], capture_output=True, text=True, check=True).stdout
               for _ in range(5)]
    in_c = min(float(re.search(r"([0-9.]+) us each", text).group(1)) for text in printed)
    x, y = np.zeros(16, np.float32), np.zeros(16, np.float32)
    on_device = dict(x=wavec.array(x), y=wavec.array(y), n=16, a=2.0)
    nothing, arguments = wavec.load(NOTHING).nothing[1], wavec.load(ARGUMENTS).arguments[1]
    rows = [("no arguments", python(nothing)), ("four arguments, arrays on the device", python(arguments, **on_device)),
            ("four arguments, arrays of numpy", python(arguments, x=x, y=y, n=16, a=2.0))]
    print(f"microseconds for a launch of an empty kernel on the emulator; from C {in_c:.1f}; goal: at most {GOAL} more")
    for title, took in rows:
        print(f"  {title:38} {took:6.1f}   {took - in_c:5.1f} more, {took / in_c:5.1f} times C's")
    if max(took for _, took in rows) - in_c > GOAL:
        print("  above the goal")


if __name__ == "__main__":
    main()
