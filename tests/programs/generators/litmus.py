"""Litmus programs of the memory model (docs/reference/memory-model.md), memory/litmus/.

Each has right forms, which every target must pass, and wrong forms, in which something is left out:
the race checker must report those, and scoped memory must expose them. A line of a program may end
in a mark that says how it changes in which form:

    instruction      ;- NAME                 left out in form NAME
    instruction      ;= NAME instruction     replaced in form NAME
    ;+ NAME instruction                      there in form NAME only

The expected values follow from the rules of ISA 8.1, as the comment of each program says. No lane
waits for a lane of its own wave and no wave for another workgroup. Called by generate.py.
"""
import re

WIDTHS = ";@ widths  4 8 16 32 64"

# r10 = lane, r11 = wave, r12 … r15 = 0, 1, 2, 4; p1: lane 0, p2: wave 0
SETUP = """    mov_sr r10, sr_lane_id
    mov_sr r11, sr_wave_id
    mov_imm r12, 0
    mov_imm r13, 1
    mov_imm r14, 2
    mov_imm r15, 4
    icmp_eq p1, r10, r12             ; lane 0
    icmp_eq p2, r11, r12             ; wave 0
"""

# r16 = 64 * workgroup: each workgroup has its own 64 bytes of every buffer
OWN_PART = """    mov_sr r16, sr_workgroup_id_x
    mov_imm r17, 64
    imul r16, r16, r17
"""

MESSAGE = """    if p1
        if p2
            nop                      ; some time for the other wave; nothing depends on it
            nop
            nop
            mov_imm r20, 42
            device_store_u32 r0, r20
            fence_release .workgroup ;- without_release
            atomic_store r1, r13, .workgroup
        else
            iadd r21, r0, r15
            device_load_u32 r22, r21 ; the word next to the data, which no lane writes
            loop
                atomic_load r23, r1, .workgroup
                icmp_eq p3, r23, r13
                break p3
            endloop
            fence_acquire .workgroup ;- without_acquire
            device_load_u32 r24, r0
            device_store_u32 r2, r24
            iadd r21, r2, r15
            device_store_u32 r21, r22
        endif
    endif
"""

LOCAL_MESSAGE = """    mov_imm r3, 64                   ; the flag; data at 0 and 4
    if p2
        if p1
            local_atomic_store r3, r12
            mov_imm r20, 7
            local_store_u32 r15, r20
        endif
    endif
    barrier
    if p1
        if p2
            mov_imm r20, 42
            local_store_u32 r12, r20
            fence_release .workgroup ;- without_release
            local_atomic_store r3, r13
        else
            local_load_u32 r22, r15  ; the word next to the data
            loop
                local_atomic_load r23, r3
                icmp_eq p3, r23, r13
                break p3
            endloop
            fence_acquire .workgroup ;- without_acquire
            local_load_u32 r24, r12
            device_store_u32 r0, r24
            iadd r21, r0, r15
            device_store_u32 r21, r22
        endif
    endif
"""

LANE_MESSAGE = """    icmp_eq p3, r10, r13             ; lane 1
    if p3
        iadd r21, r0, r15
        device_load_u32 r22, r21     ; the word next to the data, which no lane writes
    endif
    if p1
        mov_imm r20, 42
        device_store_u32 r0, r20
        fence_release .wave          ;- without_release
        atomic_store r1, r13, .wave
    endif
    if p3
        atomic_load r23, r1, .wave
        fence_acquire .wave          ;- without_acquire
        mov_imm r24, 42
        icmp_eq p2, r23, r13
        if p2
            device_load_u32 r24, r0
        endif
        device_store_u32 r2, r24
    endif
"""

# Both waves: first access, fence, second access; the loaded value goes to seen[wave].
TWO_WAVES = SETUP + OWN_PART + """    iadd r3, r0, r16                 ; x
    mov_imm r17, 32
    iadd r4, r3, r17                 ; y, 32 bytes further
    select r5, p2, r3, r4            ; wave 0: x, wave 1: y
    select r6, p2, r4, r3            ; wave 0: y, wave 1: x
    iadd r7, r1, r16                 ; seen[2]
    imad r8, r11, r15, r7            ; seen[wave]
    if p1
%s        device_store_u32 r8, r20
    endif
    barrier
    if p1
        if p2
            iadd r8, r7, r15
            device_load_u32 r20, r7
            device_load_u32 r21, r8
%s            mov_sr r22, sr_workgroup_id_x
            imad r22, r22, r15, r2
            device_store_u32 r22, r23
        endif
    endif
"""

