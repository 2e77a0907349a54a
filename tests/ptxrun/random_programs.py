#!/usr/bin/env python3
"""Writes random programs in the test format, for comparing the PTX back end with the emulator:

  random_programs.py FIRST LAST FOLDER      seeds FIRST to LAST - 1, one FOLDER/rSEED.wave each
  wave-ptx-test FOLDER/*.wave

A program computes with a few registers of every thread, under guards, in nested ifs, loops and calls that lanes leave
in every way there is, with wave operations in between, and stores all registers at its end. Loops share one counter
that ends them. Threads touch only memory of their own, so that any schedule gives the same result. There are no
`expect` lines: the emulator's memory is the expectation.
"""

import random
import sys

ALU1 = """ineg iabs not bitcount bitfind bitrev fneg fabs fsqrt frcp frsqrt ffloor fceil fround ftrunc ffract fsat
    cvt_f32_i32 cvt_f32_u32 cvt_i32_f32 cvt_u32_f32 cvt_f32_f16 cvt_f16_f32 cvt_f32_bf16 cvt_bf16_f32 mov""".split()
ALU2 = """iadd isub imul imul_hi idiv imod imin imax umin umax udiv umod and or xor shl shr sar fadd fsub fmul fdiv
    fmin fmax hadd hsub hmul hadd2 hmul2 badd bsub bmul badd2 bmul2""".split()
ALU3 = "imad iclamp fma fclamp hma hma2 bma bma2 bfe".split()
DOUBLE2 = "dadd dsub dmul ddiv".split()
COMPARES = """icmp_eq icmp_ne icmp_lt icmp_le icmp_gt icmp_ge ucmp_lt ucmp_le ucmp_gt ucmp_ge fcmp_eq fcmp_ne fcmp_lt
    fcmp_le fcmp_gt fcmp_ge fcmp_ord fcmp_unord""".split()
SHUFFLES = "wave_shuffle wave_shuffle_up wave_shuffle_down wave_shuffle_xor wave_broadcast".split()
REDUCTIONS = """wave_prefix_sum wave_reduce_add wave_reduce_min wave_reduce_max wave_reduce_and wave_reduce_or
    wave_reduce_xor""".split()
SPECIALS = """sr_thread_id_x sr_thread_id_y sr_thread_id_z sr_wave_id sr_lane_id sr_workgroup_id_x sr_workgroup_size_x
    sr_workgroup_size_y sr_grid_size_x sr_wave_width sr_num_waves sr_mma_m""".split()
ATOMICS = "add sub min max and or xor exchange imin imax".split()
CONSTANTS = [0, 1, 2, 3, 5, 7, 31, 32, 33, 0xFFFF, 0x3F800000, 0xBF000000, 0x7FC00000, 0xFFFFFFFF, 0x80000000,
             0x3C003C00, 0x80008000]
SHAPES = [(32, 1), (64, 1), (40, 1), (7, 1), (70, 1), (8, 4), (9, 5), (96, 1)]
FIRST_REGISTER = 8


