/* SPIR-V modules for tests, as text: "TypeInt 2 32 0; Constant 2 5 7", the operand words of each
 * instruction verbatim, strings in quotes. */
#ifndef UNIT_SPIRV_TEXT_H
#define UNIT_SPIRV_TEXT_H

#include "spirv/reader.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPIRV_TEXT_WORDS = 4096 };

typedef struct spirv_text {
    uint32_t words[SPIRV_TEXT_WORDS];
    size_t count;
} spirv_text;

static inline unsigned spirv_text_op(const char *name, size_t length) {
    for (unsigned op = 0; op < 8192; op++) {
        const char *known = spirv_op_name(op);
        if (strlen(known) == length + 2 && memcmp(known + 2, name, length) == 0)
            return op;
    }
    cr_assert_fail("there is no Op%.*s", (int)length, name);
    return 0;
}

static inline void spirv_text_string(spirv_text *t, const char **at) {
    const char *end = strchr(++*at, '"');
    size_t length = (size_t)(end - *at);
    for (size_t i = 0; i <= length; i += 4) {
        uint32_t word = 0;
        for (size_t k = 0; k < 4 && i + k < length; k++)
            word |= (uint32_t)(uint8_t)(*at)[i + k] << 8 * k;
        t->words[t->count++] = word;
    }
    *at = end + 1;
}

/* Adds the instructions of the text. "#N" as the first operand sets the word count to N. */
static inline void spirv_text_add(spirv_text *t, const char *text) {
    for (const char *at = text; *(at += strspn(at, " ;\n"));) {
        size_t length = strcspn(at, " ;\n"), first = t->count++;
        unsigned op = spirv_text_op(at, length), count = 0;
        for (at += length; *(at += strspn(at, " ")) && *at != ';' && *at != '\n';) {
            if (*at == '"')
                spirv_text_string(t, &at);
            else if (*at == '#')
                count = (unsigned)strtoul(at + 1, (char **)&at, 0);
            else
                t->words[t->count++] = (uint32_t)strtoul(at, (char **)&at, 0);
            cr_assert_lt(t->count, SPIRV_TEXT_WORDS - 64, "too long");
        }
        count = count ? count : (unsigned)(t->count - first);
        t->words[first] = count << 16 | op;
    }
}

static inline void spirv_text_begin(spirv_text *t, uint32_t bound) {
    static const uint32_t magic = 0x07230203;
    t->count = 0;
    t->words[t->count++] = magic;
    t->words[t->count++] = 0x00010400;
    t->words[t->count++] = 0;
    t->words[t->count++] = bound;
    t->words[t->count++] = 0;
}

#endif
