/* Inserts details into SPIR-V: strings with types, and OpLine instead of calls (opencl_details.h).
 */
#include "cli/opencl_details.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER_WORDS = 5,
    BOUND = 3, /* its place in the header */
    OP_NAME = 5,
    OP_STRING = 7,
    OP_LINE = 8,
    OP_EXTENSION = 10,
    OP_EXT_INST_IMPORT = 11,
    OP_MEMORY_MODEL = 14,
    OP_ENTRY_POINT = 15,
    OP_EXECUTION_MODE = 16,
    OP_CAPABILITY = 17,
    OP_CONSTANT = 43,
    OP_FUNCTION = 54,
    OP_FUNCTION_PARAMETER = 55,
    OP_FUNCTION_END = 56,
    OP_FUNCTION_CALL = 57,
    OP_DECORATE = 71,
    LINKAGE_ATTRIBUTES = 41
};

static const char PREFIX[] = "wave.line.";

/* What is known of an id. */
typedef struct fact {
    uint32_t value; /* of a constant */
    uint16_t file;  /* of a function that marks a line: the index of the file plus one */
    bool gone;      /* it is removed together with these functions */
} fact;

typedef struct module {
    const uint32_t *words;
    size_t count;
    uint32_t bound;
    fact *facts;
    const opencl_details *details;
    uint32_t *out;
    size_t out_count;
} module;

typedef struct instruction {
    const uint32_t *words;
    uint32_t count, op;
} instruction;

static bool next(const module *m, size_t *at, instruction *i) {
    if (*at >= m->count)
        return false;
    *i = (instruction){&m->words[*at], m->words[*at] >> 16, m->words[*at] & 0xFFFF};
    *at += i->count;
    return i->count > 0 && *at <= m->count;
}

/* The fact about the id in a word of the instruction; NULL: there is no such id. */
static fact *about(const module *m, const instruction *i, uint32_t word) {
    return word < i->count && i->words[word] < m->bound ? &m->facts[i->words[word]] : NULL;
}

static uint16_t file_index(const module *m, const char *name, size_t size) {
    if (size <= sizeof PREFIX || memcmp(name, PREFIX, sizeof PREFIX - 1) != 0 || name[size - 1])
        return 0;
    unsigned long number = strtoul(name + sizeof PREFIX - 1, NULL, 10);
    for (size_t k = 0; k < m->details->file_count && k < UINT16_MAX; k++)
        if (m->details->files[k].number == number)
            return (uint16_t)(k + 1);
    return 0;
}

static void learn(module *m, const instruction *i, bool *removing) {
    fact *first = about(m, i, 1), *second = about(m, i, 2);
    if (i->op == OP_DECORATE && first && i->count > 4 && i->words[2] == LINKAGE_ATTRIBUTES) {
        /* the last word is the kind of linkage */
        first->file = file_index(m, (const char *)&i->words[3], 4 * ((size_t)i->count - 4));
        first->gone = first->file != 0;
    } else if (i->op == OP_CONSTANT && second && i->count == 4) {
        second->value = i->words[3];
    } else if (i->op == OP_FUNCTION) {
        *removing = second && second->file;
    } else if (i->op == OP_FUNCTION_PARAMETER && second) {
        second->gone = *removing;
    } else if (i->op == OP_FUNCTION_CALL && second) {
        const fact *function = about(m, i, 3);
        second->gone = function && function->file;
    }
}

/* ---- The new module ---- */

static void put(module *m, const uint32_t *words, size_t count) {
    memcpy(m->out + m->out_count, words, count * sizeof *words);
    m->out_count += count;
}

/* The number of words of a text, including its terminator. */
static size_t text_words(const char *text) {
    return strlen(text) / 4 + 1;
}

static void put_string(module *m, uint32_t id, const char *text) {
    const size_t length = text_words(text);
    if (length + 2 > UINT16_MAX)
        return; /* longer than an instruction can be */
    const uint32_t head[] = {(uint32_t)(length + 2) << 16 | OP_STRING, id};
    put(m, head, 2);
    memset(m->out + m->out_count, 0, 4 * length);
    memcpy(m->out + m->out_count, text, strlen(text));
    m->out_count += length;
}

