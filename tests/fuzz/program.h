/* Makes a program from arbitrary bytes, for the fuzz targets: each byte chooses an instruction, and
 * the nesting is always correct, so that most inputs are valid and pass the validator. Included
 * once by a target, which defines PROGRAM_AT, the place where the instructions begin. */
#ifndef FUZZ_PROGRAM_H
#define FUZZ_PROGRAM_H

#include "base/buf.h"
#include "frontend/frontend.h"
#include "fuzz/draw.h"
#include "isa/isa.h"

#include <string.h>

typedef struct source {
    const uint8_t *data;
    size_t size;
} source;

static uint32_t take(source *s) {
    if (s->size == 0)
        return 0;
    s->size--;
    return *s->data++;
}

/* ---- A program from bytes ---- */

/* Every instruction has the same number of bytes, so that changing one does not affect the
 * others. */
enum { MOST_INSTRUCTIONS = 400, MOST_OPEN = 300, FUNCTIONS = 3, RECORD = 8 };

typedef struct writer {
    source *from;
    buf code;
    uint8_t open[MOST_OPEN]; /* 'i' if, 'e' else, 'l' loop */
    uint32_t depth;
    size_t calls[MOST_INSTRUCTIONS]; /* position of word1 of a call */
    uint8_t callee[MOST_INSTRUCTIONS];
    uint32_t call_count;
} writer;

static bool in_loop(const writer *w) {
    for (uint32_t i = w->depth; i-- > 0;)
        if (w->open[i] == 'l')
            return true;
    return false;
}

/* Few registers, so that values flow between instructions; occasionally one that may not exist. */
static uint32_t field(writer *w, isa_role role) {
    uint32_t byte = take(w->from);
    switch (role) {
    case ISA_ROLE_NONE: return 0;
    case ISA_ROLE_PW:
    case ISA_ROLE_PR: return byte & 3;
    case ISA_ROLE_PN: return byte & 0x83;
    case ISA_ROLE_SR: return byte % ISA_SPECIAL_COUNT;
    case ISA_ROLE_FA:
    case ISA_ROLE_FB:
    case ISA_ROLE_FC: return byte;
    case ISA_ROLE_WTA:
    case ISA_ROLE_WTB:
    case ISA_ROLE_WTC:
    case ISA_ROLE_TA:
    case ISA_ROLE_TB:
    case ISA_ROLE_TC: return byte < 0xF8 ? byte % 2 : byte % 16;
    case ISA_ROLE_ABTYPE: return byte % 5;
    case ISA_ROLE_CTYPE: return byte & 1 ? 2 : 5;
    case ISA_ROLE_PLACE: return byte & 3;
    default: return byte < 0xF8 ? byte % 8 : byte;
    }
}

static uint32_t immediate(writer *w) {
    uint32_t byte = take(w->from);
    if (byte < 0xC0)
        return byte & 0x3C;
    return byte << 24 | take(w->from) << 16 | take(w->from) << 8 | take(w->from);
}

static void emit(writer *w, isa_op op) {
    const isa_desc *d = &isa_table[op];
    const uint32_t rd = field(w, (isa_role)d->role[0]), rs1 = field(w, (isa_role)d->role[1]);
    uint32_t guard = d->flags & ISA_UNGUARDED ? 0 : take(w->from);
    guard = guard < 0x60 ? guard & 7 : 0;
    buf_u32le(&w->code,
              (uint32_t)d->opcode << 24 | rd << 16 | rs1 << 8 | (uint32_t)d->modifier << 4 | guard);
    if (d->words == 1)
        return;
    uint32_t word = 0;
    if (d->tail == ISA_TAIL_IMM) {
        word = immediate(w);
    } else if (d->tail == ISA_TAIL_TARGET) {
        w->callee[w->call_count] = (uint8_t)(take(w->from) % FUNCTIONS);
        w->calls[w->call_count++] = w->code.size;
    } else {
        word = field(w, (isa_role)d->role[2]) << 24;
        word |= field(w, (isa_role)d->role[3]) << 16;
        word |= field(w, (isa_role)d->role[4]) << 8;
        word |= d->tail == ISA_TAIL_SCOPE ? take(w->from) & 3 : 0;
    }
    buf_u32le(&w->code, word);
}

