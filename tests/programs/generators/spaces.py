"""Programs for private and constant memory (ISA.md 2.8). Expected values come from a model here: a bytearray for each
thread's private memory, the bytes of the constants, and Python's integers. Called by generate.py."""
from tables import Random

WIDTHS = ";@ widths  4 8 16 32 64"
THREADS = 64
SIZES = ("u8", 1, 1), ("u16", 2, 1), ("u32", 4, 1), ("u64", 8, 2), ("u128", 16, 4)


def listing(values):
    lines, line = [], ";@ expect  out ="
    for v in values:
        if len(line) > 88:
            lines.append(line)
            line = ";@ +"
        line += f" 0x{v:08X}"
    return "\n".join(lines + [line]) + "\n"


def frame(name, title, why, body, expected, *, private=0, constants=b"", directives=""):
    """Every thread has an equal share of the words of `out`; r2 is the address of its first one."""
    words = len(expected) // THREADS
    head = f";@ test    {title}\n; {why}\n{WIDTHS}\n;@ group   {THREADS}\n;@ check   race uninit\n{directives}"
    head += f";@ buffer  out u32 {len(expected)} at 256\n;@ args    out\n{listing(expected)}"
    if constants:
        head += ".constant\n"
        for at in range(0, len(constants), 16):
            head += "    .u8 " + ", ".join(f"0x{b:02X}" for b in constants[at:at + 16]) + "\n"
    head += f".kernel {name}\n.registers 48\n"
    if private:
        head += f".private_memory {private}\n"
    head += f"    mov_sr r1, sr_thread_id_x\n    mov_imm r3, {4 * words}\n    imad r2, r1, r3, r0\n"
    return head + body + "    halt\n.end\n"


def put(register, word):
    return f"    mov_imm r3, {4 * word}\n    iadd r3, r2, r3\n    device_store_u32 r3, r{register}\n"


