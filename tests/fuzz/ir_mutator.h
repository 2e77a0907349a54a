/* Mutations of IR text that usually keep it valid: text with random byte changes rarely passes the
 * parser, and so rarely reaches the passes. libFuzzer's own mutations alternate with these.
 * Included once, by fuzz_ir.c. */
#ifndef FUZZ_IR_MUTATOR_H
#define FUZZ_IR_MUTATOR_H

#include "fuzz/draw.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

enum { MOST_PIECES = 2048, MOST_PIECE = 200 };

typedef struct piece {
    size_t at, length;
} piece;

typedef struct pieces {
    piece list[MOST_PIECES];
    size_t count;
} pieces;

typedef struct text {
    char *data;
    size_t size, most;
    uint32_t state;
} text;

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void add(pieces *p, size_t at, size_t length) {
    if (p->count < MOST_PIECES && length > 0 && length < MOST_PIECE)
        p->list[p->count++] = (piece){at, length};
}

/* The lines without their ends, except the first one, which is the kernel's. */
static void find_lines(const text *t, pieces *lines) {
    size_t start = 0;
    lines->count = 0;
    for (size_t i = 0; i < t->size; i++)
        if (t->data[i] == '\n') {
            if (start > 0)
                add(lines, start, i - start);
            start = i + 1;
        }
}

/* Values, argument words, special registers and constants, where they are used. */
static void find_operands(const text *t, pieces *operands) {
    operands->count = 0;
    for (size_t i = 0; i < t->size;) {
        if (t->data[i] != '%' && !is_word(t->data[i])) {
            i++;
            continue;
        }
        size_t start = i++;
        while (i < t->size && is_word(t->data[i]))
            i++;
        const char *word = t->data + start;
        const size_t left = t->size - start;
        if (*word == '%') {
            if (i == t->size || t->data[i] != ':')
                add(operands, start, i - start);
        } else if (left > 2 && memcmp(word, "0x", 2) == 0 && i < t->size && t->data[i] == ':') {
            do
                i++;
            while (i < t->size && is_word(t->data[i]));
            add(operands, start, i - start);
        } else if (left > 3 && (memcmp(word, "arg", 3) == 0 || memcmp(word, "sr_", 3) == 0)) {
            add(operands, start, i - start);
        }
    }
}

/* The part of a line after "= ", or nothing. */
static piece right_side(const text *t, piece line) {
    for (size_t i = 0; i + 2 < line.length; i++)
        if (memcmp(t->data + line.at + i, "= ", 2) == 0)
            return (piece){line.at + i + 2, line.length - i - 2};
    return (piece){0, 0};
}

static void replace(text *t, piece old, const char *with, size_t length) {
    char copy[MOST_PIECE + 64];
    if (length > sizeof copy || t->size - old.length + length > t->most)
        return;
    memcpy(copy, with, length); /* it may lie in the text itself */
    memmove(t->data + old.at + length, t->data + old.at + old.length,
            t->size - old.at - old.length);
    memcpy(t->data + old.at, copy, length);
    t->size = t->size - old.length + length;
}

static void change_operand(text *t) {
    static pieces operands;
    find_operands(t, &operands);
    if (operands.count == 0)
        return;
    /* Values seen earlier are usually defined. */
    size_t to = draw(&t->state, operands.count), from = draw(&t->state, to + 1);
    replace(t, operands.list[to], t->data + operands.list[from].at, operands.list[from].length);
}

static void change_constant(text *t) {
    static const uint32_t values[] = {
        0,          1,          2,          3,          4,          5,          7,
        8,          15,         16,         31,         32,         33,         63,
        64,         255,        0x100,      0x7FFF,     0x8000,     0xFFFF,     0x10000,
        0x3F800000, 0x40000000, 0x7F800000, 0x7FC00000, 0x7FFFFFFF, 0x80000000, 0x80000001,
        0xBF800000, 0xFFFFFFFC, 0xFFFFFFFE, 0xFFFFFFFF};
    static const char *const types[] = {"u32", "f32", "u64", "f64", "f16", "f16x2", "bool"};
    static pieces operands;
    char made[40];
    find_operands(t, &operands);
    if (operands.count == 0)
        return;
    const piece old = operands.list[draw(&t->state, operands.count)];
    const char *colon = memchr(t->data + old.at, ':', old.length);
    const char *type =
        types[draw(&t->state, 4) ? 0 : draw(&t->state, sizeof types / sizeof *types)];
    const uint32_t value = values[draw(&t->state, sizeof values / sizeof *values)];
    const int keep = colon ? (int)(t->data + old.at + old.length - colon - 1) : 0;
    if (keep > 0 && keep < 10)
        (void)snprintf(made, sizeof made, "0x%x:%.*s", value, keep, colon + 1);
    else
        (void)snprintf(made, sizeof made, "0x%x:%s", value, type);
    replace(t, old, made, strlen(made));
}

