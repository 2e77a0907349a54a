/* Mutations of SPIR-V modules that leave most of them readable: instructions are copied, swapped,
 * dropped, given another opcode of the same form or another operand. */
#ifndef FUZZ_SPIRV_MUTATOR_H
#define FUZZ_SPIRV_MUTATOR_H

#include "fuzz/draw.h"
#include "spirv/reader.h"

#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

enum { MOST_PLACES = 4096 };

/* The words of a module, and where its instructions begin. */
typedef struct words {
    uint32_t *at;
    size_t count, most;
    size_t places[MOST_PLACES];
    size_t place_count;
    uint32_t state;
} words;

static void find_places(words *w) {
    w->place_count = 0;
    for (size_t at = HEADER_WORDS; at < w->count && w->place_count < MOST_PLACES;) {
        size_t length = w->at[at] >> 16;
        if (length == 0 || length > w->count - at)
            return;
        w->places[w->place_count++] = at;
        at += length;
    }
}

static size_t any_place(words *w) {
    return w->places[draw(&w->state, w->place_count)];
}

static size_t length_at(const words *w, size_t place) {
    return w->at[place] >> 16;
}

/* Replaces one operand by an id, by an interesting number, or by a word of another instruction. */
static void change_operand(words *w) {
    static const uint32_t numbers[] = {0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 64, 255, 0x7FFFFFFF, ~0u};
    size_t place = any_place(w), length = length_at(w, place);
    if (length < 2)
        return;
    uint32_t *word = &w->at[place + 1 + draw(&w->state, length - 1)];
    switch (draw(&w->state, 4)) {
    case 0: *word = draw(&w->state, w->at[3] < 100000 ? w->at[3] : 100000); break;
    case 1: *word = numbers[draw(&w->state, sizeof numbers / sizeof *numbers)]; break;
    default: {
        size_t other = any_place(w), n = length_at(w, other);
        if (n >= 2)
            *word = w->at[other + 1 + draw(&w->state, n - 1)];
    }
    }
}

/* Replaces an opcode by another whose operands have the same letters. */
static void change_opcode(words *w) {
    size_t place = any_place(w);
    const spirv_row *row = spirv_row_of(w->at[place] & 0xFFFF);
    for (int attempt = 0; row && attempt < 400; attempt++) {
        uint32_t op = draw(&w->state, 450);
        const spirv_row *other = spirv_row_of(op);
        if (other && !*spirv_row_feature(other) && strcmp(other->operands, row->operands) == 0 &&
            other->section == row->section) {
            w->at[place] = (w->at[place] & 0xFFFF0000) | op;
            return;
        }
    }
}

static void drop(words *w) {
    size_t place = any_place(w), length = length_at(w, place);
    memmove(w->at + place, w->at + place + length, (w->count - place - length) * 4);
    w->count -= length;
    find_places(w);
}

/* Copies an instruction to another place; its result gets a new id. */
static void copy(words *w) {
    uint32_t insn[64];
    size_t from = any_place(w), to = any_place(w), length = length_at(w, from);
    if (length > 64 || w->count + length > w->most)
        return;
    memcpy(insn, w->at + from, length * 4);
    const spirv_row *row = spirv_row_of(insn[0] & 0xFFFF);
    const char *equals = row && !*spirv_row_feature(row) ? strchr(row->operands, '=') : NULL;
    size_t result = equals ? 1u + (equals != row->operands) : 0;
    if (result && result < length)
        insn[result] = w->at[3]++;
    memmove(w->at + to + length, w->at + to, (w->count - to) * 4);
    memcpy(w->at + to, insn, length * 4);
    w->count += length;
    find_places(w);
}

static void swap(words *w) {
    uint32_t first[64];
    size_t place = any_place(w), length = length_at(w, place), next = place + length;
    if (length > 64 || next >= w->count || length_at(w, next) > w->count - next)
        return;
    size_t other = length_at(w, next);
    memcpy(first, w->at + place, length * 4);
    memmove(w->at + place, w->at + next, other * 4);
    memcpy(w->at + place + other, first, length * 4);
    find_places(w);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed) {
    static uint32_t room[1 << 16];
    words w = {.at = room, .count = size / 4, .most = most / 4, .state = seed};
    if (most / 4 > sizeof room / 4)
        w.most = sizeof room / 4;
    if (draw(&w.state, 6) == 0 || w.count > w.most || w.count <= HEADER_WORDS)
        return LLVMFuzzerMutate(data, size, most);
    memcpy(room, data, w.count * 4);
    find_places(&w);
    for (uint32_t rounds = 1 + draw(&w.state, 4); rounds > 0 && w.place_count > 0; rounds--)
        switch (draw(&w.state, 10)) {
        case 0:
        case 1: copy(&w); break;
        case 2: drop(&w); break;
        case 3: swap(&w); break;
        case 4:
        case 5: change_opcode(&w); break;
        default: change_operand(&w); break;
        }
    memcpy(data, room, w.count * 4);
    return w.count * 4;
}

#endif