def private_widths(known):
    """Stores and loads of every width over each other, at addresses that the lane computes or at known
    ones."""
    size, body, r = 64, "", Random(7000 + known)
    memory = [bytearray(size) for _ in range(THREADS)]
    results = [[] for _ in range(THREADS)]
    for at in range(0, size, 16):
        body += f"    mov_imm r4, {at}\n    mov_imm r8, {0x01010101 * (at // 16 + 1):#x}\n    imad r8, r1, r8, r8\n"
        body += "    mov r9, r1\n    not r10, r8\n    mov_imm r11, 0x89ABCDEF\n    private_store_u128 r4, r8\n"
        for t in range(THREADS):
            first = (0x01010101 * (at // 16 + 1)) * (t + 1) & 0xFFFFFFFF
            for k, w in enumerate((first, t, first ^ 0xFFFFFFFF, 0x89ABCDEF)):
                memory[t][at + 4 * k:at + 4 * k + 4] = w.to_bytes(4, "little")
    for name, width, words in SIZES * 2:
        step, store_at, load_at = r.word(5), r.word(6) // width * width, r.word(6) // width * width
        for at, is_store in ((store_at, True), (load_at, False)):
            body += f"    mov_imm r4, {at}\n"
            if not known:
                mask = size - width
                body += f"    mov_imm r5, {width * step}\n    imad r4, r1, r5, r4\n    mov_imm r5, {mask}\n    and r4, r4, r5\n"
            if is_store:
                body += "".join(f"    mov_imm r{12 + k}, {0xA0B0C0D0 + width * 17 + k:#x}\n    iadd r{12 + k}, r{12 + k}, r1\n"
                                for k in range(words)) + f"    private_store_{name} r4, r12\n"
            else:
                body += f"    private_load_{name} r16, r4\n"
                body += "".join(put(16 + k, len(results[0]) + k) for k in range(words))
            for t in range(THREADS):
                where = at if known else (t * width * step + at) & (size - width)
                if is_store:
                    value = b"".join((0xA0B0C0D0 + width * 17 + k + t & 0xFFFFFFFF).to_bytes(4, "little") for k in range(words))
                    memory[t][where:where + width] = value[:width]
                else:
                    loaded = bytes(memory[t][where:where + width]).ljust(4, b"\0")
                    results[t] += [int.from_bytes(loaded[k:k + 4], "little") for k in range(0, len(loaded), 4)]
    kind = "known" if known else "computed"
    name = f"private_widths_at_{kind}_addresses"
    return name, frame(name, f"private loads and stores of every width over each other, at {kind} addresses",
                       "Each thread has its own memory; narrow stores keep the bytes next to them.", body,
                       [w for row in results for w in row], private=size)


def private_through_control_flow():
    """Words at known addresses that change in ifs, loops with breaks and continues, and a call."""
    body = """    mov_imm r4, 0
    mov_imm r5, 4
    mov_imm r6, 9
    private_store_u32 r4, r1         ; [0] = thread
    private_store_u32 r5, r4         ; [4] = 0
    mov_imm r7, 1
    and r8, r1, r7
    icmp_eq p1, r8, r7               ; odd threads
    if p1
    mov_imm r9, 1000
    private_store_u32 r5, r9         ; [4] = 1000
    else
    mov_imm r9, 0xAB
    private_store_u8 r6, r9          ; byte [9]
    endif
    mov_imm r10, 0                   ; i
    loop
    mov_imm r11, 5
    icmp_eq p2, r10, r11
    break p2
    iadd r10, r10, r7
    private_load_u32 r12, r4
    iadd r12, r12, r10
    private_store_u32 r4, r12        ; [0] += i
    @p1 private_store_u8 r6, r10     ; byte [9] = i in odd threads
    icmp_eq p3, r10, r8
    continue p3                      ; in odd threads when i = 1, in even ones never
    private_load_u32 r12, r5
    iadd r12, r12, r7
    private_store_u32 r5, r12        ; [4] += 1
    mov_imm r11, 40
    icmp_gt p3, r1, r11
    break p3                         ; threads over 40 leave
    endloop
    call bump
    private_load_u32 r12, r4
    private_load_u32 r13, r5
    mov_imm r14, 9
    private_load_u8 r15, r14
""" + put(12, 0) + put(13, 1) + put(15, 2) + """    halt
bump:
    private_load_u32 r12, r5
    shl r12, r12, r7
    private_store_u32 r5, r12        ; [4] *= 2
    return
"""
    expected = []
    for t in range(THREADS):
        odd, words, byte = t & 1, [t, 1000 if t & 1 else 0], None if t & 1 else 0xAB
        for i in range(1, 6):
            words[0] += i
            byte = i if odd else byte
            if odd and i == 1:
                continue
            words[1] += 1
            if t > 40:
                break
        expected += [words[0], 2 * words[1], byte]
    name = "private_words_through_control_flow"
    text = frame(name, "private words that change in ifs, loops and calls", "They become values; the results must be those of memory.",
                 body, expected, private=12)
    return name, text


def private_beside_barriers():
    """Private memory keeps its bytes across barriers, and belongs to the lane, not to a place in the workgroup."""
    body = "    mov_imm r4, 28\n    mov_imm r5, 3\n    imul r6, r1, r5\n    and r7, r6, r4\n    private_store_u32 r7, r1\n    barrier\n"
    body += "    private_load_u32 r8, r7\n    iadd r8, r8, r6\n    barrier\n    private_store_u32 r7, r8\n    private_load_u32 r9, r7\n" + put(9, 0)
    name = "private_beside_barriers"
    return name, frame(name, "private memory on both sides of barriers", "thread + 3 * thread.", body, [4 * t for t in range(THREADS)],
                       private=32)


def private_wraps():
    """An address wraps at 32 bits before it is used."""
    body = "    mov_imm r4, 0xFFFFFFF8\n    mov_imm r5, 12\n    and r6, r1, r5\n    mov_imm r7, 0\n"
    body += "".join(f"    mov_imm r8, {at}\n    private_store_u32 r8, r7\n" for at in range(0, 32, 4))
    body += "    iadd r8, r4, r6\n    mov_imm r9, 8\n    iadd r8, r8, r9\n    private_store_u32 r8, r1\n    private_load_u32 r10, r6\n" + put(10, 0)
    name = "private_address_wraps_at_32_bits"
    return name, frame(name, "a private address wraps at 32 bits", "FFFFFFF8 + x + 8 is x.", body, list(range(THREADS)), private=32)


def constant_widths():
    """Loads of every width at computed and known addresses of 77 bytes, the last ones among them."""
    r = Random(7100)
    data, body, results = bytes(r.word(8) for _ in range(77)), "", [[] for _ in range(THREADS)]
    for name, width, words in SIZES:
        last = (len(data) - width) // width
        for known in (False, True):
            body += f"    mov_imm r4, {last * width}\n"
            if not known:
                body += f"    mov_imm r5, {last + 1}\n    umod r4, r1, r5\n    mov_imm r5, {width}\n    imul r4, r4, r5\n"
            body += f"    constant_load_{name} r16, r4\n"
            body += "".join(put(16 + k, len(results[0]) + k) for k in range(words))
            for t in range(THREADS):
                at = last * width if known else t % (last + 1) * width
                loaded = data[at:at + width].ljust(4, b"\0")
                results[t] += [int.from_bytes(loaded[k:k + 4], "little") for k in range(0, len(loaded), 4)]
    name = "constant_loads_of_every_width"
    return name, frame(name, "constant loads of every width", "77 bytes, so that the last vector is incomplete.", body,
                       [w for row in results for w in row], constants=data)


def constant_in_a_loop():
    """A polynomial whose coefficients are constants, by Horner's rule in a loop, and again fully unrolled."""
    factors = [7, 11, 0xFFFFFFF3, 5, 1, 0x80000000, 3, 19]
    body = """    mov_imm r4, 0                    ; offset
    mov_imm r5, 0                    ; sum
    mov_imm r6, 32
    mov_imm r7, 4
    loop
    icmp_ge p1, r4, r6
    break p1
    constant_load_u32 r8, r4
    imad r5, r5, r1, r8
    iadd r4, r4, r7
    endloop
    mov_imm r9, 0
""" + "".join(f"    mov_imm r4, {4 * k}\n    constant_load_u32 r8, r4\n    imad r9, r9, r1, r8\n" for k in range(8)) + put(5, 0) + put(9, 1)
    expected = []
    for t in range(THREADS):
        value = 0
        for f in factors:
            value = value * t + f & 0xFFFFFFFF
        expected += [value, value]
    name = "constants_in_a_loop"
    return name, frame(name, "a table of constants read in a loop", "Horner's rule, twice.", body, expected,
                       constants=b"".join(f.to_bytes(4, "little") for f in factors))


def guarded():
    """Loads and stores of every width whose guard holds in odd threads only."""
    body = "    mov_imm r4, 1\n    and r5, r1, r4\n    icmp_eq p1, r5, r4\n    mov_imm r6, 0\n    mov_imm r7, 0\n    mov_imm r8, 0\n    mov_imm r9, 0\n"
    body += "    mov_imm r10, 0\n    mov_imm r20, 0x11111111\n    mov r21, r20\n    mov r22, r20\n    mov r23, r20\n    mov_imm r24, 0\n"
    count = 0
    for name, width, words in SIZES:
        body += f"    private_store_u128 r6, r6\n    @p1 private_store_{name} r6, r20\n    private_load_u128 r12, r6\n"
        body += "".join(f"    icmp_ne p2, r{12 + k}, r7\n    @p2 iadd r24, r24, r4\n" for k in range(words))
        for space in ("private", "constant"):
            body += "    private_store_u128 r6, r20\n    mov r12, r7\n    mov r13, r7\n    mov r14, r7\n    mov r15, r7\n"
            body += f"    @p1 {space}_load_{name} r12, r6\n"
            body += "".join(f"    icmp_ne p2, r{12 + k}, r7\n    @p2 iadd r24, r24, r4\n" for k in range(words))
        count += 3 * words
    name = "guard_every_private_and_constant_access"
    return name, frame(name, "a guard shields lanes and their memory", "Odd threads count every word that changes, even ones none.",
                       body + put(24, 0), [count * (t & 1) for t in range(THREADS)], private=16, constants=bytes([0x5A] * 16))


ERROR = """;@ test    {title}
{widths}
;@ targets emu
;@ group   4
{check};@ error   {code} at {pc}
;@ buffer  out u32 1 at 256
;@ args    out
{constants}.kernel {name}
.registers 32
{private}    mov_imm r2, {address}
    {access}
    halt
.end
"""


def errors(out):
    rows = [
        ("oob_private_load", "a private load past the end", "E_OUT_OF_BOUNDS", "private_load_u32 r4, r2", 64, 61, 0, ""),
        ("oob_private_store", "a private store past the end", "E_OUT_OF_BOUNDS", "private_store_u64 r2, r4", 64, 60, 0, ""),
        ("oob_private_none", "a private load in a kernel without private memory", "E_OUT_OF_BOUNDS", "private_load_u8 r4, r2", 0, 0, 0, ""),
        ("oob_constant_load", "a constant load past the end", "E_OUT_OF_BOUNDS", "constant_load_u32 r4, r2", 0, 4, 7, ""),
        ("oob_constant_none", "a constant load in a file without constants", "E_OUT_OF_BOUNDS", "constant_load_u8 r4, r2", 0, 0, 0, ""),
        ("uninit_private", "a private load of bytes that nothing has stored", "E_UNINIT", "private_load_u32 r4, r2", 64, 8, 0, "uninit"),
    ]
    for name, title, code, access, private, address, constants, check in rows:
        folder = "uninitialised" if check == "uninit" else "bounds"
        out[f"errors/{folder}/{name}.wave"] = ERROR.format(
            name=name, title=title, widths=WIDTHS, code=code, pc="0x8", access=access, address=address,
            check=f";@ check   {check}\n" if check else "",
            private=f".private_memory {private}\n" if private else "",
            constants=".constant\n    .u8 " + ", ".join(str(k) for k in range(constants)) + "\n" if constants else "")


def add_programs(out):
    for name, text in (private_widths(False), private_widths(True), private_through_control_flow(), private_beside_barriers(),
                       private_wraps(), constant_widths(), constant_in_a_loop(), guarded()):
        folder = "constant" if name.startswith("constant") else "private"
        out[f"memory/{folder}/{name}.wave"] = text
    errors(out)