class Author:
    """One program. r0 = out, r1 = limit of the loops, r2 = their counter, r3 = 1, r4 = local word, r5, r6 = device."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        chance = self.random.random
        self.lines, self.depth, self.loops, self.function = [], 0, 0, 0
        self.budget = self.random.randint(10, 60)
        self.halts, self.waves, self.calls = chance() < .5, chance() < .7, chance() < .4
        self.registers = self.random.choice([4, 6, 9])

    def pick(self, options):
        return self.random.choice(options)

    def reg(self):
        return "r%d" % self.random.randint(FIRST_REGISTER, FIRST_REGISTER + self.registers - 1)

    def pair(self):
        return "r%d" % self.random.randint(FIRST_REGISTER, FIRST_REGISTER + self.registers - 2)

    def pred(self):
        return "p%d" % self.random.randint(0, 2)

    def guard(self):
        return self.pick(["@p1 ", "@p2 ", "@!p1 ", "@!p2 ", "@!p0 "]) if self.random.random() < .4 else ""

    def say(self, text):
        self.lines.append("    " * (1 + self.depth) + text)

    def double(self):
        a, b, c = self.pair(), self.pair(), self.pair()
        return self.pick(["%s %s, %s, %s" % (self.pick(DOUBLE2), a, b, c), "dsqrt %s, %s" % (a, b),
                          "dma %s, %s, %s, %s" % (a, b, c, a), "cvt_f32_f64 %s, %s" % (self.reg(), b),
                          "cvt_f64_f32 %s, %s" % (a, self.reg())])

    def memory(self):
        r, q = self.reg, self.reg
        return self.pick([
            "device_store_u32 r5, %s" % r(), "device_store_u64 r6, %s" % self.pair(), "device_store_u8 r5, %s" % r(),
            "device_load_u32 %s, r5" % r(), "device_load_u64 %s, r6" % self.pair(), "device_load_u16 %s, r5" % r(),
            "local_store_u32 r4, %s" % r(), "local_load_u32 %s, r4" % r(),
            "atomic_%s %s, r5, %s, .device" % (self.pick(ATOMICS), r(), q()), "atomic_add r5, %s, .wave" % r(),
            "local_atomic_%s %s, r4, %s" % (self.pick(["add", "sub", "min", "exchange", "fadd"]), r(), q()),
            "atomic_fadd %s, r5, %s, .system" % (r(), q()),
            "atomic_cas %s, r5, %s, %s, .workgroup" % (r(), q(), r())])

    def plain(self):
        r = self.reg
        kind = self.random.random()
        if kind < .25:
            text = "%s %s, %s, %s" % (self.pick(ALU2), r(), r(), r())
        elif kind < .38:
            text = "%s %s, %s" % (self.pick(ALU1), r(), r())
        elif kind < .46:
            text = "%s %s, %s, %s, %s" % (self.pick(ALU3), r(), r(), r(), r())
        elif kind < .48:
            text = "bfi %s, %s, %s, %s, %s" % (r(), r(), r(), r(), r())
        elif kind < .52:
            text = self.double()
        elif kind < .64:
            text = "%s %s, %s, %s" % (self.pick(COMPARES), self.pred(), r(), r())
        elif kind < .68:
            text = "select %s, %s, %s, %s" % (r(), self.pred(), r(), r())
        elif kind < .73:
            text = "mov_imm %s, %d" % (r(), self.pick(CONSTANTS + [self.random.getrandbits(32)]))
        elif kind < .77:
            text = "mov %s, %s" % (r(), self.pick(SPECIALS))
        else:
            text = self.memory()
        self.say(self.guard() + text)

    def wave(self):
        r = self.reg
        self.say(self.guard() + self.pick([
            "%s %s, %s, %s" % (self.pick(SHUFFLES), r(), r(), r()), "%s %s, %s" % (self.pick(REDUCTIONS), r(), r()),
            "wave_ballot %s, %s" % (r(), self.pred()),
            "%s %s, %s" % (self.pick(["wave_any", "wave_all"]), self.pred(), self.pred())]))

    def leave(self):
        kind = self.random.random()
        if kind < .6 and self.loops:
            self.say("%s%s %s%s" % (self.pick(["", "@p1 ", "@!p2 "]), self.pick(["break", "continue"]),
                                    self.pick(["", "!"]), self.pred()))
        elif kind < .75 and self.halts:
            self.say(self.pick(["@p1 ", "@!p2 "]) + self.pick(["halt", "return", "return"]))
        elif kind < .9 and self.calls and self.function < 3:
            self.say("call f%d" % self.random.randint(self.function + 1, 3))
        else:
            self.plain()

    def inside(self):
        self.depth += 1
        self.block()
        self.depth -= 1

    def branch(self):
        self.say("if %s%s" % (self.pick(["", "", "!"]), self.pred()))
        self.inside()
        if self.random.random() < .5:
            self.say("else")
            self.inside()
        self.say("endif")

    def loop(self):
        self.say("loop")
        self.depth += 1
        for text in ("iadd r2, r2, r3", "ucmp_ge p3, r2, r1", "break p3"):
            self.say(text)
        self.depth -= 1
        self.loops += 1
        self.inside()
        self.loops -= 1
        self.say("endloop")

    def block(self):
        for _ in range(self.random.randint(1, 6)):
            if self.budget <= 0:
                return
            self.budget -= 1
            kind = self.random.random()
            if kind < .62 or self.depth >= 5:
                self.plain()
            elif kind < .72 and self.waves:
                self.wave()
            elif kind < .82:
                self.leave()
            elif kind < .91:
                self.branch()
            else:
                self.loop()

    def start(self, threads):
        self.lines += """    mov r1, sr_thread_id_y
    mov r2, sr_workgroup_size_x
    mov r3, sr_thread_id_x
    imad r1, r1, r2, r3
    mov_imm r2, 4
    imul r4, r1, r2
    mov r3, sr_workgroup_id_x
    mov_imm r2, %d
    imad r1, r3, r2, r1
    mov_imm r2, 256
    imad r5, r1, r2, r0
    mov_imm r2, 8
    iadd r6, r5, r2
    local_store_u32 r4, r1""".replace("%d", str(threads)).split("\n")
        for k in range(self.registers):
            self.lines += ["    mov_imm r7, %d" % (16 + 4 * k), "    iadd r7, r7, r5",
                           "    device_load_u32 r%d, r7" % (FIRST_REGISTER + k)]
        self.lines += ["    mov_imm r1, 40", "    mov_imm r2, 0", "    mov_imm r3, 1"]

    def finish(self):
        for k in range(self.registers):
            self.lines += ["    mov_imm r7, %d" % (128 + 4 * k), "    iadd r7, r7, r5",
                           "    device_store_u32 r7, r%d" % (FIRST_REGISTER + k)]
        self.lines += ["    mov_imm r7, 120", "    iadd r7, r7, r5", "    mov_imm r1, 1", "    mov_imm r2, 0",
                       "    select r1, p0, r1, r2", "    device_store_u32 r7, r1", "    halt"]

    def functions(self):
        for k in (1, 2, 3):
            self.function, self.budget = k, self.random.randint(2, 10)
            self.lines.append("f%d:" % k)
            self.block()
            self.lines.append("    return")

    def program(self):
        x, y = self.pick(SHAPES)
        grid, fixed = self.pick([1, 1, 2]), self.random.random() < .5
        words = x * y * grid * 64
        head = [";@ test    random program", ";@ grid    %d" % grid,
                ";@ buffer  out u32 %d = random %d" % (words, self.random.randint(1, 1000)), ";@ args    out"]
        head += [] if fixed else [";@ group   %d %d 1" % (x, y)]
        head += [".kernel k", ".registers 24", ".local_memory 4096"]
        head += [".workgroup_size %d, %d, 1" % (x, y)] if fixed else []
        self.start(x * y)
        while self.budget > 0:
            self.block()
        self.finish()
        if self.calls:
            self.functions()
        return "\n".join(head + self.lines + [".end", ""])


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        with open("%s/r%d.wave" % (sys.argv[3], seed), "w", encoding="ascii") as f:
            f.write(Author(seed).program())


if __name__ == "__main__":
    main()