static void close_one(writer *w) {
    emit(w, w->open[--w->depth] == 'l' ? ISA_ENDLOOP : ISA_ENDIF);
}

static void one_instruction(writer *w, isa_op op) {
    const bool room = w->depth < 260;
    switch (op) {
    case ISA_NONE: break;
    case ISA_IF:
    case ISA_LOOP:
        if (room) {
            emit(w, op);
            w->open[w->depth++] = op == ISA_IF ? 'i' : 'l';
        }
        break;
    case ISA_ELSE:
        if (w->depth && w->open[w->depth - 1] == 'i') {
            emit(w, op);
            w->open[w->depth - 1] = 'e';
        }
        break;
    case ISA_ENDIF:
    case ISA_ENDLOOP:
        if (w->depth)
            close_one(w);
        break;
    case ISA_BREAK:
    case ISA_CONTINUE:
        if (in_loop(w))
            emit(w, op);
        break;
    default: emit(w, op);
    }
}

static void block(writer *w, uint32_t count) {
    source *const all = w->from;
    while (count-- > 0 && all->size > 0) {
        source record = {all->data, all->size < RECORD ? all->size : RECORD};
        all->data += record.size;
        all->size -= record.size;
        w->from = &record;
        one_instruction(w, (isa_op)(take(&record) % ISA_OP_COUNT));
    }
    source nothing = {NULL, 0};
    w->from = &nothing;
    while (w->depth)
        close_one(w);
    w->from = all;
}

/* main, halt, then the functions, each of which ends with a return. */
static void write_program(writer *w) {
    size_t start[FUNCTIONS];
    block(w, MOST_INSTRUCTIONS / 2);
    buf_u32le(&w->code, (uint32_t)isa_table[ISA_HALT].modifier << 4 | 0x3F000000u);
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        start[i] = w->code.size;
        block(w, MOST_INSTRUCTIONS / 8);
        buf_u32le(&w->code, (uint32_t)isa_table[ISA_RETURN].modifier << 4 | 0x3F000000u);
    }
    for (uint32_t i = 0; i < w->call_count && !w->code.failed; i++)
        for (unsigned k = 0; k < 4; k++)
            w->code.data[w->calls[i] + k] = (uint8_t)(start[w->callee[i]] >> 8 * k);
}

/* ---- Mutations ---- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

/* Complete instructions are copied, moved, dropped and changed one at a time; libFuzzer's own
 * mutations, which shift everything that follows, alternate with these. Complete files have words
 * of four bytes, whose size divides that of a record. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed) {
    uint32_t state = seed;
    if (size < PROGRAM_AT + 2 * RECORD || draw(&state, 4) == 0)
        return LLVMFuzzerMutate(data, size, most);
    for (uint32_t rounds = 1 + draw(&state, 4); rounds > 0 && size > PROGRAM_AT + RECORD;
         rounds--) {
        uint8_t *const code = data + PROGRAM_AT, record[RECORD];
        const size_t count = (size - PROGRAM_AT) / RECORD, used = PROGRAM_AT + count * RECORD;
        const size_t to = draw(&state, count) * (size_t)RECORD;
        const size_t from = draw(&state, count) * (size_t)RECORD;
        memcpy(record, code + from, RECORD);
        switch (draw(&state, 8)) {
        case 0:
        case 1: /* a copy before another */
            if (used + RECORD > most)
                break;
            memmove(code + to + RECORD, code + to, used - PROGRAM_AT - to);
            memcpy(code + to, record, RECORD);
            size = used + RECORD;
            break;
        case 2: /* dropped */
            memmove(code + to, code + to + RECORD, used - PROGRAM_AT - to - RECORD);
            size = used - RECORD;
            break;
        case 3: /* swaps two */
            memcpy(code + from, code + to, RECORD);
            memcpy(code + to, record, RECORD);
            break;
        case 4: /* another instruction, the same operands */
            code[to] = (uint8_t)draw(&state, 256);
            break;
        default: code[to + draw(&state, RECORD)] = (uint8_t)draw(&state, 256); break;
        }
    }
    return size;
}

#endif