STORE_BUFFERING = """        atomic_store r5, r13, .workgroup ;= plain device_store_u32 r5, r13
        fence_sc .workgroup          ;- relaxed plain
        atomic_load r20, r6, .workgroup ;= plain device_load_u32 r20, r6
"""

LOAD_BUFFERING = """        atomic_load r20, r5, .workgroup ;= plain device_load_u32 r20, r5
        fence_sc .workgroup          ;- relaxed plain
        atomic_store r6, r13, .workgroup ;= plain device_store_u32 r6, r13
"""

# r23 = 1 if the outcome is allowed
NOT_BOTH_0 = """            or r23, r20, r21         ; both 0 is the forbidden outcome
            umin r23, r23, r13
"""
NOT_BOTH_1 = """            and r23, r20, r21        ; both 1 is the forbidden outcome
            xor r23, r23, r13
"""
ANY_BITS = """            or r23, r20, r21         ; every outcome of zeros and ones is allowed
            icmp_le p3, r23, r13
            select r23, p3, r13, r12
"""

COHERENCE = """    if p1
        if p2
            mov r20, r13
            mov_imm r21, 9
            loop
                atomic_store r0, r20, .workgroup ;= plain device_store_u32 r0, r20
                iadd r20, r20, r13
                icmp_eq p3, r20, r21
                break p3
            endloop
            fence_release .workgroup ;- plain
            atomic_store r1, r13, .workgroup
        else
            mov r20, r12             ; what was seen last
            mov r24, r13             ; the verdict
            loop
                atomic_load r21, r0, .workgroup ;= plain device_load_u32 r21, r0
                icmp_ge p3, r21, r20
                select r24, p3, r24, r12
                mov r20, r21
                atomic_load r22, r1, .workgroup
                icmp_eq p3, r22, r13
                break p3
            endloop
            fence_acquire .workgroup ;- plain
            atomic_load r21, r0, .workgroup ;= plain device_load_u32 r21, r0
            device_store_u32 r2, r24
            iadd r22, r2, r15
            device_store_u32 r22, r21
        endif
    endif
"""

IRIW = OWN_PART + """    iadd r3, r0, r16                 ; x
    iadd r4, r3, r15                 ; y
    iadd r5, r4, r15                 ; a word next to them, which no lane writes
    iadd r7, r1, r16                 ; seen[4]
    and r17, r11, r13
    icmp_eq p2, r17, r12             ; waves 0 and 2
    select r6, p2, r3, r4            ; these begin with x, the others with y
    select r9, p2, r4, r3
    icmp_lt p3, r11, r14
    if p1
        if p3
            nop                      ; some time for the readers; nothing depends on it
            nop
            atomic_store r6, r13, .workgroup ;= plain device_store_u32 r6, r13
            ;+ plain fence_release .workgroup
        else
            device_load_u32 r22, r5
            nop                      ; and for the writers
            nop
            nop
            nop
            atomic_load r20, r6, .workgroup ;= plain device_load_u32 r20, r6
            fence_sc .workgroup      ;- relaxed plain
            atomic_load r21, r9, .workgroup ;= plain device_load_u32 r21, r9
            isub r17, r11, r14
            mov_imm r18, 8
            imad r8, r17, r18, r7
            device_store_u32 r8, r20 ; the first of this reader
            iadd r8, r8, r15
            device_store_u32 r8, r21 ; and its second
        endif
    endif
    barrier
    mov_sr r17, sr_thread_id_x
    icmp_eq p3, r17, r12
    if p3
        device_load_u32 r20, r7
        iadd r8, r7, r15
        device_load_u32 r21, r8
        iadd r8, r8, r15
        device_load_u32 r22, r8
        iadd r8, r8, r15
        device_load_u32 r23, r8
%s        mov_sr r22, sr_workgroup_id_x
        imad r22, r22, r15, r2
        device_store_u32 r22, r24
    endif
"""