static void put_strings(module *m) {
    const opencl_details *d = m->details;
    uint32_t id = m->bound;
    for (size_t k = 0; k < d->file_count; k++)
        put_string(m, id++, d->files[k].name);
    for (size_t k = 0; k < d->type_count; k++)
        put_string(m, id++, d->types[k]);
}

/* The instructions that precede OpString in a module. */
static bool is_early(uint32_t op) {
    return op == OP_CAPABILITY || op == OP_EXTENSION || op == OP_EXT_INST_IMPORT ||
           op == OP_MEMORY_MODEL || op == OP_ENTRY_POINT || op == OP_EXECUTION_MODE;
}

static void put_line(module *m, const instruction *i, const fact *function) {
    const fact *line = about(m, i, 4), *column = about(m, i, 5);
    const uint32_t words[] = {4u << 16 | OP_LINE, m->bound + function->file - 1u,
                              line ? line->value : 0, column ? column->value : 0};
    put(m, words, 4);
}

static void rewrite(module *m) {
    put(m, m->words, HEADER_WORDS);
    m->out[BOUND] = m->bound + (uint32_t)(m->details->file_count + m->details->type_count);
    bool named = false, removing = false;
    instruction i;
    for (size_t at = HEADER_WORDS; next(m, &at, &i);) {
        if (!named && !is_early(i.op)) {
            put_strings(m);
            named = true;
        }
        const fact *first = about(m, &i, 1), *second = about(m, &i, 2), *third = about(m, &i, 3);
        if (i.op == OP_FUNCTION)
            removing = second && second->file;
        if (i.op == OP_FUNCTION_CALL && third && third->file)
            put_line(m, &i, third);
        else if (!removing && !((i.op == OP_NAME || i.op == OP_DECORATE) && first && first->gone))
            put(m, i.words, i.count);
        if (i.op == OP_FUNCTION_END)
            removing = false;
    }
}

/* Each file and each list of types adds one OpString; an OpLine has fewer words than the call that
 * it replaces. */
static size_t most_words(const module *m) {
    const opencl_details *d = m->details;
    size_t words = m->count;
    for (size_t k = 0; k < d->file_count; k++)
        words += text_words(d->files[k].name) + 2;
    for (size_t k = 0; k < d->type_count; k++)
        words += text_words(d->types[k]) + 2;
    return words;
}

/* clang writes little-endian modules, and the hosts that it runs on are little-endian, too: the
 * words are read in place. */
static bool is_readable(const wave_blob *blob) {
    const uint32_t *words = (const uint32_t *)(const void *)blob->data;
    return blob->size >= 4 * HEADER_WORDS && blob->size % 4 == 0 && words[0] == 0x07230203 &&
           words[BOUND] < blob->size;
}

bool opencl_splice(wave_blob *blob, const opencl_details *details) {
    if (!is_readable(blob) || details->file_count + details->type_count == 0)
        return true;
    module m = {.words = (const uint32_t *)(const void *)blob->data,
                .count = blob->size / 4,
                .details = details};
    m.bound = m.words[BOUND];
    m.facts = calloc((size_t)m.bound + 1, sizeof *m.facts);
    m.out = malloc(most_words(&m) * sizeof *m.out);
    instruction i;
    size_t at = HEADER_WORDS;
    bool removing = false, ok = m.facts && m.out;
    while (ok && next(&m, &at, &i))
        learn(&m, &i, &removing);
    if (ok && at == m.count) {
        rewrite(&m);
        free(blob->data);
        *blob = (wave_blob){.data = (uint8_t *)m.out, .size = 4 * m.out_count};
        m.out = NULL;
    }
    free(m.facts);
    free(m.out);
    return ok;
}

void opencl_details_free(opencl_details *details) {
    for (size_t k = 0; k < details->file_count; k++)
        free(details->files[k].name);
    for (size_t k = 0; k < details->type_count; k++)
        free(details->types[k]);
    free(details->files);
    free(details->types);
    *details = (opencl_details){0};
}
