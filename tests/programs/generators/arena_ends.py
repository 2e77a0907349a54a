"""Programs for --bounds: memory that ends at every byte of a vector. Each access is checked separately (ISA.md 5): a
load that is not inside yields 0 and a store is dropped, even where a compiler could combine several accesses into
one."""

# There is one thread, with 16 bytes at 256: the address is known to be a multiple of 16.
KERNEL = """.kernel arena_ends_{end}
.registers 32
.local_memory {local}
    mov_sr r1, sr_thread_id_x
    mov_imm r2, 4
    shl r1, r1, r2
    mov_imm r3, 256
    iadd r3, r1, r3
    iadd r4, r3, r2
    iadd r5, r4, r2
    iadd r6, r5, r2
    device_load_u32 r8, r3
    device_load_u32 r9, r4
    device_load_u32 r10, r5
    device_load_u32 r11, r6
    device_load_u64 r12, r3
    device_load_u64 r14, r5
    device_load_u128 r16, r3
    mov_imm r20, 0x01010101
    device_store_u32 r3, r20
    device_store_u32 r4, r20
    device_store_u32 r5, r20
    device_store_u32 r6, r20
    mov_imm r21, 16
    iadd r3, r1, r21
    iadd r4, r3, r2
    iadd r5, r4, r2
    iadd r6, r5, r2
    local_store_u32 r3, r8
    local_store_u32 r4, r9
    local_store_u32 r5, r10
    local_store_u32 r6, r11
    local_load_u32 r24, r3
    local_load_u32 r25, r4
    local_load_u32 r26, r5
    local_load_u32 r27, r6
{stores}    halt
.end
"""


def program(end):
    data = bytes(range(0x11, 0x11 + end))
    word = lambda at, size: data[at:at + size] if at + size <= end else bytes(size)
    words = b"".join(word(4 * k, 4) for k in range(4))
    local = b"".join(word(4 * k, 4) if 4 * k + 4 <= end else bytes(4) for k in range(4))
    results = words + word(0, 8) + word(8, 8) + word(0, 16) + local
    after = bytearray(data)
    for k in range(4):
        if 4 * k + 4 <= end:
            after[4 * k:4 * k + 4] = bytes([1] * 4)
    listed = [int.from_bytes(results[k:k + 4], "little") for k in range(0, len(results), 4)]
    registers = [*range(8, 20), *range(24, 28)]
    stores = "".join(f"    mov_imm r28, {4 * k}\n    iadd r28, r1, r28\n    device_store_u32 r28, r{r}\n"
                     for k, r in enumerate(registers))
    lines = [
        f";@ test    --bounds where device memory ends {end} bytes after the start of a vector, and local memory too",
        "; A load that is not inside yields 0, a store is dropped; each access is checked separately. Written by generate.py.",
        ";@ widths  4 8 16 32 64", ";@ group   1", f";@ memory  {256 + end}", ";@ bounded", ";@ error   E_OUT_OF_BOUNDS",
        ";@ buffer  out u32 16 at 0",
    ]
    if end:
        lines.append(f";@ buffer  edge u8 {end} at 256 = " + " ".join(f"0x{b:02X}" for b in data))
        lines.append(";@ expect  edge = " + " ".join(f"0x{b:02X}" for b in after))
    half = ["0x%08X" % v for v in listed]
    lines += [";@ expect  out = " + " ".join(half[:8]), ";@ + " + " ".join(half[8:])]
    kernel = KERNEL.format(end=end, local=16 + end, stores=stores)
    return "\n".join(lines) + "\n" + kernel


def add_programs(out):
    for end in range(16):  # with 16 bytes everything is inside
        out[f"errors/bounds/arena_ends_{end}.wave"] = program(end)
