/* See emu_types.h. */
#include "cli/emu_types.h"

#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 256, UNKNOWN = WAVE_VALUE_U32 };

typedef enum kind { OTHER, LOAD, STORE, COPY } kind;

typedef struct instruction {
    wave_operand operands[WAVE_MAX_OPERANDS];
    size_t count;
    kind kind;
    bool guarded;
} instruction;

static instruction read_instruction(emu_texts *t, uint32_t index) {
    instruction in = {.count = 0};
    const char *text = emu_text_at(t, index);
    bool address = false, written = false;
    in.guarded = *text == '@';
    if (in.guarded)
        text += strcspn(text, " ") + 1;
    in.count = wave_instruction_operands(t->module, t->kernel, t->pcs[index], in.operands);
    for (size_t k = 0; k < in.count; k++) {
        address |= in.operands[k].address;
        written |= in.operands[k].written;
    }
    bool matrix = strncmp(text, "mma", 3) == 0 || strncmp(text, "tile", 4) == 0;
    bool memory = address && !strstr(text, "atomic") && !matrix;
    in.kind = memory && written                  ? LOAD
              : memory                           ? STORE
              : strncmp(text, "mov r", 5) == 0   ? COPY
              : strncmp(text, "select ", 7) == 0 ? COPY
                                                 : OTHER;
    return in;
}

/* Only floats matter: bits are shown as integers by default. */
static uint8_t float_type(wave_value value) {
    switch (value) {
    case WAVE_VALUE_F32:
    case WAVE_VALUE_F16:
    case WAVE_VALUE_F16X2:
    case WAVE_VALUE_BF16:
    case WAVE_VALUE_BF16X2:
    case WAVE_VALUE_F64: return (uint8_t)value;
    default: return UNKNOWN;
    }
}

static void set(uint8_t types[REGISTERS], const wave_operand *o, uint8_t type) {
    for (uint32_t k = 0; k < o->count && o->index + k < REGISTERS; k++)
        types[o->index + k] = type;
}

/* The type that all registers of the operand share. */
static uint8_t get(const uint8_t types[REGISTERS], const wave_operand *o) {
    uint8_t type = o->index < REGISTERS ? types[o->index] : UNKNOWN;
    for (uint32_t k = 1; k < o->count && o->index + k < REGISTERS; k++)
        if (types[o->index + k] != type)
            return UNKNOWN;
    return type;
}

/* Backwards: `next` is how a register is used after this instruction. */
static void step_back(const instruction *in, uint8_t next[REGISTERS], uint8_t *memory) {
    uint8_t result = UNKNOWN;
    for (size_t k = 0; k < in->count; k++) {
        const wave_operand *o = &in->operands[k];
        if (!o->written || o->value == WAVE_VALUE_PREDICATE)
            continue;
        result = get(next, o);
        if (in->kind == LOAD)
            *memory = result;
        if (!in->guarded)
            set(next, o, UNKNOWN);
    }
    for (size_t k = 0; k < in->count; k++) {
        const wave_operand *o = &in->operands[k];
        if (o->written || o->value == WAVE_VALUE_PREDICATE)
            continue;
        if (o->address)
            set(next, o, UNKNOWN);
        else if (in->kind != STORE)
            set(next, o, in->kind == COPY ? result : float_type(o->value));
    }
}

/* Forwards: `last` is how a register was written. */
static void step_forward(const instruction *in, uint8_t last[REGISTERS], uint8_t *memory) {
    uint8_t copied = UNKNOWN;
    for (size_t k = 0; k < in->count; k++) {
        const wave_operand *o = &in->operands[k];
        if (o->written || o->address || o->value == WAVE_VALUE_PREDICATE)
            continue;
        copied = get(last, o);
        if (in->kind == STORE)
            *memory = copied;
    }
    for (size_t k = 0; k < in->count; k++) {
        const wave_operand *o = &in->operands[k];
        if (o->written && o->value != WAVE_VALUE_PREDICATE)
            set(last, o,
                in->kind == LOAD   ? *memory
                : in->kind == COPY ? copied
                                   : float_type(o->value));
    }
}

uint8_t *emu_find_types(emu_texts *t) {
    uint8_t *types = calloc((size_t)t->count + 1, 1), state[REGISTERS] = {0};
    if (!types)
        return NULL;
    for (uint32_t i = t->count; i-- > 0;) {
        instruction in = read_instruction(t, i);
        step_back(&in, state, &types[i]);
    }
    memset(state, 0, sizeof state);
    for (uint32_t i = 0; i < t->count; i++) {
        instruction in = read_instruction(t, i);
        step_forward(&in, state, &types[i]);
    }
    return types;
}