# Both readers see their first write and not their second: they disagree on the order.
AGREE = """        xor r21, r21, r13
        xor r23, r23, r13
        and r24, r20, r21
        and r25, r22, r23
        and r24, r24, r25            ; 1: each reader saw only the write that it read first
        xor r24, r24, r13
"""
ANY_FOUR = """        or r24, r20, r21             ; every outcome of zeros and ones is allowed
        or r24, r24, r22
        or r24, r24, r23
        icmp_le p3, r24, r13
        select r24, p3, r13, r12
"""

EXCHANGE = """    imul r20, r10, r15               ; 4 * lane
    iadd r21, r10, r13
    xor r22, r20, r15                ; the neighbour's place
%s    mov_imm r25, 100
    iadd r26, r10, r25
    {store} r20, r26
    fence_acq_rel .wave              ;- without_first_fence
    {load} r24, r22
    fence_acq_rel .wave              ;- without_second_fence
    iadd r26, r26, r25
    {store} r20, r26                 ; the same place again
    fence_acq_rel .wave              ;- without_third_fence
    {load} r27, r22
    imul r28, r10, r15
    iadd r28, r28, r0
    iadd r24, r24, r27
    device_store_u32 r28, r24        ; (100 + neighbour) + (200 + neighbour)
"""

REDUCTION = """    imul r20, r10, r15               ; 4 * lane
    iadd r21, r10, r13
    local_store_u32 r20, r21         ; lane + 1
    mov_sr r22, sr_wave_width
    shr r22, r22, r13
    loop
        fence_acq_rel .wave          ;- without_fence
        icmp_lt p3, r10, r22
        if p3
            iadd r23, r10, r22
            imul r23, r23, r15
            local_load_u32 r24, r20
            local_load_u32 r25, r23
            iadd r24, r24, r25
            local_store_u32 r20, r24
        endif
        shr r22, r22, r13
        icmp_eq p3, r22, r12
        break p3
    endloop
    if p1
        local_load_u32 r24, r12
        device_store_u32 r0, r24
    endif
"""

# In a lock: n = the larger of two words, plus 1, goes to the word of the wave's parity.
SECTION = """            fence_acquire .workgroup ;- without_acquire
            device_load_u32 r22, r1
            device_load_u32 r23, r5
            umax r22, r22, r23
            iadd r22, r22, r13
            device_store_u32 r6, r22
            fence_release .workgroup ;- without_release
"""

LOCK = """    iadd r5, r1, r15                 ; the second word
    and r6, r11, r13
    imad r6, r6, r15, r1             ; the word of this wave's parity
    mov_imm r20, 3
    if p1
        loop
%s            isub r20, r20, r13
            icmp_eq p3, r20, r12
            break p3
        endloop
    endif
    barrier
    if p1
        if p2
            device_load_u32 r22, r1
            device_load_u32 r23, r5
            umax r22, r22, r23
            device_store_u32 r2, r22
        endif
    endif
"""

SPIN = """            loop
                atomic_cas r21, r0, r12, r13, .workgroup
                icmp_eq p3, r21, r12
                break p3
            endloop
""" + SECTION + """            atomic_store r0, r12, .workgroup
"""

TICKET = """            atomic_add r21, r0, r13, .workgroup ; the ticket
            loop
                atomic_load r22, r7, .workgroup ; who is served
                icmp_eq p3, r22, r21
                break p3
            endloop
""" + SECTION + """            iadd r21, r21, r13
            atomic_store r7, r21, .workgroup
"""

# The same with 64-bit atomics; r12 and r13 are the pair 2^32: the upper half matters.
WIDE_MESSAGE = """    mov_imm r28, 8
    mov_imm r29, 4
    iadd r29, r1, r29                ; the upper half of the flag
    if p1
        if p2
            nop                      ; some time for the other wave; nothing depends on it
            nop
            nop
            mov_imm r20, 42
            mov_imm r21, 43
            device_store_u64 r0, r20
            fence_release .workgroup ;- without_release
            atomic64_store r1, r12, .workgroup
        else
            iadd r26, r0, r28
            device_load_u64 r22, r26 ; the words next to the data, which no lane writes
            mov_imm r24, 0
            loop
                atomic64_load r24, r1, .workgroup ;= of_two_widths atomic_load r25, r29, .workgroup
                lcmp_eq p3, r24, r12
                break p3
            endloop
            fence_acquire .workgroup ;- without_acquire
            device_load_u64 r24, r0
            device_store_u64 r2, r24
            iadd r26, r2, r28
            device_store_u64 r26, r22
        endif
    endif
"""