/* Replaces one line's operation, or its entire right side, by another line's. */
static void change_operation(text *t, bool whole) {
    static pieces lines;
    find_lines(t, &lines);
    if (lines.count == 0)
        return;
    piece to = right_side(t, lines.list[draw(&t->state, lines.count)]);
    piece from = right_side(t, lines.list[draw(&t->state, lines.count)]);
    if (to.length == 0 || from.length == 0)
        return;
    if (!whole) {
        piece *const both[] = {&to, &from};
        for (unsigned k = 0; k < 2; k++) {
            size_t length = 0;
            while (length < both[k]->length && is_word(t->data[both[k]->at + length]))
                length++;
            both[k]->length = length;
        }
    }
    replace(t, to, t->data + from.at, from.length);
}

/* Copies a line to another place; a value gets a new number. */
static void copy_line(text *t) {
    static pieces lines;
    char made[MOST_PIECE + 32];
    find_lines(t, &lines);
    if (lines.count == 0)
        return;
    const piece from = lines.list[draw(&t->state, lines.count)],
                to = lines.list[draw(&t->state, lines.count)];
    const char *line = t->data + from.at, *colon = memchr(line, ':', from.length);
    size_t indent = 0;
    while (indent < from.length && line[indent] == ' ')
        indent++;
    int length;
    if (indent < from.length && line[indent] == '%' && colon)
        length = snprintf(made, sizeof made, "%%%u%.*s\n", 1000 + draw(&t->state, 3000),
                          (int)(line + from.length - colon), colon);
    else
        length = snprintf(made, sizeof made, "%.*s\n", (int)from.length, line);
    replace(t, (piece){to.at, 0}, made, (size_t)length);
}

static void drop_line(text *t) {
    static pieces lines;
    find_lines(t, &lines);
    if (lines.count > 0)
        replace(t, lines.list[draw(&t->state, lines.count)], "", 0);
}

/* Moves a line into an if with another one's condition. */
static void wrap_line(text *t) {
    static pieces lines;
    char made[MOST_PIECE + 64];
    find_lines(t, &lines);
    if (lines.count == 0)
        return;
    const piece line = lines.list[draw(&t->state, lines.count)];
    const piece other = lines.list[draw(&t->state, lines.count)];
    const char *name = memchr(t->data + other.at, '%', other.length);
    const char *colon = memchr(t->data + other.at, ':', other.length);
    if (!name || !colon || colon < name)
        return;
    int length = snprintf(made, sizeof made, "if %.*s {\n%.*s\nyield\n} else {\nyield\n}",
                          (int)(colon - name), name, (int)line.length, t->data + line.at);
    if (length > 0 && (size_t)length < sizeof made)
        replace(t, line, made, (size_t)length);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed) {
    text t = {(char *)data, size, most, seed};
    if (draw(&t.state, 4) == 0)
        return LLVMFuzzerMutate(data, size, most);
    for (uint32_t rounds = 1 + draw(&t.state, 4); rounds > 0; rounds--)
        switch (draw(&t.state, 12)) {
        case 0:
        case 1:
        case 2: change_operand(&t); break;
        case 3:
        case 4: change_constant(&t); break;
        case 5:
        case 6: change_operation(&t, false); break;
        case 7: change_operation(&t, true); break;
        case 8:
        case 9: copy_line(&t); break;
        case 10: wrap_line(&t); break;
        default: drop_line(&t); break;
        }
    return t.size;
}

#endif