WIDE_SPIN = """            loop
                atomic64_cas r26, r0, r28, r12, .workgroup
                lcmp_eq p3, r26, r28
                break p3
            endloop
""" + SECTION + """            atomic64_store r0, r28, .workgroup
"""

WIDE_TICKET = """            atomic64_add r26, r0, r12, .workgroup ; the ticket, in the upper half
            loop
                atomic64_load r24, r7, .workgroup ; who is served
                lcmp_eq p3, r24, r26
                break p3
            endloop
""" + SECTION + """            ladd r26, r26, r12
            atomic64_store r7, r26, .workgroup
"""

# A compare-and-swap that fails reads; here the upper half differs.
WIDE_FAILURE = """    mov_imm r24, 7
    mov_imm r25, 6                   ;= that_succeeds mov_imm r25, 5
    mov_imm r26, 7
    mov_imm r27, 5
    mov_imm r28, 8
    imad r28, r11, r28, r1           ; seen[wave]
    if p1
        if p2
            atomic64_cas r20, r0, r24, r26, .workgroup
        else
            device_load_u64 r20, r0
        endif
        device_store_u64 r28, r20
    endif
"""

LAST_BLOCK = """    mov_sr r20, sr_workgroup_id_x
    mov_sr r21, sr_workgroup_size_x
    mov_sr r22, sr_thread_id_x
    imad r23, r20, r21, r22
    imul r24, r23, r15
    iadd r24, r24, r0
    iadd r23, r23, r13
    device_store_u32 r24, r23        ; part[i] = i + 1
    barrier                          ;- without_barrier
    if p1
        if p2
            fence_release .device    ;- without_release
            atomic_add r25, r1, r13, .device
            fence_acquire .device    ;- without_acquire
            mov_imm r26, 3
            icmp_eq p3, r25, r26     ; three came before: this is the last
            if p3
                mov_sr r27, sr_grid_size_x
                imul r27, r27, r21
                mov r28, r12
                mov r29, r0
                loop
                    device_load_u32 r30, r29
                    iadd r28, r28, r30
                    iadd r29, r29, r15
                    isub r27, r27, r13
                    icmp_eq p3, r27, r12
                    break p3
                endloop
                device_store_u32 r2, r28
            endif
        endif
    endif
"""


def exchange(space):
    words = {"local": ("local_store_u32", "local_load_u32"),
             "device": ("device_store_u32", "device_load_u32")}[space]
    place = "" if space == "local" else "    iadd r20, r20, r1\n    iadd r22, r22, r1\n"
    return (EXCHANGE % place).replace("{store}", words[0]).replace("{load}", words[1])


# name, forms, header, body. A form: name suffix, title, and for a wrong one "race" or "race hidden".
NO_RELEASE = ("without_release", "without the release fence", "race")
NO_ACQUIRE = ("without_acquire", "without the acquire fence", "race")
NO_ACQUIRE_HIDDEN = ("without_acquire", "without the acquire fence", "race hidden")

PAIR = """;@ grid    8
;@ group   2*W
;@ buffer  words u32 128 = zero
;@ buffer  seen u32 128
;@ buffer  out u32 8
;@ args    words seen out
;@ expect  out = fill 1
"""
QUAD = PAIR.replace("2*W", "4*W")
LOCKED = """;@ group   4*W
;@ buffer  lock u32 16 = zero
;@ buffer  data u32 2 = zero
;@ buffer  out u32 1
;@ args    lock data out
; Four waves with three turns each raise the larger of two words by one: 12 in the end.
;@ expect  out = 12
"""

PROGRAMS = [
    ("message_passing", "a message between waves: data, release, flag; flag, acquire, data",
     [NO_RELEASE, NO_ACQUIRE],
     """;@ group   2*W
;@ buffer  data u32 2 = 0 7
;@ buffer  flag u32 1 = zero
;@ buffer  out u32 2
;@ args    data flag out
; By rule 4 the store of 42 happens before the load that follows the flag.
;@ expect  out = 42 7
""", SETUP + MESSAGE),
    ("message_passing_local", "a message between waves through local memory",
     [NO_RELEASE, NO_ACQUIRE],
     """;@ group   2*W
;@ buffer  out u32 2
;@ args    out
;@ expect  out = 42 7
""", SETUP + LOCAL_MESSAGE),
    ("message_passing_in_a_wave", "a message between lanes of one wave, none of which waits",
     [NO_RELEASE, NO_ACQUIRE],
     """;@ group   W
;@ buffer  data u32 2 = 0 7
;@ buffer  flag u32 1 = zero
;@ buffer  out u32 1
;@ args    data flag out
; Lane 1 stores 42 if it does not see the flag, and what it finds if it does.
;@ expect  out = 42
""", SETUP + LANE_MESSAGE),
    ("store_buffering_sc", "store buffering: with fence_sc one of two waves sees the other's store",
     [("plain", "with plain accesses and no fence", "race")],
     PAIR + "; Rule 5: the fences have an order, and the load after the second sees the store before the first.\n",
     TWO_WAVES % (STORE_BUFFERING, NOT_BOTH_0)),
    ("store_buffering_relaxed", "store buffering: without fences every outcome is allowed",
     [], PAIR, TWO_WAVES % (STORE_BUFFERING, ANY_BITS)),
    ("load_buffering_sc", "load buffering: with fence_sc not both waves see the other's later store",
     [("plain", "with plain accesses and no fence", "race hidden")],
     PAIR + "; Rule 4: each fence would happen before the other.\n",
     TWO_WAVES % (LOAD_BUFFERING, NOT_BOTH_1)),
    ("load_buffering_relaxed", "load buffering: without fences every outcome is allowed",
     [], PAIR, TWO_WAVES % (LOAD_BUFFERING, ANY_BITS)),
    ("read_read_coherence", "loads of one word never go back to an older value",
     [("plain", "with plain accesses and no fence", "race")],
     """;@ group   2*W
;@ buffer  x u32 1 = zero
;@ buffer  flag u32 1 = zero
;@ buffer  out u32 2
;@ args    x flag out
; Wave 0 counts to 8. Wave 1 sees no number after a larger one, and after the message the last.
;@ expect  out = 1 8
""", SETUP + COHERENCE),
    ("iriw_sc", "independent reads of independent writes: with fence_sc the readers agree on the order",
     [("plain", "with plain accesses and no fence between the reads", "race")],
     QUAD, SETUP + IRIW % AGREE),
    ("iriw_relaxed", "independent reads of independent writes: without fences every outcome is allowed",
     [], QUAD, SETUP + IRIW % ANY_FOUR),
    ("two_lane_exchange", "lanes of a wave exchange words through local memory, twice",
     [("without_first_fence", "without the fence after the first stores", "race"),
      ("without_second_fence", "without the fence before the place is used again", "race hidden"),
      ("without_third_fence", "without the fence after the second stores", "race")],
     """;@ group   W
;@ buffer  out u32 W
;@ args    out
; Rule 3. Lane i finds 100 + (i ^ 1), then 200 + (i ^ 1), and stores the sum.
;@ expect  out = expr 300 + 2 * (i ^ 1)
""", SETUP + exchange("local")),
    ("two_lane_exchange_device", "lanes of a wave exchange words through device memory, twice",
     [("without_first_fence", "without the fence after the first stores", "race"),
      ("without_second_fence", "without the fence before the place is used again", "race hidden"),
      ("without_third_fence", "without the fence after the second stores", "race")],
     """;@ group   W
;@ buffer  out u32 W
;@ buffer  place u32 W
;@ args    out place
;@ expect  out = expr 300 + 2 * (i ^ 1)
""", SETUP + exchange("device")),
    ("reduction_in_a_wave", "a wave adds up 1 … W in local memory, a fence before each step",
     [("without_fence", "without the fences", "race")],
     """;@ group   W
;@ buffer  out u32 1
;@ args    out
;@ expect  out = expr W * (W + 1) / 2
""", SETUP + REDUCTION),
    ("spin_lock", "a lock taken by compare-and-swap and given back by a store",
     [NO_RELEASE, NO_ACQUIRE], LOCKED, SETUP + LOCK % SPIN),
    ("ticket_lock", "a lock with tickets, served in order",
     [NO_RELEASE, NO_ACQUIRE], LOCKED,
     SETUP + "    mov_imm r7, 32\n    iadd r7, r0, r7                  ; who is served\n"
     + LOCK % TICKET),
    ("message_passing_64", "a message between waves through a 64-bit flag",
     [NO_RELEASE, NO_ACQUIRE, ("of_two_widths", "with 32-bit loads of half the flag", "race hidden")],
     """;@ targets -msl
;@ group   2*W
;@ buffer  data u64 2 = 0 7
;@ buffer  flag u64 1 = zero
;@ buffer  out u64 2
;@ args    data flag out
; By rule 4 both words of the store happen before the load that follows the flag; atomics of two widths race.
;@ expect  out = 0x0000002B0000002A 7
""", SETUP + WIDE_MESSAGE),
    ("spin_lock_64", "a 64-bit lock taken by compare-and-swap and given back by a store",
     [NO_RELEASE, NO_ACQUIRE], ";@ targets -msl\n" + LOCKED,
     SETUP + "    mov_imm r28, 0\n    mov_imm r29, 0\n" + LOCK % WIDE_SPIN),
    ("ticket_lock_64", "a lock with 64-bit tickets, served in order",
     [NO_RELEASE, NO_ACQUIRE], ";@ targets -msl\n" + LOCKED,
     SETUP + "    mov_imm r7, 32\n    iadd r7, r0, r7                  ; who is served\n"
     + LOCK % WIDE_TICKET),
    ("failing_cas_64", "a 64-bit compare-and-swap that fails, next to a plain load: both only read",
     [("that_succeeds", "it succeeds, and writes the value that is already there", "race hidden")],
     """;@ targets -msl
;@ group   2*W
;@ buffer  word u64 1 = 0x0000000500000007
;@ buffer  out u64 2
;@ args    word out
;@ unchanged word
;@ expect  out = fill 0x0000000500000007
""", SETUP + WIDE_FAILURE),
    ("last_block_done", "the workgroup that arrives last sums the values that all lanes of all workgroups have stored",
     [("without_barrier", "without the barrier that lets lane 0 release the stores of all lanes", "race"),
      NO_RELEASE, NO_ACQUIRE_HIDDEN],
     """;@ grid    4
;@ group   2*W
;@ buffer  part u32 8*W
;@ buffer  count u32 1 = zero
;@ buffer  out u32 1
;@ args    part count out
; 1 + 2 + … + 8 W
;@ expect  out = expr 4 * W * (8 * W + 1)
""", SETUP + LAST_BLOCK),
]


def shape(body, form):
    """The body in one form; "" is the right one."""
    lines = []
    for line in body.splitlines():
        left_out = re.search(r" *;- (.*)$", line)
        replaced = re.search(r" *;= (\w+) (.*)$", line)
        added = re.match(r"( *);\+ (\w+) (.*)$", line)
        if left_out:
            if form and form in left_out.group(1).split():
                continue
            line = line[:left_out.start()]
        elif replaced:
            indent = re.match(r" *", line).group()
            line = (indent + replaced.group(2) if form == replaced.group(1)
                    else line[:replaced.start()])
        elif added:
            if form != added.group(2):
                continue
            line = added.group(1) + added.group(3)
        lines.append(line)
    return "\n".join(lines) + "\n"


def program(name, title, header, body, wrong):
    extra = f";@ {wrong}\n" if wrong else ";@ schedules 8\n"
    local = ".local_memory 1024\n" if "local_" in body else ""
    return (f";@ test    {title}\n{WIDTHS}\n{extra}{header}"
            f".kernel {name}\n.registers 32\n{local}{body}    halt\n.end\n")


def add_programs(out):
    for name, title, wrong_forms, header, body in PROGRAMS:
        right = "relaxed" if name.endswith("_relaxed") else ""
        out[f"memory/litmus/litmus_{name}.wave"] = program(
            f"litmus_{name}", title, header, shape(body, right), None)
        for form, what, race in wrong_forms:
            full = f"litmus_{name}_{form}".replace("_sc_plain", "_plain")
            out[f"memory/litmus/{full}.wave"] = program(
                full, f"{title}; here {what}", header, shape(body, form), race)
